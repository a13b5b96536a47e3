// SPDX-License-Identifier: MIT
/*
 * What a scenario says once, beside its sections: name, title, back ends, repetitions, and the
 * published figures to stand beside the measured ones.
 */
#include "scenario/loader.h"

#include "backend/backend.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES  64
#define TEXT_MAX_BYTES  300
#define MAX_REFERENCES  100
#define MAX_BACKENDS    64
#define NUMBER_MAX      40
#define DEFAULT_MEASURE "walk,cached"

static void take_copy(struct loader *loader, char **copy, const char *text)
{
	*copy = strdup(text);
	if (!*copy)
		loader->no_memory = true;
}

static void read_name(struct loader *loader, struct yaml_source *source, const yaml_node_t *node)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t length;
	const char *text = loader_scalar(loader, source, node, "name", NAME_MAX_BYTES, &length);

	if (!text)
		return;
	if (!length || strspn(text, allowed) != length || text[0] == '-') {
		loader_complain(loader, source, node,
				"name: '%s' would not be a good directory (a-z, 0-9, _ and -, "
				"which is not first)",
				text);
		return;
	}
	take_copy(loader, &loader->scenario->name, text);
}

/* A line of text for people. */
static const char *read_line(struct loader *loader, struct yaml_source *source,
			     const yaml_node_t *node, const char *key)
{
	size_t length;
	const char *text = loader_scalar(loader, source, node, key, TEXT_MAX_BYTES, &length);

	if (!text)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] >= ' ' && text[i] != 0x7f)
			continue;
		loader_complain(loader, source, node, "%s: a control character (one line of text)",
				key);
		return NULL;
	}
	if (length)
		return text;
	loader_complain(loader, source, node, "%s: empty (one line of text)", key);
	return NULL;
}

static void read_title(struct loader *loader, struct yaml_source *source, const yaml_node_t *node)
{
	const char *text = read_line(loader, source, node, "title");

	if (text)
		take_copy(loader, &loader->scenario->title, text);
}

/* A number in min..max; false with an error otherwise. */
static bool read_number(struct loader *loader, struct yaml_source *source, const yaml_node_t *node,
			const char *key, enum unit_kind unit, uint64_t min, uint64_t max,
			uint64_t *value)
{
	char low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];
	const char *text, *why;
	size_t length;

	text = loader_scalar(loader, source, node, key, NUMBER_MAX, &length);
	if (!text)
		return false;
	if (yaml_is_plain(node) && !unit_parse(text, length, unit, value, &why) && *value >= min &&
	    *value <= max)
		return true;
	unit_format_exact(low, unit, min);
	unit_format_exact(high, unit, max);
	loader_complain(loader, source, node, "%s: '%s' is not possible (%s to %s)", key, text, low,
			high);
	return false;
}

static void read_repetitions(struct loader *loader, struct yaml_source *source,
			     const yaml_node_t *node)
{
	uint64_t value;

	if (read_number(loader, source, node, "repetitions", UNIT_COUNT, 1, MAX_REPETITIONS,
			&value))
		loader->scenario->repetitions = (uint32_t)value;
}

static void list_backends(char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; backends[i] && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "",
					 backends[i]->name);
}

/* Is it the name of a back end? Otherwise an error. */
static bool check_backend(struct loader *loader, const struct place *place, const char *text)
{
	struct nearest nearest = {.word = text, .length = strlen(text)};
	char allowed[500];

	if (backend_find(text))
		return true;
	list_backends(allowed, sizeof(allowed));
	for (size_t i = 0; backends[i]; i++)
		nearest_offer(&nearest, backends[i]->name, strlen(backends[i]->name));
	if (nearest.best)
		error_list_add(loader->errors, place->file, place->line, place->column,
			       "no back end is named '%.40s', did you mean '%s' (%s)?", text,
			       nearest.best, allowed);
	else
		error_list_add(loader->errors, place->file, place->line, place->column,
			       "no back end is named '%.40s' (%s)", text, allowed);
	return false;
}

static void add_backend(struct loader *loader, const struct place *place, const char *text)
{
	struct scenario *scenario = loader->scenario;

	if (!check_backend(loader, place, text))
		return;
	for (size_t i = 0; i < scenario->nr_backends; i++) {
		if (strcmp(scenario->backends[i], text))
			continue;
		error_list_add(loader->errors, place->file, place->line, place->column,
			       "back end '%s' is named twice (each once)", text);
		return;
	}
	if (!scenario->backends)
		scenario->backends = calloc(MAX_BACKENDS, sizeof(*scenario->backends));
	if (!scenario->backends) {
		loader->no_memory = true;
		return;
	}
	/* known names, each once: the table of back ends is shorter than this */
	if (scenario->nr_backends == MAX_BACKENDS)
		return;
	take_copy(loader, &scenario->backends[scenario->nr_backends], text);
	if (!loader->no_memory)
		scenario->nr_backends++;
}

static void forget_backends(struct scenario *scenario)
{
	while (scenario->nr_backends)
		free(scenario->backends[--scenario->nr_backends]);
}

static void add_backend_node(struct loader *loader, struct yaml_source *source,
			     const yaml_node_t *node)
{
	size_t length;
	const char *text = loader_scalar(loader, source, node, "backends", NAME_MAX_BYTES, &length);
	struct place place = yaml_source_place(source, node);

	if (text)
		add_backend(loader, &place, text);
}

static void read_backends(struct loader *loader, struct yaml_source *source,
			  const yaml_node_t *node)
{
	const yaml_node_item_t *item;

	forget_backends(loader->scenario);
	if (node->type != YAML_SEQUENCE_NODE) {
		add_backend_node(loader, source, node);
		return;
	}
	if (node->data.sequence.items.start == node->data.sequence.items.top)
		loader_complain(loader, source, node,
				"backends: an empty list (one back end or more)");
	for (item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top && !loader_done(loader); item++)
		add_backend_node(loader, source, yaml_source_node(source, *item));
}

void heading_backends(struct loader *loader, const char *text)
{
	struct place place = {.file = "--backend", .line = 1};
	const char *at = text;
	char name[NAME_MAX_BYTES + 1];

	forget_backends(loader->scenario);
	for (;;) {
		size_t length = strcspn(at, ",");

		place.column = (unsigned)(at - text) + 1;
		snprintf(name, sizeof(name), "%.*s", (int)(length > 100 ? 100 : length), at);
		add_backend(loader, &place, name);
		if (!at[length] || loader_done(loader))
			return;
		at += length + 1;
	}
}

void heading_default_backends(struct loader *loader)
{
	heading_backends(loader, DEFAULT_MEASURE);
}

/* One published figure; `seen` counts which of its four keys were there that it must have. */
struct figure {
	struct reference reference;
	unsigned seen;
};

static void read_figure_key(struct loader *loader, struct yaml_source *source, yaml_node_t *key,
			    yaml_node_t *value, void *arg)
{
	const char *name = (const char *)key->data.scalar.value, *text;
	struct figure *figure = arg;
	struct place place = yaml_source_place(source, value);
	uint64_t number;
	size_t length;

	if (!strcmp(name, "bound")) {
		text = loader_scalar(loader, source, value, name, NAME_MAX_BYTES, &length);
		figure->reference.at_most = text && !strcmp(text, "at_most");
		if (text && !figure->reference.at_most && strcmp(text, "exact"))
			loader_complain(loader, source, value,
					"bound: '%.40s' is not known (exact, at_most)", text);
		return;
	}
	figure->seen++;
	if (!strcmp(name, "backend")) {
		text = loader_scalar(loader, source, value, name, NAME_MAX_BYTES, &length);
		if (text && check_backend(loader, &place, text))
			take_copy(loader, &figure->reference.backend, text);
	} else if (!strcmp(name, "memcgs")) {
		if (read_number(loader, source, value, name, UNIT_COUNT, 1, 4000000, &number))
			figure->reference.memcgs = (uint32_t)number;
	} else if (!strcmp(name, "time")) {
		if (read_number(loader, source, value, name, UNIT_TIME, 1, 86400000000000u,
				&number))
			figure->reference.time_ns = (double)number;
	} else if (!strcmp(name, "source")) {
		text = read_line(loader, source, value, name);
		if (text)
			take_copy(loader, &figure->reference.source, text);
	} else {
		loader_complain(loader, source, key,
				"unknown key '%.40s' in reference (backend, memcgs, time, source, bound)",
				name);
	}
}

static void read_figure(struct loader *loader, struct yaml_source *source, const yaml_node_t *node)
{
	struct scenario *scenario = loader->scenario;
	struct figure figure = {0};

	if (node->type != YAML_MAPPING_NODE) {
		loader_complain(loader, source, node,
				"reference: not a map (backend, memcgs, time, source)");
		return;
	}
	loader_each_key(loader, source, node, read_figure_key, &figure);
	if (figure.seen < 4)
		loader_complain(loader, source, node,
				"reference: incomplete (backend, memcgs, time, source)");
	scenario->references[scenario->nr_references++] = figure.reference;
}

static void read_reference(struct loader *loader, struct yaml_source *source,
			   const yaml_node_t *node)
{
	struct scenario *scenario = loader->scenario;
	const yaml_node_item_t *item;
	size_t nr;

	if (node->type != YAML_SEQUENCE_NODE) {
		loader_complain(loader, source, node, "reference: not a list (a list of maps)");
		return;
	}
	nr = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
	if (!nr || nr > MAX_REFERENCES) {
		loader_complain(loader, source, node, "reference: %zu figures (1 to %d)", nr,
				MAX_REFERENCES);
		return;
	}
	scenario->references = calloc(nr, sizeof(*scenario->references));
	if (!scenario->references) {
		loader->no_memory = true;
		return;
	}
	for (item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top && !loader_done(loader); item++)
		read_figure(loader, source, yaml_source_node(source, *item));
}

static const struct {
	const char *name;
	void (*read)(struct loader *loader, struct yaml_source *source, const yaml_node_t *node);
} headings[] = {
	{"name", read_name},           {"title", read_title},
	{"backends", read_backends},   {"repetitions", read_repetitions},
	{"reference", read_reference},
};

bool heading_read(struct loader *loader, struct yaml_source *source, const yaml_node_t *key,
		  const yaml_node_t *value)
{
	const char *name = (const char *)key->data.scalar.value;

	if (strlen(name) != key->data.scalar.length)
		return false;
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
		if (strcmp(headings[i].name, name))
			continue;
		headings[i].read(loader, source, value);
		return true;
	}
	return false;
}

void heading_offer(struct nearest *nearest)
{
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		nearest_offer(nearest, headings[i].name, strlen(headings[i].name));
}
