// SPDX-License-Identifier: MIT
/*
 * The back end `kernel`: the kernel's own file of one cgroup, read as the scenario says: opened,
 * read and closed each time, or read again and again through one descriptor. A file is read whole:
 * until the kernel has no more of it.
 */
#include "kernel/kernel_files.h"

#include "kernel/live_env.h"
#include "memcg/stat_parse.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX (1u << 20)

struct kernel_files {
	struct live_env live;
	const char *file;
	uint32_t kept_memcg; /* whose file is open */
	int kept; /* its descriptor; -1: none */
};

static uint64_t bytes(const struct point *point)
{
	(void)point;
	return 0;
}

static double guess_read_ns(const struct point *point)
{
	(void)point;
	return 10000;
}

static void destroy(void *instance)
{
	struct kernel_files *files = instance;

	if (files->kept >= 0)
		close(files->kept);
	live_env_close(&files->live);
	free(files);
}

static int create(const struct backend_env *env, void **instance, struct error *err)
{
	struct kernel_files *files = calloc(1, sizeof(*files));
	int r;

	if (!files)
		return error_set(err, -ENOMEM, "out of memory");
	files->kept = -1;
	files->file = env->point->read.file == READ_NUMA_STAT ? "memory.numa_stat" : "memory.stat";
	r = live_env_open(env, &files->live, err);
	if (r)
		free(files);
	else
		*instance = files;
	return r;
}

/* The whole of it from its beginning. The length, or -errno. */
static long read_whole(int fd, char *buffer, size_t size)
{
	size_t at = 0;

	for (;;) {
		ssize_t got = pread(fd, buffer + at, size - at, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return (long)at;
		at += (size_t)got;
		if (at == size)
			return -ENOSPC;
	}
}

static long read_text(void *instance, const struct read_request *request,
		      struct numa_counts *scratch, enum text_style style, char *buffer, size_t size)
{
	struct kernel_files *files = instance;
	int directory = live_dirs_open(&files->live.dirs, request->memcg, NULL), fd;
	long length;

	(void)scratch;
	(void)style;
	if (directory < 0)
		return directory;
	fd = openat(directory, files->file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	length = read_whole(fd, buffer, size);
	close(fd);
	return length;
}

/* Rows by name. */
static void take_row(const struct stat_row *row, struct numa_counts *out)
{
	for (unsigned scope = 0; scope < NR_SCOPES; scope++) {
		const char *prefix =
			scope == SCOPE_HIERARCHICAL ? out->format->hierarchical_prefix : "";
		size_t skip = strlen(prefix);

		if (!(out->format->scopes & (1u << scope)) || strncmp(row->name, prefix, skip))
			continue;
		for (unsigned i = 0; i < out->format->nr_rows; i++) {
			if (strcmp(row->name + skip, out->format->rows[i].name))
				continue;
			if (out->format->has_sum)
				out->cells[stat_cell(out, scope, i, 0)] = row->value;
			for (unsigned k = 0; k < row->nr_columns && k < out->nr_nodes; k++)
				out->cells[stat_cell(out, scope, i, 1 + k)] = row->columns[k].value;
		}
	}
}

static int read_counts(void *instance, const struct read_request *request, struct numa_counts *out)
{
	char *text = malloc(TEXT_MAX);
	struct stat_file *file = NULL;
	struct error err;
	long length;
	int r;

	if (!text)
		return -ENOMEM;
	length = read_text(instance, request, out, TEXT_FAST, text, TEXT_MAX);
	r = length < 0 ? (int)length
		       : stat_parse("", text, (size_t)length, out->format->type, &file, &err);
	for (size_t i = 0; !r && i < file->nr_rows; i++)
		if (file->rows[i].known)
			take_row(&file->rows[i], out);
	stat_file_free(file);
	free(text);
	return r;
}

static int count_read(void *instance, const struct read_request *request, struct numa_counts *out,
		      struct op_probe *probe)
{
	(void)probe;
	return read_counts(instance, request, out);
}

const struct backend backend_kernel = {
	.name = "kernel",
	.description = "the running kernel's own file of a real cgroup",
	.uncounted = COUNTS_ALL_BUT_TEXT,
	.fixture = &live_fixture,
	.bytes = bytes,
	.guess_read_ns = guess_read_ns,
	.create = create,
	.destroy = destroy,
	.regions = live_regions,
	.read_counts = read_counts,
	.count_read = count_read,
	.read_text = read_text,
	.bound = live_bound,
};
