// SPDX-License-Identifier: MIT
/* See run_table_parts.h: the sections on locks and on the periodic flusher. */
#include "report/run_table_parts.h"
#include "report/wrap.h"
#include "stats/order.h"

#include <math.h>

#define NOTE_INDENT 11

static void cell_share(struct table *table, double percent)
{
	table_cell(table, percent > 0 && percent < 0.05 ? "<0.1%%" : "%.1f%%", percent);
	table_value(table, percent, "%");
}

const char *const locks_columns[] = {"lock",     "taken",    "waited",   "wait p99",
				     "held p50", "held p99", "held max", NULL};

size_t locks_rows(const struct backend_summary *s)
{
	return s->locks.nr;
}

void locks_cells(struct table *table, const struct run_line *line)
{
	const struct lock_summary *lock = &line->backend->locks.lock[line->item];

	table_cell(table, "%s", lock->name);
	cell_count(table, true, (double)lock->taken);
	cell_share(table, 100 * (double)lock->contended / (double)lock->taken);
	cell_time(table, lock->wait_p99_ns);
	cell_time(table, lock->hold_median_ns);
	cell_time(table, lock->hold_p99_ns);
	cell_time(table, lock->hold_max_ns);
}

const char *const flusher_columns[] = {"flushes", "p50", "max", "of time", NULL};

size_t flusher_rows(const struct backend_summary *s)
{
	return s->locks.flusher.any;
}

void flusher_cells(struct table *table, const struct run_line *line)
{
	const struct flusher_summary *flusher = &line->backend->locks.flusher;

	cell_count(table, true, (double)flusher->flushes);
	cell_time(table, flusher->median_ns);
	cell_time(table, flusher->max_ns);
	cell_share(table, flusher->seconds > 0 ? flusher->total_ns / flusher->seconds / 1e7 : 0);
}

static bool any(const struct run_summary *summary, size_t (*rows)(const struct backend_summary *s))
{
	for (size_t p = 0; p < summary->nr_points; p++)
		for (size_t b = 0; b < summary->points[p].nr_backends; b++)
			if (rows(&summary->points[p].backends[b]))
				return true;
	return false;
}

bool locks_known(const struct run_summary *summary)
{
	return any(summary, locks_rows);
}

bool flusher_known(const struct run_summary *summary)
{
	return any(summary, flusher_rows);
}

static size_t passed_by(const struct backend_summary *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->locks.nr; i++)
		nr += s->locks.lock[i].passed_by > 0;
	return nr;
}

static size_t without_p99(const struct backend_summary *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->locks.nr; i++)
		nr += isnan(s->locks.lock[i].hold_p99_ns);
	return nr;
}

void locks_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  taken",
		   "while samples were taken, in all processes: by readers, and by a flusher or "
		   "who removes memcgs where there is one; again each time that a flush has given "
		   "the lock up");
	wrap_print(out, NOTE_INDENT, "  waited",
		   "share of these that found it taken; most others wait for no time, so p99 of "
		   "all is 0 where fewer than 1% waited. p50 and p99 are medians of the "
		   "processes', max is of all");
	wrap_print(out, NOTE_INDENT, "  held",
		   "whoever holds it may be off its CPU: see the largest with that in mind");
	if (any(summary, without_p99))
		wrap_printf(out, NOTE_INDENT, "  -", "p99 needs %llu times in each process",
			    (unsigned long long)samples_needed(0.99));
	if (any(summary, passed_by))
		wrap_print(out, NOTE_INDENT, "  passed by",
			   "some found it taken and read without a flush (v5.16): --format json "
			   "has how many");
}

static size_t was_late(const struct backend_summary *s)
{
	return s->locks.flusher.late > 0;
}

void flusher_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  flushes",
		   "from the root, by a thread of its own while samples were taken, in all "
		   "processes; p50 is the median of the processes'");
	wrap_print(out, NOTE_INDENT, "  of time", "share of that time that it was at work");
	if (any(summary, was_late))
		wrap_print(out, NOTE_INDENT, "  late", "some flushes began after their time");
}
