// SPDX-License-Identifier: MIT
/* See compare_table_parts.h: footnotes, failures and what only one side has. */
#include "report/compare_side.h"
#include "report/compare_table_parts.h"
#include "report/compare_words.h"
#include "report/wrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define LISTED 20

static bool any(const struct compare *compare,
		bool (*test)(const struct compare *compare, const struct comparison *c))
{
	for (size_t i = 0; i < compare->nr; i++) {
		if (test(compare, &compare->comparisons[i]))
			return true;
	}
	return false;
}

static bool is_undecided(const struct compare *compare, const struct comparison *c)
{
	return c->verdict == VERDICT_UNDECIDED;
}

static bool is_small(const struct compare *compare, const struct comparison *c)
{
	return c->verdict == VERDICT_SMALL;
}

static bool is_same(const struct compare *compare, const struct comparison *c)
{
	return c->verdict == VERDICT_NO_DIFFERENCE;
}

static bool is_manifold(const struct compare *compare, const struct comparison *c)
{
	double change = comparison_change(c).estimate;

	return change >= 1 || change <= -0.9;
}

static bool without_interval(const struct compare *compare, const struct comparison *c)
{
	return c->verdict != VERDICT_NO_DATA && (isnan(c->base.low) || isnan(c->new.low));
}

static bool without_factor(const struct compare *compare, const struct comparison *c)
{
	return c->verdict != VERDICT_NO_DATA && isnan(c->factor.estimate);
}

static bool is_approximate(const struct compare *compare, const struct comparison *c)
{
	return c->verdict != VERDICT_NO_DATA && !c->exact;
}

static bool corrected_away(const struct compare *compare, const struct comparison *c)
{
	double alpha = compare->options.alpha;

	return c->p < alpha && c->q >= alpha;
}

/* The level of the first interval there is; levels depend on numbers of processes only. */
static double interval_level(const struct compare *compare)
{
	for (size_t i = 0; i < compare->nr; i++) {
		if (!isnan(compare->comparisons[i].factor.level))
			return compare->comparisons[i].factor.level;
	}
	return NAN;
}

static void print_change_notes(const struct compare *compare, FILE *out)
{
	double level = interval_level(compare);
	unsigned n[2];

	if (compare_same_n(compare, false, n))
		wrap_printf(out, COMPARE_INDENT, "  n", "%u + %u processes in every row", n[0],
			    n[1]);
	else
		wrap_print(out, COMPARE_INDENT, "  n", "processes on both sides");
	wrap_print(out, COMPARE_INDENT, "  base, new",
		   "medians of processes; +- is the larger side of the 95% interval (order "
		   "statistics)");
	if (any(compare, without_interval))
		wrap_print(out, COMPARE_INDENT, "  +- -",
			   "fewer than 6 processes give no interval of the median");
	if (isnan(level))
		wrap_print(out, COMPARE_INDENT, "  change", "of new against base (Hodges-Lehmann)");
	else
		wrap_printf(out, COMPARE_INDENT, "  change",
			    "of new against base (Hodges-Lehmann), and its %.1f%% interval: it "
			    "need not be the ratio of the medians",
			    100 * level);
	if (any(compare, is_manifold))
		wrap_print(out, COMPARE_INDENT, "  x2 /10", "twice base; a tenth of base");
	if (any(compare, without_factor))
		wrap_print(out, COMPARE_INDENT, "  zero",
			   "where values are not all above 0 the change is the shift by the median "
			   "of base, and +inf where that is 0");
}

static void print_verdict_notes(const struct compare *compare, FILE *out)
{
	double alpha = compare->options.alpha;
	char effect[CHANGE_TEXT_MAX];

	share_text(effect, compare->options.min_effect, " %");
	wrap_printf(out, COMPARE_INDENT, "  p",
		    "%srank test (Mann-Whitney). A change is one where the rate of false "
		    "discoveries over all %zu rows is below %g%s",
		    any(compare, is_approximate) ? "approximate " : "exact ", compare->nr, alpha,
		    any(compare, corrected_away)
			    ? ": p alone is not enough, as it would be for one "
			      "row"
			    : "");
	if (any(compare, is_undecided))
		wrap_printf(out, COMPARE_INDENT, "  ~ need",
			    "nothing is shown, and a change of %s is not ruled out: about so many "
			    "more processes on each side would tell (?: not known how many)",
			    effect);
	if (any(compare, is_same))
		wrap_printf(out, COMPARE_INDENT, "  ~ same",
			    "nothing is shown, and the interval holds no change of %s or more",
			    effect);
	if (any(compare, is_small))
		wrap_printf(out, COMPARE_INDENT, "  small", "there is a change, of less than %s",
			    effect);
}

void compare_notes_print(const struct compare *compare, FILE *out)
{
	print_change_notes(compare, out);
	print_verdict_notes(compare, out);
}

void compare_ratio_notes_print(const struct compare *compare, FILE *out)
{
	bool shown = false, moved = false, hidden = false;

	for (size_t i = 0; i < compare->nr_ratios; i++) {
		const struct comparison *ratio = &compare->ratios[i];

		shown |= compare_ratio_shown(compare, ratio);
		hidden |= ratio->verdict != VERDICT_NO_DATA && !compare_ratio_shown(compare, ratio);
		moved |= ratio->verdict >= VERDICT_IMPROVEMENT;
	}
	if (shown)
		wrap_print(out, COMPARE_INDENT, "  ratio",
			   "of processes of the same repetition, which ran close together: what "
			   "the machine did to both is not in it");
	if (moved)
		wrap_print(out, COMPARE_INDENT, "  1st, 2nd",
			   "which of the two moved the ratio: the one whose own time changed more");
	if (hidden)
		wrap_print(out, COMPARE_INDENT, "  more",
			   "--format json has the ratios of all pairs; here are those to the first "
			   "back end, and those that changed");
}

/* "walk at tree.memcgs 10k" */
static void print_pair(const struct compare_layout *layout, const struct record_cell *cell,
		       const char *rest, FILE *out)
{
	char *name = point_groups_name(layout->groups, cell->point);

	wrap_printf(out, 4, "  -", "%s%s%s (%s)%s", cell->backend, name && *name ? " at " : "",
		    name ? name : "", cell->point->id, rest);
	free(name);
}

static void print_one_sided(const struct compare_layout *layout, bool in_base, FILE *out)
{
	const struct compare *compare = layout->compare;
	size_t total = 0, shown = 0;

	for (size_t i = 0; i < compare->nr_unmatched; i++)
		total += compare->unmatched[i].in_base == in_base;
	if (!total)
		return;
	fprintf(out, "\nOnly in %s, and not compared: %zu\n", in_base ? "base" : "new", total);
	for (size_t i = 0; i < compare->nr_unmatched && shown < LISTED; i++) {
		if (compare->unmatched[i].in_base != in_base)
			continue;
		print_pair(layout, compare->unmatched[i].cell, "", out);
		shown++;
	}
	if (shown < total)
		fprintf(out, "  and %zu more, which --format json lists\n", total - shown);
}

static void print_failed(const struct compare_layout *layout, FILE *out)
{
	const struct record *sides[] = {layout->compare->base, layout->compare->new};
	size_t total = 0, cells = 0, shown = 0;
	char rest[64];

	for (unsigned s = 0; s < 2; s++) {
		for (size_t i = 0; i < sides[s]->nr_cells; i++) {
			total += sides[s]->cells[i].failed;
			cells += sides[s]->cells[i].failed > 0;
		}
	}
	if (!total)
		return;
	fprintf(out, "\nFailed repetitions: %zu\n", total);
	for (unsigned s = 0; s < 2; s++) {
		for (size_t i = 0; i < sides[s]->nr_cells && shown < LISTED; i++) {
			const struct record_cell *cell = &sides[s]->cells[i];

			if (!cell->failed)
				continue;
			snprintf(rest, sizeof(rest), ": %u in %s", cell->failed,
				 s ? "new" : "base");
			print_pair(layout, cell, rest, out);
			shown++;
		}
	}
	if (shown < cells)
		fprintf(out, "  and of %zu more pairs\n", cells - shown);
}

int compare_left_over_print(const struct compare_layout *layout, FILE *out)
{
	print_one_sided(layout, true, out);
	print_one_sided(layout, false, out);
	print_failed(layout, out);
	return ferror(out) ? -EIO : 0;
}
