// SPDX-License-Identifier: MIT
/* See live_tree.h. */
#include "kernel/live_tree.h"

#include "memcg/tree_name.h"
#include "timing/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PER_STRIDE 64u /* cgroups between two looks at progress */
#define SUBTREE    "cgroup.subtree_control"

static bool stopped(const struct live_progress *progress, uint32_t done, uint32_t of)
{
	return progress && progress->each && progress->each(progress->arg, done, of);
}

/* v2: children get the memory controller from `directory`. */
static int hand_on(int directory, const char *what, struct error *err)
{
	int r = hierarchy_file_write(directory, SUBTREE, "+memory");

	return r ? error_set(err, r, "%s: cannot hand the memory controller down: %s", what,
			     strerror(-r))
		 : 0;
}

static int make_directory(int parent, const char *name, int *fd, struct error *err)
{
	if (mkdirat(parent, name, 0755) < 0)
		return error_set(err, -errno, "cannot make cgroup %s: %s", name, strerror(errno));
	*fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0)
		return error_set(err, -errno, "cannot open cgroup %s: %s", name, strerror(errno));
	return 0;
}

/*
 * Of v1, and of our own directory only, whose children inherit it. Before 5.11 a cgroup counts what
 * is below it only where it is told to; and nobody is to be started at each cgroup that goes.
 */
static int set_up_v1(int own, struct error *err)
{
	static const struct {
		const char *file, *value;
	} knobs[] = {{"memory.use_hierarchy", "1"}, {"notify_on_release", "0"}};

	for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++) {
		int r = hierarchy_file_write(own, knobs[i].file, knobs[i].value);

		if (r && r != -ENOENT)
			return error_set(err, r, "cannot write '%s' to %s: %s", knobs[i].value,
					 knobs[i].file, strerror(-r));
	}
	return 0;
}

static int make_tops(struct live_tree *live, const struct hierarchy *hierarchy, struct error *err)
{
	int own = live->own.fd;
	int r = hierarchy->version == 2 ? hand_on(own, live->own.name, err) : set_up_v1(own, err);

	if (!r)
		r = make_directory(own, LIVE_TREE_TOP, &live->top, err);
	if (!r)
		r = make_directory(own, LIVE_TREE_PARKING, &live->parking, err);
	return r;
}

/* v2: what has to be done in and to a memcg before it gets its first child. */
static int make_ready(struct live_tree *live, uint32_t memcg, const struct live_progress *progress,
		      struct error *err)
{
	uint64_t since = clock_now();
	int directory, r = 0;

	if (progress && progress->before_children)
		r = progress->before_children(progress->arg, memcg, err);
	if (r)
		return r;
	live->elsewhere_ns += clock_now() - since;
	directory = live_dirs_open(&live->dirs, memcg, err);
	return directory < 0 ? directory : hand_on(directory, "a cgroup of the tree", err);
}

static int make_one(struct live_tree *live, uint32_t memcg, const struct live_progress *progress,
		    struct error *err)
{
	const struct memcg_tree *tree = live->tree;
	uint32_t above = tree->parent[memcg];
	char name[MEMCG_NAME_MAX];
	int parent, r = 0;

	if (live->version == 2 && tree->first_child[above] == memcg)
		r = make_ready(live, above, progress, err);
	if (r)
		return r;
	parent = live_dirs_open(&live->dirs, above, err);
	if (parent < 0)
		return parent;
	if (mkdirat(parent, memcg_tree_name(tree, memcg, name), 0755) == 0)
		return 0;
	return error_set(
		err, -errno, "cannot make cgroup %s, memcg %u of %u: %s%s", name, memcg,
		tree->description.memcgs, strerror(errno),
		/* of newer kernels EBUSY */
		errno == ENOSPC || errno == EBUSY ? " (the kernel has 65,535 ids for memcgs)" : "");
}

static int make_memcgs(struct live_tree *live, const struct live_progress *progress,
		       struct error *err)
{
	uint32_t of = live->tree->description.memcgs;
	uint64_t since = clock_now();

	for (uint32_t memcg = 1; memcg < live->tree->nr; memcg++) {
		int r;

		if (memcg % PER_STRIDE == 0 && stopped(progress, memcg, of))
			return error_set(err, -EINTR, "interrupted at cgroup %u of %u", memcg, of);
		r = make_one(live, memcg, progress, err);
		if (r)
			return r;
	}
	live->make_ns = clock_now() - since - live->elsewhere_ns;
	return 0;
}

static void close_all(struct live_tree *live)
{
	live_dirs_fini(&live->dirs);
	if (live->top >= 0)
		close(live->top);
	if (live->parking >= 0)
		close(live->parking);
	live->top = live->parking = -1;
}

int live_tree_make(const struct hierarchy *hierarchy, const char *notes,
		   const struct memcg_tree *tree, const struct live_progress *progress,
		   struct live_tree *live, struct error *err)
{
	struct error why;
	int r;

	*live = (struct live_tree){
		.tree = tree, .version = hierarchy->version, .top = -1, .parking = -1};
	r = own_cgroup_make(hierarchy, notes, &live->own, err);
	if (r)
		return r;
	r = make_tops(live, hierarchy, err);
	if (!r)
		r = live_dirs_init(&live->dirs, tree, live->top, err);
	if (!r)
		r = make_memcgs(live, progress, err);
	if (!r)
		return 0;
	if (progress && progress->let_go)
		progress->let_go(progress->arg);
	close_all(live);
	if (own_cgroup_remove(&live->own, &why) && err)
		snprintf(err->text + strlen(err->text), sizeof(err->text) - strlen(err->text),
			 "; and what was made stays: %.300s", why.text);
	return r;
}

/*
 * The youngest first, which takes what lies close together in the kernel's memory one after the
 * other: by the order in which a directory is read it takes a quarter longer. What does not go at
 * once is own_cgroup_remove()'s.
 */
static void remove_memcgs(struct live_tree *live)
{
	const struct memcg_tree *tree = live->tree;
	char name[MEMCG_NAME_MAX];

	for (uint32_t memcg = tree->nr; memcg-- > 1;) {
		int parent = live_dirs_open(&live->dirs, tree->parent[memcg], NULL);

		if (parent < 0 ||
		    (unlinkat(parent, memcg_tree_name(tree, memcg, name), AT_REMOVEDIR) < 0 &&
		     errno != ENOENT))
			return;
	}
}

int live_tree_remove(struct live_tree *live, struct error *err)
{
	if (live->top >= 0)
		remove_memcgs(live);
	close_all(live);
	return own_cgroup_remove(&live->own, err);
}

int live_tree_let_die(struct live_tree *live, struct error *err)
{
	const struct memcg_tree *tree = live->tree;
	char name[MEMCG_NAME_MAX];

	/* Children come after their parents. */
	for (uint32_t memcg = tree->nr; memcg-- > 1;) {
		int parent;

		if (!tree->dying[memcg])
			continue;
		parent = live_dirs_open(&live->dirs, tree->parent[memcg], err);
		if (parent < 0)
			return parent;
		if (unlinkat(parent, memcg_tree_name(tree, memcg, name), AT_REMOVEDIR) < 0)
			return error_set(err, -errno, "cannot remove cgroup %s, memcg %u: %s", name,
					 memcg, strerror(errno));
	}
	return 0;
}

bool live_tree_takes_processes(const struct live_tree *live, uint32_t memcg)
{
	return live->version == 1 || live->tree->first_child[memcg] == MEMCG_NONE;
}

int live_tree_park(const struct live_tree *live, pid_t pid, struct error *err)
{
	char text[24];
	int r;

	snprintf(text, sizeof(text), "%d", (int)pid);
	r = hierarchy_file_write(live->parking, "cgroup.procs", text);
	return r ? error_set(err, r, "cannot move process %s to cgroup " LIVE_TREE_PARKING ": %s",
			     text, strerror(-r))
		 : 0;
}
