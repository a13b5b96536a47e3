// SPDX-License-Identifier: MIT
/* See history_parts.h. */
#include "report/history_parts.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static void leave_alone(void *point)
{
}

struct point_groups *history_points(const struct history *history)
{
	const struct point **points = calloc(history->nr_series + 1, sizeof(*points));
	struct point_groups *groups = NULL;
	void *seen = NULL;
	size_t nr = 0;
	bool whole = points;

	for (size_t i = 0; i < history->nr_series && whole; i++) {
		const struct point *point = history->series[i].point;

		if (tfind(point, &seen, by_id))
			continue;
		whole = tsearch(point, &seen, by_id);
		points[nr++] = point;
	}
	if (whole)
		groups = point_groups_new(points, nr);
	tdestroy(seen, leave_alone);
	free(points);
	return groups;
}

char *history_point_name(const struct point_groups *points, const struct point *point)
{
	char *name = point_groups_name(points, point);

	if (name && !*name) {
		free(name);
		if (asprintf(&name, "point %s", point->id) < 0)
			return NULL;
	}
	return name;
}

const char *history_state_word(enum series_state state)
{
	static const char *const words[] = {
		[SERIES_SEARCHED] = "searched",
		[SERIES_SHORT] = "short",
		[SERIES_NOT_POSITIVE] = "not_positive",
	};

	return words[state];
}

const char *history_date(int64_t seconds, char buffer[HISTORY_DATE_MAX])
{
	char time[RECORD_TIME_MAX];

	record_time_text(seconds, time);
	time[10] = '\0';
	strcpy(buffer, time);
	return buffer;
}

const struct history_value *history_last_before(const struct series *series,
						const struct change *change)
{
	return &series->values[change->at - 1];
}

const struct history_value *history_first_after(const struct series *series,
						const struct change *change)
{
	return &series->values[change->at];
}
