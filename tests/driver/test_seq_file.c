// SPDX-License-Identifier: MIT
/* A text that does not fit is shown again, counting included, as often as its buffer says. */
#include "driver/reader.h"
#include "driver/seq_file.h"
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* `cached`, and how often it was asked for counts. */
static struct {
	const struct backend *real;
	unsigned shows;
} seen;

static int noting_read(void *instance, const struct read_request *request, struct numa_counts *out)
{
	seen.shows++;
	return seen.real->read_counts(instance, request, out);
}

static int noting_stat(void *instance, const struct read_request *request, struct numa_counts *out)
{
	seen.shows++;
	return seen.real->read_stat(instance, request, out);
}

struct bench {
	struct test_model f;
	struct backend noting;
	struct sampler sampler;
	struct reader *reader;
};

static void begin(struct bench *bench, const struct point *point)
{
	fixture_init(&bench->f, point, "cached");
	fixture_populate(&bench->f);
	bench->noting = *bench->f.backend;
	bench->noting.read_counts = noting_read;
	bench->noting.read_stat = noting_stat;
	seen.real = bench->f.backend;
	seen.shows = 0;
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

/* Reads once; how often the file was shown for it. */
static unsigned shows_of_a_read(struct bench *bench, long *length)
{
	seen.shows = 0;
	*length = reader_read(bench->reader);
	assert_true(*length > 0);
	return seen.shows;
}

static struct point point_of(uint32_t nodes, enum read_version version, enum read_buffer buffer)
{
	struct point point = small_point(20, nodes, 2);

	/* No column is empty. */
	point.counters.spread_nodes = nodes;
	point.counters.batch = 0;
	point.read.version = version;
	point.read.buffer = buffer;
	return point;
}

/* Reads of one point: the first one's shows, and those of the second. */
static long read_twice(const struct point *point, unsigned first, unsigned second)
{
	struct bench bench;
	long lengths[2];

	begin(&bench, point);
	assert_int_equal(shows_of_a_read(&bench, &lengths[0]), first);
	assert_int_equal(shows_of_a_read(&bench, &lengths[1]), second);
	assert_int_equal(lengths[0], lengths[1]);
	assert_int_equal(seq_file_shows(point, (size_t)lengths[0]), second);
	end(&bench);
	return lengths[0];
}

static void a_short_text_is_shown_once_whatever_the_buffer(void **state)
{
	for (unsigned buffer = BUFFER_REOPENED; buffer <= BUFFER_LARGE; buffer++) {
		struct point v1 = point_of(2, READ_V1, buffer), v2 = point_of(2, READ_V2, buffer);

		assert_true(read_twice(&v1, 1, 1) < (long)SEQ_FILE_START);
		assert_true(read_twice(&v2, 1, 1) < (long)SEQ_FILE_START);
	}
}

static void a_long_text_is_shown_again_at_every_open(void **state)
{
	struct point point = point_of(64, READ_V1, BUFFER_REOPENED);
	long length = read_twice(&point, 2, 2);

	assert_true(length >= 4096 && length < 8192);
	point = point_of(64, READ_V2, BUFFER_REOPENED);
	length = read_twice(&point, 3, 3);
	assert_true(length >= 8192 && length < 16384);
}

static void a_kept_descriptor_pays_once_and_a_large_buffer_never(void **state)
{
	struct point point = point_of(64, READ_V2, BUFFER_KEPT);
	size_t most = seq_file_most(point_format(&point), point.machine.nodes);
	long length = read_twice(&point, 3, 1);

	point.read.buffer = BUFFER_LARGE;
	assert_int_equal(read_twice(&point, 1, 1), length);
	assert_int_equal(seq_file_start(&point, most), most);
	/* Whatever the numbers are. */
	assert_true(most > (size_t)length);
}

static void a_text_needs_a_byte_to_spare(void **state)
{
	struct point point = point_of(64, READ_V1, BUFFER_REOPENED);

	assert_int_equal(seq_file_shows(&point, 0), 1);
	assert_int_equal(seq_file_shows(&point, 4095), 1);
	assert_int_equal(seq_file_shows(&point, 4096), 2);
	assert_int_equal(seq_file_shows(&point, 8191), 2);
	assert_int_equal(seq_file_shows(&point, 8192), 3);
	point.read.form = FORM_COUNTS;
	assert_int_equal(seq_file_shows(&point, 8192), 1);
}

/* The fewest nodes with which the root's text, which has the longest numbers, does not fit. */
static uint32_t nodes_of_a_long_root(void)
{
	for (uint32_t nodes = 2; nodes <= 64; nodes++) {
		struct point point = point_of(nodes, READ_V2, BUFFER_REOPENED);
		struct bench bench;
		unsigned shows;
		long length;

		begin(&bench, &point);
		shows = shows_of_a_read(&bench, &length);
		end(&bench);
		if (shows > 1)
			return nodes;
	}
	fail_msg("every text fits");
	return 0;
}

/* A reader opens each file of a sweep; short and long texts are among them. */
static void each_file_of_a_sweep_starts_anew(void **state)
{
	struct point point = point_of(nodes_of_a_long_root(), READ_V2, BUFFER_REOPENED);
	unsigned expected = 0;
	struct bench bench;
	long length;

	begin(&bench, &point);
	for (uint32_t memcg = 0; memcg <= 20; memcg++) {
		bench.reader->request.memcg = memcg;
		shows_of_a_read(&bench, &length);
		expected += seq_file_shows(&point, (size_t)length);
	}
	end(&bench);
	assert_true(expected > 21 && expected < 42);
	point.read.cgroup = TARGET_ALL;
	begin(&bench, &point);
	assert_int_equal(shows_of_a_read(&bench, &length), expected);
	end(&bench);
}

static void plans_guess_what_texts_usually_take(void **state)
{
	struct point point = point_of(2, READ_V1, BUFFER_REOPENED);

	assert_int_equal(seq_file_guess_shows(&point), 1);
	point = point_of(64, READ_V1, BUFFER_REOPENED);
	assert_int_equal(seq_file_guess_shows(&point), 2);
	point = point_of(64, READ_V2, BUFFER_REOPENED);
	assert_int_equal(seq_file_guess_shows(&point), 3);
	point.read.buffer = BUFFER_KEPT;
	assert_int_equal(seq_file_guess_shows(&point), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_text_is_shown_once_whatever_the_buffer),
		cmocka_unit_test(a_long_text_is_shown_again_at_every_open),
		cmocka_unit_test(a_kept_descriptor_pays_once_and_a_large_buffer_never),
		cmocka_unit_test(a_text_needs_a_byte_to_spare),
		cmocka_unit_test(each_file_of_a_sweep_starts_anew),
		cmocka_unit_test(plans_guess_what_texts_usually_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
