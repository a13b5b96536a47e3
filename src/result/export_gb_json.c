// SPDX-License-Identifier: MIT
/*
 * Google Benchmark's JSON, as its compare.py and everything made for it reads. An entry's time is
 * the mean of all reads of one process, which is what the library means by it, and an "iteration"
 * is one process: U tests are over processes. Other figures are counters.
 *
 * All keys of the library that say something here are there. A process's CPU time of a read is not
 * measured; compare.py insists on one, so it is the same as the real time, and the context says so.
 */
#include "result/document.h"
#include "result/export_cells.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gb_export {
	const struct run_dir *dir;
	json_t *benchmarks;
	json_int_t family;
	int64_t started; /* of the first process; -1: not known */
	char *flags; /* of the build, by the first process that says them */
};

enum statistic {
	STATISTIC_MEAN,
	STATISTIC_MEDIAN,
	STATISTIC_STDDEV,
	STATISTIC_CV,
	NR_STATISTICS
};
static const char *const statistic_names[] = {"mean", "median", "stddev", "cv"};

/* Takes over `value`. */
static void put(json_t *o, const char *key, json_t *value, int *failed)
{
	if (json_object_set_new(o, key, value) < 0)
		*failed = 1;
}

static void put_number(json_t *o, const char *key, double value, int *failed)
{
	if (isfinite(value))
		put(o, key, json_real(value), failed);
}

static size_t nr_counters(void)
{
	return NR_METRICS + nr_count_names;
}

/* Counter `i` of a process: the metrics, then the operation counts. */
static double counter_value(size_t i, const struct export_process *process)
{
	char path[64];

	if (i < NR_METRICS)
		return metric_of(&metrics[i], &process->figures);
	snprintf(path, sizeof(path), "counts.%s", count_names[i - NR_METRICS].name);
	return export_number(process->result, path);
}

static const char *counter_name(size_t i, char buffer[EXPORT_FIGURE_MAX])
{
	if (i < NR_METRICS)
		return export_figure_name(&metrics[i], buffer);
	return count_names[i - NR_METRICS].name;
}

/* The time itself is no counter. */
static bool is_time(size_t i)
{
	return i < NR_METRICS && metrics[i].offset == offsetof(struct process_figures, mean_ns);
}

static json_t *begin_entry(const struct gb_export *export, const char *name, const char *suffix,
			   const char *type, int *failed)
{
	json_t *o = json_object();
	char *full;

	if (asprintf(&full, "%s%s", name, suffix) < 0) {
		*failed = 1;
		return o;
	}
	put(o, "name", json_string(full), failed);
	put(o, "family_index", json_integer(export->family), failed);
	put(o, "per_family_instance_index", json_integer(0), failed);
	put(o, "run_name", json_string(name), failed);
	put(o, "run_type", json_string(type), failed);
	free(full);
	return o;
}

static void put_times(json_t *o, double time, int *failed)
{
	put(o, "real_time", json_real(time), failed);
	put(o, "cpu_time", json_real(time), failed);
	put(o, "time_unit", json_string("ns"), failed);
}

/* One process. */
static json_t *iteration(const struct gb_export *export, const char *name,
			 const struct export_cell *cell, const struct export_process *process,
			 json_int_t repetitions)
{
	char buffer[EXPORT_FIGURE_MAX];
	int failed = 0;
	json_t *o = begin_entry(export, name, "", "iteration", &failed);

	put(o, "repetitions", json_integer(repetitions), &failed);
	put(o, "repetition_index", json_integer((json_int_t)process->repetition - 1), &failed);
	put(o, "threads", json_integer(cell->point->read.readers), &failed);
	put(o, "iterations",
	    json_integer(json_integer_value(json_at(process->result, "sampling.reads"))), &failed);
	put_times(o, process->figures.mean_ns, &failed);
	for (size_t i = 0; i < nr_counters(); i++)
		if (!is_time(i))
			put_number(o, counter_name(i, buffer), counter_value(i, process), &failed);
	put(o, "label", json_string(cell->point->id), &failed);
	if (!failed)
		return o;
	json_decref(o);
	return NULL;
}

/* Over values[0..nr), nr >= 2, as the library's statistics.cc defines them; sorts. */
static double statistic_of(enum statistic statistic, double *values, size_t nr)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < nr; i++)
		mean += values[i] / (double)nr;
	if (statistic == STATISTIC_MEAN)
		return mean;
	if (statistic == STATISTIC_MEDIAN)
		return median(values, nr);
	for (size_t i = 0; i < nr; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	squares = sqrt(squares / (double)(nr - 1));
	return statistic == STATISTIC_STDDEV ? squares : squares / mean;
}

/* NAN where not all processes have the counter. */
static double aggregate_of(enum statistic statistic, size_t counter, const struct export_cell *cell,
			   double *room)
{
	size_t nr = 0;

	for (size_t i = 0; i < cell->nr; i++) {
		if (cell->processes[i].reason)
			continue;
		room[nr] = counter_value(counter, &cell->processes[i]);
		if (!isfinite(room[nr++]))
			return NAN;
	}
	return statistic_of(statistic, room, nr);
}

static json_t *aggregate(const struct gb_export *export, const char *name,
			 const struct export_cell *cell, enum statistic statistic, size_t good,
			 double *room)
{
	char suffix[16], buffer[EXPORT_FIGURE_MAX];
	int failed = 0;
	json_t *o;

	snprintf(suffix, sizeof(suffix), "_%s", statistic_names[statistic]);
	o = begin_entry(export, name, suffix, "aggregate", &failed);
	put(o, "repetitions", json_integer((json_int_t)good), &failed);
	put(o, "threads", json_integer(cell->point->read.readers), &failed);
	put(o, "aggregate_name", json_string(statistic_names[statistic]), &failed);
	put(o, "aggregate_unit", json_string(statistic == STATISTIC_CV ? "percentage" : "time"),
	    &failed);
	put(o, "iterations", json_integer((json_int_t)good), &failed);
	for (size_t i = 0; i < nr_counters(); i++)
		if (is_time(i))
			put_times(o, aggregate_of(statistic, i, cell, room), &failed);
	for (size_t i = 0; i < nr_counters(); i++)
		if (!is_time(i))
			put_number(o, counter_name(i, buffer),
				   aggregate_of(statistic, i, cell, room), &failed);
	put(o, "label", json_string(cell->point->id), &failed);
	if (!failed)
		return o;
	json_decref(o);
	return NULL;
}

static int note_build(struct gb_export *export, const json_t *result)
{
	const char *started = json_string_value(json_object_get(result, "started_at"));
	const char *flags = json_string_value(json_at(result, "build.flags"));
	int64_t seconds = started ? record_time_parse(started) : -1;

	if (seconds >= 0 && (export->started < 0 || seconds < export->started))
		export->started = seconds;
	if (flags && !export->flags) {
		export->flags = strdup(flags);
		if (!export->flags)
			return -ENOMEM;
	}
	return 0;
}

static int visit(void *arg, const struct export_cell *cell, struct error *err)
{
	struct gb_export *export = arg;
	char *name = export_name(cell->point, cell->backend);
	double *room = calloc(cell->nr, sizeof(*room));
	json_int_t repetitions =
		json_integer_value(json_at(export->dir->run, "identity.repetitions"));
	size_t good = 0;
	int r = name && room ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < cell->nr; i++) {
		const struct export_process *process = &cell->processes[i];

		if (process->reason)
			continue;
		good++;
		r = note_build(export, process->result);
		if (!r &&
		    json_array_append_new(export->benchmarks,
					  iteration(export, name, cell, process, repetitions)) < 0)
			r = -ENOMEM;
	}
	for (unsigned i = 0; !r && good > 1 && i < NR_STATISTICS; i++)
		if (json_array_append_new(export->benchmarks,
					  aggregate(export, name, cell, i, good, room)) < 0)
			r = -ENOMEM;
	export->family++;
	free(name);
	free(room);
	return r;
}

static json_t *copy_of(const json_t *json, const char *path)
{
	json_t *value = json_at(json, path);

	return value ? json_incref(value) : json_null();
}

/* What the library says of itself, and what identifies the run. No host name: these files are
 * mailed; the key is one that readers may expect. */
static json_t *context_of(const struct gb_export *export, const struct export_tally *tally)
{
	const json_t *run = export->dir->run;
	json_t *load = json_at(run, "context.load");
	bool debug = export->flags && strstr(export->flags, "optimization=0");
	char when[RECORD_TIME_MAX];
	json_t *o = json_object();
	int failed = 0;

	put(o, "date", json_string(record_time_text(export->started, when)), &failed);
	put(o, "host_name", json_string(""), &failed);
	put(o, "executable", json_string("memcgbench"), &failed);
	put(o, "num_cpus", copy_of(run, "context.online_cpus"), &failed);
	put(o, "caches", json_array(), &failed);
	put(o, "load_avg", json_is_array(load) ? json_incref(load) : json_array(), &failed);
	put(o, "library_build_type", json_string(debug ? "debug" : "release"), &failed);
	put(o, "json_schema_version", json_integer(1), &failed);
	put(o, "scenario", copy_of(run, "identity.scenario"), &failed);
	put(o, "title", copy_of(run, "title"), &failed);
	put(o, "run_label", copy_of(run, "label"), &failed);
	put(o, "build_id", copy_of(run, "identity.build_id"), &failed);
	put(o, "host_class", copy_of(run, "identity.host_class"), &failed);
	put(o, "kernel", copy_of(run, "context.kernel"), &failed);
	put(o, "failed_processes", json_integer((json_int_t)tally->failed), &failed);
	put(o, "real_time", json_string("mean of all reads of one process"), &failed);
	put(o, "cpu_time", json_string("not measured: the same as real_time"), &failed);
	if (!failed)
		return o;
	json_decref(o);
	return NULL;
}

/* Arrays of arrays are not in this format: one line for each key, as the library indents. */
static int print(json_t *document, FILE *out)
{
	if (json_dumpf(document, out, JSON_INDENT(2)) < 0 || fputc('\n', out) == EOF)
		return -EIO;
	return 0;
}

int export_gb_json(const struct run_dir *dir, const struct export_selection *selection, FILE *out,
		   struct export_tally *tally, struct error *err)
{
	struct gb_export export = {.dir = dir, .benchmarks = json_array(), .started = -1};
	json_t *document = NULL;
	int r = export.benchmarks ? 0 : error_set(err, -ENOMEM, "out of memory");

	if (!r)
		r = export_each_cell(dir, selection, visit, &export, tally, err);
	tally->written = json_array_size(export.benchmarks);
	if (!r && !tally->written)
		r = error_set_at(err, -ENODATA, dir->path, 0, 0, "nothing was measured%s%s",
				 tally->failed ? ": " : "", tally->first_failed);
	if (!r) {
		document = json_pack("{s:o, s:O}", "context", context_of(&export, tally),
				     "benchmarks", export.benchmarks);
		r = document ? 0 : error_set(err, -ENOMEM, "out of memory");
	}
	if (!r && print(document, out))
		r = error_set(err, -EIO, "cannot write: %s", strerror(errno));
	json_decref(document);
	json_decref(export.benchmarks);
	free(export.flags);
	return r;
}
