// SPDX-License-Identifier: MIT
/*
 * See summary_backend.h: locks and the periodic flusher, over all processes. Counts are added up,
 * of maxima the largest is kept, and of what each process says of itself (a median, a percentile)
 * the median of the processes.
 */
#include "result/document.h"
#include "result/summary_backend.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void locks_summary_init(struct locks_summary *locks)
{
	*locks = (struct locks_summary){.flusher = {.median_ns = NAN, .max_ns = NAN}};
}

static int keep(struct process_values *values, double value)
{
	double *grown;

	if (isnan(value))
		return 0;
	grown = realloc(values->v, (values->nr + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	values->v = grown;
	grown[values->nr++] = value;
	return 0;
}

static double middle(struct process_values *values)
{
	double value = values->nr ? median(values->v, values->nr) : NAN;

	free(values->v);
	*values = (struct process_values){NULL, 0};
	return value;
}

/* NULL: there are more names than one back end has. */
static struct lock_summary *find(struct locks_summary *locks, const char *name)
{
	struct lock_summary *lock;

	for (size_t i = 0; i < locks->nr; i++)
		if (!strcmp(locks->lock[i].name, name))
			return &locks->lock[i];
	if (locks->nr == MOST_LOCKS)
		return NULL;
	lock = &locks->lock[locks->nr++];
	*lock = (struct lock_summary){
		.wait_p99_ns = NAN, .hold_median_ns = NAN, .hold_p99_ns = NAN};
	snprintf(lock->name, sizeof(lock->name), "%s", name);
	return lock;
}

static int add_lock(struct locks_summary *locks, const json_t *json)
{
	struct lock_summary *lock = find(locks, json_string_value(json_object_get(json, "name")));
	int r = 0;

	if (!lock)
		return 0;
	lock->taken += json_whole_at(json, "taken");
	lock->contended += json_whole_at(json, "contended");
	lock->passed_by += json_whole_at(json, "passed_by");
	lock->wait_ns += json_number_at(json, "wait_ns");
	lock->hold_ns += json_number_at(json, "hold_ns");
	lock->wait_max_ns = fmax(lock->wait_max_ns, json_number_at(json, "wait_max_ns"));
	lock->hold_max_ns = fmax(lock->hold_max_ns, json_number_at(json, "hold_max_ns"));
	r |= keep(&lock->wait_p99, json_number_at(json, "wait_p99_ns"));
	r |= keep(&lock->hold_median, json_number_at(json, "hold_median_ns"));
	r |= keep(&lock->hold_p99, json_number_at(json, "hold_p99_ns"));
	return r;
}

int locks_summary_add(struct locks_summary *locks, const json_t *result)
{
	const json_t *lock, *flusher = json_object_get(result, "flusher");
	int r = 0;
	size_t i;

	json_array_foreach (json_object_get(result, "locks"), i, lock)
		r |= add_lock(locks, lock);
	if (!json_is_object(flusher))
		return r;
	locks->flusher.any = true;
	locks->flusher.flushes += json_whole_at(flusher, "flushes");
	locks->flusher.late += json_whole_at(flusher, "late");
	locks->flusher.total_ns += json_number_at(flusher, "total_ns");
	locks->flusher.seconds += json_number_at(flusher, "seconds");
	locks->flusher.max_ns = fmax(locks->flusher.max_ns, json_number_at(flusher, "max_ns"));
	return r | keep(&locks->flusher.median, json_number_at(flusher, "median_ns"));
}

void locks_summary_end(struct locks_summary *locks)
{
	for (size_t i = 0; i < locks->nr; i++) {
		struct lock_summary *lock = &locks->lock[i];

		lock->wait_p99_ns = middle(&lock->wait_p99);
		lock->hold_median_ns = middle(&lock->hold_median);
		lock->hold_p99_ns = middle(&lock->hold_p99);
	}
	locks->flusher.median_ns = middle(&locks->flusher.median);
}

json_t *locks_summary_to_json(const struct locks_summary *locks)
{
	json_t *list = json_array();

	if (!locks->nr) {
		json_decref(list);
		return json_null();
	}
	for (size_t i = 0; i < locks->nr; i++) {
		const struct lock_summary *l = &locks->lock[i];
		/* clang-format off */
		json_t *lock = json_pack("{s:s, s:I, s:I, s:I, s:f, s:o, s:f, s:f, s:o, s:o, s:f}",
					 "name", l->name,
					 "taken", (json_int_t)l->taken,
					 "contended", (json_int_t)l->contended,
					 "passed_by", (json_int_t)l->passed_by,
					 "wait_ns", l->wait_ns,
					 "wait_p99_ns", json_real_or_null(l->wait_p99_ns),
					 "wait_max_ns", l->wait_max_ns,
					 "hold_ns", l->hold_ns,
					 "hold_median_ns", json_real_or_null(l->hold_median_ns),
					 "hold_p99_ns", json_real_or_null(l->hold_p99_ns),
					 "hold_max_ns", l->hold_max_ns);
		/* clang-format on */

		if (json_array_append_new(list, lock)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

json_t *flusher_summary_to_json(const struct flusher_summary *flusher)
{
	if (!flusher->any)
		return json_null();
	return json_pack("{s:I, s:I, s:o, s:o, s:f, s:f}", "flushes", (json_int_t)flusher->flushes,
			 "late", (json_int_t)flusher->late, "median_ns",
			 json_real_or_null(flusher->median_ns), "max_ns",
			 json_real_or_null(flusher->max_ns), "total_ns", flusher->total_ns,
			 "seconds", flusher->seconds);
}
