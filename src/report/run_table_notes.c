// SPDX-License-Identifier: MIT
/* See run_table_parts.h: footnotes, failures and what was left out. */
#include "report/run_table_parts.h"
#include "report/table.h"
#include "report/wrap.h"
#include "result/counts.h"
#include "result/document.h"
#include "scenario/target.h"
#include "stats/order.h"

#include <math.h>
#include <string.h>

#define NOTE_INDENT  11
#define ENTRY_INDENT 6
#define LISTED       20 /* entries of a list of failures that are shown */

unsigned repetitions_of(const struct run_summary *summary)
{
	return (unsigned)json_integer_value(json_at(summary->run, "identity.repetitions"));
}

size_t backends_of(const struct run_summary *summary)
{
	return json_array_size(json_at(summary->run, "identity.backends"));
}

void run_group_heading(const struct run_groups *groups, size_t group, FILE *out)
{
	if (!groups->groups[group].heading[0])
		return;
	if (group)
		fputc('\n', out);
	wrap_printf(out, 0, "", "-- %s", groups->groups[group].heading);
}

bool any_backend(const struct run_summary *summary, bool (*test)(const struct backend_summary *s))
{
	for (size_t p = 0; p < summary->nr_points; p++) {
		const struct point_summary *point = &summary->points[p];

		for (size_t b = 0; b < point->nr_backends; b++) {
			if (point->backends[b].processes && test(&point->backends[b]))
				return true;
		}
	}
	return false;
}

static bool batched(const struct backend_summary *s)
{
	return s->reads_per_sample > 1;
}

static bool too_few_samples(const struct backend_summary *s)
{
	return s->samples < samples_needed(0.99);
}

static bool without_interval(const struct backend_summary *s)
{
	return isnan(s->ci_level);
}

static bool counts_differ(const struct backend_summary *s)
{
	return s->counts_differ;
}

/* The level of the first interval there is; levels only depend on the number of processes. */
static double interval_level(const struct run_summary *summary)
{
	for (size_t p = 0; p < summary->nr_points; p++) {
		for (size_t b = 0; b < summary->points[p].nr_backends; b++) {
			double level = summary->points[p].backends[b].ci_level;

			if (!isnan(level))
				return level;
		}
	}
	return NAN;
}

static bool incomplete(const struct run_summary *summary)
{
	for (size_t p = 0; p < summary->nr_points; p++) {
		for (size_t b = 0; b < summary->points[p].nr_backends; b++) {
			const struct backend_summary *s = &summary->points[p].backends[b];

			if (s->processes && s->processes < repetitions_of(summary))
				return true;
		}
	}
	return false;
}

void latency_notes(const struct run_summary *summary, FILE *out)
{
	double level = interval_level(summary);

	wrap_print(out, NOTE_INDENT, "  p50..max", "of the samples of all processes");
	if (!isnan(level))
		wrap_printf(out, NOTE_INDENT, "  median",
			    "of the processes' medians; +- is the larger side of its %.1f%% "
			    "interval (order statistics)",
			    100 * level);
	else
		wrap_print(out, NOTE_INDENT, "  median", "of the processes' medians");
	if (live_and_models(summary))
		wrap_print(out, NOTE_INDENT, "  live",
			   "kernel...: system calls to the running kernel. All others are models, "
			   "whose read is a function call in this process: no system call is in "
			   "their times, and none is taken off the kernel's");
	if (load_known(summary))
		wrap_print(out, NOTE_INDENT, "  load",
			   "where there are writers, they were at work while reads were timed: "
			   "see Writers under load. Where the time goes, what a read does and "
			   "how far off it is were looked at while nobody wrote");
	if (churn_known(summary))
		wrap_print(out, NOTE_INDENT, "  churn",
			   "where there is write.churn, memcgs came and went while reads were "
			   "timed: see Memcgs that come and go. All else was looked at with those "
			   "in place that linger, and none coming or going");
	if (any_backend(summary, batched))
		wrap_print(
			out, NOTE_INDENT, "  x",
			"reads in one sample: the read is too short for the clock. Such a sample "
			"hides its slowest read, so nothing above p50 is reported (-)");
	if (any_backend(summary, too_few_samples))
		wrap_printf(out, NOTE_INDENT, "  -",
			    "too few samples: p50, p90 and p99 need %llu, %llu and %llu",
			    (unsigned long long)samples_needed(0.5),
			    (unsigned long long)samples_needed(0.9),
			    (unsigned long long)samples_needed(0.99));
	if (any_backend(summary, without_interval))
		wrap_print(out, NOTE_INDENT, "  +- -",
			   "fewer than 6 processes give no interval of the median");
	if (incomplete(summary))
		wrap_printf(out, NOTE_INDENT, "  *", "fewer than the %u repetitions asked for",
			    repetitions_of(summary));
}

static bool reads_root_only(const struct run_summary *summary)
{
	for (size_t i = 0; i < summary->nr_points; i++) {
		enum read_target cgroup = summary->points[i].point.read.cgroup;

		if (cgroup != TARGET_ROOT && cgroup != TARGET_MACHINE)
			return false;
	}
	return true;
}

/* Is there a back end that printed a text, and whose printing was not timed alone? */
static bool prints_by_itself(const struct run_summary *summary)
{
	for (size_t p = 0; p < summary->nr_points; p++) {
		const struct point_summary *point = &summary->points[p];

		for (size_t i = 0; point->point.read.form == FORM_TEXT && i < point->nr_backends;
		     i++)
			if (!isnan(point->backends[i].hierarchical_ns) &&
			    isnan(point->backends[i].format_ns))
				return true;
	}
	return false;
}

void parts_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  parts",
		   "each timed alone, medians; they need not add up to the whole read");
	if (prints_by_itself(summary))
		wrap_print(out, NOTE_INDENT, "  format",
			   "-: this back end prints its text itself, in its own way whatever "
			   "read.text says; compare counts as well (read.form)");
	wrap_print(
		out, NOTE_INDENT, "  a memcg",
		reads_root_only(summary)
			? "the median time by the number of memcgs, the root of the tree included"
			: "the median time by the number of memcgs in the subtree read, its top "
			  "included; of read.cgroup all, by the number of files read");
	if (churn_known(summary))
		wrap_print(out, NOTE_INDENT, "  linger",
			   "memcgs that do count among those of the root, and of no other memcg");
}

void work_notes(const struct run_summary *summary, FILE *out)
{
	char llc[UNIT_TEXT_MAX];

	wrap_print(out, NOTE_INDENT, "  loads",
		   "of per-CPU counters, for hierarchical rows (-h) and for local ones (-l); "
		   "visited: steps of tree walks");
	if (summary->llc_bytes)
		wrap_printf(out, NOTE_INDENT, "  touched",
			    "distinct cache lines of a read; the last-level cache has %s",
			    unit_format_bytes(llc, (double)summary->llc_bytes));
	else
		wrap_print(out, NOTE_INDENT, "  touched",
			   "distinct cache lines of a read; the size of the last-level cache is "
			   "not known");
	if (any_backend(summary, counts_differ))
		wrap_print(out, NOTE_INDENT, "  !",
			   "processes counted differently; the first one's counts are shown");
}

static bool flushed(const struct backend_summary *s)
{
	return s->counted && count_number(s->counts.flushes) > 0;
}

bool shows_known(const struct run_summary *summary)
{
	for (size_t p = 0; p < summary->nr_points; p++) {
		const struct point_summary *point = &summary->points[p];

		for (size_t i = 0; i < point->nr_backends; i++)
			if (point->backends[i].shows > 1 &&
			    point->backends[i].shows > target_size(&point->point).files)
				return true;
	}
	return false;
}

void show_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	wrap_print(out, NOTE_INDENT, "  shows",
		   "a text that does not fit is thrown away, the buffer of 4 KiB doubled, and the "
		   "file shown again, counting included. What a read does, above, is all of its "
		   "shows; where the time goes is one");
}

bool flush_known(const struct run_summary *summary)
{
	return any_backend(summary, flushed);
}

void flush_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  flushes",
		   "of the first read, which finds what a long run left; reads right behind "
		   "others find an idle tree");
}

void error_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  error",
		   "of the hierarchical cell that takes the largest share of its bound, against "
		   "the oracle, in the worst process");
	wrap_print(out, NOTE_INDENT, "  bound",
		   "what the design allows; of batched counters: items of the row x batch x CPUs "
		   "x memcgs; 0: the read must be exact");
	wrap_print(out, NOTE_INDENT, "  local", "error of the worst cell of the local rows");
}

void ratio_notes(const struct run_summary *summary, FILE *out)
{
	wrap_print(out, NOTE_INDENT, "  ratio",
		   "median over pairs of processes of the same repetition, which ran close "
		   "together; from and to: its interval");
}

/* "3f0c...: tree.memcgs 10k, read.cache hot, walk, repetition 2": which point, back end and, but
 * for 0, repetition an entry is about. */
static void print_pair(const struct run_groups *groups, const char *id, const char *backend,
		       unsigned repetition, FILE *out)
{
	const struct run_summary *summary = groups->summary;
	char label[POINT_ID_SIZE + 3], value[PARAMETER_TEXT_MAX], *text = NULL;
	size_t p = 0, length;
	FILE *memory = open_memstream(&text, &length);

	while (p < summary->nr_points && strcmp(summary->points[p].point.id, id))
		p++;
	for (size_t i = 0; memory && p < summary->nr_points && i < nr_parameters; i++) {
		if (groups->varies[i])
			fprintf(memory, "%s %s, ", parameters[i].name,
				parameter_text(&parameters[i], &summary->points[p].point, value));
	}
	if (memory)
		fputs(backend, memory);
	if (memory && repetition)
		fprintf(memory, ", repetition %u", repetition);
	snprintf(label, sizeof(label), "  %s:", id);
	wrap_print(out, ENTRY_INDENT, label, memory && !fclose(memory) ? text : backend);
	free(text);
}

static void print_cut(size_t shown, size_t total, FILE *out)
{
	if (shown < total)
		fprintf(out, "  and %zu more, which --format json lists\n", total - shown);
}

static void print_failed(const struct run_groups *groups, FILE *out)
{
	const struct run_summary *summary = groups->summary;
	size_t i;

	fprintf(out, "\nFailed repetitions: %zu\n", summary->nr_failed);
	for (i = 0; i < summary->nr_failed && i < LISTED; i++) {
		const struct failed_repetition *failed = &summary->failed[i];

		print_pair(groups, failed->id, failed->backend, failed->repetition, out);
		wrap_print(out, ENTRY_INDENT, "", failed->reason);
	}
	print_cut(i, summary->nr_failed, out);
}

static void print_left_out(const struct run_groups *groups, FILE *out)
{
	const json_t *reason, *item, *left_out = json_object_get(groups->summary->run, "left_out");
	size_t i, k, total = json_array_size(left_out);

	fprintf(out, "\nLeft out, because this machine cannot measure it: %zu\n", total);
	for (i = 0; i < total && i < LISTED; i++) {
		item = json_array_get(left_out, i);
		print_pair(groups, json_string_value(json_object_get(item, "id")),
			   json_string_value(json_object_get(item, "backend")), 0, out);
		json_array_foreach (json_object_get(item, "reasons"), k, reason) {
			const char *text = json_string_value(reason);

			wrap_print(out, ENTRY_INDENT, "", text ? text : "(no reason given)");
		}
	}
	print_cut(i, total, out);
}

void run_failures_print(const struct run_groups *groups, FILE *out)
{
	const struct run_summary *summary = groups->summary;
	size_t tried = summary->done + summary->nr_failed;

	if (summary->nr_failed)
		print_failed(groups, out);
	if (json_array_size(json_object_get(summary->run, "left_out")))
		print_left_out(groups, out);
	if (tried < summary->expected)
		fprintf(out, "\nNot measured yet: %zu of %zu repetitions\n",
			summary->expected - tried, summary->expected);
}
