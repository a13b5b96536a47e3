// SPDX-License-Identifier: MIT
/* See live_files.h. */
#include "kernel/live_files.h"

#include "memcg/tree_name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of everything else that a process has open: libraries, counters, timers. */
#define OTHER_DESCRIPTORS 128u

uint64_t live_files_descriptors(bool kept, uint64_t files, unsigned readers)
{
	return OTHER_DESCRIPTORS + (kept ? files * readers : 0);
}

static int raise_limit(uint64_t descriptors, struct error *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return error_set(err, -errno, "cannot ask for the limit of descriptors: %s",
				 strerror(errno));
	if (limit.rlim_cur >= descriptors)
		return 0;
	if (limit.rlim_max < descriptors)
		return error_set(err, -EMFILE,
				 "%llu descriptors are needed, and the limit is %llu (ulimit -Hn)",
				 (unsigned long long)descriptors,
				 (unsigned long long)limit.rlim_max);
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return error_set(err, -errno, "cannot raise the limit of descriptors: %s",
				 strerror(errno));
	return 0;
}

/* How each memcg's directory is named. */
struct way {
	uint32_t base; /* memcg whose directory is open, or MEMCG_NONE: named from the root */
	int fd; /* of that directory */
	size_t length; /* of the path from there */
};

struct opening {
	struct live_files *files;
	struct live_env *live;
	const char *name;
	struct way *ways; /* [tree->nr] */
};

/* The directory of a memcg, which stays open. */
static int open_base(struct opening *o, uint32_t memcg, struct error *err)
{
	int *grown = reallocarray(o->files->bases, o->files->nr_bases + 1, sizeof(*grown)), fd;

	if (!grown)
		return error_set(err, -ENOMEM, "out of memory");
	o->files->bases = grown;
	fd = live_dirs_open(&o->live->dirs, memcg, err);
	if (fd < 0)
		return fd;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return error_set(err, -errno, "cannot keep a directory open: %s", strerror(errno));
	o->files->bases[o->files->nr_bases++] = fd;
	return fd;
}

/* Parents come before their children. */
static int find_way(struct opening *o, uint32_t memcg, struct error *err)
{
	const struct memcg_tree *tree = o->live->dirs.tree;
	char name[MEMCG_NAME_MAX];
	size_t length;

	if (!memcg) {
		o->ways[0] = (struct way){MEMCG_NONE, AT_FDCWD, strlen(o->live->path)};
		return 0;
	}
	length = strlen(memcg_tree_name(tree, memcg, name));
	o->ways[memcg] = o->ways[tree->parent[memcg]];
	o->ways[memcg].length += 1 + length;
	/* With a slash, the file's name, and a NUL. */
	if (o->ways[memcg].length + strlen(o->name) + 2 <= PATH_MAX)
		return 0;
	o->ways[memcg] = (struct way){tree->parent[memcg], -1, length};
	o->ways[memcg].fd = open_base(o, tree->parent[memcg], err);
	return o->ways[memcg].fd < 0 ? o->ways[memcg].fd : 0;
}

/* Write a name so that it ends before `end`; where it begins. */
static char *prepend(char *end, const char *text)
{
	size_t length = strlen(text);

	memcpy(end - length, text, length);
	return end - length;
}

static int make_path(struct opening *o, uint32_t memcg, struct error *err)
{
	const struct memcg_tree *tree = o->live->dirs.tree;
	const struct way *way = &o->ways[memcg];
	char name[MEMCG_NAME_MAX], *path, *at;
	uint32_t up;

	path = malloc(way->length + strlen(o->name) + 2);
	if (!path)
		return error_set(err, -ENOMEM, "out of memory for the paths of files");
	strcpy(path + way->length + 1, o->name);
	path[way->length] = '/';
	at = path + way->length;
	for (up = memcg; up && up != way->base; up = tree->parent[up]) {
		at = prepend(at, memcg_tree_name(tree, up, name));
		if (at > path)
			*--at = '/';
	}
	if (way->base == MEMCG_NONE)
		memcpy(path, o->live->path, strlen(o->live->path));
	o->files->paths[memcg] = (struct live_path){way->fd, path};
	return 0;
}

static int find_paths(struct opening *o, const bool *wanted, struct error *err)
{
	const struct memcg_tree *tree = o->live->dirs.tree;
	int r = 0;

	for (uint32_t memcg = 0; !r && memcg < o->files->nr_memcgs; memcg++) {
		if (tree->dying[memcg])
			continue; /* and so is everything below */
		r = find_way(o, memcg, err);
		if (!r && wanted[memcg])
			r = make_path(o, memcg, err);
	}
	return r;
}

static int open_at(const struct live_path *path)
{
	int fd = openat(path->base, path->path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int fail(const struct live_path *path, int code, struct error *err)
{
	return error_set_at(err, code, path->path, 0, 0, "cannot open: %s", strerror(-code));
}

static int keep_all(struct live_files *files, struct error *err)
{
	uint64_t nr = (uint64_t)files->nr_readers * files->nr_memcgs;

	files->fds = calloc(nr, sizeof(*files->fds));
	if (!files->fds)
		return error_set(err, -ENOMEM, "out of memory for descriptors");
	for (uint64_t i = 0; i < nr; i++)
		files->fds[i] = -1;
	for (uint64_t i = 0; i < nr; i++) {
		const struct live_path *path = &files->paths[i % files->nr_memcgs];

		if (!path->path)
			continue;
		files->fds[i] = open_at(path);
		if (files->fds[i] < 0)
			return fail(path, files->fds[i], err);
	}
	return 0;
}

/* What is opened anew for each read can be opened at all. */
static int try_all(const struct live_files *files, struct error *err)
{
	for (uint32_t i = 0; i < files->nr_memcgs; i++) {
		int fd;

		if (!files->paths[i].path)
			continue;
		fd = open_at(&files->paths[i]);
		if (fd < 0)
			return fail(&files->paths[i], fd, err);
		close(fd);
	}
	return 0;
}

int live_files_open(struct live_files *files, struct live_env *live, const char *name,
		    const bool *wanted, struct error *err)
{
	const struct point *point = live->point;
	struct opening o = {.files = files, .live = live, .name = name};
	uint64_t nr = 0;
	int r;

	*files = (struct live_files){
		/* Of the machine's root no memcg of the tree is below. */
		.nr_memcgs = point->read.cgroup == TARGET_MACHINE ? 1 : live->dirs.tree->nr,
		.nr_readers = point->read.readers,
		.kept = point->read.buffer == BUFFER_KEPT,
	};
	for (uint32_t i = 0; i < files->nr_memcgs; i++)
		nr += wanted[i] ? 1 + (point->read.with != WITH_NONE) : 0;
	r = raise_limit(live_files_descriptors(files->kept, nr, files->nr_readers), err);
	if (r)
		return r;
	files->paths = calloc(files->nr_memcgs, sizeof(*files->paths));
	o.ways = calloc(files->nr_memcgs, sizeof(*o.ways));
	if (!files->paths || !o.ways)
		r = error_set(err, -ENOMEM, "out of memory for the paths of files");
	else
		r = find_paths(&o, wanted, err);
	free(o.ways);
	if (!r)
		r = files->kept ? keep_all(files, err) : try_all(files, err);
	if (r)
		live_files_close(files);
	return r;
}

void live_files_close(struct live_files *files)
{
	for (uint64_t i = 0; files->fds && i < (uint64_t)files->nr_readers * files->nr_memcgs; i++)
		if (files->fds[i] >= 0)
			close(files->fds[i]);
	for (uint32_t i = 0; files->paths && i < files->nr_memcgs; i++)
		free(files->paths[i].path);
	for (size_t i = 0; i < files->nr_bases; i++)
		close(files->bases[i]);
	free(files->fds);
	free(files->paths);
	free(files->bases);
	*files = (struct live_files){.nr_memcgs = 0};
}

static long read_to_end(int fd, char *buffer, size_t size, struct live_reads *reads)
{
	size_t at = 0;

	for (;;) {
		ssize_t got = read(fd, buffer + at, size - at);

		reads->reads++;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		at += (size_t)got;
		if (at == size)
			return -ENOSPC;
	}
	reads->files++;
	reads->bytes += at;
	return (long)at;
}

long live_file_read_at(int directory, const char *name, char *buffer, size_t size,
		       struct live_reads *reads)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	long length;

	if (fd < 0)
		return -errno;
	length = read_to_end(fd, buffer, size, reads);
	close(fd);
	return length;
}

static long read_again(int fd, char *buffer, size_t size, struct live_reads *reads)
{
	ssize_t got;

	do {
		got = pread(fd, buffer, size, 0);
		reads->reads++;
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	if ((size_t)got == size)
		return -ENOSPC;
	reads->files++;
	reads->bytes += (uint64_t)got;
	return got;
}

long live_files_read(const struct live_files *files, unsigned reader, uint32_t memcg, char *buffer,
		     size_t size, struct live_reads *reads)
{
	const struct live_path *path = &files->paths[memcg];

	if (files->kept)
		return read_again(files->fds[(size_t)reader * files->nr_memcgs + memcg], buffer,
				  size, reads);
	return live_file_read_at(path->base, path->path, buffer, size, reads);
}
