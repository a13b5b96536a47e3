// SPDX-License-Identifier: MIT
/*
 * gb_time() as the driver uses it: one call, fixed iterations, errors passed on, nothing printed.
 * Registered a second time under BENCHMARK_* variables, which must not change anything.
 */
#include "timing/gb_shim.h"

#include "timing/clock.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Comparisons of two clocks. The machine may take the CPU away between them, so that the same is
 * found different, and now and then by as much as makes up for a false report. */
#define ATTEMPTS 25
#define MISTAKES 5

struct loop {
	unsigned calls;
	uint64_t iterations;
	double manual_ns;
	uint64_t busy_ns; /* spins for so long */
	double share; /* of it is what `chained_ns` tells */
	double chained_ns;
	int result;
};

static int run_loop(void *arg, uint64_t iterations, double *manual_ns)
{
	struct loop *loop = arg;
	uint64_t start = clock_now(), now = start;

	loop->calls++;
	loop->iterations = iterations;
	*manual_ns = loop->manual_ns;
	while (now - start < loop->busy_ns)
		now = clock_now();
	loop->chained_ns = (double)(now - start) * loop->share;
	return loop->result;
}

static void loop_is_called_once_with_the_iterations_asked_for(void **state)
{
	static const uint64_t counts[] = {1, 2, 7, 1000, 123456789, 3000000000, (uint64_t)1 << 40};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		for (int manual = 0; manual < 2; manual++) {
			struct loop loop = {.manual_ns = 5e6};
			struct error err;
			double ns = -1;

			assert_int_equal(
				gb_time("once", counts[i], manual, run_loop, &loop, &ns, &err), 0);
			assert_int_equal(loop.calls, 1);
			assert_int_equal(loop.iterations, counts[i]);
			assert_true(ns >= 0);
		}
	}
}

static void manual_time_comes_back_as_given(void **state)
{
	static const double times[] = {31, 1e3, 4.25e6, 2e9, 7.3e12};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct loop loop = {.manual_ns = times[i]};
		struct error err;
		double ns;

		assert_int_equal(gb_time("manual", 1000, 1, run_loop, &loop, &ns, &err), 0);
		assert_true(fabs(ns - times[i]) <= 1e-9 * times[i]);
	}
}

/* As the driver demands it of the mean and the histogram. */
static bool agree(double a_ns, double b_ns)
{
	return fabs(a_ns - b_ns) <= 0.005 * fmax(a_ns, b_ns);
}

/* In how many of ATTEMPTS. */
static unsigned clocks_agree_on(struct loop loop)
{
	unsigned agreed = 0;

	for (unsigned i = 0; i < ATTEMPTS; i++) {
		struct error err;
		double ns;

		assert_int_equal(gb_time("busy", 100, 0, run_loop, &loop, &ns, &err), 0);
		agreed += agree(ns, loop.chained_ns);
	}
	return agreed;
}

static void wall_clock_and_chained_clock_agree_within_half_a_percent(void **state)
{
	assert_true(clocks_agree_on((struct loop){.busy_ns = 5000000, .share = 1}) > 0);
}

static void loop_that_reports_two_percent_too_little_is_found_out(void **state)
{
	assert_true(agree(1000, 1004.9) && agree(1004.9, 1000));
	assert_false(agree(1000, 1005.2) || agree(1005.2, 1000) || agree(1000, 980));
	assert_in_range(clocks_agree_on((struct loop){.busy_ns = 5000000, .share = 0.98}), 0,
			MISTAKES);
	assert_in_range(clocks_agree_on((struct loop){.busy_ns = 5000000, .share = 1.02}), 0,
			MISTAKES);
}

static void error_of_the_loop_is_passed_on(void **state)
{
	struct loop loop = {.result = -ENOTDIR};
	struct error err;
	double ns = 42;

	assert_int_equal(gb_time("failing", 10, 0, run_loop, &loop, &ns, &err), -ENOTDIR);
	assert_int_equal(loop.calls, 1);
	assert_non_null(strstr(err.text, "failing"));
	assert_non_null(strstr(err.text, strerror(ENOTDIR)));
	assert_true(ns == 42);

	loop.result = 0;
	assert_int_equal(gb_time("fine", 10, 0, run_loop, &loop, &ns, &err), 0);
}

static void impossible_iterations_are_refused(void **state)
{
	struct loop loop = {0};
	struct error err;
	double ns;

	assert_int_equal(gb_time("none", 0, 0, run_loop, &loop, &ns, &err), -EINVAL);
	assert_int_equal(gb_time("wraps", (uint64_t)1 << 63, 0, run_loop, &loop, &ns, &err),
			 -EINVAL);
	assert_int_equal(loop.calls, 0);
	assert_non_null(strstr(err.text, "iterations"));
}

static void nothing_is_printed(void **state)
{
	char name[] = "/tmp/gb-shim-XXXXXX";
	int file = mkstemp(name), out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
	struct loop loop = {0};
	double ns;
	off_t printed;
	int r;

	assert_true(file >= 0 && out >= 0 && err >= 0);
	unlink(name);
	fflush(stdout);
	dup2(file, STDOUT_FILENO);
	dup2(file, STDERR_FILENO);
	r = gb_time("quiet", 10, 0, run_loop, &loop, &ns, NULL);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	printed = lseek(file, 0, SEEK_END);
	close(file);
	close(out);
	close(err);
	assert_int_equal(r, 0);
	assert_int_equal(printed, 0);
}

static void rounds_cost_microseconds(void **state)
{
	enum {
		ROUNDS = 200
	};
	uint64_t start = clock_now();

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct loop loop = {0};
		double ns;

		assert_int_equal(gb_time("round", 10, 1, run_loop, &loop, &ns, NULL), 0);
	}
	/* A few microseconds each; a thousand would tell of a run without fixed iterations. */
	assert_true(clock_now() - start < (uint64_t)ROUNDS * 1000 * 1000);
}

static void version_of_the_library_is_known(void **state)
{
	assert_true(gb_version()[0] >= '1' && gb_version()[0] <= '9');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loop_is_called_once_with_the_iterations_asked_for),
		cmocka_unit_test(manual_time_comes_back_as_given),
		cmocka_unit_test(wall_clock_and_chained_clock_agree_within_half_a_percent),
		cmocka_unit_test(loop_that_reports_two_percent_too_little_is_found_out),
		cmocka_unit_test(error_of_the_loop_is_passed_on),
		cmocka_unit_test(impossible_iterations_are_refused),
		cmocka_unit_test(nothing_is_printed),
		cmocka_unit_test(rounds_cost_microseconds),
		cmocka_unit_test(version_of_the_library_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
