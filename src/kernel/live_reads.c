// SPDX-License-Identifier: MIT
/* See live_reads.h. */
#include "kernel/live_reads.h"

#include "kernel/hierarchy.h"
#include "scenario/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* A reader's room starts at a page, as those of agents do, and a kernel's at one as well. */
#define ROOM_START 4096u
#define ROOM_MOST  (16u << 20)
/* What one thread writes must not be on a line, or on the neighbour of one, that another reads. */
#define APART 128

struct live_reader {
	_Alignas(APART) struct live_reads reads; /* that are not counted */
	char *text; /* [room] */
};

const char *live_reads_file(const struct point *point)
{
	return point->read.file == READ_NUMA_STAT ? "memory.numa_stat" : "memory.stat";
}

/* Which memcgs' files are read. NULL: no memory. */
static bool *find_wanted(const struct backend_env *env, bool below)
{
	const struct memcg_tree *tree = env->tree;
	struct target target = target_of(env->point, tree);
	bool *wanted = calloc(tree->nr, sizeof(*wanted));
	uint32_t at = target.first;

	if (!wanted)
		return NULL;
	for (; at != MEMCG_NONE; at = target_next(&target, tree, at))
		wanted[at] = true;
	/* Parents come before their children. */
	for (at = 1; below && at < tree->nr; at++)
		wanted[at] |= wanted[tree->parent[at]] && !tree->dying[at];
	return wanted;
}

/* Twice what the file has now: its numbers may grow, and not its rows. */
static int find_room(struct live_reading *reading, uint32_t memcg, struct error *err)
{
	struct live_reads reads = {.files = 0};
	size_t size = ROOM_START;
	long length = -ENOSPC;

	while (length == -ENOSPC && size <= ROOM_MOST) {
		char *text = malloc(size);

		if (!text)
			return error_set(err, -ENOMEM, "out of memory");
		length = live_files_read(&reading->files, 0, memcg, text, size, &reads);
		free(text);
		size *= length == -ENOSPC ? 2 : 1;
	}
	if (length < 0)
		return error_set(err, (int)length, "cannot read %s: %s", reading->name,
				 strerror((int)-length));
	reading->room = size;
	while (reading->room < 2 * (size_t)length)
		reading->room *= 2;
	return 0;
}

static int make_readers(struct live_reading *reading, struct error *err)
{
	unsigned nr = reading->files.nr_readers;

	reading->readers = aligned_alloc(APART, nr * sizeof(*reading->readers));
	if (!reading->readers)
		return error_set(err, -ENOMEM, "out of memory for readers");
	memset(reading->readers, 0, nr * sizeof(*reading->readers));
	for (unsigned i = 0; i < nr; i++) {
		reading->readers[i].text = aligned_alloc(APART, reading->room);
		if (!reading->readers[i].text)
			return error_set(err, -ENOMEM, "out of memory for readers");
		/* No page faults while reads are timed. */
		memset(reading->readers[i].text, ' ', reading->room);
	}
	return 0;
}

static int fill(struct live_reading *reading, const struct backend_env *env, const char *name,
		bool below, struct error *err)
{
	bool *wanted = find_wanted(env, below);
	int r;

	reading->name = strdup(name);
	if (!reading->name || !wanted) {
		free(wanted);
		return error_set(err, -ENOMEM, "out of memory");
	}
	r = live_env_open(env, &reading->live, err);
	if (!r)
		r = live_files_open(&reading->files, &reading->live, name, wanted, err);
	free(wanted);
	if (!r)
		r = find_room(reading, target_of(env->point, env->tree).first, err);
	return r ? r : make_readers(reading, err);
}

int live_reads_create(const struct backend_env *env, const char *name, bool below, void **instance,
		      struct error *err)
{
	struct live_reading *reading = calloc(1, sizeof(*reading));
	int r;

	if (!reading)
		return error_set(err, -ENOMEM, "out of memory");
	reading->live.top = -1;
	r = fill(reading, env, name, below, err);
	if (r)
		live_reads_destroy(reading);
	else
		*instance = reading;
	return r;
}

void live_reads_destroy(void *instance)
{
	struct live_reading *reading = instance;

	for (unsigned i = 0; reading->readers && i < reading->files.nr_readers; i++)
		free(reading->readers[i].text);
	free(reading->readers);
	live_files_close(&reading->files);
	live_env_close(&reading->live);
	free(reading->name);
	free(reading);
}

static long read_file(struct live_reading *reading, unsigned reader, uint32_t memcg, char *buffer,
		      size_t size, struct live_reads *reads)
{
	int directory;

	if (live_files_has(&reading->files, memcg))
		return live_files_read(&reading->files, reader, memcg, buffer, size, reads);
	if (memcg >= reading->files.nr_memcgs)
		return -ENOENT;
	directory = live_dirs_open(&reading->live.dirs, memcg, NULL);
	if (directory < 0)
		return directory;
	return live_file_read_at(directory, reading->name, buffer, size, reads);
}

long live_reads_read_text(void *instance, const struct read_request *request,
			  struct numa_counts *scratch, enum text_style style, char *buffer,
			  size_t size)
{
	struct live_reading *reading = instance;

	(void)scratch;
	(void)style;
	if (request->cpu >= reading->files.nr_readers)
		return -EINVAL;
	return read_file(reading, request->cpu, request->memcg, buffer, size,
			 &reading->readers[request->cpu].reads);
}

long live_reads_text(struct live_reading *reading, unsigned reader, uint32_t memcg, char **text,
		     struct live_reads *reads)
{
	struct live_reader *own;

	if (reader >= reading->files.nr_readers)
		return -EINVAL;
	own = &reading->readers[reader];
	*text = own->text;
	return read_file(reading, reader, memcg, own->text, reading->room,
			 reads ? reads : &own->reads);
}

size_t live_reads_text_room(const void *instance)
{
	return ((const struct live_reading *)instance)->room;
}

int live_reads_descriptors_possible(const struct point *point, const char *backend, uint64_t files,
				    struct error_list *reasons)
{
	uint64_t needed = live_files_descriptors(point->read.buffer == BUFFER_KEPT, files,
						 point->read.readers);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max >= needed)
		return 0;
	error_list_add(reasons, NULL, 0, 0,
		       "read.buffer: kept takes %llu descriptors with %s, and the limit is %llu "
		       "(ulimit -Hn)",
		       (unsigned long long)needed, backend, (unsigned long long)limit.rlim_max);
	return -ENODEV;
}

int live_reads_buffer_possible(const struct point *point, const char *backend,
			       struct error_list *reasons)
{
	if (point->read.buffer != BUFFER_LARGE)
		return 0;
	error_list_add(reasons, NULL, 0, 0,
		       "read.buffer: large is of models: the buffer of a kernel's file starts at a "
		       "page, and %s has no say in it (reopened or kept)",
		       backend);
	return -ENODEV;
}

int live_reads_version_possible(const struct point *point, const char *backend,
				struct error_list *reasons)
{
	unsigned asked = point->read.version == READ_V1 ? 1 : 2;
	struct hierarchy hierarchy;
	int r = 0;

	if (hierarchy_find(HIERARCHY_MOUNTS, &hierarchy, NULL))
		return 0; /* the fixture says so */
	if (hierarchy.version != asked) {
		error_list_add(reasons, NULL, 0, 0,
			       "read.version: %s reads files of cgroup v%u, which this machine "
			       "has, not of v%u (read.version: here)",
			       backend, hierarchy.version, asked);
		r = -ENODEV;
	}
	hierarchy_close(&hierarchy);
	return r;
}

json_t *live_reads_facts(void *instance)
{
	const struct live_reading *reading = instance;
	const struct live_reads *reads = &reading->counted;

	return json_pack("{s:s, s:s, s:I, s:I, s:I}", "file", reading->name, "descriptor",
			 reading->files.kept ? "kept" : "reopened", "files",
			 (json_int_t)reads->files, "reads", (json_int_t)reads->reads, "bytes",
			 (json_int_t)reads->bytes);
}
