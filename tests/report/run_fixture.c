// SPDX-License-Identifier: MIT
/* See run_fixture.h. */
#include "run_fixture.h"

#include "base/rng.h"
#include "result/result.h"
#include "result/run_dir.h"
#include "scenario/parameter.h"
#include "scenario/scenario.h"
#include "stats/histogram.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIXTURE_POINTS 256
#define LLC_BYTES          (32.0 * 1024 * 1024)

struct fixture {
	const char *kind, *title;
	struct point points[MAX_FIXTURE_POINTS];
	size_t nr_points;
	char names[20][24];
	char *backends[20];
	size_t nr_backends;
	unsigned repetitions, samples, batch;
	bool walk_only, none, failed;
	struct reference references[2];
	size_t nr_references;
};

static void set(struct point *point, const char *name, uint64_t value)
{
	const struct parameter *parameter = parameter_find(name, strlen(name));

	if (parameter->size == sizeof(uint32_t)) {
		uint32_t narrow = (uint32_t)value;

		memcpy((char *)point + parameter->offset, &narrow, sizeof(narrow));
	} else {
		memcpy((char *)point + parameter->offset, &value, sizeof(value));
	}
}

static struct point *add_point(struct fixture *fixture, uint64_t memcgs)
{
	struct point *point = &fixture->points[fixture->nr_points++];

	point_init(point);
	set(point, "tree.memcgs", memcgs);
	set(point, "machine.nodes", 2);
	set(point, "machine.cpus", 72);
	set(point, "counters.spread.cpus", 2);
	for (unsigned i = 0; i < 2; i++)
		point->machine.nids[i] = (uint16_t)i;
	return point;
}

static void add_sweep(struct fixture *fixture, bool cold)
{
	for (uint64_t memcgs = 10; memcgs <= 10000; memcgs *= 10) {
		add_point(fixture, memcgs);
		if (cold)
			set(add_point(fixture, memcgs), "read.cache", CACHE_COLD);
	}
}

static void add_pairs(struct fixture *fixture)
{
	for (unsigned nodes = 1; nodes <= 2; nodes++)
		for (unsigned skew = 0; skew <= 64; skew += 64)
			for (unsigned batch = 8; batch <= 512; batch *= 2) {
				struct point *point = add_point(fixture, 1000);

				set(point, "machine.nodes", nodes);
				set(point, "machine.cpus", 36 * nodes);
				set(point, "machine.skew", skew);
				set(point, "counters.batch", batch);
			}
}

static void add_many_points(struct fixture *fixture)
{
	for (uint64_t memcgs = 10; memcgs <= 10000; memcgs *= 10)
		for (unsigned batch = 1; batch <= 50; batch++)
			set(add_point(fixture, memcgs), "counters.batch", batch);
}

static void add_backends(struct fixture *fixture, size_t nr)
{
	static const char *const first[] = {"walk", "cached"};

	fixture->nr_backends = nr;
	for (size_t i = 0; i < nr; i++) {
		if (i < 2)
			strcpy(fixture->names[i], first[i]);
		else
			snprintf(fixture->names[i], sizeof(fixture->names[i]), "design-%02zu",
				 i + 1);
		fixture->backends[i] = fixture->names[i];
	}
}

static int fill(struct fixture *fixture, const char *kind)
{
	static char walk[] = "walk", cached[] = "cached", source[] = "a patch of 2020";

	fixture->kind = kind;
	fixture->title = "Root memory.numa_stat in the presence of 10 000 memcgs";
	fixture->repetitions = 10;
	fixture->samples = 200;
	fixture->batch = 1;
	fixture->references[0] = (struct reference){walk, 10000, 0.7e9, false, source};
	fixture->references[1] = (struct reference){cached, 10000, 1e6, true, source};
	fixture->nr_references = 2;
	add_backends(fixture, strcmp(kind, "many") ? 2 : 20);
	if (!strcmp(kind, "single") || !strcmp(kind, "hostile") || !strcmp(kind, "markup")) {
		add_point(fixture, 10000);
	} else if (!strcmp(kind, "pairs")) {
		add_pairs(fixture);
	} else if (!strcmp(kind, "large")) {
		add_many_points(fixture);
		fixture->samples = 20;
	} else if (!strcmp(kind, "failed")) {
		add_sweep(fixture, true);
		fixture->failed = true;
	} else if (!strcmp(kind, "wide")) {
		add_point(fixture, 1);
		add_point(fixture, 4000000);
	} else if (!strcmp(kind, "sweep") || !strcmp(kind, "errors") || !strcmp(kind, "sparse") ||
		   !strcmp(kind, "batched") || !strcmp(kind, "empty") || !strcmp(kind, "many")) {
		add_sweep(fixture, strcmp(kind, "many"));
	} else {
		return -EINVAL;
	}
	if (!strcmp(kind, "hostile"))
		fixture->title = "It's a \"title\": <b>_x^2</b> & `echo no` @x \\n 50 % \xc3\xa9";
	if (!strcmp(kind, "markup"))
		fixture->title = "</title></script><script>alert(1)</script><img src=x "
				 "onerror=alert(2)> {{style}} ]]> \xe2\x80\xa8 &amp;";
	if (!strcmp(kind, "batched"))
		fixture->batch = 40;
	if (!strcmp(kind, "sparse") || !strcmp(kind, "many") || !strcmp(kind, "large"))
		fixture->repetitions = 1;
	fixture->walk_only = !strcmp(kind, "sparse");
	fixture->none = !strcmp(kind, "empty");
	for (size_t i = 0; i < fixture->nr_points; i++)
		point_set_id(&fixture->points[i]);
	return 0;
}

/* What a read takes in the middle: walk by the number of memcgs, all others whatever it is. */
static double typical_ns(const struct fixture *fixture, const struct point *point, size_t backend)
{
	bool cold = point->read.cache == CACHE_COLD;
	double memcgs = point->tree.memcgs + 1.0;

	if (!strcmp(fixture->kind, "wide"))
		return backend ? 1 : memcgs * 1e6;
	if (!backend)
		return 4000 + memcgs * 288 * point->machine.cpus * (memcgs > 900 ? 1 : 0.4) / 1.02 *
				      (cold ? 1.15 : 1);
	return (fixture->batch > 1 ? 280 : 9000 * pow(1.45, (double)backend - 1)) *
	       (cold ? 2.6 : 1);
}

static char *make_histogram(const struct fixture *fixture, double ns, struct rng *rng,
			    double *middle)
{
	struct histogram *histogram = histogram_new();
	double *all = calloc(fixture->samples, sizeof(*all));
	char *text = NULL;
	int r = histogram && all ? 0 : -ENOMEM;

	for (unsigned i = 0; i < fixture->samples && !r; i++) {
		double uniform = ((double)rng_below(rng, 1 << 30) + 1) / ((1 << 30) + 2.0);
		double tail = pow(uniform, -0.12) - 1;
		uint64_t ps = (uint64_t)(ns * 1000 * (0.95 + 0.5 * tail));

		r = histogram_record(histogram, ps);
		all[i] = (double)ps / 1000;
	}
	if (!r) {
		*middle = median(all, fixture->samples);
		text = histogram_encode(histogram);
	}
	histogram_free(histogram);
	free(all);
	return text;
}

/* A reason is text of others, as a title is. */
static json_t *make_failure(const struct fixture *fixture, const struct point *point, size_t b,
			    unsigned repetition)
{
	json_t *values = point_to_json(point);
	json_t *result =
		result_new("numa_stat_10k", fixture->title, point->id, values, fixture->backends[b],
			   repetition, "it said </li><script>alert(3)</script> and ended");

	json_decref(values);
	return result;
}

static json_t *make_result(const struct fixture *fixture, const struct point *point, size_t b,
			   unsigned repetition)
{
	struct rng rng = rng_for(strtoull(point->id, NULL, 16), b, repetition);
	double process = 1 + 0.02 * ((double)rng_below(&rng, 1000) / 500 - 1), middle = 0;
	unsigned batch = b && point->read.cache == CACHE_HOT ? fixture->batch : 1;
	char *histogram =
		make_histogram(fixture, process * typical_ns(fixture, point, b), &rng, &middle);
	json_t *values = point_to_json(point);
	json_t *result = result_new("numa_stat_10k", fixture->title, point->id, values,
				    fixture->backends[b], repetition, NULL);
	json_t *more = json_pack(
		"{s:s, s:{s:s}, s:{s:s, s:{s:s, s:i}}, s:{s:i, s:i, s:i, s:i, s:f}, s:{s:s, s:f}, "
		"s:{s:I}}",
		"host_class", "Example CPU 2.0 GHz, 1 socket, 1 node, 2 CPUs, virtual, cgroup v1",
		"build", "id", "test", "placement", "asked", "fold", "found", "placement", "fold",
		"bytes_misplaced", 0, "sampling", "samples", (int)fixture->samples,
		"reads_per_sample", (int)batch, "readers", 1, "reads",
		(int)(batch * fixture->samples), "floor_ns", 21.3, "latency", "histogram",
		histogram ? histogram : "", "median_ns", middle, "counts", "bytes_touched",
		(json_int_t)(b ? 64 * 90 : 36000 * (json_int_t)point->tree.memcgs));

	free(histogram);
	if (more)
		json_object_update(result, more);
	json_decref(more);
	json_decref(values);
	return result;
}

/* What a read is off, and what updates cost. */
static void add_errors(json_t *result, const struct point *point, size_t b)
{
	json_int_t pages = b ? 16 * (json_int_t)point->tree.memcgs : 0;

	json_object_set_new(result, "error",
			    json_pack("{s:I, s:I, s:s, s:I, s:I}", "pages", pages, "bound_pages",
				      10 * pages, "cell", "hierarchical_total", "value", pages,
				      "truth", (json_int_t)0));
	json_object_set_new(result, "update",
			    json_pack("{s:f, s:n, s:i, s:i}", "median_ns", 10 + 2.5 * (double)b,
				      "p99_ns", "updates", 100, "updates_per_sample", 10));
}

/* Written plainly and not as the program does, whose syncing to disk takes a second a run. */
static int write_result(const struct run_dir *dir, const struct point *point, const char *backend,
			unsigned repetition, json_t *result)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.%s.%u.json", dir->path, point->id, backend, repetition);
	return json_dump_file(result, path, JSON_COMPACT) ? -EIO : 0;
}

static int write_results(const struct fixture *fixture, const struct run_dir *dir)
{
	int r = 0;

	for (size_t p = 0; p < fixture->nr_points && !r; p++)
		for (size_t b = 0; b < fixture->nr_backends && !r; b++)
			for (unsigned i = 1; i <= fixture->repetitions && !r; i++) {
				const struct point *point = &fixture->points[p];
				json_t *result;

				if (fixture->walk_only && (b || point->tree.memcgs == 10000))
					continue;
				result = fixture->failed ? make_failure(fixture, point, b, i)
							 : make_result(fixture, point, b, i);
				if (!strcmp(fixture->kind, "errors"))
					add_errors(result, point, b);
				r = write_result(dir, point, fixture->backends[b], i, result);
				json_decref(result);
			}
	return r;
}

int run_fixture_write(const char *directory, const char *kind, struct error *err)
{
	static char name[] = "numa_stat_10k";
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct scenario scenario = {.name = name};
	json_t *context, *left_out, *document;
	struct run_dir *dir = NULL;
	int r = fixture ? fill(fixture, kind) : -ENOMEM;

	if (r) {
		free(fixture);
		return error_set(err, r, "%s: no such kind of run", kind);
	}
	scenario.title = (char *)fixture->title;
	scenario.points = fixture->points;
	scenario.nr_points = fixture->nr_points;
	scenario.backends = fixture->backends;
	scenario.nr_backends = fixture->nr_backends;
	scenario.repetitions = fixture->repetitions;
	scenario.references = fixture->references;
	scenario.nr_references = fixture->nr_references;
	context = json_pack("{s:I}", "llc_bytes", (json_int_t)LLC_BYTES);
	left_out = json_array();
	document = run_document(&scenario, 1, "test",
				"Example CPU 2.0 GHz, 1 socket, 1 node, 2 CPUs, virtual, cgroup v1",
				context, left_out, NULL);
	r = run_dir_open(directory, NULL, false, document, &dir, err);
	if (!r && !fixture->none)
		r = write_results(fixture, dir);
	run_dir_free(dir);
	json_decref(document);
	json_decref(context);
	json_decref(left_out);
	free(fixture);
	return r;
}
