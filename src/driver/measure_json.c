// SPDX-License-Identifier: MIT
/* See measure_json.h. */
#include "driver/measure_json.h"

#include "base/build.h"
#include "driver/locks.h"
#include "driver/truth_json.h"
#include "result/document.h"
#include "result/result.h"
#include "scenario/parameter.h"
#include "timing/gb_shim.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static const char *const placement_words[] = {
	[PLACEMENT_REAL] = "real",
	[PLACEMENT_FOLD] = "fold",
};

static const char *const mix_words[] = {
	[MIX_PAGE] = "page",       [MIX_HUGE] = "huge",   [MIX_LRU] = "lru",
	[MIX_MIGRATE] = "migrate", [MIX_MIXED] = "mixed",
};

static json_t *count_json(uint64_t value)
{
	return value == COUNT_UNKNOWN ? json_null() : json_integer((json_int_t)value);
}

static json_t *sampling_json(const struct measured *m, const struct point *point)
{
	const struct sampled *s = &m->sampled;
	uint64_t reads = m->sampling.samples * m->sampling.reads_per_sample * point->read.readers;

	/* clang-format off */
	return json_pack("{s:o, s:o, s:f, s:i, s:o, s:b, s:o, s:o, s:s, s:i, s:o, s:o, s:o, s:s?}",
			 "samples", count_json(m->sampling.samples),
			 "reads_per_sample", count_json(m->sampling.reads_per_sample),
			 "loop_ns", m->sampling.loop_ns,
			 "readers", (int)point->read.readers,
			 "reads", count_json(reads),
			 "pilot", (int)m->pilot,
			 "floor_ns", json_real_or_null(m->floor.median_ns),
			 "floor_p99_ns", json_real_or_null(m->floor.p99_ns),
			 "clock", s->manual_clock ? "manual" : "wall",
			 "tries", (int)s->tries,
			 "benchmark_mean_ns", json_real_or_null(s->benchmark_mean_ns),
			 "histogram_mean_ns", json_real_or_null(s->histogram_mean_ns),
			 "late", count_json(s->late),
			 "cold_method", s->cold_method);
	/* clang-format on */
}

static json_t *latency_json(const struct sampled *sampled)
{
	char *text = histogram_encode(sampled->latency);
	json_t *latency = NULL;

	if (text)
		latency = json_pack("{s:s, s:o}", "histogram", text, "median_ns",
				    json_real_or_null(sampled->median_ns));
	free(text);
	return latency;
}

static json_t *kinds_json(const struct update_kinds *kinds)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < NR_UPDATE_KINDS; i++) {
		const struct update_kind_cost *c = &kinds->kind[i];
		json_t *kind = json_null();

		/* clang-format off */
		if (c->updates)
			kind = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
					 "median_ns", json_real_or_null(c->median_ns),
					 "updates", count_json(c->updates),
					 "updates_per_sample", count_json(c->updates_per_sample),
					 "alone", count_json(c->alone),
					 "alone_median_ns", json_real_or_null(c->alone_median_ns),
					 "p99_ns", json_real_or_null(c->p99_ns),
					 "max_ns", json_real_or_null(c->max_ns));
		/* clang-format on */
		json_object_set_new(all, update_kind_names[i], kind);
	}
	return all;
}

/* No p99 of all: a sample is a batch, whose mean hides its slowest update. */
static json_t *update_json(const struct measured *m)
{
	const struct update_cost *cost = &m->update;

	if (!cost->updates)
		return json_null();
	return json_pack(
		"{s:o, s:n, s:o, s:o, s:o}", "median_ns", json_real_or_null(cost->median_ns),
		"p99_ns", "updates", count_json(cost->updates), "updates_per_sample",
		count_json(cost->updates_per_sample), "kinds", kinds_json(&m->update_kinds));
}

static json_t *cell_json(const struct cell_error *e, unsigned beyond, const struct point *point)
{
	char cell[CELL_NAME_MAX];

	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:i}", "pages", count_json(e->pages),
			 "bound_pages", count_json(e->bound), "cell",
			 cell_error_name(cell, e, point), "value", count_json(e->value), "truth",
			 count_json(e->truth), "cells_beyond_bound", (int)beyond);
}

static json_t *writers_json(const struct measured *m, const struct point *point)
{
	const struct writers_cost *c = &m->writers;
	json_t *cpus = json_array(), *each = json_array();

	if (!c->writers) {
		json_decref(cpus);
		json_decref(each);
		return json_null();
	}
	for (unsigned i = 0; i < c->writers; i++) {
		json_array_append_new(cpus, json_integer(c->share[i].os_cpu));
		json_array_append_new(each, json_real_or_null(c->share[i].updates_per_s));
	}
	/* clang-format off */
	return json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "writers", (int)c->writers,
			 "mix", mix_words[point->write.mix],
			 "updates", count_json(c->updates),
			 "updates_per_sample", count_json(c->updates_per_sample),
			 "median_ns", json_real_or_null(c->median_ns),
			 "p99_batch_ns", json_real_or_null(c->p99_batch_ns),
			 "updates_per_s", json_real_or_null(c->updates_per_s),
			 "updates_per_s_each", each,
			 "cpus", cpus,
			 "seconds", json_real_or_null(c->seconds),
			 "behind", count_json(c->behind),
			 "error", cell_json(&m->load_error, m->load_beyond_bound, point));
	/* clang-format on */
}

static json_t *churn_json(const struct measured *m, const struct point *point)
{
	const struct churn_cost *c = &m->churn;

	if (!c->any)
		return json_null();
	/* clang-format off */
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:i, s:o}",
			 "created", count_json(c->created),
			 "removed", count_json(c->removed),
			 "create_ns", json_real_or_null(c->create_ns),
			 "create_p99_ns", json_real_or_null(c->create_p99_ns),
			 "remove_ns", json_real_or_null(c->remove_ns),
			 "remove_p99_ns", json_real_or_null(c->remove_p99_ns),
			 "lingering", (int)c->lingering,
			 "pages", (int)c->pages,
			 "behind", count_json(c->behind),
			 "waits", count_json(c->waits),
			 "seconds", json_real_or_null(c->seconds),
			 "cpu", (int)c->os_cpu,
			 "error", cell_json(&m->load_error, m->load_beyond_bound, point));
	/* clang-format on */
}

static json_t *counts_json(const struct measured *m)
{
	const struct op_counts *c = &m->counts;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "loads_local",
		count_json(c->loads_local), "loads_hierarchical", count_json(c->loads_hierarchical),
		"memcgs_visited", count_json(c->memcgs_visited), "css_gets",
		count_json(c->css_gets), "atomics", count_json(c->atomics), "adds",
		count_json(c->adds), "items_scanned", count_json(c->items_scanned), "flushes",
		count_json(c->flushes), "text_bytes", count_json(c->text_bytes), "bytes_touched",
		count_json(m->bytes_touched), "shows", count_json(m->shows));
}

static json_t *error_json(const struct measured *m, enum numa_scope scope,
			  const struct point *point)
{
	if (!m->has_error[scope])
		return json_null();
	return cell_json(&m->error[scope], m->beyond_bound[scope], point);
}

static json_t *times_json(const struct measured *m)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "create_ns", count_json(m->create_ns), "verify_ns",
			 count_json(m->verify_ns), "populate_ns", count_json(m->populate_ns),
			 "count_ns", count_json(m->count_ns), "pilot_ns", count_json(m->pilot_ns),
			 "measure_ns", count_json(m->measure_ns), "parts_ns",
			 count_json(m->parts_ns), "update_ns", count_json(m->update_ns), "truth_ns",
			 count_json(m->truth_ns), "harm_ns", count_json(m->harm_ns), "destroy_ns",
			 count_json(m->destroy_ns), "total_ns", count_json(clock_now() - m->since));
}

static json_t *memory_json(const struct measured *m)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return json_pack("{s:o, s:o, s:o}", "bytes", count_json(m->bytes), "rss_peak_bytes",
			 count_json((uint64_t)usage.ru_maxrss * 1024), "estimate_bytes",
			 count_json(m->estimate_bytes));
}

static json_t *placement_json(const struct measured *m, const struct point *point)
{
	json_t *cpus = json_array();

	for (unsigned i = 0; i < point->read.readers; i++)
		json_array_append_new(cpus, json_integer(m->sampled.reader_cpus[i]));
	return json_pack("{s:s, s:O, s:o}", "asked", placement_words[point->machine.placement],
			 "found", m->placement_found, "reader_cpus", cpus);
}

static json_t *build_json(void)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "id", build_id(), "version", build_version(),
			 "compiler", build_compiler(), "flags", build_flags(), "benchmark",
			 gb_version());
}

static bool threads_share_cpus(const struct measured *m, const struct point *point)
{
	for (unsigned i = 0; i < m->writers.writers; i++) {
		unsigned cpu = m->writers.share[i].os_cpu;

		for (unsigned k = 0; k < point->read.readers; k++)
			if (m->sampled.reader_cpus[k] == cpu)
				return true;
		for (unsigned k = 0; k < i; k++)
			if (m->writers.share[k].os_cpu == cpu)
				return true;
	}
	return false;
}

/* Of a thread beside readers and writers. */
static bool on_cpu_of_others(const struct measured *m, const struct point *point, unsigned os_cpu)
{
	bool shares = false;

	for (unsigned i = 0; i < m->writers.writers; i++)
		shares |= m->writers.share[i].os_cpu == os_cpu;
	for (unsigned i = 0; i < point->read.readers; i++)
		shares |= m->sampled.reader_cpus[i] == os_cpu;
	return shares;
}

static void warn(json_t *warnings, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void warn(json_t *warnings, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	json_array_append_new(warnings, json_vsprintf(format, args));
	va_end(args);
}

/* What a reader of this result must know before trusting it, beside what the machine gives away. */
static void add_warnings(json_t *warnings, const struct measured *m, const struct point *point)
{
	json_int_t misplaced =
		json_integer_value(json_object_get(m->placement_found, "bytes_misplaced"));
	json_int_t unknown =
		json_integer_value(json_object_get(m->placement_found, "bytes_unknown"));

	if (unknown)
		warn(warnings, "%lld bytes lie nobody knows where (swapped out?)",
		     (long long)unknown);
	if (misplaced)
		warn(warnings, "%lld bytes lie on another node than asked", (long long)misplaced);
	if (m->beyond_bound[SCOPE_LOCAL] + m->beyond_bound[SCOPE_HIERARCHICAL] +
	    m->load_beyond_bound + m->consistency.rows_beyond + m->consistency.below_beyond)
		warn(warnings, "a cell is further from the truth than its bound allows");
	if ((point->read.cache == CACHE_COLD || point->read.spills) &&
	    m->sampled.median_ns < FLOORS_PER_SAMPLE * m->floor.median_ns)
		warn(warnings, "a %s read cannot be batched: the timer's floor is %.1f %% of it",
		     point->read.cache == CACHE_COLD ? "cold" : "hot",
		     100 * m->floor.median_ns / m->sampled.median_ns);
	if (point->read.cache == CACHE_COLD && point->read.readers > 1)
		warn(warnings, "readers make each other's caches cold while they read");
	if (m->sampled.tries > 1)
		warn(warnings, "a loop was disturbed and measured again");
	if (m->sampled.late)
		warn(warnings, "paced samples began after their time");
	if (m->churn.behind)
		warn(warnings, "memcgs were created after their time");
	if (m->churn.any && on_cpu_of_others(m, point, m->churn.os_cpu))
		warn(warnings, "who creates and removes memcgs shared its CPU with a reader or a "
			       "writer");
	if (m->writers.behind)
		warn(warnings, "paced updates began after their time");
	if (m->flusher.period_ns && !m->flusher.flushes)
		warn(warnings, "the flusher had no turn: the samples took less than half of its "
			       "period");
	if (m->flusher.late)
		warn(warnings, "periodic flushes began after their time");
	if (m->flusher.period_ns && on_cpu_of_others(m, point, m->flusher.os_cpu))
		warn(warnings, "the flusher shared its CPU with a reader or a writer");
	if (threads_share_cpus(m, point))
		warn(warnings, "readers and writers shared CPUs: they waited for each other, and "
			       "not only for the counters");
}

/* Between cold reads, evicting is nearly all that there is to count; spills are no reads either. */
static json_t *perf_json(const struct measured *m, const struct point *point)
{
	if (point->read.cache == CACHE_COLD || point->read.spills || !m->sampled.perf)
		return json_null();
	return json_incref(m->sampled.perf);
}

static int fill(json_t *result, const struct measured *m, const struct point *point,
		const struct machine *machine)
{
	json_t *context = machine_context(machine), *warnings = NULL;
	int r = 0;

	if (context)
		warnings = machine_warnings(machine, context);
	if (!warnings) {
		json_decref(context);
		return -1;
	}
	add_warnings(warnings, m, point);
	r |= json_object_set_new(result, "host_class", json_string(machine->host_class));
	r |= json_object_set_new(result, "context", context);
	r |= json_object_set_new(result, "warnings", warnings);
	r |= json_object_set_new(result, "build", build_json());
	r |= json_object_set_new(result, "placement", placement_json(m, point));
	r |= json_object_set_new(result, "sampling", sampling_json(m, point));
	r |= json_object_set_new(result, "latency", latency_json(&m->sampled));
	r |= json_object_set_new(result, "parts",
				 json_pack("{s:o, s:o, s:o, s:i}", "hierarchical_ns",
					   json_real_or_null(m->parts.hierarchical_ns), "local_ns",
					   json_real_or_null(m->parts.local_ns), "format_ns",
					   json_real_or_null(m->parts.format_ns), "samples",
					   (int)m->parts.samples));
	r |= json_object_set_new(result, "update", update_json(m));
	r |= json_object_set_new(result, "writers", writers_json(m, point));
	r |= json_object_set_new(result, "locks", json_incref(m->locks));
	r |= json_object_set_new(result, "flusher", flusher_json(&m->flusher));
	r |= json_object_set_new(result, "churn", churn_json(m, point));
	r |= json_object_set_new(result, "harm", harm_json(&m->harm));
	r |= json_object_set_new(result, "counts", counts_json(m));
	r |= json_object_set_new(result, "live", m->live ? json_incref(m->live) : json_null());
	r |= json_object_set_new(result, "error", error_json(m, SCOPE_HIERARCHICAL, point));
	r |= json_object_set_new(result, "local_error", error_json(m, SCOPE_LOCAL, point));
	r |= json_object_set_new(result, "under_load", probed_json(&m->probed, point));
	r |= json_object_set_new(result, "closure", closure_json(&m->consistency, point));
	r |= json_object_set_new(result, "inversion", inversion_json(&m->consistency, point));
	r |= json_object_set_new(result, "memory", memory_json(m));
	r |= json_object_set_new(result, "perf", perf_json(m, point));
	r |= json_object_set_new(result, "times", times_json(m));
	return r;
}

static const char *text_of(const json_t *request, const char *key)
{
	return json_string_value(json_object_get(request, key));
}

json_t *measured_to_json(const struct measured *m, const json_t *request, const struct point *point,
			 const struct machine *machine, struct error *err)
{
	json_int_t repetition = json_integer_value(json_object_get(request, "repetition"));
	const char *scenario = text_of(request, "scenario");
	json_t *values = point_to_json(point), *result;

	result = result_new(scenario ? scenario : "", text_of(request, "title"), point->id, values,
			    text_of(request, "backend"), (unsigned)repetition, NULL);
	json_decref(values);
	if (!result || fill(result, m, point, machine)) {
		json_decref(result);
		error_set(err, -ENOMEM, "out of memory for the result");
		return NULL;
	}
	return result;
}

void measured_fini(struct measured *measured)
{
	json_decref(measured->placement_found);
	json_decref(measured->locks);
	json_decref(measured->live);
	sampled_fini(&measured->sampled);
	writers_cost_fini(&measured->writers);
	harm_fini(&measured->harm);
}
