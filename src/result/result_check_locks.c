// SPDX-License-Identifier: MIT
/* See result_check.h: what a result says of locks, and of the periodic flusher. */
#include "result/result_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BUCKET (1.0 / 256) /* what a quantile may be off, of itself */
#define DIGITS 1e-9

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NULLABLE (FIELD_NULL | FIELD_OPTIONAL)

static const struct field lock_fields[] = {
	{"name", FIELD_TEXT, 0},
	{"taken", FIELD_POSITIVE, 0}, /* one that nobody took is left out */
	{"contended", FIELD_WHOLE, 0},
	{"passed_by", FIELD_WHOLE, 0},
	{"wait_ns", FIELD_WHOLE, 0},
	{"wait_median_ns", FIELD_NUMBER, 0},
	{"wait_p99_ns", FIELD_NUMBER, NULLABLE},
	{"wait_max_ns", FIELD_NUMBER, 0},
	{"hold_ns", FIELD_WHOLE, 0},
	{"hold_median_ns", FIELD_NUMBER, 0},
	{"hold_p99_ns", FIELD_NUMBER, NULLABLE},
	{"hold_max_ns", FIELD_NUMBER, 0},
};

static int fault(const struct document *document, size_t index, const char *key, struct error *err,
		 const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "locks.%zu.%s", index, key);
	return document_fault(document, path, err, "%s", what);
}

/* A median, a 99th percentile where there is one, a maximum and a total of `nr` times. */
static bool is_ordered(const json_t *lock, const char *what, double nr)
{
	static const char *const names[] = {"median_ns", "p99_ns", "max_ns"};
	double total, last = 0;
	char key[32];

	for (size_t i = 0; i < COUNT(names); i++) {
		double value;

		snprintf(key, sizeof(key), "%s_%s", what, names[i]);
		value = json_number_at(lock, key);
		if (value < last * (1 - BUCKET))
			return false;
		if (!isnan(value))
			last = value;
	}
	snprintf(key, sizeof(key), "%s_ns", what);
	total = json_number_at(lock, key);
	return total >= last * (1 - DIGITS) && total <= nr * last * (1 + DIGITS);
}

static int check_lock(const struct document *document, size_t index, const json_t *lock,
		      struct error *err)
{
	double taken = json_number_at(lock, "taken");
	double contended = json_number_at(lock, "contended");
	char where[32];
	int r;

	snprintf(where, sizeof(where), "locks.%zu", index);
	r = document_check_at(document, lock, where, lock_fields, COUNT(lock_fields), err);
	if (r)
		return r;
	if (contended > taken)
		return fault(document, index, "contended", err, "is more than it was taken");
	if (!is_ordered(lock, "wait", contended))
		return fault(document, index, "wait_ns", err,
			     "does not fit median, p99 and maximum");
	if (!is_ordered(lock, "hold", taken))
		return fault(document, index, "hold_ns", err,
			     "does not fit median, p99 and maximum");
	return 0;
}

static int check_flusher(const struct document *document, const struct point *point,
			 struct error *err)
{
	const json_t *flusher = json_object_get(document->json, "flusher");
	double flushes = json_number_at(flusher, "flushes");
	double total = json_number_at(flusher, "total_ns");

	if (!json_is_object(flusher))
		return point->counters.flusher_ns == 0
			       ? 0
			       : document_fault(document, "flusher", err,
						"is missing, though counters.flusher asks for it");
	if (json_number_at(flusher, "period_ns") != (double)point->counters.flusher_ns)
		return document_fault(document, "flusher.period_ns", err,
				      "is not what counters.flusher says, %llu",
				      (unsigned long long)point->counters.flusher_ns);
	if ((flushes > 0) != (json_number_at(flusher, "max_ns") > 0) ||
	    json_number_at(flusher, "max_ns") > total * (1 + DIGITS) ||
	    total > flushes * json_number_at(flusher, "max_ns") * (1 + DIGITS))
		return document_fault(document, "flusher.total_ns", err,
				      "%.0f does not fit flushes and maximum", total);
	if (total > json_number_at(flusher, "seconds") * 1e9 * (1 + DIGITS))
		return document_fault(document, "flusher.seconds", err,
				      "are less than the flushes took");
	return 0;
}

int result_check_locks(const struct document *document, const struct point *point,
		       struct error *err)
{
	const json_t *lock, *locks = json_object_get(document->json, "locks");
	size_t i;

	json_array_foreach (locks, i, lock) {
		int r = check_lock(document, i, lock, err);

		if (r)
			return r;
	}
	return check_flusher(document, point, err);
}
