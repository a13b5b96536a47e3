// SPDX-License-Identifier: MIT
/* See locks.h. */
#include "driver/locks.h"

#include "result/document.h"
#include "stats/order.h"

#include <math.h>

int locks_reset(const struct sampler *sampler, struct error *err)
{
	struct lock_times *locks;
	size_t nr = 0;

	if (!sampler->backend->locks)
		return 0;
	locks = sampler->backend->locks(sampler->instance, &nr);
	for (size_t i = 0; i < nr; i++) {
		int r = lock_times_reset(&locks[i]);

		if (r)
			return error_set(err, r, "out of memory for the times of a lock");
	}
	return 0;
}

static json_t *count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *lock_json(const struct lock_times *lock)
{
	bool enough = lock->taken >= samples_needed(0.99);

	/* clang-format off */
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "name", lock->name,
			 "taken", count(lock->taken),
			 "contended", count(lock->contended),
			 "passed_by", count(atomic_load_explicit(&lock->passed_by,
								 memory_order_relaxed)),
			 "wait_ns", count(lock->wait_ns),
			 "wait_median_ns", json_real_or_null(lock_times_wait_quantile_ns(lock, 0.5)),
			 "wait_p99_ns", json_real_or_null(
				 enough ? lock_times_wait_quantile_ns(lock, 0.99) : NAN),
			 "wait_max_ns", json_real_or_null(lock_times_wait_quantile_ns(lock, 1)),
			 "hold_ns", count(lock->hold_ns),
			 "hold_median_ns", json_real_or_null(histogram_quantile_ns(lock->hold, 0.5)),
			 "hold_p99_ns", json_real_or_null(
				 enough ? histogram_quantile_ns(lock->hold, 0.99) : NAN),
			 "hold_max_ns", json_real_or_null(histogram_quantile_ns(lock->hold, 1)));
	/* clang-format on */
}

json_t *locks_json(const struct sampler *sampler)
{
	const struct lock_times *locks = NULL;
	json_t *list = json_array();
	size_t nr = 0;

	if (sampler->backend->locks)
		locks = sampler->backend->locks(sampler->instance, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!locks[i].taken || !json_array_append_new(list, lock_json(&locks[i])))
			continue;
		json_decref(list);
		return NULL;
	}
	if (json_array_size(list))
		return list;
	json_decref(list);
	return json_null();
}

json_t *flusher_json(const struct flusher_cost *cost)
{
	if (!cost->period_ns)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "period_ns",
			 count(cost->period_ns), "flushes", count(cost->flushes), "late",
			 count(cost->late), "median_ns", json_real_or_null(cost->median_ns),
			 "max_ns", json_real_or_null(cost->max_ns), "total_ns",
			 json_real_or_null(cost->total_ns), "seconds",
			 json_real_or_null(cost->seconds), "cpu", (int)cost->os_cpu);
}
