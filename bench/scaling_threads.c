// SPDX-License-Identifier: MIT
/* See scaling_threads.h. */
#include "scaling_threads.h"

#include "timing/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define SLICE       1024u /* updates between two looks at the clock */
#define WARM_SLICES 16u
#define ON_CPU      0.95 /* of the time that passed, or the thread was off its CPU */

struct start {
	atomic_uint ready;
	unsigned nr;
};

struct worker {
	const struct placement *placement;
	const struct load *load;
	struct start *start;
	unsigned index;
	uint64_t ns;
	pthread_t thread;
	/* what came out */
	double update_ns;
	unsigned os_cpu;
	bool disturbed;
	int code;
	struct error err;
};

static uint64_t on_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void do_slice(const struct load *load)
{
	for (unsigned i = 0; i < SLICE; i++)
		load->update(load->instance, &load->event);
}

/* Spins: what wakes a sleeping thread takes longer than many an interval. */
static void wait_for_all(struct start *start)
{
	/* Release and acquire: what each has made warm is there when the other begins. */
	atomic_fetch_add_explicit(&start->ready, 1, memory_order_release);
	while (atomic_load_explicit(&start->ready, memory_order_acquire) < start->nr)
		;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	uint64_t begin, now, busy, slices = 0;

	worker->code = placement_bind_thread(worker->placement, worker->index, &worker->os_cpu,
					     &worker->err);
	for (unsigned i = 0; !worker->code && i < WARM_SLICES; i++)
		do_slice(worker->load);
	wait_for_all(worker->start);
	if (worker->code)
		return NULL;
	busy = on_cpu_ns();
	begin = now = clock_now();
	while (now - begin < worker->ns) {
		do_slice(worker->load);
		slices++;
		now = clock_now();
	}
	busy = on_cpu_ns() - busy;
	worker->update_ns = (double)(now - begin) / (double)(slices * SLICE);
	worker->disturbed = (double)busy < ON_CPU * (double)(now - begin);
	return NULL;
}

int scaling_interval(const struct placement *placement, const struct load loads[SCALING_THREADS],
		     unsigned which, uint64_t ns, struct interval *interval, struct error *err)
{
	struct start start = {.nr = which == BOTH ? 2 : 1};
	struct worker workers[SCALING_THREADS];
	unsigned started = 0;
	int r = 0;

	*interval = (struct interval){.disturbed = false};
	for (unsigned i = 0; i < SCALING_THREADS; i++) {
		workers[i] = (struct worker){placement, &loads[i], &start, i, ns, .code = 0};
		if (r || !(which & 1u << i))
			continue;
		r = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (r)
			error_set(err, -r, "a thread cannot be made: %s", strerror(r));
		else
			started |= 1u << i;
	}
	if (r) /* let the one that waits for the other go on */
		atomic_fetch_add_explicit(&start.ready, SCALING_THREADS, memory_order_release);
	for (unsigned i = 0; i < SCALING_THREADS; i++) {
		if (!(started & 1u << i))
			continue;
		pthread_join(workers[i].thread, NULL);
		interval->ns[i] = workers[i].update_ns;
		interval->os_cpu[i] = workers[i].os_cpu;
		interval->disturbed |= workers[i].disturbed;
		if (workers[i].code && !r) {
			*err = workers[i].err;
			r = -workers[i].code;
		}
	}
	return -r;
}
