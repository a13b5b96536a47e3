// SPDX-License-Identifier: MIT
/*
 * See point_groups.h: what was asked of all points, in paragraphs. Everything is taken from the
 * table of parameters, so that a new one shows here by itself.
 */
#include "report/paragraph.h"
#include "report/point_groups.h"

#include <string.h>

#define SAID_ONE_BY_ONE 12 /* values; nobody reads a thousand */

/* "10k to 10999, 1000 values" */
static void say_range(FILE *out, const struct parameter *parameter,
		      const struct point_groups *groups, size_t nr)
{
	const struct point *lowest = groups->points[0], *highest = lowest;
	char low[PARAMETER_TEXT_MAX], high[PARAMETER_TEXT_MAX];

	for (size_t i = 1; i < groups->nr_points && parameter->kind != PARAMETER_NIDS; i++) {
		const struct point *point = groups->points[i];

		if (parameter_get(parameter, point) < parameter_get(parameter, lowest))
			lowest = point;
		if (parameter_get(parameter, point) > parameter_get(parameter, highest))
			highest = point;
	}
	if (lowest != highest)
		fprintf(out, "%s to %s, ", parameter_text(parameter, lowest, low),
			parameter_text(parameter, highest, high));
	fprintf(out, "%zu values", nr);
}

static void say_values(struct paragraph *p, const struct parameter *parameter,
		       const struct point_groups *groups)
{
	size_t nr = point_groups_values(groups, parameter, "", NULL);

	paragraph_printf(p, "; ", "%s ", parameter->name);
	if (!p->out)
		return;
	if (nr > SAID_ONE_BY_ONE)
		say_range(p->out, parameter, groups, nr);
	else
		point_groups_values(groups, parameter, ", ", p->out);
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

bool point_groups_matters(const struct point_groups *groups, const struct parameter *parameter)
{
	for (size_t i = 0; i < groups->nr_points; i++)
		if (parameter_matters(parameter, groups->points[i]))
			return true;
	return false;
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

			if (groups->varies[i] || !point_groups_matters(groups, parameter) ||
			    (parameter->kind == PARAMETER_NIDS &&
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
