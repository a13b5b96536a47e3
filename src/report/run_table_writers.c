// SPDX-License-Identifier: MIT
/*
 * Sections of a run's table: what updates cost one thread by itself, what they cost writers while
 * reads are timed, and what memcgs cost that come and go meanwhile.
 */
#include "report/run_table_parts.h"
#include "report/wrap.h"
#include "stats/order.h"

#include <math.h>

#define NOTE_INDENT 11

const char *const update_columns[] = {"an update", "+-", "a read is", NULL};

void update_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;
	double side = fmax(s->update_ci_high_ns - s->update_ns, s->update_ns - s->update_ci_low_ns);
	char text[UNIT_TEXT_MAX];

	cell_time(table, s->update_ns);
	cell_percentage(table, isnan(side) ? NAN : 100 * side / s->update_ns);
	table_cell(table, isnan(s->update_ns) ? "%s" : "%s updates",
		   unit_format_count(text, s->median_ns / s->update_ns));
	table_value(table, s->median_ns / s->update_ns, "updates");
}

const char *const kinds_columns[] = {"page", "huge", "lru", "migrate", NULL};

void kinds_cells(struct table *table, const struct run_line *line)
{
	for (unsigned kind = 0; kind < NR_UPDATE_KINDS; kind++)
		cell_time(table, line->backend->kinds[kind].median_ns);
}

const char *const alone_columns[] = {"page p99",    "huge p99", "lru p99",
				     "migrate p99", "slowest",  NULL};

void alone_cells(struct table *table, const struct run_line *line)
{
	double slowest = NAN;

	for (unsigned kind = 0; kind < NR_UPDATE_KINDS; kind++) {
		cell_time(table, line->backend->kinds[kind].p99_ns);
		slowest = fmax(slowest, line->backend->kinds[kind].max_ns);
	}
	cell_time(table, slowest);
}

const char *const load_columns[] = {"an update", "p99 batch", "updates/s", "of each",
				    "error",     "bound",     NULL};

void load_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;

	cell_time(table, s->writer_ns);
	cell_time(table, s->writer_p99_batch_ns);
	cell_count(table, true, s->updates_per_s);
	cell_count(table, true, s->updates_per_s / line->point->point.write.writers);
	cell_count(table, true, s->load_error_pages);
	cell_count(table, true, s->load_error_bound_pages);
}

static bool has_update(const struct backend_summary *s)
{
	return !isnan(s->update_ns);
}

size_t update_rows(const struct backend_summary *s)
{
	return has_update(s);
}

bool update_known(const struct run_summary *summary)
{
	return any_backend(summary, has_update);
}

void update_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  update",
		   "one page charged or uncharged by one thread, caches warm, nobody else "
		   "writing or reading: the least that a writer pays. Under load it is another "
		   "matter");
	wrap_print(out, NOTE_INDENT, "  +-",
		   "of the median over the processes, as above. Updates are timed in batches, so "
		   "there are no percentiles");
}

static bool has_kinds(const struct backend_summary *s)
{
	return !isnan(s->kinds[MIX_PAGE].median_ns);
}

size_t kinds_rows(const struct backend_summary *s)
{
	return has_kinds(s);
}

bool kinds_known(const struct run_summary *summary)
{
	return any_backend(summary, has_kinds);
}

void kinds_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	wrap_print(out, NOTE_INDENT, "  page",
		   "one comes or goes; huge: 512 in one event; lru: one moves between lists; "
		   "migrate: between nodes. A move is two events of the back end");
	wrap_print(out, NOTE_INDENT, "  times",
		   "of one on average, many in a row at one place, spills included: medians "
		   "over batches, and over processes. An update above goes to another place "
		   "each time, where batches hardly ever fill");
}

void alone_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	wrap_print(out, NOTE_INDENT, "  p99",
		   "of the same updates, each timed alone, the timer's own time in it (an empty "
		   "interval: above); median of the processes. A batch of B spills once in "
		   "B + 1 pages: below 100 this is a spill");
	wrap_print(out, NOTE_INDENT, "  slowest",
		   "of all kinds and processes: as often an interrupt as the back end");
}

static bool had_writers(const struct backend_summary *s)
{
	return !isnan(s->writer_ns);
}

bool load_known(const struct run_summary *summary)
{
	return any_backend(summary, had_writers);
}

static bool fell_behind(const struct backend_summary *s)
{
	return s->updates_behind > 0;
}

static bool few_batches(const struct backend_summary *s)
{
	return had_writers(s) && isnan(s->writer_p99_batch_ns);
}

/* Were there writers where a file was read that is not held against the truth? */
static bool of_other_files(const struct run_summary *summary)
{
	for (size_t p = 0; p < summary->nr_points; p++) {
		const struct point_summary *point = &summary->points[p];

		if (point_format(&point->point)->type == STAT_NUMA_V1)
			continue;
		for (size_t b = 0; b < point->nr_backends; b++)
			if (had_writers(&point->backends[b]))
				return true;
	}
	return false;
}

void load_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  update",
		   "median over batches of a writer's own, while readers and the other writers "
		   "are at work; median of the processes. p99 is of batches, whose means hide "
		   "their slowest update");
	wrap_print(out, NOTE_INDENT, "  updates/s",
		   "of all writers together, pauses between paced batches included; of each: "
		   "by their number");
	wrap_print(out, NOTE_INDENT, "  error",
		   "in pages, after the writers ended: of the hierarchical cell that takes the "
		   "largest share of its bound, every update counted, in the worst process");
	if (of_other_files(summary))
		wrap_print(out, NOTE_INDENT, "  truth",
			   "only reads of v1 memory.numa_stat are held against it while writers "
			   "are at work: of other files nothing is known of error and age then");
	if (any_backend(summary, few_batches))
		wrap_printf(out, NOTE_INDENT, "  -", "p99 needs %llu batches in each process",
			    (unsigned long long)samples_needed(0.99));
	if (any_backend(summary, fell_behind))
		wrap_print(out, NOTE_INDENT, "  behind",
			   "some paced batches began after their time: the rate was not held "
			   "all the time");
}

const char *const churn_columns[] = {"create", "p99", "remove", "p99", "created", "behind", NULL};

void churn_cells(struct table *table, const struct run_line *line)
{
	const struct churn_summary *churn = &line->backend->churn;

	cell_time(table, churn->create_ns);
	cell_time(table, churn->create_p99_ns);
	cell_time(table, churn->remove_ns);
	cell_time(table, churn->remove_p99_ns);
	cell_count(table, true, (double)churn->created);
	cell_count(table, true, (double)churn->behind);
}

size_t churn_rows(const struct backend_summary *s)
{
	return s->churn.any;
}

static bool had_churn(const struct backend_summary *s)
{
	return s->churn.any;
}

bool churn_known(const struct run_summary *summary)
{
	return any_backend(summary, had_churn);
}

static bool few_lives(const struct backend_summary *s)
{
	return had_churn(s) && (isnan(s->churn.create_p99_ns) || isnan(s->churn.remove_p99_ns));
}

static bool waited(const struct backend_summary *s)
{
	return s->churn.waits > 0;
}

/* The one of all points and back ends whose root was furthest off after the load. */
static const struct backend_summary *worst_after(const struct run_summary *summary)
{
	const struct backend_summary *worst = NULL;

	for (size_t p = 0; p < summary->nr_points; p++) {
		for (size_t b = 0; b < summary->points[p].nr_backends; b++) {
			const struct backend_summary *s = &summary->points[p].backends[b];

			if (had_churn(s) &&
			    (!worst ||
			     error_is_worse(s->load_error_pages, s->load_error_bound_pages,
					    worst->load_error_pages,
					    worst->load_error_bound_pages)))
				worst = s;
		}
	}
	return worst;
}

static void after_note(const struct run_summary *summary, FILE *out)
{
	const struct backend_summary *worst = worst_after(summary);
	char pages[UNIT_TEXT_MAX], bound[UNIT_TEXT_MAX];

	if (worst)
		wrap_printf(out, NOTE_INDENT, "  error",
			    "after the last of them, of the hierarchical cell of the root that "
			    "took the largest share of its bound: %s pages of %s, %s's",
			    unit_format_count(pages, worst->load_error_pages),
			    unit_format_count(bound, worst->load_error_bound_pages),
			    worst->backend);
}

void churn_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  create",
		   "of one memcg, without charging it, and remove: with what CPUs hold back of it "
		   "brought home. Medians of the processes' medians, and of their p99");
	wrap_print(out, NOTE_INDENT, "  created",
		   "in all processes while samples were taken, and as many removed: write.linger "
		   "of them are dying at any time. behind: after the next one was due, so that "
		   "write.churn was not held");
	if (any_backend(summary, few_lives))
		wrap_printf(out, NOTE_INDENT, "  -", "p99 needs %llu of them in each process",
			    (unsigned long long)samples_needed(0.99));
	if (any_backend(summary, waited))
		wrap_print(out, NOTE_INDENT, "  waits",
			   "some had to wait for readers to be done with a place: a read that "
			   "takes long holds up who creates");
	wrap_printf(out, NOTE_INDENT, "  truth",
		    "no read is held against it while memcgs come and go%s",
		    truth_known(summary) ? ": error and age under load are of the same writers "
					   "while those who linger were there, and none came or "
					   "went"
					 : "");
	if (!load_known(summary))
		after_note(summary, out);
}
