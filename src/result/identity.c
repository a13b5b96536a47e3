// SPDX-License-Identifier: MIT
/* See identity.h. */
#include "result/identity.h"

#include "base/units.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plain {
	const char *key;
	const char *name; /* for people */
	bool time;
};

/* Compared first to last; what people change most comes first. Points and back ends come between.
 */
static const struct plain before_points[] = {
	{"scenario", "scenario", false}, {"repetitions", "repetitions", false},
	{"samples", "samples", false},   {"time_ns", "time", true},
	{"seed", "seed", false},
};
static const struct plain after_points[] = {
	{"build_id", "build", false},
	{"host_class", "host class", false},
};

static void value_text(const json_t *value, bool time, char *text, size_t size)
{
	char buffer[UNIT_TEXT_MAX];

	if (json_is_string(value))
		snprintf(text, size, "%s", json_string_value(value));
	else if (!json_is_integer(value))
		snprintf(text, size, "unknown");
	else if (time)
		snprintf(text, size, "%s",
			 unit_format_exact(buffer, UNIT_TIME, json_integer_value(value)));
	else
		snprintf(text, size, "%lld", (long long)json_integer_value(value));
}

static bool plain_equal(const struct plain *fields, size_t nr, const json_t *there,
			const json_t *here, char *difference, size_t size)
{
	char a[256], b[256];

	for (size_t i = 0; i < nr; i++) {
		const json_t *x = json_object_get(there, fields[i].key);
		const json_t *y = json_object_get(here, fields[i].key);

		if (x && y && json_equal(x, y))
			continue;
		value_text(x, fields[i].time, a, sizeof(a));
		value_text(y, fields[i].time, b, sizeof(b));
		snprintf(difference, size, "%s: %s there, %s here", fields[i].name, a, b);
		return false;
	}
	return true;
}

static bool has_text(const json_t *list, const json_t *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach (list, i, item) {
		if (json_equal(item, text))
			return true;
	}
	return false;
}

static bool backends_equal(const json_t *there, const json_t *here, char *difference, size_t size)
{
	const json_t *name;
	size_t i;

	json_array_foreach (here, i, name) {
		if (has_text(there, name))
			continue;
		snprintf(difference, size, "backends: %s is not in that run",
			 json_string_value(name));
		return false;
	}
	json_array_foreach (there, i, name) {
		if (has_text(here, name))
			continue;
		snprintf(difference, size, "backends: %s is only in that run",
			 json_string_value(name));
		return false;
	}
	return true;
}

/* "3f0c.. (tree.memcgs=1k machine.nodes=2)": what of the point is not by default. */
static void point_text(const json_t *item, char *text, size_t size)
{
	const char *id = json_string_value(json_object_get(item, "id"));
	char value[PARAMETER_TEXT_MAX];
	struct point point;
	size_t used;

	used = snprintf(text, size, "%s", id ? id : "?");
	if (point_from_json(json_object_get(item, "parameters"), NULL, &point, NULL) ||
	    used >= size)
		return;
	for (size_t i = 0; i < nr_parameters && used < size; i++) {
		const struct parameter *parameter = &parameters[i];

		if (!parameter->in_id || parameter_is_default(parameter, &point))
			continue;
		used += snprintf(text + used, size - used, "%s%s=%.60s",
				 strchr(text, '(') ? " " : " (", parameter->name,
				 parameter_text(parameter, &point, value));
	}
	if (strchr(text, '(') && used < size)
		snprintf(text + used, size - used, ")");
}

/* An object whose keys are the points' ids; NULL when out of memory. */
static json_t *ids_of(const json_t *points)
{
	json_t *ids = json_object();
	const json_t *point;
	size_t i;

	json_array_foreach (points, i, point) {
		const char *id = json_string_value(json_object_get(point, "id"));

		if (ids && json_object_set_new(ids, id ? id : "?", json_true()) < 0) {
			json_decref(ids);
			ids = NULL;
		}
	}
	return ids;
}

/* The first of `points` that `others` does not have; NULL: there is none. */
static const json_t *first_without(const json_t *points, const json_t *others)
{
	const json_t *point, *found = NULL;
	json_t *ids = ids_of(others);
	size_t i;

	json_array_foreach (points, i, point) {
		const char *id = json_string_value(json_object_get(point, "id"));

		if (!json_object_get(ids, id ? id : "?")) {
			found = point;
			break;
		}
	}
	json_decref(ids);
	return found;
}

static bool points_equal(const json_t *there, const json_t *here, char *difference, size_t size)
{
	const json_t *point = first_without(here, there);
	const char *what = "is not in that run";
	char text[512];

	if (!point) {
		point = first_without(there, here);
		what = "is only in that run";
	}
	if (!point)
		return true;
	point_text(point, text, sizeof(text));
	snprintf(difference, size, "points: %s %s", text, what);
	return false;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

bool identity_equal(const json_t *there, const json_t *here, char *difference, size_t size)
{
	return plain_equal(before_points, COUNT(before_points), there, here, difference, size) &&
	       backends_equal(json_object_get(there, "backends"), json_object_get(here, "backends"),
			      difference, size) &&
	       points_equal(json_object_get(there, "points"), json_object_get(here, "points"),
			    difference, size) &&
	       plain_equal(after_points, COUNT(after_points), there, here, difference, size);
}
