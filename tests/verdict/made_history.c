// SPDX-License-Identifier: MIT
/* See made_history.h. */
#include "made_history.h"

#include "base/rng.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const backend_names[] = {"walk", "cached"};
#define NR_BACKENDS 2

const struct made_history made_history_default = {
	.points = 2,
	.processes = 10,
	.run_noise = 0.01,
	.process_noise = 0.01,
	.step = 1,
	.backend = "cached",
	.host_class = MADE_HOST_CLASS,
	.every = 86400,
	.seed = 1,
};

static double uniform(struct rng *rng)
{
	return ((double)(rng_next(rng) >> 11) + 0.5) / 9007199254740992.0;
}

/* Normal, by Box and Muller. */
static double normal(struct rng *rng)
{
	double radius = sqrt(-2 * log(uniform(rng)));

	return radius * cos(2 * M_PI * uniform(rng));
}

static void make_point(struct point *point, unsigned i)
{
	static const uint32_t memcgs[] = {10, 10000, 100, 1000, 100000, 1000000};

	point_init(point);
	point->tree.memcgs = memcgs[i % 6];
	point->machine.nodes = 2;
	point->machine.cpus = 72;
	point->machine.nids[1] = 1;
	point->counters.spread_cpus = 2;
	point->counters.batch = 32 + i / 6;
	point_set_id(point);
}

static void fill_figures(struct process_figures *figures, double ns, double update_ns)
{
	figures->p50_ns = ns;
	figures->p90_ns = 1.1 * ns;
	figures->p99_ns = 1.3 * ns;
	figures->p999_ns = NAN;
	figures->max_ns = 2 * ns;
	figures->mean_ns = 1.03 * ns;
	figures->rate = 1e9 / figures->mean_ns;
	figures->hierarchical_ns = 0.8 * ns;
	figures->local_ns = 0.1 * ns;
	figures->format_ns = 0.1 * ns;
	figures->update_ns = update_ns;
	figures->error_pages = 3;
	figures->memory_bytes = 61000.0 * 10000;
}

/* What cannot be had leaves the cell without processes. */
static int fill_cell(const struct made_history *made, unsigned i, struct record *record, unsigned p,
		     unsigned b)
{
	struct record_cell *cell = &record->cells[p * NR_BACKENDS + b];
	struct rng rng = rng_for(made->seed, i, p * NR_BACKENDS + b);
	double level = b ? 11700 : 31000.0 * record->points[p].tree.memcgs;

	level *= exp(made->run_noise * normal(&rng));
	if (made->step_at && i >= made->step_at && !strcmp(made->backend, backend_names[b]))
		level *= made->step;
	cell->point = &record->points[p];
	cell->backend = strdup(backend_names[b]);
	cell->repetition = calloc(made->processes + 1, sizeof(*cell->repetition));
	cell->figures = calloc(made->processes + 1, sizeof(*cell->figures));
	if (!cell->backend || !cell->repetition || !cell->figures)
		return -ENOMEM;
	cell->processes = made->processes;
	for (unsigned k = 0; k < made->processes; k++) {
		double ns = level * exp(made->process_noise * normal(&rng));

		cell->repetition[k] = k + 1;
		fill_figures(&cell->figures[k], ns, 14.2 * (1 + 0.01 * normal(&rng)));
	}
	cell->reads_per_sample = 1;
	cell->samples = cell->reads = 200ull * made->processes;
	cell->counted = true;
	cell->counts.text_bytes = 412;
	cell->counts.memcgs_visited = b ? 0 : 12ull * (record->points[p].tree.memcgs + 1);
	cell->bytes_touched = b ? 34176 : 32256ull * (record->points[p].tree.memcgs + 1);
	cell->error_pages = 3;
	cell->error_bound_pages = 1000;
	cell->error_value = 25003;
	cell->error_truth = 25000;
	return 0;
}

static char *build_of(unsigned i)
{
	char text[64];

	snprintf(text, sizeof(text), "0.1.0+%012llx.gcc-12.2.0.5d0f1c2a",
		 (unsigned long long)(rng_mix(i / 2 + 1) >> 16));
	return strdup(text);
}

int made_history_record(const struct made_history *made, unsigned i, struct record **out)
{
	struct record *record = calloc(1, sizeof(*record));
	int r = -ENOMEM;

	if (!record)
		return -ENOMEM;
	record->path = strdup("made");
	record->scenario = strdup("made");
	record->title = strdup("A history that nobody measured");
	record->build_id = build_of(i);
	record->host_class = strdup(made->host_class);
	record->started = MADE_HISTORY_START + (int64_t)made->every * i;
	record->context = json_pack("{s:s, s:s}", "kernel", i < 16 ? "6.1.0-made" : "6.6.0-made",
				    "cpu_model", "made CPU");
	record->seed = 7;
	record->points = calloc(made->points + 1, sizeof(*record->points));
	record->cells = calloc(NR_BACKENDS * made->points + 1, sizeof(*record->cells));
	if (record->path && record->scenario && record->title && record->build_id &&
	    record->host_class && record->context && record->points && record->cells)
		r = 0;
	record->nr_points = r ? 0 : made->points;
	for (unsigned p = 0; p < made->points && !r; p++) {
		make_point(&record->points[p], p);
		for (unsigned b = 0; b < NR_BACKENDS && !r; b++) {
			r = fill_cell(made, i, record, p, b);
			record->nr_cells++;
		}
	}
	if (r) {
		record_free(record);
		return r;
	}
	*out = record;
	return 0;
}
