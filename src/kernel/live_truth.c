// SPDX-License-Identifier: MIT
/* See live_truth.h. */
#include "kernel/live_truth.h"

#include "kernel/live_files.h"
#include "memcg/lru.h"
#include "memcg/stat_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME  "memory.numa_stat"
#define ROOM_START 4096u
#define PER_LOOK   64u /* memcgs between two looks at progress */

/* Of v1: the row's sum. */
static void add_pages(const struct stat_row *row, struct live_truth *truth, bool is_root)
{
	if (!row->known || !row->has_value)
		return;
	if (!strcmp(row->name, numa_rows[NUMA_ROW_TOTAL].name))
		truth->local_sum += row->value;
	if (is_root && !strcmp(row->name, HIERARCHICAL_PREFIX "total"))
		truth->hierarchical = row->value;
}

/* Of v2: all lists, in bytes by node. */
static void add_lists(const struct stat_row *row, struct live_truth *truth, uint64_t page_bytes)
{
	for (unsigned lru = 0; row->known && lru < NR_LRU_LISTS; lru++) {
		if (strcmp(row->name, lru_names[lru]))
			continue;
		for (unsigned i = 0; i < row->nr_columns; i++)
			truth->hierarchical += row->columns[i].value / page_bytes;
	}
}

static int take_text(const char *text, size_t length, uint32_t memcg, struct live_truth *truth,
		     struct error *err)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	struct stat_file *file;
	int r = stat_parse(FILE_NAME, text, length, truth->has_local ? STAT_NUMA_V1 : STAT_NUMA_V2,
			   &file, err);

	if (r)
		return r;
	for (size_t i = 0; i < file->nr_rows; i++) {
		if (truth->has_local)
			add_pages(&file->rows[i], truth, memcg == 0);
		else
			add_lists(&file->rows[i], truth, page_bytes);
	}
	stat_file_free(file);
	return 0;
}

/* The text of one; *text grows with what is in it, and is the caller's. The length, or -errno. */
static long read_one(struct live_dirs *dirs, uint32_t memcg, char **text, size_t *size)
{
	struct live_reads reads = {.files = 0};
	int directory = live_dirs_open(dirs, memcg, NULL);
	long length = directory < 0 ? directory : -ENOSPC;

	if (*text && directory >= 0)
		length = live_file_read_at(directory, FILE_NAME, *text, *size, &reads);
	while (length == -ENOSPC && *size < STAT_FILE_MAX) {
		char *grown = realloc(*text, *size ? 2 * *size : ROOM_START);

		if (!grown)
			return -ENOMEM;
		*text = grown;
		*size = *size ? 2 * *size : ROOM_START;
		length = live_file_read_at(directory, FILE_NAME, *text, *size, &reads);
	}
	return length;
}

static int look(struct live_dirs *dirs, const struct live_progress *progress,
		struct live_truth *truth, char **text, struct error *err)
{
	/* v2's files are of the subtree: the root's is all there is to know. */
	uint32_t nr = truth->has_local ? dirs->tree->nr : 1;
	size_t size = 0;

	for (uint32_t memcg = 0; memcg < nr; memcg++) {
		long length;
		int r;

		if (dirs->tree->dying[memcg])
			continue;
		if (memcg % PER_LOOK == 0 && progress && progress->each &&
		    progress->each(progress->arg, memcg, nr))
			return error_set(err, -EINTR, "interrupted at memcg %u of %u", memcg, nr);
		length = read_one(dirs, memcg, text, &size);
		if (length == -ENOENT && memcg == 0)
			return 0;
		if (length < 0)
			return error_set(err, (int)length, "memcg %u: cannot read %s: %s", memcg,
					 FILE_NAME, strerror((int)-length));
		r = take_text(*text, (size_t)length, memcg, truth, err);
		if (r)
			return r;
	}
	truth->known = true;
	return 0;
}

int live_truth_look(struct live_dirs *dirs, unsigned version, const struct live_progress *progress,
		    struct live_truth *truth, struct error *err)
{
	char *text = NULL;
	int r;

	*truth = (struct live_truth){.has_local = version == 1};
	r = look(dirs, progress, truth, &text, err);
	free(text);
	return r;
}

json_t *live_truth_json(const struct live_truth *truth, uint64_t charged, uint64_t bound)
{
	if (!truth->known)
		return json_null();
	return json_pack("{s:I, s:o, s:I, s:I}", "hierarchical_pages",
			 (json_int_t)truth->hierarchical, "local_pages_sum",
			 truth->has_local ? json_integer((json_int_t)truth->local_sum)
					  : json_null(),
			 "charged_pages", (json_int_t)charged, "bound_pages", (json_int_t)bound);
}
