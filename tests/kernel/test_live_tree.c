// SPDX-License-Identifier: MIT
/*
 * Real cgroups with real pages: what the kernel's files say of a tree is what was charged to it,
 * and nothing of it is left in the end. Skipped where this machine has no memory hierarchy to make
 * cgroups in, with the reason.
 */
#include "backend/charge.h"
#include "base/file.h"
#include "kernel/capture.h"
#include "kernel/live_fill.h"
#include "kernel/page_file.h"
#include "kernel/remove_tree.h"
#include "memcg/captured.h"
#include "memcg/stat_parse.h"
#include "memcg/tree_name.h"
#include "place/machine.h"
#include "sanitized.h"
#include "scenario/parameter.h"
#include "scenario/point.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Pages that a CPU may keep back from the LRU lists, and so from a file: a folio batch. */
#define FOLIO_BATCH 31
/* Two periods of the kernel's flusher. */
#define SETTLE_MS 4500
#define MEMCGS    150
#define PAGES     200

struct live {
	struct point point;
	struct hierarchy hierarchy;
	char notes[PATH_MAX];
	struct machine *machine;
	struct placement *placement;
	struct memcg_tree *tree;
	struct charge_plan plan;
	struct live_tree tree_of_cgroups;
	struct charger charger;
};

static void check(int r, const struct error *err)
{
	if (r)
		fail_msg("%d: %s", r, err->text);
}

static void open_machine(struct live *live)
{
	struct error_list reasons = {.nr = 0};
	struct error err;
	unsigned nodes = 0;

	check(machine_open(NULL, &live->machine, &err), &err);
	for (unsigned i = 0; i < live->machine->nr_nodes && nodes < MAX_NODES; i++)
		if (live->machine->nodes[i].allowed && live->machine->nodes[i].bytes)
			live->point.machine.nids[nodes++] =
				(uint16_t)live->machine->nodes[i].os_index;
	live->point.machine.nodes = nodes;
	live->point.machine.cpus = live->machine->nr_cpus;
	live->point.machine.placement = PLACEMENT_REAL;
	if (placement_new(live->machine, &live->point, &live->placement, &reasons))
		fail_msg("%s", reasons.items[0].text);
}

static void start_charger(struct live *live)
{
	struct charger_pages room = live_fill_room(&live->plan, live->tree);
	struct error err;

	check(charger_start(&room, page_file_directories, &live->charger, &err), &err);
}

static int charge_inner(void *arg, uint32_t memcg, struct error *err)
{
	struct live *live = arg;

	assert_int_equal(live->hierarchy.version, 2);
	return live_fill_inner(&live->tree_of_cgroups, &live->plan, memcg, live->placement,
			       &live->charger, err);
}

static void let_charger_go(void *arg)
{
	struct live *live = arg;

	charger_stop(&live->charger);
}

/* False: not possible here, and said. */
static bool live_init(struct live *live, uint32_t dying_ppm)
{
	struct live_progress progress = {
		.before_children = charge_inner, .let_go = let_charger_go, .arg = live};
	struct error err = {.text = ""};
	int r;

	if (!charges_are_all) {
		print_message("# skipped: a sanitizer's own pages are charged, too\n");
		return false;
	}
	memset(live, 0, sizeof(*live));
	point_init(&live->point);
	live->point.tree.memcgs = MEMCGS;
	live->point.tree.fanout = 5;
	live->point.tree.dying_ppm = dying_ppm;
	live->point.tree.shape = TREE_KUBERNETES;
	live->point.counters.pages = PAGES;
	live->point.counters.spread_cpus = 1;
	r = hierarchy_find(HIERARCHY_MOUNTS, &live->hierarchy, &err);
	if (!r)
		r = own_notes_path(live->notes, &err);
	if (r) {
		print_message("# skipped: %s\n", err.text);
		return false;
	}
	open_machine(live);
	assert_int_equal(memcg_tree_new(&live->point.tree, &live->tree), 0);
	live->plan.point = &live->point;
	start_charger(live);
	r = live_tree_make(&live->hierarchy, live->notes, live->tree, &progress,
			   &live->tree_of_cgroups, &err);
	if (r == -EACCES || r == -EPERM || r == -EROFS || r == -ENODEV) {
		print_message("# skipped: %s\n", err.text);
		return false;
	}
	check(r, &err);
	return true;
}

static void live_charge(struct live *live)
{
	struct timespec settle = {SETTLE_MS / 1000, SETTLE_MS % 1000 * 1000000L};
	struct error err;

	check(live_fill(&live->tree_of_cgroups, &live->plan, live->placement, &live->charger, NULL,
			&err),
	      &err);
	nanosleep(&settle, NULL);
}

static void live_fini(struct live *live)
{
	struct error err;

	charger_stop(&live->charger);
	check(live_tree_remove(&live->tree_of_cgroups, &err), &err);
	assert_int_equal(faccessat(live->hierarchy.fd, live->tree_of_cgroups.own.name, F_OK, 0),
			 -1);
	hierarchy_close(&live->hierarchy);
	memcg_tree_free(live->tree);
	placement_free(live->placement);
	machine_free(live->machine);
}

/* The file of one memcg, parsed. */
static struct stat_file *read_file(struct live *live, uint32_t memcg)
{
	struct stat_file *file = NULL;
	char path[64], *text;
	size_t length;
	struct error err;
	int directory = live_dirs_open(&live->tree_of_cgroups.dirs, memcg, &err), fd;

	assert_true(directory >= 0);
	fd = openat(directory, "memory.numa_stat", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check(file_read(path, STAT_FILE_MAX, &text, &length, &err), &err);
	close(fd);
	check(stat_parse(path, text, length, STAT_AUTO, &file, &err), &err);
	free(text);
	return file;
}

/* In pages; of v2, whose rows are in bytes and of which only these are asked for. */
static uint64_t value_of(const struct stat_file *file, const char *v1, const char *v2)
{
	const char *name = file->type == STAT_NUMA_V1 ? v1 : v2;

	for (size_t i = 0; i < file->nr_rows; i++) {
		const struct stat_row *row = &file->rows[i];
		uint64_t sum = 0;

		if (!row->known || strcmp(row->name, name) != 0)
			continue;
		for (unsigned k = 0; k < row->nr_columns; k++)
			sum += row->columns[k].value;
		return row->unit == STAT_BYTES ? sum / (uint64_t)sysconf(_SC_PAGESIZE) : sum;
	}
	fail_msg("no row %s", name);
	return 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t pages_of_row(const struct captured *captured, const struct captured_row *row,
			     unsigned lru_mask)
{
	uint64_t pages = 0;

	for (size_t i = row->first_cell; i < row->first_cell + row->nr_cells; i++)
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
			pages += lru_mask >> lru & 1 ? captured->cells[i].pages[lru] : 0;
	return pages;
}

/* The memcg that a row is of: children of `parent` are looked at by their names. */
static uint32_t memcg_named(const struct memcg_tree *tree, uint32_t parent, const char *name)
{
	char buffer[MEMCG_NAME_MAX];

	for (uint32_t i = tree->first_child[parent]; i != MEMCG_NONE; i = tree->next_sibling[i])
		if (!strcmp(memcg_tree_name(tree, i, buffer), name))
			return i;
	fail_msg("no memcg %s", name);
	return 0;
}

/* Every memcg once, where it is in the tree, with the pages that it was charged. */
static void compare_captured(const struct live *live, const struct captured *captured)
{
	uint64_t bound = FOLIO_BATCH * (uint64_t)live->machine->nr_cpus;
	uint32_t at[MEMCGS + 1] = {0};
	bool seen[MEMCGS + 1] = {true};

	assert_int_equal(captured->nr_rows, MEMCGS + 1);
	for (uint32_t i = 0; i < captured->nr_rows; i++) {
		const struct captured_row *row = &captured->rows[i];

		if (i) {
			uint32_t memcg = memcg_named(live->tree, at[row->depth - 1],
						     captured_row_name(captured, i));

			assert_false(seen[memcg]);
			seen[memcg] = true;
			at[row->depth] = memcg;
		}
		assert_true(distance(pages_of_row(captured, row, LRU_MASK_TOTAL), PAGES) <= bound);
		assert_true(distance(pages_of_row(captured, row, LRU_MASK_FILE),
				     PAGES * 45 / 100) <= bound);
	}
}

static void hold_capture(const struct live *live)
{
	struct capture capture = {
		.top = live->tree_of_cgroups.top,
		.version = live->hierarchy.version,
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
		.cpus = live->machine->possible_cpus,
		.names = true,
	};
	struct captured *captured;
	struct error err;

	check(capture_tree(&capture, &captured, &err), &err);
	assert_int_equal(captured->facts[CAPTURED_UNREADABLE], 0);
	assert_int_equal(captured->facts[CAPTURED_NO_NODES], 0);
	compare_captured(live, captured);
	captured_free(captured);
}

static void files_and_a_capture_say_what_was_charged(void **state)
{
	struct live live;
	uint64_t off = 0, bound;
	struct stat_file *file;

	(void)state;
	if (!live_init(&live, 0))
		skip();
	bound = FOLIO_BATCH * (uint64_t)live.machine->nr_cpus;
	live_charge(&live);
	file = read_file(&live, 0);
	off = distance(value_of(file, "hierarchical_unevictable", "unevictable"),
		       (MEMCGS + 1) * PAGES / 10);
	assert_true(off <= bound);
	if (file->type == STAT_NUMA_V1) {
		off = distance(value_of(file, "hierarchical_total", ""), (MEMCGS + 1) * PAGES);
		assert_true(off <= bound);
		off = distance(value_of(file, "total", ""), PAGES);
		assert_true(off <= bound);
	}
	stat_file_free(file);
	for (uint32_t memcg = 1; memcg <= MEMCGS; memcg++) {
		if (live.tree->first_child[memcg] != MEMCG_NONE)
			continue;
		file = read_file(&live, memcg);
		if (file->type == STAT_NUMA_V1) {
			off = distance(value_of(file, "file", ""), PAGES * 45 / 100);
			assert_true(off <= bound);
		}
		stat_file_free(file);
	}
	hold_capture(&live);
	live_fini(&live);
}

/* What the removed ones hold is still in the rows of those above. */
static void dying_memcgs_hold_their_pages(void **state)
{
	struct stat_file *file;
	struct live live;
	struct error err;
	uint64_t bound;

	(void)state;
	if (!live_init(&live, 500000))
		skip();
	bound = FOLIO_BATCH * (uint64_t)live.machine->nr_cpus;
	live_charge(&live);
	check(live_tree_let_die(&live.tree_of_cgroups, &err), &err);
	file = read_file(&live, 0);
	if (file->type == STAT_NUMA_V1)
		assert_true(distance(value_of(file, "hierarchical_total", ""),
				     (MEMCGS + 1) * PAGES) <= bound);
	stat_file_free(file);
	live_fini(&live);
}

static bool stop_at_once(void *arg, uint32_t done, uint32_t of)
{
	(void)arg;
	(void)of;
	return done >= 64;
}

static void a_tree_that_is_stopped_is_taken_down(void **state)
{
	struct tree_description description = {
		.shape = TREE_FLAT, .memcgs = 300, .fanout = 10, .seed = 1};
	struct live_progress progress = {.each = stop_at_once};
	struct hierarchy hierarchy;
	struct live_tree live;
	struct memcg_tree *tree;
	char notes[PATH_MAX];
	struct error err;
	int r;

	(void)state;
	if (hierarchy_find(HIERARCHY_MOUNTS, &hierarchy, &err) || own_notes_path(notes, &err)) {
		print_message("# skipped: %s\n", err.text);
		skip();
	}
	assert_int_equal(memcg_tree_new(&description, &tree), 0);
	r = live_tree_make(&hierarchy, notes, tree, &progress, &live, &err);
	if (r != -EINTR) {
		print_message("# skipped: %s\n", err.text);
		assert_true(r == -EACCES || r == -EPERM || r == -EROFS || r == -ENODEV);
	} else {
		assert_int_equal(faccessat(hierarchy.fd, live.own.name, F_OK, 0), -1);
	}
	memcg_tree_free(tree);
	hierarchy_close(&hierarchy);
}

/* In a child, whose mounts are its own: a file system with room for so many directories. 77: that
 * is not allowed here. */
static int make_where_little_fits(struct error *err)
{
	struct tree_description description = {
		.shape = TREE_FLAT, .memcgs = 300, .fanout = 10, .seed = 1};
	char top[] = "/dev/shm/memcgbench-full-XXXXXX";
	struct hierarchy hierarchy;
	struct memcg_tree *tree;
	struct live_tree live;
	char notes[64];
	int r, found;

	if (!mkdtemp(top))
		return 77;
	snprintf(notes, sizeof(notes), "%s/notes", top);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("full", top, "tmpfs", 0, "nr_inodes=100") < 0) {
		rmdir(top);
		return 77;
	}
	check(hierarchy_open(top, 1, &hierarchy, err), err);
	assert_int_equal(memcg_tree_new(&description, &tree), 0);
	r = live_tree_make(&hierarchy, notes, tree, NULL, &live, err);
	/* Of all that was made, only the directory of notes is left. */
	assert_int_equal(rmdir(notes), 0);
	found = has_directories(hierarchy.fd);
	hierarchy_close(&hierarchy);
	memcg_tree_free(tree);
	umount(top);
	rmdir(top);
	if (found || r != -ENOSPC)
		return 1;
	return strstr(err->text, "memcg 9") && strstr(err->text, "of 300") ? 0 : 2;
}

static void a_tree_that_does_not_fit_is_taken_down(void **state)
{
	struct error err = {.text = ""};
	pid_t pid = fork();
	int status;

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		_exit(make_where_little_fits(&err));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("# skipped: no file system may be mounted here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_and_a_capture_say_what_was_charged),
		cmocka_unit_test(dying_memcgs_hold_their_pages),
		cmocka_unit_test(a_tree_that_is_stopped_is_taken_down),
		cmocka_unit_test(a_tree_that_does_not_fit_is_taken_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
