// SPDX-License-Identifier: MIT
/* See page_parts.h: what was asked, on what it was measured, and how to do it again. */
#include "base/file.h"
#include "report/page_html.h"
#include "report/page_parts.h"
#include "report/run_table_parts.h"
#include "result/document.h"
#include "result/record.h"
#include "result/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void term(FILE *out, const char *name, const char *text)
{
	html_element(out, "dt", "%s", name);
	html_element(out, "dd", "%s", text);
}

int page_facts(struct page *page, FILE *out, struct error *err)
{
	const struct run_summary *summary = page->summary;
	const char *label = json_string_value(json_object_get(summary->run, "label"));
	char when[RECORD_TIME_MAX];

	(void)err;
	html_element(out, "span", "scenario %s", summary->scenario);
	html_element(out, "span", "%zu points × %zu back ends × %u repetitions", summary->nr_points,
		     backends_of(summary), repetitions_of(summary));
	html_element(out, "span", "%zu of %zu processes done", summary->done, summary->expected);
	if (record_time_text(summary->started, when)[0])
		html_element(out, "span", "%s", when);
	html_element(out, "span", "%s",
		     summary->host_class ? summary->host_class : "an unknown machine");
	if (label)
		html_element(out, "span", "%s", label);
	return 0;
}

/* Paragraphs of the block above the tables: those of the scenario, or those of how it was run. What
 * stands elsewhere in the page is left out. */
static int put_paragraphs(const struct page *page, bool scenario, FILE *out, struct error *err)
{
	static const char *const elsewhere[] = {"warning", "context", "not known", "label"};
	static const char *const of_machine[] = {"host", "build", "timer", "placement", "cold"};
	struct page_paragraph paragraph;
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	const char *at;

	if (memory)
		run_facts_print(page->groups, memory);
	if (!memory || fclose(memory)) {
		free(text);
		return error_set(err, -ENOMEM, "out of memory");
	}
	for (at = text; page_next_paragraph(&at, &paragraph); free(paragraph.text)) {
		bool skip = !paragraph.text, machine = false;

		for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
			skip |= !strcmp(paragraph.label, elsewhere[i]);
		for (size_t i = 0; i < sizeof(of_machine) / sizeof(of_machine[0]); i++)
			machine |= !strcmp(paragraph.label, of_machine[i]);
		if (!skip && machine != scenario)
			term(out, paragraph.label, paragraph.text);
	}
	free(text);
	return 0;
}

/* Numbers of a list, "1.82, 1.41, 1.27"; false where it is none. */
static bool list_text(const json_t *list, char *text, size_t size)
{
	const json_t *item;
	size_t i, used = 0;

	if (!json_array_size(list))
		return false;
	text[0] = '\0';
	json_array_foreach (list, i, item) {
		if (!json_is_number(item) || used >= size)
			return false;
		used += (size_t)snprintf(text + used, size - used, "%s%.4g", i ? ", " : "",
					 json_number_value(item));
	}
	return true;
}

/* The machine as it was when the run began. Names of hosts and users are not stored anywhere. */
static void put_machine(const struct run_summary *summary, FILE *out)
{
	json_t *context = json_object_get(summary->run, "context"), *value;
	const char *key;
	char text[256], name[64];

	json_object_foreach (context, key, value) {
		if (!strcmp(key, "host_class") || !strcmp(key, "thissystem"))
			continue;
		run_context_name(key, name, sizeof(name));
		if (json_is_null(value))
			term(out, name, "not known");
		else if (run_context_text(key, value, text, sizeof(text)) ||
			 list_text(value, text, sizeof(text)))
			term(out, name, text);
		else if (json_is_string(value))
			term(out, name, json_string_value(value));
	}
}

/* A result of the run, for what all of them share; NULL: none can be read. */
static json_t *any_result(const struct run_summary *summary)
{
	char name[256], path[PATH_MAX];
	json_t *result = NULL;
	struct error err;

	for (size_t p = 0; p < summary->nr_points; p++)
		for (size_t b = 0; b < summary->points[p].nr_backends; b++) {
			const struct backend_summary *s = &summary->points[p].backends[b];

			if (!s->processes)
				continue;
			snprintf(name, sizeof(name), "%s.%s.%u.json", summary->points[p].point.id,
				 s->backend, s->repetition[0]);
			if (!join_path(path, summary->path, name, &err) &&
			    !result_load(path, &result, &err))
				return result;
			return NULL;
		}
	return NULL;
}

static void put_build(const struct run_summary *summary, FILE *out)
{
	json_t *result = any_result(summary);
	const char *compiler = json_string_value(json_at(result, "build.compiler"));
	const char *flags = json_string_value(json_at(result, "build.flags"));

	if (compiler)
		term(out, "compiler", compiler);
	if (flags)
		term(out, "flags", flags);
	json_decref(result);
}

int page_context(struct page *page, FILE *out, struct error *err)
{
	int r;

	if (!page->summary->nr_points)
		return 0;
	fputs("<h3>What was asked</h3>\n<dl class=\"terms\">\n", out);
	r = put_paragraphs(page, true, out, err);
	fputs("</dl>\n<h3>On what it was measured</h3>\n<dl class=\"terms\">\n", out);
	if (!r)
		r = put_paragraphs(page, false, out, err);
	put_build(page->summary, out);
	put_machine(page->summary, out);
	fputs("</dl>\n", out);
	return r;
}

/*
 * The command that measures this again. Where the points are a full matrix their values are named,
 * as somebody may have replaced the file's by --set; pairs cannot be named so.
 */
int page_command(struct page *page, FILE *out, struct error *err)
{
	const struct run_summary *summary = page->summary;
	const json_t *backend, *identity = json_object_get(summary->run, "identity");
	char *sets = NULL, time[UNIT_TEXT_MAX];
	size_t length, matrix = 1, i;
	FILE *memory = open_memstream(&sets, &length);

	if (!memory)
		return error_set(err, -ENOMEM, "out of memory");
	html_printf(out, "memcgbench run scenarios/%s.yaml --seed %lld --repetitions %u --backend ",
		    summary->scenario,
		    (long long)json_integer_value(json_object_get(identity, "seed")),
		    repetitions_of(summary));
	json_array_foreach (json_object_get(identity, "backends"), i, backend)
		html_printf(out, "%s%s", i ? "," : "",
			    json_is_string(backend) ? json_string_value(backend) : "?");
	html_printf(out, " --set read.samples=%lld --set read.time=%s",
		    (long long)json_integer_value(json_object_get(identity, "samples")),
		    unit_format_exact(
			    time, UNIT_TIME,
			    (uint64_t)json_integer_value(json_object_get(identity, "time_ns"))));
	for (i = 0; i < nr_parameters; i++) {
		if (!page->groups->varies[i] || !parameters[i].in_id)
			continue;
		html_printf(memory, " --set '%s=[", parameters[i].name);
		matrix *= point_groups_values(page->groups->layout, &parameters[i], ",", memory);
		html_text(memory, "]'");
	}
	if (fclose(memory)) {
		free(sets);
		return error_set(err, -ENOMEM, "out of memory");
	}
	if (matrix == summary->nr_points)
		fputs(sets, out);
	free(sets);
	return 0;
}
