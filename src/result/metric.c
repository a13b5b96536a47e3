// SPDX-License-Identifier: MIT
/*
 * See metric.h. A process's median needs no least number of samples: it is an observation, and how
 * far it is off shows between processes. A percentile above it says something of the process's own
 * samples, and is only known where there are enough.
 */
#include "result/metric.h"

#include "result/document.h"
#include "result/harm_figures.h"
#include "stats/histogram.h"
#include "stats/order.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FIGURE(field) offsetof(struct process_figures, field)

const struct metric metrics[NR_METRICS] = {
	{"p50", "median of a read", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(p50_ns)},
	{"p90", "90th percentile of a read", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(p90_ns)},
	{"p99", "99th percentile of a read", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(p99_ns)},
	{"p999", "99.9th percentile of a read", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(p999_ns)},
	{"max", "slowest read", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(max_ns)},
	{"mean", "mean of a read", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(mean_ns)},
	{"rate", "reads of one reader", "reads/s", UNIT_COUNT, BETTER_HIGHER, FIGURE(rate)},
	{"hierarchical", "hierarchical rows of a read", "ns", UNIT_TIME, BETTER_LOWER,
	 FIGURE(hierarchical_ns)},
	{"local", "local rows of a read", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(local_ns)},
	{"format", "formatting of a read", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(format_ns)},
	{"update", "charge of a page", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(update_ns)},
	{"update_p99", "99th percentile of a charge timed alone", "ns", UNIT_TIME, BETTER_LOWER,
	 FIGURE(update_p99_ns)},
	{"update_huge", "charge of a huge page", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(huge_ns)},
	{"update_lru", "move between lists", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(lru_ns)},
	{"update_migrate", "move between nodes", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(migrate_ns)},
	{"writer", "update under load", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(writer_ns)},
	{"throughput", "updates of all writers", "updates/s", UNIT_COUNT, BETTER_HIGHER,
	 FIGURE(throughput)},
	{"create", "creation of a memcg", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(create_ns)},
	{"remove", "removal of a memcg", "ns", UNIT_TIME, BETTER_LOWER, FIGURE(remove_ns)},
	{"late", "99th percentile of how late a thread on the reader's CPU wakes", "ns", UNIT_TIME,
	 BETTER_LOWER, FIGURE(late_ns)},
	{"charges", "charges of tasks while reads run", "pages/s", UNIT_COUNT, BETTER_HIGHER,
	 FIGURE(charges)},
	{"error", "error of a read", "pages", UNIT_COUNT, BETTER_LOWER, FIGURE(error_pages)},
	{"memory", "memory of the counters", "bytes", UNIT_BYTES, BETTER_LOWER,
	 FIGURE(memory_bytes)},
};

const struct metric *metric_find(const char *name, size_t length)
{
	for (size_t i = 0; i < NR_METRICS; i++) {
		if (strlen(metrics[i].name) == length && !memcmp(metrics[i].name, name, length))
			return &metrics[i];
	}
	return NULL;
}

const char *metric_text(const struct metric *metric, double value, char buffer[UNIT_TEXT_MAX])
{
	size_t length;

	if (metric->kind == UNIT_TIME)
		return unit_format_time(buffer, value);
	if (metric->kind == UNIT_BYTES)
		return unit_format_bytes(buffer, value);
	unit_format_count(buffer, value);
	length = strlen(buffer);
	if (!isnan(value))
		snprintf(buffer + length, UNIT_TEXT_MAX - length, " %s", metric->unit);
	return buffer;
}

static double percentile(const struct histogram *latency, double q)
{
	return histogram_count(latency) < samples_needed(q) ? NAN
							    : histogram_quantile_ns(latency, q);
}

void process_figures_from_result(const json_t *result, const struct histogram *latency,
				 struct process_figures *figures)
{
	double mean = histogram_mean_ns(latency);

	*figures = (struct process_figures){
		.p50_ns = json_number_at(result, "latency.median_ns"),
		.p90_ns = NAN,
		.p99_ns = NAN,
		.p999_ns = NAN,
		.max_ns = NAN,
		.mean_ns = mean,
		.rate = mean > 0 ? 1e9 / mean : NAN,
		.hierarchical_ns = json_number_at(result, "parts.hierarchical_ns"),
		.local_ns = json_number_at(result, "parts.local_ns"),
		.format_ns = json_number_at(result, "parts.format_ns"),
		.update_ns = json_number_at(result, "update.median_ns"),
		.update_p99_ns = json_number_at(result, "update.kinds.page.p99_ns"),
		.huge_ns = json_number_at(result, "update.kinds.huge.median_ns"),
		.lru_ns = json_number_at(result, "update.kinds.lru.median_ns"),
		.migrate_ns = json_number_at(result, "update.kinds.migrate.median_ns"),
		.writer_ns = json_number_at(result, "writers.median_ns"),
		.throughput = json_number_at(result, "writers.updates_per_s"),
		.create_ns = json_number_at(result, "churn.create_ns"),
		.remove_ns = json_number_at(result, "churn.remove_ns"),
		.age_ns = json_number_at(result, "under_load.age.median_ns"),
		.width_pages = json_number_at(result, "under_load.width_pages.median"),
		.late_ns = harm_late_p99_of(result),
		.charges = harm_charges_of(result),
		.error_pages = json_number_at(result, "error.pages"),
		.memory_bytes = json_number_at(result, "memory.bytes"),
	};
	/* The mean of a batch hides what its slowest read took. */
	if (json_number_at(result, "sampling.reads_per_sample") > 1)
		return;
	figures->p90_ns = percentile(latency, 0.9);
	figures->p99_ns = percentile(latency, 0.99);
	figures->p999_ns = percentile(latency, 0.999);
	figures->max_ns = histogram_quantile_ns(latency, 1);
}
