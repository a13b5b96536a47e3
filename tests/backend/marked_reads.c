// SPDX-License-Identifier: MIT
/*
 * Reads of the root, each between two marked stores, for a tool that watches every memory access:
 * test_lackey.py compares what was seen with what the counting read says. Prints the marks, waits
 * for a line on standard input, and then prints for each read where things lie and what was
 * counted.
 */
#include "backend/bounded.h"
#include "backend/charge.h"
#include "backend/model.h"
#include "backend/packed.h"
#include "backend/rstat.h"
#include "scenario/parameter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NODES 2

/* Stores to these bracket each read in the trace. */
static volatile long mark_begin, mark_end;

static const struct read_case {
	const char *backend;
	uint32_t dying_ppm;
	enum area_layout layout;
	enum read_file file;
	enum read_version version;
	enum flush_rules flush;
} cases[] = {
	/* clang-format off */
	{"walk", 0, LAYOUT_V5_6, READ_NUMA_STAT, READ_V1},
	{"walk", 300000, LAYOUT_LEAN, READ_NUMA_STAT, READ_V1},
	{"walk", 300000, LAYOUT_V5_6, READ_MEMORY_STAT, READ_V1},
	{"walk-415", 0, LAYOUT_LEAN, READ_NUMA_STAT, READ_V1},
	{"walk-415", 0, LAYOUT_V5_6, READ_NUMA_STAT, READ_V2},
	{"walk-once", 300000, LAYOUT_V5_6, READ_NUMA_STAT, READ_V1},
	{"walk-once", 300000, LAYOUT_V5_6, READ_MEMORY_STAT, READ_V2},
	{"cached", 300000, LAYOUT_V5_6, READ_NUMA_STAT, READ_V1},
	{"cached", 0, LAYOUT_V5_6, READ_MEMORY_STAT, READ_V1},
	{"cached", 0, LAYOUT_V5_6, READ_NUMA_STAT, READ_V2},
	{"cached-fnptr", 0, LAYOUT_LEAN, READ_NUMA_STAT, READ_V1},
	{"packed", 300000, LAYOUT_V5_6, READ_NUMA_STAT, READ_V1},
	{"bounded", 300000, LAYOUT_V5_6, READ_NUMA_STAT, READ_V1},
	/* Below their thresholds: what is pending is left where it is. */
	{"rstat", 300000, LAYOUT_V5_6, READ_NUMA_STAT, READ_V1, FLUSH_V6_8},
	{"rstat", 0, LAYOUT_LEAN, READ_NUMA_STAT, READ_V1, FLUSH_V5_16},
	{"rstat", 0, LAYOUT_V5_6, READ_MEMORY_STAT, READ_V1, FLUSH_V5_16},
	{"rstat", 300000, LAYOUT_V5_6, READ_MEMORY_STAT, READ_V1, FLUSH_V6_16},
	/* clang-format on */
};

static void print_range(const char *what, const volatile void *from, size_t bytes)
{
	printf("%s %" PRIxPTR " %zx\n", what, (uintptr_t)from, bytes);
}

static void print_model(const struct model *model)
{
	struct memcg *root = model_memcg(model, 0);
	/* None where only local counters are kept. */
	size_t memcg_counters = model->layout.memcg_atomics;
	size_t node_counters = model->layout.node_atomics;

	for (unsigned cpu = 0; cpu < model->layout.cpus; cpu++)
		print_range("area", model->area[cpu],
			    model->layout.memcgs * model->layout.object_bytes);
	print_range("shared", root->stat, memcg_counters * sizeof(long));
	for (unsigned node = 0; node < NODES; node++)
		print_range("shared", (*memcg_nodeinfo(model, root, node))->stat,
			    node_counters * sizeof(long));
	for (uint32_t i = 0; i < model->layout.memcgs; i++)
		print_range("shared", &model_memcg(model, i)->css_count, sizeof(long));
}

static void print_packed(const struct packed *packed)
{
	struct packed_memcg *root = packed_memcg(packed, 0);

	print_range("shared", root->stat, sizeof(root->stat));
	for (unsigned node = 0; node < NODES; node++) {
		print_range("shared", root->node[node]->stat, sizeof(root->node[node]->stat));
		for (unsigned cpu = 0; cpu < packed->layout.cpus; cpu++)
			print_range("area", root->node[node]->line[cpu].local,
				    sizeof(root->node[node]->line[cpu].local));
	}
}

static void print_bounded(const struct bounded *bounded)
{
	struct bounded_memcg *root = bounded_memcg(bounded, 0);

	for (unsigned k = 0; k < NODES; k++) {
		struct bounded_node *node = root->node[k];

		print_range("shared", node->stat, sizeof(node->stat));
		for (unsigned cpu = 0; cpu < bounded->layout.cpus; cpu++) {
			struct bounded_local *local = &bounded_cpu(bounded, cpu, node->line)->local;

			print_range("area", local->pages, sizeof(local->pages));
		}
	}
}

static void print_rstat(const struct rstat *rstat)
{
	const struct rstat_layout *layout = &rstat->layout;
	struct rstat_memcg *root = rstat_memcg(rstat, 0);

	for (unsigned cpu = 0; cpu < layout->cpus; cpu++)
		print_range("area", rstat->area[cpu] + sizeof(struct rstat_cpu),
			    layout->memcgs * layout->object_bytes);
	print_range("shared", &rstat->global->updates, sizeof(rstat->global->updates));
	print_range("shared", &root->updates, sizeof(root->updates));
	print_range("shared", root->stats, RSTAT_ARRAYS * layout->memcg_items * sizeof(long));
	for (unsigned node = 0; node < NODES; node++)
		print_range("shared", *rstat_nodeinfo(rstat, root, node),
			    RSTAT_ARRAYS * layout->node_items * sizeof(long));
}

static void print_places(const struct backend *backend, void *instance)
{
	const struct region *regions;
	size_t nr;

	regions = backend->regions(instance, &nr);
	for (size_t i = 0; i < nr; i++)
		print_range("region", regions[i].base, regions[i].bytes);
	if (!strcmp(backend->name, "packed"))
		print_packed(instance);
	else if (!strcmp(backend->name, "bounded"))
		print_bounded(instance);
	else if (!strcmp(backend->name, "rstat"))
		print_rstat(instance);
	else
		print_model(instance);
}

static int count(const struct backend *backend, void *instance, const struct read_request *request,
		 struct numa_counts *counts)
{
	struct op_probe probe = {.lines = NULL};
	const struct region *regions;
	size_t nr;
	int ret;

	regions = backend->regions(instance, &nr);
	probe.lines = line_set_new(regions, nr);
	if (!probe.lines)
		return -1;
	ret = counts_are_numa_v1(counts) ? backend->count_read(instance, request, counts, &probe)
					 : backend->count_stat(instance, request, counts, &probe);
	printf("loads %" PRIu64 "\ncss_gets %" PRIu64 "\nvisited %" PRIu64 "\natomics %" PRIu64
	       "\nbytes %" PRIu64 "\n",
	       probe.counts.loads_local + probe.counts.loads_hierarchical, probe.counts.css_gets,
	       probe.counts.memcgs_visited, probe.counts.atomics, line_set_bytes(probe.lines));
	line_set_free(probe.lines);
	return ret;
}

/* The root's read goes from modelled CPU 1: its references lie in that area. */
static int read_marked(const struct backend *backend, void *instance, const struct point *point)
{
	const struct read_request request = {.cpu = 1, .rows = point_rows(point)};
	const uint16_t nids[NODES] = {0, 1};
	struct numa_counts counts;
	int ret;

	if (stat_counts_init(&counts, point_format(point), NODES, nids))
		return -1;
	print_places(backend, instance);
	mark_begin = 1;
	backend_read_counts(backend, instance, &request, &counts);
	mark_end = 1;
	ret = count(backend, instance, &request, &counts);
	numa_counts_fini(&counts);
	return ret;
}

static int run_case(const struct machine *machine, const struct read_case *c)
{
	const struct backend *backend = backend_find(c->backend);
	struct error_list reasons = {.nr = 0};
	struct error err = {.text = ""};
	struct placement *placement;
	struct memcg_tree *tree;
	struct point point;
	void *instance;
	int ret;

	point_init(&point);
	point.tree.memcgs = 12;
	point.tree.fanout = 3;
	point.tree.dying_ppm = c->dying_ppm;
	point.machine.layout = c->layout;
	point.read.file = c->file;
	point.read.version = c->version;
	point.counters.flush = c->flush;
	point.machine.nodes = NODES;
	point.machine.cpus = 3;
	if (memcg_tree_new(&point.tree, &tree))
		return -1;
	ret = placement_new(machine, &point, &placement, &reasons);
	if (!ret)
		ret = backend->create(&(struct backend_env){&point, tree, placement}, &instance,
				      &err);
	if (!ret) {
		printf("case %s, %" PRIu32 " ppm dying, %s\n", c->backend, c->dying_ppm,
		       stat_type_name(point_format(&point)->type));
		ret = backend->populate(instance, &(struct charge_plan){&point}, &err);
		if (!ret)
			ret = read_marked(backend, instance, &point);
		backend->destroy(instance);
	}
	if (ret)
		error_print(stderr, reasons.nr ? &reasons.items[0] : &err);
	placement_free(placement);
	memcg_tree_free(tree);
	return ret;
}

int main(void)
{
	struct machine *machine;
	struct error err;
	int ret = 0;

	print_range("begin", &mark_begin, sizeof(mark_begin));
	print_range("end", &mark_end, sizeof(mark_end));
	fflush(stdout);
	if (getchar() != '\n')
		return 2;
	/*
	 * Where memory lies does not matter here, and looking at the real machine takes millions of
	 * accesses. hwloc binds nothing on a synthetic one.
	 */
	if (machine_open_synthetic("numa:1 pu:1", &machine, &err)) {
		error_print(stderr, &err);
		return 2;
	}
	machine->thissystem = true;
	for (size_t i = 0; !ret && i < sizeof(cases) / sizeof(cases[0]); i++)
		ret = run_case(machine, &cases[i]);
	machine_free(machine);
	return ret ? 2 : 0;
}
