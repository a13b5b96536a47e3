// SPDX-License-Identifier: MIT
/* See made_run.h. */
#include "made_run.h"

#include "backend/backend.h"
#include "base/rng.h"
#include "result/document.h"
#include "result/result.h"
#include "scenario/parameter.h"
#include "stats/histogram.h"
#include "stats/order.h"

#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define BUILD_ID   "0.1.0-made"
#define HOST_CLASS "made CPU, 1 socket, 1 node, 2 CPUs, virtual, cgroup v1"
#define FLOOR_NS   21.3
#define SAMPLES    20

const char *const made_yaml =
	"name: made\n"
	"title: Root memory.numa_stat in the presence of 10 000 memcgs\n"
	"tree: {shape: balanced, memcgs: [10, 100, 1k, 10k]}\n"
	"machine: {nodes: 2, cpus: 72, placement: fold}\n"
	"read: {cache: [hot, cold], samples: 20}\n"
	"backends: [walk, cached]\n"
	"repetitions: 10\n"
	"reference:\n"
	"  - {backend: walk, memcgs: 10k, time: 700ms, source: published somewhere}\n"
	"  - {backend: cached, memcgs: 10k, time: 1ms, bound: at_most, source: \"published, the "
	"floor of the clock\"}\n";

const char *const made_small_yaml = "name: small\n"
				    "tree: {memcgs: [10, 20]}\n"
				    "read: {samples: 20}\n"
				    "backends: [walk, cached]\n"
				    "repetitions: 3\n";

void made_run_begin(struct made_run *made, const char *yaml)
{
	struct scenario_options options = {0};
	struct error_list errors = {0};
	struct error err = {0};
	json_t *context;

	memset(made, 0, sizeof(*made));
	strcpy(made->root, "made-run-XXXXXX");
	assert_non_null(mkdtemp(made->root));
	snprintf(made->path, sizeof(made->path), "%s/run", made->root);
	if (scenario_parse("made.yaml", yaml, strlen(yaml), &options, &made->scenario, &errors))
		fail_msg("%s", errors.items[0].text);
	context = json_pack("{s:s, s:n, s:I, s:b}", "kernel", "6.1.0-made", "governor", "llc_bytes",
			    (json_int_t)(33 << 20), "smt", 0);
	made->document = run_document(made->scenario, 7, BUILD_ID, HOST_CLASS, context, NULL, NULL);
	json_decref(context);
	assert_non_null(made->document);
	if (run_dir_open(made->path, "unused", false, made->document, &made->dir, &err))
		fail_msg("%s: %s", err.file, err.text);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

void made_run_end(struct made_run *made)
{
	run_dir_free(made->dir);
	json_decref(made->document);
	scenario_free(made->scenario);
	nftw(made->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* What a read would take: 2 us a memcg for a walk, a constant for the other. */
static double read_ns(const struct point *point, bool walk)
{
	double ns = walk ? 2000.0 * (point->tree.memcgs + 1) : 7000;

	if (!walk && point->read.rows == ROWS_HIERARCHICAL)
		ns = 140;
	return point->read.cache == CACHE_COLD ? 1.4 * ns + 900 : ns;
}

/* Put samples into a result, with all that must agree with them. */
void made_samples(json_t *result, const uint64_t *ps, unsigned nr, uint64_t batch)
{
	json_t *sampling = json_object_get(result, "sampling");
	struct histogram *histogram = histogram_new();
	double *ns = calloc(nr, sizeof(*ns)), mean;
	char *text;

	assert_non_null(ns);
	for (unsigned i = 0; i < nr; i++) {
		assert_int_equal(histogram_record(histogram, ps[i]), 0);
		ns[i] = (double)ps[i] / 1000;
	}
	text = histogram_encode(histogram);
	mean = histogram_mean_ns(histogram);
	assert_non_null(text);
	json_object_set_new(
		result, "latency",
		json_pack("{s:s, s:f}", "histogram", text, "median_ns", median(ns, nr)));
	json_object_set_new(sampling, "samples", json_integer(nr));
	json_object_set_new(sampling, "reads_per_sample", json_integer((json_int_t)batch));
	json_object_set_new(sampling, "reads", json_integer((json_int_t)(nr * batch)));
	json_object_set_new(sampling, "histogram_mean_ns", json_real(mean));
	json_object_set_new(sampling, "benchmark_mean_ns", json_real(mean));
	free(text);
	free(ns);
	histogram_free(histogram);
}

void made_median(json_t *result, double ns)
{
	uint64_t ps[SAMPLES];

	for (unsigned i = 0; i < SAMPLES; i++)
		ps[i] = (uint64_t)(ns * 1000);
	made_samples(result, ps, SAMPLES, json_whole_at(result, "sampling.reads_per_sample"));
}

static json_t *made_placement(const struct point *point)
{
	json_t *nodes = json_array();
	json_int_t bytes = (json_int_t)point->tree.memcgs * 61000;

	for (unsigned n = 0; n < point->machine.nodes; n++)
		json_array_append_new(nodes,
				      json_pack("{s:i, s:i, s:I, s:i}", "nid", (int)n, "os_index",
						0, "bytes", bytes / point->machine.nodes,
						"bytes_misplaced", 0));
	return json_pack("{s:s, s:{s:s, s:I, s:i, s:i, s:o, s:i}, s:[i]}", "asked", "fold", "found",
			 "placement", "fold", "bytes", bytes, "bytes_misplaced", 0, "bytes_unknown",
			 0, "nodes", nodes, "huge_bytes", 0, "reader_cpus", 1);
}

static json_t *made_counts(const struct point *point, bool walk)
{
	json_int_t rows = 10 * (1 + (json_int_t)point->machine.nodes), cpus = point->machine.cpus;
	json_int_t memcgs = (json_int_t)point->tree.memcgs + 1;
	json_int_t visited = walk ? 4 * rows / 10 * memcgs : 0;

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:i, s:i, s:i, s:i, s:I}", "loads_local",
			 point->read.rows & ROWS_LOCAL ? rows * cpus : 0, "loads_hierarchical",
			 walk ? rows * cpus * memcgs : 0, "memcgs_visited", visited, "css_gets",
			 walk ? visited - 4 * rows / 10 : 0, "atomics", walk ? 0 : rows, "adds", 0,
			 "items_scanned", 0, "flushes", 0, "text_bytes",
			 point->read.form == FORM_TEXT ? 412 : 0, "bytes_touched",
			 walk ? memcgs * cpus * 448 : cpus * 448 + 1920);
}

/* Of one kind, in ns: 10 on average, 31 alone, 68 of a hundred the slowest. */
static json_t *made_kind(double factor)
{
	return json_pack("{s:f, s:i, s:i, s:i, s:f, s:f, s:f}", "median_ns", 10 * factor, "updates",
			 81920, "updates_per_sample", 8192, "alone", 16384, "alone_median_ns",
			 31 * factor, "p99_ns", 68 * factor, "max_ns", 4000 * factor);
}

static json_t *made_kinds(const struct point *point)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "page", made_kind(1), "huge", made_kind(4), "lru",
			 made_kind(2), "migrate",
			 point->machine.nodes > 1 ? made_kind(2.5) : json_null());
}

/* After a load. */
static json_t *made_load_error(const struct point *point, bool walk, unsigned repetition)
{
	json_int_t bound = walk ? 0 : 160ll * point->machine.cpus * (point->tree.memcgs + 1);
	json_int_t truth = (json_int_t)25000 * (point->tree.memcgs + 1);
	json_int_t off = walk ? 0 : 700 + repetition;

	return json_pack("{s:I, s:I, s:s, s:I, s:I, s:i}", "pages", off, "bound_pages", bound,
			 "cell", "hierarchical_total N0", "value", truth - off, "truth", truth,
			 "cells_beyond_bound", 0);
}

/* 2000 lives in two seconds, one of them late. */
static json_t *made_churn(const struct point *point, bool walk, unsigned repetition)
{
	return json_pack("{s:i, s:i, s:f, s:f, s:f, s:f, s:i, s:i, s:i, s:i, s:f, s:i, s:o}",
			 "created", 2000, "removed", 2000, "create_ns", 1500.0 + repetition,
			 "create_p99_ns", 4000.0 + repetition, "remove_ns", walk ? 1200.0 : 2500.0,
			 "remove_p99_ns", walk ? 3000.0 : 9000.0, "lingering",
			 (int)point->write.linger, "pages", 256, "behind", 1, "waits", walk,
			 "seconds", 2.0, "cpu", 1, "error",
			 made_load_error(point, walk, repetition));
}

#define HARM_WAKEUPS 1002

/* So late a thousand times, and once, for a read, so much later. */
static json_t *made_late(double us, double longest_us)
{
	struct histogram *late = histogram_new();
	json_t *json;
	char *text;

	for (unsigned i = 1; i < HARM_WAKEUPS; i++)
		histogram_record(late, (uint64_t)(us * 1e6));
	histogram_record(late, (uint64_t)(longest_us * 1e6));
	text = histogram_encode(late);
	json = json_pack("{s:i, s:s}", "wakeups", HARM_WAKEUPS, "histogram", text);
	histogram_free(late);
	free(text);
	return json;
}

/* Of a live back end: what tasks charged in three slices without reads, and a share of it with. */
static json_t *made_tasks(const struct point *point, unsigned repetition)
{
	double with = 1 - 0.01 * repetition;
	const char *rates = "{s:[f, f, f], s:[f, f, f]}";

	return json_pack("{s:o, s:{s:i, s:o, s:o}, s:n}", "limit_bytes",
			 point->harm.limit_ppm ? json_integer(262144) : json_null(), "apart",
			 "tasks", (int)point->harm.tasks, "charges_per_s",
			 json_pack(rates, "without", 1000e3, 1100e3, 900e3, "with", 1000e3 * with,
				   1100e3 * with, 450e3),
			 "touches_per_s",
			 json_pack(rates, "without", 1024e3, 1126.4e3, 921.6e3, "with", 1000e3,
				   1100e3, 900e3),
			 "beside");
}

static json_t *made_harm(const struct point *point, const char *backend, unsigned repetition)
{
	bool live = backend_find(backend)->fixture && point->harm.tasks;

	return json_pack("{s:i, s:i, s:{s:f, s:f}, s:i, s:{s:i, s:s, s:i, s:o, s:o}, s:o}", "pairs",
			 3, "slice_ns", 333000001, "seconds", "without", 1.0, "with", 1.01, "reads",
			 2000 * live + 20, "victim", "cpu", 1, "policy", "other", "period_ns",
			 1000000, "without", made_late(50, 90), "with",
			 made_late(live ? 55 : 150, 1000.0 * repetition), "tasks",
			 live ? made_tasks(point, repetition) : json_null());
}

/* Two or more threads, 1000 updates a batch, for a second. */
static json_t *made_writers(const struct point *point, bool walk, unsigned repetition)
{
	json_int_t each = 40000000 + 100000 * (json_int_t)repetition - (walk ? 0 : 4000000);
	json_t *rates = json_array(), *cpus = json_array();
	char mix[PARAMETER_TEXT_MAX];

	for (unsigned i = 0; i < point->write.writers; i++) {
		json_array_append_new(rates, json_integer(each));
		json_array_append_new(cpus, json_integer(i));
	}
	return json_pack("{s:i, s:s, s:I, s:i, s:f, s:f, s:I, s:o, s:o, s:f, s:i, s:o}", "writers",
			 (int)point->write.writers, "mix",
			 parameter_text(parameter_find("write.mix", 9), point, mix), "updates",
			 each / 1000 * 1000 * point->write.writers, "updates_per_sample", 1000,
			 "median_ns", 1e9 / (double)each, "p99_batch_ns", 3e9 / (double)each,
			 "updates_per_s", each * point->write.writers, "updates_per_s_each", rates,
			 "cpus", cpus, "seconds", 1.0, "behind", 0, "error",
			 made_load_error(point, walk, repetition));
}

json_t *made_result(const struct made_run *made, size_t p, size_t b, unsigned repetition)
{
	const struct scenario *scenario = made->scenario;
	const struct point *point = &scenario->points[p];
	bool walk = !strcmp(scenario->backends[b], "walk");
	struct rng rng = rng_for(11, 100 * p + b, repetition);
	double ns = read_ns(point, walk) * (1 + 0.001 * (double)rng_below(&rng, 20));
	json_int_t off =
		walk ? 0
		     : 160ll * point->machine.cpus * (point->tree.memcgs + 1) / 1000 + repetition;
	uint64_t ps[SAMPLES];
	json_int_t batch = ns < 100 * FLOOR_NS && point->read.cache == CACHE_HOT ? 45 : 1;
	json_int_t bound = 160ll * point->machine.cpus * (point->tree.memcgs + 1);
	json_t *values = point_to_json(point), *result;

	result = result_new(scenario->name, scenario->title, point->id, values,
			    scenario->backends[b], repetition, NULL);
	json_decref(values);
	json_object_set_new(result, "host_class", json_string(HOST_CLASS));
	json_object_set_new(result, "build", json_pack("{s:s}", "id", BUILD_ID));
	json_object_set_new(result, "placement", made_placement(point));
	json_object_set_new(
		result, "sampling",
		json_pack("{s:i, s:b, s:f, s:f, s:s, s:i, s:s?}", "readers", 1, "pilot",
			  repetition == 1, "floor_ns", FLOOR_NS, "floor_p99_ns", 31.0, "clock",
			  "wall", "late", 0, "cold_method",
			  point->read.cache == CACHE_COLD ? "every line flushed" : NULL));
	for (unsigned i = 0; i < SAMPLES; i++)
		ps[i] = (uint64_t)(ns * (1000 + (double)rng_below(&rng, 60)));
	made_samples(result, ps, SAMPLES, (uint64_t)batch);
	json_object_set_new(
		result, "parts",
		json_pack("{s:f, s:o, s:o, s:i}", "hierarchical_ns", ns * 0.8, "local_ns",
			  point->read.rows & ROWS_LOCAL ? json_real(ns * 0.1) : json_null(),
			  "format_ns",
			  point->read.form == FORM_TEXT ? json_real(ns * 0.1) : json_null(),
			  "samples", 9));
	json_object_set_new(result, "update",
			    json_pack("{s:f, s:n, s:i, s:i}", "median_ns",
				      13 + 0.1 * (double)rng_below(&rng, 10), "p99_ns", "updates",
				      409600, "updates_per_sample", 4096));
	json_object_set_new(json_object_get(result, "update"), "kinds", made_kinds(point));
	if (point->write.writers)
		json_object_set_new(result, "writers", made_writers(point, walk, repetition));
	if (point->write.churn)
		json_object_set_new(result, "churn", made_churn(point, walk, repetition));
	if (point->harm.time_ns)
		json_object_set_new(result, "harm",
				    made_harm(point, scenario->backends[b], repetition));
	json_object_set_new(result, "counts", made_counts(point, walk));
	json_object_set_new(result, "error",
			    json_pack("{s:I, s:I, s:s, s:I, s:I, s:i}", "pages", off, "bound_pages",
				      walk ? 0 : bound, "cell", "hierarchical_total N1", "value",
				      (json_int_t)25000 * (point->tree.memcgs + 1), "truth",
				      (json_int_t)25000 * (point->tree.memcgs + 1) - off,
				      "cells_beyond_bound", 0));
	json_object_set_new(
		result, "local_error",
		json_pack("{s:i, s:i, s:s}", "pages", 3, "bound_pages", 11520, "cell", "total"));
	json_object_set_new(result, "memory",
			    json_pack("{s:I}", "bytes", (json_int_t)point->tree.memcgs * 61000));
	json_object_set_new(result, "warnings",
			    json_pack("[o]", json_sprintf("the load is %u.5 on 2 CPUs: others are "
							  "running",
							  repetition)));
	return result;
}

void made_run_write(const struct made_run *made, size_t p, size_t b, unsigned repetition,
		    json_t *result)
{
	struct error err = {0};

	assert_non_null(result);
	if (run_dir_write(made->dir, made->scenario->points[p].id, made->scenario->backends[b],
			  repetition, result, &err))
		fail_msg("%s: %s", err.file, err.text);
	json_decref(result);
}

void made_run_fill(const struct made_run *made)
{
	for (size_t p = 0; p < made->scenario->nr_points; p++) {
		for (size_t b = 0; b < made->scenario->nr_backends; b++) {
			for (unsigned r = 1; r <= made->scenario->repetitions; r++)
				made_run_write(made, p, b, r, made_result(made, p, b, r));
		}
	}
}
