// SPDX-License-Identifier: MIT
/*
 * See summary_backend.h: memcgs that came and went, over all processes. Counts are added up; times
 * are put together like the parts of a read.
 */
#include "result/document.h"
#include "result/summary_backend.h"

#include <math.h>

void churn_summary_init(struct churn_summary *churn)
{
	*churn = (struct churn_summary){
		.create_ns = NAN,
		.create_p99_ns = NAN,
		.remove_ns = NAN,
		.remove_p99_ns = NAN,
	};
}

void churn_summary_add(struct churn_summary *churn, const json_t *result)
{
	const json_t *json = json_object_get(result, "churn");

	if (!json_is_object(json))
		return;
	churn->any = true;
	churn->created += json_whole_at(json, "created");
	churn->removed += json_whole_at(json, "removed");
	churn->behind += json_whole_at(json, "behind");
	churn->waits += json_whole_at(json, "waits");
	/* The same in all processes: result_check.c sees to the first, the point to the other. */
	churn->lingering = json_whole_at(json, "lingering");
	churn->pages = json_whole_at(json, "pages");
}

json_t *churn_summary_to_json(const struct churn_summary *churn)
{
	if (!churn->any)
		return json_null();
	/* clang-format off */
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I}",
			 "created", (json_int_t)churn->created,
			 "removed", (json_int_t)churn->removed,
			 "create_ns", json_real_or_null(churn->create_ns),
			 "create_p99_ns", json_real_or_null(churn->create_p99_ns),
			 "remove_ns", json_real_or_null(churn->remove_ns),
			 "remove_p99_ns", json_real_or_null(churn->remove_p99_ns),
			 "lingering", (json_int_t)churn->lingering,
			 "pages", (json_int_t)churn->pages,
			 "behind", (json_int_t)churn->behind,
			 "waits", (json_int_t)churn->waits);
	/* clang-format on */
}
