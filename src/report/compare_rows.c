// SPDX-License-Identifier: MIT
/* See compare_rows.h. */
#include "report/compare_rows.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The points of both records, each once. */
static size_t all_points(const struct compare *compare, const struct point **points)
{
	const struct record *sides[] = {compare->new, compare->base};
	json_t *seen = json_object();
	size_t nr = 0;

	for (size_t s = 0; seen && s < 2; s++) {
		for (size_t i = 0; i < sides[s]->nr_points; i++) {
			const struct point *point = &sides[s]->points[i];

			if (json_object_get(seen, point->id))
				continue;
			json_object_set_new(seen, point->id, json_true());
			points[nr++] = point;
		}
	}
	json_decref(seen);
	return nr;
}

static void add_name(struct compare_layout *layout, const char *name)
{
	for (size_t i = 0; i < layout->nr_names; i++) {
		if (!strcmp(layout->names[i], name))
			return;
	}
	layout->names[layout->nr_names++] = name;
}

/* Where the items of each point begin, so that a group finds its own without searching all. NULL:
 * out of memory. */
static json_t *index_of(const struct comparison *items, size_t nr)
{
	json_t *index = json_object();

	for (size_t i = 0; i < nr; i++) {
		const char *id = items[i].new_cell->point->id;

		if (!json_object_get(index, id) &&
		    json_object_set_new(index, id, json_integer((json_int_t)i)) < 0) {
			json_decref(index);
			return NULL;
		}
	}
	return index;
}

int compare_layout_init(struct compare_layout *layout, const struct compare *compare)
{
	size_t room = compare->base->nr_points + compare->new->nr_points + 1, nr;
	const struct point **points = calloc(room, sizeof(*points));

	*layout = (struct compare_layout){.compare = compare};
	layout->names = calloc(compare->new->nr_cells + 1, sizeof(*layout->names));
	if (!points || !layout->names) {
		free(points);
		return -ENOMEM;
	}
	nr = all_points(compare, points);
	layout->groups = nr ? point_groups_new(points, nr) : NULL;
	free(points);
	for (size_t i = 0; i < compare->new->nr_cells; i++)
		add_name(layout, compare->new->cells[i].backend);
	layout->comparisons = index_of(compare->comparisons, compare->nr);
	layout->ratios = index_of(compare->ratios, compare->nr_ratios);
	return layout->groups && layout->comparisons && layout->ratios ? 0 : -ENOMEM;
}

void compare_layout_fini(struct compare_layout *layout)
{
	point_groups_free(layout->groups);
	free(layout->names);
	json_decref(layout->comparisons);
	json_decref(layout->ratios);
}

bool compare_ratio_shown(const struct compare *compare, const struct comparison *ratio)
{
	const struct record_cell *before = ratio->new_cell - 1;

	if (ratio->verdict == VERDICT_NO_DATA)
		return false;
	if (ratio->verdict >= VERDICT_IMPROVEMENT)
		return true;
	return ratio->new_cell == compare->new->cells || before->point != ratio->new_cell->point;
}

static bool has_n(const struct comparison *items, size_t nr, const unsigned n[2])
{
	for (size_t i = 0; i < nr; i++) {
		if (items[i].base.processes != n[0] || items[i].new.processes != n[1])
			return false;
	}
	return true;
}

bool compare_same_n(const struct compare *compare, bool ratios, unsigned n[2])
{
	if (!compare->nr)
		return false;
	n[0] = compare->comparisons[0].base.processes;
	n[1] = compare->comparisons[0].new.processes;
	return has_n(compare->comparisons, compare->nr, n) &&
	       (!ratios || has_n(compare->ratios, compare->nr_ratios, n));
}

/* What a group's rows are taken from. */
struct rows {
	const struct compare_layout *layout;
	const struct comparison *items;
	size_t nr;
	const json_t *first;
};

/* The item of a point and a pair of names, or NULL. */
static const struct comparison *find(const struct rows *rows, const struct point *point,
				     const char *name, const char *other)
{
	const json_t *first = json_object_get(rows->first, point->id);

	for (size_t i = first ? (size_t)json_integer_value(first) : rows->nr; i < rows->nr; i++) {
		const struct comparison *c = &rows->items[i];

		if (strcmp(c->new_cell->point->id, point->id))
			break;
		if (!strcmp(c->new_cell->backend, name) &&
		    (other ? !strcmp(c->other, other) : !c->other))
			return c;
	}
	return NULL;
}

/* All points of the group that have this back end, or this pair; returns how many rows. */
static size_t add_rows(struct table *table, const struct rows *rows,
		       const struct point_group *group, const struct compare_columns *columns,
		       const char *name, const char *other)
{
	const struct point_groups *groups = rows->layout->groups;
	const struct compare *compare = rows->layout->compare;
	char value[PARAMETER_TEXT_MAX], heading[256];
	size_t nr = 0;

	for (size_t i = 0; i < group->nr_points; i++) {
		const struct point *point = groups->points[group->points[i]];
		const struct comparison *c = find(rows, point, name, other);

		if (!c || (other && !compare_ratio_shown(compare, c)))
			continue;
		if (!other && rows->layout->shown && !rows->layout->shown[c - compare->comparisons])
			continue;
		if (!nr++) {
			snprintf(heading, sizeof(heading), "%s%s%s", name, other ? " / " : "",
				 other ? other : "");
			table_heading(table, 0, "", heading);
		}
		table_row(table);
		table_cell(table, "%s", parameter_text(groups->row, point, value));
		columns->cells(table, compare, c);
	}
	return nr;
}

struct table *compare_rows(const struct compare_layout *layout, size_t group, bool ratios,
			   const struct compare_columns *columns, size_t *nr_rows)
{
	const struct point_group *points = &layout->groups->groups[group];
	const struct compare *compare = layout->compare;
	const struct rows rows = {layout, ratios ? compare->ratios : compare->comparisons,
				  ratios ? compare->nr_ratios : compare->nr,
				  ratios ? layout->ratios : layout->comparisons};
	struct table *table = table_new();

	*nr_rows = 0;
	table_column(table, layout->groups->row_title, ALIGN_RIGHT);
	for (const char *const *title = columns->titles; *title; title++)
		table_column(table, *title, ALIGN_RIGHT);
	for (size_t i = 0; i < layout->nr_names; i++) {
		if (!ratios)
			*nr_rows += add_rows(table, &rows, points, columns, layout->names[i], NULL);
		for (size_t k = i + 1; ratios && k < layout->nr_names; k++)
			*nr_rows += add_rows(table, &rows, points, columns, layout->names[i],
					     layout->names[k]);
	}
	return table;
}
