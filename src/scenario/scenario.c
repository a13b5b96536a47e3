// SPDX-License-Identifier: MIT
/*
 * Loads a scenario: the text's rules (yaml_source.c), the headings (headings.c), the sections as
 * axes (sections.c), what --set replaces, and the points (expand.c).
 */
#include "scenario/scenario.h"

#include "base/file.h"
#include "memcg/captured.h"
#include "scenario/loader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What --quick leaves: enough to see that everything works, not enough to conclude from. */
#define QUICK_REPETITIONS   2
#define QUICK_SAMPLES       20
#define QUICK_TIME_NS       200000000
#define DEFAULT_REPETITIONS 10

static void read_top_key(struct loader *loader, struct yaml_source *source, yaml_node_t *key,
			 yaml_node_t *value, void *arg)
{
	static const char allowed[] = "name, title, tree, machine, counters, read, write, "
				      "harm, backends, repetitions, reference";
	const char *word = (const char *)key->data.scalar.value;
	struct nearest nearest = {.word = word, .length = key->data.scalar.length};

	(void)arg;
	if (heading_read(loader, source, key, value) || section_read(loader, source, key, value))
		return;
	heading_offer(&nearest);
	section_offer(&nearest);
	if (nearest.best)
		loader_complain(loader, source, key,
				"unknown key '%.40s', did you mean '%.*s' (%s)?", word,
				(int)nearest.best_length, nearest.best, allowed);
	else
		loader_complain(loader, source, key, "unknown key '%.40s' (%s)", word, allowed);
}

static void read_file(struct loader *loader, struct yaml_source *source)
{
	const yaml_node_t *root = yaml_source_root(source);

	if (!root)
		error_list_add(loader->errors, source->file, 1, 1,
			       "empty (name and tree.memcgs at least)");
	else if (root->type != YAML_MAPPING_NODE)
		loader_complain(loader, source, root, "not a map (a map with name and tree)");
	else
		loader_each_key(loader, source, root, read_top_key, NULL);
}

/* The key of --set key=value where it is no parameter. */
static void refuse_set(struct loader *loader, const char *key, size_t length)
{
	struct nearest nearest = {.word = key, .length = length};
	int shown = length > 60 ? 60 : (int)length;

	for (size_t i = 0; i < nr_parameters; i++)
		nearest_offer(&nearest, parameters[i].name, strlen(parameters[i].name));
	nearest_offer(&nearest, "repetitions", strlen("repetitions"));
	if (nearest.best)
		error_list_add(
			loader->errors, "--set", 1, 1,
			"unknown key '%.*s', did you mean '%.*s' (a parameter's whole name)?",
			shown, key, (int)nearest.best_length, nearest.best);
	else
		error_list_add(loader->errors, "--set", 1, 1,
			       "unknown key '%.*s' (a parameter's whole name like tree.memcgs)",
			       shown, key);
}

static void replace(struct loader *loader, struct yaml_source *source,
		    const struct parameter *parameter, const char *key, size_t length)
{
	const yaml_node_t *root = yaml_source_root(source);
	yaml_node_t repetitions = {.type = YAML_SCALAR_NODE};
	struct axis axis;

	if (!root) {
		error_list_add(loader->errors, "--set", 1, (unsigned)length + 2,
			       "%.*s: no value (one value or a list)", (int)length, key);
		return;
	}
	if (!parameter) {
		repetitions.data.scalar.value = (unsigned char *)"repetitions";
		repetitions.data.scalar.length = strlen("repetitions");
		heading_read(loader, source, &repetitions, root);
		return;
	}
	if (section_values(loader, source, parameter, root, &axis) &&
	    axes_replace(&loader->arena, &loader->axes, parameter, &axis))
		loader->no_memory = true;
}

static void apply_set(struct loader *loader, const char *set)
{
	size_t length = strcspn(set, "=");
	const struct parameter *parameter = parameter_find(set, length);
	struct yaml_source source;

	if (!set[length]) {
		error_list_add(loader->errors, "--set", 1, 1, "'%.60s' has no = (key=value)", set);
		return;
	}
	if (!parameter &&
	    (length != strlen("repetitions") || strncmp(set, "repetitions", length))) {
		refuse_set(loader, set, length);
		return;
	}
	if (yaml_source_open(&source, "--set", (unsigned)length + 1, set + length + 1,
			     strlen(set + length + 1), loader->errors))
		return;
	replace(loader, &source, parameter, set, length);
	yaml_source_close(&source);
}

/* The number of memcgs is said by a captured tree's file, too. */
static bool says(const struct setting *setting, const struct parameter *parameter)
{
	return setting->parameter == parameter ||
	       (!strcmp(parameter->name, "tree.memcgs") &&
		(setting->parameter->kind == PARAMETER_FILE ||
		 (!strcmp(setting->parameter->name, "tree.shape") &&
		  setting->value == TREE_CAPTURED)));
}

/* A key said by the file or a --set? Only what is required is looked for. */
static bool is_set(const struct axes *axes, const struct parameter *parameter)
{
	for (size_t a = 0; a < axes->nr; a++)
		for (size_t i = 0; i < axes->items[a].nr; i++) {
			const struct alternative *alternative = &axes->items[a].alternatives[i];
			size_t k = 0;

			while (k < alternative->nr && !says(&alternative->settings[k], parameter))
				k++;
			/* each alternative of an axis must say it, or none */
			if (k < alternative->nr && i + 1 == axes->items[a].nr)
				return true;
			if (k == alternative->nr)
				break;
		}
	return false;
}

static void check_required(struct loader *loader)
{
	if (!loader->scenario->name)
		error_list_add(loader->errors, loader->scenario->path, 1, 1,
			       "name is missing (a-z, 0-9, _ and -)");
	for (size_t i = 0; i < nr_parameters; i++)
		if (parameters[i].required && !is_set(&loader->axes, &parameters[i]))
			error_list_add(loader->errors, loader->scenario->path, 1, 1,
				       "%s is missing (%s)", parameters[i].name,
				       parameters[i].help);
}

static void apply_quick(struct scenario *scenario)
{
	if (scenario->repetitions > QUICK_REPETITIONS)
		scenario->repetitions = QUICK_REPETITIONS;
	for (size_t i = 0; i < scenario->nr_points; i++) {
		struct point *point = &scenario->points[i];

		if (point->read.samples > QUICK_SAMPLES)
			point->read.samples = QUICK_SAMPLES;
		if (point->read.time_ns > QUICK_TIME_NS)
			point->read.time_ns = QUICK_TIME_NS;
	}
}

static int fill(struct loader *loader, const char *text, size_t length)
{
	const struct scenario_options *options = loader->options;
	struct scenario *scenario = loader->scenario;
	struct yaml_source source;
	int code = yaml_source_open(&source, scenario->path, 0, text, length, loader->errors);

	if (code)
		return code;
	read_file(loader, &source);
	yaml_source_close(&source);
	for (size_t i = 0; i < options->nr_sets && !loader_done(loader); i++)
		apply_set(loader, options->sets[i]);
	if (options->backends)
		heading_backends(loader, options->backends);
	else if (!scenario->nr_backends && !loader->errors->total)
		heading_default_backends(loader);
	if (options->repetitions)
		scenario->repetitions = options->repetitions;
	if (!loader->errors->total)
		check_required(loader);
	if (loader->no_memory)
		return -ENOMEM;
	if (loader->errors->total)
		return -EINVAL;
	code = axes_points(&loader->axes, options->nr_sets > 0, &scenario->points,
			   &scenario->nr_points, loader->errors);
	if (!code && options->quick)
		apply_quick(scenario);
	return code;
}

int scenario_parse(const char *path, const char *text, size_t length,
		   const struct scenario_options *options, struct scenario **out,
		   struct error_list *errors)
{
	static const struct scenario_options none;
	struct error_list own = {0};
	struct loader loader = {
		.options = options ? options : &none,
		.errors = &own,
		.scenario = calloc(1, sizeof(*loader.scenario)),
	};
	int code = -ENOMEM;

	if (loader.scenario) {
		loader.scenario->repetitions = DEFAULT_REPETITIONS;
		loader.scenario->path = strdup(path);
	}
	if (loader.scenario && loader.scenario->path)
		code = fill(&loader, text, length);
	arena_free(&loader.arena);
	if (code == -ENOMEM && !own.total)
		error_list_add(&own, path, 0, 0, "out of memory");
	for (size_t i = 0; i < own.nr; i++)
		error_list_add(errors, own.items[i].file, own.items[i].line, own.items[i].column,
			       "%s", own.items[i].text);
	errors->total += own.total - own.nr;
	if (code) {
		scenario_free(loader.scenario);
		return code;
	}
	*out = loader.scenario;
	return 0;
}

int scenario_load(const char *path, const struct scenario_options *options, struct scenario **out,
		  struct error_list *errors)
{
	struct error err;
	size_t length;
	char *text;
	int code = file_read(path, SCENARIO_BYTES_MAX, &text, &length, &err);

	if (code) {
		error_list_add(errors, err.file, err.line, err.column, "%s", err.text);
		return code;
	}
	code = scenario_parse(strcmp(path, "-") ? path : "<stdin>", text, length, options, out,
			      errors);
	free(text);
	return code;
}

void scenario_free(struct scenario *scenario)
{
	if (!scenario)
		return;
	for (size_t i = 0; i < scenario->nr_backends; i++)
		free(scenario->backends[i]);
	for (size_t i = 0; i < scenario->nr_references; i++) {
		free(scenario->references[i].backend);
		free(scenario->references[i].source);
	}
	for (size_t i = 0; i < scenario->nr_captured; i++)
		captured_free(scenario->captured[i]);
	free(scenario->captured);
	free(scenario->backends);
	free(scenario->references);
	free(scenario->points);
	free(scenario->path);
	free(scenario->title);
	free(scenario->name);
	free(scenario);
}
