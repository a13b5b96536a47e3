/* SPDX-License-Identifier: MIT */
/*
 * A tree of memcgs as it was on a running machine: its shape, who was dying, and the pages of each
 * memcg by node and LRU list. `capture` makes it, and trees of shape `captured` are made from it.
 *
 * It is kept as text, one line for each memcg that had a directory, so that two captures can be
 * compared by diff; docs/capture.md describes the file. Lines are in the order of a walk, each
 * memcg before those below it, which is the order of creation of the tree made from it. Siblings
 * stand in the order of their names' bytes on the machine, also where the names are hashed.
 *
 * Reading is strict: writing again what was read gives the same bytes, comments left out.
 */
#ifndef MEMCGBENCH_MEMCG_CAPTURED_H
#define MEMCGBENCH_MEMCG_CAPTURED_H

#include "base/error.h"
#include "memcg/lru.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CAPTURED_MAGIC   "memcgbench-tree"
#define CAPTURED_VERSION 1
/* Dying ones included. Far more than a kernel has ids for; so few that their share in parts per
 * million gives back how many are dying. */
#define CAPTURED_MEMCGS_MAX 1000000u
#define CAPTURED_DEPTH_MAX  65535u
#define CAPTURED_FILE_MAX   ((size_t)256 << 20)
#define CAPTURED_NIDS_MAX   1024u
#define CAPTURED_NAME_MAX   255u /* bytes of a directory's name */
#define CAPTURED_PAGES_MAX  (1ull << 52) /* of all memcgs together */
#define CAPTURED_UNKNOWN    UINT64_MAX

/* What the head of the file says, in this order. */
enum captured_fact {
	CAPTURED_CGROUP, /* 1 or 2 */
	CAPTURED_PAGE_SIZE, /* bytes */
	CAPTURED_CPUS, /* possible; may be unknown */
	CAPTURED_MEMCGS, /* visible below the top */
	CAPTURED_DYING, /* may be unknown */
	CAPTURED_NAMES, /* enum captured_names */
	CAPTURED_PLACES, /* of the dying: enum captured_places */
	CAPTURED_LISTS, /* enum captured_lists */
	/* What was left out, and what is not exact: how often. */
	CAPTURED_VANISHED, /* cgroups removed while they were read */
	CAPTURED_UNREADABLE, /* cgroups without a readable memory.numa_stat or memory.stat */
	CAPTURED_NO_NODES, /* cgroups with memory.stat alone: their pages are on the first node */
	CAPTURED_NO_LISTS, /* cgroups without memory.stat: all their pages are inactive */
	CAPTURED_NEGATIVE, /* counters below zero after those of children were taken off: 0 */
	NR_CAPTURED_FACTS,
};

enum captured_names {
	CAPTURED_HASHED,
	CAPTURED_PLAIN
};
enum captured_places {
	CAPTURED_AT_PARENT, /* each below the cgroup that it was removed from */
	CAPTURED_AT_TOP, /* where they were is not known: all below the top */
};
enum captured_lists {
	CAPTURED_BY_NODE, /* active and inactive are known of each node */
	CAPTURED_CUT, /* of each memcg: cut over its nodes in proportion */
};

/* Pages of one memcg on one node. */
struct captured_cell {
	uint16_t nid;
	uint64_t pages[NR_LRU_LISTS];
};

/* A memcg that had a directory. Row 0 is the top. */
struct captured_row {
	uint32_t depth;
	uint32_t dying; /* directly below it */
	size_t name; /* in `names`; of the top "." */
	size_t first_cell;
	uint32_t nr_cells; /* nodes with pages, ids ascending */
};

struct captured {
	char *path; /* of its file, for who has to open it again; NULL: none */
	uint64_t hash; /* 64-bit FNV-1a of the file's bytes, never 0 */
	uint64_t facts[NR_CAPTURED_FACTS];
	unsigned nr_nids;
	uint16_t *nids; /* columns that were there, ascending */
	struct captured_row *rows;
	size_t nr_rows, room_rows;
	struct captured_cell *cells;
	size_t nr_cells, room_cells;
	char *names; /* each ended by a NUL */
	size_t names_size, names_room;
	/* As memcgs: every row, and behind it those dying directly below it. */
	uint32_t nr; /* the top included */
	uint32_t nr_dying;
	uint32_t *row; /* [nr]; CAPTURED_NO_ROW: dying */
	uint32_t *parent; /* [nr]; UINT32_MAX for the top */
	/* What each dying one holds when the tree is replayed. The file does not say, but without a
	 * page it would be gone: one of a file, on the first node. */
	struct captured_cell held_by_dying;
};

#define CAPTURED_NO_ROW UINT32_MAX

/*
 * Read it. `name` stands in messages. -EINVAL with line and column, -ENOMEM. Free with
 * captured_free().
 */
int captured_parse(const char *name, const char *text, size_t length, struct captured **out,
		   struct error *err);
/* The same of a regular file; its path is kept. */
int captured_load(const char *path, struct captured **out, struct error *err);
void captured_free(struct captured *captured);

/* Write it. What goes wrong is seen in the stream. `comment`: lines of "# ...\n", or "". */
void captured_write(const struct captured *captured, const char *comment, FILE *out);

/* For who makes one: add a row, its cells, and finish. The name is copied. 0 or -ENOMEM. */
int captured_add_row(struct captured *captured, uint32_t depth, const char *name, size_t length);
int captured_add_cell(struct captured *captured, const struct captured_cell *cell);
/* Make memcgs of the rows. 0 or -ENOMEM. */
int captured_finish(struct captured *captured);

static inline const char *captured_row_name(const struct captured *captured, uint32_t row)
{
	return captured->names + captured->rows[row].name;
}

/* Names of dying memcgs begin with this, and no others do. */
#define CAPTURED_DYING_PREFIX "memcgbench-dying-"

/* How the head says a fact: its key, and the words of those that are not numbers. */
struct captured_fact_form {
	const char *key;
	const char *const *words; /* NULL: a number */
	uint64_t min, max;
	bool may_be_unknown;
};
extern const struct captured_fact_form captured_fact_forms[NR_CAPTURED_FACTS];

#endif
