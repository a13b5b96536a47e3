// SPDX-License-Identifier: MIT
/*
 * See point_groups.h: what was asked of all points, in paragraphs. Everything is taken from the
 * table of parameters, so that a new one shows here by itself.
 */
#include "report/paragraph.h"
#include "report/point_groups.h"

#include <jansson.h>
#include <string.h>

/* The values that a parameter takes, each once, in the order of the points. */
static void say_values(struct paragraph *p, const struct parameter *parameter,
		       const struct point_groups *groups)
{
	char value[PARAMETER_TEXT_MAX];
	json_t *seen = json_object();
	bool first = true;

	for (size_t i = 0; i < groups->nr_points; i++) {
		parameter_text(parameter, groups->points[i], value);
		if (!seen || json_object_get(seen, value))
			continue;
		json_object_set_new(seen, value, json_true());
		paragraph_say(p, first ? "; " : ", ", first ? parameter->name : "", value);
		first = false;
	}
	json_decref(seen);
}

static void print_varied(const struct point_groups *groups, unsigned width, unsigned indent,
			 FILE *out)
{
	struct paragraph p;

	paragraph_begin(&p);
	for (size_t i = 0; i < nr_parameters; i++) {
		if (groups->varies[i])
			say_values(&p, &parameters[i], groups);
	}
	paragraph_end(&p, width, indent, "varied", out);
}

/* All constant parameters of one section ("tree", "machine", ...) in a paragraph. */
static void print_constants(const struct point_groups *groups, unsigned width, unsigned indent,
			    FILE *out)
{
	const struct point *point = groups->points[0];
	char value[PARAMETER_TEXT_MAX], label[32];

	for (size_t i = 0; i < nr_parameters;) {
		size_t length = strcspn(parameters[i].name, ".") + 1;
		const char *section = parameters[i].name;
		struct paragraph p;

		paragraph_begin(&p);
		for (; i < nr_parameters && !strncmp(parameters[i].name, section, length); i++) {
			const struct parameter *parameter = &parameters[i];

			if (groups->varies[i] || (parameter->kind == PARAMETER_NIDS &&
						  parameter_is_default(parameter, point)))
				continue;
			paragraph_say(&p, ", ", parameter->name + length,
				      parameter_text(parameter, point, value));
		}
		snprintf(label, sizeof(label), "%.*s", (int)(length - 1), section);
		paragraph_end(&p, width, indent, label, out);
	}
}

void point_groups_head(const struct point_groups *groups, unsigned width, unsigned indent,
		       FILE *out)
{
	if (!groups->nr_points)
		return;
	print_varied(groups, width, indent, out);
	print_constants(groups, width, indent, out);
}
