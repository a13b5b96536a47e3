// SPDX-License-Identifier: MIT
/* See churn_fixture.h. */
#include "churn_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define OFTEN 1000000u /* a second: as fast as it can */

struct point churn_point(uint32_t batch, uint32_t linger)
{
	struct point point = small_point(MEMCGS, NODES, CPUS);

	point.tree.dying_ppm = 300000;
	point.machine.layout = LAYOUT_LEAN; /* a sanitizer is slow, and blocks are as many */
	point.counters.batch = batch;
	point.read.readers = READERS;
	point.write.writers = WRITERS;
	point.write.churn = OFTEN;
	point.write.linger = linger;
	return point;
}

struct churn *churn_over(struct test_model *f)
{
	struct churn_env env = {f->backend, f->instance, &f->point, f->tree, f->placement};
	struct error err = {.text = ""};
	struct churn *churn;

	if (churn_new(&env, &churn, &err))
		fail_msg("%s", err.text);
	assert_int_equal(churn_account(churn, f->oracle), 0);
	return churn;
}

/* As fixture_compare(), with those beside the tree. */
static void compare(struct test_model *f, const struct churn *churn, uint32_t memcg)
{
	struct cell_error worst;
	char name[CELL_NAME_MAX];

	fixture_read(f, memcg);
	if (oracle_compare(f->backend, &f->point, &f->counts, &f->truth, ROWS_ALL,
			   memcg_tree_size(f->tree, memcg) + churn_below(churn, memcg), &worst))
		fail_msg("%s, memcg %u: %s is %llu, truth %llu, bound %llu", f->backend->name,
			 memcg, cell_error_name(name, &worst, &f->point),
			 (unsigned long long)worst.value, (unsigned long long)worst.truth,
			 (unsigned long long)worst.bound);
}

void churn_compare(struct test_model *f, const struct churn *churn)
{
	for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++)
		compare(f, churn, memcg);
}
