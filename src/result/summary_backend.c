// SPDX-License-Identifier: MIT
/*
 * See summary_backend.h. Samples of all processes are merged for percentiles; medians of processes
 * are kept apart, because processes, not samples, are the independent observations.
 *
 * What must agree between processes (operation counts) is compared and never averaged; of what may
 * not (error, placement) the worst is kept.
 */
#include "result/summary_backend.h"

#include "result/counts.h"
#include "result/document.h"
#include "result/record.h"
#include "scenario/target.h"
#include "stats/order.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const part_paths[PART_KINDS] = {
	[PART_HIERARCHICAL] = "parts.hierarchical_ns",
	[PART_LOCAL] = "parts.local_ns",
	[PART_FORMAT] = "parts.format_ns",
	[PART_UPDATE] = "update.median_ns",
	[PART_WRITER] = "writers.median_ns",
	[PART_WRITER_P99] = "writers.p99_batch_ns",
	[PART_THROUGHPUT] = "writers.updates_per_s",
	[PART_CREATE] = "churn.create_ns",
	[PART_CREATE_P99] = "churn.create_p99_ns",
	[PART_REMOVE] = "churn.remove_ns",
	[PART_REMOVE_P99] = "churn.remove_p99_ns",
};

int backend_merge_begin(struct backend_merge *merge, struct backend_summary *into, const char *name,
			unsigned repetitions)
{
	*merge = (struct backend_merge){.into = into, .room = repetitions};
	*into = (struct backend_summary){
		.p50_ns = NAN,
		.p90_ns = NAN,
		.p99_ns = NAN,
		.p999_ns = NAN,
		.max_ns = NAN,
		.median_ns = NAN,
		.ci_low_ns = NAN,
		.ci_high_ns = NAN,
		.ci_level = NAN,
		.hierarchical_ns = NAN,
		.local_ns = NAN,
		.format_ns = NAN,
		.update_ns = NAN,
		.update_ci_low_ns = NAN,
		.update_ci_high_ns = NAN,
		.writer_ns = NAN,
		.writer_p99_batch_ns = NAN,
		.updates_per_s = NAN,
		.floor_ns = NAN,
		.started = -1,
	};
	errors_summary_init(into);
	churn_summary_init(&into->churn);
	harm_summary_init(&into->harm);
	truth_summary_init(&into->truth);
	locks_summary_init(&into->locks);
	update_kinds_init(into->kinds);
	into->backend = strdup(name);
	into->latency = histogram_new();
	return into->backend && into->latency ? 0 : -ENOMEM;
}

void backend_summary_fini(struct backend_summary *summary)
{
	for (size_t i = 0; i < summary->nr_warnings; i++)
		free(summary->warnings[i]);
	free(summary->warnings);
	free(summary->backend);
	histogram_free(summary->latency);
	harm_summary_fini(&summary->harm);
	free(summary->process_median_ns);
	free(summary->figures);
	free(summary->repetition);
	free(summary->ratios);
	free(summary->placement_asked);
	json_decref(summary->placement_found);
	json_decref(summary->live);
	free(summary->cold_method);
}

static int grow(void **array, size_t size)
{
	void *grown = realloc(*array, size);

	if (grown)
		*array = grown;
	return grown ? 0 : -ENOMEM;
}

/* Room for one more process; for all repetitions, when the first shows that there are any. */
static int make_room(struct backend_merge *merge)
{
	struct backend_summary *into = merge->into;
	int r = 0;

	if (into->process_median_ns && into->processes < merge->room)
		return 0;
	if (into->processes >= merge->room)
		merge->room = 2 * into->processes;
	r |= grow((void **)&into->process_median_ns, merge->room * sizeof(double));
	r |= grow((void **)&into->figures, merge->room * sizeof(*into->figures));
	r |= grow((void **)&into->repetition, merge->room * sizeof(*into->repetition));
	r |= grow((void **)&into->ratios, merge->room * sizeof(*into->ratios));
	for (size_t i = 0; i < NR_MERGED_PARTS; i++)
		r |= grow((void **)&merge->parts[i], merge->room * sizeof(double));
	return r;
}

static int add_sampling(struct backend_summary *into, const json_t *result)
{
	const json_t *sampling = json_object_get(result, "sampling");
	uint64_t batch = json_whole_at(sampling, "reads_per_sample");
	const char *method = json_string_value(json_object_get(sampling, "cold_method"));
	double floor = json_number_at(sampling, "floor_ns");

	into->samples += json_whole_at(sampling, "samples") * json_whole_at(sampling, "readers");
	into->reads += json_whole_at(sampling, "reads");
	if (batch > into->reads_per_sample)
		into->reads_per_sample = batch;
	if (!(into->floor_ns >= floor)) /* the highest; NAN gives way */
		into->floor_ns = floor;
	if (method && !into->cold_method) {
		into->cold_method = strdup(method);
		if (!into->cold_method)
			return -ENOMEM;
	}
	return 0;
}

static int add_latency(struct backend_merge *merge, const json_t *result,
		       const struct histogram *latency)
{
	struct backend_summary *into = merge->into;

	process_figures_from_result(result, latency, &into->figures[into->processes]);
	for (size_t i = 0; i < NR_MERGED_PARTS; i++) {
		double part = i < PART_KINDS ? json_number_at(result, part_paths[i])
					     : update_kind_figure(result, i - PART_KINDS);

		if (!isnan(part))
			merge->parts[i][merge->nr_parts[i]++] = part;
	}
	into->process_median_ns[into->processes] = json_number_at(result, "latency.median_ns");
	into->repetition[into->processes] = (unsigned)json_whole_at(result, "repetition");
	return histogram_merge(into->latency, latency);
}

static void add_start(struct backend_summary *into, const json_t *result)
{
	const char *text = json_string_value(json_object_get(result, "started_at"));
	int64_t started = text ? record_time_parse(text) : -1;

	if (started >= 0 && (into->started < 0 || started < into->started))
		into->started = started;
}

static void add_counts(struct backend_summary *into, const json_t *result)
{
	const json_t *json = json_object_get(result, "counts");
	uint64_t touched = count_from_json(json, "bytes_touched");
	uint64_t shows = json_whole_at(json, "shows");
	struct op_counts counts = {0};

	if (!json_is_object(json))
		return;
	for (size_t i = 0; i < nr_count_names; i++)
		*count_field(&count_names[i], &counts) = count_from_json(json, count_names[i].name);
	if (!into->counted)
		into->counts = counts;
	else if (memcmp(&into->counts, &counts, sizeof(counts)))
		into->counts_differ = true;
	into->counted = true;
	if (shows > into->shows)
		into->shows = shows;
	if (touched > into->bytes_touched)
		into->bytes_touched = touched;
}

/* The same sentence, whatever the numbers in it: each process measures its own load. */
static bool same_but_for_numbers(const char *a, const char *b)
{
	for (;;) {
		while (isdigit((unsigned char)*a) || *a == '.')
			a++;
		while (isdigit((unsigned char)*b) || *b == '.')
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

static int add_warning(struct backend_summary *into, const char *sentence)
{
	char **grown;

	for (size_t i = 0; i < into->nr_warnings; i++) {
		if (same_but_for_numbers(into->warnings[i], sentence))
			return 0;
	}
	grown = realloc(into->warnings, (into->nr_warnings + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	into->warnings = grown;
	grown[into->nr_warnings] = strdup(sentence);
	if (!grown[into->nr_warnings])
		return -ENOMEM;
	into->nr_warnings++;
	return 0;
}

int backend_merge_add(struct backend_merge *merge, const json_t *result,
		      const struct histogram *latency)
{
	struct backend_summary *into = merge->into;
	const json_t *warning;
	size_t i;
	int r;

	r = make_room(merge);
	if (!r)
		r = add_sampling(into, result);
	if (!r)
		r = add_latency(merge, result, latency);
	if (!r)
		r = placement_summary_add(into, result);
	if (!r)
		r = locks_summary_add(&into->locks, result);
	if (!r)
		r = harm_summary_add(&into->harm, result);
	if (!r)
		r = live_summary_add(into, result);
	if (r)
		return r;
	add_start(into, result);
	update_kinds_worst(into->kinds, result);
	add_counts(into, result);
	errors_summary_add(into, result);
	churn_summary_add(&into->churn, result);
	truth_summary_add(&into->truth, result);
	into->updates_behind += json_whole_at(json_object_get(result, "writers"), "behind");
	json_array_foreach (json_object_get(result, "warnings"), i, warning) {
		r = add_warning(into, json_string_value(warning));
		if (r)
			return r;
	}
	into->processes++;
	return 0;
}

/* A percentile is reported only where the samples reach it; above the median, only where a sample
 * is one read: the mean of a batch hides what its slowest read took. */
static double percentile(const struct backend_summary *summary, double q)
{
	if (summary->samples < samples_needed(q) || (q > 0.5 && summary->reads_per_sample > 1))
		return NAN;
	return histogram_quantile_ns(summary->latency, q);
}

static int report_median(struct backend_summary *into)
{
	size_t bytes = into->processes * sizeof(double);
	struct median_interval interval;
	double *sorted = malloc(bytes);

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, into->process_median_ns, bytes);
	if (median_interval(sorted, into->processes, &interval)) {
		into->ci_low_ns = interval.low;
		into->ci_high_ns = interval.high;
		into->ci_level = interval.level;
	}
	into->median_ns = interval.median;
	free(sorted);
	return 0;
}

static void report_update(struct backend_merge *merge)
{
	struct backend_summary *into = merge->into;
	struct median_interval interval;

	if (!merge->nr_parts[PART_UPDATE])
		return;
	if (median_interval(merge->parts[PART_UPDATE], merge->nr_parts[PART_UPDATE], &interval)) {
		into->update_ci_low_ns = interval.low;
		into->update_ci_high_ns = interval.high;
	}
	into->update_ns = interval.median;
}

static int report(struct backend_merge *merge)
{
	struct backend_summary *into = merge->into;
	double *parts[] = {
		[PART_HIERARCHICAL] = &into->hierarchical_ns,
		[PART_LOCAL] = &into->local_ns,
		[PART_FORMAT] = &into->format_ns,
		[PART_UPDATE] = NULL, /* it has an interval, too */
		[PART_WRITER] = &into->writer_ns,
		[PART_WRITER_P99] = &into->writer_p99_batch_ns,
		[PART_THROUGHPUT] = &into->updates_per_s,
		[PART_CREATE] = &into->churn.create_ns,
		[PART_CREATE_P99] = &into->churn.create_p99_ns,
		[PART_REMOVE] = &into->churn.remove_ns,
		[PART_REMOVE_P99] = &into->churn.remove_p99_ns,
	};

	if (!into->processes)
		return 0;
	into->p50_ns = percentile(into, 0.5);
	into->p90_ns = percentile(into, 0.9);
	into->p99_ns = percentile(into, 0.99);
	into->p999_ns = percentile(into, 0.999);
	if (into->reads_per_sample == 1)
		into->max_ns = histogram_quantile_ns(into->latency, 1);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i] && merge->nr_parts[i])
			*parts[i] = median(merge->parts[i], merge->nr_parts[i]);
	}
	for (size_t i = PART_KINDS; i < NR_MERGED_PARTS; i++) {
		if (merge->nr_parts[i])
			*update_kind_field(into->kinds, i - PART_KINDS) =
				median(merge->parts[i], merge->nr_parts[i]);
	}
	report_update(merge);
	return report_median(into);
}

/* Processes that came in another order than their repetitions. */
static void sort_processes(struct backend_summary *into)
{
	for (unsigned i = 1; i < into->processes; i++) {
		struct process_figures figures = into->figures[i];
		double median_ns = into->process_median_ns[i];
		unsigned repetition = into->repetition[i], k = i;

		for (; k && into->repetition[k - 1] > repetition; k--) {
			into->repetition[k] = into->repetition[k - 1];
			into->process_median_ns[k] = into->process_median_ns[k - 1];
			into->figures[k] = into->figures[k - 1];
		}
		into->repetition[k] = repetition;
		into->process_median_ns[k] = median_ns;
		into->figures[k] = figures;
	}
}

int backend_merge_end(struct backend_merge *merge)
{
	int r;

	locks_summary_end(&merge->into->locks);
	harm_summary_end(&merge->into->harm);
	sort_processes(merge->into);
	r = report(merge);
	if (!r)
		r = truth_summary_end(merge->into);

	for (size_t i = 0; i < NR_MERGED_PARTS; i++)
		free(merge->parts[i]);
	return r;
}

double summary_memcgs(const struct point_summary *point)
{
	struct target_size size = target_size(&point->point);
	uint64_t memcgs = target_share(&point->point, &size);

	if (!memcgs)
		return NAN;
	/* Where they are below the root is drawn, and who reads less meets a share of them. */
	if (point->point.read.cgroup == TARGET_ROOT)
		memcgs += point->point.write.linger;
	return (double)memcgs;
}

double summary_error_percent(const struct backend_summary *summary)
{
	if (!(summary->error_truth > 0))
		return NAN;
	return 100 * summary->error_pages / summary->error_truth;
}

static struct ratio of_pairs(const struct backend_summary *numerator,
			     const struct backend_summary *denominator, bool difference)
{
	struct ratio ratio = {0, NAN, NAN, NAN, NAN};
	struct median_interval interval;
	double *ratios = numerator->ratios;

	/* both are in order of repetitions */
	for (size_t i = 0, k = 0; i < numerator->processes; i++) {
		while (k < denominator->processes &&
		       denominator->repetition[k] < numerator->repetition[i])
			k++;
		if (k < denominator->processes &&
		    denominator->repetition[k] == numerator->repetition[i] &&
		    (difference || denominator->process_median_ns[k] > 0)) {
			double a = numerator->process_median_ns[i];
			double b = denominator->process_median_ns[k];

			ratios[ratio.pairs++] = difference ? a - b : a / b;
		}
	}
	if (ratio.pairs && median_interval(ratios, ratio.pairs, &interval)) {
		ratio.low = interval.low;
		ratio.high = interval.high;
		ratio.level = interval.level;
	}
	if (ratio.pairs)
		ratio.median = interval.median;
	return ratio;
}

struct ratio summary_ratio(const struct backend_summary *numerator,
			   const struct backend_summary *denominator)
{
	return of_pairs(numerator, denominator, false);
}

struct ratio summary_difference(const struct backend_summary *numerator,
				const struct backend_summary *subtrahend)
{
	return of_pairs(numerator, subtrahend, true);
}
