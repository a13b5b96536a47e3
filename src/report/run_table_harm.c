// SPDX-License-Identifier: MIT
/*
 * Sections of a run's table: harm to others while reads run. Each figure stands beside the same
 * without reads.
 */
#include "base/units.h"
#include "report/run_table_parts.h"
#include "report/wrap.h"
#include "stats/order.h"

#include <inttypes.h>
#include <math.h>

#define NOTE_INDENT 11

static bool was_looked_at(const struct backend_summary *s)
{
	return s->harm.any;
}

size_t victim_rows(const struct backend_summary *s)
{
	return s->harm.any;
}

bool victim_known(const struct run_summary *summary)
{
	return any_backend(summary, was_looked_at);
}

const char *const victim_columns[] = {"p50",     "reading", "p99",     "reading",
				      "longest", "reading", "reads/s", NULL};

void victim_cells(struct table *table, const struct run_line *line)
{
	static const double quantiles[] = {0.5, 0.99, 1};
	const struct harm_summary *harm = &line->backend->harm;

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
		cell_time(table, harm_late_ns(harm, HARM_WITHOUT, quantiles[i]));
		cell_time(table, harm_late_ns(harm, HARM_WITH, quantiles[i]));
	}
	cell_count(table, harm->any, (double)harm->reads / harm->seconds[HARM_WITH]);
}

/* The first that was looked at: period and policy are those of all. */
static const struct harm_summary *any_harm(const struct run_summary *summary)
{
	for (size_t p = 0; p < summary->nr_points; p++)
		for (size_t b = 0; b < summary->points[p].nr_backends; b++)
			if (summary->points[p].backends[b].harm.any)
				return &summary->points[p].backends[b].harm;
	return NULL;
}

static bool few_wakeups(const struct backend_summary *s)
{
	return s->harm.any && (isnan(harm_late_ns(&s->harm, HARM_WITHOUT, 0.99)) ||
			       isnan(harm_late_ns(&s->harm, HARM_WITH, 0.99)));
}

/* Does its read run in user space? */
static bool is_model(const struct backend_summary *s)
{
	const struct backend *backend = backend_find(s->backend);

	return s->harm.any && (!backend || !backend->fixture);
}

static bool is_alone(const struct backend_summary *s)
{
	return s->harm.any && !s->harm.place[HARM_APART].tasks && !s->harm.place[HARM_BESIDE].tasks;
}

void victim_notes(const struct run_summary *summary, FILE *out)
{
	const struct harm_summary *harm = any_harm(summary);
	char period[UNIT_TEXT_MAX];

	if (!harm)
		return;
	wrap_printf(out, NOTE_INDENT, "  late",
		    "how late it woke that wants the first reader's CPU every %s (scheduling "
		    "policy: %s), without reads and while readers read as they are paced, over all "
		    "processes",
		    unit_format_time(period, (double)harm->period_ns), harm->policy);
	if (any_backend(summary, is_model))
		wrap_print(out, NOTE_INDENT, "  models",
			   "read in user space, where a reader loses the CPU as the scheduler sees "
			   "fit; inside of a kernel it keeps it for as long as that does not let "
			   "go");
	if (any_backend(summary, few_wakeups))
		wrap_printf(out, NOTE_INDENT, "  -", "p99 needs %llu wake-ups over all processes",
			    (unsigned long long)samples_needed(0.99));
	if (charge_known(summary) && any_backend(summary, is_alone))
		wrap_print(out, NOTE_INDENT, "  tasks",
			   "that charge pages were at work all the time, on this CPU too where the "
			   "next table says beside; a model has none");
}

size_t charge_rows(const struct backend_summary *s)
{
	return (s->harm.place[HARM_APART].tasks > 0) + (s->harm.place[HARM_BESIDE].tasks > 0);
}

static bool has_tasks(const struct backend_summary *s)
{
	return charge_rows(s) > 0;
}

bool charge_known(const struct run_summary *summary)
{
	return any_backend(summary, has_tasks);
}

/* The place that a line is of, and the cell that names it. */
static const struct harm_place_summary *place_cell(struct table *table, const struct run_line *line)
{
	const struct harm_place_summary *places = line->backend->harm.place;
	bool apart = places[HARM_APART].tasks && !line->item;
	const struct harm_place_summary *place = &places[apart ? HARM_APART : HARM_BESIDE];

	table_cell(table, "%u %s", place->tasks, apart ? "apart" : "beside");
	return place;
}

static void cell_lost(struct table *table, double share)
{
	if (isnan(share))
		table_cell(table, "-");
	else
		table_cell(table, "%.1f%%", 100 * share);
	table_value(table, 100 * share, "%");
}

const char *const charge_columns[] = {"tasks", "charges/s", "reading", "lost",
				      "+-",    "least",     "most",    NULL};

void charge_cells(struct table *table, const struct run_line *line)
{
	const struct harm_place_summary *place = place_cell(table, line);
	double lost = place->figure[HARM_LOST];

	cell_count(table, true, place->figure[HARM_CHARGES_WITHOUT]);
	cell_count(table, true, place->figure[HARM_CHARGES_WITH]);
	cell_lost(table, lost);
	cell_lost(table, fmax(place->lost_high - lost, lost - place->lost_low));
	cell_lost(table, place->lost_least);
	cell_lost(table, place->lost_most);
}

void charge_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	wrap_print(out, NOTE_INDENT, "  tasks",
		   "apart: on CPUs that no reader has; beside: on a reader's, where they also "
		   "lose what the scheduler gives to the reader");
	wrap_print(out, NOTE_INDENT, "  charges",
		   "pages that they charged to their memcgs, of all tasks of the line; medians "
		   "over slices without and with reads, and over processes");
	wrap_print(out, NOTE_INDENT, "  lost",
		   "share of the charges in the slice without reads beside it: median over pairs "
		   "of slices, and over processes, with its interval (6 processes or more); least "
		   "and most: of all pairs. Below 0 more was charged while reads ran: noise");
}

const char *const round_columns[] = {"tasks", "a round", "reading", "longer", NULL};

void round_cells(struct table *table, const struct run_line *line)
{
	const struct harm_place_summary *place = place_cell(table, line);
	double without = place->figure[HARM_ROUND_WITHOUT], with = place->figure[HARM_ROUND_WITH];

	cell_time(table, without);
	cell_time(table, with);
	cell_lost(table, with / without - 1);
}

void round_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	wrap_print(out, NOTE_INDENT, "  round",
		   "a task touches each of its pages (harm.pages) once: a fixed amount of work, "
		   "whether a page has to be charged again or is still there");
}
