// SPDX-License-Identifier: MIT
/* See page_parts.h: what was asked of each node, and what was found there. */
#include "report/page_html.h"
#include "report/page_parts.h"
#include "report/table.h"

#include <errno.h>
#include <math.h>

/* The row that takes the most memory stands for all. */
static const struct backend_summary *largest(const struct run_summary *summary)
{
	const struct backend_summary *found = NULL;

	for (size_t p = 0; p < summary->nr_points; p++)
		for (size_t b = 0; b < summary->points[p].nr_backends; b++) {
			const struct backend_summary *s = &summary->points[p].backends[b];

			if (json_object_get(s->placement_found, "nodes") &&
			    (!found || s->memory_bytes > found->memory_bytes))
				found = s;
		}
	return found;
}

static void cell_bytes(struct table *table, const json_t *node, const char *key)
{
	const json_t *value = json_object_get(node, key);
	double bytes = json_is_number(value) ? json_number_value(value) : NAN;
	char text[UNIT_TEXT_MAX];

	table_cell(table, "%s", unit_format_bytes(text, bytes));
	table_value(table, bytes, "bytes");
}

static void cell_index(struct table *table, const json_t *node, const char *key)
{
	const json_t *value = json_object_get(node, key);

	if (json_is_integer(value)) {
		table_cell(table, "%lld", (long long)json_integer_value(value));
		table_value(table, json_number_value(value), "");
	} else {
		table_cell(table, "-");
	}
}

int page_nodes(struct page *page, FILE *out, struct error *err)
{
	const struct backend_summary *s = largest(page->summary);
	const json_t *node;
	struct table *table;
	size_t i;
	int r;

	if (!s)
		return 0;
	table = table_new();
	table_column(table, "modelled node", ALIGN_RIGHT);
	table_column(table, "real node", ALIGN_RIGHT);
	table_column(table, "bytes", ALIGN_RIGHT);
	table_column(table, "misplaced", ALIGN_RIGHT);
	json_array_foreach (json_object_get(s->placement_found, "nodes"), i, node) {
		table_row(table);
		cell_index(table, node, "nid");
		cell_index(table, node, "os_index");
		cell_bytes(table, node, "bytes");
		cell_bytes(table, node, "bytes_misplaced");
	}
	fputs("<section class=\"data\" aria-labelledby=\"nodes\">\n"
	      "<h3 id=\"nodes\">Node by node, at the row that takes the most memory</h3>\n",
	      out);
	r = table_print_html(table, "t-nodes", "Node by node", 0, out);
	table_free(table);
	fputs("</section>\n", out);
	return r ? error_set(err, -ENOMEM, "out of memory") : 0;
}
