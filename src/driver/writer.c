// SPDX-License-Identifier: MIT
/* See writer.h. */
#include "driver/writer.h"

#include "driver/churn.h"
#include "driver/writer_list.h"
#include "driver/writer_record.h"
#include "stats/order.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define APART         128 /* what prefetchers fetch together; see reader.c */
#define MOST_SLICES   64u /* in a batch */
#define BATCH_TRIES   8
#define LEAST_BATCHES 5 /* of a writer that is not paced, however soon the readers are done */
#define LEAST_NS      100000000u
#define NAP_NS        10000000u /* the longest sleep of a paced writer: stopping takes no longer */
/* Rough, for plans: a round to make caches warm, and the setup. */
#define GUESS_NS_PER_EVENT 40.0
#define STACK_AND_LIST     (256u << 10)

struct writer {
	alignas(APART) struct writers *team;
	unsigned index;
	unsigned bind; /* modelled CPU whose real one it runs on */
	unsigned os_cpu;
	struct run *runs; /* [ROUND_RUNS] */
	uint64_t slices; /* done since writers_new() */
	uint64_t batches, behind, busy_ns; /* since the gate opened */
	struct histogram *cost; /* ps per update */
	struct writer_record *record; /* or NULL: nobody wants to know how far it is */
	pthread_t thread;
	int result;
	struct error err;
};

struct writers {
	const struct sampler *sampler;
	struct gate *gate;
	unsigned nr, started;
	unsigned slices; /* of a batch */
	struct writer *writer;
	alignas(APART) atomic_bool stop;
	atomic_uint working; /* past their first batch, or never to be */
};

static void do_slices(struct writer *writer, unsigned nr)
{
	void (*update)(void *, const struct update *) = writer->team->sampler->backend->update;
	void *instance = writer->team->sampler->instance;

	for (unsigned n = 0; n < nr; n++) {
		const struct run *run = &writer->runs[writer->slices++ % ROUND_SLICES / RUN_SLICES];

		for (unsigned i = 0; i < SLICE_EVENTS / 2; i++) {
			update(instance, &run->step[0]);
			update(instance, &run->step[1]);
		}
	}
}

static void do_recorded_slices(struct writer *writer, unsigned nr)
{
	for (unsigned n = 0; n < nr; n++) {
		record_slice_begins(writer->record, writer->slices);
		do_slices(writer, 1);
		record_slice_ends(writer->record, writer->slices);
	}
}

static int do_batch(struct writer *writer)
{
	unsigned slices = writer->team->slices;
	uint64_t then = clock_now(), ns;

	if (writer->record)
		do_recorded_slices(writer, slices);
	else
		do_slices(writer, slices);
	ns = clock_now() - then;
	writer->batches++;
	return histogram_record(writer->cost, ns * 1000 / ((uint64_t)slices * SLICE_EVENTS));
}

/* Relaxed: it orders nothing; who stopped them joins them before it looks at anything. */
static bool stopped(const struct writer *writer)
{
	return atomic_load_explicit(&writer->team->stop, memory_order_relaxed);
}

/* Sleep until `due`, or until stopped. */
static void wait_until(const struct writer *writer, uint64_t due)
{
	uint64_t now = clock_now();

	while (now < due && !stopped(writer)) {
		uint64_t ns = due - now < NAP_NS ? due - now : NAP_NS;
		struct timespec nap = {.tv_nsec = (long)ns};

		nanosleep(&nap, NULL);
		now = clock_now();
	}
}

/* Release: writers_await() sees all that was done before it. */
static void say_working(struct writer *writer)
{
	atomic_fetch_add_explicit(&writer->team->working, 1, memory_order_release);
}

static int write_closed(struct writer *writer)
{
	int r = do_batch(writer);

	say_working(writer);
	while (!r && (writer->batches < LEAST_BATCHES || !stopped(writer)))
		r = do_batch(writer);
	return r;
}

static int write_paced(struct writer *writer)
{
	const struct writers *team = writer->team;
	double period = 1e9 * team->slices * SLICE_EVENTS / team->sampler->point->write.rate;
	double begin = (double)clock_now() + period * writer->index / team->nr;
	int r = 0;

	say_working(writer);
	while (!r && (!writer->batches || !stopped(writer))) {
		uint64_t due = (uint64_t)(begin + period * (double)writer->batches);

		if (writer->batches && clock_now() > due)
			writer->behind++;
		wait_until(writer, due);
		if (writer->batches && stopped(writer))
			break;
		r = do_batch(writer);
	}
	return r;
}

static void *writer_main(void *arg)
{
	struct writer *writer = arg;
	const struct sampler *sampler = writer->team->sampler;
	uint64_t begin;

	writer->result = placement_bind_thread(sampler->placement, writer->bind, &writer->os_cpu,
					       &writer->err);
	if (!writer->result)
		do_slices(writer, ROUND_SLICES);
	if (writer->record)
		record_start(writer->record, writer->slices);
	if (!gate_wait(writer->team->gate))
		return NULL;
	if (writer->result) {
		say_working(writer);
		return NULL;
	}
	begin = clock_now();
	writer->result = sampler->point->write.rate ? write_paced(writer) : write_closed(writer);
	writer->busy_ns = clock_now() - begin;
	return NULL;
}

/* Long enough for the timer, in the shortest of some: what interrupts one makes it longer. */
static void find_batch(struct writers *writers)
{
	double enough = FLOORS_PER_SAMPLE * writers->sampler->floor.median_ns;

	for (writers->slices = 1; writers->slices < MOST_SLICES; writers->slices *= 2) {
		double shortest = INFINITY;

		for (unsigned i = 0; i < BATCH_TRIES; i++) {
			uint64_t then = clock_now();

			do_slices(&writers->writer[0], writers->slices);
			shortest = fmin(shortest, (double)(clock_now() - then));
		}
		if (shortest >= enough)
			return;
	}
}

static void do_update(void *arg, const struct update *update)
{
	const struct sampler *sampler = arg;

	sampler->backend->update(sampler->instance, update);
}

static unsigned threads_on(int os_cpu, const int *os_cpus, unsigned nr)
{
	unsigned threads = 0;

	for (unsigned i = 0; i < nr; i++)
		threads += os_cpus[i] == os_cpu;
	return threads;
}

/* Of the modelled CPUs that each owns, the one whose real CPU fewest others run on. */
static int choose_cpus(struct writers *writers, struct error *err)
{
	const struct placement *placement = writers->sampler->placement;
	const struct point *point = writers->sampler->point;
	unsigned readers = point->read.readers, nr = readers, most = placement->machine->nr_cpus;
	int *os_cpus = calloc((size_t)readers + 1 + writers->nr, sizeof(*os_cpus)), r = 0;

	if (!os_cpus)
		return error_set(err, -ENOMEM, "out of memory for %u writers", writers->nr);
	for (unsigned i = 0; r >= 0 && i < readers; i++)
		r = os_cpus[i] = placement_os_cpu(placement, i, err);
	if (r >= 0 && point->write.churn)
		r = os_cpus[nr++] = placement_os_cpu(placement, churn_cpu(point), err);
	for (unsigned i = 0; r >= 0 && i < writers->nr; i++, nr++) {
		struct writer_cpus cpus = writer_cpus(placement, point, i);
		unsigned fewest = UINT_MAX, end = cpus.end;

		/* Modelled CPUs have real ones in turn: behind so many come the same again. */
		if (end > cpus.first + most)
			end = cpus.first + most;
		for (unsigned cpu = cpus.first; r >= 0 && fewest && cpu < end; cpu++) {
			unsigned threads;

			r = placement_os_cpu(placement, cpu, err);
			threads = threads_on(r, os_cpus, nr);
			if (r < 0 || threads >= fewest)
				continue;
			fewest = threads;
			writers->writer[i].bind = cpu;
			os_cpus[nr] = r;
		}
	}
	free(os_cpus);
	return r < 0 ? r : 0;
}

static int draw_lists(struct writers *writers, struct error *err)
{
	const struct sampler *sampler = writers->sampler;
	struct writer_targets targets;
	int r = writer_targets_new(sampler->tree, sampler->point, &targets);

	if (r == -EINVAL)
		return error_set(err, r, "write.target: a writer has no memcg that is not dying");
	for (unsigned i = 0; !r && i < writers->nr; i++) {
		struct writer *writer = &writers->writer[i];

		writer->team = writers;
		writer->index = i;
		writer->runs = aligned_alloc(APART, ROUND_RUNS * sizeof(*writer->runs));
		if (!writer->runs) {
			r = -ENOMEM;
			break;
		}
		writer_draw(sampler->placement, sampler->point, &targets, i, writer->runs);
		writer_each_setup(writer->runs, do_update, (void *)sampler);
	}
	writer_targets_free(&targets);
	return r ? error_set(err, r, "out of memory for what writers do") : 0;
}

int writers_new(const struct sampler *sampler, struct writers **out, struct error *err)
{
	unsigned nr = sampler->point->write.writers;
	struct writers *writers;
	int r;

	*out = NULL;
	if (!nr)
		return 0;
	writers = aligned_alloc(APART, sizeof(*writers));
	if (!writers)
		return error_set(err, -ENOMEM, "out of memory for writers");
	memset(writers, 0, sizeof(*writers));
	writers->sampler = sampler;
	writers->writer = aligned_alloc(APART, nr * sizeof(*writers->writer));
	if (!writers->writer) {
		free(writers);
		return error_set(err, -ENOMEM, "out of memory for %u writers", nr);
	}
	memset(writers->writer, 0, nr * sizeof(*writers->writer));
	writers->nr = nr;
	r = choose_cpus(writers, err);
	if (!r)
		r = draw_lists(writers, err);
	if (r) {
		writers_free(writers);
		return r;
	}
	find_batch(writers);
	*out = writers;
	return 0;
}

void writers_free(struct writers *writers)
{
	if (!writers)
		return;
	for (unsigned i = 0; i < writers->nr; i++) {
		histogram_free(writers->writer[i].cost);
		free(writers->writer[i].runs);
	}
	free(writers->writer);
	free(writers);
}

int writers_start(struct writers *writers, struct gate *gate, struct error *err)
{
	if (!writers)
		return 0;
	writers->gate = gate;
	/* Before the threads are made: they see it. */
	atomic_store_explicit(&writers->stop, false, memory_order_relaxed);
	atomic_store_explicit(&writers->working, 0, memory_order_relaxed);
	for (writers->started = 0; writers->started < writers->nr; writers->started++) {
		struct writer *writer = &writers->writer[writers->started];
		int r;

		histogram_free(writer->cost);
		writer->cost = histogram_new();
		if (!writer->cost)
			return error_set(err, -ENOMEM, "out of memory for a writer");
		writer->batches = writer->behind = writer->busy_ns = 0;
		writer->result = 0;
		r = pthread_create(&writer->thread, NULL, writer_main, writer);
		if (r)
			return error_set(err, -r, "cannot start writer %u of %u: %s",
					 writers->started + 1, writers->nr, strerror(r));
	}
	return 0;
}

void writers_record(struct writers *writers, struct writer_record *records)
{
	for (unsigned i = 0; i < writers->nr; i++)
		writers->writer[i].record = records ? &records[i] : NULL;
}

const struct run *writers_runs(const struct writers *writers, unsigned writer)
{
	return writers->writer[writer].runs;
}

unsigned writers_nr(const struct writers *writers)
{
	return writers ? writers->started : 0;
}

unsigned writers_on(const struct writers *writers, int os_cpu)
{
	unsigned threads = 0;

	for (unsigned i = 0; writers && i < writers->nr; i++)
		threads += placement_os_cpu(writers->sampler->placement, writers->writer[i].bind,
					    NULL) == os_cpu;
	return threads;
}

void writers_await(const struct writers *writers)
{
	/* Acquire: pairs with say_working(). They may need this CPU. */
	while (writers &&
	       atomic_load_explicit(&writers->working, memory_order_acquire) < writers->started)
		sched_yield();
}

int writers_stop(struct writers *writers, struct error *err)
{
	int r = 0;

	if (!writers)
		return 0;
	atomic_store_explicit(&writers->stop, true, memory_order_relaxed);
	for (unsigned i = 0; i < writers->started; i++) {
		struct writer *writer = &writers->writer[i];

		pthread_join(writer->thread, NULL);
		if (r || !writer->result)
			continue;
		r = writer->result;
		if (err && writer->err.text[0])
			*err = writer->err;
		else if (err)
			error_set(err, r, "writer %u: %s", i + 1, strerror(-r));
	}
	writers->started = 0;
	return r;
}

static void tell_oracle(void *arg, const struct update *update)
{
	oracle_update(arg, update);
}

void writers_account(const struct writers *writers, struct oracle *oracle)
{
	for (unsigned i = 0; writers && i < writers->nr; i++) {
		const struct writer *writer = &writers->writer[i];

		writer_each_setup(writer->runs, tell_oracle, oracle);
		/* Whole rounds have undone themselves. */
		for (uint64_t s = 0; s < writer->slices % ROUND_SLICES; s++)
			writer_each_of_slice(writer->runs, s, tell_oracle, oracle);
	}
}

static int add_share(const struct writers *writers, unsigned i, struct histogram *all,
		     struct writers_cost *cost)
{
	const struct writer *writer = &writers->writer[i];
	uint64_t updates = writer->batches * cost->updates_per_sample;
	double seconds = (double)writer->busy_ns / 1e9;

	cost->share[i] = (struct writer_share){(double)updates / seconds, writer->os_cpu};
	cost->updates += updates;
	cost->updates_per_s += cost->share[i].updates_per_s;
	cost->behind += writer->behind;
	cost->seconds = fmax(cost->seconds, seconds);
	return histogram_merge(all, writer->cost);
}

int writers_digest(const struct writers *writers, struct writers_cost *cost, struct error *err)
{
	struct histogram *all;
	int r = 0;

	*cost = (struct writers_cost){.writers = 0};
	if (!writers)
		return 0;
	all = histogram_new();
	cost->share = calloc(writers->nr, sizeof(*cost->share));
	if (!all || !cost->share)
		r = -ENOMEM;
	cost->writers = writers->nr;
	cost->updates_per_sample = (uint64_t)writers->slices * SLICE_EVENTS;
	for (unsigned i = 0; !r && i < writers->nr; i++)
		r = add_share(writers, i, all, cost);
	if (!r) {
		bool enough = histogram_count(all) >= samples_needed(0.99);

		cost->median_ns = histogram_quantile_ns(all, 0.5);
		cost->p99_batch_ns = enough ? histogram_quantile_ns(all, 0.99) : NAN;
	}
	histogram_free(all);
	return r ? error_set(err, r, "out of memory for what writers took") : 0;
}

void writers_cost_fini(struct writers_cost *cost)
{
	free(cost->share);
	cost->share = NULL;
}

uint64_t writers_least_ns(const struct point *point)
{
	if (!point->write.writers && !point->write.churn)
		return 0;
	return point->read.time_ns < LEAST_NS ? point->read.time_ns : LEAST_NS;
}

double writers_guess_ns(const struct point *point)
{
	return (double)writers_least_ns(point) +
	       GUESS_NS_PER_EVENT * ROUND_RUNS * RUN_EVENTS * point->write.writers;
}

uint64_t writers_guess_bytes(const struct point *point)
{
	uint64_t targets = point->write.writers ? 2 * sizeof(uint32_t) : 0;

	if (targets && point->counters.distribution != DISTRIBUTION_EVEN)
		targets += sizeof(uint64_t);
	return (uint64_t)STACK_AND_LIST * point->write.writers + targets * (point->tree.memcgs + 1);
}
