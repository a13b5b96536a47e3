// SPDX-License-Identifier: MIT
/* What there is for live_limits.h to compare with what is asked for; and what a point asks for. */
#include "kernel/live_limits.h"

#include "base/file.h"
#include "driver/available.h"
#include "kernel/capture_walk.h"
#include "kernel/live_fill.h"
#include "kernel/own_note.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TEXT_MAX 65536
/* Descriptors that a process has open beside files that it reads, with room to spare. For those a
 * back end raises its limit: live_reads_descriptors_possible(). */
#define DESCRIPTORS 128u
/* Tasks beside readers: the one that charges, the one that measures, and who watches them. */
#define TASKS 8u

struct live_demand live_demand_of(const struct point *point, const struct memcg_tree *tree)
{
	struct charge_plan plan = {.point = point};
	struct live_demand demand = {
		.memcgs = tree->nr,
		.levels = (uint64_t)tree->max_depth + 2,
		.pages = live_fill_room(&plan, tree),
		.tasks = TASKS + point->read.readers,
		.descriptors = DESCRIPTORS,
		.file = point->read.file == READ_NUMA_STAT ? "memory.numa_stat" : "memory.stat",
	};

	for (uint32_t memcg = 0; memcg < tree->nr; memcg++)
		demand.ancestors += (uint64_t)tree->depth[memcg] + 2;
	return demand;
}

/* The text of a file in a directory (AT_FDCWD: of a path), or NULL; the caller frees. */
static char *read_at(int directory, const char *file)
{
	int fd = openat(directory, file, O_RDONLY | O_CLOEXEC);
	char path[64], *text = NULL;
	size_t length;

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (file_read(path, TEXT_MAX, &text, &length, NULL))
		text = NULL;
	close(fd);
	return text;
}

/* "max" and what cannot be read are no limit. */
static uint64_t limit_at(int directory, const char *file)
{
	char *text = read_at(directory, file);
	uint64_t limit = UINT64_MAX;

	if (text && *text >= '0' && *text <= '9')
		limit = strtoull(text, NULL, 10);
	free(text);
	return limit;
}

/* The number behind a word at the start of a line; UINT64_MAX where it is not there. */
static uint64_t row_at(int directory, const char *file, const char *word, int base)
{
	char *text = read_at(directory, file), *line = text;
	uint64_t value = UINT64_MAX;
	size_t length = strlen(word);

	while (line && strncmp(line, word, length) != 0) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	if (line)
		value = strtoull(line + length, NULL, base);
	free(text);
	return value;
}

/* The third column of memory's line in /proc/cgroups. */
static uint64_t count_in_table(const char *root)
{
	unsigned long long number = 0;
	char path[PATH_MAX], *text, *line;

	snprintf(path, sizeof(path), "%s/proc/cgroups", root);
	text = read_at(AT_FDCWD, path);
	line = text ? strstr(text, "\nmemory") : NULL;
	if (line && sscanf(line, "\nmemory %*u %llu", &number) != 1)
		number = 0;
	free(text);
	return number;
}

static void gather_v2(const struct hierarchy *hierarchy, struct live_facts *facts)
{
	int top = hierarchy->fd;
	/* The machine's root cgroup has no such file. */
	bool root = faccessat(top, "cgroup.events", F_OK, 0) < 0;
	char *processes = root ? NULL : read_at(top, "cgroup.procs");
	uint64_t living = row_at(top, "cgroup.stat", "nr_descendants ", 10);
	uint64_t dying = row_at(top, "cgroup.stat", "nr_dying_descendants ", 10);

	facts->has_processes = processes && *processes;
	free(processes);
	facts->handed_down = hierarchy_file_lists(top, "cgroup.subtree_control", "memory") > 0;
	facts->descendants = living;
	facts->max_descendants = limit_at(top, "cgroup.max.descendants");
	facts->max_levels = limit_at(top, "cgroup.max.depth");
	if (living == UINT64_MAX || dying == UINT64_MAX)
		return;
	/* The table's number is of the whole machine, if it has one. */
	if (facts->memcgs < living + dying + 1)
		facts->memcgs = living + dying + 1;
}

static int count_one(void *arg, int directory, uint32_t depth, const char *name, struct error *err)
{
	(void)directory;
	(void)depth;
	(void)name;
	(void)err;
	++*(uint64_t *)arg;
	return 1;
}

void live_facts_count(const struct hierarchy *hierarchy, struct live_facts *facts)
{
	uint64_t visible = 0;
	struct capture_walk walk = {.visit = count_one, .arg = &visible};

	if (!hierarchy->in_part && !capture_walk(&walk, hierarchy->fd, NULL) &&
	    visible < facts->memcgs)
		facts->memcgs = visible;
}

static bool may_lock_all(const char *root)
{
	char path[PATH_MAX];
	uint64_t capabilities;

	snprintf(path, sizeof(path), "%s/proc/self/status", root);
	capabilities = row_at(AT_FDCWD, path, "CapEff:", 16);
	return capabilities != UINT64_MAX && capabilities & (UINT64_C(1) << CAP_IPC_LOCK);
}

static uint64_t limit_of(int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

static int may_make(const struct hierarchy *hierarchy)
{
	if (faccessat(hierarchy->fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return -errno;
	/* v2: who moves a process has to have the right in the cgroup above both, too. */
	if (hierarchy->version == 2 &&
	    faccessat(hierarchy->fd, "cgroup.procs", W_OK, AT_EACCESS) < 0)
		return -errno;
	return 0;
}

void live_facts_gather(const struct hierarchy *hierarchy, const char *notes, const char *root,
		       const char *file, struct live_facts *facts)
{
	*facts = (struct live_facts){
		.mount = hierarchy->mount,
		.version = hierarchy->version,
		.read_only = hierarchy->read_only,
		.with_cpuset = hierarchy->with_cpuset,
		.make_error = may_make(hierarchy),
		.has_file = faccessat(hierarchy->fd, file, F_OK, 0) == 0,
		.memcgs = count_in_table(root),
		.descendants = UINT64_MAX,
		.max_descendants = UINT64_MAX,
		.max_levels = UINT64_MAX,
		.memory = UINT64_MAX,
		.lockable = may_lock_all(root) ? UINT64_MAX : limit_of(RLIMIT_MEMLOCK),
		.tasks = available_tasks(root),
		.descriptors = limit_of(RLIMIT_NOFILE),
		.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
	};
	if (hierarchy->version == 2)
		gather_v2(hierarchy, facts);
	if (notes)
		own_notes_possible(notes, &facts->notes_error);
}
