// SPDX-License-Identifier: MIT
/* See compare_words.h: what came out, in the fewest words that are true. */
#include "report/compare_rows.h"
#include "report/compare_words.h"
#include "report/paragraph.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MOST 3 /* points that are named one by one */

/* How often each verdict was reached. */
struct tally_of_verdicts {
	size_t total, of[VERDICT_REGRESSION + 1];
	size_t needed; /* the most that any undecided one needs; 0: not known */
};

/* `backend` NULL: of all. */
static struct tally_of_verdicts tally(const struct compare *compare, const char *backend)
{
	struct tally_of_verdicts tally = {0};

	for (size_t i = 0; i < compare->nr; i++) {
		const struct comparison *c = &compare->comparisons[i];

		if (backend && strcmp(c->new_cell->backend, backend))
			continue;
		tally.total++;
		tally.of[c->verdict]++;
		if (c->needed > tally.needed)
			tally.needed = c->needed;
	}
	return tally;
}

static bool in_family(const struct comparison *c, const struct family *family)
{
	if (strcmp(c->new_cell->backend, family->backend) || c->verdict != family->verdict)
		return false;
	return !family->parameter || parameter_get(family->parameter, c->new_cell->point) ==
					     parameter_get(family->parameter, family->example);
}

static bool is_explained(const struct compare *compare, const struct comparison *c)
{
	for (size_t i = 0; i < compare->nr_families; i++) {
		if (in_family(c, &compare->families[i]))
			return true;
	}
	return false;
}

static const char *direction(enum verdict verdict)
{
	return verdict == VERDICT_REGRESSION ? "worse" : "better";
}

static void say_family(struct paragraph *p, const struct family *family, bool others)
{
	char value[PARAMETER_TEXT_MAX] = "", change[CHANGE_TEXT_MAX], many[64];
	const char *which = others ? "other " : "";

	if (family->changed == family->points)
		snprintf(many, sizeof(many), "all %zu %spoints", family->points, which);
	else
		snprintf(many, sizeof(many), "%zu of %zu %spoints", family->changed, family->points,
			 which);
	if (family->parameter)
		parameter_text(family->parameter, family->example, value);
	paragraph_printf(
		p, "; ", "%s at %s%s%s%s%s: %s", direction(family->verdict), many,
		family->parameter ? " with " : "", family->parameter ? family->parameter->name : "",
		family->parameter ? " " : "", value, change_text(change, family->factor - 1, " %"));
}

/* Changed points that no family speaks of. */
struct rest {
	size_t nr;
	double least, most; /* changes */
	const struct point *points[NAMED_MOST];
};

static struct rest rest_of(const struct compare *compare, const char *backend, enum verdict verdict)
{
	struct rest rest = {.least = NAN, .most = NAN};

	for (size_t i = 0; i < compare->nr; i++) {
		const struct comparison *c = &compare->comparisons[i];
		double change = comparison_change(c).estimate;

		if (strcmp(c->new_cell->backend, backend) || c->verdict != verdict ||
		    is_explained(compare, c))
			continue;
		if (rest.nr < NAMED_MOST)
			rest.points[rest.nr] = c->new_cell->point;
		rest.nr++;
		rest.least = fmin(rest.least, change);
		rest.most = fmax(rest.most, change);
	}
	return rest;
}

/* " (tree.memcgs 1k; tree.memcgs 10k)": few points are named, many are not. */
static void name_rest(struct paragraph *p, const struct compare_layout *layout,
		      const struct rest *rest)
{
	for (size_t i = 0; i < rest->nr && rest->nr <= NAMED_MOST; i++) {
		char *name = point_groups_name(layout->groups, rest->points[i]);

		paragraph_printf(p, i ? "; " : " ", "%s%s%s", i ? "" : "(",
				 name ? name : rest->points[i]->id, i + 1 == rest->nr ? ")" : "");
		free(name);
	}
}

static void say_rest(struct paragraph *p, const struct compare_layout *layout, const char *backend,
		     enum verdict verdict, size_t total)
{
	struct rest rest = rest_of(layout->compare, backend, verdict);
	char low[CHANGE_TEXT_MAX], high[CHANGE_TEXT_MAX];

	if (!rest.nr)
		return;
	change_text(low, rest.least, " %");
	change_text(high, rest.most, " %");
	if (total == 1) {
		paragraph_printf(p, "; ", "%s: %s", direction(verdict), low);
		return;
	}
	paragraph_printf(p, "; ", "%s at %zu of %zu points: %s%s%s", direction(verdict), rest.nr,
			 total, low, strcmp(low, high) ? " to " : "",
			 strcmp(low, high) ? high : "");
	name_rest(p, layout, &rest);
}

static void say_changed(struct paragraph *p, const struct compare_layout *layout,
			const char *backend, enum verdict verdict, size_t total)
{
	const struct compare *compare = layout->compare;
	bool others = false;

	for (size_t i = 0; i < compare->nr_families; i++) {
		const struct family *family = &compare->families[i];

		if (strcmp(family->backend, backend) || family->verdict != verdict)
			continue;
		say_family(p, family, others);
		others = true;
	}
	say_rest(p, layout, backend, verdict, total);
}

static void say_unchanged(struct paragraph *p, const struct compare *compare,
			  const struct tally_of_verdicts *t)
{
	char effect[CHANGE_TEXT_MAX];
	bool one = t->total == 1, all = t->of[VERDICT_NO_DIFFERENCE] == t->total;

	share_text(effect, compare->options.min_effect, " %");
	if (t->of[VERDICT_SMALL] && one)
		paragraph_printf(p, "; ", "changed by less than %s", effect);
	else if (t->of[VERDICT_SMALL])
		paragraph_printf(p, "; ", "%zu changed by less than %s", t->of[VERDICT_SMALL],
				 effect);
	if (all)
		paragraph_printf(p, "; ", "no change of %s or more%s", effect,
				 one ? "" : " at any point");
	else if (t->of[VERDICT_NO_DIFFERENCE])
		paragraph_printf(p, "; ", "%zu without a change of %s or more",
				 t->of[VERDICT_NO_DIFFERENCE], effect);
	if (t->of[VERDICT_UNDECIDED] && t->needed)
		paragraph_printf(p, "; ",
				 "%zu undecided (%zu more processes on each side would tell)",
				 t->of[VERDICT_UNDECIDED], t->needed);
	else if (t->of[VERDICT_UNDECIDED])
		paragraph_printf(p, "; ", "%zu undecided", t->of[VERDICT_UNDECIDED]);
	if (t->of[VERDICT_NO_DATA])
		paragraph_printf(p, "; ", "%zu without data", t->of[VERDICT_NO_DATA]);
}

static void say_all(struct paragraph *p, const struct compare *compare)
{
	struct tally_of_verdicts t = tally(compare, NULL);
	char effect[CHANGE_TEXT_MAX];

	share_text(effect, compare->options.min_effect, " %");
	if (t.of[VERDICT_REGRESSION])
		paragraph_printf(p, "; ",
				 "WORSE: %zu of %zu pairs of point and back end, by %s "
				 "or more",
				 t.of[VERDICT_REGRESSION], t.total, effect);
	if (t.of[VERDICT_IMPROVEMENT])
		paragraph_printf(p, "; ", "%s: %zu of %zu pairs of point and back end%s%s%s",
				 p->begun ? "better" : "BETTER", t.of[VERDICT_IMPROVEMENT], t.total,
				 p->begun ? "" : ", by ", p->begun ? "" : effect,
				 p->begun ? "" : " or more");
	if (p->begun)
		return;
	if (t.of[VERDICT_NO_DATA] == t.total)
		paragraph_printf(p, "", "NO DATA: no process has this metric on both sides");
	else if (t.of[VERDICT_UNDECIDED])
		paragraph_printf(p, "",
				 "NO CHANGE SHOWN; undecided: %zu of %zu pairs of point and back "
				 "end, with too few processes for their noise",
				 t.of[VERDICT_UNDECIDED], t.total);
	else
		paragraph_printf(p, "", "NO CHANGE of %s or more", effect);
}

static int finish(struct paragraph *p, const char *label,
		  void (*say)(void *arg, const char *label, const char *sentence), void *arg)
{
	bool good = p->out && !fclose(p->out);

	if (good)
		say(arg, label, p->text);
	free(p->text);
	return good ? 0 : -ENOMEM;
}

int compare_sentences(const struct compare *compare,
		      void (*say)(void *arg, const char *label, const char *sentence), void *arg)
{
	struct compare_layout layout;
	struct paragraph p;
	int r;

	if (!compare->nr)
		return 0;
	r = compare_layout_init(&layout, compare);
	if (!r) {
		paragraph_begin(&p);
		say_all(&p, compare);
		r = finish(&p, "verdict", say, arg);
	}
	for (size_t i = 0; !r && i < layout.nr_names; i++) {
		const char *backend = layout.names[i];
		struct tally_of_verdicts t = tally(compare, backend);

		if (!t.total)
			continue;
		paragraph_begin(&p);
		say_changed(&p, &layout, backend, VERDICT_REGRESSION, t.total);
		say_changed(&p, &layout, backend, VERDICT_IMPROVEMENT, t.total);
		say_unchanged(&p, compare, &t);
		r = finish(&p, backend, say, arg);
	}
	compare_layout_fini(&layout);
	return r;
}
