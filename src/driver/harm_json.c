// SPDX-License-Identifier: MIT
/* The result's `harm`, as result/result.h has it; see harm.h. */
#include "driver/harm.h"

#include "driver/victim.h"
#include "result/document.h"

#include <stdlib.h>

static json_t *late_json(const struct histogram *late)
{
	char *text = histogram_encode(late);
	json_t *json = NULL;

	if (text)
		json = json_pack("{s:I, s:s}", "wakeups", (json_int_t)histogram_count(late),
				 "histogram", text);
	free(text);
	return json;
}

static json_t *slices_json(const struct harm *harm, enum harm_place place, enum harm_side side,
			   size_t field)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < harm->pairs; i++) {
		const char *rates = (const char *)&harm->rates[place][side][i];

		json_array_append_new(list, json_real_or_null(*(const double *)(rates + field)));
	}
	return list;
}

static json_t *sides_json(const struct harm *harm, enum harm_place place, size_t field)
{
	return json_pack("{s:o, s:o}", "without", slices_json(harm, place, HARM_WITHOUT, field),
			 "with", slices_json(harm, place, HARM_WITH, field));
}

static json_t *place_json(const struct harm *harm, enum harm_place place)
{
	if (!harm->tasks[place])
		return json_null();
	return json_pack("{s:i, s:o, s:o}", "tasks", (int)harm->tasks[place], "charges_per_s",
			 sides_json(harm, place, offsetof(struct harm_rates, charges)),
			 "touches_per_s",
			 sides_json(harm, place, offsetof(struct harm_rates, touches)));
}

static json_t *tasks_json(const struct harm *harm)
{
	json_t *limit =
		harm->limit_bytes ? json_integer((json_int_t)harm->limit_bytes) : json_null();

	if (!harm->tasks[HARM_APART] && !harm->tasks[HARM_BESIDE]) {
		json_decref(limit);
		return json_null();
	}
	return json_pack("{s:o, s:o, s:o}", "limit_bytes", limit, "apart",
			 place_json(harm, HARM_APART), "beside", place_json(harm, HARM_BESIDE));
}

json_t *harm_json(const struct harm *harm)
{
	if (!harm->any)
		return json_null();
	/* clang-format off */
	return json_pack("{s:i, s:I, s:{s:o, s:o}, s:I, s:{s:i, s:s, s:I, s:o, s:o}, s:o}",
			 "pairs", (int)harm->pairs,
			 "slice_ns", (json_int_t)harm->slice_ns,
			 "seconds",
				"without", json_real_or_null(harm->seconds[HARM_WITHOUT]),
				"with", json_real_or_null(harm->seconds[HARM_WITH]),
			 "reads", (json_int_t)harm->reads,
			 "victim",
				"cpu", (int)harm->victim_cpu,
				"policy", harm->victim_policy,
				"period_ns", (json_int_t)VICTIM_PERIOD_NS,
				"without", late_json(harm->late[HARM_WITHOUT]),
				"with", late_json(harm->late[HARM_WITH]),
			 "tasks", tasks_json(harm));
	/* clang-format on */
}
