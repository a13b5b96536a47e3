/* SPDX-License-Identifier: MIT */
/*
 * A point: one combination of parameters that is measured. It fully says what a measuring process
 * builds and reads; it holds no statistics and nothing of the machine but what was resolved from
 * `here`. One table of parameters (parameter.h) drives YAML, --set, JSON, TSV and the id.
 */
#ifndef MEMCGBENCH_SCENARIO_POINT_H
#define MEMCGBENCH_SCENARIO_POINT_H

#include "memcg/numa_stat.h"
#include "memcg/tree.h"

#include <stdint.h>

#define MAX_NODES     1024
#define MAX_CPUS      8192
#define POINT_ID_SIZE 17 /* 16 hex digits and a NUL */

enum placement_kind {
	PLACEMENT_REAL,
	PLACEMENT_FOLD
};
enum page_size {
	PAGES_SMALL,
	PAGES_HUGE
};
enum area_layout {
	LAYOUT_V5_6, /* the blocks of Linux 5.6: all stat items and events, local and batch */
	LAYOUT_LEAN, /* local blocks as above, without events; batches of the LRU lists only */
};
enum page_distribution {
	DISTRIBUTION_EVEN, /* each memcg has counters.pages */
	DISTRIBUTION_ZIPF, /* the same in all, by Zipf's law with exponent 1 */
	DISTRIBUTION_CAPTURED, /* as in the file of a captured tree */
};
enum flush_rules {
	FLUSH_V5_13, /* every read flushes the subtree */
	FLUSH_V5_16, /* the whole tree, above a threshold for all memcgs; one flusher */
	FLUSH_V6_8, /* the subtree, above a threshold of each memcg */
	FLUSH_V6_16, /* the same; a tree and a lock for each subsystem */
};
enum flush_lock_model {
	FLUSH_LOCK_RULES, /* as the kernel of the flush rules has it */
	FLUSH_LOCK_HELD, /* spins; held over all CPUs of a flush */
	FLUSH_LOCK_WANTED, /* spins; given up between CPUs where somebody waits */
	FLUSH_LOCK_ALWAYS, /* spins; given up after each CPU */
	FLUSH_LOCK_MUTEX, /* who waits sleeps; held over all CPUs */
};
enum read_file {
	READ_NUMA_STAT,
	READ_MEMORY_STAT
};
enum read_version { /* of cgroups, whose files look different */
	READ_V1,
	READ_V2
};
enum read_target {
	TARGET_ROOT,
	TARGET_MACHINE,
	TARGET_MIDDLE,
	TARGET_LEAF,
	TARGET_ALL
};
enum read_cache {
	CACHE_HOT,
	CACHE_COLD
};
enum read_form {
	FORM_TEXT,
	FORM_COUNTS
};
enum read_with {
	WITH_NONE,
	WITH_CPU_STAT, /* the memcg's cpu.stat, before its file */
	WITH_MEMORY_STAT /* its memory.stat, the same */
};
enum read_buffer { /* of seq_file, see driver/seq_file.h */
	BUFFER_REOPENED, /* starts small at every read */
	BUFFER_KEPT, /* has grown with reads before */
	BUFFER_LARGE
};
enum write_mix {
	MIX_PAGE, /* single pages are charged and uncharged */
	MIX_HUGE, /* the same with huge ones, +-512 in one event */
	MIX_LRU, /* pages move between LRU lists: two events each */
	MIX_MIGRATE, /* pages move between nodes: two events each */
	MIX_MIXED, /* all of them; driver/writer_list.h has the shares */
};
enum write_target {
	WRITE_ALL, /* memcgs anywhere */
	WRITE_OWN, /* each writer its own */
	WRITE_ONE, /* all writers one leaf */
};
enum harm_kind { /* of pages that tasks charge */
	HARM_ANON,
	HARM_FILE
};

struct point {
	char id[POINT_ID_SIZE];
	struct tree_description tree;
	struct {
		uint32_t nodes; /* N, 1..MAX_NODES */
		uint32_t cpus; /* C, possible CPUs, 1..MAX_CPUS */
		enum placement_kind placement;
		enum page_size pages;
		enum area_layout layout;
		uint64_t skew; /* bytes between the starts of per-CPU areas, modulo the page size */
		uint16_t nids[MAX_NODES]; /* [nodes], ascending OS indexes; 0..N-1 by default */
	} machine;
	struct {
		uint32_t batch; /* B, in pages: 0..2^20 */
		uint64_t pages; /* charged to each memcg, root included; the mean, by Zipf's law */
		uint32_t spread_cpus; /* charged from so many CPUs of each memcg, at most C */
		uint32_t spread_nodes; /* onto so many nodes of each memcg, at most N */
		enum flush_rules flush; /* of rstat; others have nothing to flush */
		enum flush_lock_model lock; /* of rstat's flushes */
		uint64_t
			flusher_ns; /* the period of a thread that flushes from the root; 0: none */
		uint32_t error_ppm; /* of bounded: the share of its value that a cell may be off */
		enum page_distribution distribution; /* of pages over memcgs */
		uint32_t hot_ppm; /* of each memcg's pages: those on node 0 before others are spread
				   */
	} counters;
	struct {
		enum read_file file;
		enum read_version version;
		enum read_target cgroup;
		uint32_t readers; /* threads, 1..C */
		uint32_t samples; /* per process, over its readers; not part of the id */
		uint64_t time_ns; /* cap of the timed part; not part of the id */
		uint64_t
			pacing_ns; /* 0: closed loop; else the interval between starts of samples */
		enum read_cache cache;
		enum read_form form;
		unsigned rows; /* ROWS_ALL or ROWS_HIERARCHICAL; see point_rows() */
		enum text_style text;
		enum read_buffer buffer;
		uint32_t spills; /* made before each sample, from its reader's CPU */
		enum read_with with; /* what is read in the same read */
	} read;
	struct {
		uint32_t writers; /* threads, 0..C less the readers */
		enum write_mix mix;
		uint32_t rate; /* updates per second of each writer; 0: closed loop */
		enum write_target target;
		uint32_t churn; /* memcgs created per second; 0: none */
		uint32_t linger; /* of them, so many are dying at a time */
	} write;
	struct {
		uint64_t time_ns; /* without reads, and as long with them; 0: not looked at */
		uint32_t tasks; /* that charge pages meanwhile, of live back ends */
		uint32_t pages; /* of each task, charged and uncharged again and again */
		uint32_t limit_ppm; /* the share of them that its memcg may hold; 0: all */
		enum harm_kind kind;
	} harm;
};

/* The file that is read. */
static inline const struct stat_format *point_format(const struct point *point)
{
	if (point->read.file == READ_NUMA_STAT)
		return &stat_formats[point->read.version == READ_V1 ? STAT_NUMA_V1 : STAT_NUMA_V2];
	return &stat_formats[point->read.version == READ_V1 ? STAT_MEMORY_V1 : STAT_MEMORY_V2];
}

/* Of the files that are read before it (read.with), that which shows memory's counters; or NULL. */
static inline const struct stat_format *point_neighbour(const struct point *point)
{
	if (point->read.with != WITH_MEMORY_STAT)
		return NULL;
	return &stat_formats[point->read.version == READ_V1 ? STAT_MEMORY_V1 : STAT_MEMORY_V2];
}

/* Does a read show anything but LRU lists? */
static inline bool point_shows_items(const struct point *point)
{
	return point_neighbour(point) || stat_shows_items(point_format(point));
}

/* The blocks of rows that are read: those of read.rows that the file has. */
static inline unsigned point_rows(const struct point *point)
{
	return point->read.rows & point_format(point)->scopes;
}

/*
 * Memcgs that may exist beside the tree's where memcgs come and go: those that linger, and some
 * that are gone but for readers who may still stand on them.
 */
#define SPARE_FLOATING 128u
static inline uint32_t point_spare(const struct point *point)
{
	return point->write.churn ? point->write.linger + SPARE_FLOATING : 0;
}

/* Each reader's part of the `samples` of a process: rounded up, so that there are never fewer. */
static inline uint64_t point_reader_samples(const struct point *point, uint64_t samples)
{
	return (samples + point->read.readers - 1) / point->read.readers;
}

#endif
