// SPDX-License-Identifier: MIT
/* See live_fixture.h. */
#include "kernel/live_fixture.h"

#include "backend/charge.h"
#include "kernel/charger.h"
#include "kernel/live_env.h"
#include "kernel/live_facts.h"
#include "kernel/live_fill.h"
#include "kernel/live_possible.h"
#include "kernel/live_settle.h"
#include "kernel/live_tree.h"
#include "kernel/live_truth.h"
#include "kernel/page_file.h"
#include "place/placement.h"
#include "timing/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct live {
	struct fixture_env env;
	struct hierarchy hierarchy;
	char notes[PATH_MAX];
	struct memcg_tree *tree;
	struct placement *placement;
	struct charge_plan plan;
	struct live_tree cgroups;
	bool made; /* the cgroups */
	struct charger charger;
	uint64_t charged_ns, settled_ns;
	int64_t dying_before, dying_found; /* -1: the kernel does not say */
	struct live_truth truth;
	json_t *placement_found;
	const char *doing;
};

static bool tell(void *arg, uint32_t done, uint32_t of)
{
	struct live *live = arg;
	const struct fixture_progress *progress = &live->env.progress;

	return progress->each && progress->each(progress->arg, live->doing, done, of);
}

/* Points differ in much that a tree and its pages do not depend on. */
static bool same(const struct point *a, const struct point *b)
{
	const struct tree_description *s = &a->tree, *t = &b->tree;

	return s->shape == t->shape && s->memcgs == t->memcgs && s->fanout == t->fanout &&
	       s->dying_ppm == t->dying_ppm && s->seed == t->seed && s->driver == t->driver &&
	       s->file_hash == t->file_hash && a->machine.nodes == b->machine.nodes &&
	       a->machine.cpus == b->machine.cpus && a->machine.placement == b->machine.placement &&
	       !memcmp(a->machine.nids, b->machine.nids,
		       a->machine.nodes * sizeof(*a->machine.nids)) &&
	       a->counters.pages == b->counters.pages &&
	       a->counters.spread_cpus == b->counters.spread_cpus &&
	       a->counters.spread_nodes == b->counters.spread_nodes &&
	       a->counters.distribution == b->counters.distribution &&
	       a->counters.hot_ppm == b->counters.hot_ppm;
}

/* What earlier runs left that were killed; what is not ours is nobody's affair here. */
static void forget_left_over(void *arg, const struct left_over *left)
{
	(void)arg;
	(void)left;
}

static int place(struct live *live, struct error *err)
{
	struct error_list reasons = {.nr = 0};
	int r = placement_new(live->env.machine, live->env.point, &live->placement, &reasons);

	if (r && reasons.nr)
		*err = reasons.items[0];
	else if (r)
		error_set(err, r, "cannot place the point: %s", strerror(-r));
	return r;
}

static int start_charger(struct live *live, struct error *err)
{
	struct charger_pages room = live_fill_room(&live->plan, live->tree);

	return charger_start(&room, page_file_directories, &live->charger, err);
}

static int charge_inner(void *arg, uint32_t memcg, struct error *err)
{
	struct live *live = arg;

	return live_fill_inner(&live->cgroups, &live->plan, memcg, live->placement, &live->charger,
			       err);
}

static void let_charger_go(void *arg)
{
	struct live *live = arg;

	charger_stop(&live->charger);
}

static int make_tree(struct live *live, struct error *err)
{
	struct live_progress progress = {.each = tell,
					 .before_children = charge_inner,
					 .let_go = let_charger_go,
					 .arg = live};
	int r = hierarchy_find(HIERARCHY_MOUNTS, &live->hierarchy, err);

	live->hierarchy.may_enable = live->env.options.enable_controllers;
	if (!r)
		r = own_notes_path(live->notes, err);
	if (!r)
		r = own_cgroup_clean(&live->hierarchy, live->notes, false, forget_left_over, NULL,
				     err);
	if (!r && memcg_tree_new(&live->env.point->tree, &live->tree))
		r = error_set(err, -ENOMEM, "out of memory for the tree");
	if (!r)
		r = place(live, err);
	live->plan.point = live->env.point;
	if (!r)
		r = start_charger(live, err);
	if (r)
		return r;
	live->doing = "waiting for removed cgroups to be gone";
	r = live_await_release(&live->hierarchy, &progress, err);
	if (r)
		return r;
	live->doing = "making cgroups";
	live->dying_before = live_dying_before(&live->hierarchy);
	r = live_tree_make(&live->hierarchy, live->notes, live->tree, &progress, &live->cgroups,
			   err);
	live->made = !r;
	return r;
}

static int charge_pages_of(struct live *live, struct error *err)
{
	struct live_progress progress = {.each = tell, .arg = live};
	uint64_t since = clock_now();
	int r;

	live->doing = "charging pages to cgroups";
	r = live_fill(&live->cgroups, &live->plan, live->placement, &live->charger, &progress, err);
	live->charged_ns = live->cgroups.elsewhere_ns + clock_now() - since;
	return r;
}

static int let_some_die(struct live *live, struct error *err)
{
	struct live_progress progress = {.each = tell, .arg = live};
	uint64_t since = clock_now();
	int r = live_tree_let_die(&live->cgroups, err);

	live->doing = "waiting for the kernel's flusher";
	if (!r)
		r = live_settle(&progress, err);
	live->settled_ns = clock_now() - since;
	if (!r)
		live->dying_found = live_dying_since(&live->cgroups, live->dying_before);
	return r;
}

/* All has been counted. */
static int look_at_truth(struct live *live, struct error *err)
{
	struct live_progress progress = {.each = tell, .arg = live};

	live->doing = "holding files against what was charged";
	return live_truth_look(&live->cgroups.dirs, live->hierarchy.version, &progress,
			       &live->truth, err);
}

/* Who holds the pages must live. */
static int still_stands(void *instance, struct error *err)
{
	struct live *live = instance;

	return charger_check(&live->charger, err);
}

static int teardown(void *instance, struct error *err)
{
	struct live *live = instance;
	int r = 0;

	charger_stop(&live->charger);
	if (live->made)
		r = live_tree_remove(&live->cgroups, err);
	hierarchy_close(&live->hierarchy);
	placement_free(live->placement);
	memcg_tree_free(live->tree);
	json_decref(live->placement_found);
	free(live);
	return r;
}

static int setup(const struct fixture_env *env, void **instance, struct error *err)
{
	struct live *live = calloc(1, sizeof(*live));
	struct error stays;
	int r;

	if (!live)
		return error_set(err, -ENOMEM, "out of memory");
	live->env = *env;
	live->hierarchy.fd = live->charger.socket = -1;
	live->dying_before = live->dying_found = -1;
	r = make_tree(live, err);
	if (!r)
		r = charge_pages_of(live, err);
	if (!r)
		r = let_some_die(live, err);
	if (!r)
		r = look_at_truth(live, err);
	if (!r) {
		live->placement_found = live_fill_found(&live->plan, live->tree, live->placement);
		r = live->placement_found ? 0 : error_set(err, -ENOMEM, "out of memory");
	}
	if (!r)
		*instance = live;
	else if (teardown(live, &stays) && err)
		snprintf(err->text + strlen(err->text), sizeof(err->text) - strlen(err->text),
			 "; and what was made stays: %.300s", stays.text);
	return r;
}

static json_t *number_or_null(int64_t number)
{
	return number < 0 ? json_null() : json_integer((json_int_t)number);
}

static json_t *describe(const void *instance)
{
	const struct live *live = instance;
	const struct memcg_tree *tree = live->tree;
	uint64_t pages = 0, bound = FOLIO_BATCH_HELD * (uint64_t)live->env.point->machine.cpus;

	for (uint32_t memcg = 0; memcg < tree->nr; memcg++)
		pages += charge_pages(&live->plan, memcg);
	/* clang-format off */
	return json_pack("{s:i, s:s, s:o, s:o, s:O, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}",
			 "version", (int)live->hierarchy.version,
			 "mount", live->hierarchy.mount,
			 "tree", json_sprintf("%s/%s/%s", live->hierarchy.mount,
					      live->cgroups.own.name, LIVE_TREE_TOP),
			 "parking", json_sprintf("%s/%s/%s", live->hierarchy.mount,
						 live->cgroups.own.name, LIVE_TREE_PARKING),
			 "placement_found", live->placement_found,
			 "made_ns", (json_int_t)live->cgroups.make_ns,
			 "charged_ns", (json_int_t)live->charged_ns,
			 "settled_ns", (json_int_t)live->settled_ns,
			 "pages", (json_int_t)pages,
			 "unheld_pages", (json_int_t)live->charger.unheld,
			 "cgroups", (json_int_t)(tree->nr - tree->nr_dying),
			 "dying_asked", (json_int_t)tree->nr_dying,
			 "dying_found", number_or_null(live->dying_found),
			 "truth", live_truth_json(&live->truth, pages, bound));
	/* clang-format on */
}

const struct fixture live_fixture = {
	.name = "live",
	.possible = live_possible,
	.same = same,
	.setup = setup,
	.check = still_stands,
	.describe = describe,
	.facts = live_facts,
	.teardown = teardown,
};
