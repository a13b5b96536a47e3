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
	struct numa_counts beside; /* of a file of read.with */
};

const char *live_reads_file(const struct point *point)
{
	return point->read.file == READ_NUMA_STAT ? "memory.numa_stat" : "memory.stat";
}

unsigned live_reads_per_memcg(const struct point *point)
{
	return point->read.with == WITH_NONE ? 1 : 2;
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

static int make(const struct backend_env *env, const char *name, bool below,
		struct live_reading **made, struct error *err)
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
		*made = reading;
	return r;
}

/* The files of read.with, which are read as the others are. */
static int make_beside(struct live_reading *reading, const struct backend_env *env, bool below,
		       struct error *err)
{
	const struct point *point = env->point;
	const struct stat_format *format = point_neighbour(point);
	int r = format ? make(env, "memory.stat", below, &reading->beside, err) : 0;

	for (unsigned i = 0; !r && format && i < reading->files.nr_readers; i++)
		if (stat_counts_init(&reading->readers[i].beside, format, point->machine.nodes,
				     point->machine.nids))
			r = error_set(err, -ENOMEM, "out of memory for readers");
	return r;
}

int live_reads_create(const struct backend_env *env, const char *name, bool below, void **instance,
		      struct error *err)
{
	struct live_reading *reading;
	int r = make(env, name, below, &reading, err);

	if (r)
		return r;
	r = make_beside(reading, env, below, err);
	if (r)
		live_reads_destroy(reading);
	else
		*instance = reading;
	return r;
}

void live_reads_destroy(void *instance)
{
	struct live_reading *reading = instance;

	if (reading->beside)
		live_reads_destroy(reading->beside);
	for (unsigned i = 0; reading->readers && i < reading->files.nr_readers; i++) {
		numa_counts_fini(&reading->readers[i].beside);
		free(reading->readers[i].text);
	}
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

/* What was not opened beforehand is not read as the point says, and is read alone. */
static bool has_beside(const struct live_reading *reading, uint32_t memcg)
{
	return reading->beside && live_files_has(&reading->beside->files, memcg);
}

long live_reads_read_text(void *instance, const struct read_request *request,
			  struct numa_counts *scratch, enum text_style style, char *buffer,
			  size_t size)
{
	struct live_reading *reading = instance;
	long beside = 0, length;

	if (request->cpu >= reading->files.nr_readers)
		return -EINVAL;
	if (has_beside(reading, request->memcg))
		beside = live_reads_read_text(reading->beside, request, scratch, style, buffer,
					      size);
	if (beside < 0)
		return beside;
	length = read_file(reading, request->cpu, request->memcg, buffer, size,
			   &reading->readers[request->cpu].reads);
	return length < 0 ? length : beside + length;
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

long live_reads_text_beside(struct live_reading *reading, unsigned reader, uint32_t memcg,
			    char **text, struct live_reads *reads)
{
	if (!has_beside(reading, memcg))
		return 0;
	return live_reads_text(reading->beside, reader, memcg, text, reads);
}

struct numa_counts *live_reads_counts_beside(struct live_reading *reading, unsigned reader)
{
	return &reading->readers[reader].beside;
}

size_t live_reads_text_room(const void *instance)
{
	const struct live_reading *reading = instance;
	const struct live_reading *beside = reading->beside;

	return beside && beside->room > reading->room ? beside->room : reading->room;
}

int live_reads_descriptors_possible(const struct point *point, const char *backend, uint64_t files,
				    struct error_list *reasons)
{
	uint64_t needed =
		live_files_descriptors(point->read.buffer == BUFFER_KEPT,
				       files * live_reads_per_memcg(point), point->read.readers);
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
