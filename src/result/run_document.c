// SPDX-License-Identifier: MIT
/* run.json: made from a scenario, and read back strictly. */
#include "result/run_document.h"

#include "result/document.h"
#include "result/run_dir.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define RUN_SCHEMA_NAME    "memcgbench-run"
#define RUN_SCHEMA_VERSION 1
#define BACKENDS_MAX       64

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NULLABLE (FIELD_NULL | FIELD_OPTIONAL)

static json_t *points_to_json(const struct scenario *scenario)
{
	json_t *points = json_array();

	for (size_t i = 0; i < scenario->nr_points; i++) {
		json_t *point = json_pack("{s:s, s:o}", "id", scenario->points[i].id, "parameters",
					  point_to_json(&scenario->points[i]));

		if (json_array_append_new(points, point) < 0) {
			json_decref(points);
			return NULL;
		}
	}
	return points;
}

static json_t *backends_to_json(const struct scenario *scenario)
{
	json_t *names = json_array();

	for (size_t i = 0; i < scenario->nr_backends; i++) {
		if (json_array_append_new(names, json_string(scenario->backends[i])) < 0) {
			json_decref(names);
			return NULL;
		}
	}
	return names;
}

static json_t *references_to_json(const struct scenario *scenario)
{
	json_t *list = json_array();

	for (size_t i = 0; i < scenario->nr_references; i++) {
		const struct reference *reference = &scenario->references[i];
		json_t *item = json_pack("{s:s, s:I, s:f, s:b, s:s}", "backend", reference->backend,
					 "memcgs", (json_int_t)reference->memcgs, "time_ns",
					 reference->time_ns, "at_most", (int)reference->at_most,
					 "source", reference->source ? reference->source : "");

		if (json_array_append_new(list, item) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* {"asked":[..]}: the placements that the points ask for, each once. */
static json_t *placements_to_json(const struct scenario *scenario)
{
	const char *name = "machine.placement";
	const struct parameter *parameter = parameter_find(name, strlen(name));
	char buffer[PARAMETER_TEXT_MAX];
	uint64_t seen = 0;
	json_t *list = json_array();

	for (size_t i = 0; parameter && i < scenario->nr_points; i++) {
		uint64_t bit = 1ull << (scenario->points[i].machine.placement & 63);

		if (seen & bit)
			continue;
		seen |= bit;
		if (json_array_append_new(
			    list,
			    json_string(parameter_text(parameter, &scenario->points[i], buffer)))) {
			json_decref(list);
			return NULL;
		}
	}
	return json_pack("{s:o}", "asked", list);
}

json_t *run_document(const struct scenario *scenario, uint64_t seed, const char *build_id,
		     const char *host_class, json_t *context, json_t *left_out, const char *label)
{
	const struct point *first = scenario->nr_points ? &scenario->points[0] : NULL;
	json_t *identity;

	identity =
		json_pack("{s:s, s:I, s:I, s:I, s:I, s:s, s:s, s:o, s:o}", "scenario",
			  scenario->name, "repetitions", (json_int_t)scenario->repetitions,
			  "samples", (json_int_t)(first ? first->read.samples : 0), "time_ns",
			  (json_int_t)(first ? first->read.time_ns : 0), "seed", (json_int_t)seed,
			  "build_id", build_id, "host_class", host_class, "backends",
			  backends_to_json(scenario), "points", points_to_json(scenario));
	if (!identity)
		return NULL;
	return json_pack("{s:{s:s, s:i}, s:o, s:s?, s:o, s:o, s:s?, s:O?, s:o}", "schema", "name",
			 RUN_SCHEMA_NAME, "version", RUN_SCHEMA_VERSION, "identity", identity,
			 "title", scenario->title, "references", references_to_json(scenario),
			 "left_out", left_out ? json_incref(left_out) : json_array(), "label",
			 label, "context", context, "placement", placements_to_json(scenario));
}

static const struct field fields[] = {
	{"identity", FIELD_OBJECT, 0},
	{"identity.scenario", FIELD_TEXT, 0},
	{"identity.points", FIELD_ARRAY, 0},
	{"identity.backends", FIELD_ARRAY, 0},
	{"identity.repetitions", FIELD_POSITIVE, 0},
	{"identity.samples", FIELD_POSITIVE, 0},
	{"identity.time_ns", FIELD_WHOLE, 0},
	{"identity.build_id", FIELD_TEXT, 0},
	{"identity.host_class", FIELD_TEXT, 0},
	{"title", FIELD_TEXT, NULLABLE},
	{"references", FIELD_ARRAY, NULLABLE},
	{"left_out", FIELD_ARRAY, NULLABLE},
	{"label", FIELD_TEXT, NULLABLE},
	{"context", FIELD_OBJECT, NULLABLE},
	{"placement", FIELD_OBJECT, NULLABLE},
};

static const struct document_schema schema = {
	.name = RUN_SCHEMA_NAME,
	.version = RUN_SCHEMA_VERSION,
	.limit = 256u << 20, /* 100,000 points */
	.fields = fields,
	.nr_fields = COUNT(fields),
};

/* A field that every item of a list has. */
struct item_field {
	const char *list, *key;
	enum field_kind kind;
};

static const struct item_field item_fields[] = {
	{"references", "backend", FIELD_BACKEND}, {"references", "memcgs", FIELD_POSITIVE},
	{"references", "time_ns", FIELD_NUMBER},  {"references", "source", FIELD_TEXT},
	{"left_out", "id", FIELD_TEXT},           {"left_out", "backend", FIELD_BACKEND},
	{"left_out", "reasons", FIELD_ARRAY},
};

static int check_items(const struct document *document, struct error *err)
{
	for (size_t f = 0; f < COUNT(item_fields); f++) {
		const struct item_field *item = &item_fields[f];
		size_t nr = json_array_size(json_object_get(document->json, item->list));

		for (size_t i = 0; i < nr; i++) {
			char path[64];
			struct field field = {path, item->kind, 0};
			int r;

			snprintf(path, sizeof(path), "%s.%zu.%s", item->list, i, item->key);
			r = document_check(document, &field, 1, err);
			if (r)
				return r;
		}
	}
	return 0;
}

/*
 * Every file of point x back end x repetition is asked for: what no scenario can be must not keep a
 * reader busy for ever.
 */
static int check_extent(const struct document *document, struct error *err)
{
	if (json_integer_value(json_at(document->json, "identity.repetitions")) > MAX_REPETITIONS)
		return document_fault(document, "identity.repetitions", err,
				      "is out of range (1 to %d)", MAX_REPETITIONS);
	if (json_array_size(json_at(document->json, "identity.points")) > MAX_POINTS)
		return document_fault(document, "identity.points", err, "too many (at most %d)",
				      MAX_POINTS);
	if (json_array_size(json_at(document->json, "identity.backends")) > BACKENDS_MAX)
		return document_fault(document, "identity.backends", err, "too many (at most %d)",
				      BACKENDS_MAX);
	return 0;
}

static int check_backends(const struct document *document, struct error *err)
{
	const json_t *name, *backends = json_at(document->json, "identity.backends");
	size_t i;

	json_array_foreach (backends, i, name) {
		const char *text = json_string_value(name);
		char path[48];
		struct field field = {path, FIELD_BACKEND, 0};

		snprintf(path, sizeof(path), "identity.backends.%zu", i);
		if (document_check(document, &field, 1, err))
			return -EINVAL;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(text, json_string_value(json_array_get(backends, k))))
				return document_fault(document, "identity.backends", err,
						      "'%.100s' is there twice", text);
	}
	return 0;
}

/* A point of run.json, which none of those `seen` before may be: its files would count twice. */
static int check_point(const struct document *document, const json_t *item, size_t index,
		       json_t *seen, struct error *err)
{
	const char *id = json_string_value(json_object_get(item, "id"));
	struct error why = {0};
	struct point point;
	char path[48];

	snprintf(path, sizeof(path), "identity.points.%zu", index);
	if (!id)
		return document_fault(document, path, err, "has no id");
	if (point_from_json(json_object_get(item, "parameters"), id, &point, &why))
		return document_fault(document, path, err, "%s", why.text);
	if (json_object_get(seen, id))
		return document_fault(document, path, err, "'%s' is there twice", id);
	if (json_object_set_new(seen, id, json_true()) < 0)
		return error_set_at(err, -ENOMEM, document->path, 0, 0, "out of memory");
	return 0;
}

static int check_points(const struct document *document, struct error *err)
{
	const json_t *item, *points = json_at(document->json, "identity.points");
	json_t *seen = json_object();
	size_t i;
	int r = 0;

	json_array_foreach (points, i, item) {
		r = check_point(document, item, i, seen, err);
		if (r)
			break;
	}
	json_decref(seen);
	return r;
}

int run_document_load(const char *path, json_t **run, struct error *err)
{
	struct document document;
	int r;

	*run = NULL;
	r = document_open(path, &schema, &document, err);
	if (r)
		return r;
	r = check_items(&document, err);
	if (!r)
		r = check_extent(&document, err);
	if (!r)
		r = check_backends(&document, err);
	if (!r)
		r = check_points(&document, err);
	if (!r)
		*run = json_incref(document.json);
	document_close(&document);
	return r;
}
