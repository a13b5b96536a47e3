// SPDX-License-Identifier: MIT
/* What the churner does, and what back ends do with memcgs that it brings and takes away. */
#include "backend/model.h"
#include "backend/model_walk.h"

#include "churn_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const able[] = {"walk", "walk-once", "cached", "rstat", "packed", "bounded"};

/*
 * What is held back when a memcg goes is not lost, nor kept for ever: with a batch of 20 a memcg
 * that was charged 30 pages at once and gave them back one by one left -9 in its batch, and 9 with
 * its ancestors.
 */
static void what_was_held_back_comes_home(void **state)
{
	for (size_t i = 0; i < sizeof(able) / sizeof(able[0]); i++) {
		struct point point = churn_point(20, 0);
		struct test_model f;
		uint64_t before;

		point.write.writers = 0;
		fixture_init(&f, &point, able[i]);
		if (f.backend->flush)
			f.backend->flush(f.instance, 0);
		fixture_read(&f, 0);
		before = f.counts.cells[numa_cell(NODES, SCOPE_HIERARCHICAL, 0, 0)];
		for (unsigned n = 0; n < 50; n++) {
			struct update update = {.memcg = MEMCGS + 1, .cpu = 3, .delta = 1};

			f.backend->memcg_add(f.instance, MEMCGS + 1, MEMCGS / 2);
			for (unsigned k = 0; k <= 30; k++) {
				update.delta = k ? -1 : 30;
				f.backend->update(f.instance, &update);
			}
			if (f.backend->memcg_offline)
				f.backend->memcg_offline(f.instance, MEMCGS + 1);
			f.backend->memcg_remove(f.instance, MEMCGS + 1);
		}
		if (f.backend->flush)
			f.backend->flush(f.instance, 0);
		fixture_read(&f, 0);
		for (unsigned column = 0; column <= NODES; column++)
			assert_int_equal(
				f.counts.cells[numa_cell(NODES, SCOPE_HIERARCHICAL, 0, column)],
				before);
		fixture_fini(&f);
	}
}

/* By links, as a walk goes. */
static struct memcg *step(const struct model *model, struct memcg *at)
{
	return walk_step(model, model_memcg(model, 0), at, 0, NULL);
}

static void who_stands_on_a_removed_memcg_finds_the_way_back(void **state)
{
	struct point point = churn_point(32, 0);
	struct memcg *first, *second, *third, *at;
	const uint32_t parent = MEMCGS; /* a leaf, and the last in the walk's order */
	struct model *model;
	struct test_model f;
	unsigned met = 0;

	point.tree.shape = TREE_CHAIN;
	fixture_init(&f, &point, "walk");
	model = f.instance;
	first = model_memcg(model, MEMCGS + 1);
	second = model_memcg(model, MEMCGS + 2);
	third = model_memcg(model, MEMCGS + 3);
	for (uint32_t i = 1; i <= 3; i++)
		f.backend->memcg_add(f.instance, MEMCGS + i, parent);

	/* in the order of their creation */
	assert_ptr_equal(step(model, model_memcg(model, parent)), first);
	assert_ptr_equal(step(model, first), second);
	assert_ptr_equal(step(model, second), third);
	assert_null(step(model, third));

	/* a walk stands on the first; it goes, then the second, then the third comes anew */
	f.backend->memcg_remove(f.instance, MEMCGS + 1);
	f.backend->memcg_remove(f.instance, MEMCGS + 2);
	for (at = first; at && met < 10; at = step(model, at))
		met++;
	assert_int_equal(met, 3);
	assert_ptr_equal(step(model, model_memcg(model, parent)), third);
	f.backend->memcg_add(f.instance, MEMCGS + 4, parent);
	assert_ptr_equal(step(model, third), model_memcg(model, MEMCGS + 4));
	f.backend->memcg_remove(f.instance, MEMCGS + 3);
	f.backend->memcg_remove(f.instance, MEMCGS + 4);
	assert_null(step(model, model_memcg(model, parent)));
	fixture_fini(&f);
}

static void run_for(struct churn *churn, struct gate *gate, unsigned ms, struct churn_cost *cost)
{
	struct error err;

	gate_close(gate);
	assert_int_equal(churn_start(churn, gate, &err), 0);
	gate_open(gate, 1);
	churn_await(churn);
	usleep(ms * 1000);
	assert_int_equal(churn_stop(churn, &err), 0);
	churn_digest(churn, cost);
}

static void a_place_is_not_used_again_while_a_reader_may_stand_on_it(void **state)
{
	struct gate gate = GATE_INITIALIZER;
	struct point point = churn_point(32, LINGER);
	struct churn_cost cost = {.created = 0};
	struct churn *churn;
	struct test_model f;
	uint64_t created = 0;

	fixture_init(&f, &point, "cached");
	fixture_populate(&f);
	churn = churn_over(&f);
	grace_enter(churn_grace(churn), READERS - 1);
	for (unsigned i = 0; i < 1000 && !cost.waits; i++) {
		run_for(churn, &gate, 10, &cost);
		created += cost.created;
	}
	assert_int_equal(cost.waits, 1);
	assert_true(created <= SPARE_FLOATING);
	/* another reader comes and goes: that is no help */
	grace_enter(churn_grace(churn), 0);
	grace_leave(churn_grace(churn), 0);
	run_for(churn, &gate, 10, &cost);
	assert_int_equal(cost.created, 0);
	/* nor is one that is under way since: it began after all of them had gone */
	grace_leave(churn_grace(churn), READERS - 1);
	for (created = 0; created <= 2 * SPARE_FLOATING; created += cost.created)
		run_for(churn, &gate, 10, &cost);
	assert_int_equal(churn_account(churn, f.oracle), 0);
	churn_compare(&f, churn);
	churn_free(churn);
	fixture_fini(&f);
}

static void a_rate_is_held(void **state)
{
	struct gate gate = GATE_INITIALIZER;
	struct point point = churn_point(32, LINGER);
	struct churn_cost cost;
	struct churn *churn;
	bool held = false;
	struct test_model f;

	point.write.churn = 200;
	fixture_init(&f, &point, "packed");
	fixture_populate(&f);
	churn = churn_over(&f);
	/* A busy machine makes it late, and what is late is made up for, but not behind the end:
	 * then it is tried again. Never is there too much. */
	for (unsigned i = 0; i < 50 && !held; i++) {
		run_for(churn, &gate, 200, &cost);
		assert_true((double)cost.created <= 200 * cost.seconds + 1);
		held = (double)cost.created >= 200 * cost.seconds / 4;
	}
	assert_true(held);
	assert_true(cost.create_ns > 0 && cost.remove_ns > 0);
	assert_true(cost.create_p99_ns != cost.create_p99_ns); /* too few for it */
	assert_int_equal(cost.pages, CHURN_PAGES);
	churn_free(churn);
	fixture_fini(&f);
}

static void without_churn_there_is_no_room_and_no_churner(void **state)
{
	struct point point = churn_point(32, 0), churning = point;
	struct churn *churn = (struct churn *)&point;
	struct churn_cost cost;
	struct test_model f;

	point.write.churn = 0;
	fixture_init(&f, &point, "cached");
	assert_true(f.backend->bytes(&point) < f.backend->bytes(&churning));
	assert_int_equal(((struct model *)f.instance)->layout.slots, MEMCGS + 1);
	churn = churn_over(&f);
	assert_null(churn);
	assert_int_equal(churn_nr(churn), 0);
	churn_digest(churn, &cost);
	assert_false(cost.any);
	assert_true(churn_guess_ns(&point) == 0 && churn_guess_bytes(&point) == 0);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_held_back_comes_home),
		cmocka_unit_test(who_stands_on_a_removed_memcg_finds_the_way_back),
		cmocka_unit_test(a_place_is_not_used_again_while_a_reader_may_stand_on_it),
		cmocka_unit_test(a_rate_is_held),
		cmocka_unit_test(without_churn_there_is_no_room_and_no_churner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
