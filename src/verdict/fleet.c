// SPDX-License-Identifier: MIT
/* See fleet.h. */
#include "verdict/fleet.h"

#include "result/document.h"
#include "scenario/parameter.h"
#include "scenario/target.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define S_PER_HOUR 3600.0

/* One back end over points that differ in the size of the tree only. */
struct series {
	size_t nr;
	double *memcgs, *mean_ns; /* ascending by memcgs */
	const struct point_summary **points;
};

void fleet_free(struct fleet *fleet)
{
	if (!fleet)
		return;
	free(fleet->sweeps);
	free(fleet->left_out);
	free(fleet);
}

static void __attribute__((format(printf, 4, 5)))
leave_out(struct fleet *fleet, const struct point_summary *point, const char *backend,
	  const char *format, ...)
{
	struct fleet_left_out *left = &fleet->left_out[fleet->nr_left_out++];
	va_list arguments;

	*left = (struct fleet_left_out){.point = &point->point, .backend = backend};
	va_start(arguments, format);
	vsnprintf(left->reason, sizeof(left->reason), format, arguments);
	va_end(arguments);
}

/* Live back ends run on what is online; a model has the CPUs that it was given. */
static uint32_t cpus_of(const struct run_summary *summary, const struct point *point,
			const char *name)
{
	const struct backend *backend = backend_find(name);

	if (backend && backend->fixture)
		return (uint32_t)json_whole_at(summary->run, "context.online_cpus");
	return point->machine.cpus;
}

/* 0 or -ENOMEM. */
static int mean_of(const struct backend_summary *backend, struct median_interval *out)
{
	double *means = calloc(backend->processes + (size_t)1, sizeof(*means));

	if (!means)
		return -ENOMEM;
	for (unsigned i = 0; i < backend->processes; i++)
		means[i] = backend->figures[i].mean_ns;
	if (!median_interval(means, backend->processes, out))
		out->low = out->high = out->level = NAN;
	free(means);
	return 0;
}

static int add_measured(struct fleet *fleet, const struct point_summary *point,
			const struct backend_summary *backend)
{
	struct target_size size = target_size(&point->point);
	struct median_interval mean;
	int r = mean_of(backend, &mean);

	if (r)
		return r;
	fleet->sweeps[fleet->nr++] = (struct fleet_sweep){
		.point = point->point,
		.backend = backend,
		.files = size.files,
		.mean_ns = mean.median,
		.low_ns = mean.low,
		.high_ns = mean.high,
		.level = mean.level,
		.p50_ns = backend->p50_ns,
		.basis = FLEET_MEASURED,
		.from = point->point.tree.memcgs,
		.slope = NAN,
		.cpus = cpus_of(fleet->summary, &point->point, backend->backend),
	};
	return 0;
}

static bool is_sweep(const struct point_summary *point)
{
	return point->point.read.cgroup == TARGET_ALL;
}

/* The same but for the size of the tree. */
static bool same_series(const struct point *a, const struct point *b)
{
	struct point x = *a, y = *b;

	x.tree.memcgs = y.tree.memcgs;
	point_set_id(&x);
	point_set_id(&y);
	return !strcmp(x.id, y.id);
}

/* The place of `memcgs` among those that are there. */
static size_t place_in(const struct series *series, double memcgs)
{
	size_t at = 0;

	while (at < series->nr && series->memcgs[at] < memcgs)
		at++;
	return at;
}

static int series_add(struct series *series, const struct point_summary *point,
		      const struct backend_summary *backend)
{
	size_t at = place_in(series, point->point.tree.memcgs), behind = series->nr - at;
	struct median_interval mean;
	int r = mean_of(backend, &mean);

	if (r)
		return r;
	memmove(&series->memcgs[at + 1], &series->memcgs[at], behind * sizeof(double));
	memmove(&series->mean_ns[at + 1], &series->mean_ns[at], behind * sizeof(double));
	memmove(&series->points[at + 1], &series->points[at], behind * sizeof(*series->points));
	series->memcgs[at] = point->point.tree.memcgs;
	series->mean_ns[at] = mean.median;
	series->points[at] = point;
	series->nr++;
	return 0;
}

static int series_find(const struct fleet *fleet, size_t first, size_t b, struct series *series)
{
	const struct run_summary *summary = fleet->summary;
	int r = 0;

	series->nr = 0;
	for (size_t p = first; !r && p < summary->nr_points; p++) {
		const struct point_summary *point = &summary->points[p];

		if (point->backends[b].processes &&
		    same_series(&summary->points[first].point, &point->point))
			r = series_add(series, point, &point->backends[b]);
	}
	return r;
}

static int series_init(struct series *series, size_t nr)
{
	*series = (struct series){
		.memcgs = calloc(nr + 1, sizeof(*series->memcgs)),
		.mean_ns = calloc(nr + 1, sizeof(*series->mean_ns)),
		.points = calloc(nr + 1, sizeof(const struct point_summary *)),
	};
	return series->memcgs && series->mean_ns && series->points ? 0 : -ENOMEM;
}

static void series_fini(struct series *series)
{
	free(series->memcgs);
	free(series->mean_ns);
	free(series->points);
}

static void between(const struct series *series, size_t at, struct fleet_sweep *sweep)
{
	const double *x = &series->memcgs[at - 1], *y = &series->mean_ns[at - 1];

	sweep->basis = FLEET_BETWEEN;
	sweep->slope = log(y[1] / y[0]) / log(x[1] / x[0]);
	sweep->mean_ns = y[0] * pow(sweep->point.tree.memcgs / x[0], sweep->slope);
	sweep->from = (uint32_t)x[0];
	sweep->to = (uint32_t)x[1];
}

/* From the nearest size by the slope of all. NULL, or why not. */
static const char *beyond(const struct series *series, size_t at, struct fleet_sweep *sweep)
{
	size_t last = series->nr - 1, nearest = at ? last : 0;
	double factor = sweep->point.tree.memcgs / series->memcgs[nearest], error;

	if (series->nr < FLEET_LEAST_SIZES)
		return "this size was not measured, and too few others were to know how time grows";
	if (factor > FLEET_FURTHEST || factor * FLEET_FURTHEST < 1)
		return "this size is too far from those that were measured";
	sweep->basis = FLEET_BEYOND;
	sweep->slope = log_log_slope(series->memcgs, series->mean_ns, series->nr, &error);
	if (!(error <= FLEET_SLOPE_ERROR))
		return "the time of the sizes that were measured does not grow evenly enough";
	sweep->mean_ns = series->mean_ns[nearest] * pow(factor, sweep->slope);
	sweep->from = (uint32_t)series->memcgs[0];
	sweep->to = (uint32_t)series->memcgs[last];
	return NULL;
}

/* Of a size that was not measured. */
static void add_derived(struct fleet *fleet, const struct series *series, size_t b, uint32_t memcgs)
{
	size_t at = place_in(series, memcgs), nearest = at < series->nr ? at : series->nr - 1;
	const struct backend_summary *backend = &series->points[nearest]->backends[b];
	struct fleet_sweep *sweep = &fleet->sweeps[fleet->nr];
	const char *why = NULL;

	*sweep = (struct fleet_sweep){
		.point = series->points[nearest]->point,
		.backend = backend,
		.low_ns = NAN,
		.high_ns = NAN,
		.level = NAN,
		.p50_ns = NAN,
		.cpus = cpus_of(fleet->summary, &series->points[nearest]->point, backend->backend),
	};
	sweep->point.tree.memcgs = memcgs;
	point_set_id(&sweep->point);
	sweep->files = target_size(&sweep->point).files;
	if (at && at < series->nr)
		between(series, at, sweep);
	else
		why = beyond(series, at, sweep);
	if (why)
		leave_out(fleet, series->points[nearest], backend->backend, "%s", why);
	else
		fleet->nr++;
}

/* One size of one series, which begins at point `p`. */
static int add_size(struct fleet *fleet, struct series *series, size_t p, size_t b, uint32_t memcgs)
{
	const struct point_summary *point = &fleet->summary->points[p];
	size_t at;
	int r = series_find(fleet, p, b, series);

	if (r)
		return r;
	if (!series->nr) {
		leave_out(fleet, point, point->backends[b].backend, "nothing was measured");
		return 0;
	}
	at = place_in(series, memcgs);
	if (at < series->nr && series->memcgs[at] == memcgs)
		return add_measured(fleet, series->points[at], &series->points[at]->backends[b]);
	add_derived(fleet, series, b, memcgs);
	return 0;
}

static bool begins_series(const struct run_summary *summary, size_t p)
{
	for (size_t i = 0; i < p; i++)
		if (same_series(&summary->points[i].point, &summary->points[p].point))
			return false;
	return true;
}

static int add_point(struct fleet *fleet, struct series *series, size_t p, uint32_t memcgs)
{
	const struct point_summary *point = &fleet->summary->points[p];
	int r = 0;

	if (memcgs && !begins_series(fleet->summary, p))
		return 0;
	for (size_t b = 0; !r && b < point->nr_backends; b++) {
		if (memcgs)
			r = add_size(fleet, series, p, b, memcgs);
		else if (point->backends[b].processes)
			r = add_measured(fleet, point, &point->backends[b]);
		else
			leave_out(fleet, point, point->backends[b].backend, "nothing was measured");
	}
	return r;
}

static int fill(struct fleet *fleet, uint32_t memcgs)
{
	const struct run_summary *summary = fleet->summary;
	struct series series;
	size_t most = 0;
	int r = series_init(&series, summary->nr_points);

	for (size_t p = 0; p < summary->nr_points; p++)
		most += summary->points[p].nr_backends + 1;
	fleet->sweeps = calloc(most + 1, sizeof(*fleet->sweeps));
	fleet->left_out = calloc(most + 1, sizeof(*fleet->left_out));
	if (!fleet->sweeps || !fleet->left_out)
		r = -ENOMEM;
	for (size_t p = 0; !r && p < summary->nr_points; p++) {
		if (is_sweep(&summary->points[p]))
			r = add_point(fleet, &series, p, memcgs);
		else
			leave_out(fleet, &summary->points[p], NULL,
				  "one file is read, not those of all memcgs (read.cgroup: all)");
	}
	series_fini(&series);
	return r;
}

int fleet_new(const struct run_summary *summary, uint32_t memcgs, struct fleet **out)
{
	struct fleet *fleet = calloc(1, sizeof(*fleet));
	int r;

	*out = NULL;
	if (!fleet)
		return -ENOMEM;
	fleet->summary = summary;
	r = fill(fleet, memcgs);
	if (r)
		fleet_free(fleet);
	else
		*out = fleet;
	return r;
}

/* Nobody reads more than all the time. */
static double seconds_an_hour(double sweep_ns, uint64_t interval_ns, uint32_t agents)
{
	double share = sweep_ns / (double)interval_ns;

	if (isnan(share))
		return NAN;
	return S_PER_HOUR * fmin(share, 1) * agents;
}

struct fleet_cost fleet_cost(const struct fleet_sweep *sweep, uint64_t interval_ns, uint32_t agents)
{
	double seconds = seconds_an_hour(sweep->mean_ns, interval_ns, agents);

	return (struct fleet_cost){
		.cpu_s_per_hour = seconds,
		.low = seconds_an_hour(sweep->low_ns, interval_ns, agents),
		.high = seconds_an_hour(sweep->high_ns, interval_ns, agents),
		.share_of_cpu = seconds / S_PER_HOUR,
		.share_of_host = sweep->cpus ? seconds / S_PER_HOUR / sweep->cpus : NAN,
		.late = sweep->mean_ns > (double)interval_ns,
	};
}
