// SPDX-License-Identifier: MIT
/*
 * The walk inside the kernel over real cgroups without pages: it visits each memcg of the subtree
 * as often as it has to, the removed ones too, and loads no counter less or more. Skipped, with the
 * reason, where cgroups cannot be made or the kernel does not take the program.
 */
#include "kernel/bpf_walk.h"
#include "kernel/live_tree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define MEMCGS 150

struct walked {
	struct hierarchy hierarchy;
	struct memcg_tree *tree;
	struct live_tree live;
	struct bpf_walk *walk;
};

static void check(int r, const struct error *err)
{
	if (r)
		fail_msg("%d: %s", r, err->text);
}

static bool make_tree(struct walked *walked, uint32_t dying_ppm)
{
	struct tree_description description = {.shape = TREE_KUBERNETES,
					       .memcgs = MEMCGS,
					       .fanout = 5,
					       .dying_ppm = dying_ppm,
					       .seed = 1};
	char notes[PATH_MAX];
	struct error err;
	int r = hierarchy_find(HIERARCHY_MOUNTS, &walked->hierarchy, &err);

	if (!r)
		r = own_notes_path(notes, &err);
	if (r) {
		print_message("# skipped: %s\n", err.text);
		return false;
	}
	assert_int_equal(memcg_tree_new(&description, &walked->tree), 0);
	r = live_tree_make(&walked->hierarchy, notes, walked->tree, NULL, &walked->live, &err);
	if (r == -EACCES || r == -EPERM || r == -EROFS || r == -ENODEV) {
		print_message("# skipped: %s\n", err.text);
		memcg_tree_free(walked->tree);
		hierarchy_close(&walked->hierarchy);
		return false;
	}
	check(r, &err);
	return true;
}

/* Skips where it is not possible here. */
static void init(struct walked *walked, enum bpf_walk_mode mode, uint32_t dying_ppm)
{
	static const uint16_t node = 0;
	struct error_list reasons = {.nr = 0};
	struct error err;

	memset(walked, 0, sizeof(*walked));
	if (bpf_walk_possible(mode, &reasons)) {
		print_message("# skipped: %s\n", reasons.items[0].text);
		skip();
	}
	if (!make_tree(walked, dying_ppm))
		skip();
	check(bpf_walk_new(mode, &node, 1, 2, &walked->walk, &err), &err);
}

static void fini(struct walked *walked)
{
	struct error err;

	bpf_walk_free(walked->walk);
	check(live_tree_remove(&walked->live, &err), &err);
	memcg_tree_free(walked->tree);
	hierarchy_close(&walked->hierarchy);
}

static struct walk_found find(struct walked *walked, uint32_t memcg)
{
	struct walk_found found;
	struct stat st;
	struct error err;
	int directory = live_dirs_open(&walked->live.dirs, memcg, &err);

	assert_true(directory >= 0);
	assert_int_equal(fstat(directory, &st), 0);
	found.id = st.st_ino;
	check(bpf_walk_find(walked->walk, &found, 1, &err), &err);
	assert_true(found.css != 0);
	return found;
}

static uint64_t subtree(const struct memcg_tree *tree, uint32_t top)
{
	uint64_t nr = 0;

	for (uint32_t memcg = 0; memcg < tree->nr; memcg++) {
		uint32_t at = memcg;

		while (at != top && at != 0)
			at = tree->parent[at];
		nr += at == top;
	}
	return nr;
}

/* The memcgs of a subtree in so many passes, and 10 lists in each row and column. */
static void assert_walk(struct walked *walked, uint32_t memcg, bool alone, uint64_t passes,
			uint64_t loads)
{
	uint64_t memcgs = alone ? 1 : subtree(walked->tree, memcg);
	struct walk_found top = find(walked, memcg);
	const struct walk_answer *answer;

	assert_int_equal(bpf_walk_run(walked->walk, 1, &top, alone, &answer), 0);
	assert_int_equal(answer->passes, passes);
	assert_int_equal(answer->memcgs, passes * memcgs);
	assert_int_equal(answer->loads, loads * memcgs);
	assert_int_equal(answer->unreachable, 0);
	assert_int_equal(answer->dying, alone || memcg ? 0 : walked->tree->nr_dying);
	assert_true(answer->ns > 0);
}

static uint32_t a_leaf(const struct memcg_tree *tree)
{
	uint32_t memcg = tree->nr - 1;

	while (tree->first_child[memcg] != MEMCG_NONE || tree->dying[memcg])
		memcg--;
	return memcg;
}

static void one_pass_visits_every_memcg_once(void **state)
{
	struct walked walked;

	(void)state;
	init(&walked, BPF_WALK_LOCAL, 0);
	for (uint32_t memcg = 0; memcg < walked.tree->nr; memcg += 7)
		assert_walk(&walked, memcg, false, 1, 10);
	assert_walk(&walked, a_leaf(walked.tree), false, 1, 10);
	assert_walk(&walked, 0, true, 1, 10);
	fini(&walked);
}

static void passes_load_the_counters_of_every_cpu(void **state)
{
	struct walked walked;
	uint64_t cpus;

	(void)state;
	init(&walked, BPF_WALK_PERCPU, 0);
	cpus = bpf_walk_nr_cpus(walked.walk);
	assert_true(cpus > 0);
	for (uint32_t memcg = 0; memcg < walked.tree->nr; memcg += 7)
		assert_walk(&walked, memcg, false, 8, 20 * cpus);
	assert_walk(&walked, a_leaf(walked.tree), false, 8, 20 * cpus);
	assert_walk(&walked, 0, true, 8, 20 * cpus);
	fini(&walked);
}

static void who_is_not_found_is_said(void **state)
{
	struct walk_found nowhere = {.id = UINT64_MAX};
	struct walk_found wrong;
	const struct walk_answer *answer;
	struct walked walked;
	struct error err;

	(void)state;
	init(&walked, BPF_WALK_LOCAL, 0);
	assert_int_equal(bpf_walk_find(walked.walk, &nowhere, 1, &err), -ENOENT);
	assert_non_null(strstr(err.text, "1 of 1 cgroups"));
	/* Another one's address. */
	wrong = find(&walked, 1);
	wrong.id = find(&walked, 2).id;
	assert_int_equal(bpf_walk_run(walked.walk, 0, &wrong, false, &answer), -ESTALE);
	/* No address of anything. */
	wrong.css = 8;
	assert_int_equal(bpf_walk_run(walked.walk, 0, &wrong, false, &answer), -ESTALE);
	fini(&walked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_pass_visits_every_memcg_once),
		cmocka_unit_test(passes_load_the_counters_of_every_cpu),
		cmocka_unit_test(who_is_not_found_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
