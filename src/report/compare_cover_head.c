// SPDX-License-Identifier: MIT
/* See compare_cover_parts.h: what was measured, on what. */
#include "report/compare_cover_parts.h"
#include "report/compare_report.h"
#include "report/compare_side.h"
#include "report/paragraph.h"

#include "memcg/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INDENT    11
#define SAID_MOST 12 /* trees and machines; that there are more is said */

uint32_t cover_tree_depth(const struct tree_description *tree)
{
	struct memcg_tree *made;
	uint64_t level = 1, filled = 0;
	uint32_t depth = 0;

	switch (tree->shape) {
	case TREE_FLAT:
		return 1;
	case TREE_CHAIN:
		return tree->memcgs;
	case TREE_BALANCED:
		while (filled < tree->memcgs) {
			level *= tree->fanout;
			filled += level;
			depth++;
			if (tree->fanout == 1)
				return tree->memcgs;
		}
		return depth;
	default:
		if (memcg_tree_new(tree, &made))
			return 0;
		depth = made->max_depth;
		memcg_tree_free(made);
		return depth;
	}
}

static void end(struct paragraph *p, const char *label, FILE *out)
{
	char text[32];

	snprintf(text, sizeof(text), "  %s", label);
	paragraph_end(p, COVER_COLUMNS, INDENT, text, out);
}

static void say(FILE *out, const char *label, const char *text)
{
	struct paragraph p;

	paragraph_begin(&p);
	paragraph_say(&p, "", "", text ? text : "not known");
	end(&p, label, out);
}

/* Kernel, host, and what tells the two sides apart. */
static void print_sides(const struct compare *compare, FILE *out)
{
	static const enum side_fact told[] = {SIDE_KERNEL, SIDE_LABEL, SIDE_BUILD, SIDE_STARTED};
	const struct record *sides[] = {compare->base, compare->new};
	char buffer[SIDE_TEXT_MAX];

	say(out, "CPU", compare->new->host_class);
	for (unsigned i = 0; i < 2; i++) {
		struct paragraph p;

		paragraph_begin(&p);
		for (size_t k = 0; k < sizeof(told) / sizeof(told[0]); k++) {
			const char *text = side_fact_text(sides[i], told[k], buffer);

			/* the kernel is said of both, whatever it is */
			if (told[k] != SIDE_KERNEL &&
			    (!text || (told[k] == SIDE_BUILD && side_fact_same(compare, told[k]))))
				continue;
			paragraph_say(&p, "; ", side_fact_name(told[k]), text ? text : "not known");
		}
		end(&p, i ? "after" : "before", out);
	}
}

static bool same_tree(const struct tree_description *a, const struct tree_description *b)
{
	return a->shape == b->shape && a->memcgs == b->memcgs && a->fanout == b->fanout &&
	       a->dying_ppm == b->dying_ppm && a->seed == b->seed && a->driver == b->driver &&
	       a->file_hash == b->file_hash;
}

/* Is it the first point with its tree, or (trees false) its number of nodes and CPUs? */
static bool is_new(const struct point_groups *groups, size_t index, bool trees)
{
	const struct point *point = groups->points[index];

	for (size_t i = 0; i < index; i++) {
		const struct point *other = groups->points[i];

		if (trees ? same_tree(&point->tree, &other->tree)
			  : point->machine.nodes == other->machine.nodes &&
				    point->machine.cpus == other->machine.cpus)
			return false;
	}
	return true;
}

static void print_trees(const struct point_groups *groups, FILE *out)
{
	struct paragraph p;
	size_t nr = 0;

	paragraph_begin(&p);
	for (size_t i = 0; i < groups->nr_points && nr <= SAID_MOST; i++) {
		const struct tree_description *tree = &groups->points[i]->tree;
		uint32_t dying = tree_dying(tree);
		char visible[UNIT_TEXT_MAX], dead[UNIT_TEXT_MAX];

		if (!is_new(groups, i, true))
			continue;
		if (nr++ == SAID_MOST) {
			paragraph_say(&p, ", ", "", "and more");
			break;
		}
		unit_format_exact(visible, UNIT_COUNT, tree->memcgs - dying);
		unit_format_exact(dead, UNIT_COUNT, dying);
		paragraph_printf(&p, ", ", "%s + %s (D=%u)", visible, dead, cover_tree_depth(tree));
	}
	end(&p, "memcgs", out);
	say(out, "", "M visible + dying, and the depth D of the tree");
}

static void print_machines(const struct point_groups *groups, FILE *out)
{
	struct paragraph p;
	size_t nr = 0;

	paragraph_begin(&p);
	for (size_t i = 0; i < groups->nr_points && nr <= SAID_MOST; i++) {
		const struct point *point = groups->points[i];

		if (!is_new(groups, i, false))
			continue;
		if (nr++ == SAID_MOST)
			paragraph_say(&p, "; ", "", "and more");
		else
			paragraph_printf(&p, "; ", "N=%u nodes, C=%u possible CPUs",
					 point->machine.nodes, point->machine.cpus);
	}
	end(&p, "model", out);
}

/* All parameters of a section that do not vary, so that nothing of how it was read is left out. */
static void print_section(const struct point_groups *groups, const char *section, FILE *out)
{
	static const char *const elsewhere[] = {"tree.memcgs",     "tree.dying",   "machine.nodes",
						"machine.cpus",    "read.samples", "read.time",
						"machine.node_ids"};
	size_t length = strlen(section);
	char value[PARAMETER_TEXT_MAX];
	struct paragraph p;

	paragraph_begin(&p);
	for (size_t i = 0; i < nr_parameters; i++) {
		const char *name = parameters[i].name;
		bool skip = strncmp(name, section, length) || groups->varies[i] ||
			    !point_groups_matters(groups, &parameters[i]);

		for (size_t k = 0; k < sizeof(elsewhere) / sizeof(elsewhere[0]); k++)
			skip |= !strcmp(name, elsewhere[k]);
		if (skip)
			continue;
		parameter_text(&parameters[i], groups->points[0], value);
		if (!strcmp(name, "counters.batch"))
			paragraph_printf(&p, ", ", "batch B=%s", value);
		else
			paragraph_say(&p, ", ", name + length + 1, value);
	}
	end(&p, section, out);
}

int cover_head_print(const struct compare *compare, FILE *out)
{
	const struct metric *metric = compare->options.metric;
	struct compare_layout layout;
	struct paragraph p;
	int r = compare_layout_init(&layout, compare);

	if (!r) {
		paragraph_begin(&p);
		paragraph_say(&p, "", "",
			      compare->new->title ? compare->new->title : compare->new->scenario);
		paragraph_printf(&p, ": ", "%s (%s), before and after", metric->title,
				 metric->better == BETTER_LOWER ? "less is better"
								: "more is better");
		paragraph_end(&p, COVER_COLUMNS, 0, "", out);
		fputc('\n', out);
		print_sides(compare, out);
		print_machines(layout.groups, out);
		print_trees(layout.groups, out);
		print_section(layout.groups, "tree", out);
		print_section(layout.groups, "machine", out);
		print_section(layout.groups, "counters", out);
		print_section(layout.groups, "read", out);
		print_section(layout.groups, "write", out);
	}
	compare_layout_fini(&layout);
	return r;
}
