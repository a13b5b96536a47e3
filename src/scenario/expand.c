// SPDX-License-Identifier: MIT
/*
 * Makes the points of a matrix: each combination's settings over the defaults, what follows from
 * them, the rules between parameters, and the ids.
 */
#include "memcg/captured.h"
#include "scenario/matrix.h"
#include "scenario/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one combination set, by the parameter's number. */
struct combination {
	const struct setting *set[MAX_PARAMETERS];
};

static size_t number_of(const struct parameter *parameter)
{
	return (size_t)(parameter - parameters);
}

static void choose(const struct axes *axes, size_t nr, size_t index,
		   struct combination *combination)
{
	memset(combination, 0, sizeof(*combination));
	for (size_t a = 0; a < axes->nr; a++) {
		const struct alternative *alternative;

		nr /= axes->items[a].nr;
		alternative = &axes->items[a].alternatives[index / nr];
		index %= nr;
		for (size_t k = 0; k < alternative->nr; k++)
			combination->set[number_of(alternative->settings[k].parameter)] =
				&alternative->settings[k];
	}
}

/* The same fault of many points is said once. */
static void add_once(struct error_list *errors, const struct place *place, const char *text)
{
	for (size_t i = 0; i < errors->nr; i++) {
		const struct error *item = &errors->items[i];

		if (item->line == place->line && item->column == place->column &&
		    !strcmp(item->text, text) && !strcmp(item->file, place->file))
			return;
	}
	error_list_add(errors, place->file, place->line, place->column, "%s", text);
}

struct keys { /* numbers of parameters, looked up once and not for every point */
	size_t nodes, nids, spread_cpus, spread_nodes, file, pages, distribution;
};

static struct keys find_keys(void)
{
	return (struct keys){
		.nodes = number_of(parameter_find("machine.nodes", 13)),
		.nids = number_of(parameter_find("machine.node_ids", 16)),
		.spread_cpus = number_of(parameter_find("counters.spread.cpus", 20)),
		.spread_nodes = number_of(parameter_find("counters.spread.nodes", 21)),
		.file = number_of(parameter_find("tree.file", 9)),
		.pages = number_of(parameter_find("counters.pages", 14)),
		.distribution = number_of(parameter_find("counters.distribution", 21)),
	};
}

/*
 * What the file says: memcgs, who is dying, and, where no other charges are asked for, these. The
 * share of the dying is rounded up, which gives back their number; see CAPTURED_MEMCGS_MAX.
 */
static void apply_captured(const struct combination *combination, const struct keys *keys,
			   struct point *point)
{
	const struct setting *file = combination->set[keys->file];

	if (!file || point->tree.shape != TREE_CAPTURED)
		return;
	point->tree.captured = file->captured;
	point->tree.memcgs = file->captured->nr - 1;
	point->tree.dying_ppm = (uint32_t)(((uint64_t)file->captured->nr_dying * TREE_ALL_PPM +
					    point->tree.memcgs - 1) /
					   point->tree.memcgs);
	if (!combination->set[keys->pages] && !combination->set[keys->distribution])
		point->counters.distribution = DISTRIBUTION_CAPTURED;
}

/* Over a point at its defaults. */
static void apply(const struct combination *combination, const struct keys *keys,
		  struct point *point, unsigned *nr_nids)
{
	const struct setting *nids = combination->set[keys->nids];

	for (size_t i = 0; i < nr_parameters; i++)
		if (combination->set[i] && parameters[i].kind != PARAMETER_NIDS)
			parameter_set(&parameters[i], point, combination->set[i]->value);
	if (!nids && combination->set[keys->nodes] && combination->set[keys->nodes]->nids)
		nids = combination->set[keys->nodes];
	apply_captured(combination, keys, point);
	*nr_nids = point->machine.nodes;
	if (nids) {
		*nr_nids = nids->nr_nids;
		memcpy(point->machine.nids, nids->nids, nids->nr_nids * sizeof(*nids->nids));
		/* ids given and no number: as many as there are ids */
		if (!combination->set[keys->nodes])
			point->machine.nodes = nids->nr_nids;
	}
	if (!combination->set[keys->spread_cpus])
		parameter_set(&parameters[keys->spread_cpus], point,
			      parameter_fallback(&parameters[keys->spread_cpus], point));
	if (!combination->set[keys->spread_nodes])
		parameter_set(&parameters[keys->spread_nodes], point,
			      parameter_fallback(&parameters[keys->spread_nodes], point));
}

static void refuse_each(const struct combination *combination, const char *const *names,
			const char *why, struct error_list *errors)
{
	for (; *names; names++) {
		const struct parameter *parameter = parameter_find(*names, strlen(*names));
		const struct setting *setting = combination->set[number_of(parameter)];
		char text[160];

		if (!setting)
			continue;
		snprintf(text, sizeof(text), "%s: %s", *names, why);
		add_once(errors, &setting->place, text);
	}
}

static bool has_node(const struct point *point, uint16_t nid)
{
	for (unsigned i = 0; i < point->machine.nodes; i++)
		if (point->machine.nids[i] == nid)
			return true;
	return false;
}

/* What is said beside a captured tree and would mean nothing, and nodes that are not there. */
static void check_captured(const struct combination *combination, const struct keys *keys,
			   const struct point *point, struct error_list *errors)
{
	static const char *const tree[] = {"tree.memcgs", "tree.fanout", "tree.dying",
					   "tree.driver", NULL};
	static const char *const charges[] = {"counters.pages", "counters.spread.nodes",
					      "counters.hot_node", NULL};
	const struct captured *captured = point->tree.captured;
	char text[160];

	if (!captured)
		return;
	refuse_each(combination, tree, "a captured tree has its own (leave it out)", errors);
	if (point->counters.distribution != DISTRIBUTION_CAPTURED)
		return;
	refuse_each(combination, charges,
		    "captured charges have their own (counters.pages, without "
		    "counters.distribution, for the shape alone)",
		    errors);
	for (unsigned i = 0; i < captured->nr_nids; i++) {
		if (has_node(point, captured->nids[i]))
			continue;
		snprintf(text, sizeof(text),
			 "tree.file: has pages of node %u, which the machine has not (nodes and "
			 "ids of machine, or counters.pages for the shape alone)",
			 captured->nids[i]);
		add_once(errors, &combination->set[keys->file]->place, text);
		return;
	}
}

static void check(const struct combination *combination, const struct axes *axes,
		  const struct keys *keys, const struct point *point, unsigned nr_nids,
		  struct error_list *errors)
{
	const struct setting *setting = combination->set[keys->nids];
	const struct parameter *culprit;
	struct error err;

	if (nr_nids != point->machine.nodes) {
		error_set(&err, -EINVAL, "machine.node_ids: %u ids for %u nodes (as many as nodes)",
			  nr_nids, point->machine.nodes);
		add_once(errors, &setting->place, err.text);
		return;
	}
	if (!point_check(point, &culprit, &err))
		return;
	setting = combination->set[number_of(culprit)];
	/* what was not said cannot be to blame but for the place where its section is */
	add_once(errors, setting ? &setting->place : &axes->items[0].place, err.text);
}

/* Some values are the whole scenario's, whatever sections vary. */
static void check_single(const struct combination *combination, const struct point *first,
			 const struct point *point, struct error_list *errors)
{
	char text[100];

	for (size_t i = 0; i < nr_parameters; i++) {
		const struct setting *setting = combination->set[i];

		if (!parameters[i].single || !setting ||
		    parameter_get(&parameters[i], point) == parameter_get(&parameters[i], first))
			continue;
		snprintf(text, sizeof(text), "%s differs between points (one value for all)",
			 parameters[i].name);
		add_once(errors, &setting->place, text);
	}
}

struct ranked {
	char id[POINT_ID_SIZE];
	size_t index;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int order = strcmp(x->id, y->id);

	if (order)
		return order;
	return (x->index > y->index) - (x->index < y->index);
}

/* Where the later of two equal points differs from the earlier in how it was said. */
static struct place place_of_twin(const struct axes *axes, size_t nr, size_t one, size_t other)
{
	for (size_t a = 0; a < axes->nr; a++) {
		const struct alternative *alternative;

		nr /= axes->items[a].nr;
		alternative = &axes->items[a].alternatives[other / nr];
		if (one / nr != other / nr && alternative->nr)
			return alternative->settings[0].place;
		if (one / nr != other / nr)
			return axes->items[a].place;
		one %= nr;
		other %= nr;
	}
	return axes->items[0].place;
}

/* Equal points would share their results. Returns 0 or -errno. */
static int find_twins(const struct axes *axes, bool merge, struct point *points, size_t *nr_points,
		      struct error_list *errors)
{
	struct ranked *ranked = malloc(*nr_points * sizeof(*ranked));
	size_t nr = *nr_points, kept = 0;

	if (!ranked)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		memcpy(ranked[i].id, points[i].id, sizeof(ranked[i].id));
		ranked[i].index = i;
	}
	qsort(ranked, nr, sizeof(*ranked), compare_ranked);
	for (size_t i = 1; i < nr; i++) {
		struct place place;

		if (strcmp(ranked[i].id, ranked[i - 1].id))
			continue;
		points[ranked[i].index].id[0] = '\0';
		if (merge)
			continue;
		place = place_of_twin(axes, nr, ranked[i - 1].index, ranked[i].index);
		add_once(errors, &place, "the same point a second time (all points differ)");
	}
	free(ranked);
	for (size_t i = 0; i < nr; i++) {
		if (!points[i].id[0])
			continue;
		if (kept != i)
			points[kept] = points[i];
		kept++;
	}
	*nr_points = kept;
	return 0;
}

int axes_points(const struct axes *axes, bool merge, struct point **points_out, size_t *nr_points,
		struct error_list *errors)
{
	const struct axis *excess = NULL;
	size_t nr = axes_combinations(axes, &excess), before = errors->total;
	struct keys keys = find_keys();
	struct combination combination;
	struct point *points, fallback;
	unsigned nr_nids;
	int code = 0;

	if (!nr) {
		error_list_add(errors, excess->place.file, excess->place.line, excess->place.column,
			       "too many points with this list (at most %d)", MAX_POINTS);
		return -EINVAL;
	}
	points = malloc(nr * sizeof(*points));
	if (!points)
		return -ENOMEM;
	point_init(&fallback);
	for (size_t i = 0; i < nr && errors->total < ERROR_LIST_MAX; i++) {
		points[i] = fallback;
		choose(axes, nr, i, &combination);
		apply(&combination, &keys, &points[i], &nr_nids);
		check(&combination, axes, &keys, &points[i], nr_nids, errors);
		check_captured(&combination, &keys, &points[i], errors);
		check_single(&combination, &points[0], &points[i], errors);
		point_set_id(&points[i]);
	}
	if (errors->total == before)
		code = find_twins(axes, merge, points, &nr, errors);
	if (!code && errors->total != before)
		code = -EINVAL;
	if (code) {
		free(points);
		return code;
	}
	*points_out = points;
	*nr_points = nr;
	return 0;
}
