/* SPDX-License-Identifier: MIT */
/*
 * A back end: one way to keep and to read hierarchical memory statistics. Everything outside uses
 * only this interface. CONTRIBUTING.md says how to add one.
 */
#ifndef MEMCGBENCH_BACKEND_BACKEND_H
#define MEMCGBENCH_BACKEND_BACKEND_H

#include "backend/fixture.h"
#include "backend/lock_times.h"
#include "base/error.h"
#include "memcg/cpu_stat.h"
#include "memcg/numa_stat.h"
#include "memcg/tree.h"
#include "place/placement.h"
#include "scenario/point.h"
#include "timing/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a read or an update did, counted by a second instantiation of the same source that is run
 * outside the timed part; never from a formula.
 */
struct op_counts {
	uint64_t loads_local; /* loads of per-CPU counters for local rows */
	uint64_t loads_hierarchical; /* loads of per-CPU counters for hierarchical rows */
	uint64_t memcgs_visited; /* steps of tree walks; links made and taken in updated trees */
	uint64_t css_gets; /* css references taken (and dropped) */
	uint64_t atomics; /* accesses of counters shared between CPUs: reads of maintained
			   * counters, spills into them, references of dying memcgs */
	uint64_t adds; /* per-CPU additions (updates) */
	uint64_t items_scanned; /* items looked at by flushes */
	uint64_t flushes;
	uint64_t text_bytes;
};

/* What the kernel does for a read cannot all be counted from outside of it. */
#define COUNT_UNKNOWN UINT64_MAX
/* Parts of the above. */
enum {
	COUNTS_MEMCGS = 1u << 0, /* memcgs_visited */
	COUNTS_LOADS = 1u << 1, /* loads_local, loads_hierarchical */
	COUNTS_OTHERS = 1u << 2, /* all but these and text_bytes */
	COUNTS_ALL_BUT_TEXT = COUNTS_MEMCGS | COUNTS_LOADS | COUNTS_OTHERS,
};

struct op_probe {
	struct op_counts counts;
	struct line_set *lines; /* may be NULL: lines are not recorded */
};

struct backend_env {
	const struct point *point;
	const struct memcg_tree *tree;
	const struct placement *placement;
	const json_t
		*fixture; /* what describe() of the back end's fixture says; NULL: it has none */
}; /* all of it outlives the instance */

/* Do the parts belong together? -EINVAL with a message. For create(). */
int backend_env_check(const struct backend_env *env, struct error *err);

struct read_request {
	uint32_t memcg;
	unsigned cpu; /* modelled CPU the reader runs on; no two readers at a time share one */
	unsigned rows; /* ROWS_* */
};

struct update {
	uint32_t memcg;
	unsigned node; /* modelled node, an index */
	unsigned cpu; /* modelled CPU the writer runs on; no two writers at a time share one */
	enum lru_list lru;
	long delta; /* pages; one event, may be a huge page's +-512 */
};

enum {
	BACKEND_UPDATE = 1u << 0, /* takes updates */
	BACKEND_CHURN = 1u << 1, /* memcgs may come and go; takes updates, too */
	/* A read is a file's text as it was printed elsewhere, whatever rows are wanted: read_text
	 * is of all its files, and parts of a read cannot be had by themselves. */
	BACKEND_PRINTED = 1u << 2,
};

struct charge_plan;

/* All operations are needed where nothing else is said. */
struct backend {
	const char *name; /* as scenarios and files of results call it: a-z, 0-9 and - */
	const char *description; /* one line: what it does, which kernels did */
	unsigned capabilities;
	unsigned uncounted; /* bits of COUNTS_*: what of a read it cannot know; COUNT_UNKNOWN */
	/* Bits of enum stat_type: files it can read beside v1 memory.numa_stat, which all can. */
	unsigned files;

	/* Bits of enum read_with: files that it reads by itself, before each file and as a part of
	 * reading that one; their text is in the length, and the file's own in the buffer. */
	unsigned with;

	/* What must stand before create(), or NULL. A back end with one is live: it reads what the
	 * kernel keeps of real cgroups. Its memory is not its own: regions() has none. */
	const struct fixture *fixture;
	/* Optional: every reason why the point cannot be read by it on this machine, beside what
	 * its fixture says, is added; then -ENODEV. */
	int (*possible)(const struct point *point, struct error_list *reasons);
	/* Optional: what it found out of what it reads, for results: their "live". */
	json_t *(*facts)(void *instance);

	/* Bytes that create() will take for this point, for plans and limits. */
	uint64_t (*bytes)(const struct point *point);
	/* A rough guess of one read's time in ns, for plans and progress; measured figures replace
	 * it. */
	double (*guess_read_ns)(const struct point *point);

	/* Build over tree and placement: memory mapped, bound, every byte written. */
	int (*create)(const struct backend_env *env, void **instance, struct error *err);
	void (*destroy)(void *instance);
	/* The memory of the instance, for verification. Owned by the instance. Not of live ones. */
	const struct region *(*regions)(const void *instance, size_t *nr);

	/* Bring the counters to where a long run of the plan's charges leaves them. Not of live
	 * ones: their fixture has done it. */
	int (*populate)(void *instance, const struct charge_plan *plan, struct error *err);

	/* Fill the cells of req->rows; the others are left alone. Never fails for a model. */
	int (*read_counts)(void *instance, const struct read_request *request,
			   struct numa_counts *out);
	/* The same read, counted. */
	int (*count_read)(void *instance, const struct read_request *request,
			  struct numa_counts *out, struct op_probe *probe);
	/* With `files`: the same for the file that out->format describes. */
	int (*read_stat)(void *instance, const struct read_request *request,
			 struct numa_counts *out);
	int (*count_stat)(void *instance, const struct read_request *request,
			  struct numa_counts *out, struct op_probe *probe);
	/* Optional: the memcg's cpu.stat, of a point that reads it (read.with). Exact when nobody
	 * writes: it flushes as the kernel's does. request->rows means nothing. */
	int (*read_cpu_stat)(void *instance, const struct read_request *request,
			     struct cpu_stat *out);
	/* With it: the same read, counted. */
	int (*count_cpu_stat)(void *instance, const struct read_request *request,
			      struct cpu_stat *out, struct op_probe *probe);
	/* Optional, for v1 memory.numa_stat; without it: read_counts and numa_stat_text(). Returns
	 * the length or -errno. Of all files with BACKEND_PRINTED. */
	long (*read_text)(void *instance, const struct read_request *request,
			  struct numa_counts *scratch, enum text_style style, char *buffer,
			  size_t size);

	/* With BACKEND_PRINTED: bytes that any text fits in. It need not be what the format says:
	 * kernels print rows that models have not. */
	size_t (*text_room)(const void *instance);

	/* With BACKEND_UPDATE. */
	void (*update)(void *instance, const struct update *update);
	void (*count_update)(void *instance, const struct update *update, struct op_probe *probe);

	/* Optional: bring all updates in the memcg's subtree to where reads look, whatever the
	 * rules for reads are. */
	void (*flush)(void *instance, uint32_t memcg);

	/* Optional: its locks that are kept a record of, lock_times.h. Owned by the instance; to be
	 * looked at and begun anew while nobody is in any other operation. */
	struct lock_times *(*locks)(void *instance, size_t *nr);

	/*
	 * With BACKEND_CHURN: memcgs that come and go beside the tree's, which stay. Their indexes
	 * are tree->nr .. tree->nr + point_spare() - 1. One thread at a time may call these and
	 * update these memcgs; readers, and writers of other memcgs, are at work meanwhile. A
	 * memcg that was removed still leads readers on who stand on it, and counts: its index may
	 * be used again only when every read that had begun by then is over.
	 */

	/* A child of a memcg of the tree, the youngest, with all counters at 0. */
	void (*memcg_add)(void *instance, uint32_t memcg, uint32_t parent);
	/* Optional, where nothing changes for who is dying: it is read and counted as before, and
	 * its references are one count that CPUs share. */
	void (*memcg_offline)(void *instance, uint32_t memcg);
	/* No page is charged to it any more. What CPUs hold back goes to its ancestors; then it is
	 * gone. */
	void (*memcg_remove)(void *instance, uint32_t memcg);

	/*
	 * Largest |value - oracle| in pages that the design allows for a cell, `subtree` memcgs in
	 * the subtree read (itself included), when the oracle has `truth` pages in the cell: a
	 * design may allow a share of what there is. Of other files see backend_bound().
	 * BOUND_NONE: the cell is not to be compared.
	 */
	uint64_t (*bound)(const struct point *point, enum numa_scope scope, enum numa_row row,
			  unsigned column, uint32_t subtree, uint64_t truth);
	/* Optional: are cells of such a row to be compared? Without it: all are. */
	bool (*comparable)(const struct stat_row_format *row);
};

/* Of a cell that depends on what only the kernel decides: on which of two lists a page is. */
#define BOUND_NONE UINT64_MAX

extern const struct backend *const backends[]; /* ended by NULL */
const struct backend *backend_find(const char *name);

bool backend_can_read(const struct backend *backend, const struct stat_format *format);

/* Does it read texts that it has not printed by itself? */
static inline bool backend_is_printed(const struct backend *backend)
{
	return backend->capabilities & BACKEND_PRINTED;
}

/* Bytes that any text of the file that `counts` are of fits in, read by this instance. */
size_t backend_text_room(const struct backend *backend, const void *instance,
			 const struct numa_counts *counts);

/*
 * The bound of a cell of any file. A row's is that of a row of v1 memory.numa_stat with as many
 * LRU lists; other items are exact. BOUND_NONE where the row is not comparable.
 */
uint64_t backend_bound(const struct backend *backend, const struct point *point,
		       enum numa_scope scope, unsigned row, unsigned column, uint32_t subtree,
		       uint64_t truth);

/* Fill the cells of request->rows of the file that out->format describes. */
int backend_read_counts(const struct backend *backend, void *instance,
			const struct read_request *request, struct numa_counts *out);

/* The whole read as a scenario asks for it; FORM_COUNTS leaves the text out. Length or -errno. */
long backend_read(const struct backend *backend, void *instance, const struct read_request *request,
		  struct numa_counts *scratch, enum read_form form, enum text_style style,
		  char *buffer, size_t size);

/* The whole read of cpu.stat, of a back end that has one: the length of the text (0 for counts) or
 * -errno; and the same, counted. */
long backend_read_cpu_stat(const struct backend *backend, void *instance,
			   const struct read_request *request, enum read_form form,
			   enum text_style style, char *buffer, size_t size);
int backend_count_cpu_stat(const struct backend *backend, void *instance,
			   const struct read_request *request, enum read_form form,
			   enum text_style style, struct op_probe *probe);

/* Put COUNT_UNKNOWN where the back end cannot know, once all is counted. */
void backend_forget_uncounted(const struct backend *backend, struct op_counts *counts);

/* One counted whole read: counts, text_bytes and lines. */
int backend_count(const struct backend *backend, void *instance, const struct read_request *request,
		  struct numa_counts *scratch, enum read_form form, enum text_style style,
		  struct op_probe *probe);

#endif
