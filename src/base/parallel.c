// SPDX-License-Identifier: MIT
/* See parallel.h. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

struct parallel {
	int (*work)(void *arg, struct parallel *parallel);
	void *arg;
	size_t nr;
	atomic_size_t next;
	atomic_int result;
};

bool parallel_next(struct parallel *parallel, size_t *item)
{
	/* Only who gets which number matters: items are published by pthread_create(), and what
	 * became of them by pthread_join(). */
	*item = atomic_fetch_add_explicit(&parallel->next, 1, memory_order_relaxed);
	return *item < parallel->nr;
}

static void *thread_main(void *arg)
{
	struct parallel *parallel = arg;
	int r = parallel->work(parallel->arg, parallel);

	if (r)
		atomic_store(&parallel->result, r);
	return NULL;
}

static unsigned allowed_cpus(void)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	/* it is refused where there are more CPUs than a cpu_set_t holds */
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	return online > 0 ? (unsigned)online : 1;
}

static unsigned threads_for(size_t nr, unsigned most)
{
	unsigned threads = allowed_cpus();

	if (threads > most)
		threads = most;
	if (threads > nr)
		threads = (unsigned)nr;
	return threads > PARALLEL_MAX ? PARALLEL_MAX : threads;
}

int parallel_run(int (*work)(void *arg, struct parallel *parallel), void *arg, size_t nr,
		 unsigned most)
{
	struct parallel parallel = {.work = work, .arg = arg, .nr = nr};
	unsigned wanted = threads_for(nr, most), started = 0;
	pthread_t threads[PARALLEL_MAX];

	while (started + 1 < wanted &&
	       pthread_create(&threads[started], NULL, thread_main, &parallel) == 0)
		started++;
	thread_main(&parallel);
	while (started)
		pthread_join(threads[--started], NULL);
	return atomic_load(&parallel.result);
}
