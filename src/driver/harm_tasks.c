// SPDX-License-Identifier: MIT
/* See harm_tasks.h. */
#include "driver/harm_tasks.h"

#include "base/rng.h"
#include "kernel/live_dirs.h"
#include "kernel/page_file.h"
#include "timing/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STREAM                                                                            \
	UINT64_C(0x6861726d) /* of random numbers, apart from who else draws by tree.seed \
			      */

struct placed {
	struct load_task task;
	uint32_t memcg;
	enum harm_place place;
};

struct harm_tasks {
	const struct point *point;
	unsigned version; /* of cgroup */
	struct live_dirs dirs;
	int top; /* directory of the tree; owned */
	unsigned nr; /* started, of `room` */
	unsigned room;
	uint64_t limit_bytes; /* the lowest that was set; 0: none */
	struct placed *each;
};

static const char *usage_file(const struct harm_tasks *tasks)
{
	return tasks->version == 1 ? "memory.usage_in_bytes" : "memory.current";
}

static const char *limit_file(const struct harm_tasks *tasks)
{
	return tasks->version == 1 ? "memory.limit_in_bytes" : "memory.max";
}

/* A cgroup is made without a limit, and ours never have another. */
static const char *no_limit(const struct harm_tasks *tasks)
{
	return tasks->version == 1 ? "-1" : "max";
}

/* Leaves that have a directory. */
static uint32_t leaf_after(const struct memcg_tree *tree, uint32_t at)
{
	while (++at < tree->nr)
		if (tree->first_child[at] == MEMCG_NONE && !tree->dying[at])
			return at;
	return MEMCG_NONE;
}

/* Even steps over all leaves, from a seeded one on. */
static int choose_leaves(struct harm_tasks *tasks, const struct memcg_tree *tree, struct error *err)
{
	struct rng rng = rng_for(tasks->point->tree.seed, STREAM, tasks->room);
	uint32_t nr = 0, rank = 0;
	uint64_t first;

	for (uint32_t at = leaf_after(tree, 0); at != MEMCG_NONE; at = leaf_after(tree, at))
		nr++;
	if (!nr)
		return error_set(err, -EINVAL,
				 "harm.tasks: no leaf of the tree is there to charge pages to");
	first = rng_below(&rng, nr);
	for (uint32_t at = leaf_after(tree, 0); at != MEMCG_NONE; at = leaf_after(tree, at), rank++)
		for (unsigned i = 0; i < tasks->room; i++) {
			uint64_t step = tasks->room <= nr ? (uint64_t)i * nr / tasks->room : i;

			if ((first + step) % nr == rank)
				tasks->each[i].memcg = at;
		}
	return 0;
}

/* A modelled CPU that tasks can be bound to, and where that is. */
struct seat {
	unsigned cpu, os_cpu;
	enum harm_place place;
};

/* Each real CPU of the placement once, those of readers last. The number of them, or -errno. */
static int find_seats(const struct sampler *sampler, struct seat *seats, struct error *err)
{
	const struct placement *placement = sampler->placement;
	unsigned readers = sampler->point->read.readers;
	int nr = 0, apart = 0;

	for (unsigned cpu = 0; cpu < placement->nr_cpus; cpu++) {
		int os_cpu = placement_os_cpu(placement, cpu, err);
		struct seat seat = {cpu, (unsigned)os_cpu, HARM_APART};
		bool known = false;

		if (os_cpu < 0)
			return os_cpu;
		for (int i = 0; i < nr; i++)
			known |= seats[i].os_cpu == seat.os_cpu;
		if (known)
			continue;
		for (unsigned i = 0; i < readers; i++)
			if (placement_os_cpu(placement, i, err) == os_cpu)
				seat.place = HARM_BESIDE;
		seats[nr] = seat;
		if (seat.place == HARM_APART) {
			seats[nr] = seats[apart];
			seats[apart++] = seat;
		}
		nr++;
	}
	return nr;
}

static int start_each(struct harm_tasks *tasks, const struct sampler *sampler, struct error *err)
{
	const struct point *point = tasks->point;
	struct seat *seats = calloc(sampler->placement->nr_cpus, sizeof(*seats));
	struct load_work work = {
		.of_file = point->harm.kind == HARM_FILE,
		.reclaimed = point->harm.limit_ppm > 0,
		.pages = point->harm.pages,
		.directories = page_file_directories,
		.placement = sampler->placement,
	};
	int nr, r = 0;

	if (!seats)
		return error_set(err, -ENOMEM, "out of memory for tasks that charge pages");
	nr = find_seats(sampler, seats, err);
	for (; nr > 0 && !r && tasks->nr < tasks->room; tasks->nr += !r) {
		const struct seat *seat = &seats[tasks->nr % (unsigned)nr];

		work.cpu = seat->cpu;
		tasks->each[tasks->nr].place = seat->place;
		r = load_task_start(&work, &tasks->each[tasks->nr].task, err);
	}
	free(seats);
	return nr < 0 ? nr : r;
}

static int read_number(struct harm_tasks *tasks, uint32_t memcg, const char *file, uint64_t *number,
		       struct error *err)
{
	int directory = live_dirs_open(&tasks->dirs, memcg, err), fd;
	char text[32] = "", *end;
	ssize_t got;
	int code;

	if (directory < 0)
		return directory;
	fd = openat(directory, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	code = got < 0 ? -errno : -EIO;
	if (fd >= 0)
		close(fd);
	*number = strtoull(text, &end, 10);
	if (got > 0 && end != text)
		return 0;
	return error_set(err, code, "memcg %" PRIu32 ": cannot read %s: %s", memcg, file,
			 strerror(-code));
}

/* Tasks that are in the same leaf as the i-th; 0 where one before it is, which has seen to it. */
static unsigned in_leaf_of(const struct harm_tasks *tasks, unsigned i)
{
	unsigned nr = 0;

	for (unsigned k = 0; k < tasks->nr; k++) {
		if (tasks->each[k].memcg != tasks->each[i].memcg)
			continue;
		if (k < i)
			return 0;
		nr++;
	}
	return nr;
}

/* The share of the pages, on top of what the leaf holds: the fixture's charges, and what CPUs have
 * charged beforehand. */
static int set_limit(struct harm_tasks *tasks, unsigned i, struct error *err)
{
	const struct point *point = tasks->point;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes;
	uint64_t held = (uint64_t)point->harm.pages * point->harm.limit_ppm / 1000000;
	unsigned sharing = in_leaf_of(tasks, i);
	char text[32];
	int r;

	if (!point->harm.limit_ppm || !sharing)
		return 0;
	r = read_number(tasks, tasks->each[i].memcg, usage_file(tasks), &bytes, err);
	if (r)
		return r;
	bytes = (bytes + page - 1) / page * page + held * sharing * page;
	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	if (!tasks->limit_bytes || bytes < tasks->limit_bytes)
		tasks->limit_bytes = bytes;
	return live_dirs_write(&tasks->dirs, tasks->each[i].memcg, limit_file(tasks), text, err);
}

static int move(struct harm_tasks *tasks, const struct placed *placed, struct error *err)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)placed->task.pid);
	return live_dirs_write(&tasks->dirs, placed->memcg, "cgroup.procs", pid, err);
}

/* All are in place, under their limits, before the first begins. */
static int let_begin(struct harm_tasks *tasks, struct error *err)
{
	int r = 0;

	for (unsigned i = 0; !r && i < tasks->nr; i++)
		r = move(tasks, &tasks->each[i], err);
	for (unsigned i = 0; !r && i < tasks->nr; i++)
		r = set_limit(tasks, i, err);
	for (unsigned i = 0; !r && i < tasks->nr; i++)
		r = load_task_go(&tasks->each[i].task, err);
	return r;
}

static int open_tree(struct harm_tasks *tasks, const struct memcg_tree *tree, const json_t *fixture,
		     struct error *err)
{
	const char *path = json_string_value(json_object_get(fixture, "tree"));

	tasks->version = (unsigned)json_integer_value(json_object_get(fixture, "version"));
	if (!path || (tasks->version != 1 && tasks->version != 2))
		return error_set(err, -EINVAL, "what stands for live back ends is not said");
	tasks->top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (tasks->top < 0)
		return error_set(err, -errno, "%s: %s", path, strerror(errno));
	return live_dirs_init(&tasks->dirs, tree, tasks->top, err);
}

int harm_tasks_start(const struct sampler *sampler, const json_t *fixture, struct harm_tasks **out,
		     struct error *err)
{
	unsigned room = sampler->point->harm.tasks;
	struct harm_tasks *tasks;
	int r;

	*out = NULL;
	if (!fixture || !room)
		return 0;
	tasks = calloc(1, sizeof(*tasks));
	if (tasks)
		*tasks = (struct harm_tasks){.point = sampler->point,
					     .top = -1,
					     .room = room,
					     .each = calloc(room, sizeof(*tasks->each))};
	if (!tasks || !tasks->each) {
		free(tasks);
		return error_set(err, -ENOMEM, "out of memory for tasks that charge pages");
	}
	*out = tasks; /* to be stopped, whatever comes now */
	r = open_tree(tasks, sampler->tree, fixture, err);
	if (!r)
		r = choose_leaves(tasks, sampler->tree, err);
	if (!r)
		r = start_each(tasks, sampler, err);
	return r ? r : let_begin(tasks, err);
}

void harm_tasks_describe(const struct harm_tasks *tasks, struct harm *harm)
{
	for (unsigned i = 0; tasks && i < tasks->nr; i++)
		harm->tasks[tasks->each[i].place]++;
	harm->limit_bytes = tasks ? tasks->limit_bytes : 0;
}

void harm_tasks_count(const struct harm_tasks *tasks, struct load_count counts[NR_HARM_PLACES])
{
	memset(counts, 0, NR_HARM_PLACES * sizeof(*counts));
	for (unsigned i = 0; tasks && i < tasks->nr; i++) {
		struct load_count count = load_task_count(&tasks->each[i].task);

		counts[tasks->each[i].place].charges += count.charges;
		counts[tasks->each[i].place].touches += count.touches;
	}
}

int harm_tasks_check(struct harm_tasks *tasks, struct error *err)
{
	int r = 0;

	for (unsigned i = 0; tasks && !r && i < tasks->nr; i++)
		r = load_task_check(&tasks->each[i].task, err);
	return r;
}

int harm_tasks_stop(struct harm_tasks *tasks, struct error *err)
{
	struct error unsaid;
	int r = 0;

	if (!tasks)
		return 0;
	for (unsigned i = 0; i < tasks->nr; i++)
		load_task_stop(&tasks->each[i].task);
	/* Also where it was not set: the same, once more. */
	for (unsigned i = 0; tasks->point->harm.limit_ppm && i < tasks->nr; i++) {
		int back = live_dirs_write(&tasks->dirs, tasks->each[i].memcg, limit_file(tasks),
					   no_limit(tasks), err && !r ? err : &unsaid);

		r = r ? r : back;
	}
	if (tasks->nr)
		clock_sleep_until(clock_now() + HARM_SETTLE_NS);
	if (tasks->dirs.way)
		live_dirs_fini(&tasks->dirs);
	if (tasks->top >= 0)
		close(tasks->top);
	free(tasks->each);
	free(tasks);
	return r;
}
