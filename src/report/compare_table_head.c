// SPDX-License-Identifier: MIT
/* See compare_table_parts.h: the block above the results. */
#include "report/compare_side.h"
#include "report/compare_table_parts.h"
#include "report/compare_words.h"
#include "report/wrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_MOST 3600 /* s: runs that begin further apart were not made side by side */
#define LISTED        20 /* failures that are shown */

static void print_metric(const struct compare *compare, FILE *out)
{
	const struct compare_options *options = &compare->options;
	char effect[CHANGE_TEXT_MAX];

	wrap_printf(out, COMPARE_INDENT, "metric",
		    "%s: %s, of each process; %s is better; a "
		    "change of less than %s does not matter",
		    options->metric->name, options->metric->title,
		    options->metric->better == BETTER_LOWER ? "less" : "more",
		    share_text(effect, options->min_effect, " %"));
}

/* Facts that are the same, then those that differ, one side below the other. */
static void print_sides(const struct compare *compare, FILE *out)
{
	char one[SIDE_TEXT_MAX], label[64];

	for (enum side_fact fact = 0; fact < NR_SIDE_FACTS; fact++) {
		const char *text = side_fact_text(compare->new, fact, one);

		if (side_fact_same(compare, fact) && text)
			wrap_print(out, COMPARE_INDENT, side_fact_name(fact), text);
	}
	for (unsigned side = 0; side < 2; side++) {
		const struct record *record = side ? compare->new : compare->base;
		const char *separator = "";
		char *line = NULL;
		size_t length;
		FILE *memory = open_memstream(&line, &length);

		for (enum side_fact fact = 0; memory && fact < NR_SIDE_FACTS; fact++) {
			const char *text = side_fact_text(record, fact, one);

			if (side_fact_same(compare, fact))
				continue;
			snprintf(label, sizeof(label), "%s ",
				 fact == SIDE_PATH ? "" : side_fact_name(fact));
			fprintf(memory, "%s%s%s", separator, fact == SIDE_PATH ? "" : label,
				text                 ? text
				: fact == SIDE_LABEL ? "none"
						     : "not known");
			separator = "; ";
		}
		if (memory && !fclose(memory) && *line)
			wrap_print(out, COMPARE_INDENT, side ? "new" : "base", line);
		free(line);
	}
}

void compare_warnings(const struct compare *compare, void (*say)(void *arg, const char *sentence),
		      void *arg)
{
	const struct record *base = compare->base, *new = compare->new;
	int64_t apart = base->started - new->started;

	if (!compare->same_class)
		say(arg, "the classes of the two hosts differ: no time is compared, only counts "
			 "and errors");
	if (base->started >= 0 && new->started >= 0 && llabs((long long)apart) > INTERVAL_MOST)
		say(arg, "the two runs began more than an hour apart: what the machine did in "
			 "between is in the difference, too; interleave runs to leave it out");
	if (side_fact_same(compare, SIDE_BUILD) && side_fact_same(compare, SIDE_KERNEL))
		say(arg, "build and kernel are the same on both sides: what differs is noise, or "
			 "something that is not recorded");
	if (!side_fact_same(compare, SIDE_BUILD) && !side_fact_same(compare, SIDE_KERNEL))
		say(arg, "both build and kernel differ: a change may come from either");
	if (base->seed == new->seed && side_fact_same(compare, SIDE_STARTED) &&
	    side_fact_same(compare, SIDE_PATH))
		say(arg, "it is the same run on both sides");
}

static void say_warning(void *arg, const char *sentence)
{
	wrap_print(arg, COMPARE_INDENT, "warning", sentence);
}

void compare_head_print(const struct compare_layout *layout, FILE *out)
{
	const struct compare *compare = layout->compare;

	print_metric(compare, out);
	print_sides(compare, out);
	point_groups_head(layout->groups, TERMINAL_COLUMNS, COMPARE_INDENT, out);
	compare_warnings(compare, say_warning, out);
}

int compare_gate_print(const struct compare_layout *layout, FILE *out)
{
	const struct compare *compare = layout->compare;
	struct gate_failure *failures;
	char *blind;
	size_t nr, i;

	if (gate_failures(compare, &failures, &nr))
		return -ENOMEM;
	if (nr)
		wrap_printf(out, COMPARE_INDENT, "gate", "FAILED: %zu fault%s", nr,
			    nr == 1 ? "" : "s");
	else
		wrap_printf(out, COMPARE_INDENT, "gate",
			    "passed: errors of %zu pairs of point and back end, operation counts "
			    "of %zu, ratios of %zu",
			    compare->new->nr_cells, compare->nr_counted, compare->nr_ratios);
	blind = gate_blind_text(compare);
	if (blind)
		wrap_print(out, COMPARE_INDENT, "", blind);
	free(blind);
	for (i = 0; i < nr && i < LISTED; i++) {
		char *text = gate_failure_text(compare, &failures[i]);
		char *name = point_groups_name(layout->groups, failures[i].cell->point);

		wrap_printf(out, 4, "  -", "%s%s%s: %s", failures[i].cell->backend,
			    name && *name ? " at " : "", name ? name : "",
			    text ? text : "(out of memory)");
		free(text);
		free(name);
	}
	if (i < nr)
		fprintf(out, "  and %zu more, which --format json lists\n", nr - i);
	free(failures);
	return 0;
}
