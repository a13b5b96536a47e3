// SPDX-License-Identifier: MIT
/* What fails a job on a shared machine, and what does not. */
#include "made_record.h"

#include "verdict/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct gated {
	struct record *base, *new;
	struct compare *compare;
	struct gate_failure *failures;
	size_t nr;
};

/* Two points, walk and cached; `walk` and `cached` are how much longer they take in NEW. */
static void make(struct gated *gated, double walk, double cached, unsigned seed)
{
	struct record *sides[2];

	*gated = (struct gated){made_record(MADE_HOST), made_record(MADE_HOST), NULL, NULL, 0};
	sides[0] = gated->base;
	sides[1] = gated->new;
	for (unsigned s = 0; s < 2; s++) {
		static const char *const points[] = {"tree.memcgs=10", "tree.memcgs=100"};

		for (unsigned p = 0; p < 2; p++) {
			made_point(sides[s], points[p]);
			made_noise(sides[s], "walk", 1000 * (s ? walk : 1), 0.04, 10, 4 * seed + s);
			made_noise(sides[s], "cached", 100 * (s ? cached : 1), 0.04, 10,
				   4 * seed + 2 + s);
		}
	}
}

static void judge_by(struct gated *gated, const char *metric)
{
	struct compare_options options = {metric_find(metric, strlen(metric)), 0.05, 0.25, true};
	struct error err = {0};

	if (compare_new(gated->base, gated->new, &options, &gated->compare, &err))
		fail_msg("%s", err.text);
	assert_int_equal(gate_failures(gated->compare, &gated->failures, &gated->nr), 0);
	assert_int_equal(gated->compare->worse, gated->nr > 0);
}

static void judge(struct gated *gated)
{
	judge_by(gated, "p50");
}

static void end(struct gated *gated)
{
	free(gated->failures);
	compare_free(gated->compare);
	record_free(gated->base);
	record_free(gated->new);
}

static void the_same_thing_twice_passes_twenty_times(void **state)
{
	for (unsigned seed = 0; seed < 20; seed++) {
		struct gated gated;

		make(&gated, 1, 1, 100 + seed);
		judge(&gated);
		assert_int_equal(gated.nr, 0);
		end(&gated);
	}
}

static void a_slower_machine_passes(void **state)
{
	struct gated gated;

	make(&gated, 1.8, 1.8, 1);
	judge(&gated);
	assert_int_equal(gated.compare->comparisons[0].verdict, VERDICT_REGRESSION);
	assert_int_equal(gated.nr, 0);
	end(&gated);
}

static void a_back_end_that_fell_behind_fails_and_is_named(void **state)
{
	struct gated gated;

	make(&gated, 1, 1.5, 1);
	judge(&gated);
	assert_int_equal(gated.nr, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(gated.failures[i].fault, GATE_RATIO);
		assert_string_equal(gated.failures[i].cell->backend, "cached");
		assert_string_equal(gated.failures[i].ratio->other, "cached");
	}
	end(&gated);
	make(&gated, 1.5, 1, 1);
	judge(&gated);
	assert_int_equal(gated.nr, 2);
	assert_string_equal(gated.failures[0].cell->backend, "walk");
	end(&gated);
}

/* walk / cached falls by 22 %, and cached takes 29 % longer. */
static void which_of_the_two_is_divided_by_does_not_matter(void **state)
{
	struct gated gated;

	make(&gated, 1, 1.29, 1);
	judge(&gated);
	assert_int_equal(gated.nr, 2);
	assert_string_equal(gated.failures[0].cell->backend, "cached");
	end(&gated);
	make(&gated, 1.29, 1, 1);
	judge(&gated);
	assert_int_equal(gated.nr, 2);
	assert_string_equal(gated.failures[0].cell->backend, "walk");
	end(&gated);
}

/* A gate that passes because it cannot fail must not look like one that found nothing. */
static void ratios_of_too_few_processes_are_counted(void **state)
{
	struct gated gated;
	size_t processes;

	make(&gated, 1, 1, 1);
	judge(&gated);
	assert_int_equal(gate_blind_ratios(gated.compare, &processes), 0);
	end(&gated);
	make(&gated, 1, 2, 1);
	gated.new->cells[1].processes = 3; /* against 10: p of 2 / 286, and 2 ratios */
	judge(&gated);
	assert_int_equal(gate_blind_ratios(gated.compare, &processes), 0);
	end(&gated);
	make(&gated, 1, 2, 1);
	gated.new->cells[1].processes = 2; /* 2 / 66 */
	judge(&gated);
	assert_int_equal(gate_blind_ratios(gated.compare, &processes), 1);
	assert_int_equal(processes, 5); /* 2 / 252 < 0.05 / 2 */
	gated.new->cells[1].processes = 10;
	end(&gated);
}

static void where_more_is_better_who_does_less_is_named(void **state)
{
	static const char *const slower[] = {"walk", "cached"};

	for (unsigned i = 0; i < 2; i++) {
		struct gated gated;

		make(&gated, 1, 1, 1);
		for (unsigned c = 0; c < 4; c++) {
			struct record_cell *cell = &gated.new->cells[c];

			made_metric(&gated.base->cells[c], "rate", 1);
			made_metric(cell, "rate", strcmp(cell->backend, slower[i]) ? 1 : 0.5);
		}
		judge_by(&gated, "rate");
		assert_int_equal(gated.nr, 2);
		assert_string_equal(gated.failures[0].cell->backend, slower[i]);
		end(&gated);
	}
}

/* There is no factor from or to 0, but a better and a worse. */
static void errors_that_went_away_are_no_fault(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		struct gated gated;

		make(&gated, 1, 1, 1);
		for (unsigned c = 0; c < 4; c++) {
			bool walk = c % 2 == 0;

			made_metric(&gated.base->cells[c], "error", walk && i == 1 ? 0 : 1);
			made_metric(&gated.new->cells[c], "error", walk && i == 0 ? 0 : 1);
		}
		judge_by(&gated, "error");
		assert_true(gated.compare->ratios[0].q < 0.05);
		assert_int_equal(gated.nr, i == 0 ? 0 : 2);
		if (gated.nr)
			assert_string_equal(gated.failures[0].cell->backend, "walk");
		end(&gated);
	}
}

/* The ratio changes as much, and nobody is the worse for it. */
static void a_back_end_that_got_faster_passes(void **state)
{
	struct gated gated;

	make(&gated, 1.01, 0.5, 1);
	judge(&gated);
	assert_int_equal(gated.compare->ratios[0].verdict, VERDICT_IMPROVEMENT);
	assert_int_equal(gated.nr, 0);
	end(&gated);
}

static void a_ratio_that_changed_by_less_passes(void **state)
{
	struct gated gated;

	make(&gated, 1, 1.15, 1);
	judge(&gated);
	assert_int_equal(gated.compare->ratios[0].verdict, VERDICT_SMALL);
	assert_int_equal(gated.nr, 0);
	end(&gated);
}

static void any_difference_of_a_count_fails(void **state)
{
	struct gated gated;

	make(&gated, 1, 1, 1);
	gated.new->cells[1].counts.loads_local = 1;
	judge(&gated);
	assert_int_equal(gated.nr, 1);
	assert_int_equal(gated.failures[0].fault, GATE_COUNT);
	assert_string_equal(gated.failures[0].count->name, "loads_local");
	assert_ptr_equal(gated.failures[0].cell, &gated.new->cells[1]);
	end(&gated);
}

static void counts_fail_across_classes_of_hosts_and_ratios_do_not(void **state)
{
	struct gated gated;

	make(&gated, 1, 3, 1);
	gated.new->cells[0].counts.atomics = 5;
	free(gated.new->host_class);
	gated.new->host_class = strdup("another CPU");
	judge(&gated);
	assert_int_equal(gated.nr, 1);
	assert_int_equal(gated.failures[0].fault, GATE_COUNT);
	end(&gated);
}

static void errors_in_the_new_run_fail_and_those_of_the_old_do_not(void **state)
{
	struct gated gated;

	make(&gated, 1, 1, 1);
	gated.base->cells[0].cells_beyond_bound = 3;
	gated.base->cells[0].counts_differ = true;
	judge(&gated);
	assert_int_equal(gated.nr, 0);
	end(&gated);
	make(&gated, 1, 1, 1);
	gated.new->cells[0].cells_beyond_bound = 3;
	gated.new->cells[2].counts_differ = true;
	judge(&gated);
	assert_int_equal(gated.nr, 2);
	assert_int_equal(gated.failures[0].fault, GATE_BEYOND_BOUND);
	assert_int_equal(gated.failures[1].fault, GATE_UNSTABLE_COUNTS);
	assert_ptr_equal(gated.failures[1].cell, &gated.new->cells[2]);
	end(&gated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_thing_twice_passes_twenty_times),
		cmocka_unit_test(a_slower_machine_passes),
		cmocka_unit_test(a_back_end_that_fell_behind_fails_and_is_named),
		cmocka_unit_test(which_of_the_two_is_divided_by_does_not_matter),
		cmocka_unit_test(ratios_of_too_few_processes_are_counted),
		cmocka_unit_test(where_more_is_better_who_does_less_is_named),
		cmocka_unit_test(errors_that_went_away_are_no_fault),
		cmocka_unit_test(a_back_end_that_got_faster_passes),
		cmocka_unit_test(a_ratio_that_changed_by_less_passes),
		cmocka_unit_test(any_difference_of_a_count_fails),
		cmocka_unit_test(counts_fail_across_classes_of_hosts_and_ratios_do_not),
		cmocka_unit_test(errors_in_the_new_run_fail_and_those_of_the_old_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
