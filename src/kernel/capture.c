// SPDX-License-Identifier: MIT
/*
 * See capture.h. cgroup v1 says what each memcg holds itself; v2 says it of subtrees, and how many
 * dying ones are below each directory. v1 says of the whole machine how many cgroups there are, and
 * those that were not met are dying, nobody knows where.
 *
 * Names are hashed together with the hash of the parent's: the same name has another hash elsewhere
 * in the tree, so that not even which names are common can be seen.
 */
#include "kernel/capture.h"

#include "kernel/capture_files.h"
#include "kernel/capture_own.h"
#include "kernel/capture_walk.h"
#include "memcg/stat_parse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct collection {
	struct capture *capture;
	struct captured *captured;
	struct capture_counts counts; /* of the directory at hand */
	bool node[CAPTURED_NIDS_MAX]; /* has a column anywhere */
	uint64_t *hash; /* [depth] of the names on the way */
	size_t room;
	uint64_t pages; /* of all rows, cut at the most there can be */
	bool cut; /* active and inactive of some memcg are */
	bool dying_known; /* v2: the top says it */
};

static int remember_hash(struct collection *collection, uint32_t depth, const char *name)
{
	char text[sizeof(uint64_t) + CAPTURED_NAME_MAX + 1];
	size_t length = strnlen(name, CAPTURED_NAME_MAX);

	if (depth >= collection->room) {
		size_t room = collection->room ? 2 * collection->room : 64;
		uint64_t *grown = reallocarray(collection->hash, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		collection->hash = grown;
		collection->room = room;
	}
	memset(text, 0, sizeof(uint64_t));
	if (depth)
		memcpy(text, &collection->hash[depth - 1], sizeof(uint64_t));
	memcpy(text + sizeof(uint64_t), name, length);
	collection->hash[depth] =
		siphash(collection->capture->key, text, sizeof(uint64_t) + length);
	return 0;
}

/* A name that stands for a dying one in captured trees is no name that can be kept. */
static int add_row(struct collection *collection, uint32_t depth, const char *name)
{
	char hashed[32];
	int r = remember_hash(collection, depth, name);

	snprintf(hashed, sizeof(hashed), "h-%016" PRIx64, r ? 0 : collection->hash[depth]);
	if (depth && (!collection->capture->names ||
		      !strncmp(name, CAPTURED_DYING_PREFIX, strlen(CAPTURED_DYING_PREFIX))))
		name = hashed;
	return r ? r : captured_add_row(collection->captured, depth, name, strlen(name));
}

static int add_cells(struct collection *collection)
{
	struct captured *captured = collection->captured;
	int r = 0;

	for (unsigned nid = 0; !r && nid < CAPTURED_NIDS_MAX; nid++) {
		struct captured_cell cell = {.nid = (uint16_t)nid};
		uint64_t all = 0;

		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
			uint64_t pages = collection->counts.pages[nid][lru];

			/* kernels without a floor print 2^64 less a little */
			captured->facts[CAPTURED_NEGATIVE] += pages > CAPTURED_PAGES_MAX;
			cell.pages[lru] = pages > CAPTURED_PAGES_MAX ? 0 : pages;
			all += cell.pages[lru];
		}
		collection->node[nid] |= collection->counts.node[nid];
		collection->pages += all;
		if (collection->pages > CAPTURED_PAGES_MAX)
			return -ERANGE;
		if (all)
			r = captured_add_cell(captured, &cell);
	}
	return r;
}

/* Counts how well it is known, and adds the row. */
static int take_counts(struct collection *collection, uint32_t depth, const char *name)
{
	const struct capture_counts *counts = &collection->counts;
	struct captured *captured = collection->captured;
	struct captured_row *row;
	int r = add_row(collection, depth, name);

	if (r)
		return r;
	row = &captured->rows[captured->nr_rows - 1];
	captured->facts[CAPTURED_NO_NODES] += !counts->by_node;
	captured->facts[CAPTURED_NO_LISTS] += !counts->by_list;
	collection->cut |= counts->cut;
	if (!depth)
		collection->dying_known = counts->dying != CAPTURED_UNKNOWN;
	if (counts->dying != CAPTURED_UNKNOWN && collection->dying_known)
		row->dying = (uint32_t)(counts->dying < CAPTURED_MEMCGS_MAX ? counts->dying
									    : CAPTURED_MEMCGS_MAX);
	return add_cells(collection);
}

static int take_unreadable(struct collection *collection, uint32_t depth, const char *name,
			   const struct error *why)
{
	uint64_t *unreadable = &collection->captured->facts[CAPTURED_UNREADABLE];

	if (!(*unreadable)++)
		collection->capture->first_unreadable = *why;
	return add_row(collection, depth, name);
}

static int refuse(struct error *err, int code)
{
	switch (code) {
	case -E2BIG:
		return error_set(err, code, "more cgroups than a captured tree holds (%u)",
				 CAPTURED_MEMCGS_MAX);
	case -ERANGE:
		return error_set(err, code, "more pages than there can be (%llu in all)",
				 CAPTURED_PAGES_MAX);
	default:
		return error_set(err, code, "out of memory");
	}
}

static int visit(void *arg, int directory, uint32_t depth, const char *name, struct error *err)
{
	struct collection *collection = arg;
	struct capture *capture = collection->capture;
	struct error why;
	int r;

	if (collection->captured->nr_rows > CAPTURED_MEMCGS_MAX)
		return refuse(err, -E2BIG);
	if (directory < 0) {
		error_set(&why, -EACCES, "a directory may not be opened: %s", strerror(EACCES));
		r = take_unreadable(collection, depth, name, &why);
		return r ? refuse(err, r) : 0;
	}
	r = capture_read_counts(directory, capture->version, capture->page_size,
				&collection->counts, &why);
	if (r == -ENODEV && depth) {
		collection->captured->facts[CAPTURED_VANISHED]++;
		return 0;
	}
	/* Where the controller is not handed down, it is not handed down any further. */
	if (r == -ENOENT && capture->version == 2 && depth) {
		capture->no_memory++;
		return 0;
	}
	if (r == -ENOMEM)
		return refuse(err, r);
	r = r ? take_unreadable(collection, depth, name, &why)
	      : take_counts(collection, depth, name);
	return r ? refuse(err, r) : 1;
}

/* Pages without a node are on the first one: they were put on node 0, which then is no other's. */
static int take_nids(struct collection *collection)
{
	struct captured *captured = collection->captured;

	captured->nids = calloc(CAPTURED_NIDS_MAX, sizeof(*captured->nids));
	if (!captured->nids)
		return -ENOMEM;
	for (unsigned nid = 0; nid < CAPTURED_NIDS_MAX; nid++)
		if (collection->node[nid])
			captured->nids[captured->nr_nids++] = (uint16_t)nid;
	if (!captured->nr_nids)
		captured->nr_nids = 1;
	for (size_t i = 0; !collection->node[0] && i < captured->nr_cells; i++)
		if (!captured->cells[i].nid)
			captured->cells[i].nid = captured->nids[0];
	return 0;
}

/* v1: those that exist and were not met. */
static void take_dying_v1(struct collection *collection)
{
	struct captured *captured = collection->captured;
	uint64_t all = collection->capture->all_cgroups
			       ? collection->capture->all_cgroups(collection->capture->arg)
			       : CAPTURED_UNKNOWN;

	captured->facts[CAPTURED_PLACES] = CAPTURED_AT_TOP;
	captured->facts[CAPTURED_DYING] = CAPTURED_UNKNOWN;
	if (all == CAPTURED_UNKNOWN)
		return;
	all = all > captured->nr_rows ? all - captured->nr_rows : 0;
	captured->facts[CAPTURED_DYING] = all;
	captured->rows[0].dying = (uint32_t)(all < CAPTURED_MEMCGS_MAX ? all : CAPTURED_MEMCGS_MAX);
}

static void take_dying_v2(struct collection *collection)
{
	struct captured *captured = collection->captured;
	uint64_t all = 0;

	for (size_t i = 0; i < captured->nr_rows; i++)
		all += captured->rows[i].dying;
	captured->facts[CAPTURED_PLACES] = CAPTURED_AT_PARENT;
	captured->facts[CAPTURED_DYING] = collection->dying_known ? all : CAPTURED_UNKNOWN;
}

/* Of rows, when all are there. */
static int conclude(struct collection *collection, uint64_t vanished)
{
	const struct capture *capture = collection->capture;
	struct captured *captured = collection->captured;
	uint64_t *facts = captured->facts;
	int r = take_nids(collection);

	if (!r && capture->version == 2)
		r = capture_take_own(captured);
	if (r)
		return r;
	facts[CAPTURED_CGROUP] = capture->version;
	facts[CAPTURED_PAGE_SIZE] = capture->page_size;
	facts[CAPTURED_CPUS] = capture->cpus;
	facts[CAPTURED_MEMCGS] = captured->nr_rows - 1;
	facts[CAPTURED_NAMES] = capture->names ? CAPTURED_PLAIN : CAPTURED_HASHED;
	facts[CAPTURED_LISTS] = collection->cut ? CAPTURED_CUT : CAPTURED_BY_NODE;
	facts[CAPTURED_VANISHED] += vanished;
	if (capture->version == 1)
		take_dying_v1(collection);
	else
		take_dying_v2(collection);
	if (facts[CAPTURED_DYING] != CAPTURED_UNKNOWN &&
	    facts[CAPTURED_DYING] + facts[CAPTURED_MEMCGS] > CAPTURED_MEMCGS_MAX)
		return -E2BIG;
	return captured_finish(captured);
}

static bool found_nothing(const struct captured *captured)
{
	return captured->facts[CAPTURED_UNREADABLE] == captured->nr_rows;
}

int capture_tree(struct capture *capture, struct captured **out, struct error *err)
{
	struct collection *collection = calloc(1, sizeof(*collection));
	struct captured *captured = calloc(1, sizeof(*captured));
	struct capture_walk walk = {.visit = visit, .arg = collection};
	int r = -ENOMEM;

	if (!collection || !captured) {
		refuse(err, r);
		goto out;
	}
	collection->capture = capture;
	collection->captured = captured;
	r = capture_walk(&walk, capture->top, err);
	if (!r && found_nothing(captured))
		r = error_set(err, -EINVAL, "no memory cgroup can be read here: %s%s%.400s",
			      capture->first_unreadable.file,
			      *capture->first_unreadable.file ? ": " : "",
			      capture->first_unreadable.text);
	if (!r) {
		r = conclude(collection, walk.vanished);
		if (r)
			refuse(err, r);
	}
out:
	if (collection)
		free(collection->hash);
	free(collection);
	if (r)
		captured_free(captured);
	else
		*out = captured;
	return r;
}

int capture_version(int top, struct error *err)
{
	static const char *const names[] = {"memory.numa_stat", "memory.stat"};

	for (unsigned i = 0; i < 2; i++) {
		struct stat_file *file;
		unsigned version;
		size_t length;
		char *text;
		int r;

		if (capture_read_file(top, names[i], &text, &length, NULL))
			continue;
		r = stat_parse(names[i], text, length, STAT_AUTO, &file, NULL);
		free(text);
		if (r)
			continue;
		version = file->type == STAT_NUMA_V1 || file->type == STAT_MEMORY_V1 ? 1 : 2;
		stat_file_free(file);
		return (int)version;
	}
	return error_set(err, -EINVAL,
			 "neither memory.numa_stat nor memory.stat there tells the version of "
			 "cgroup");
}
