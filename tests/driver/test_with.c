// SPDX-License-Identifier: MIT
/* read.with: another file of the same memcg before each, in the same read, and in its text. */
#include "driver/reader.h"
#include "driver/seq_file.h"
#include "fixture.h"
#include "memcg/stat_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_SEEN 64

/* `rstat`, and who was asked for what, in order: 'c' for cpu.stat, 's' for memory.stat, 'm' for
 * memory.numa_stat. */
static struct {
	const struct backend *real;
	char files[MOST_SEEN + 1];
	uint32_t memcgs[MOST_SEEN];
	unsigned nr;
	int fails; /* cpu.stat and memory.stat, with this */
} seen;

static void note(char file, const struct read_request *request)
{
	assert_true(seen.nr < MOST_SEEN);
	seen.memcgs[seen.nr] = request->memcg;
	seen.files[seen.nr++] = file;
	seen.files[seen.nr] = '\0';
}

static int noting_counts(void *instance, const struct read_request *request,
			 struct numa_counts *out)
{
	note('m', request);
	return seen.real->read_counts(instance, request, out);
}

static int noting_cpu_stat(void *instance, const struct read_request *request, struct cpu_stat *out)
{
	note('c', request);
	return seen.fails ? seen.fails : seen.real->read_cpu_stat(instance, request, out);
}

static int noting_stat(void *instance, const struct read_request *request, struct numa_counts *out)
{
	note('s', request);
	assert_ptr_equal(out->format, &stat_formats[STAT_MEMORY_V1]);
	return seen.fails ? seen.fails : seen.real->read_stat(instance, request, out);
}

struct bench {
	struct test_model f;
	struct backend noting;
	struct sampler sampler;
	struct reader *reader;
};

static void begin(struct bench *bench, enum read_with with, enum read_target cgroup,
		  enum read_form form)
{
	struct point point = small_point(20, 2, 2);

	point.read.with = with;
	point.read.cgroup = cgroup;
	point.read.form = form;
	fixture_init(&bench->f, &point, "rstat");
	fixture_populate(&bench->f);
	bench->noting = *bench->f.backend;
	bench->noting.read_counts = noting_counts;
	bench->noting.read_cpu_stat = noting_cpu_stat;
	bench->noting.read_stat = noting_stat;
	memset(&seen, 0, sizeof(seen));
	seen.real = bench->f.backend;
	bench->sampler = (struct sampler){.backend = &bench->noting,
					  .instance = bench->f.instance,
					  .point = &bench->f.point,
					  .tree = bench->f.tree,
					  .placement = bench->f.placement};
	assert_int_equal(readers_new(&bench->sampler, 1, 1, &bench->reader, NULL), 0);
	assert_int_equal(reader_prepare(bench->reader, NULL), 0);
}

static void end(struct bench *bench)
{
	readers_free(bench->reader, 1);
	fixture_fini(&bench->f);
}

static void both_files_are_one_read_and_both_texts_count(void **state)
{
	char text[CPU_STAT_TEXT_MAX];
	struct bench bench;
	long alone, both, neighbour;

	begin(&bench, WITH_NONE, TARGET_ROOT, FORM_TEXT);
	alone = reader_read(bench.reader);
	assert_string_equal(seen.files, "m");
	end(&bench);

	begin(&bench, WITH_CPU_STAT, TARGET_ROOT, FORM_TEXT);
	/* The first flushes; what the second prints is what the third does. */
	reader_read(bench.reader);
	both = reader_read(bench.reader);
	assert_string_equal(seen.files, "cmcm");
	neighbour = backend_read_cpu_stat(&bench.noting, bench.f.instance,
					  &(struct read_request){.memcg = 0}, FORM_TEXT,
					  TEXT_SEQ_PRINTF, text, sizeof(text));
	assert_int_equal(neighbour, strlen(text));
	/* Memory's text has taken its place in the buffer. */
	assert_int_equal(both, neighbour + (long)strlen(bench.reader->text));
	assert_true(alone > 0 && neighbour > 0);
	end(&bench);

	begin(&bench, WITH_CPU_STAT, TARGET_ROOT, FORM_COUNTS);
	assert_int_equal(reader_read(bench.reader), 0);
	assert_string_equal(seen.files, "cm");
	end(&bench);
}

/* What a read of it takes by itself, and what is in the text. */
static long memory_stat_alone(struct bench *bench)
{
	struct read_request request = {.memcg = 0, .rows = ROWS_ALL};
	size_t size = stat_text_max(&stat_formats[STAT_MEMORY_V1], bench->f.point.machine.nodes);
	struct numa_counts counts;
	char *text = malloc(size);
	long length;

	assert_non_null(text);
	assert_int_equal(stat_counts_init(&counts, &stat_formats[STAT_MEMORY_V1],
					  bench->f.point.machine.nodes,
					  bench->f.point.machine.nids),
			 0);
	length = backend_read(bench->f.backend, bench->f.instance, &request, &counts, FORM_TEXT,
			      TEXT_SEQ_PRINTF, text, size);
	/* It is filled with what this file shows, and the other does not. */
	assert_non_null(strstr(text, "\ntotal_pgfault "));
	assert_null(strstr(text, "\ntotal_pgfault 0\n"));
	numa_counts_fini(&counts);
	free(text);
	return length;
}

static void memory_stat_is_shown_before_numa_stat(void **state)
{
	struct bench bench;
	long neighbour, both;

	begin(&bench, WITH_MEMORY_STAT, TARGET_ROOT, FORM_TEXT);
	neighbour = memory_stat_alone(&bench);
	assert_true(neighbour > 0 && neighbour < (long)SEQ_FILE_START);
	both = reader_read(bench.reader);
	assert_int_equal(both, neighbour + (long)strlen(bench.reader->text));
	assert_string_equal(seen.files, "sm");
	assert_non_null(strstr(bench.reader->text, "hierarchical_total="));
	end(&bench);

	begin(&bench, WITH_MEMORY_STAT, TARGET_ROOT, FORM_COUNTS);
	assert_int_equal(reader_read(bench.reader), 0);
	assert_string_equal(seen.files, "sm");
	end(&bench);
}

/* Each file has a buffer of its own, which grows by itself. */
static void a_short_buffer_of_either_file_is_its_own_affair(void **state)
{
	struct bench bench;
	long whole;

	begin(&bench, WITH_MEMORY_STAT, TARGET_ROOT, FORM_TEXT);
	whole = reader_read(bench.reader);
	bench.f.point.read.buffer = BUFFER_KEPT;
	bench.reader->neighbour.buffer_size = 512;
	seen.nr = 0;
	assert_int_equal(reader_read(bench.reader), whole);
	assert_true(seen.nr > 2 && seen.files[seen.nr - 2] == 's');
	assert_int_equal(bench.reader->buffer_size, SEQ_FILE_START);
	assert_true(bench.reader->neighbour.buffer_size >= 1024);
	seen.nr = 0;
	assert_int_equal(reader_read(bench.reader), whole);
	assert_string_equal(seen.files, "sm");
	end(&bench);
}

static void sweep(enum read_with with, char file)
{
	struct bench bench;

	begin(&bench, with, TARGET_ALL, FORM_TEXT);
	assert_true(reader_read(bench.reader) > 0);
	assert_int_equal(seen.nr, 2 * bench.f.tree->nr);
	for (unsigned i = 0; i < seen.nr; i += 2) {
		assert_int_equal(seen.files[i], file);
		assert_int_equal(seen.files[i + 1], 'm');
		assert_int_equal(seen.memcgs[i], seen.memcgs[i + 1]);
		assert_true(!i || seen.memcgs[i] != seen.memcgs[i - 1]);
	}
	end(&bench);
}

static void a_sweep_reads_it_of_every_memcg_before_its_file(void **state)
{
	sweep(WITH_CPU_STAT, 'c');
	sweep(WITH_MEMORY_STAT, 's');
}

static void fail_with(enum read_with with, const char *files)
{
	struct bench bench;

	begin(&bench, with, TARGET_ROOT, FORM_TEXT);
	seen.fails = -EIO;
	assert_int_equal(reader_read(bench.reader), -EIO);
	assert_string_equal(seen.files, files);
	end(&bench);
}

static void a_read_of_it_that_fails_fails_the_read(void **state)
{
	fail_with(WITH_CPU_STAT, "c");
	fail_with(WITH_MEMORY_STAT, "s");
}

/* Nothing is read twice where a back end does it all. */
static void a_back_end_that_reads_it_by_itself_is_left_to_it(void **state)
{
	struct bench bench;

	begin(&bench, WITH_MEMORY_STAT, TARGET_ROOT, FORM_TEXT);
	readers_free(bench.reader, 1);
	bench.noting.with = 1u << WITH_MEMORY_STAT;
	assert_int_equal(readers_new(&bench.sampler, 1, 1, &bench.reader, NULL), 0);
	assert_int_equal(reader_prepare(bench.reader, NULL), 0);
	assert_true(reader_read(bench.reader) > 0);
	assert_string_equal(seen.files, "m");
	end(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_files_are_one_read_and_both_texts_count),
		cmocka_unit_test(memory_stat_is_shown_before_numa_stat),
		cmocka_unit_test(a_short_buffer_of_either_file_is_its_own_affair),
		cmocka_unit_test(a_back_end_that_reads_it_by_itself_is_left_to_it),
		cmocka_unit_test(a_sweep_reads_it_of_every_memcg_before_its_file),
		cmocka_unit_test(a_read_of_it_that_fails_fails_the_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
