// SPDX-License-Identifier: MIT
/* See run_table_parts.h: the block above the tables. */
#include "report/paragraph.h"
#include "report/run_table_parts.h"
#include "report/wrap.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_INDENT 11

static void print_scenario(const struct run_summary *summary, FILE *out)
{
	const json_t *seed = json_at(summary->run, "identity.seed");
	const char *label = json_string_value(json_object_get(summary->run, "label"));

	wrap_printf(out, HEAD_INDENT, "scenario",
		    "%s: %zu points x %zu back ends x %u repetitions in seeded order (seed %lld); "
		    "%zu of %zu processes done",
		    summary->scenario, summary->nr_points, backends_of(summary),
		    repetitions_of(summary), (long long)json_integer_value(seed), summary->done,
		    summary->expected);
	if (label)
		wrap_print(out, HEAD_INDENT, "label", label);
}

/* "clock_source" is "clock source", "llc_bytes" is "llc". */
void run_context_name(const char *key, char *name, size_t size)
{
	size_t length = strlen(key);

	if (length > 6 && !strcmp(key + length - 6, "_bytes"))
		length -= 6;
	snprintf(name, size, "%.*s", (int)length, key);
	for (; *name; name++) {
		if (*name == '_')
			*name = ' ';
	}
}

/* A value of the context, when it fits into a line of prose. */
bool run_context_text(const char *key, const json_t *value, char *text, size_t size)
{
	size_t length = strlen(key);
	char buffer[UNIT_TEXT_MAX];

	if (json_is_string(value) && json_string_length(value) < 60)
		snprintf(text, size, "%s", json_string_value(value));
	else if (json_is_boolean(value))
		snprintf(text, size, "%s", json_is_true(value) ? "on" : "off");
	else if (json_is_number(value) && length > 6 && !strcmp(key + length - 6, "_bytes"))
		snprintf(text, size, "%s", unit_format_bytes(buffer, json_number_value(value)));
	else if (json_is_number(value))
		snprintf(text, size, "%.4g", json_number_value(value));
	else
		return false;
	return true;
}

static void print_context(const struct run_summary *summary, FILE *out)
{
	static const char *const elsewhere[] = {"host_class", "thissystem", "cpu_model"};
	json_t *context = json_object_get(summary->run, "context"), *value;
	struct paragraph known, unknown;
	const char *key;
	char text[64], name[64];

	paragraph_begin(&known);
	paragraph_begin(&unknown);
	json_object_foreach (context, key, value) {
		bool skip = false;

		for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
			skip |= !strcmp(key, elsewhere[i]);
		if (skip)
			continue;
		run_context_name(key, name, sizeof(name));
		if (run_context_text(key, value, text, sizeof(text)))
			paragraph_say(&known, ", ", name, text);
		else if (json_is_null(value))
			paragraph_say(&unknown, ", ", "", name);
	}
	paragraph_end(&known, TERMINAL_COLUMNS, HEAD_INDENT, "context", out);
	paragraph_end(&unknown, TERMINAL_COLUMNS, HEAD_INDENT, "not known", out);
}

/* The pair that takes the most memory stands for the placement of all. */
static const struct backend_summary *largest(const struct run_summary *summary)
{
	const struct backend_summary *found = NULL;

	for (size_t p = 0; p < summary->nr_points; p++) {
		for (size_t b = 0; b < summary->points[p].nr_backends; b++) {
			const struct backend_summary *s = &summary->points[p].backends[b];

			if (s->placement_found && (!found || s->memory_bytes > found->memory_bytes))
				found = s;
		}
	}
	return found;
}

static double found_bytes(const json_t *found, const char *key)
{
	const json_t *value = json_object_get(found, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static size_t real_nodes(const json_t *nodes)
{
	const json_t *node, *other;
	size_t i, k, nr = 0;

	json_array_foreach (nodes, i, node) {
		for (k = 0; k < i; k++) {
			other = json_array_get(nodes, k);
			if (json_equal(json_object_get(other, "os_index"),
				       json_object_get(node, "os_index")))
				break;
		}
		nr += k == i;
	}
	return nr;
}

static void print_placement(const struct run_summary *summary, FILE *out)
{
	const struct backend_summary *s = largest(summary);
	char bytes[UNIT_TEXT_MAX], wrong[UNIT_TEXT_MAX], unknown[UNIT_TEXT_MAX],
		huge[UNIT_TEXT_MAX];
	const char *kind;
	const json_t *nodes;

	if (!s)
		return;
	nodes = json_object_get(s->placement_found, "nodes");
	kind = json_string_value(json_object_get(s->placement_found, "placement"));
	wrap_printf(out, HEAD_INDENT, "placement",
		    "asked for: %s; found: %s, modelled nodes %zu on real nodes %zu; of %s %s "
		    "misplaced, %s unknown, %s in huge pages (the largest point)",
		    s->placement_asked, kind ? kind : "unknown", json_array_size(nodes),
		    real_nodes(nodes),
		    unit_format_bytes(bytes, found_bytes(s->placement_found, "bytes")),
		    unit_format_bytes(wrong, found_bytes(s->placement_found, "bytes_misplaced")),
		    unit_format_bytes(unknown, found_bytes(s->placement_found, "bytes_unknown")),
		    unit_format_bytes(huge, found_bytes(s->placement_found, "huge_bytes")));
}

static void print_timer(const struct run_summary *summary, FILE *out)
{
	double low = NAN, high = NAN;
	char a[UNIT_TEXT_MAX], b[UNIT_TEXT_MAX];

	for (size_t p = 0; p < summary->nr_points; p++) {
		for (size_t i = 0; i < summary->points[p].nr_backends; i++) {
			low = fmin(low, summary->points[p].backends[i].floor_ns);
			high = fmax(high, summary->points[p].backends[i].floor_ns);
		}
	}
	if (isnan(low))
		return;
	unit_format_time(a, low);
	unit_format_time(b, high);
	wrap_printf(out, HEAD_INDENT, "timer",
		    "an empty interval takes %s%s%s; nothing is subtracted", a,
		    strcmp(a, b) ? " to " : "", strcmp(a, b) ? b : "");
}

/* Sentences that differ only in their numbers are one: "1.5 on 2" and "2.5 on 2" are "# on #". */
static void without_numbers(const char *text, char *key, size_t size)
{
	size_t used = 0;

	while (*text && used + 1 < size) {
		size_t digits = strspn(text, "0123456789.");

		key[used++] = digits ? '#' : *text;
		text += digits ? digits : 1;
	}
	key[used] = '\0';
}

/* Remember a sentence, and of how many pairs it is said: {"key": [sentence, pairs]}. */
static void count_sentence(json_t *seen, const char *text)
{
	json_t *entry;
	char key[512];

	without_numbers(text, key, sizeof(key));
	entry = json_object_get(seen, key);
	if (entry)
		json_integer_set(json_array_get(entry, 1),
				 json_integer_value(json_array_get(entry, 1)) + 1);
	else
		json_object_set_new(seen, key, json_pack("[s, i]", text, 1));
}

static void print_sentences(json_t *seen, const char *label, size_t pairs, FILE *out)
{
	const char *key;
	json_t *entry;

	json_object_foreach (seen, key, entry) {
		const char *text = json_string_value(json_array_get(entry, 0));
		size_t said = (size_t)json_integer_value(json_array_get(entry, 1));

		if (said == pairs)
			wrap_print(out, HEAD_INDENT, label, text);
		else
			wrap_printf(out, HEAD_INDENT, label, "%s (%zu of %zu rows)", text, said,
				    pairs);
	}
}

/* How caches were made cold, and what to be wary of, each once. */
static void print_warnings(const struct run_summary *summary, FILE *out)
{
	json_t *warnings = json_object(), *methods = json_object();
	size_t pairs = 0, cold = 0;

	for (size_t p = 0; p < summary->nr_points; p++) {
		for (size_t b = 0; b < summary->points[p].nr_backends; b++) {
			const struct backend_summary *s = &summary->points[p].backends[b];

			pairs += s->processes > 0;
			cold += s->cold_method != NULL;
			if (s->cold_method)
				count_sentence(methods, s->cold_method);
			for (size_t i = 0; i < s->nr_warnings; i++)
				count_sentence(warnings, s->warnings[i]);
		}
	}
	print_sentences(methods, "cold", cold, out);
	print_sentences(warnings, "warning", pairs, out);
	json_decref(warnings);
	json_decref(methods);
}

void run_head_print(const struct run_groups *groups, FILE *out)
{
	wrap_print(out, 0, "", groups->summary->title);
	run_facts_print(groups, out);
}

void run_facts_print(const struct run_groups *groups, FILE *out)
{
	const struct run_summary *summary = groups->summary;
	const char *build = json_string_value(json_at(summary->run, "identity.build_id"));

	print_scenario(summary, out);
	if (!summary->nr_points)
		return;
	point_groups_head(groups->layout, TERMINAL_COLUMNS, HEAD_INDENT, out);
	print_placement(summary, out);
	wrap_print(out, HEAD_INDENT, "host", summary->host_class);
	print_context(summary, out);
	wrap_print(out, HEAD_INDENT, "build", build);
	print_timer(summary, out);
	print_warnings(summary, out);
}
