// SPDX-License-Identifier: MIT
/* See compare.h: what is held against what, and what is made of it as a whole. */
#include "verdict/compare.h"

#include "verdict/compare_parts.h"
#include "verdict/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The values of a metric that processes have; returns how many. */
static size_t values_of(const struct record_cell *cell, const struct metric *metric, double *values)
{
	size_t nr = 0;

	for (unsigned i = 0; i < cell->processes; i++) {
		double value = metric_of(metric, &cell->figures[i]);

		if (value == value)
			values[nr++] = value;
	}
	return nr;
}

static int compare_cells(struct comparison *comparison, const struct record_cell *base,
			 const struct record_cell *new, const struct compare_options *options)
{
	double *values = malloc((base->processes + new->processes + 1) * sizeof(*values));
	size_t nr_base, nr_new;
	int r;

	if (!values)
		return -ENOMEM;
	*comparison = (struct comparison){.base_cell = base, .new_cell = new};
	comparison->base.failed = base->failed;
	comparison->new.failed = new->failed;
	nr_base = values_of(base, options->metric, values);
	nr_new = values_of(new, options->metric, values + nr_base);
	r = compare_values(comparison, values, nr_base, values + nr_base, nr_new);
	free(values);
	return r;
}

static void add_unmatched(struct compare *compare, const struct record_cell *cell, bool in_base)
{
	compare->unmatched[compare->nr_unmatched++] = (struct unmatched){cell, in_base};
}

/* Pairs are compared as they are found; what is left over is kept, too. */
static int match(struct compare *compare, size_t *nr_pairs)
{
	const struct record *base = compare->base, *new = compare->new;
	int r = 0;

	for (size_t i = 0; !r && i < new->nr_cells; i++) {
		const struct record_cell *cell = &new->cells[i];
		const struct record_cell *other = record_find(base, cell->point->id, cell->backend);

		if (!other) {
			add_unmatched(compare, cell, false);
			continue;
		}
		++*nr_pairs;
		r = compare_counts(compare, other, cell);
		if (!r && compare->same_class)
			r = compare_cells(&compare->comparisons[compare->nr++], other, cell,
					  &compare->options);
	}
	for (size_t i = 0; i < base->nr_cells; i++) {
		const struct record_cell *cell = &base->cells[i];

		if (!record_find(new, cell->point->id, cell->backend))
			add_unmatched(compare, cell, true);
	}
	return r;
}

/* "4 points of numa_stat_10k (walk, cached)": what a side has, where nothing is common. */
static void say_side(const struct record *record, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%zu point%s of %.60s", record->nr_points,
				       record->nr_points == 1 ? "" : "s", record->scenario);
	const char *separator = " with ";

	for (size_t i = 0; i < record->nr_cells && used < size; i++) {
		size_t k = 0;

		while (k < i && strcmp(record->cells[k].backend, record->cells[i].backend))
			k++;
		if (k < i)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%.40s", separator,
					 record->cells[i].backend);
		separator = ", ";
	}
	if (record->nr_points && used < size)
		snprintf(text + used, size - used, " (the first: %s)", record->points[0].id);
}

static int nothing_common(const struct compare *compare, struct error *err)
{
	char base[300], new[300];

	say_side(compare->base, base, sizeof(base));
	say_side(compare->new, new, sizeof(new));
	return error_set(err, -ENODATA,
			 "no point and back end is on both sides: %.150s has %s; %.150s has %s",
			 compare->base->path, base, compare->new->path, new);
}

static int fill(struct compare *compare, struct error *err)
{
	size_t room = compare->base->nr_cells + compare->new->nr_cells + 1, pairs = 0;
	int r = 0;

	compare->comparisons = calloc(compare->new->nr_cells + 1, sizeof(*compare->comparisons));
	compare->unmatched = calloc(room, sizeof(*compare->unmatched));
	if (!compare->comparisons || !compare->unmatched)
		r = -ENOMEM;
	if (!r)
		r = match(compare, &pairs);
	if (!r && !pairs)
		return nothing_common(compare, err);
	if (!r)
		r = compare_judge(compare->comparisons, compare->nr, &compare->options);
	if (!r)
		r = compare_ratios(compare);
	if (!r)
		r = compare_families(compare);
	return r ? error_set(err, r, "out of memory") : 0;
}

static int decide(struct compare *compare, struct error *err)
{
	struct gate_failure *failures;
	size_t nr;

	if (compare->options.gate) {
		if (gate_failures(compare, &failures, &nr))
			return error_set(err, -ENOMEM, "out of memory");
		free(failures);
		compare->worse = nr > 0;
		return 0;
	}
	for (size_t i = 0; i < compare->nr; i++)
		compare->worse |= compare->comparisons[i].verdict == VERDICT_REGRESSION;
	return 0;
}

int compare_new(const struct record *base, const struct record *new,
		const struct compare_options *options, struct compare **out, struct error *err)
{
	struct compare *compare;
	bool same = !strcmp(base->host_class, new->host_class);
	int r;

	*out = NULL;
	if (!same && !options->gate)
		return error_set(err, -EXDEV,
				 "not the same class of host, nothing is compared: %.150s is of "
				 "\"%.200s\", %.150s of \"%.200s\"",
				 base->path, base->host_class, new->path, new->host_class);
	compare = calloc(1, sizeof(*compare));
	if (!compare)
		return error_set(err, -ENOMEM, "out of memory");
	compare->base = base;
	compare->new = new;
	compare->options = *options;
	compare->same_class = same;
	r = fill(compare, err);
	if (!r)
		r = decide(compare, err);
	if (r) {
		compare_free(compare);
		return r;
	}
	*out = compare;
	return 0;
}

void compare_free(struct compare *compare)
{
	if (!compare)
		return;
	free(compare->comparisons);
	free(compare->ratios);
	free(compare->counts);
	free(compare->families);
	free(compare->unmatched);
	free(compare);
}
