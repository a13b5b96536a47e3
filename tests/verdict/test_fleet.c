// SPDX-License-Identifier: MIT
/* What collectors cost, from runs that nobody measured: each figure, and each that is refused. */
#include "made_run.h"

#include "result/summary.h"
#include "verdict/fleet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECOND 1000000000u

/* Sweeps whose time is what the caller says, in every process. */
struct sweeps {
	struct made_run made;
	struct run_summary *summary;
	struct fleet *fleet;
};

static void load(struct sweeps *sweeps, const char *yaml, const double *ns, unsigned repetitions,
		 uint32_t memcgs)
{
	struct error err = {0};

	made_run_begin(&sweeps->made, yaml);
	for (size_t p = 0; p < sweeps->made.scenario->nr_points; p++) {
		for (unsigned i = 1; i <= repetitions; i++) {
			json_t *result = made_result(&sweeps->made, p, 0, i);

			made_median(result, ns[p] * (1 + 0.001 * i));
			made_run_write(&sweeps->made, p, 0, i, result);
		}
	}
	if (summary_load(sweeps->made.path, &sweeps->summary, &err))
		fail_msg("%s: %s", err.file, err.text);
	assert_int_equal(fleet_new(sweeps->summary, memcgs, &sweeps->fleet), 0);
}

static void unload(struct sweeps *sweeps)
{
	fleet_free(sweeps->fleet);
	summary_free(sweeps->summary);
	made_run_end(&sweeps->made);
}

#define SWEEP(memcgs, repetitions)                                            \
	"name: sweeps\ntree: {memcgs: [" memcgs "]}\nmachine: {cpus: 8}\n"    \
	"read: {cgroup: all, cache: cold, samples: 20}\nbackends: [cached]\n" \
	"repetitions: " repetitions "\n"

static const double growing[] = {10e6, 100e6, 1000e6};

static void a_sweep_costs_its_mean_as_often_as_it_is_made(void **state)
{
	const struct fleet_sweep *sweep;
	struct fleet_cost one, three;
	struct sweeps s;

	load(&s, SWEEP("10, 100, 1k", "7"), growing, 7, 0);
	assert_int_equal(s.fleet->nr, 3);
	assert_int_equal(s.fleet->nr_left_out, 0);
	sweep = &s.fleet->sweeps[1];
	assert_int_equal(sweep->files, 101);
	assert_int_equal(sweep->basis, FLEET_MEASURED);
	assert_float_equal(sweep->mean_ns, 100.4e6, 0.3e6);
	assert_float_equal(sweep->low_ns, 100.1e6, 0.3e6);
	assert_float_equal(sweep->high_ns, 100.7e6, 0.3e6);
	one = fleet_cost(sweep, 10ull * SECOND, 1);
	three = fleet_cost(sweep, 60ull * SECOND, 3);
	assert_float_equal(one.cpu_s_per_hour, 360 * sweep->mean_ns / 1e9, 1e-9);
	assert_float_equal(three.cpu_s_per_hour, 180 * sweep->mean_ns / 1e9, 1e-9);
	assert_float_equal(one.low, 360 * sweep->low_ns / 1e9, 1e-9);
	assert_float_equal(one.share_of_cpu, sweep->mean_ns / 1e10, 1e-12);
	assert_float_equal(one.share_of_host, sweep->mean_ns / 8e10, 1e-12);
	assert_false(one.late);
	unload(&s);
}

static void nobody_reads_more_than_all_the_time(void **state)
{
	struct fleet_cost cost;
	struct sweeps s;

	load(&s, SWEEP("10, 100, 1k", "3"), growing, 3, 0);
	assert_true(isnan(s.fleet->sweeps[2].low_ns));
	cost = fleet_cost(&s.fleet->sweeps[2], SECOND / 2, 2);
	assert_true(cost.late);
	assert_float_equal(cost.cpu_s_per_hour, 7200, 1e-9);
	assert_true(isnan(cost.low));
	unload(&s);
}

static void what_reads_one_file_is_no_sweep(void **state)
{
	static const double ns[] = {10e6, 10e6, 10e6};
	struct sweeps s;

	load(&s,
	     "name: sweeps\ntree: {memcgs: 10}\n"
	     "read: {cgroup: [root, leaf, all], samples: 20}\nbackends: [cached]\nrepetitions: 3\n",
	     ns, 3, 0);
	assert_int_equal(s.fleet->nr, 1);
	assert_int_equal(s.fleet->nr_left_out, 2);
	assert_null(s.fleet->left_out[0].backend);
	unload(&s);
}

static void a_size_between_two_lies_on_their_line(void **state)
{
	struct sweeps s;

	load(&s, SWEEP("10, 1k", "3"), (const double[]){10e6, 1000e6}, 3, 100);
	assert_int_equal(s.fleet->nr, 1);
	assert_int_equal(s.fleet->sweeps[0].basis, FLEET_BETWEEN);
	assert_int_equal(s.fleet->sweeps[0].from, 10);
	assert_int_equal(s.fleet->sweeps[0].to, 1000);
	assert_int_equal(s.fleet->sweeps[0].files, 101);
	assert_float_equal(s.fleet->sweeps[0].mean_ns, 100.2e6, 0.3e6);
	assert_true(isnan(s.fleet->sweeps[0].level));
	unload(&s);
}

static void a_size_that_was_measured_is_taken_as_it_was(void **state)
{
	struct sweeps s;

	load(&s, SWEEP("1k, 10, 100", "3"), (const double[]){7e6, 10e6, 9e6}, 3, 1000);
	assert_int_equal(s.fleet->nr, 1);
	assert_int_equal(s.fleet->sweeps[0].basis, FLEET_MEASURED);
	assert_float_equal(s.fleet->sweeps[0].mean_ns, 7.014e6, 0.03e6);
	unload(&s);
}

static void beyond_three_sizes_their_slope_is_followed(void **state)
{
	struct sweeps s;

	load(&s, SWEEP("10, 100, 1k", "3"), growing, 3, 5000);
	assert_int_equal(s.fleet->nr, 1);
	assert_int_equal(s.fleet->sweeps[0].basis, FLEET_BEYOND);
	assert_float_equal(s.fleet->sweeps[0].slope, 1, 0.01);
	assert_float_equal(s.fleet->sweeps[0].mean_ns, 5010e6, 30e6);
	unload(&s);
	load(&s, SWEEP("10, 100, 1k", "3"), growing, 3, 2);
	assert_int_equal(s.fleet->sweeps[0].basis, FLEET_BEYOND);
	assert_float_equal(s.fleet->sweeps[0].mean_ns, 2.004e6, 0.03e6);
	unload(&s);
}

static void refused(const char *yaml, const double *ns, uint32_t memcgs, const char *reason)
{
	struct sweeps s;

	load(&s, yaml, ns, 3, memcgs);
	assert_int_equal(s.fleet->nr, 0);
	assert_int_equal(s.fleet->nr_left_out, 1);
	assert_string_equal(s.fleet->left_out[0].backend, "cached");
	if (!strstr(s.fleet->left_out[0].reason, reason))
		fail_msg("%s", s.fleet->left_out[0].reason);
	unload(&s);
}

static void what_measured_sizes_do_not_say_is_refused(void **state)
{
	refused(SWEEP("10, 100", "3"), growing, 1000, "too few others");
	refused(SWEEP("10, 100, 1k", "3"), growing, 10001, "too far");
	refused(SWEEP("50, 100, 1k", "3"), growing, 4, "too far");
	refused(SWEEP("10, 100, 1k", "3"), (const double[]){10e6, 15e6, 1000e6}, 5000, "evenly");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sweep_costs_its_mean_as_often_as_it_is_made),
		cmocka_unit_test(nobody_reads_more_than_all_the_time),
		cmocka_unit_test(what_reads_one_file_is_no_sweep),
		cmocka_unit_test(a_size_between_two_lies_on_their_line),
		cmocka_unit_test(a_size_that_was_measured_is_taken_as_it_was),
		cmocka_unit_test(beyond_three_sizes_their_slope_is_followed),
		cmocka_unit_test(what_measured_sizes_do_not_say_is_refused),
	};

	return cmocka_run_group_tests_name("fleet", tests, NULL, NULL);
}
