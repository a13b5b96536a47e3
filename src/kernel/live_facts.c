// SPDX-License-Identifier: MIT
/* See live_facts.h. */
#include "kernel/live_facts.h"

#include <stddef.h>

json_t *live_facts(const json_t *described)
{
	static const char *const keys[] = {
		"version",      "cgroups", "dying_asked", "dying_found", "pages",
		"unheld_pages", "made_ns", "charged_ns",  "settled_ns",  "truth",
	};
	json_t *facts = json_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		json_t *value = json_object_get(described, keys[i]);

		json_object_set_new(facts, keys[i], value ? json_incref(value) : json_null());
	}
	return facts;
}
