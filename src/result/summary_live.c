// SPDX-License-Identifier: MIT
/*
 * See summary_backend.h: what back ends that read the running kernel found of it. What they say is
 * of the cgroups and of the way that they are read, the same in all processes of a run; where the
 * cgroups were made anew in between, that is said, and the first process's facts are shown.
 */
#include "result/counts.h"
#include "result/document.h"
#include "result/summary_backend.h"

#include <errno.h>
#include <math.h>

/* What must agree; the others are times, and pages as CPUs happen to hold them back. */
static const char *const alike[] = {
	"file",
	"descriptor",
	"mode",
	"files",
	"passes",
	"dying_walked",
	"fixture.version",
	"fixture.cgroups",
	"fixture.dying_asked",
	"fixture.dying_found",
	"fixture.pages",
};

int live_summary_add(struct backend_summary *into, const json_t *result)
{
	const json_t *live = json_object_get(result, "live");

	if (!json_is_object(live))
		return 0;
	if (!into->live) {
		into->live = json_deep_copy(live);
		return into->live ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
		const json_t *first = json_at(into->live, alike[i]);
		const json_t *other = json_at(live, alike[i]);

		if (first != other && !json_equal(first, other))
			into->live_differs = true;
	}
	return 0;
}

double live_number(const struct backend_summary *s, const char *path)
{
	return json_number_at(s->live, path);
}

const char *live_word(const struct backend_summary *s)
{
	const char *mode = json_string_value(json_object_get(s->live, "mode"));

	return mode ? mode : json_string_value(json_object_get(s->live, "descriptor"));
}

double live_walked(const struct backend_summary *s)
{
	return s->counted ? count_number(s->counts.memcgs_visited) : NAN;
}

bool live_lost_dying(const struct backend_summary *s)
{
	return live_number(s, "fixture.dying_found") < live_number(s, "fixture.dying_asked");
}
