// SPDX-License-Identifier: MIT
/* See point_groups.h. */
#include "report/point_groups.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

void point_groups_free(struct point_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; i < groups->nr; i++) {
		free(groups->groups[i].heading);
		free(groups->groups[i].points);
	}
	free(groups->groups);
	free(groups->points);
	free(groups->varies);
	free(groups);
}

static bool same_value(const struct parameter *parameter, const struct point *a,
		       const struct point *b)
{
	char x[PARAMETER_TEXT_MAX], y[PARAMETER_TEXT_MAX];

	if (parameter->kind != PARAMETER_NIDS)
		return parameter_get(parameter, a) == parameter_get(parameter, b);
	/* default node ids follow the number of nodes, which is said anyway */
	if (parameter_is_default(parameter, a) && parameter_is_default(parameter, b))
		return true;
	return !strcmp(parameter_text(parameter, a, x), parameter_text(parameter, b, y));
}

static void find_varying(struct point_groups *groups)
{
	const char *name = "tree.memcgs";

	groups->row = parameter_find(name, strlen(name));
	for (size_t i = 0; i < nr_parameters; i++) {
		for (size_t p = 1; p < groups->nr_points && !groups->varies[i]; p++)
			groups->varies[i] =
				!same_value(&parameters[i], groups->points[0], groups->points[p]);
	}
	for (size_t i = 0; i < nr_parameters; i++) {
		if (groups->varies[i] && !groups->varies[groups->row - parameters])
			groups->row = &parameters[i];
	}
	groups->row_title = strrchr(groups->row->name, '.') + 1;
}

/* Name and value of each parameter that varies but `without`; NULL when out of memory. */
static char *values_of(const struct point_groups *groups, const struct point *point,
		       const struct parameter *without, const char *colon)
{
	char value[PARAMETER_TEXT_MAX], *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	const char *separator = "";

	if (!out)
		return NULL;
	for (size_t i = 0; i < nr_parameters; i++) {
		if (!groups->varies[i] || &parameters[i] == without)
			continue;
		fprintf(out, "%s%s%s %s", separator, parameters[i].name, colon,
			parameter_text(&parameters[i], point, value));
		separator = ", ";
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

char *point_groups_name(const struct point_groups *groups, const struct point *point)
{
	return values_of(groups, point, NULL, "");
}

size_t point_groups_values(const struct point_groups *groups, const struct parameter *parameter,
			   const char *separator, FILE *out)
{
	char value[PARAMETER_TEXT_MAX];
	json_t *seen = json_object();
	size_t nr = 0;

	for (size_t i = 0; seen && i < groups->nr_points; i++) {
		parameter_text(parameter, groups->points[i], value);
		if (json_object_get(seen, value))
			continue;
		json_object_set_new(seen, value, json_true());
		if (out)
			fprintf(out, "%s%s", nr ? separator : "", value);
		nr++;
	}
	json_decref(seen);
	return nr;
}

/* The group with that heading, made if need be; takes over the heading. `index`: number by heading.
 */
static struct point_group *group_for(struct point_groups *groups, char *heading, json_t *index)
{
	const json_t *number = json_object_get(index, heading);
	struct point_group *group = &groups->groups[groups->nr];

	if (number) {
		free(heading);
		return &groups->groups[json_integer_value(number)];
	}
	group->points = calloc(groups->nr_points, sizeof(*group->points));
	if (!group->points ||
	    json_object_set_new(index, heading, json_integer((json_int_t)groups->nr)) < 0) {
		free(group->points);
		free(heading);
		return NULL;
	}
	group->heading = heading;
	groups->nr++;
	return group;
}

static int fill(struct point_groups *groups, const struct point *const *points, json_t *index)
{
	groups->points = calloc(groups->nr_points + 1, sizeof(*groups->points));
	groups->varies = calloc(nr_parameters, sizeof(*groups->varies));
	groups->groups = calloc(groups->nr_points + 1, sizeof(*groups->groups));
	if (!groups->points || !groups->varies || !groups->groups || !index)
		return -ENOMEM;
	memcpy(groups->points, points, groups->nr_points * sizeof(*points));
	find_varying(groups);
	for (size_t p = 0; p < groups->nr_points; p++) {
		char *heading = values_of(groups, points[p], groups->row, ":");
		struct point_group *group = heading ? group_for(groups, heading, index) : NULL;

		if (!group)
			return -ENOMEM;
		group->points[group->nr_points++] = p;
	}
	return 0;
}

struct point_groups *point_groups_new(const struct point *const *points, size_t nr_points)
{
	struct point_groups *groups = calloc(1, sizeof(*groups));
	json_t *index = json_object();

	if (groups) {
		groups->nr_points = nr_points;
		if (fill(groups, points, index)) {
			point_groups_free(groups);
			groups = NULL;
		}
	}
	json_decref(index);
	return groups;
}
