// SPDX-License-Identifier: MIT
/*
 * See run_table_parts.h: the sections on back ends that read the running kernel. What a read covers
 * stands beside its time, and the time of a file with nothing in it beside that of one with
 * counters: elsewhere in a table nothing is subtracted.
 */
#include "report/run_table_parts.h"
#include "report/wrap.h"
#include "result/counts.h"
#include "result/document.h"

#include <math.h>
#include <string.h>

#define NOTE_INDENT 11

static bool is_live(const struct backend_summary *s)
{
	return s->live != NULL;
}

size_t live_rows(const struct backend_summary *s)
{
	return is_live(s);
}

bool live_known(const struct run_summary *summary)
{
	return any_backend(summary, is_live);
}

static bool is_model(const struct backend_summary *s)
{
	return !is_live(s);
}

bool live_and_models(const struct run_summary *summary)
{
	return live_known(summary) && any_backend(summary, is_model);
}

const char *const covers_columns[] = {"median", "visible", "walked", "dying",
				      "asked",  "files",   "how",    NULL};

void covers_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;
	const char *how = live_word(s);

	cell_time(table, s->median_ns);
	cell_count(table, true, live_number(s, "fixture.cgroups"));
	cell_count(table, true, live_walked(s));
	cell_count(table, true, live_number(s, "fixture.dying_found"));
	cell_count(table, true, live_number(s, "fixture.dying_asked"));
	cell_count(table, true, live_number(s, "files"));
	table_cell(table, "%s", how ? how : "-");
}

static bool has_mode(const struct backend_summary *s)
{
	return json_object_get(s->live, "mode");
}

static bool dying_unknown(const struct backend_summary *s)
{
	return s->live && isnan(live_number(s, "fixture.dying_found"));
}

static bool differs(const struct backend_summary *s)
{
	return s->live_differs;
}

void covers_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  visible",
		   "cgroups with a directory, the tree's root included; walked: memcgs that a read "
		   "came to, in all of its passes; -: only the kernel knows");
	wrap_print(out, NOTE_INDENT, "  dying",
		   "memcgs without a directory that the kernel still has, of those asked for");
	if (any_backend(summary, live_lost_dying))
		wrap_print(out, NOTE_INDENT, "  fewer",
			   "dying memcgs than asked for: not reproducible here. This kernel gives "
			   "the pages of a removed cgroup to its parent, and nothing keeps it");
	if (any_backend(summary, dying_unknown))
		wrap_print(out, NOTE_INDENT, "  dying -", "the kernel does not say how many");
	wrap_print(out, NOTE_INDENT, "  how",
		   "reopened: the file is opened, read and closed each time; kept: read again "
		   "through one descriptor");
	if (any_backend(summary, has_mode))
		wrap_print(out, NOTE_INDENT, "",
			   "local: one pass over each memcg's own counters, as a walk costs on 6.6 "
			   "and later; percpu: a pass for each row and column, over every possible "
			   "CPU's counters, as before the patch");
	if (any_backend(summary, differs))
		wrap_print(out, NOTE_INDENT, "  differ",
			   "processes found other cgroups, made anew in between: the first one's "
			   "are shown");
}

const char *const made_columns[] = {"cgroup", "made", "charged", "settled", NULL};

void made_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;

	table_cell(table, "v%.0f", live_number(s, "fixture.version"));
	cell_time(table, live_number(s, "fixture.made_ns"));
	cell_time(table, live_number(s, "fixture.charged_ns"));
	cell_time(table, live_number(s, "fixture.settled_ns"));
}

void made_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	wrap_print(out, NOTE_INDENT, "  made",
		   "the cgroups alone, once for all back ends and processes of the point; charged: "
		   "all pages touched; settled: what was waited for until the kernel had counted "
		   "them. None of it is in a read's time");
}

const char *const reported_columns[] = {"charged", "root says", "all say", "off by", "bound", NULL};

void reported_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;
	double charged = live_number(s, "fixture.truth.charged_pages");
	double root = live_number(s, "fixture.truth.hierarchical_pages");

	if (isnan(charged))
		charged = live_number(s, "fixture.pages");
	cell_count(table, true, charged);
	cell_count(table, true, root);
	cell_count(table, true, live_number(s, "fixture.truth.local_pages_sum"));
	cell_count(table, true, fabs(root - charged));
	cell_count(table, true, live_number(s, "fixture.truth.bound_pages"));
}

void reported_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	wrap_print(out, NOTE_INDENT, "  root says",
		   "hierarchical_total of the root of the tree; all say: the sum of every visible "
		   "cgroup's own total, without what dying ones hold. Looked at once, after the "
		   "pages had settled");
	wrap_print(out, NOTE_INDENT, "  bound", "pages that CPUs may hold back from both");
}

/* The row of the floor, where it was measured. */
static const struct backend_summary *floor_of(const struct point_summary *point)
{
	for (size_t b = 0; b < point->nr_backends; b++)
		if (!strcmp(point->backends[b].backend, LIVE_FLOOR) && point->backends[b].processes)
			return &point->backends[b];
	return NULL;
}

static bool is_floor(const struct backend_summary *s)
{
	return is_live(s) && !strcmp(s->backend, LIVE_FLOOR);
}

size_t net_rows(const struct backend_summary *s)
{
	return is_live(s) && !is_floor(s);
}

bool net_known(const struct run_summary *summary)
{
	return any_backend(summary, is_floor);
}

const char *const net_columns[] = {"gross", "floor", "net", "from", "to", "pairs", NULL};

void net_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *floor = floor_of(line->point);
	struct ratio net = {.median = NAN, .low = NAN, .high = NAN};

	if (floor)
		net = summary_difference(line->backend, floor);
	cell_time(table, line->backend->median_ns);
	cell_time(table, floor ? floor->median_ns : NAN);
	cell_time(table, net.median);
	cell_time(table, net.low);
	cell_time(table, net.high);
	cell_count(table, true, (double)net.pairs);
}

void net_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	wrap_printf(out, NOTE_INDENT, "  floor",
		    "the time of %s: the smallest file of the same file system, read in the same "
		    "way. It is what a system call costs, before anything is counted. Of back ends "
		    "that read many files, it is one file's",
		    LIVE_FLOOR);
	wrap_print(
		out, NOTE_INDENT, "  net",
		"median over pairs of processes of the same repetition of gross less floor; from "
		"and to: its interval, from 6 pairs on. Below 0, the read is as short as the "
		"floor. Nothing is subtracted in any other table");
}
