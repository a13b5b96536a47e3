// SPDX-License-Identifier: MIT
/*
 * Tasks that charge pages to real cgroups while harm is looked at: the kernel counts what they
 * count, and leaves are in the end as they were. Skipped where this machine has no memory hierarchy
 * to make cgroups in, with the reason.
 */
#include "driver/harm_tasks.h"

#include "base/file.h"
#include "kernel/live_tree.h"
#include "kernel/own_note.h"
#include "timing/clock.h"

#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MEMCGS 20
/* Pages that CPUs may have charged beforehand, or that are a task's own: its stack, page tables. */
#define OWN_PAGES 400u

struct live {
	struct test_model model;
	struct hierarchy hierarchy;
	char notes[PATH_MAX];
	struct live_tree tree;
	struct sampler sampler;
	json_t *fixture;
};

static void check(int r, const struct error *err)
{
	if (r)
		fail_msg("%d: %s", r, err->text);
}

static bool live_init(struct live *live, const struct point *point)
{
	struct error err = {.text = ""};
	char path[PATH_MAX];
	int r;

	memset(live, 0, sizeof(*live));
	r = hierarchy_find(HIERARCHY_MOUNTS, &live->hierarchy, &err);
	if (!r)
		r = own_notes_path(live->notes, &err);
	if (r) {
		print_message("# skipped: %s\n", err.text);
		return false;
	}
	fixture_init(&live->model, point, "cached");
	r = live_tree_make(&live->hierarchy, live->notes, live->model.tree, NULL, &live->tree,
			   &err);
	if (r == -EACCES || r == -EPERM || r == -EROFS || r == -ENODEV) {
		print_message("# skipped: %s\n", err.text);
		fixture_fini(&live->model);
		hierarchy_close(&live->hierarchy);
		return false;
	}
	check(r, &err);
	live->sampler = (struct sampler){.backend = live->model.backend,
					 .instance = live->model.instance,
					 .point = &live->model.point,
					 .tree = live->model.tree,
					 .placement = live->model.placement};
	snprintf(path, sizeof(path), "%.2000s/%s/tree", live->hierarchy.mount, live->tree.own.name);
	live->fixture =
		json_pack("{s:i, s:s}", "version", (int)live->hierarchy.version, "tree", path);
	assert_non_null(live->fixture);
	return true;
}

static void live_fini(struct live *live)
{
	struct error err;

	json_decref(live->fixture);
	check(live_tree_remove(&live->tree, &err), &err);
	hierarchy_close(&live->hierarchy);
	fixture_fini(&live->model);
}

static char *read_file(struct live *live, uint32_t memcg, const char *file)
{
	int directory, fd;
	size_t length;
	struct error err;
	char path[64], *text;

	directory = live_dirs_open(&live->tree.dirs, memcg, &err);
	assert_true(directory >= 0);
	fd = openat(directory, file, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check(file_read(path, 1 << 16, &text, &length, &err), &err);
	close(fd);
	return text;
}

static uint64_t row_of(struct live *live, uint32_t memcg, const char *file, const char *row)
{
	char *text = read_file(live, memcg, file), *at = text;
	uint64_t value;

	if (row) {
		at = strstr(text, row);
		assert_non_null(at);
		at += strlen(row);
	}
	value = strtoull(at, NULL, 10);
	free(text);
	return value;
}

static uint64_t sum_of(struct live *live, const char *file, const char *row)
{
	uint64_t sum = 0;

	for (uint32_t memcg = 1; memcg <= MEMCGS; memcg++)
		sum += row_of(live, memcg, file, row);
	return sum;
}

/* Nobody is in any cgroup, and none has a limit. */
static void assert_as_they_were(struct live *live)
{
	bool v1 = live->hierarchy.version == 1;

	for (uint32_t memcg = 1; memcg <= MEMCGS; memcg++) {
		char *limit = read_file(live, memcg, v1 ? "memory.limit_in_bytes" : "memory.max");
		char *procs = read_file(live, memcg, "cgroup.procs");

		assert_string_equal(procs, "");
		/* v1's is the largest number of pages that it can count. */
		assert_true(!strcmp(limit, "max\n") || strtoull(limit, NULL, 10) > UINT64_MAX / 4);
		free(limit);
		free(procs);
	}
}

static struct point point_of(unsigned tasks, uint32_t pages, uint32_t limit_ppm,
			     enum harm_kind kind)
{
	struct point point = small_point(MEMCGS, 1, 2);

	point.harm.time_ns = 200000000;
	point.harm.tasks = tasks;
	point.harm.pages = pages;
	point.harm.limit_ppm = limit_ppm;
	point.harm.kind = kind;
	return point;
}

/* v1 counts pages that were charged: `pgpgin`. They went on for as long as it took to stop them. */
static void assert_kernel_counts(struct live *live, uint64_t charges)
{
	uint64_t found;

	if (live->hierarchy.version != 1)
		return;
	found = sum_of(live, "memory.stat", "\npgpgin ");
	assert_true(found + OWN_PAGES >= charges);
	assert_true((double)found < 10 * (double)charges + OWN_PAGES);
}

static uint64_t charge_for_a_while(struct live *live, uint64_t *touches)
{
	struct load_count counts[NR_HARM_PLACES];
	struct harm_tasks *tasks;
	struct error err;
	int r = harm_tasks_start(&live->sampler, live->fixture, &tasks, &err);

	if (r)
		harm_tasks_stop(tasks, NULL);
	check(r, &err);
	clock_sleep_until(clock_now() + 300000000);
	check(harm_tasks_check(tasks, &err), &err);
	harm_tasks_count(tasks, counts);
	check(harm_tasks_stop(tasks, &err), &err);
	*touches = counts[HARM_APART].touches + counts[HARM_BESIDE].touches;
	return counts[HARM_APART].charges + counts[HARM_BESIDE].charges;
}

static void the_kernel_counts_the_charges_that_are_told(void **state)
{
	struct point point = point_of(3, 500, 0, HARM_ANON);
	uint64_t charges, touches;
	struct live live;

	(void)state;
	if (!live_init(&live, &point))
		skip();
	charges = charge_for_a_while(&live, &touches);
	assert_true(charges > 3 * 500);
	assert_kernel_counts(&live, charges);
	assert_as_they_were(&live);
	live_fini(&live);
}

static void pages_beyond_the_limit_are_reclaimed(void **state)
{
	struct point point = point_of(2, 2000, 250000, HARM_FILE);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct error err;
	struct live live;
	struct harm harm;
	double charges = 0, seconds;

	(void)state;
	if (!live_init(&live, &point))
		skip();
	check(harm_measure(&live.sampler, live.fixture, 1000, 1, &harm, &err), &err);
	assert_int_equal(harm.tasks[HARM_APART] + harm.tasks[HARM_BESIDE], 2);
	assert_true(harm.limit_bytes >= 500 * page && harm.limit_bytes <= (500 + OWN_PAGES) * page);
	for (unsigned i = 0; i < NR_HARM_PLACES * NR_HARM_SIDES * harm.pairs; i++) {
		unsigned place = i % NR_HARM_PLACES, side = i / NR_HARM_PLACES % NR_HARM_SIDES;
		const struct harm_rates *rates =
			&harm.rates[place][side][i / NR_HARM_PLACES / NR_HARM_SIDES];

		assert_true(rates->charges <= rates->touches * 1.0001);
		assert_true(!rates->touches || harm.tasks[place]);
		charges += rates->charges;
	}
	seconds = (harm.seconds[HARM_WITHOUT] + harm.seconds[HARM_WITH]) / 2 / harm.pairs;
	charges *= seconds;
	/* More than fit under the limit: pages had to be taken away for others to come. */
	assert_true(charges > 2 * (500 + OWN_PAGES));
	assert_kernel_counts(&live, (uint64_t)charges);
	assert_as_they_were(&live);
	harm_fini(&harm);
	live_fini(&live);
}

static void what_is_not_there_is_said_and_nothing_left(void **state)
{
	struct point point = point_of(2, 100, 0, HARM_ANON);
	struct error err = {.text = ""};
	struct live live;
	struct harm harm;
	json_t *bad;

	(void)state;
	if (!live_init(&live, &point))
		skip();
	bad = json_pack("{s:i, s:s}", "version", 1, "tree", "/nowhere/at/all");
	assert_int_equal(harm_measure(&live.sampler, bad, 1000, 1, &harm, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nowhere/at/all"));
	harm_fini(&harm);
	json_decref(bad);
	assert_as_they_were(&live);
	live_fini(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_counts_the_charges_that_are_told),
		cmocka_unit_test(pages_beyond_the_limit_are_reclaimed),
		cmocka_unit_test(what_is_not_there_is_said_and_nothing_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
