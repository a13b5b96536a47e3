// SPDX-License-Identifier: MIT
/*
 * read.spills: every event spills once from each batch that it meets, before each sample and
 * outside of it, and in the end all pages are where they were.
 */
#include "driver/sampler.h"
#include "driver/spills.h"
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SPILLS 3
/* What an event does that spills: both batches, the lruvec's local counter, and, for the spill, the
 * memcg's. */
#define ADDS_OF_A_SPILL 4

/* `cached`, and what it was asked for. */
static struct {
	const struct backend *real;
	unsigned events, reads;
	unsigned events_at_last_read;
	long pages;
	bool all_spilled, all_fresh;
} seen;

static void noting_update(void *instance, const struct update *update)
{
	struct op_probe probe = {.lines = NULL};

	seen.real->count_update(instance, update, &probe);
	seen.events++;
	seen.pages += update->delta;
	if (probe.counts.adds != ADDS_OF_A_SPILL || update->memcg == 0)
		seen.all_spilled = false;
}

static int noting_read(void *instance, const struct read_request *request, struct numa_counts *out)
{
	/* The first one makes the reader ready and is no sample. */
	if (seen.reads++ && seen.events != seen.events_at_last_read + SPILLS)
		seen.all_fresh = false;
	seen.events_at_last_read = seen.events;
	return seen.real->read_counts(instance, request, out);
}

/* A point with remainders of all sizes in its batches, and a sampler over it. */
static void begin(struct test_model *f, struct sampler *sampler, struct backend *noting,
		  unsigned batch)
{
	struct point point = small_point(30, 2, 3);

	point.read.spills = SPILLS;
	point.read.form = FORM_COUNTS;
	point.counters.batch = batch;
	fixture_init(f, &point, "cached");
	fixture_populate(f);
	*noting = *f->backend;
	noting->update = noting_update;
	noting->read_counts = noting_read;
	memset(&seen, 0, sizeof(seen));
	seen.real = f->backend;
	seen.all_spilled = seen.all_fresh = true;
	*sampler = (struct sampler){.backend = noting,
				    .instance = f->instance,
				    .point = &f->point,
				    .tree = f->tree,
				    .placement = f->placement};
	timer_floor_measure(&sampler->floor);
}

static void every_event_spills_whatever_a_batch_holds(void **state)
{
	static const unsigned batches[] = {0, 1, 32, 1000};

	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		struct sampler sampler;
		struct backend noting;
		struct spills spills;
		struct test_model f;

		begin(&f, &sampler, &noting, batches[i]);
		spills_init(&spills, &sampler, 2);
		for (unsigned n = 1; n <= 200; n++) {
			spills_make(&spills);
			assert_int_equal(seen.events, n * SPILLS);
			assert_true(n % 2 ? seen.pages == SPILLS * (2 * (long)batches[i] + 1)
					  : seen.pages == 0);
		}
		assert_true(seen.all_spilled);
		fixture_fini(&f);
	}
}

static void every_sample_is_behind_spills_and_all_are_taken_back(void **state)
{
	for (unsigned samples = 5; samples <= 6; samples++) {
		struct sampling sampling = {.samples = samples, .reads_per_sample = 1};
		struct error err = {.text = ""};
		struct sampler sampler;
		struct sampled out;
		struct backend noting;
		struct test_model f;

		begin(&f, &sampler, &noting, 32);
		if (sampler_run(&sampler, &sampling, &out, &err))
			fail_msg("%s", err.text);
		assert_true(out.manual_clock);
		assert_int_equal(seen.reads, 1 + samples);
		assert_int_equal(seen.events, 6 * SPILLS);
		assert_true(seen.all_fresh && seen.all_spilled);
		assert_true(seen.pages == 0);
		for (uint32_t memcg = 0; memcg <= 30; memcg++)
			fixture_compare(&f, memcg);
		sampled_fini(&out);
		fixture_fini(&f);
	}
}

static void a_read_behind_spills_is_never_batched(void **state)
{
	struct error err = {.text = ""};
	struct sampling sampling;
	struct sampler sampler;
	struct backend noting;
	struct test_model f;

	begin(&f, &sampler, &noting, 32);
	sampler.floor.median_ns = 1e5; /* so coarse that any read asks for a batch */
	assert_int_equal(sampler_pilot(&sampler, &sampling, &err), 0);
	assert_int_equal(sampling.reads_per_sample, 1);
	assert_true(seen.all_fresh);
	assert_true(seen.pages == 0);
	f.point.read.spills = 0;
	assert_int_equal(sampler_pilot(&sampler, &sampling, &err), 0);
	assert_true(sampling.reads_per_sample > 1);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_spills_whatever_a_batch_holds),
		cmocka_unit_test(every_sample_is_behind_spills_and_all_are_taken_back),
		cmocka_unit_test(a_read_behind_spills_is_never_batched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
