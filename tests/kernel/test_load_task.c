// SPDX-License-Identifier: MIT
/* Tasks that charge pages: they count each page, and never outlive who started them. */
#include "kernel/load_task.h"

#include "kernel/page_file.h"
#include "place/machine.h"
#include "scenario/parameter.h"
#include "timing/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGES      200u
#define PATIENCE_S 20

struct bench {
	struct point point;
	struct machine *machine;
	struct placement *placement;
};

static void init(struct bench *bench)
{
	struct error_list reasons = {.nr = 0};
	struct error err;

	point_init(&bench->point);
	bench->point.tree.memcgs = 1;
	assert_int_equal(machine_open(NULL, &bench->machine, &err), 0);
	assert_int_equal(placement_new(bench->machine, &bench->point, &bench->placement, &reasons),
			 0);
}

static void fini(struct bench *bench)
{
	placement_free(bench->placement);
	machine_free(bench->machine);
}

static struct load_work work_of(const struct bench *bench, bool of_file)
{
	return (struct load_work){
		.of_file = of_file,
		.pages = PAGES,
		.directories = page_file_directories,
		.placement = bench->placement,
	};
}

static void nap(void)
{
	clock_sleep_until(clock_now() + 1000000);
}

/* Until it has touched so many pages. */
static struct load_count await(const struct load_task *task, uint64_t touches)
{
	uint64_t end = clock_now() + PATIENCE_S * UINT64_C(1000000000);
	struct load_count count = load_task_count(task);

	for (; count.touches < touches && clock_now() < end; count = load_task_count(task))
		nap();
	assert_true(count.touches >= touches);
	return count;
}

static void every_touch_of_an_anonymous_page_is_a_charge(void **state)
{
	struct load_count count;
	struct load_task task;
	struct load_work work;
	struct bench bench;
	struct error err;

	(void)state;
	init(&bench);
	work = work_of(&bench, false);
	assert_int_equal(load_task_start(&work, &task, &err), 0);
	assert_int_equal(load_task_count(&task).touches, 0);
	assert_int_equal(load_task_go(&task, &err), 0);
	await(&task, 10 * PAGES);
	kill(task.pid, SIGSTOP); /* between two stores at most: they are for one chunk */
	nap();
	count = load_task_count(&task);
	assert_true(count.touches - count.charges <= 64);
	load_task_stop(&task);
	fini(&bench);
}

/* Dropped pages come back, one fault each; those of a file that nobody drops are charged once. */
static void pages_of_a_file_are_charged_when_they_were_gone(void **state)
{
	struct bench bench;

	(void)state;
	init(&bench);
	for (unsigned stay = 0; stay < 2; stay++) {
		struct load_work work = work_of(&bench, true);
		struct load_count count;
		struct load_task task;
		struct error err;
		int r;

		work.reclaimed = stay;
		r = load_task_start(&work, &task, &err);
		if (r == -EOPNOTSUPP || r == -ENODEV) {
			fini(&bench);
			print_message("# skipped: %s\n", err.text);
			skip();
		}
		assert_int_equal(r, 0);
		assert_int_equal(load_task_go(&task, &err), 0);
		count = await(&task, 20 * PAGES);
		if (stay)
			assert_true(count.charges <= PAGES);
		else
			assert_true((double)count.charges >= 0.9 * (double)count.touches);
		load_task_stop(&task);
	}
	fini(&bench);
}

static bool is_gone(pid_t pid)
{
	uint64_t end = clock_now() + PATIENCE_S * UINT64_C(1000000000);

	while (kill(pid, 0) == 0 && clock_now() < end)
		nap();
	return kill(pid, 0) < 0 && errno == ESRCH;
}

static void one_that_is_stopped_is_gone_and_reaped(void **state)
{
	struct load_task task;
	struct load_work work;
	struct bench bench;
	struct error err;

	(void)state;
	init(&bench);
	work = work_of(&bench, false);
	for (unsigned at_work = 0; at_work < 2; at_work++) {
		pid_t pid;

		assert_int_equal(load_task_start(&work, &task, &err), 0);
		pid = task.pid;
		if (at_work)
			assert_int_equal(load_task_go(&task, &err), 0);
		load_task_stop(&task);
		assert_int_equal(kill(pid, 0), -1);
		assert_int_equal(errno, ESRCH);
	}
	load_task_stop(&task); /* once more does no harm */
	fini(&bench);
}

static void one_that_was_killed_is_found_out(void **state)
{
	uint64_t end = clock_now() + PATIENCE_S * UINT64_C(1000000000);
	struct load_task task;
	struct load_work work;
	struct bench bench;
	struct error err;
	int r = 0;

	(void)state;
	init(&bench);
	work = work_of(&bench, false);
	assert_int_equal(load_task_start(&work, &task, &err), 0);
	assert_int_equal(load_task_check(&task, &err), 0);
	kill(task.pid, SIGKILL);
	for (; !r && clock_now() < end; nap())
		r = load_task_check(&task, &err);
	assert_int_equal(r, -ECHILD);
	assert_non_null(strstr(err.text, "killed by signal 9"));
	load_task_stop(&task);
	fini(&bench);
}

/* A process starts one, tells its pid, and is killed. Orphans come to us to be reaped. */
static void one_dies_with_who_started_it(void **state)
{
	struct bench bench;
	pid_t parent, pid = 0;
	int ends[2];

	(void)state;
	init(&bench);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	parent = fork();
	if (!parent) {
		struct load_work work = work_of(&bench, false);
		struct load_task task;
		struct error err;

		if (!load_task_start(&work, &task, &err) && !load_task_go(&task, &err))
			(void)!write(ends[1], &task.pid, sizeof(task.pid));
		pause();
		_exit(1);
	}
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(kill(pid, 0), 0);
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	/* PDEATHSIG has reached it: it is killed, whoever reaps it. */
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(is_gone(pid));
	prctl(PR_SET_CHILD_SUBREAPER, 0UL);
	close(ends[0]);
	close(ends[1]);
	fini(&bench);
}

static void a_file_on_tmpfs_is_refused(void **state)
{
	static const char *const nowhere[] = {"/nowhere/at/all", NULL};
	static const char *const tmpfs[] = {"/nowhere/at/all", "/dev/shm", NULL};
	struct load_task task;
	struct load_work work;
	struct bench bench;
	struct error err;
	int r;

	(void)state;
	if (access("/dev/shm", W_OK) < 0)
		skip();
	init(&bench);
	work = work_of(&bench, true);
	work.directories = tmpfs;
	r = load_task_start(&work, &task, &err);
	assert_int_equal(r, -ENODEV);
	assert_non_null(strstr(err.text, "tmpfs"));
	work.directories = nowhere;
	assert_int_equal(load_task_start(&work, &task, &err), -ENOENT);
	fini(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_touch_of_an_anonymous_page_is_a_charge),
		cmocka_unit_test(pages_of_a_file_are_charged_when_they_were_gone),
		cmocka_unit_test(one_that_is_stopped_is_gone_and_reaped),
		cmocka_unit_test(one_that_was_killed_is_found_out),
		cmocka_unit_test(one_dies_with_who_started_it),
		cmocka_unit_test(a_file_on_tmpfs_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
