// SPDX-License-Identifier: MIT
/* See captured.h: making one, and what its head says. */
#include "memcg/captured.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const name_words[] = {"hashed", "plain", NULL};
static const char *const place_words[] = {"parent", "top", NULL};
static const char *const list_words[] = {"node", "cut", NULL};

#define MOST CAPTURED_MEMCGS_MAX

const struct captured_fact_form captured_fact_forms[NR_CAPTURED_FACTS] = {
	[CAPTURED_CGROUP] = {"cgroup", NULL, 1, 2, false},
	[CAPTURED_PAGE_SIZE] = {"page-size", NULL, 1024, 1 << 20, false},
	[CAPTURED_CPUS] = {"cpus", NULL, 1, 8192, true},
	[CAPTURED_MEMCGS] = {"memcgs", NULL, 0, MOST, false},
	[CAPTURED_DYING] = {"dying", NULL, 0, MOST, true},
	[CAPTURED_NAMES] = {"names", name_words, 0, 1, false},
	[CAPTURED_PLACES] = {"dying-below", place_words, 0, 1, false},
	[CAPTURED_LISTS] = {"lists-by", list_words, 0, 1, false},
	[CAPTURED_VANISHED] = {"vanished", NULL, 0, MOST, false},
	[CAPTURED_UNREADABLE] = {"unreadable", NULL, 0, MOST, false},
	[CAPTURED_NO_NODES] = {"without-nodes", NULL, 0, MOST, false},
	[CAPTURED_NO_LISTS] = {"without-lists", NULL, 0, MOST, false},
	[CAPTURED_NEGATIVE] = {"negative", NULL, 0, UINT32_MAX, false},
};

/* Room for one more of `size` bytes; grows by doubling. */
static int grow(void *items, size_t *room, size_t nr, size_t size)
{
	size_t larger = *room ? 2 * *room : 64;
	void *grown, *old;

	if (nr <= *room)
		return 0;
	while (larger < nr)
		larger *= 2;
	memcpy(&old, items, sizeof(old));
	grown = reallocarray(old, larger, size);
	if (!grown)
		return -ENOMEM;
	memcpy(items, &grown, sizeof(grown));
	*room = larger;
	return 0;
}

int captured_add_row(struct captured *captured, uint32_t depth, const char *name, size_t length)
{
	size_t at = captured->names_size;

	if (grow(&captured->rows, &captured->room_rows, captured->nr_rows + 1,
		 sizeof(*captured->rows)) ||
	    grow(&captured->names, &captured->names_room, at + length + 1, 1))
		return -ENOMEM;
	memcpy(captured->names + at, name, length);
	captured->names[at + length] = '\0';
	captured->names_size += length + 1;
	captured->rows[captured->nr_rows++] = (struct captured_row){
		.depth = depth,
		.name = at,
		.first_cell = captured->nr_cells,
	};
	return 0;
}

int captured_add_cell(struct captured *captured, const struct captured_cell *cell)
{
	if (grow(&captured->cells, &captured->room_cells, captured->nr_cells + 1,
		 sizeof(*captured->cells)))
		return -ENOMEM;
	captured->cells[captured->nr_cells++] = *cell;
	captured->rows[captured->nr_rows - 1].nr_cells++;
	return 0;
}

/* `last`: the memcg last made at each depth. */
static void make_memcgs(struct captured *captured, uint32_t *last)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < captured->nr_rows; i++) {
		const struct captured_row *row = &captured->rows[i];

		captured->row[nr] = i;
		captured->parent[nr] = row->depth ? last[row->depth - 1] : UINT32_MAX;
		last[row->depth] = nr++;
		for (uint32_t k = 0; k < row->dying; k++) {
			captured->row[nr] = CAPTURED_NO_ROW;
			captured->parent[nr++] = last[row->depth];
		}
	}
}

int captured_finish(struct captured *captured)
{
	uint64_t nr = captured->nr_rows;
	uint32_t deepest = 0, *last;

	captured->nr_dying = 0;
	for (size_t i = 0; i < captured->nr_rows; i++) {
		nr += captured->rows[i].dying;
		captured->nr_dying += captured->rows[i].dying;
		if (captured->rows[i].depth > deepest)
			deepest = captured->rows[i].depth;
	}
	captured->nr = (uint32_t)nr;
	captured->held_by_dying = (struct captured_cell){.nid = captured->nids[0]};
	captured->held_by_dying.pages[LRU_INACTIVE_FILE] = 1;
	free(captured->row);
	free(captured->parent);
	captured->row = calloc(nr + 1, sizeof(*captured->row));
	captured->parent = calloc(nr + 1, sizeof(*captured->parent));
	last = calloc((size_t)deepest + 1, sizeof(*last));
	if (captured->row && captured->parent && last)
		make_memcgs(captured, last);
	else
		nr = 0;
	free(last);
	return nr ? 0 : -ENOMEM;
}

/* Never waits: a pipe is opened as if somebody wrote to it, and then refused. */
static int must_be_regular(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int r = 0;

	if (fd < 0)
		return error_set_at(err, -errno, path, 0, 0, "cannot open: %s", strerror(errno));
	if (fstat(fd, &st) < 0)
		r = error_set_at(err, -errno, path, 0, 0, "cannot read: %s", strerror(errno));
	else if (!S_ISREG(st.st_mode))
		r = error_set_at(err, -EINVAL, path, 0, 0, "not a regular file");
	close(fd);
	return r;
}

int captured_load(const char *path, struct captured **out, struct error *err)
{
	int r = must_be_regular(path, err);
	size_t length;
	char *text;

	if (r)
		return r;
	r = file_read(path, CAPTURED_FILE_MAX, &text, &length, err);
	if (r)
		return r;
	r = captured_parse(path, text, length, out, err);
	free(text);
	if (r)
		return r;
	(*out)->path = strdup(path);
	if ((*out)->path)
		return 0;
	captured_free(*out);
	*out = NULL;
	return error_set(err, -ENOMEM, "out of memory");
}

void captured_free(struct captured *captured)
{
	if (!captured)
		return;
	free(captured->path);
	free(captured->nids);
	free(captured->rows);
	free(captured->cells);
	free(captured->names);
	free(captured->row);
	free(captured->parent);
	free(captured);
}
