// SPDX-License-Identifier: MIT
/*
 * See compare_cover_parts.h: how to do it again. A record knows its scenario's name and its points,
 * not the file: so the command brings a scenario of its own, which has what is not the default, and
 * can be copied to anywhere. Points that are no matrix (of runs that were put together) have none.
 */
#include "report/compare_cover_parts.h"
#include "report/compare_report.h"
#include "report/compare_side.h"
#include "report/compare_words.h"
#include "report/wrap.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Is it worth a word? The spread over CPUs and nodes may vary and be the default everywhere. */
static bool is_told(const struct point_groups *groups, const struct parameter *parameter)
{
	for (size_t i = 0; i < groups->nr_points; i++) {
		if (!parameter_is_default(parameter, groups->points[i]))
			return true;
	}
	return false;
}

static bool in_section(const struct parameter *parameter, const char *section, size_t length)
{
	return !strncmp(parameter->name, section, length) && parameter->name[length] == '.';
}

/* The values of a parameter as a scenario says them; how many. */
static size_t print_list(const struct point_groups *groups, const struct parameter *parameter,
			 FILE *out)
{
	bool quoted = parameter->kind == PARAMETER_NIDS; /* "0,8" is one */
	size_t nr = point_groups_values(groups, parameter, "", NULL);

	fprintf(out, "%s%s", nr > 1 ? "[" : "", quoted ? "\"" : "");
	point_groups_values(groups, parameter, quoted ? "\", \"" : ", ", out);
	fprintf(out, "%s%s", quoted ? "\"" : "", nr > 1 ? "]" : "");
	return nr;
}

/* "{memcgs: [10, 100], spread: {cpus: 4}}": a section, of all points, or with the values of those
 * given; returns of how many combinations it is. */
static size_t print_map(const struct point_groups *all, const struct point_groups *of,
			const char *section, size_t length, FILE *out)
{
	const char *inner = NULL, *separator = "";
	size_t combinations = 1, inner_length = 0;

	fputc('{', out);
	for (size_t i = 0; i < nr_parameters; i++) {
		const char *key = parameters[i].name + length + 1, *dot;

		if (!in_section(&parameters[i], section, length) || !is_told(all, &parameters[i]))
			continue;
		dot = strchr(key, '.');
		if (inner && (!dot || strncmp(inner, key, inner_length + 1))) {
			fputc('}', out);
			inner = NULL;
		}
		fputs(separator, out);
		if (dot && !inner) {
			inner = key;
			inner_length = (size_t)(dot - key);
			fprintf(out, "%.*s: {", (int)inner_length, inner);
		}
		fprintf(out, "%s: ", dot ? dot + 1 : key);
		combinations *= print_list(of, &parameters[i], out);
		separator = ", ";
	}
	fputs(inner ? "}}" : "}", out);
	return combinations;
}

/* The maps of single points, each once; returns how many. */
static size_t print_maps(const struct point_groups *groups, const char *section, size_t length,
			 FILE *out)
{
	json_t *seen = json_object();
	size_t nr = 0;

	for (size_t i = 0; seen && i < groups->nr_points; i++) {
		const struct point_groups one = {.nr_points = 1, .points = groups->points + i};
		char *text = NULL;
		size_t size;
		FILE *memory = open_memstream(&text, &size);

		if (memory) {
			print_map(groups, &one, section, length, memory);
			fclose(memory);
		}
		if (text && !json_object_get(seen, text)) {
			json_object_set_new(seen, text, json_true());
			fprintf(out, "%s%s", nr++ ? ", " : "", text);
		}
		free(text);
	}
	json_decref(seen);
	return nr;
}

/* One section, if there is anything to tell; its values are lists, or a list of maps where they
 * belong together. Returns of how many combinations it is. */
static size_t print_section(const struct point_groups *groups, const char *section, size_t length,
			    FILE *out)
{
	char *map = NULL, *maps = NULL;
	size_t map_length, maps_length, combinations = 0, nr = 0;
	FILE *memory = open_memstream(&map, &map_length);

	if (memory) {
		combinations = print_map(groups, groups, section, length, memory);
		fclose(memory);
	}
	memory = open_memstream(&maps, &maps_length);
	if (memory) {
		nr = print_maps(groups, section, length, memory);
		fclose(memory);
	}
	if (map && maps && strcmp(map, "{}"))
		fprintf(out, nr == combinations ? ",\n%.*s: %s" : ",\n%.*s: [%s]", (int)length,
			section, nr == combinations ? map : maps);
	free(map);
	free(maps);
	return nr;
}

/* A word that needs no quotes, neither the shell's nor YAML's. */
static bool is_plain(const char *word)
{
	const char *c = word;

	while (isalnum((unsigned char)*c) || (*c && strchr("._-", *c)))
		c++;
	return *word && !*c;
}

/* The scenario as YAML, a line for each section. False if there is none that has these points. */
static bool print_scenario(const struct compare_layout *layout, const struct record *record,
			   FILE *out)
{
	const struct point_groups *groups = layout->groups;
	bool plain = is_plain(record->scenario);
	size_t combinations = 1;

	/* The record knows the file of a captured tree by its hash alone. */
	for (size_t i = 0; i < groups->nr_points; i++)
		plain &= groups->points[i]->tree.shape != TREE_CAPTURED;
	fprintf(out, "'{name: %s, repetitions: %u, backends: [", record->scenario,
		side_repetitions(record));
	for (size_t i = 0; i < layout->nr_names; i++) {
		fprintf(out, "%s%s", i ? ", " : "", layout->names[i]);
		plain &= is_plain(layout->names[i]);
	}
	fputc(']', out);
	for (size_t i = 0; i < nr_parameters; i++) {
		const char *name = parameters[i].name;
		size_t length = strcspn(name, ".");

		if (!i || !in_section(&parameters[i - 1], name, length))
			combinations *= print_section(groups, name, length, out);
	}
	fputs("}' |", out);
	return plain && combinations == groups->nr_points;
}

static bool fits(const char *text)
{
	for (size_t length; *text; text += length + !!text[length]) {
		length = strcspn(text, " \n");
		if (length > COVER_COLUMNS - 7)
			return false;
	}
	return true;
}

static void print_lines(char *text, FILE *out)
{
	const char *label = "  echo";
	char *rest;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		wrap_lines(out, COVER_COLUMNS, 4, label, line);
		label = "";
	}
}

static int print_run(const struct compare_layout *layout, const struct record *record, FILE *out)
{
	unsigned long long seed = record->seed;
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	bool known;

	if (!memory)
		return -ENOMEM;
	known = print_scenario(layout, record, memory);
	if (fclose(memory)) {
		free(text);
		return -ENOMEM;
	}
	if (known && fits(text)) {
		print_lines(text, out);
		fprintf(out, "    memcgbench run - --seed %llu --out DIR\n", seed);
	} else {
		fprintf(out, "  memcgbench run SCENARIO --repetitions %u --seed %llu --out DIR\n",
			side_repetitions(record), seed);
	}
	free(text);
	return 0;
}

int cover_commands_print(const struct compare *compare, FILE *out)
{
	const struct compare_options *options = &compare->options;
	char effect[CHANGE_TEXT_MAX];
	struct compare_layout layout;
	int r = compare_layout_init(&layout, compare);

	if (!r) {
		fputs("\nTo repeat, before (DIR is BASE) and after (NEW):\n\n", out);
		r = print_run(&layout, compare->new, out);
		fprintf(out,
			"  memcgbench compare BASE NEW --metric %s \\\n    --min-effect %s "
			"--alpha %g --format cover\n",
			options->metric->name, share_text(effect, options->min_effect, "%"),
			options->alpha);
	}
	compare_layout_fini(&layout);
	return r;
}
