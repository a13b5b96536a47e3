// SPDX-License-Identifier: MIT
/* See run_groups.h. */
#include "report/run_groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_groups_free(struct run_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; i < groups->nr; i++) {
		free(groups->groups[i].heading);
		free(groups->groups[i].points);
	}
	free(groups->groups);
	free(groups->varies);
	free(groups);
}

static bool same_value(const struct parameter *parameter, const struct point *a,
		       const struct point *b)
{
	char x[PARAMETER_TEXT_MAX], y[PARAMETER_TEXT_MAX];

	/* default node ids follow the number of nodes, which is said anyway */
	if (parameter->kind == PARAMETER_NIDS && parameter_is_default(parameter, a) &&
	    parameter_is_default(parameter, b))
		return true;
	return !strcmp(parameter_text(parameter, a, x), parameter_text(parameter, b, y));
}

static void find_varying(struct run_groups *groups)
{
	const struct run_summary *summary = groups->summary;
	const char *name = "tree.memcgs";

	groups->row = parameter_find(name, strlen(name));
	for (size_t i = 0; i < nr_parameters; i++) {
		for (size_t p = 1; p < summary->nr_points && !groups->varies[i]; p++)
			groups->varies[i] = !same_value(&parameters[i], &summary->points[0].point,
							&summary->points[p].point);
	}
	for (size_t i = 0; i < nr_parameters; i++) {
		if (groups->varies[i] && !groups->varies[groups->row - parameters])
			groups->row = &parameters[i];
	}
	groups->row_title = strrchr(groups->row->name, '.') + 1;
}

/* The values of what varies but the row's parameter; NULL when out of memory. */
static char *heading_of(const struct run_groups *groups, const struct point *point)
{
	char value[PARAMETER_TEXT_MAX], *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	const char *separator = "";

	if (!out)
		return NULL;
	for (size_t i = 0; i < nr_parameters; i++) {
		if (!groups->varies[i] || &parameters[i] == groups->row)
			continue;
		fprintf(out, "%s%s: %s", separator, parameters[i].name,
			parameter_text(&parameters[i], point, value));
		separator = ", ";
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* The group with that heading, made if need be; takes over the heading. `index`: number by heading.
 */
static struct run_group *group_for(struct run_groups *groups, char *heading, json_t *index)
{
	const json_t *number = json_object_get(index, heading);
	struct run_group *group = &groups->groups[groups->nr];

	if (number) {
		free(heading);
		return &groups->groups[json_integer_value(number)];
	}
	group->points = calloc(groups->summary->nr_points, sizeof(*group->points));
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

static int fill(struct run_groups *groups, json_t *index)
{
	const struct run_summary *summary = groups->summary;

	groups->varies = calloc(nr_parameters, sizeof(*groups->varies));
	groups->groups = calloc(summary->nr_points + 1, sizeof(*groups->groups));
	if (!groups->varies || !groups->groups || !index)
		return -ENOMEM;
	find_varying(groups);
	for (size_t p = 0; p < summary->nr_points; p++) {
		char *heading = heading_of(groups, &summary->points[p].point);
		struct run_group *group = heading ? group_for(groups, heading, index) : NULL;

		if (!group)
			return -ENOMEM;
		group->points[group->nr_points++] = &summary->points[p];
	}
	return 0;
}

struct run_groups *run_groups_new(const struct run_summary *summary)
{
	struct run_groups *groups = calloc(1, sizeof(*groups));
	json_t *index = json_object();

	if (groups) {
		groups->summary = summary;
		if (fill(groups, index)) {
			run_groups_free(groups);
			groups = NULL;
		}
	}
	json_decref(index);
	return groups;
}
