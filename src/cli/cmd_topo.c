// SPDX-License-Identifier: MIT
/* memcgbench topo: the NUMA nodes of this machine, or of a recorded one, as placement sees them. */
#include "cli/cli.h"

#include "base/error.h"
#include "base/units.h"
#include "place/machine.h"
#include "report/table.h"
#include "report/wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is left of 80 columns for the widest column. */
#define CPU_LIST_WIDTH 30

enum {
	OPTION_FORMAT = 'f',
	OPTION_TOPOLOGY = 't'
};

struct options {
	const char *topology; /* NULL: this machine */
	unsigned format;
};

static const struct argp_option option_table[] = {
	{"format", OPTION_FORMAT, "FORMAT", 0, "table (default) or json", 0},
	{"topology", OPTION_TOPOLOGY, "FILE.xml", 0,
	 "describe a machine recorded by `lstopo FILE.xml` instead of this one", 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPTION_FORMAT:
		options->format = cli_format(state, argument, FORMAT_TABLE | FORMAT_JSON);
		return 0;
	case OPTION_TOPOLOGY:
		options->topology = argument;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is one argument too many", argument);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp topo_argp = {
	.options = option_table,
	.parser = parse_option,
	.doc = "Shows NUMA nodes by OS index, their CPUs and memory, and what this process may use "
	       "of them.\vNodes hidden by a cpuset, without memory or without CPUs are shown too. "
	       "A recorded machine shows hidden nodes only if it was recorded with `lstopo "
	       "--disallowed`.\n\nExit codes: 0 fine; 2 trouble.",
};

/* "0-17,36-53", cut where it would be too long; the caller frees. */
static char *cpu_list(const struct machine_node *node)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	char *text = NULL;

	for (unsigned i = 0; set && i < node->nr_cpus; i++)
		hwloc_bitmap_set(set, node->cpus[i]);
	if (set)
		hwloc_bitmap_list_asprintf(&text, set);
	hwloc_bitmap_free(set);
	if (text && strlen(text) > CPU_LIST_WIDTH)
		snprintf(text + CPU_LIST_WIDTH - 3, 4, "...");
	return text;
}

static const char *note(const struct machine *machine, const struct machine_node *node)
{
	if (!node->bytes)
		return "no memory";
	if (!hwloc_get_numanode_obj_by_os_index(machine->topology, node->os_index))
		return "not known to hwloc";
	if (!node->allowed)
		return "hidden by a cpuset";
	if (!node->nr_cpus)
		return "no CPUs";
	if (node->nr_allowed < node->nr_cpus)
		return "some CPUs not allowed";
	return "";
}

static int print_nodes(const struct machine *machine)
{
	struct table *table = table_new();
	int r;

	table_column(table, "node", ALIGN_RIGHT);
	table_column(table, "memory", ALIGN_RIGHT);
	table_column(table, "number", ALIGN_RIGHT);
	table_column(table, "allowed", ALIGN_RIGHT);
	table_column(table, "CPUs", ALIGN_LEFT);
	table_column(table, "", ALIGN_LEFT);
	for (unsigned i = 0; i < machine->nr_nodes; i++) {
		const struct machine_node *node = &machine->nodes[i];
		char memory[UNIT_TEXT_MAX], *cpus = cpu_list(node);

		table_row(table);
		table_cell(table, "%u", node->os_index);
		table_cell(table, "%s", unit_format_bytes(memory, (double)node->bytes));
		table_cell(table, "%u", node->nr_cpus);
		table_cell(table, "%u", node->nr_allowed);
		table_cell(table, "%s", cpus && *cpus ? cpus : "-");
		table_cell(table, "%s", note(machine, node));
		free(cpus);
	}
	r = table_print(table, stdout);
	table_free(table);
	return r;
}

static int print_table(const struct machine *machine)
{
	unsigned homeless = machine->nr_cpus;
	char llc[UNIT_TEXT_MAX];
	int r;

	wrap_print(stdout, 0, "", machine->source);
	wrap_print(stdout, 0, "", machine->host_class);
	printf("%u CPUs online, %u possible; last-level cache %s\n\n", machine->nr_cpus,
	       machine->possible_cpus,
	       machine->llc_bytes ? unit_format_bytes(llc, (double)machine->llc_bytes) : "unknown");
	r = print_nodes(machine);
	for (unsigned i = 0; i < machine->nr_nodes; i++)
		homeless -= machine->nodes[i].nr_cpus;
	if (homeless)
		printf("\n%u CPUs belong to nodes that the topology leaves out\n", homeless);
	return r;
}

static int print_json(const struct machine *machine)
{
	json_t *document = machine_to_json(machine);
	int r = document ? json_dumpf(document, stdout, JSON_INDENT(2)) : -1;

	json_decref(document);
	putchar('\n');
	return r;
}

static void warn_of_variable(const struct machine *machine)
{
	const char *variable = machine_foreign_variable();

	if (!variable)
		return;
	fprintf(stderr, "memcgbench: warning: %s is set: %s; `run` refuses to measure\n", variable,
		machine->thissystem ? "hwloc made nothing of it, and this is this machine"
				    : "this is not this machine");
}

int cmd_topo(int argc, char **argv)
{
	struct options options = {.format = FORMAT_TABLE};
	struct machine *machine;
	struct error err;
	int r;

	argp_parse(&topo_argp, argc, argv, 0, NULL, &options);
	if (machine_open(options.topology, &machine, &err)) {
		error_print(stderr, &err);
		return EXIT_TROUBLE;
	}
	if (!options.topology)
		warn_of_variable(machine);
	r = options.format == FORMAT_JSON ? print_json(machine) : print_table(machine);
	machine_free(machine);
	if (r && !ferror(stdout))
		fputs("memcgbench: out of memory\n", stderr);
	return cli_finish(r ? EXIT_TROUBLE : EXIT_FINE);
}
