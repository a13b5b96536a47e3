// SPDX-License-Identifier: MIT
/*
 * See compare.h. Pairs are looked for in lists sorted by point and back end, so that thousands of
 * points take no longer to match than to read.
 */
#include "verdict/compare.h"

#include "verdict/compare_parts.h"
#include "verdict/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cell_order(const struct record_cell *a, const struct record_cell *b)
{
	int order = strcmp(a->point->id, b->point->id);

	return order ? order : strcmp(a->backend, b->backend);
}

static int pointer_order(const void *a, const void *b)
{
	return cell_order(*(const struct record_cell *const *)a,
			  *(const struct record_cell *const *)b);
}

/* The cells of a record in order; the caller's to free. NULL: out of memory. */
static const struct record_cell **sorted_cells(const struct record *record)
{
	const struct record_cell **cells = calloc(record->nr_cells + 1, sizeof(const void *));

	if (!cells)
		return NULL;
	for (size_t i = 0; i < record->nr_cells; i++)
		cells[i] = &record->cells[i];
	qsort(cells, record->nr_cells, sizeof(const void *), pointer_order);
	return cells;
}

static const struct record_cell *find(const struct record_cell *const *sorted, size_t nr,
				      const struct record_cell *cell)
{
	const struct record_cell *const *found =
		bsearch(&cell, sorted, nr, sizeof(const void *), pointer_order);

	return found ? *found : NULL;
}

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
static int match(struct compare *compare, const struct record_cell *const *base,
		 const struct record_cell *const *new, size_t *nr_pairs)
{
	size_t nr_base = compare->base->nr_cells, nr_new = compare->new->nr_cells;
	int r = 0;

	for (size_t i = 0; !r && i < nr_new; i++) {
		const struct record_cell *cell = &compare->new->cells[i];
		const struct record_cell *other = find(base, nr_base, cell);

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
	for (size_t i = 0; i < nr_base; i++) {
		const struct record_cell *cell = &compare->base->cells[i];

		if (!find(new, nr_new, cell))
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
	const struct record_cell **base = sorted_cells(compare->base);
	const struct record_cell **new = sorted_cells(compare->new);
	size_t room = compare->base->nr_cells + compare->new->nr_cells + 1, pairs = 0;
	int r = base && new ? 0 : -ENOMEM;

	compare->comparisons = calloc(compare->new->nr_cells + 1, sizeof(*compare->comparisons));
	compare->unmatched = calloc(room, sizeof(*compare->unmatched));
	if (!compare->comparisons || !compare->unmatched)
		r = -ENOMEM;
	if (!r)
		r = match(compare, base, new, &pairs);
	free(base);
	free(new);
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
