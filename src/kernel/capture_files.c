// SPDX-License-Identifier: MIT
/*
 * See capture_files.h. v1 memory.numa_stat knows anonymous, file and unevictable pages by node, and
 * memory.stat which are active, of the memcg: these are cut over its nodes in proportion. v2
 * memory.numa_stat has all five lists by node. Without it, memory.stat's pages are all put on the
 * first node: node 0 where no other memcg knows better.
 */
#include "kernel/capture_files.h"

#include "memcg/stat_parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_regular(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

static int read_all(int fd, char **text, size_t *length)
{
	size_t room = 4096, used = 0;
	char *buffer = NULL;

	for (;;) {
		char *grown = used + 1 < room && buffer ? buffer : realloc(buffer, room *= 2);
		ssize_t got;

		if (!grown) {
			free(buffer);
			return -ENOMEM;
		}
		buffer = grown;
		got = read(fd, buffer + used, room - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || used > STAT_FILE_MAX) {
			int r = got < 0 ? -errno : got ? -EFBIG : 0;

			buffer[used] = '\0';
			*text = buffer;
			*length = used;
			if (r)
				free(buffer);
			return r;
		}
		used += (size_t)got;
	}
}

int capture_read_file(int directory, const char *name, char **text, size_t *length,
		      struct error *err)
{
	int fd = open_regular(directory, name), r = fd;

	if (fd >= 0) {
		r = read_all(fd, text, length);
		close(fd);
	}
	return r < 0 ? error_set_at(err, r, name, 0, 0, "cannot read: %s",
				    r == -EINVAL ? "not a regular file" : strerror(-r))
		     : 0;
}

/* 1: read; 0: not there. */
static int read_stat(int directory, const char *name, enum stat_type type, struct stat_file **file,
		     struct error *err)
{
	size_t length;
	char *text;
	int r = capture_read_file(directory, name, &text, &length, err);

	if (r)
		return r == -ENOENT ? 0 : r;
	if (!length)
		r = error_set_at(err, -EINVAL, name, 0, 0,
				 "empty (tar copies such files without what is in them)");
	else
		r = stat_parse(name, text, length, type, file, err);
	free(text);
	return r ? r : 1;
}

static const struct stat_row *find(const struct stat_file *file, const char *name)
{
	for (size_t i = 0; i < file->nr_rows; i++)
		if (file->rows[i].known && !strcmp(file->rows[i].name, name))
			return &file->rows[i];
	return NULL;
}

static void take_row(const struct stat_file *file, const char *name, enum lru_list lru,
		     uint64_t divisor, struct capture_counts *counts)
{
	const struct stat_row *row = find(file, name);

	for (unsigned i = 0; row && i < row->nr_columns; i++) {
		counts->node[row->columns[i].nid] = true;
		counts->pages[row->columns[i].nid][lru] = row->columns[i].value / divisor;
	}
}

/* By kind: all anonymous and all file pages are taken for inactive until more is known. */
static void take_numa_v1(const struct stat_file *file, struct capture_counts *counts)
{
	take_row(file, "anon", LRU_INACTIVE_ANON, 1, counts);
	take_row(file, "file", LRU_INACTIVE_FILE, 1, counts);
	take_row(file, "unevictable", LRU_UNEVICTABLE, 1, counts);
}

static void take_numa_v2(const struct stat_file *file, uint64_t page_size,
			 struct capture_counts *counts)
{
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		take_row(file, lru_names[lru], lru, page_size, counts);
	counts->by_list = find(file, lru_names[LRU_ACTIVE_ANON]) != NULL;
}

/* Of each node's pages of a kind as many become active as of the memcg's: by what is rounded down
 * so far, so that they add up. */
static void cut(struct capture_counts *counts, enum lru_list inactive, enum lru_list active,
		uint64_t inactive_bytes, uint64_t active_bytes)
{
	unsigned __int128 all = (unsigned __int128)inactive_bytes + active_bytes, before = 0;
	uint64_t given = 0;

	if (!all)
		return;
	for (unsigned nid = 0; nid < CAPTURED_NIDS_MAX; nid++) {
		uint64_t *pages = counts->pages[nid], upto;

		before += pages[inactive];
		/* pages of one memcg are fewer than 2^64, and so are their bytes: it fits */
		upto = (uint64_t)(before * active_bytes / all);
		pages[active] = upto - given;
		pages[inactive] -= pages[active];
		given = upto;
	}
}

static uint64_t bytes_of(const struct stat_file *file, enum lru_list lru)
{
	const struct stat_row *row = find(file, lru_names[lru]);

	return row ? row->value : 0;
}

static void take_stat(const struct stat_file *file, uint64_t page_size,
		      struct capture_counts *counts)
{
	if (!find(file, lru_names[LRU_ACTIVE_ANON]))
		return;
	for (unsigned lru = 0; !counts->by_node && lru < NR_LRU_LISTS; lru++)
		counts->pages[0][lru] = bytes_of(file, lru) / page_size;
	counts->cut = counts->by_node;
	if (counts->by_node)
		for (enum lru_list lru = LRU_INACTIVE_ANON; lru < LRU_UNEVICTABLE; lru += 2)
			cut(counts, lru, lru + 1, bytes_of(file, lru), bytes_of(file, lru + 1));
	counts->by_list = true;
}

/* "key value\n" lines; the memory controller's own number where the kernel says it. */
static uint64_t dying_of(const char *text)
{
	static const char *const keys[] = {"nr_dying_subsys_memory ", "nr_dying_descendants "};

	for (unsigned i = 0; i < 2; i++) {
		const char *at = strstr(text, keys[i]);

		if (at && (at == text || at[-1] == '\n'))
			return strtoull(at + strlen(keys[i]), NULL, 10);
	}
	return CAPTURED_UNKNOWN;
}

static int read_dying(int directory, struct capture_counts *counts, struct error *err)
{
	size_t length;
	char *text;
	int r = capture_read_file(directory, "cgroup.stat", &text, &length, err);

	if (r)
		return r == -ENOENT ? 0 : r;
	counts->dying = dying_of(text);
	free(text);
	return 0;
}

int capture_read_counts(int directory, unsigned version, uint64_t page_size,
			struct capture_counts *counts, struct error *err)
{
	struct stat_file *numa = NULL, *stat = NULL;
	int r;

	memset(counts, 0, sizeof(*counts));
	counts->dying = CAPTURED_UNKNOWN;
	r = read_stat(directory, "memory.numa_stat", version == 1 ? STAT_NUMA_V1 : STAT_NUMA_V2,
		      &numa, err);
	if (r > 0 && version == 1)
		take_numa_v1(numa, counts);
	else if (r > 0)
		take_numa_v2(numa, page_size, counts);
	counts->by_node = r > 0;
	/* v2's numa_stat says it all */
	if (r >= 0 && !counts->by_list)
		r = read_stat(directory, "memory.stat",
			      version == 1 ? STAT_MEMORY_V1 : STAT_MEMORY_V2, &stat, err);
	if (stat)
		take_stat(stat, page_size, counts);
	if (r >= 0 && !counts->by_node && !stat)
		r = error_set(err, -ENOENT, "neither memory.numa_stat nor memory.stat is there");
	if (r >= 0 && version == 2)
		r = read_dying(directory, counts, err);
	stat_file_free(numa);
	stat_file_free(stat);
	return r < 0 ? r : 0;
}
