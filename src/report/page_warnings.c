// SPDX-License-Identifier: MIT
/* See page_parts.h: what to know before a figure is quoted, and what is missing. */
#include "report/page_html.h"
#include "report/page_parts.h"
#include "report/run_table_parts.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOISY  0.10 /* an interval to either side that is wider than this is said to be */
#define LISTED 50 /* entries of a list of failures */

/* What the rows of the run have in common. */
struct survey {
	size_t rows, few_processes, without_p99, batched, noisy, counts_differ, incomplete;
	double widest; /* half of the widest interval, as a share of its median */
	const struct point *widest_at;
	const char *widest_backend;
	bool model, live, folded, misplaced, unknown;
};

static double found_number(const struct backend_summary *s, const char *key)
{
	return json_number_value(json_object_get(s->placement_found, key));
}

static void survey_row(struct survey *survey, const struct run_summary *summary,
		       const struct point *point, const struct backend_summary *s)
{
	double side =
		fmax(s->ci_high_ns - s->median_ns, s->median_ns - s->ci_low_ns) / s->median_ns;
	const char *found = json_string_value(json_object_get(s->placement_found, "placement"));

	survey->rows++;
	survey->few_processes += isnan(s->ci_level);
	survey->batched += s->reads_per_sample > 1;
	survey->without_p99 += s->reads_per_sample <= 1 && s->samples < samples_needed(0.99);
	survey->noisy += side > NOISY;
	survey->counts_differ += s->counts_differ;
	survey->incomplete += s->processes < repetitions_of(summary);
	survey->live |= s->live != NULL;
	survey->model |= !s->live && point->read.cgroup != TARGET_MACHINE;
	survey->folded |= found && !strcmp(found, "fold");
	survey->misplaced |= found_number(s, "bytes_misplaced") > 0;
	survey->unknown |= found_number(s, "bytes_unknown") > 0;
	if (side > survey->widest) {
		survey->widest = side;
		survey->widest_at = point;
		survey->widest_backend = s->backend;
	}
}

static void survey_run(struct survey *survey, const struct run_summary *summary)
{
	*survey = (struct survey){0};
	for (size_t p = 0; p < summary->nr_points; p++)
		for (size_t b = 0; b < summary->points[p].nr_backends; b++)
			if (summary->points[p].backends[b].processes)
				survey_row(survey, summary, &summary->points[p].point,
					   &summary->points[p].backends[b]);
}

static void warn_missing(const struct run_summary *summary, FILE *out)
{
	size_t left_out = json_array_size(json_object_get(summary->run, "left_out"));
	size_t tried = summary->done + summary->nr_failed;

	if (summary->nr_failed)
		html_element(out, "li", "%zu of %zu repetitions failed; they are in no figure.",
			     summary->nr_failed, summary->expected);
	if (left_out)
		html_element(out, "li",
			     "%zu pairs of point and back end were left out, because the machine "
			     "cannot measure them.",
			     left_out);
	if (tried < summary->expected)
		html_element(out, "li",
			     "The run is not complete: %zu of %zu repetitions are not "
			     "measured yet.",
			     summary->expected - tried, summary->expected);
}

static void warn_noise(const struct page *page, const struct survey *survey, FILE *out)
{
	char *at;

	if (!survey->noisy)
		return;
	at = point_groups_name(page->groups->layout, survey->widest_at);
	html_element(out, "li",
		     "Noise: the interval of the median is wider than ± %.0f %% in %zu of %zu "
		     "rows; the widest is ± %.0f %%, of %s%s%s.",
		     100 * NOISY, survey->noisy, survey->rows, 100 * survey->widest,
		     survey->widest_backend, at && *at ? " at " : "", at ? at : "");
	free(at);
}

static void warn_samples(const struct survey *survey, FILE *out)
{
	if (survey->few_processes)
		html_element(out, "li",
			     "%zu of %zu rows have fewer than 6 processes: their medians have no "
			     "interval, and nothing is known of their noise.",
			     survey->few_processes, survey->rows);
	if (survey->without_p99)
		html_element(out, "li",
			     "Samples are too few for p99 in %zu of %zu rows (it needs %llu).",
			     survey->without_p99, survey->rows,
			     (unsigned long long)samples_needed(0.99));
	if (survey->batched)
		html_element(out, "li",
			     "%zu of %zu rows are of reads too short for the clock: they are timed "
			     "in batches, which have no percentile above p50.",
			     survey->batched, survey->rows);
	if (survey->counts_differ)
		html_element(out, "li",
			     "The operation counts of %zu of %zu rows differ between processes; "
			     "the first one's are shown.",
			     survey->counts_differ, survey->rows);
}

static void warn_placement(const struct survey *survey, FILE *out)
{
	if (survey->model && survey->live)
		html_element(
			out, "li",
			"Rows whose back end begins with kernel are system calls to the "
			"running kernel; all others are a model in user space, whose read is a "
			"function call: no system call is in its time. Ratios among models, "
			"their growth and operation counts carry over to a kernel; a "
			"microsecond does not.");
	else if (survey->model)
		html_element(out, "li",
			     "This is a model in user space. Ratios, growth and operation counts "
			     "carry over to a kernel; a microsecond does not.");
	if (survey->folded)
		html_element(out, "li",
			     "Placement is fold: modelled nodes share real ones, so no distance "
			     "between nodes is in these times.");
	if (survey->misplaced)
		html_element(out, "li", "Some memory lies on another node than asked for.");
	if (survey->unknown)
		html_element(out, "li", "Of some memory it is not known on which node it lies.");
}

/* What processes said of the machine, from the block that `run` prints above its tables. */
static int warn_machine(const struct page *page, FILE *out, struct error *err)
{
	struct page_paragraph paragraph;
	const char *at;
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);

	if (memory)
		run_facts_print(page->groups, memory);
	if (!memory || fclose(memory)) {
		free(text);
		return error_set(err, -ENOMEM, "out of memory");
	}
	for (at = text; page_next_paragraph(&at, &paragraph); free(paragraph.text))
		if (paragraph.text && !strcmp(paragraph.label, "warning"))
			html_element(out, "li", "%s", paragraph.text);
	free(text);
	return 0;
}

int page_warnings(struct page *page, FILE *out, struct error *err)
{
	struct survey survey;
	int r;

	survey_run(&survey, page->summary);
	fputs("<ul>\n", out);
	warn_missing(page->summary, out);
	r = warn_machine(page, out, err);
	warn_noise(page, &survey, out);
	warn_samples(&survey, out);
	warn_placement(&survey, out);
	fputs("</ul>\n", out);
	return r;
}

/* The name of a point, "tree.memcgs 10k", or its id where it is not one of the run's. */
static void put_point(const struct page *page, const char *id, FILE *out)
{
	const struct run_summary *summary = page->summary;
	char *name = NULL;

	for (size_t p = 0; p < summary->nr_points && !name; p++)
		if (!strcmp(summary->points[p].point.id, id))
			name = point_groups_name(page->groups->layout, &summary->points[p].point);
	html_text(out, name && *name ? name : id);
	free(name);
}

static bool failed_alike(const struct failed_repetition *a, const struct failed_repetition *b)
{
	return !strcmp(a->id, b->id) && !strcmp(a->backend, b->backend) &&
	       !strcmp(a->reason, b->reason);
}

/* Repetitions of the same point and back end that say the same are one entry. */
static void put_failed(const struct page *page, FILE *out)
{
	const struct run_summary *summary = page->summary;
	size_t i = 0, next;

	fprintf(out, "<h3>Failed repetitions: %zu</h3>\n<ul>\n", summary->nr_failed);
	for (unsigned shown = 0; i < summary->nr_failed && shown < LISTED; shown++, i = next) {
		const struct failed_repetition *failed = &summary->failed[i];

		next = i + 1;
		while (next < summary->nr_failed && failed_alike(failed, &summary->failed[next]))
			next++;
		fputs("<li>", out);
		put_point(page, failed->id, out);
		html_printf(out, ", %s, repetition%s ", failed->backend, next > i + 1 ? "s" : "");
		for (size_t k = i; k < next; k++)
			fprintf(out, "%s%u", k > i ? ", " : "", summary->failed[k].repetition);
		html_printf(out, ": %s", failed->reason);
		fputs("</li>\n", out);
	}
	if (i < summary->nr_failed)
		html_element(out, "li", "and %zu more", summary->nr_failed - i);
	fputs("</ul>\n", out);
}

static void put_left_out(const struct page *page, const json_t *left_out, FILE *out)
{
	const json_t *item, *reason;
	size_t i, k;

	fprintf(out, "<h3>Left out, because this machine cannot measure it: %zu</h3>\n<ul>\n",
		json_array_size(left_out));
	json_array_foreach (left_out, i, item) {
		const char *id = json_string_value(json_object_get(item, "id"));
		const char *backend = json_string_value(json_object_get(item, "backend"));

		if (i == LISTED)
			break;
		fputs("<li>", out);
		put_point(page, id ? id : "?", out);
		html_printf(out, ", %s", backend ? backend : "?");
		json_array_foreach (json_object_get(item, "reasons"), k, reason)
			html_printf(out, "%s %s", k ? ";" : ":",
				    json_is_string(reason) ? json_string_value(reason) : "?");
		fputs("</li>\n", out);
	}
	if (json_array_size(left_out) > LISTED)
		html_element(out, "li", "and %zu more", json_array_size(left_out) - LISTED);
	fputs("</ul>\n", out);
}

int page_failures(struct page *page, FILE *out, struct error *err)
{
	const json_t *left_out = json_object_get(page->summary->run, "left_out");

	(void)err;
	if (!page->summary->nr_failed && !json_array_size(left_out))
		return 0;
	fputs("<section id=\"missing\">\n<h2>What is missing</h2>\n", out);
	if (page->summary->nr_failed)
		put_failed(page, out);
	if (json_array_size(left_out))
		put_left_out(page, left_out, out);
	fputs("</section>\n", out);
	return 0;
}
