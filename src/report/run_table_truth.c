// SPDX-License-Identifier: MIT
/*
 * Two sections of a run's table: how far off and how old what is read under load is, beside what
 * that costs readers and writers; and whether files agree while nobody writes.
 */
#include "report/run_table_parts.h"
#include "report/wrap.h"

#include <math.h>

#define NOTE_INDENT 11

const char *const truth_columns[] = {"a read", "update", "error",  "bound",
				     "width",  "age",    "oldest", NULL};

/* Older than all that was looked at is not the same as not known. */
static void age_cell(struct table *table, const struct truth_summary *truth, double ns)
{
	if (isnan(ns) && truth->age_unknown) {
		table_cell(table, "never");
		table_value(table, NAN, "ns");
	} else {
		cell_time(table, ns);
	}
}

void truth_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;
	const struct truth_summary *truth = &s->truth;

	cell_time(table, s->median_ns);
	cell_time(table, isnan(s->writer_ns) ? s->update_ns : s->writer_ns);
	cell_count(table, true, truth->load.pages);
	cell_count(table, true, truth->load.bound_pages);
	cell_count(table, true, truth->width_pages);
	age_cell(table, truth, truth->age_ns);
	age_cell(table, truth, truth->age_max_ns);
}

/* Adds up what all back ends of a run have of one count. */
static uint64_t sum(const struct run_summary *summary, uint64_t (*of)(const struct truth_summary *))
{
	uint64_t total = 0;

	for (size_t p = 0; p < summary->nr_points; p++)
		for (size_t b = 0; b < summary->points[p].nr_backends; b++)
			total += of(&summary->points[p].backends[b].truth);
	return total;
}

static uint64_t reads(const struct truth_summary *truth)
{
	return truth->reads;
}

static uint64_t reads_apart(const struct truth_summary *truth)
{
	return truth->apart;
}

static uint64_t reads_beyond(const struct truth_summary *truth)
{
	return truth->beyond;
}

static uint64_t reads_not_found(const struct truth_summary *truth)
{
	return truth->age_unknown;
}

bool truth_known(const struct run_summary *summary)
{
	return sum(summary, reads) > 0;
}

static bool not_held(const struct backend_summary *s)
{
	return !s->truth.reads;
}

void truth_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  a read",
		   "median of the processes, writers at work, as above");
	wrap_print(out, NOTE_INDENT, "  update", "under load, of writers where there are any");
	wrap_printf(
		out, NOTE_INDENT, "  error",
		"of %llu reads under load, the furthest that a cell was outside of what was true "
		"while it was read, by share of its bound. Of all reads %llu had a cell outside, "
		"%llu beyond its bound, which holds at rest: a read that takes long, or finds a "
		"flush under way, sums up counters of different moments",
		(unsigned long long)sum(summary, reads),
		(unsigned long long)sum(summary, reads_apart),
		(unsigned long long)sum(summary, reads_beyond));
	if (any_backend(summary, not_held))
		wrap_print(out, NOTE_INDENT, "  -",
			   "no read was held against the truth: nobody wrote, or the file is "
			   "another than v1 memory.numa_stat");
	wrap_print(out, NOTE_INDENT, "  width",
		   "how far the truth moved during a read, and with it how sharp this is; median, "
		   "of the hierarchical total");
	wrap_print(out, NOTE_INDENT, "  age",
		   "since the hierarchical total that was read was last true; 0: it was during the "
		   "read. Median of the processes' medians, and the oldest");
	if (sum(summary, reads_not_found))
		wrap_print(out, NOTE_INDENT, "  never",
			   "true at no time that was looked at, which decides here");
}

const char *const agree_columns[] = {"row off by", "bound", "pairs", "below",
				     "worst by",   "bound", NULL};

void agree_cells(struct table *table, const struct run_line *line)
{
	const struct truth_summary *truth = &line->backend->truth;

	cell_count(table, true, truth->closure.pages);
	cell_count(table, true, truth->closure.bound_pages);
	cell_count(table, truth->pairs, (double)truth->pairs);
	cell_count(table, truth->pairs, (double)truth->below);
	cell_count(table, truth->below, truth->inversion.pages);
	cell_count(table, truth->below, truth->inversion.bound_pages);
}

void agree_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	wrap_print(out, NOTE_INDENT, "  row",
		   "the root's hierarchical row whose sum is furthest from the sum of its node "
		   "columns, in pages, while nobody writes; by share of the bound of both, in the "
		   "worst process");
	wrap_print(out, NOTE_INDENT, "  below",
		   "hierarchical cells of a parent that were less than its child's, of so many "
		   "pairs of them in all processes, and the worst by how many pages");
}

/* Something must be off for it to be worth its lines. */
bool agree_known(const struct run_summary *summary)
{
	for (size_t p = 0; p < summary->nr_points; p++) {
		for (size_t b = 0; b < summary->points[p].nr_backends; b++) {
			const struct truth_summary *truth = &summary->points[p].backends[b].truth;

			if (truth->closure.pages > 0 || truth->below)
				return true;
		}
	}
	return false;
}
