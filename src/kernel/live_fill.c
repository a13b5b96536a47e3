// SPDX-License-Identifier: MIT
/* See live_fill.h. */
#include "kernel/live_fill.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PER_STRIDE 64u /* memcgs between two looks at progress */

/* The charges of one memcg, those of one CPU and node together. They come sorted by neither, and
 * are few: spread.cpus x spread.nodes. */
struct share {
	unsigned cpu, node; /* modelled */
	struct charger_pages pages;
};

struct shares {
	struct share *items;
	size_t nr, room;
	bool no_memory;
};

static void add_pages(struct charger_pages *pages, enum lru_list lru, uint64_t number)
{
	switch (lru) {
	case LRU_UNEVICTABLE:
		pages->locked += number;
		break;
	case LRU_INACTIVE_FILE:
	case LRU_ACTIVE_FILE:
		pages->file += number;
		break;
	default:
		pages->anon += number;
	}
}

static struct share *share_of(struct shares *shares, unsigned cpu, unsigned node)
{
	for (size_t i = 0; i < shares->nr; i++)
		if (shares->items[i].cpu == cpu && shares->items[i].node == node)
			return &shares->items[i];
	if (shares->nr == shares->room) {
		size_t room = shares->room ? 2 * shares->room : 8;
		struct share *grown = reallocarray(shares->items, room, sizeof(*grown));

		if (!grown)
			return NULL;
		shares->items = grown;
		shares->room = room;
	}
	shares->items[shares->nr] = (struct share){.cpu = cpu, .node = node};
	return &shares->items[shares->nr++];
}

static void collect(void *arg, const struct charge *charge)
{
	struct shares *shares = arg;
	struct share *share = share_of(shares, charge->cpu, charge->node);

	if (!share)
		shares->no_memory = true;
	else if (charge->pages > 0)
		add_pages(&share->pages, charge->lru, (uint64_t)charge->pages);
}

static void add_all(void *arg, const struct charge *charge)
{
	if (charge->pages > 0)
		add_pages(arg, charge->lru, (uint64_t)charge->pages);
}

struct charger_pages live_fill_room(const struct charge_plan *plan, const struct memcg_tree *tree)
{
	struct charger_pages room = {.anon = 0};

	for (uint32_t memcg = 0; memcg < tree->nr; memcg++)
		charge_each(plan, memcg, add_all, &room);
	return room;
}

static int charge_share(const struct placement *placement, struct charger *charger,
			const struct share *share, struct error *err)
{
	int cpu = placement_os_cpu(placement, share->cpu, err);
	unsigned real = placement->real_node[share->node];

	if (cpu < 0)
		return cpu;
	return charger_charge(charger, &share->pages, (unsigned)cpu,
			      placement->machine->nodes[real].os_index, err);
}

static int fill_one(struct live_tree *live, const struct charge_plan *plan, uint32_t memcg,
		    const struct placement *placement, struct charger *charger,
		    struct shares *shares, struct error *err)
{
	char pid[24];
	int r;

	shares->nr = 0;
	charge_each(plan, memcg, collect, shares);
	if (shares->no_memory)
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(pid, sizeof(pid), "%d", (int)charger->pid);
	r = live_dirs_write(&live->dirs, memcg, "cgroup.procs", pid, err);
	for (size_t i = 0; !r && i < shares->nr; i++)
		r = charge_share(placement, charger, &shares->items[i], err);
	return r;
}

int live_fill_inner(struct live_tree *live, const struct charge_plan *plan, uint32_t memcg,
		    const struct placement *placement, struct charger *charger, struct error *err)
{
	struct shares shares = {.nr = 0};
	int r = fill_one(live, plan, memcg, placement, charger, &shares, err);

	free(shares.items);
	return r ? r : live_tree_park(live, charger->pid, err);
}

/* Every CPU that a charge may have come from. */
static int drain_all(const struct placement *placement, struct charger *charger, struct error *err)
{
	int r = 0;

	for (unsigned cpu = 0; !r && cpu < placement->nr_cpus; cpu++) {
		int os_cpu = placement_os_cpu(placement, cpu, err);

		r = os_cpu < 0 ? os_cpu : charger_drain(charger, (unsigned)os_cpu, err);
	}
	return r;
}

int live_fill(struct live_tree *live, const struct charge_plan *plan,
	      const struct placement *placement, struct charger *charger,
	      const struct live_progress *progress, struct error *err)
{
	struct shares shares = {.nr = 0};
	uint32_t nr = live->tree->nr;
	int r = 0;

	for (uint32_t memcg = 0; !r && memcg < nr; memcg++) {
		if (memcg % PER_STRIDE == 0 && progress && progress->each &&
		    progress->each(progress->arg, memcg, nr))
			r = error_set(err, -EINTR, "interrupted at memcg %u of %u", memcg, nr);
		else if (live_tree_takes_processes(live, memcg))
			r = fill_one(live, plan, memcg, placement, charger, &shares, err);
	}
	free(shares.items);
	if (!r)
		r = live_tree_park(live, charger->pid, err);
	return r ? r : drain_all(placement, charger, err);
}

struct node_bytes {
	uint64_t *bytes; /* [nodes] */
	uint64_t page;
};

static void add_bytes(void *arg, const struct charge *charge)
{
	struct node_bytes *sums = arg;

	if (charge->pages > 0)
		sums->bytes[charge->node] += (uint64_t)charge->pages * sums->page;
}

static json_t *nodes_found(const struct node_bytes *sums, const struct placement *placement)
{
	json_t *nodes = json_array();

	for (unsigned i = 0; i < placement->nr_nodes; i++) {
		unsigned real = placement->real_node[i];

		json_array_append_new(
			nodes,
			json_pack("{s:i, s:i, s:I, s:i}", "nid", (int)placement->nids[i],
				  "os_index", (int)placement->machine->nodes[real].os_index,
				  "bytes", (json_int_t)sums->bytes[i], "bytes_misplaced", 0));
	}
	return nodes;
}

json_t *live_fill_found(const struct charge_plan *plan, const struct memcg_tree *tree,
			const struct placement *placement)
{
	struct node_bytes sums = {
		.bytes = calloc(placement->nr_nodes, sizeof(*sums.bytes)),
		.page = (uint64_t)sysconf(_SC_PAGESIZE),
	};
	uint64_t bytes = 0;
	json_t *found = NULL;

	if (!sums.bytes)
		return NULL;
	for (uint32_t memcg = 0; memcg < tree->nr; memcg++)
		charge_each(plan, memcg, add_bytes, &sums);
	for (unsigned i = 0; i < placement->nr_nodes; i++)
		bytes += sums.bytes[i];
	/* The nodes are the machine's own, each once: live_possible() allows nothing else. */
	found = json_pack("{s:s, s:I, s:i, s:i, s:o, s:i}", "placement", "real", "bytes",
			  (json_int_t)bytes, "bytes_misplaced", 0, "bytes_unknown", 0, "nodes",
			  nodes_found(&sums, placement), "huge_bytes", 0);
	free(sums.bytes);
	return found;
}
