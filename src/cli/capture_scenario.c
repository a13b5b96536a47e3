// SPDX-License-Identifier: MIT
/* See capture_scenario.h. */
#include "cli/capture_scenario.h"

#include "scenario/nids.h"
#include "scenario/parameter.h"

#include <ctype.h>
#include <inttypes.h>

/* A scenario's name has fewer letters than a file's. */
static void write_name(const char *base, FILE *out)
{
	for (size_t i = 0; base[i]; i++) {
		char c = (char)tolower((unsigned char)base[i]);

		putc(c == '.' || (c == '-' && !i) ? '_' : c, out);
	}
}

static uint64_t pages_of(const struct captured *captured)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < captured->nr_cells; i++)
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
			pages += captured->cells[i].pages[lru];
	return pages;
}

void capture_scenario_write(const struct captured *captured, const char *base, FILE *out)
{
	const uint64_t *facts = captured->facts;
	char nids[PARAMETER_TEXT_MAX];

	fputs("# SPDX-License-Identifier: MIT\n"
	      "# Written by `memcgbench capture`: what it costs to read the statistics of the "
	      "machine's tree.\n"
	      "# For the shape alone, on any machine, add: counters: {pages: 25k}\n",
	      out);
	fputs("name: ", out);
	write_name(base, out);
	fprintf(out, "\ntitle: A captured tree of %" PRIu64 " memcgs\n", facts[CAPTURED_MEMCGS]);
	fprintf(out, "tree: {shape: captured, file: \"%s.tree\"}\n", base);
	nids_format(captured->nids, captured->nr_nids, nids, sizeof(nids));
	fprintf(out, "machine: {nodes: %u, node_ids: \"%s\", ", captured->nr_nids, nids);
	if (facts[CAPTURED_CPUS] == CAPTURED_UNKNOWN)
		fputs("cpus: here} # how many that machine has is not known\n", out);
	else
		fprintf(out, "cpus: %" PRIu64 "}\n", facts[CAPTURED_CPUS]);
	fprintf(out,
		"read: {file: memory.numa_stat, version: v%" PRIu64 "}\n"
		"backends: [walk, cached]\n",
		facts[CAPTURED_CGROUP]);
}

void capture_remarks_write(const struct captured *captured, FILE *out)
{
	const uint64_t *facts = captured->facts;

	fputs("# Pages of each memory cgroup itself, by node: inactive_anon, active_anon, "
	      "inactive_file,\n# active_file, unevictable. `memcgbench` replays it; "
	      "docs/capture.md describes it.\n",
	      out);
	if (facts[CAPTURED_PLACES] == CAPTURED_AT_TOP && facts[CAPTURED_DYING] != CAPTURED_UNKNOWN)
		fputs("# cgroup v1 does not tell where dying memcgs are, nor what they hold: all "
		      "are at the top.\n",
		      out);
}

struct remark {
	enum captured_fact fact;
	const char *text;
};

void capture_outcome_write(const struct captured *captured, uint64_t no_memory,
			   const struct error *first_unreadable, FILE *out)
{
	static const struct remark remarks[] = {
		{CAPTURED_VANISHED, "cgroups vanished while they were read: left out"},
		{CAPTURED_UNREADABLE, "cgroups could not be read: there without pages"},
		{CAPTURED_NO_NODES, "cgroups without memory.numa_stat: pages on the first node"},
		{CAPTURED_NO_LISTS, "cgroups without memory.stat: all pages inactive"},
		{CAPTURED_NEGATIVE, "counters below zero, which moved meanwhile: 0"},
	};
	const uint64_t *facts = captured->facts;
	char dying[32] = "not known how many";

	if (facts[CAPTURED_DYING] != CAPTURED_UNKNOWN)
		snprintf(dying, sizeof(dying), "%" PRIu64, facts[CAPTURED_DYING]);
	fprintf(out,
		"memcgbench: %" PRIu64 " memory cgroups of v%" PRIu64 " below the top, dying: %s; "
		"%" PRIu64 " pages on %u node%s\n",
		facts[CAPTURED_MEMCGS], facts[CAPTURED_CGROUP], dying, pages_of(captured),
		captured->nr_nids, captured->nr_nids == 1 ? "" : "s");
	for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++)
		if (facts[remarks[i].fact])
			fprintf(out, "memcgbench: %" PRIu64 " %s\n", facts[remarks[i].fact],
				remarks[i].text);
	if (facts[CAPTURED_UNREADABLE])
		fprintf(out, "memcgbench: the first that could not be read: %s%s%s\n",
			first_unreadable->file, *first_unreadable->file ? ": " : "",
			first_unreadable->text);
	if (no_memory)
		fprintf(out,
			"memcgbench: %" PRIu64 " directories without the memory controller: no "
			"memory cgroups\n",
			no_memory);
}
