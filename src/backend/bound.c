// SPDX-License-Identifier: MIT
/* See bound.h. */
#include "backend/bound.h"

uint64_t batch_bound(const struct point *point, enum numa_row row, uint32_t memcgs)
{
	uint64_t pages = numa_row_items(row);

	if (__builtin_mul_overflow(pages, point->counters.batch, &pages) ||
	    __builtin_mul_overflow(pages, point->machine.cpus, &pages) ||
	    __builtin_mul_overflow(pages, memcgs, &pages))
		return UINT64_MAX;
	return pages;
}

/* Seen on virtual machines of 2020s servers; only plans and progress use them. */
#define NS_PER_LOAD_HOT  4.5 /* 13 cycles: finding the next CPU is one chain of dependent steps */
#define NS_PER_LOAD_COLD 14.0
#define NS_PER_CELL_TEXT 60.0
/* Loads come from memory when their lines are more than a cache of this size. */
#define HOT_BYTES (8.0 * (1 << 20))
#define LINE      64.0

double guess_loads_ns(const struct point *point, double loads, double memcgs)
{
	/* The five LRU counters straddle two lines at most, per memcg and per lruvec. */
	double bytes = memcgs * point->machine.cpus * (1 + point->machine.nodes) * 1.5 * LINE;
	int hot = bytes < HOT_BYTES && point->read.cache == CACHE_HOT;

	return loads * (hot ? NS_PER_LOAD_HOT : NS_PER_LOAD_COLD);
}

double guess_items(const struct point *point)
{
	return stat_block_items(point_format(point), point->machine.nodes);
}

double guess_local_ns(const struct point *point)
{
	const struct stat_format *format = point_format(point);
	double cells = format->nr_rows * stat_nr_columns(format, point->machine.nodes);
	double ns = 0;

	if (point_rows(point) & ROWS_LOCAL)
		ns += guess_loads_ns(point, guess_items(point) * point->machine.cpus, 1);
	if (point->read.form == FORM_TEXT)
		ns += __builtin_popcount(format->scopes) * cells * NS_PER_CELL_TEXT;
	return ns;
}
