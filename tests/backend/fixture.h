/* SPDX-License-Identifier: MIT */
/* A point brought to life for tests: tree, placement folded on this machine, one back end, oracle.
 */
#ifndef MEMCGBENCH_TESTS_BACKEND_FIXTURE_H
#define MEMCGBENCH_TESTS_BACKEND_FIXTURE_H

#include "backend/charge.h"
#include "backend/oracle.h"

struct test_model {
	struct point point;
	struct machine *machine;
	struct memcg_tree *tree;
	struct placement *placement;
	struct oracle *oracle;
	const struct backend *backend;
	void *instance;
	struct numa_counts counts, truth;
};

/* A small point: balanced, `memcgs` below the root, nodes 0..N-1. */
struct point small_point(uint32_t memcgs, uint32_t nodes, uint32_t cpus);

/* Any failure fails the running test. Counters are 0 until fixture_populate(). */
void fixture_init(struct test_model *f, const struct point *point, const char *backend);
void fixture_populate(struct test_model *f);
void fixture_fini(struct test_model *f);

/* Back end and oracle; neither where the back end takes no updates. */
void fixture_update(struct test_model *f, const struct update *update);
/* Random ones from `seed` on. */
void fixture_random_updates(struct test_model *f, uint64_t seed, uint64_t updates);
/* All rows into `counts`, and the oracle's into `truth`. */
void fixture_read(struct test_model *f, uint32_t memcg);
/* fixture_read() and compare: fails when a cell is beyond its bound. Returns the worst cell. */
struct cell_error fixture_compare(struct test_model *f, uint32_t memcg);
/* The same, all rows, counted. */
struct op_counts fixture_count(struct test_model *f, uint32_t memcg, uint64_t *bytes_touched);

/* 10^8 with MEMCGBENCH_TEST_LONG=1, else 10^6. */
uint64_t many_updates(void);

#endif
