/* SPDX-License-Identifier: MIT */
/* The pieces of a run's table that are prose or stand beside the measured figures. */
#ifndef MEMCGBENCH_REPORT_RUN_TABLE_PARTS_H
#define MEMCGBENCH_REPORT_RUN_TABLE_PARTS_H

#include "report/run_groups.h"
#include "report/table.h"

#include <stdio.h>

/* One line of a section: a point with one of its back ends. */
struct run_line {
	const struct run_summary *run;
	const struct point_summary *point;
	const struct backend_summary *backend;
	size_t item; /* of a section with several lines for each */
};

/* A question, and a table that answers it. */
struct run_section {
	const char *title;
	const char *const *columns; /* right of parameters and back end, ended by NULL */
	void (*cells)(struct table *table, const struct run_line *line);
	void (*notes)(const struct run_summary *summary, FILE *out);
	bool (*known)(const struct run_summary *summary); /* NULL: always */
	size_t (*rows)(const struct backend_summary *s); /* lines of each; NULL: one */
};

extern const struct run_section run_sections[];
extern const size_t nr_run_sections;

/* All points in one table, with a column for each parameter that tells them apart: for pages, where
 * rows can be chosen. NULL: out of memory. */
struct table *run_section_table(const struct run_groups *groups, const struct run_section *section);
struct table *run_ratio_table(const struct run_groups *groups);
/* The first columns of both: the parameters, and the back end. */
size_t run_keys(const struct run_groups *groups);

/* A column, or a cell, for each parameter that tells points apart; and for that of the rows alone.
 */
void run_key_columns(struct table *table, const struct run_groups *groups);
void run_key_cells(struct table *table, const struct run_groups *groups, const struct point *point);
void run_row_cell(struct table *table, const struct run_groups *groups,
		  const struct point_summary *point);

int run_ratios_print(const struct run_groups *groups, FILE *out);

/* For one group of points. NULL: out of memory. */
struct table *run_slope_table(const struct run_groups *groups, size_t group);
struct table *run_reference_table(const struct run_groups *groups, size_t group);

/* Is there a number down the rows that time can grow with? */
bool run_has_slopes(const struct run_groups *groups);

/* How the time of back end `b` grows over a group: the number of points it is over. NAN where it is
 * not known. */
size_t run_slope(const struct run_groups *groups, size_t group, size_t b, double *slope,
		 double *error);

/* What was asked, where it was measured, and what to be wary of. */
void run_head_print(const struct run_groups *groups, FILE *out);
void run_facts_print(const struct run_groups *groups, FILE *out); /* without the title */

/* "clock_source" is "clock source", "llc_bytes" is "llc". */
void run_context_name(const char *key, char *name, size_t size);
/* A value of the context for people; false where it is none, or too long for a line. */
bool run_context_text(const char *key, const json_t *value, char *text, size_t size);

/* The line above a group's table; nothing where all points are one group. */
void run_group_heading(const struct run_groups *groups, size_t group, FILE *out);

/* What the columns mean, in full sentences. Each speaks only of what its table shows. */
void latency_notes(const struct run_summary *summary, FILE *out);
void parts_notes(const struct run_summary *summary, FILE *out);
void work_notes(const struct run_summary *summary, FILE *out);
void flush_notes(const struct run_summary *summary, FILE *out);
void error_notes(const struct run_summary *summary, FILE *out);
void ratio_notes(const struct run_summary *summary, FILE *out);

/* Does a file not fit into its buffer at first? */
bool shows_known(const struct run_summary *summary);
void show_notes(const struct run_summary *summary, FILE *out);
bool flush_known(const struct run_summary *summary);

/* run_table_locks.c */
extern const char *const locks_columns[];
extern const char *const flusher_columns[];
size_t locks_rows(const struct backend_summary *s);
size_t flusher_rows(const struct backend_summary *s);
void locks_cells(struct table *table, const struct run_line *line);
void flusher_cells(struct table *table, const struct run_line *line);
void locks_notes(const struct run_summary *summary, FILE *out);
void flusher_notes(const struct run_summary *summary, FILE *out);
bool locks_known(const struct run_summary *summary);
bool flusher_known(const struct run_summary *summary);

/* run_table_harm.c: what others suffer while reads run. */
extern const char *const victim_columns[], *const charge_columns[], *const round_columns[];
void victim_cells(struct table *table, const struct run_line *line);
void charge_cells(struct table *table, const struct run_line *line);
void round_cells(struct table *table, const struct run_line *line);
size_t victim_rows(const struct backend_summary *s);
size_t charge_rows(const struct backend_summary *s);
void victim_notes(const struct run_summary *summary, FILE *out);
void charge_notes(const struct run_summary *summary, FILE *out);
void round_notes(const struct run_summary *summary, FILE *out);
bool victim_known(const struct run_summary *summary);
bool charge_known(const struct run_summary *summary);

/* run_table_live.c: what back ends that read the running kernel found. */
extern const char *const covers_columns[], *const made_columns[], *const reported_columns[],
									  *const net_columns[];
void covers_cells(struct table *table, const struct run_line *line);
void made_cells(struct table *table, const struct run_line *line);
void reported_cells(struct table *table, const struct run_line *line);
void net_cells(struct table *table, const struct run_line *line);
size_t live_rows(const struct backend_summary *s);
size_t net_rows(const struct backend_summary *s); /* of all but the floor itself */
void covers_notes(const struct run_summary *summary, FILE *out);
void made_notes(const struct run_summary *summary, FILE *out);
void reported_notes(const struct run_summary *summary, FILE *out);
void net_notes(const struct run_summary *summary, FILE *out);
bool live_known(const struct run_summary *summary);
bool net_known(const struct run_summary *summary); /* was the floor measured? */
/* Are models and the running kernel in one table? */
bool live_and_models(const struct run_summary *summary);

/* run_table_writers.c: what writers pay, by themselves and under load, and what memcgs take that
 * come and go. */
extern const char *const update_columns[],
	*const kinds_columns[], *const alone_columns[], *const load_columns[],
								*const churn_columns[];
void update_cells(struct table *table, const struct run_line *line);
void kinds_cells(struct table *table, const struct run_line *line);
void alone_cells(struct table *table, const struct run_line *line);
void load_cells(struct table *table, const struct run_line *line);
void churn_cells(struct table *table, const struct run_line *line);
size_t churn_rows(const struct backend_summary *s);
void update_notes(const struct run_summary *summary, FILE *out);
void kinds_notes(const struct run_summary *summary, FILE *out);
void alone_notes(const struct run_summary *summary, FILE *out);
void load_notes(const struct run_summary *summary, FILE *out);
void churn_notes(const struct run_summary *summary, FILE *out);
/* Was the cost of updates measured at all? Results of before 0.2 do not have it. */
size_t update_rows(const struct backend_summary *s);
bool update_known(const struct run_summary *summary);
/* Were kinds of updates told apart? */
size_t kinds_rows(const struct backend_summary *s);
bool kinds_known(const struct run_summary *summary);
/* Were there writers while reads were timed? */
bool load_known(const struct run_summary *summary);
/* Did memcgs come and go meanwhile? */
bool churn_known(const struct run_summary *summary);

/* run_table_truth.c: what reads under load were worth, and whether files agree at rest. */
extern const char *const truth_columns[], *const agree_columns[];
void truth_cells(struct table *table, const struct run_line *line);
void agree_cells(struct table *table, const struct run_line *line);
void truth_notes(const struct run_summary *summary, FILE *out);
void agree_notes(const struct run_summary *summary, FILE *out);
bool truth_known(const struct run_summary *summary);
bool agree_known(const struct run_summary *summary);

/* Figures as all sections print them; "-" where not known. */
void cell_time(struct table *table, double ns);
void cell_count(struct table *table, bool known, double count);
void cell_percentage(struct table *table, double percent);

/* Does a test hold for any point and back end that was measured? */
bool any_backend(const struct run_summary *summary, bool (*test)(const struct backend_summary *s));

void run_slope_notes(const struct run_groups *groups, FILE *out);

/* How time grows with the parameter down the rows, where that is a number. 0 or -ENOMEM, -EIO. */
int run_slopes_print(const struct run_groups *groups, FILE *out);

/* Published figures beside the measured ones. 0 or -ENOMEM, -EIO. */
int run_references_print(const struct run_groups *groups, FILE *out);

/* What failed and what was left out, with the reasons. */
void run_failures_print(const struct run_groups *groups, FILE *out);

unsigned repetitions_of(const struct run_summary *summary);
size_t backends_of(const struct run_summary *summary);

#endif
