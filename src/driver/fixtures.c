// SPDX-License-Identifier: MIT
/* See fixtures.h. */
#include "driver/fixtures.h"

#include "backend/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All live back ends of a point stand on the same kind. */
static const struct fixture *fixture_of(const struct scenario *scenario, uint32_t point,
					const bool *left_out)
{
	for (size_t b = 0; b < scenario->nr_backends; b++) {
		const struct backend *backend = backend_find(scenario->backends[b]);

		if (!left_out[point * scenario->nr_backends + b] && backend->fixture)
			return backend->fixture;
	}
	return NULL;
}

/* `leaders`: points that began a group. */
static uint32_t find_group(const struct fixtures *fixtures, uint32_t point, const uint32_t *leaders,
			   size_t nr_leaders)
{
	const struct point *points = fixtures->scenario->points;
	const struct fixture *kind = fixtures->kind[point];

	for (size_t i = 0; i < nr_leaders; i++)
		if (fixtures->kind[leaders[i]] == kind &&
		    kind->same(&points[leaders[i]], &points[point]))
			return leaders[i];
	return point;
}

/* How many groups there are. */
static size_t find_groups(struct fixtures *fixtures, const bool *left_out, uint32_t *leaders)
{
	const struct scenario *scenario = fixtures->scenario;
	size_t nr = 0;

	for (uint32_t p = 0; p < scenario->nr_points; p++) {
		fixtures->kind[p] = fixture_of(scenario, p, left_out);
		fixtures->group[p] = FIXTURE_NONE;
		if (!fixtures->kind[p])
			continue;
		fixtures->group[p] = find_group(fixtures, p, leaders, nr);
		if (fixtures->group[p] == p)
			leaders[nr++] = p;
	}
	return nr;
}

/* Where a group's tasks go. */
struct place {
	size_t tasks, next;
	bool begun;
};

/* Points without a fixture are one group, too. */
static struct place *place_of(const struct fixtures *fixtures, const struct task *task,
			      struct place *places)
{
	uint32_t group = fixtures->group[task->point];

	return &places[group == FIXTURE_NONE ? fixtures->scenario->nr_points : group];
}

/* A stable sort by which group the schedule comes to first. */
static int sort_tasks(const struct fixtures *fixtures, struct task *tasks, size_t nr)
{
	struct place *places = calloc(fixtures->scenario->nr_points + 1, sizeof(*places));
	struct task *sorted = calloc(nr + 1, sizeof(*sorted));
	size_t at = 0;

	for (size_t i = 0; places && sorted && i < nr; i++)
		place_of(fixtures, &tasks[i], places)->tasks++;
	for (size_t i = 0; places && sorted && i < nr; i++) {
		struct place *place = place_of(fixtures, &tasks[i], places);

		if (!place->begun) {
			place->begun = true;
			place->next = at;
			at += place->tasks;
		}
		sorted[place->next++] = tasks[i];
	}
	if (places && sorted)
		memcpy(tasks, sorted, nr * sizeof(*tasks));
	free(places);
	free(sorted);
	return at == nr ? 0 : -ENOMEM;
}

int fixtures_init(struct fixtures *fixtures, const struct scenario *scenario,
		  const struct machine *machine, const struct fixture_options *options,
		  const bool *left_out, struct task *tasks, size_t nr_tasks)
{
	uint32_t *leaders = calloc(scenario->nr_points + 1, sizeof(*leaders));
	int r = 0;

	*fixtures = (struct fixtures){
		.scenario = scenario,
		.machine = machine,
		.options = *options,
		.kind = calloc(scenario->nr_points + 1, sizeof(*fixtures->kind)),
		.group = calloc(scenario->nr_points + 1, sizeof(*fixtures->group)),
		.up = FIXTURE_NONE,
	};
	if (!leaders || !fixtures->kind || !fixtures->group)
		r = -ENOMEM;
	else if (find_groups(fixtures, left_out, leaders))
		r = sort_tasks(fixtures, tasks, nr_tasks);
	free(leaders);
	return r;
}

static int lower(struct fixtures *fixtures, struct error *err)
{
	int r = 0;

	if (fixtures->up != FIXTURE_NONE)
		r = fixtures->kind[fixtures->up]->teardown(fixtures->instance, err);
	json_decref(fixtures->described);
	fixtures->described = NULL;
	fixtures->instance = NULL;
	fixtures->up = FIXTURE_NONE;
	return r;
}

int fixtures_fini(struct fixtures *fixtures, struct error *err)
{
	int r = lower(fixtures, err);

	free(fixtures->kind);
	free(fixtures->group);
	fixtures->kind = NULL;
	fixtures->group = NULL;
	return r;
}

int fixtures_raise(struct fixtures *fixtures, const struct task *task,
		   const struct fixture_progress *progress, struct error *err)
{
	uint32_t group = fixtures->group[task->point];
	struct fixture_env env = {
		.machine = fixtures->machine,
		.options = fixtures->options,
		.progress = *progress,
	};
	int r = 0;

	if (group == fixtures->up)
		return 0;
	r = lower(fixtures, err);
	if (r || group == FIXTURE_NONE)
		return r;
	env.point = &fixtures->scenario->points[group];
	r = fixtures->kind[group]->setup(&env, &fixtures->instance, err);
	if (r)
		return r;
	fixtures->up = group;
	fixtures->described = fixtures->kind[group]->describe(fixtures->instance);
	return fixtures->described ? 0 : error_set(err, -ENOMEM, "out of memory");
}

int fixtures_check(struct fixtures *fixtures, struct error *err)
{
	int r;

	if (fixtures->up == FIXTURE_NONE)
		return 0;
	r = fixtures->kind[fixtures->up]->check(fixtures->instance, err);
	if (r)
		lower(fixtures, NULL); /* what stays of it the next one stumbles over, and says */
	return r;
}
