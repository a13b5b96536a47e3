// SPDX-License-Identifier: MIT
/*
 * See compare_parts.h: what points that changed have in common, as few sentences as possible. For
 * each back end and direction, the value of a parameter that explains most of what is left is taken
 * until none explains two points. A point is explained once: the next value is looked for among
 * the points without those of the values before it.
 */
#include "verdict/compare_parts.h"

#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* "Almost all" of a back end's points changed: the parameters do not matter. */
#define ALMOST_ALL (7.0 / 8)
/* A family's share of changed points, and that of the others, which must be clearly smaller. */
#define LEAST_SHARE 0.5
#define OTHERS_MOST 0.5 /* of the family's share */
/* Of one back end and direction. They come with the largest first; nobody reads more, and thousands
 * of points could make thousands, each of them a search through all. */
#define FAMILIES_MOST 8

struct member {
	const struct comparison *comparison;
	bool changed, explained;
	uint64_t value; /* of the parameter that is looked at */
};

struct search {
	struct compare *compare;
	const char *backend;
	enum verdict verdict;
	size_t nr;
	struct member *members; /* of the back end, with a verdict */
	struct member **sorted; /* [nr], by value */
	double *factors; /* [nr] */
};

struct candidate {
	const struct parameter *parameter;
	uint64_t value;
	size_t changed, points;
};

static int by_value(const void *a, const void *b)
{
	const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;

	return (x->value > y->value) - (x->value < y->value);
}

static void count_left(const struct search *search, size_t *changed, size_t *points)
{
	*changed = *points = 0;
	for (size_t i = 0; i < search->nr; i++) {
		if (search->members[i].explained)
			continue;
		*changed += search->members[i].changed;
		++*points;
	}
}

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->changed != b->changed)
		return a->changed > b->changed;
	return a->points < b->points;
}

/* Does the value set its points apart from the others that are left? */
static bool explains(const struct candidate *candidate, size_t changed, size_t points)
{
	double inside = (double)candidate->changed / (double)candidate->points, outside;

	if (candidate->changed < 2 || candidate->points == points || inside < LEAST_SHARE)
		return false;
	outside = (double)(changed - candidate->changed) / (double)(points - candidate->points);
	return outside <= OTHERS_MOST * inside;
}

/* The best value of one parameter, if it beats what was found before. */
static void look_at(struct search *search, const struct parameter *parameter,
		    struct candidate *best)
{
	size_t left = 0, changed, points;
	bool varies = false;

	count_left(search, &changed, &points);
	for (size_t i = 0; i < search->nr; i++) {
		struct member *member = &search->members[i];

		if (member->explained)
			continue;
		member->value = parameter_get(parameter, member->comparison->new_cell->point);
		search->sorted[left++] = member;
		varies |= member->value != search->sorted[0]->value;
	}
	if (!varies)
		return;
	qsort(search->sorted, left, sizeof(const void *), by_value);
	for (size_t i = 0; i < left;) {
		struct candidate candidate = {parameter, search->sorted[i]->value, 0, 0};

		for (; i < left && search->sorted[i]->value == candidate.value; i++) {
			candidate.changed += search->sorted[i]->changed;
			candidate.points++;
		}
		if (explains(&candidate, changed, points) && is_better(&candidate, best))
			*best = candidate;
	}
}

static bool belongs(const struct member *member, const struct candidate *candidate)
{
	return !member->explained &&
	       (!candidate->parameter ||
		parameter_get(candidate->parameter, member->comparison->new_cell->point) ==
			candidate->value);
}

static int add_family(struct search *search, const struct candidate *candidate)
{
	struct compare *compare = search->compare;
	struct family *grown, family = {.backend = search->backend,
					.parameter = candidate->parameter,
					.verdict = search->verdict,
					.changed = candidate->changed,
					.points = candidate->points,
					.factor = NAN};
	size_t nr = 0;

	for (size_t i = 0; i < search->nr; i++) {
		struct member *member = &search->members[i];

		if (!belongs(member, candidate))
			continue;
		member->explained = true;
		family.example = member->comparison->new_cell->point;
		if (member->changed && !isnan(member->comparison->factor.estimate))
			search->factors[nr++] = member->comparison->factor.estimate;
	}
	if (nr)
		family.factor = median(search->factors, nr);
	grown = realloc(compare->families, (compare->nr_families + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	compare->families = grown;
	grown[compare->nr_families++] = family;
	return 0;
}

static int search_families(struct search *search)
{
	struct candidate all = {0};
	int r = 0;

	count_left(search, &all.changed, &all.points);
	if (all.points < 2 || all.changed < 2)
		return 0;
	if ((double)all.changed >= ALMOST_ALL * (double)all.points)
		return add_family(search, &all);
	for (unsigned nr = 0; !r && nr < FAMILIES_MOST; nr++) {
		struct candidate best = {0};

		for (size_t i = 0; i < nr_parameters; i++) {
			if (parameters[i].in_id && parameters[i].kind != PARAMETER_NIDS)
				look_at(search, &parameters[i], &best);
		}
		if (!best.changed)
			break;
		r = add_family(search, &best);
	}
	return r;
}

/* All comparisons of one back end that came to a verdict. */
static void gather(struct search *search)
{
	search->nr = 0;
	for (size_t i = 0; i < search->compare->nr; i++) {
		const struct comparison *c = &search->compare->comparisons[i];

		if (c->verdict != VERDICT_NO_DATA && !strcmp(c->new_cell->backend, search->backend))
			search->members[search->nr++] =
				(struct member){c, c->verdict == search->verdict, false, 0};
	}
}

/* Is it the first comparison of its back end? */
static bool is_first(const struct compare *compare, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (!strcmp(compare->comparisons[i].new_cell->backend,
			    compare->comparisons[index].new_cell->backend))
			return false;
	}
	return true;
}

int compare_families(struct compare *compare)
{
	static const enum verdict verdicts[] = {VERDICT_REGRESSION, VERDICT_IMPROVEMENT};
	struct search search = {.compare = compare};
	int r = 0;

	search.members = calloc(compare->nr + 1, sizeof(*search.members));
	search.sorted = calloc(compare->nr + 1, sizeof(const void *));
	search.factors = calloc(compare->nr + 1, sizeof(*search.factors));
	if (!search.members || !search.sorted || !search.factors)
		r = -ENOMEM;
	for (size_t i = 0; !r && i < compare->nr; i++) {
		if (!is_first(compare, i))
			continue;
		search.backend = compare->comparisons[i].new_cell->backend;
		for (size_t v = 0; !r && v < 2; v++) {
			search.verdict = verdicts[v];
			gather(&search);
			r = search_families(&search);
		}
	}
	free(search.members);
	free(search.sorted);
	free(search.factors);
	return r;
}
