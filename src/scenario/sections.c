// SPDX-License-Identifier: MIT
/*
 * Sections of a scenario: maps of parameters, nested as the dots in the parameters' names are. Each
 * value may be a list, and each section a list of maps where values belong together.
 */
#include "scenario/loader.h"
#include "scenario/nids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX 64

static const struct parameter *by_name(const char *name)
{
	return parameter_find(name, strlen(name));
}

/* Does a parameter's name begin with these letters and a dot? */
static bool is_section(const char *name, size_t length)
{
	for (size_t i = 0; i < nr_parameters; i++)
		if (!strncmp(parameters[i].name, name, length) && parameters[i].name[length] == '.')
			return true;
	return false;
}

static bool here_nodes(struct loader *loader, struct setting *setting)
{
	const struct scenario_options *options = loader->options;
	uint16_t *nids;

	if (!options->here_nr_nids || options->here_nr_nids > MAX_NODES)
		return false;
	nids = arena_take(&loader->arena, options->here_nr_nids * sizeof(*nids));
	if (!nids) {
		loader->no_memory = true;
		return false;
	}
	for (unsigned i = 0; i < options->here_nr_nids; i++) {
		/* ids are below MAX_NODES and ascending in whatever a point holds */
		if (options->here_nids[i] >= MAX_NODES ||
		    (i && options->here_nids[i] <= options->here_nids[i - 1]))
			return false;
		nids[i] = (uint16_t)options->here_nids[i];
	}
	setting->value = options->here_nr_nids;
	setting->nids = nids;
	setting->nr_nids = options->here_nr_nids;
	return true;
}

static bool here_cpus(struct loader *loader, struct setting *setting)
{
	setting->value = loader->options->here_cpus;
	return setting->value && setting->value <= MAX_CPUS;
}

/* `here`: this machine's value. */
static bool read_here(struct loader *loader, struct yaml_source *source, const yaml_node_t *node,
		      struct setting *setting)
{
	if (setting->parameter == by_name("read.version")) {
		setting->value = loader->options->here_version == 2 ? READ_V2 : READ_V1;
		return true;
	}
	if (setting->parameter == by_name("machine.nodes") ? here_nodes(loader, setting)
							   : here_cpus(loader, setting))
		return true;
	loader_complain(loader, source, node,
			"%s: `here` is not known or out of range on this machine (a number)",
			setting->parameter->name);
	return false;
}

static bool read_nids(struct loader *loader, struct yaml_source *source, const yaml_node_t *node,
		      const char *text, size_t length, struct setting *setting)
{
	uint16_t nids[MAX_NODES], *kept;
	struct error err;
	int nr = nids_parse(text, length, nids, &err);

	if (nr < 0) {
		loader_complain(loader, source, node, "%s: %s", setting->parameter->name, err.text);
		return false;
	}
	kept = arena_take(&loader->arena, (size_t)nr * sizeof(*kept));
	if (!kept) {
		loader->no_memory = true;
		return false;
	}
	memcpy(kept, nids, (size_t)nr * sizeof(*kept));
	setting->nids = kept;
	setting->nr_nids = (unsigned)nr;
	return true;
}

static bool takes_here(const struct parameter *parameter)
{
	return parameter == by_name("machine.nodes") || parameter == by_name("machine.cpus") ||
	       parameter == by_name("read.version");
}

static bool read_value(struct loader *loader, struct yaml_source *source,
		       const struct parameter *parameter, const yaml_node_t *node,
		       struct setting *setting)
{
	struct error err;
	size_t length;
	const char *text =
		loader_scalar(loader, source, node, parameter->name, PARAMETER_TEXT_MAX, &length);

	if (!text)
		return false;
	*setting =
		(struct setting){.parameter = parameter, .place = yaml_source_place(source, node)};
	if (parameter->kind == PARAMETER_NIDS)
		return read_nids(loader, source, node, text, length, setting);
	if (parameter->kind == PARAMETER_FILE)
		return captured_file_read(loader, source, node, text, setting);
	if (takes_here(parameter) && !strcmp(text, "here"))
		return read_here(loader, source, node, setting);
	if (parameter->kind == PARAMETER_NUMBER && !yaml_is_plain(node)) {
		loader_complain(loader, source, node,
				"%s: text where a number is expected (no quotes around numbers)",
				parameter->name);
		return false;
	}
	if (!parameter_parse(parameter, text, length, &setting->value, &err))
		return true;
	loader_complain(loader, source, node, "%s", err.text);
	return false;
}

static int compare_settings(const void *a, const void *b)
{
	const struct setting *x = *(const struct setting *const *)a;
	const struct setting *y = *(const struct setting *const *)b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->nr_nids != y->nr_nids)
		return x->nr_nids < y->nr_nids ? -1 : 1;
	return x->nr_nids ? memcmp(x->nids, y->nids, x->nr_nids * sizeof(*x->nids)) : 0;
}

/* Of equal values, qsort() may put the later first; the later place is the one to name. */
static bool refuse_twins(struct loader *loader, const struct axis *axis)
{
	const struct setting **sorted = calloc(axis->nr, sizeof(*sorted));
	bool fine = true;

	if (!sorted) {
		loader->no_memory = true;
		return false;
	}
	for (size_t i = 0; i < axis->nr; i++)
		sorted[i] = axis->alternatives[i].settings;
	qsort(sorted, axis->nr, sizeof(*sorted), compare_settings);
	for (size_t i = 1; i < axis->nr && !loader_done(loader); i++) {
		const struct place *one = &sorted[i - 1]->place, *other = &sorted[i]->place;
		const struct place *later = one;

		if (compare_settings(&sorted[i - 1], &sorted[i]))
			continue;
		if (other->line > one->line ||
		    (other->line == one->line && other->column > one->column))
			later = other;
		error_list_add(loader->errors, later->file, later->line, later->column,
			       "%s: the same value twice (values of a list differ)",
			       sorted[i]->parameter->name);
		fine = false;
	}
	free(sorted);
	return fine;
}

static bool add_value(struct loader *loader, struct yaml_source *source,
		      const struct parameter *parameter, const yaml_node_t *node, struct axis *axis)
{
	struct setting setting;

	if (!read_value(loader, source, parameter, node, &setting))
		return false;
	if (axis_add(&loader->arena, axis, &setting, 1))
		loader->no_memory = true;
	return !loader->no_memory;
}

bool section_values(struct loader *loader, struct yaml_source *source,
		    const struct parameter *parameter, const yaml_node_t *node, struct axis *axis)
{
	const yaml_node_item_t *item;
	bool fine = true;
	size_t nr;

	*axis = (struct axis){.place = yaml_source_place(source, node)};
	if (node->type != YAML_SEQUENCE_NODE)
		return add_value(loader, source, parameter, node, axis);
	nr = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
	if (parameter->single || !nr || nr > MAX_POINTS) {
		loader_complain(loader, source, node,
				parameter->single ? "%s: a list (one value for all points)"
				: nr              ? "%s: too many values (at most 100000 points)"
						  : "%s: an empty list (one value or more)",
				parameter->name);
		return false;
	}
	for (item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top && !loader_done(loader); item++)
		fine &= add_value(loader, source, parameter, yaml_source_node(source, *item), axis);
	return fine && !loader_done(loader) && refuse_twins(loader, axis);
}

/* A map being read: whose keys, and where the axes go. */
struct section {
	char name[KEY_MAX];
	struct axes *axes;
};

static void read_section(struct loader *loader, struct yaml_source *source, const char *name,
			 const yaml_node_t *node, struct axes *axes);

static void refuse_key(struct loader *loader, struct yaml_source *source, const char *section,
		       const yaml_node_t *key)
{
	const char *word = (const char *)key->data.scalar.value;
	struct nearest nearest = {.word = word, .length = key->data.scalar.length};
	size_t prefix = strlen(section) + 1, used = 0, last = 0;
	char allowed[300] = "";
	const char *known = NULL;

	for (size_t i = 0; i < nr_parameters; i++) {
		const char *rest = parameters[i].name + prefix;
		size_t length;

		if (strncmp(parameters[i].name, section, prefix - 1) ||
		    parameters[i].name[prefix - 1] != '.')
			continue;
		length = strcspn(rest, ".");
		if (known && last == length && !strncmp(known, rest, length))
			continue; /* spread.cpus, spread.nodes: one key */
		nearest_offer(&nearest, rest, length);
		used += (size_t)snprintf(allowed + used, sizeof(allowed) - used, "%s%.*s",
					 used ? ", " : "", (int)length, rest);
		known = rest;
		last = length;
	}
	if (nearest.best)
		loader_complain(loader, source, key,
				"unknown key '%.40s' in %s, did you mean '%.*s' (%s)?", word,
				section, (int)nearest.best_length, nearest.best, allowed);
	else
		loader_complain(loader, source, key, "unknown key '%.40s' in %s (%s)", word,
				section, allowed);
}

static void read_key(struct loader *loader, struct yaml_source *source, yaml_node_t *key,
		     yaml_node_t *value, void *arg)
{
	const struct section *section = arg;
	const struct parameter *parameter;
	char name[2 * KEY_MAX + 2];
	struct axis axis;
	int length;

	/* a NUL within a key ends it early, and what is left is then not known either */
	length = snprintf(name, sizeof(name), "%s.%.*s", section->name, KEY_MAX,
			  (const char *)key->data.scalar.value);
	if (memchr(key->data.scalar.value, '.', key->data.scalar.length) ||
	    strlen((const char *)key->data.scalar.value) != key->data.scalar.length) {
		refuse_key(loader, source, section->name, key);
		return;
	}
	parameter = parameter_find(name, (size_t)length);
	if (parameter) {
		if (section_values(loader, source, parameter, value, &axis) &&
		    axes_add(&loader->arena, section->axes, &axis))
			loader->no_memory = true;
	} else if (is_section(name, (size_t)length)) {
		read_section(loader, source, name, value, section->axes);
	} else {
		refuse_key(loader, source, section->name, key);
	}
}

/* `machine: here`: nodes, their ids and CPUs of this machine. */
static void read_machine_here(struct loader *loader, struct yaml_source *source,
			      const yaml_node_t *node, struct axes *axes)
{
	struct place place = yaml_source_place(source, node);
	struct axis axis = {.place = place};
	struct setting settings[] = {
		{.parameter = by_name("machine.nodes"), .place = place},
		{.parameter = by_name("machine.cpus"), .place = place},
	};

	if (!read_here(loader, source, node, &settings[0]) ||
	    !read_here(loader, source, node, &settings[1]))
		return;
	if (axis_add(&loader->arena, &axis, settings, 2) || axes_add(&loader->arena, axes, &axis))
		loader->no_memory = true;
}

/* One map, or `here`. */
static void read_map(struct loader *loader, struct yaml_source *source, const char *name,
		     const yaml_node_t *node, struct axes *axes)
{
	struct section section = {.axes = axes};

	if (node->type == YAML_MAPPING_NODE) {
		snprintf(section.name, sizeof(section.name), "%s", name);
		loader_each_key(loader, source, node, read_key, &section);
	} else if (!strcmp(name, "machine") && yaml_is_plain(node) &&
		   !strcmp((const char *)node->data.scalar.value, "here")) {
		read_machine_here(loader, source, node, axes);
	} else {
		loader_complain(loader, source, node, "%s: not a map (%s)", name,
				!strcmp(name, "machine") ? "a map, a list of maps, or `here`"
							 : "a map, or a list of maps");
	}
}

static void read_section(struct loader *loader, struct yaml_source *source, const char *name,
			 const yaml_node_t *node, struct axes *axes)
{
	struct axis axis = {.place = yaml_source_place(source, node)};
	const struct axis *excess;
	const yaml_node_item_t *item;

	if (node->type != YAML_SEQUENCE_NODE) {
		read_map(loader, source, name, node, axes);
		return;
	}
	if (node->data.sequence.items.start == node->data.sequence.items.top)
		loader_complain(loader, source, node, "%s: an empty list (one map or more)", name);
	for (item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top && !loader_done(loader); item++) {
		struct axes inner = {0};
		const yaml_node_t *map = yaml_source_node(source, *item);

		read_map(loader, source, name, map, &inner);
		if (!axes_combinations(&inner, &excess) || axis.nr > MAX_POINTS) {
			loader_complain(loader, source, map,
					"%s: too many combinations (at most %d points)", name,
					MAX_POINTS);
			return;
		}
		if (axes_multiply(&loader->arena, &inner, &axis))
			loader->no_memory = true;
	}
	if (axis.nr && axes_add(&loader->arena, axes, &axis))
		loader->no_memory = true;
}

bool section_read(struct loader *loader, struct yaml_source *source, const yaml_node_t *key,
		  const yaml_node_t *value)
{
	const char *name = (const char *)key->data.scalar.value;
	size_t length = key->data.scalar.length;

	if (length >= KEY_MAX || strlen(name) != length || memchr(name, '.', length) ||
	    !is_section(name, length))
		return false;
	read_section(loader, source, name, value, &loader->axes);
	return true;
}

void section_offer(struct nearest *nearest)
{
	for (size_t i = 0; i < nr_parameters; i++)
		nearest_offer(nearest, parameters[i].name, strcspn(parameters[i].name, "."));
}
