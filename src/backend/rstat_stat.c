// SPDX-License-Identifier: MIT
/*
 * The files but v1 memory.numa_stat under rstat: one flush as the rules have it, then one read of a
 * shared counter for each item. Rows of the memcg itself are kept by flushes from the rules of 6.8
 * on (since 6.6), and sum all possible CPUs before. Static items were counted and flushed long ago:
 * they equal their previous values, and no flush finds anything of them; it scans them all the
 * same.
 */
#include "backend/fill.h"
#include "backend/rstat_read.h"

/* The counters of one column that flushes keep. */
static __always_inline const _Atomic long *kept_items(const struct rstat *rstat,
						      struct rstat_memcg *memcg, unsigned array,
						      unsigned column, struct tally *t)
{
	if (!column)
		return memcg->stats + array * rstat->layout.memcg_items;
	return rstat_node_stats(rstat, memcg, column - 1, t) + array * rstat->layout.node_items;
}

static __always_inline uint64_t kept_cell(const struct rstat *rstat, struct rstat_memcg *memcg,
					  unsigned array, unsigned column,
					  const struct stat_row_format *row, struct tally *t)
{
	const _Atomic long *items = kept_items(rstat, memcg, array, column, t);
	uint64_t value = 0;

	for (unsigned i = 0; i < row->nr_items; i++)
		value += rstat_kept_item(&items[row->items[i]], t);
	return value;
}

static __always_inline uint64_t summed_cell(const struct rstat *rstat, struct rstat_memcg *memcg,
					    unsigned column, const struct stat_row_format *row,
					    struct tally *t)
{
	uint64_t offset = column ? rstat_node_offset(rstat, column - 1) : rstat_memcg_offset(rstat);
	uint64_t value = 0;

	for (unsigned i = 0; i < row->nr_items; i++)
		value += rstat_summed_item(rstat, memcg, offset, row->items[i], t);
	return value;
}

static __always_inline void read_block(const struct rstat *rstat, struct rstat_memcg *memcg,
				       enum numa_scope scope, struct numa_counts *out,
				       struct tally *t)
{
	bool summed = scope == SCOPE_LOCAL && !rstat_counts_per_memcg(rstat);
	unsigned array = scope == SCOPE_LOCAL ? RSTAT_LOCAL : RSTAT_STATE, row, column;
	uint64_t *cell;

	for_each_cell(cell, row, column, out, scope)
	{
		const struct stat_row_format *described = &out->format->rows[row];

		*cell = summed ? summed_cell(rstat, memcg, column, described, t)
			       : kept_cell(rstat, memcg, array, column, described, t);
	}
}

/* The file flushes once, before its first row. */
static __always_inline void read_stat(const struct rstat *rstat, const struct read_request *request,
				      struct numa_counts *out, struct tally *t)
{
	struct rstat_memcg *memcg = rstat_memcg(rstat, request->memcg);

	if (t)
		rstat_count_read_flush(rstat, request->memcg, t);
	else
		rstat_read_flush(rstat, request->memcg);
	if (request->rows & ROWS_LOCAL)
		read_block(rstat, memcg, SCOPE_LOCAL, out, t);
	if (request->rows & ROWS_HIERARCHICAL)
		read_block(rstat, memcg, SCOPE_HIERARCHICAL, out, t);
}

int rstat_read_stat(void *instance, const struct read_request *request, struct numa_counts *out)
{
	read_stat(instance, request, out, NULL);
	return 0;
}

int rstat_count_stat(void *instance, const struct read_request *request, struct numa_counts *out,
		     struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_stat(instance, request, out, &tally);
	return tally.error;
}

/* To a CPU's item, the value that the last flush saw, and what that flush brought it to. */
static void add_flushed(_Atomic long *items, _Atomic long *stats, unsigned nr, unsigned item,
			long value)
{
	fill_add(&items[item], value);
	fill_add(&items[nr + item], value);
	fill_add(&stats[RSTAT_STATE * nr + item], value);
	fill_add(&stats[RSTAT_LOCAL * nr + item], value);
}

struct fill {
	const struct rstat *rstat;
	struct rstat_memcg *memcg;
};

static void fill_item(void *arg, const struct item_charge *charge)
{
	const struct fill *fill = arg;
	const struct rstat *rstat = fill->rstat;
	unsigned char *area = rstat->area[charge->cpu];

	add_flushed(rstat_memcg_items(rstat, area, fill->memcg), fill->memcg->stats,
		    rstat->layout.memcg_items, charge->item, charge->value);
	if (charge->item < NR_NODE_ITEMS)
		add_flushed(rstat_node_items(rstat, area, fill->memcg, charge->node),
			    *rstat_nodeinfo(rstat, fill->memcg, charge->node),
			    rstat->layout.node_items, charge->item, charge->value);
}

/* Counts of the subtree are the first of each memcg's arrays. */
void rstat_populate_items(struct rstat *rstat, const struct charge_plan *plan)
{
	struct fill fill = {.rstat = rstat};

	if (!point_shows_items(plan->point))
		return;
	/* Parents are created before their children: each holds its whole subtree at its turn. */
	for (uint32_t i = rstat->layout.memcgs; i-- > 0;) {
		struct rstat_memcg *parent;

		fill.memcg = rstat_memcg(rstat, i);
		charge_items_each(plan, i, fill_item, &fill);
		parent = fill.memcg->parent;
		if (!parent)
			continue;
		fill_add_items(parent->stats, fill.memcg->stats, NR_STAT_ITEMS);
		for (unsigned node = 0; node < rstat->layout.nodes; node++)
			fill_add_items(*rstat_nodeinfo(rstat, parent, node),
				       *rstat_nodeinfo(rstat, fill.memcg, node), NR_NODE_ITEMS);
	}
}
