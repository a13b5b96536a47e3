// SPDX-License-Identifier: MIT
/* See update_kinds.h. */
#include "result/update_kinds.h"

#include <math.h>
#include <stdio.h>

const char *const update_kind_names[NR_UPDATE_KINDS] = {
	[MIX_PAGE] = "page",
	[MIX_HUGE] = "huge",
	[MIX_LRU] = "lru",
	[MIX_MIGRATE] = "migrate",
};

static double figure_in(const json_t *result, unsigned kind, const char *field)
{
	const json_t *kinds = json_at(result, "update.kinds");

	return json_number_at(json_object_get(kinds, update_kind_names[kind]), field);
}

static double figure_of(const struct document *document, unsigned kind, const char *field)
{
	return figure_in(document->json, kind, field);
}

double update_kind_figure(const json_t *result, size_t figure)
{
	return figure_in(result, (unsigned)(figure / 2), figure % 2 ? "p99_ns" : "median_ns");
}

double *update_kind_field(struct update_kind_summary kinds[NR_UPDATE_KINDS], size_t figure)
{
	struct update_kind_summary *kind = &kinds[figure / 2];

	return figure % 2 ? &kind->p99_ns : &kind->median_ns;
}

void update_kinds_init(struct update_kind_summary kinds[NR_UPDATE_KINDS])
{
	for (unsigned kind = 0; kind < NR_UPDATE_KINDS; kind++)
		kinds[kind] = (struct update_kind_summary){NAN, NAN, NAN};
}

void update_kinds_worst(struct update_kind_summary kinds[NR_UPDATE_KINDS], const json_t *result)
{
	for (unsigned kind = 0; kind < NR_UPDATE_KINDS; kind++)
		kinds[kind].max_ns = fmax(kinds[kind].max_ns, figure_in(result, kind, "max_ns"));
}

static int fault_of(const struct document *document, unsigned kind, const char *field,
		    const char *words, struct error *err)
{
	char path[64];

	snprintf(path, sizeof(path), "update.kinds.%s%s%s", update_kind_names[kind],
		 *field ? "." : "", field);
	return document_fault(document, path, err, "%s", words);
}

static int check_kind(const struct document *document, unsigned kind, struct error *err)
{
	double updates = figure_of(document, kind, "updates");
	double batch = figure_of(document, kind, "updates_per_sample");
	double p99 = figure_of(document, kind, "p99_ns");

	if (updates < batch || fmod(updates, batch) > 0)
		return fault_of(document, kind, "updates",
				"are not a number of samples of updates_per_sample", err);
	if (p99 < figure_of(document, kind, "alone_median_ns"))
		return fault_of(document, kind, "p99_ns", "is less than the median", err);
	if (figure_of(document, kind, "max_ns") < p99)
		return fault_of(document, kind, "max_ns", "is less than p99_ns", err);
	return 0;
}

int update_kinds_check(const struct document *document, const struct point *point,
		       struct error *err)
{
	const json_t *kinds = json_at(document->json, "update.kinds");

	if (!json_is_object(kinds))
		return 0;
	if (json_is_object(json_object_get(kinds, "migrate")) != (point->machine.nodes > 1))
		return fault_of(document, MIX_MIGRATE, "",
				point->machine.nodes > 1 ? "is missing, though there are nodes"
							 : "is there, though there is one node",
				err);
	for (unsigned kind = 0; kind < NR_UPDATE_KINDS; kind++) {
		int r = 0;

		if (json_is_object(json_object_get(kinds, update_kind_names[kind])))
			r = check_kind(document, kind, err);
		if (r)
			return r;
	}
	return 0;
}

double update_kinds_least_ns(const struct document *document)
{
	double ns = 0;

	for (unsigned kind = 0; kind < NR_UPDATE_KINDS; kind++) {
		double batches = figure_of(document, kind, "median_ns") *
				 figure_of(document, kind, "updates") / 2;
		double alone = figure_of(document, kind, "alone_median_ns") *
			       figure_of(document, kind, "alone") / 2;

		ns += isnan(batches + alone) ? 0 : batches + alone;
	}
	return ns;
}
