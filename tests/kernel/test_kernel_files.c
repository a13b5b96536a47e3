// SPDX-License-Identifier: MIT
/*
 * Back ends that read the kernel's files, on ordinary directories with files in them: whoever runs
 * this needs neither cgroups nor root. Whatever version, vendor or length a file has, what is read
 * is what it says, and damage is an error.
 */
#include "backend/backend.h"
#include "kernel/kernel_files.h"
#include "kernel/live_dirs.h"
#include "kernel/live_reads.h"
#include "memcg/tree_name.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define NODES 2u

/* A tree of directories, and a back end on it. */
struct made {
	char directory[64];
	struct point point;
	struct memcg_tree *tree;
	int top; /* directory of memcg 0; -1: none yet */
	struct live_dirs dirs;
	json_t *fixture;
	const struct backend *backend;
	void *instance;
	struct numa_counts counts;
};

static int enter(void **state)
{
	struct made *made = calloc(1, sizeof(*made));

	*state = made;
	if (!made)
		return -1;
	made->top = -1;
	strcpy(made->directory, "/tmp/memcgbench-files-XXXXXX");
	if (!mkdtemp(made->directory))
		return -1;
	point_init(&made->point);
	made->point.tree.shape = TREE_FLAT;
	made->point.tree.memcgs = 4;
	made->point.machine.nodes = NODES;
	made->point.machine.nids[0] = 0;
	made->point.machine.nids[1] = 8;
	made->point.machine.cpus = 2;
	return 0;
}

static int leave(void **state)
{
	struct made *made = *state;
	char command[128];
	int r;

	if (made->instance)
		made->backend->destroy(made->instance);
	numa_counts_fini(&made->counts);
	json_decref(made->fixture);
	if (made->top >= 0) {
		live_dirs_fini(&made->dirs);
		close(made->top);
	}
	memcg_tree_free(made->tree);
	/* Paths are too long for what the library has. */
	snprintf(command, sizeof(command), "rm -r %s", made->directory);
	r = system(command);
	free(made);
	return r;
}

/* The directories of all that are not dying. */
static void make_tree(struct made *made, unsigned version)
{
	char top[PATH_MAX], name[MEMCG_NAME_MAX];

	assert_int_equal(memcg_tree_new(&made->point.tree, &made->tree), 0);
	snprintf(top, sizeof(top), "%s/tree", made->directory);
	assert_int_equal(mkdir(top, 0755), 0);
	made->top = open(top, O_RDONLY | O_DIRECTORY);
	assert_int_equal(live_dirs_init(&made->dirs, made->tree, made->top, NULL), 0);
	for (uint32_t i = 1; i < made->tree->nr; i++) {
		int parent;

		if (made->tree->dying[i])
			continue;
		parent = live_dirs_open(&made->dirs, made->tree->parent[i], NULL);
		assert_int_equal(mkdirat(parent, memcg_tree_name(made->tree, i, name), 0755), 0);
	}
	made->fixture = json_pack("{s:i, s:s, s:s}", "version", (int)version, "mount",
				  made->directory, "tree", top);
	assert_int_equal(stat_counts_init(&made->counts, point_format(&made->point), NODES,
					  made->point.machine.nids),
			 0);
}

static void put_file(struct made *made, uint32_t memcg, const char *name, const char *text)
{
	int directory = live_dirs_open(&made->dirs, memcg, NULL), file;

	/* A file system may wait for its disk where a file is written over. */
	if (made->point.read.buffer != BUFFER_KEPT)
		unlinkat(directory, name, 0);
	file = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	close(file);
}

/* v1: `local` pages of each kind on both nodes; of the subtree `below` more. */
static const char *v1_text(char text[1024], unsigned local, unsigned below)
{
	unsigned all = local + below;

	snprintf(text, 1024,
		 "total=%u N0=%u N8=%u\nfile=%u N0=%u N8=%u\nanon=%u N0=%u N8=%u\n"
		 "unevictable=%u N0=%u N8=%u\nnuma_locality 0 0 0\nwhatever=%u N0=0\n"
		 "hierarchical_total=%u N0=%u N8=%u\nhierarchical_file=%u N0=%u N8=%u\n"
		 "hierarchical_anon=%u N0=%u N8=%u\nhierarchical_unevictable=%u N0=%u N8=%u\n",
		 6 * local, 3 * local, 3 * local, 2 * local, local, local, 2 * local, local, local,
		 2 * local, local, local, UINT_MAX, 6 * all, 3 * all, 3 * all, 2 * all, all, all,
		 2 * all, all, all, 2 * all, all, all);
	return text;
}

static int create(struct made *made, const struct backend *backend, struct error *err)
{
	struct backend_env env = {&made->point, made->tree, NULL, made->fixture};

	made->backend = backend;
	return backend->create(&env, &made->instance, err);
}

static void create_well(struct made *made, const struct backend *backend)
{
	struct error err = {.text = ""};

	if (create(made, backend, &err))
		fail_msg("%s", err.text);
}

static int count(struct made *made, uint32_t memcg, struct op_probe *probe)
{
	struct read_request request = {.memcg = memcg, .rows = ROWS_ALL};

	memset(made->counts.cells, 0xff, stat_nr_cells(&made->counts) * sizeof(uint64_t));
	return backend_count(made->backend, made->instance, &request, &made->counts, FORM_TEXT,
			     TEXT_FAST, probe);
}

static uint64_t cell(const struct made *made, enum numa_scope scope, unsigned row, unsigned column)
{
	return made->counts.cells[stat_cell(&made->counts, scope, row, column)];
}

static void expect_v1(const struct made *made, unsigned local, unsigned all)
{
	for (unsigned column = 0; column <= NODES; column++) {
		unsigned times = column ? 1 : 2;

		assert_int_equal(cell(made, SCOPE_LOCAL, NUMA_ROW_TOTAL, column),
				 3 * times * local);
		assert_int_equal(cell(made, SCOPE_LOCAL, NUMA_ROW_ANON, column), times * local);
		assert_int_equal(cell(made, SCOPE_HIERARCHICAL, NUMA_ROW_TOTAL, column),
				 3 * times * all);
		assert_int_equal(cell(made, SCOPE_HIERARCHICAL, NUMA_ROW_UNEVICTABLE, column),
				 times * all);
	}
}

static void expect_reads(struct made *made, unsigned files, unsigned reads, const char *descriptor)
{
	json_t *facts = made->backend->facts(made->instance);

	assert_int_equal(json_integer_value(json_object_get(facts, "files")), files);
	assert_int_equal(json_integer_value(json_object_get(facts, "reads")), reads);
	assert_string_equal(json_string_value(json_object_get(facts, "descriptor")), descriptor);
	json_decref(facts);
}

static void read_as(struct made *made, enum read_buffer buffer, unsigned reads, const char *word)
{
	struct read_request request = {.memcg = 0, .rows = ROWS_ALL};
	char text[1024], read[1024];
	struct op_probe probe = {.lines = NULL};

	made->point.read.buffer = buffer;
	make_tree(made, 1);
	put_file(made, 0, "memory.numa_stat", v1_text(text, 5, 7));
	create_well(made, &backend_kernel);
	assert_int_equal(count(made, 0, &probe), 0);
	assert_int_equal(probe.counts.text_bytes, strlen(text));
	expect_v1(made, 5, 12);
	expect_reads(made, 1, reads, word);
	assert_int_equal(backend_kernel.read_text(made->instance, &request, &made->counts,
						  TEXT_FAST, read, sizeof(read)),
			 strlen(text));
	assert_memory_equal(read, text, strlen(text));

	/* It has changed since, and is longer. */
	put_file(made, 0, "memory.numa_stat", v1_text(text, 500000, 7));
	assert_int_equal(count(made, 0, &probe), 0);
	expect_v1(made, 500000, 500007);
}

static void a_file_opened_anew_is_read_to_its_end(void **state)
{
	read_as(*state, BUFFER_REOPENED, 2, "reopened");
}

static void a_file_that_stays_open_is_read_by_one_call(void **state)
{
	read_as(*state, BUFFER_KEPT, 1, "kept");
}

static void a_text_longer_than_any_room_is_an_error(void **state)
{
	struct made *made = *state;
	struct op_probe probe = {.lines = NULL};
	char text[1024], *longer = malloc(100000);

	make_tree(made, 1);
	put_file(made, 0, "memory.numa_stat", v1_text(text, 1, 0));
	create_well(made, &backend_kernel);
	memset(longer, 'x', 99999);
	longer[99999] = '\0';
	put_file(made, 0, "memory.numa_stat", longer);
	free(longer);
	assert_int_equal(count(made, 0, &probe), -ENOSPC);
}

static void a_file_longer_than_a_page_has_room(void **state)
{
	struct made *made = *state;
	struct op_probe probe = {.lines = NULL};
	char text[1024], longer[20000] = "";

	make_tree(made, 1);
	while (strlen(longer) < 15000)
		strcat(longer, "some_row_of_a_vendor 123456789\n");
	strcat(longer, v1_text(text, 3, 1));
	put_file(made, 0, "memory.numa_stat", longer);
	create_well(made, &backend_kernel);
	assert_int_equal(count(made, 0, &probe), 0);
	assert_int_equal(probe.counts.text_bytes, strlen(longer));
	expect_v1(made, 3, 4);
}

static void a_file_that_is_missing_is_named(void **state)
{
	struct made *made = *state;
	struct error err;

	make_tree(made, 1);
	assert_int_equal(create(made, &backend_kernel, &err), -ENOENT);
	made->instance = NULL;
	assert_non_null(strstr(err.file, "/tree/memory.numa_stat"));
}

static void what_cannot_be_read_is_an_error(void **state)
{
	struct made *made = *state;
	struct error err;
	char path[PATH_MAX];

	make_tree(made, 1);
	snprintf(path, sizeof(path), "%s/tree/memory.numa_stat", made->directory);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(create(made, &backend_kernel, &err), -EISDIR);
	made->instance = NULL;
}

static void damage_is_an_error_at_whatever_byte(void **state)
{
	struct made *made = *state;
	struct op_probe probe = {.lines = NULL};
	char text[1024];

	make_tree(made, 1);
	put_file(made, 0, "memory.numa_stat", v1_text(text, 5, 7));
	create_well(made, &backend_kernel);
	/* The text without its end is no text, wherever it ends. */
	for (size_t length = 0; length < strlen(text); length++) {
		char cut[1024];

		snprintf(cut, sizeof(cut), "%.*s", (int)length, text);
		put_file(made, 0, "memory.numa_stat", cut);
		assert_int_equal(count(made, 0, &probe), -EBADMSG);
	}
	put_file(made, 0, "memory.numa_stat", "total=1 N0=1 N4=0\n");
	assert_int_equal(count(made, 0, &probe), -EBADMSG);
	strcpy(strstr(text, "N8=15"), "N8=99999999999999999999\n");
	put_file(made, 0, "memory.numa_stat", text);
	assert_int_equal(count(made, 0, &probe), -EBADMSG);
}

static void a_row_twice_is_an_error(void **state)
{
	struct made *made = *state;
	struct op_probe probe = {.lines = NULL};
	char text[1024];

	make_tree(made, 1);
	put_file(made, 0, "memory.numa_stat", v1_text(text, 5, 7));
	create_well(made, &backend_kernel);
	strcat(text, "anon=10 N0=5 N8=5\n");
	put_file(made, 0, "memory.numa_stat", text);
	assert_int_equal(count(made, 0, &probe), -EBADMSG);
}

static void rows_of_v2_are_taken_by_name_and_unit(void **state)
{
	struct made *made = *state;
	struct op_probe probe = {.lines = NULL};

	made->point.read.version = READ_V2;
	made->point.read.file = READ_MEMORY_STAT;
	make_tree(made, 2);
	put_file(made, 0, "memory.stat",
		 "anon 8192\nfile 4096\nnew_row 77\nunevictable 12288\npgfault 9\nkernel 1\n");
	create_well(made, &backend_kernel);
	assert_int_equal(count(made, 0, &probe), 0);
	for (unsigned row = 0; row < made->counts.format->nr_rows; row++) {
		const struct stat_row_format *format = &made->counts.format->rows[row];
		uint64_t value = cell(made, SCOPE_HIERARCHICAL, row, 0);

		assert_int_equal(value, !strcmp(format->name, "anon")          ? 2
					: !strcmp(format->name, "file")        ? 1
					: !strcmp(format->name, "unevictable") ? 3
					: !strcmp(format->name, "pgfault")     ? 9
									       : 0);
		assert_int_equal(backend_bound(made->backend, &made->point, SCOPE_HIERARCHICAL, row,
					       0, 5, 0) == BOUND_NONE,
				 strcmp(format->name, "unevictable") != 0);
	}
	/* What is compared must be there. */
	put_file(made, 0, "memory.stat", "anon 8192\nfile 4096\n");
	assert_int_equal(count(made, 0, &probe), -EBADMSG);
}

static void a_walk_adds_up_what_has_a_file(void **state)
{
	struct made *made = *state;
	struct op_probe probe = {.lines = NULL};
	char text[1024];
	unsigned visible = 0, pages = 0;

	made->point.tree.memcgs = 10;
	made->point.tree.dying_ppm = 300000;
	made->point.counters.pages = 60;
	make_tree(made, 1);
	for (uint32_t i = 0; i < made->tree->nr; i++) {
		if (made->tree->dying[i])
			continue;
		put_file(made, i, "memory.numa_stat", v1_text(text, 1 + i, 1000));
		visible++;
		pages += 1 + i;
	}
	create_well(made, &backend_kernel_userwalk);
	assert_int_equal(count(made, 0, &probe), 0);
	expect_v1(made, 1, pages);
	assert_int_equal(visible, 8);
	assert_int_equal(probe.counts.memcgs_visited, visible);
	expect_reads(made, visible, 2 * visible, "reopened");
	/* Three dying ones may hold 60 pages each, and two CPUs 31. */
	assert_int_equal(
		made->backend->bound(&made->point, SCOPE_HIERARCHICAL, NUMA_ROW_TOTAL, 0, 11, 660),
		3 * 60 + 2 * 31);
}

static void the_floor_is_the_smallest_file_and_not_compared(void **state)
{
	struct made *made = *state;
	struct op_probe probe = {.lines = NULL};
	json_t *facts;

	make_tree(made, 1);
	put_file(made, 0, "cgroup.max.depth", "max\n");
	put_file(made, 0, "memory.swappiness", "60\n");
	put_file(made, 0, "cgroup.type", "");
	create_well(made, &backend_kernel_floor);
	assert_int_equal(count(made, 0, &probe), 0);
	assert_int_equal(probe.counts.text_bytes, 3);
	facts = made->backend->facts(made->instance);
	assert_string_equal(json_string_value(json_object_get(facts, "file")), "memory.swappiness");
	json_decref(facts);
	assert_true(backend_bound(made->backend, &made->point, SCOPE_LOCAL, NUMA_ROW_TOTAL, 0, 5,
				  0) == BOUND_NONE);
}

static void files_below_the_longest_path_are_read(void **state)
{
	struct made *made = *state;
	struct op_probe probe = {.lines = NULL};
	char text[1024];

	made->point.tree.shape = TREE_CHAIN;
	made->point.tree.memcgs = 1000; /* their names alone are longer than PATH_MAX */
	made->point.read.cgroup = TARGET_ALL;
	make_tree(made, 1);
	for (uint32_t i = 0; i < made->tree->nr; i++)
		put_file(made, i, "memory.numa_stat", v1_text(text, 1 + i, 0));
	create_well(made, &backend_kernel);
	for (uint32_t i = 0; i < made->tree->nr; i += 1 + i / 10) {
		assert_int_equal(count(made, i, &probe), 0);
		expect_v1(made, 1 + i, 1 + i);
	}
}

struct thread {
	struct made *made;
	unsigned cpu;
	pthread_t thread;
	unsigned wrong;
};

static void *read_much(void *arg)
{
	struct thread *self = arg;
	struct made *made = self->made;
	struct read_request request = {.cpu = self->cpu, .rows = ROWS_ALL};
	struct numa_counts counts;

	if (numa_counts_init(&counts, NODES, made->point.machine.nids))
		return NULL;
	for (unsigned i = 0; i < 2000; i++) {
		request.memcg = i % made->tree->nr;
		self->wrong += made->backend->read_counts(made->instance, &request, &counts) ||
			       counts.cells[0] != 6 * (1 + request.memcg);
	}
	numa_counts_fini(&counts);
	return NULL;
}

static void readers_do_not_meet(struct made *made, enum read_buffer buffer)
{
	struct thread threads[2];
	char text[1024];

	made->point.read.buffer = buffer;
	made->point.read.readers = 2;
	made->point.read.cgroup = TARGET_ALL;
	make_tree(made, 1);
	for (uint32_t i = 0; i < made->tree->nr; i++)
		put_file(made, i, "memory.numa_stat", v1_text(text, 1 + i, 0));
	create_well(made, &backend_kernel);
	for (unsigned i = 0; i < 2; i++) {
		threads[i] = (struct thread){.made = made, .cpu = i};
		assert_int_equal(pthread_create(&threads[i].thread, NULL, read_much, &threads[i]),
				 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(threads[i].thread, NULL);
		assert_int_equal(threads[i].wrong, 0);
	}
}

static void readers_that_open_anew_do_not_meet(void **state)
{
	readers_do_not_meet(*state, BUFFER_REOPENED);
}

static void readers_that_keep_files_open_do_not_meet(void **state)
{
	readers_do_not_meet(*state, BUFFER_KEPT);
}

static void a_third_reader_of_two_is_an_error(void **state)
{
	struct made *made = *state;
	struct read_request request = {.cpu = 1, .rows = ROWS_ALL};
	char text[1024];

	make_tree(made, 1);
	put_file(made, 0, "memory.numa_stat", v1_text(text, 1, 0));
	create_well(made, &backend_kernel);
	assert_int_equal(made->backend->read_counts(made->instance, &request, &made->counts),
			 -EINVAL);
}

/* v1: a row of each kind that is compared, and of what it is with. */
static void put_memory_stat(struct made *made, uint32_t memcg, unsigned pages, const char *more)
{
	char *text = malloc(65536);
	int length;

	length = snprintf(text, 65536,
			  "cache 0\nrss 0\ninactive_anon 0\nactive_anon 0\ninactive_file 0\n"
			  "active_file 0\nunevictable %u\n%s"
			  "total_cache 0\ntotal_rss 0\ntotal_inactive_anon 0\n"
			  "total_active_anon 0\ntotal_inactive_file 0\ntotal_active_file 0\n"
			  "total_unevictable %u\n",
			  4096 * pages, more, 4096 * pages);
	assert_in_range(length, 1, 65535);
	put_file(made, memcg, "memory.stat", text);
	free(text);
}

static void read_both_by_kernel(struct made *made, enum read_buffer buffer, unsigned reads)
{
	char text[1024], both[2048], *longer = malloc(30001);
	struct read_request request = {.memcg = 0, .rows = ROWS_ALL};
	struct op_probe probe = {.lines = NULL};
	struct live_reading *reading;
	const struct numa_counts *beside;
	long stat;

	made->point.read.buffer = buffer;
	made->point.read.with = WITH_MEMORY_STAT;
	make_tree(made, 1);
	put_file(made, 0, "memory.numa_stat", v1_text(text, 5, 7));
	put_memory_stat(made, 0, 3, "");
	create_well(made, &backend_kernel);
	reading = made->instance;
	assert_int_equal(count(made, 0, &probe), 0);
	expect_v1(made, 5, 12);
	expect_reads(made, 2, reads, buffer == BUFFER_KEPT ? "kept" : "reopened");
	beside = live_reads_counts_beside(reading, 0);
	assert_int_equal(beside->cells[stat_cell(beside, SCOPE_HIERARCHICAL, 0, 0)], 0);
	stat = (long)(reading->counted.bytes - strlen(text));
	assert_true(stat > 0);
	assert_int_equal(probe.counts.text_bytes, reading->counted.bytes);
	assert_int_equal(backend_kernel.read_text(made->instance, &request, &made->counts,
						  TEXT_FAST, both, sizeof(both)),
			 stat + (long)strlen(text));
	/* The file's own is in the buffer, not what came before it. */
	assert_memory_equal(both, text, strlen(text));

	/* No room of either is written beyond. */
	memset(longer, 'x', 30000);
	longer[29999] = '\n';
	longer[30000] = '\0';
	put_memory_stat(made, 0, 3, longer);
	free(longer);
	assert_int_equal(count(made, 0, &probe), -ENOSPC);
}

static void memory_stat_is_read_before_a_file(void **state)
{
	read_both_by_kernel(*state, BUFFER_REOPENED, 4);
}

static void memory_stat_is_read_through_a_descriptor_of_its_own(void **state)
{
	read_both_by_kernel(*state, BUFFER_KEPT, 2);
}

static void a_longer_memory_stat_has_room(void **state)
{
	struct made *made = *state;
	struct op_probe probe = {.lines = NULL};
	char text[1024], *longer = malloc(30001);

	memset(longer, 'x', 30000);
	longer[29999] = '\n';
	longer[30000] = '\0';
	made->point.read.with = WITH_MEMORY_STAT;
	make_tree(made, 1);
	put_file(made, 0, "memory.numa_stat", v1_text(text, 5, 7));
	put_memory_stat(made, 0, 3, longer);
	free(longer);
	create_well(made, &backend_kernel);
	assert_true(backend_kernel.text_room(made->instance) > 30000);
	assert_int_equal(count(made, 0, &probe), 0);
	assert_true(probe.counts.text_bytes > 30000 + strlen(text));
}

static void a_walk_reads_and_adds_up_both_files(void **state)
{
	struct made *made = *state;
	struct op_probe probe = {.lines = NULL};
	const struct numa_counts *beside;
	unsigned found = 0;
	char text[1024];

	made->point.read.with = WITH_MEMORY_STAT;
	make_tree(made, 1);
	for (uint32_t i = 0; i < made->tree->nr; i++) {
		put_file(made, i, "memory.numa_stat", v1_text(text, 5, 0));
		put_memory_stat(made, i, 3, "");
	}
	create_well(made, &backend_kernel_userwalk);
	for (unsigned again = 1; again <= 2; again++) {
		assert_int_equal(count(made, 0, &probe), 0);
		expect_v1(made, 5, 25);
		assert_int_equal(probe.counts.memcgs_visited, 5 * again);
		expect_reads(made, 10 * again, 20 * again, "reopened");
	}
	beside = live_reads_counts_beside(made->instance, 0);
	for (unsigned row = 0; row < beside->format->nr_rows; row++) {
		if (strcmp(beside->format->rows[row].name, "unevictable") != 0)
			continue;
		found++;
		assert_int_equal(beside->cells[stat_cell(beside, SCOPE_LOCAL, row, 0)], 3);
		assert_int_equal(beside->cells[stat_cell(beside, SCOPE_HIERARCHICAL, row, 0)], 15);
	}
	assert_int_equal(found, 1);
}

static void a_memory_stat_that_is_not_there_is_an_error(void **state)
{
	struct made *made = *state;
	struct error err = {.text = ""};
	char text[1024];

	made->point.read.with = WITH_MEMORY_STAT;
	make_tree(made, 1);
	put_file(made, 0, "memory.numa_stat", v1_text(text, 5, 7));
	assert_int_equal(create(made, &backend_kernel, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cannot open"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(a_file_opened_anew_is_read_to_its_end),
		TEST(a_file_that_stays_open_is_read_by_one_call),
		TEST(memory_stat_is_read_before_a_file),
		TEST(memory_stat_is_read_through_a_descriptor_of_its_own),
		TEST(a_longer_memory_stat_has_room),
		TEST(a_walk_reads_and_adds_up_both_files),
		TEST(a_memory_stat_that_is_not_there_is_an_error),
		TEST(a_text_longer_than_any_room_is_an_error),
		TEST(a_file_longer_than_a_page_has_room),
		TEST(a_file_that_is_missing_is_named),
		TEST(what_cannot_be_read_is_an_error),
		TEST(damage_is_an_error_at_whatever_byte),
		TEST(a_row_twice_is_an_error),
		TEST(rows_of_v2_are_taken_by_name_and_unit),
		TEST(a_walk_adds_up_what_has_a_file),
		TEST(the_floor_is_the_smallest_file_and_not_compared),
		TEST(files_below_the_longest_path_are_read),
		TEST(readers_that_open_anew_do_not_meet),
		TEST(readers_that_keep_files_open_do_not_meet),
		TEST(a_third_reader_of_two_is_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
