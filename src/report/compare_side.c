// SPDX-License-Identifier: MIT
/* See compare_side.h. */
#include "report/compare_side.h"

#include <stdio.h>
#include <string.h>

const char *side_fact_name(enum side_fact fact)
{
	static const char *const names[] = {
		[SIDE_PATH] = "from",
		[SIDE_SCENARIO] = "scenario",
		[SIDE_LABEL] = "label",
		[SIDE_BUILD] = "build",
		[SIDE_HOST_CLASS] = "host",
		[SIDE_KERNEL] = "kernel",
		[SIDE_CPU_MODEL] = "CPU",
		[SIDE_STARTED] = "started",
		[SIDE_REPETITIONS] = "processes",
	};

	return names[fact];
}

unsigned side_repetitions(const struct record *record)
{
	unsigned most = 0;

	for (size_t i = 0; i < record->nr_cells; i++) {
		if (record->cells[i].processes > most)
			most = record->cells[i].processes;
	}
	return most;
}

const char *side_fact_text(const struct record *record, enum side_fact fact,
			   char buffer[SIDE_TEXT_MAX])
{
	switch (fact) {
	case SIDE_PATH:
		return record->path;
	case SIDE_SCENARIO:
		return record->scenario;
	case SIDE_LABEL:
		return record->label;
	case SIDE_BUILD:
		return record->build_id;
	case SIDE_HOST_CLASS:
		return record->host_class;
	case SIDE_KERNEL:
		return record_context(record, "kernel");
	case SIDE_CPU_MODEL:
		return record_context(record, "cpu_model");
	case SIDE_STARTED:
		return record->started < 0 ? NULL : record_time_text(record->started, buffer);
	case SIDE_REPETITIONS:
		snprintf(buffer, SIDE_TEXT_MAX, "%u", side_repetitions(record));
		return buffer;
	default:
		return NULL;
	}
}

bool side_fact_same(const struct compare *compare, enum side_fact fact)
{
	char one[SIDE_TEXT_MAX], other[SIDE_TEXT_MAX];
	const char *base = side_fact_text(compare->base, fact, one);
	const char *new = side_fact_text(compare->new, fact, other);

	return base && new ? !strcmp(base, new) : base == new;
}
