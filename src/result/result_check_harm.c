// SPDX-License-Identifier: MIT
/* See result_check.h: what a result says of harm to others (driver/harm.h). */
#include "result/result_check.h"

#include "backend/backend.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define DIGITS   1e-9 /* more than what 12 digits round away */

/* clang-format off */
#define PLACE_FIELDS(place)                                                       \
	{"harm.tasks." place, FIELD_OBJECT, FIELD_NULL},                          \
		{"harm.tasks." place ".tasks", FIELD_POSITIVE, 0},                \
		{"harm.tasks." place ".charges_per_s", FIELD_OBJECT, 0},          \
		{"harm.tasks." place ".charges_per_s.without", FIELD_ARRAY, 0},   \
		{"harm.tasks." place ".charges_per_s.with", FIELD_ARRAY, 0},      \
		{"harm.tasks." place ".touches_per_s", FIELD_OBJECT, 0},          \
		{"harm.tasks." place ".touches_per_s.without", FIELD_ARRAY, 0},   \
		{"harm.tasks." place ".touches_per_s.with", FIELD_ARRAY, 0}
/* clang-format on */

static const struct field fields[] = {
	{"harm.pairs", FIELD_POSITIVE, 0},
	{"harm.slice_ns", FIELD_POSITIVE, 0},
	{"harm.seconds", FIELD_OBJECT, 0},
	{"harm.seconds.without", FIELD_NUMBER, 0},
	{"harm.seconds.with", FIELD_NUMBER, 0},
	{"harm.reads", FIELD_WHOLE, 0},
	{"harm.victim", FIELD_OBJECT, 0},
	{"harm.victim.cpu", FIELD_WHOLE, 0},
	{"harm.victim.policy", FIELD_TEXT, 0},
	{"harm.victim.period_ns", FIELD_POSITIVE, 0},
	{"harm.victim.without", FIELD_OBJECT, 0},
	{"harm.victim.without.wakeups", FIELD_POSITIVE, 0},
	{"harm.victim.without.histogram", FIELD_TEXT, 0},
	{"harm.victim.with", FIELD_OBJECT, 0},
	{"harm.victim.with.wakeups", FIELD_POSITIVE, 0},
	{"harm.victim.with.histogram", FIELD_TEXT, 0},
	{"harm.tasks", FIELD_OBJECT, FIELD_NULL},
	{"harm.tasks.limit_bytes", FIELD_POSITIVE, FIELD_NULL},
	PLACE_FIELDS("apart"),
	PLACE_FIELDS("beside"),
};

static const char *const sides[] = {"without", "with"};
static const char *const places[] = {"apart", "beside"};

/* As many wake-ups as were due, and as many delays. */
static int check_victim(const struct document *document, const char *side, struct error *err)
{
	const json_t *harm = json_object_get(document->json, "harm"), *late;
	struct histogram *histogram;
	double due, wakeups;
	char path[48];
	int r;

	/* One at the beginning of each slice, and one a period from there on. */
	due = json_number_at(harm, "pairs") *
	      ceil(json_number_at(harm, "slice_ns") / json_number_at(harm, "victim.period_ns"));
	snprintf(path, sizeof(path), "victim.%s", side);
	late = json_at(harm, path);
	wakeups = json_number_at(late, "wakeups");
	snprintf(path, sizeof(path), "harm.victim.%s.histogram", side);
	r = histogram_decode(json_string_value(json_object_get(late, "histogram")), &histogram);
	if (r == -ENOMEM)
		return error_set(err, r, "out of memory");
	if (r)
		return document_fault(document, path, err, "is not a histogram");
	r = (double)histogram_count(histogram) == wakeups;
	histogram_free(histogram);
	if (!r)
		return document_fault(document, path, err, "does not hold %.0f wake-ups", wakeups);
	if (wakeups == due)
		return 0;
	snprintf(path, sizeof(path), "harm.victim.%s.wakeups", side);
	return document_fault(document, path, err, "are not as many as were due, %.0f", due);
}

/* One slice: nobody charges more pages than are touched. */
static int check_slice(const struct document *document, const char *place, const char *side,
		       size_t slice, struct error *err)
{
	char path[64];
	const json_t *charges, *touches;

	snprintf(path, sizeof(path), "harm.tasks.%s.touches_per_s.%s.%zu", place, side, slice);
	touches = json_at(document->json, path);
	if (!json_is_figure(touches))
		return document_fault(document, path, err, "is not a rate");
	snprintf(path, sizeof(path), "harm.tasks.%s.charges_per_s.%s.%zu", place, side, slice);
	charges = json_at(document->json, path);
	if (!json_is_figure(charges))
		return document_fault(document, path, err, "is not a rate");
	if (json_number_value(charges) <= json_number_value(touches) * (1 + DIGITS))
		return 0;
	return document_fault(document, path, err, "is more than were touched, %.12g",
			      json_number_value(touches));
}

static int check_place(const struct document *document, const char *place, struct error *err)
{
	static const char *const rates[] = {"charges_per_s", "touches_per_s"};
	double pairs = json_number_at(document->json, "harm.pairs");
	char path[64];

	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "harm.tasks.%s.%s.%s", place, rates[i / 2],
			 sides[i % 2]);
		if ((double)json_array_size(json_at(document->json, path)) != pairs)
			return document_fault(document, path, err, "are not one for each pair");
	}
	for (size_t slice = 0; (double)slice < pairs; slice++) {
		int r = check_slice(document, place, sides[0], slice, err);

		if (!r)
			r = check_slice(document, place, sides[1], slice, err);
		if (r)
			return r;
	}
	return 0;
}

static int check_tasks(const struct document *document, const struct point *point,
		       struct error *err)
{
	const json_t *tasks = json_at(document->json, "harm.tasks");
	const char *backend = json_string_value(json_object_get(document->json, "backend"));
	/* One of another release says itself what it is. */
	const struct backend *known = backend_find(backend);
	double nr = 0;

	if (known && json_is_object(tasks) != (known->fixture && point->harm.tasks))
		return document_fault(document, "harm.tasks", err,
				      "are not there where a live back end has harm.tasks, and "
				      "only there");
	if (!json_is_object(tasks))
		return 0;
	if (json_is_null(json_object_get(tasks, "limit_bytes")) != !point->harm.limit_ppm)
		return document_fault(document, "harm.tasks.limit_bytes", err,
				      "is not there where harm.limit is, and only there");
	for (size_t i = 0; i < COUNT(places); i++) {
		const json_t *place = json_object_get(tasks, places[i]);
		int r = json_is_object(place) ? check_place(document, places[i], err) : 0;

		if (r)
			return r;
		if (json_is_object(place))
			nr += json_number_at(place, "tasks");
	}
	if (nr == point->harm.tasks)
		return 0;
	return document_fault(document, "harm.tasks", err, "are %.0f, and harm.tasks says %u", nr,
			      point->harm.tasks);
}

int result_check_harm(const struct document *document, const struct point *point, struct error *err)
{
	const json_t *harm = json_object_get(document->json, "harm");
	const json_t *reader = json_at(document->json, "placement.reader_cpus.0");
	double seconds;
	int r;

	if (json_is_object(harm) != (point->harm.time_ns > 0))
		return document_fault(document, "harm", err,
				      "is not there where harm.time is, and only there");
	if (!json_is_object(harm))
		return 0;
	r = document_check(document, fields, COUNT(fields), err);
	if (r)
		return r;
	seconds = json_number_at(harm, "seconds.without") + json_number_at(harm, "seconds.with");
	if (seconds * 1e9 > json_number_at(document->json, "times.harm_ns") * (1 + DIGITS))
		return document_fault(document, "times.harm_ns", err,
				      "is less than harm.seconds together");
	if (reader && json_number_value(reader) != json_number_at(harm, "victim.cpu"))
		return document_fault(document, "harm.victim.cpu", err,
				      "is not the first reader's, %.0f", json_number_value(reader));
	r = check_victim(document, sides[0], err);
	if (!r)
		r = check_victim(document, sides[1], err);
	return r ? r : check_tasks(document, point, err);
}
