// SPDX-License-Identifier: MIT
/* See flusher.h. */
#include "driver/flusher.h"

#include "driver/churn.h"
#include "driver/writer.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define NAP_NS 10000000u /* the longest sleep: stopping takes no longer */

struct flusher {
	const struct sampler *sampler;
	struct gate *gate;
	unsigned bind; /* modelled CPU whose real one it runs on */
	bool started;
	atomic_bool stop;
	struct histogram *cost; /* ps of a flush */
	uint64_t late, total_ns, busy_ns; /* since the gate opened */
	unsigned os_cpu;
	pthread_t thread;
	int result;
	struct error err;
};

/* Relaxed: it orders nothing; who stopped it joins it before it looks at anything. */
static bool stopped(const struct flusher *flusher)
{
	return atomic_load_explicit(&flusher->stop, memory_order_relaxed);
}

static void wait_until(const struct flusher *flusher, uint64_t due)
{
	uint64_t now = clock_now();

	while (now < due && !stopped(flusher)) {
		uint64_t ns = due - now < NAP_NS ? due - now : NAP_NS;
		struct timespec nap = {.tv_nsec = (long)ns};

		nanosleep(&nap, NULL);
		now = clock_now();
	}
}

static int flush_once(struct flusher *flusher)
{
	const struct sampler *sampler = flusher->sampler;
	uint64_t then = clock_now(), ns;

	sampler->backend->flush(sampler->instance, 0);
	ns = clock_now() - then;
	flusher->total_ns += ns;
	return histogram_record(flusher->cost, ns * 1000);
}

static int flush_periodically(struct flusher *flusher)
{
	uint64_t period = flusher->sampler->point->counters.flusher_ns, begin = clock_now();
	int r = 0;

	for (uint64_t due = begin + period / 2; !r; due += period) {
		flusher->late += clock_now() > due;
		wait_until(flusher, due);
		if (stopped(flusher))
			break;
		r = flush_once(flusher);
	}
	flusher->busy_ns = clock_now() - begin;
	return r ? error_set(&flusher->err, r, "out of memory for what flushes took") : 0;
}

static void *flusher_main(void *arg)
{
	struct flusher *flusher = arg;

	flusher->result = placement_bind_thread(flusher->sampler->placement, flusher->bind,
						&flusher->os_cpu, &flusher->err);
	if (gate_wait(flusher->gate) && !flusher->result)
		flusher->result = flush_periodically(flusher);
	return NULL;
}

/* The modelled CPU whose real one has the fewest other threads; real ones come in turn. */
static int choose_cpu(struct flusher *flusher, struct error *err)
{
	const struct sampler *sampler = flusher->sampler;
	const struct placement *placement = sampler->placement;
	unsigned cpus = sampler->point->machine.cpus, fewest = UINT_MAX;
	int churner = -1;

	if (cpus > placement->machine->nr_cpus)
		cpus = placement->machine->nr_cpus;
	if (sampler->point->write.churn) {
		churner = placement_os_cpu(placement, churn_cpu(sampler->point), err);
		if (churner < 0)
			return churner;
	}
	for (unsigned cpu = 0; fewest && cpu < cpus; cpu++) {
		int os_cpu = placement_os_cpu(placement, cpu, err);
		unsigned threads = writers_on(sampler->writers, os_cpu);

		for (unsigned i = 0; os_cpu >= 0 && i < sampler->point->read.readers; i++) {
			int reader = placement_os_cpu(placement, i, err);

			if (reader < 0)
				return reader;
			threads += reader == os_cpu;
		}
		if (os_cpu < 0)
			return os_cpu;
		threads += os_cpu == churner;
		if (threads >= fewest)
			continue;
		fewest = threads;
		flusher->bind = cpu;
	}
	return 0;
}

int flusher_new(const struct sampler *sampler, struct flusher **out, struct error *err)
{
	struct flusher *flusher;
	int r;

	*out = NULL;
	if (!sampler->point->counters.flusher_ns)
		return 0;
	if (!sampler->backend->flush)
		return error_set(err, -EINVAL, "counters.flusher: %s has nothing to flush",
				 sampler->backend->name);
	flusher = calloc(1, sizeof(*flusher));
	if (!flusher)
		return error_set(err, -ENOMEM, "out of memory for a flusher");
	flusher->sampler = sampler;
	r = choose_cpu(flusher, err);
	if (r) {
		free(flusher);
		return r;
	}
	*out = flusher;
	return 0;
}

void flusher_free(struct flusher *flusher)
{
	if (!flusher)
		return;
	histogram_free(flusher->cost);
	free(flusher);
}

int flusher_start(struct flusher *flusher, struct gate *gate, struct error *err)
{
	int r;

	if (!flusher)
		return 0;
	flusher->gate = gate;
	histogram_free(flusher->cost);
	flusher->cost = histogram_new();
	if (!flusher->cost)
		return error_set(err, -ENOMEM, "out of memory for a flusher");
	flusher->late = flusher->total_ns = flusher->busy_ns = 0;
	flusher->result = 0;
	/* Before the thread is made: it sees it. */
	atomic_store_explicit(&flusher->stop, false, memory_order_relaxed);
	r = pthread_create(&flusher->thread, NULL, flusher_main, flusher);
	if (r)
		return error_set(err, -r, "cannot start the flusher: %s", strerror(r));
	flusher->started = true;
	return 0;
}

unsigned flusher_nr(const struct flusher *flusher)
{
	return flusher && flusher->started;
}

int flusher_stop(struct flusher *flusher, struct error *err)
{
	if (!flusher || !flusher->started)
		return 0;
	atomic_store_explicit(&flusher->stop, true, memory_order_relaxed);
	pthread_join(flusher->thread, NULL);
	flusher->started = false;
	if (flusher->result && err)
		*err = flusher->err;
	return flusher->result;
}

struct flusher_cost flusher_digest(const struct flusher *flusher)
{
	if (!flusher)
		return (struct flusher_cost){.period_ns = 0};
	return (struct flusher_cost){
		.period_ns = flusher->sampler->point->counters.flusher_ns,
		.flushes = histogram_count(flusher->cost),
		.late = flusher->late,
		.median_ns = histogram_quantile_ns(flusher->cost, 0.5),
		.max_ns = histogram_quantile_ns(flusher->cost, 1),
		.total_ns = (double)flusher->total_ns,
		.seconds = (double)flusher->busy_ns / 1e9,
		.os_cpu = flusher->os_cpu,
	};
}
