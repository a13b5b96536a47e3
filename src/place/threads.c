// SPDX-License-Identifier: MIT
/* See placement.h: threads that run where they are told, and the writing of memory by them. */
#include "place/placement.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define WRITERS_PER_NODE 8
#define CHUNK_BYTES      (4ul << 20)

/* The CPUs that work for a real node: its own allowed ones, or all allowed ones. NULL: no memory.
 */
static hwloc_bitmap_t cpus_for(const struct machine *machine, unsigned real)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	bool own = machine->nodes[real].nr_allowed;

	for (unsigned i = 0; set && i < machine->nr_nodes; i++) {
		const struct machine_node *node = &machine->nodes[i];

		for (unsigned j = 0; (!own || i == real) && j < node->nr_allowed; j++)
			hwloc_bitmap_set(set, node->allowed_cpus[j]);
	}
	return set;
}

static int bind_failed(int code, const char *where, unsigned id, struct error *err)
{
	if (code == EPERM || code == EACCES)
		return error_set(err, -EPERM,
				 "sched_setaffinity to %s %u was refused (%s): containers need a "
				 "seccomp profile that allows it, or CAP_SYS_NICE",
				 where, id, strerror(code));
	return error_set(err, -code, "sched_setaffinity to %s %u: %s%s", where, id, strerror(code),
			 code == EINVAL ? " (offline, or outside cpuset.cpus)" : "");
}

static int not_here(const struct machine *machine, struct error *err)
{
	return error_set(err, -ENODEV, "%s is not this machine: no thread can be bound there",
			 machine->source);
}

/* A thread, bound to the CPUs of a real node, that calls work(arg). */
struct worker {
	const struct machine *machine;
	unsigned real;
	void (*work)(void *arg);
	void *arg;
	pthread_t thread;
	int result;
	struct error err;
};

static void *worker_main(void *data)
{
	struct worker *worker = data;
	hwloc_bitmap_t cpus = cpus_for(worker->machine, worker->real);

	if (!cpus) {
		worker->result = error_set(&worker->err, -ENOMEM, "out of memory");
		return NULL;
	}
	if (hwloc_set_cpubind(worker->machine->topology, cpus,
			      HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT) < 0)
		worker->result =
			bind_failed(errno, "the CPUs of node",
				    worker->machine->nodes[worker->real].os_index, &worker->err);
	hwloc_bitmap_free(cpus);
	if (!worker->result)
		worker->work(worker->arg);
	return NULL;
}

static int worker_start(struct worker *worker, struct error *err)
{
	int code = pthread_create(&worker->thread, NULL, worker_main, worker);

	return code ? error_set(err, -code, "cannot start a thread: %s", strerror(code)) : 0;
}

static int worker_join(struct worker *worker, struct error *err)
{
	pthread_join(worker->thread, NULL);
	if (worker->result && err)
		*err = worker->err;
	return worker->result;
}

int placement_run(const struct placement *placement, unsigned node, void (*work)(void *arg),
		  void *arg, struct error *err)
{
	struct worker worker = {
		.machine = placement->machine,
		.work = work,
		.arg = arg,
	};
	int r;

	if (!placement->machine->thissystem)
		return not_here(placement->machine, err);
	if (node >= placement->nr_nodes)
		return error_set(err, -EINVAL, "there is no modelled node %u", node);
	worker.real = placement->real_node[node];
	r = worker_start(&worker, err);
	return r ? r : worker_join(&worker, err);
}

/* The regions of one real node, handed out in chunks to the threads that write them. */
struct write_job {
	const struct placement *placement;
	const struct region *regions;
	size_t nr;
	unsigned real;
	pthread_mutex_t lock; /* of what follows */
	size_t next;
	size_t offset;
};

/* Skips the regions of other nodes. The next chunk, or NULL. */
static unsigned char *next_chunk(struct write_job *job, size_t *bytes)
{
	unsigned char *chunk = NULL;

	pthread_mutex_lock(&job->lock);
	while (!chunk && job->next < job->nr) {
		const struct region *region = &job->regions[job->next];

		if (job->placement->real_node[region->node] != job->real ||
		    job->offset == region->bytes) {
			job->next++;
			job->offset = 0;
			continue;
		}
		chunk = region->base + job->offset;
		*bytes = region->bytes - job->offset;
		if (*bytes > CHUNK_BYTES)
			*bytes = CHUNK_BYTES;
		job->offset += *bytes;
	}
	pthread_mutex_unlock(&job->lock);
	return chunk;
}

static void write_chunks(void *arg)
{
	unsigned char *chunk;
	size_t bytes;

	while ((chunk = next_chunk(arg, &bytes))) {
		memset(chunk, 0, bytes);
		/* Fresh pages read as zero anyway; they must be written all the same. */
		__asm__ volatile("" : : "r"(chunk) : "memory");
	}
}

static size_t nr_writers(const struct machine *machine, unsigned real, size_t bytes)
{
	size_t nr = machine->nodes[real].nr_allowed,
	       chunks = (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;

	for (unsigned i = 0; !machine->nodes[real].nr_allowed && i < machine->nr_nodes; i++)
		nr += machine->nodes[i].nr_allowed;
	if (nr > WRITERS_PER_NODE)
		nr = WRITERS_PER_NODE;
	return nr < chunks ? nr : chunks;
}

static int check_regions(const struct placement *placement, const struct region *regions, size_t nr,
			 size_t *bytes_of, struct error *err)
{
	for (size_t i = 0; i < nr; i++) {
		if (regions[i].node >= placement->nr_nodes)
			return error_set(err, -EINVAL, "there is no modelled node %u",
					 regions[i].node);
		bytes_of[placement->real_node[regions[i].node]] += regions[i].bytes;
	}
	return 0;
}

/* One job per real node and up to WRITERS_PER_NODE workers for each, all at once. */
static int write_all(struct write_job *jobs, struct worker *workers, const size_t *bytes_of,
		     const struct placement *placement, struct error *err)
{
	const struct machine *machine = placement->machine;
	size_t started = 0;
	int r = 0;

	for (unsigned real = 0; !r && real < machine->nr_nodes; real++) {
		size_t nr = nr_writers(machine, real, bytes_of[real]);

		for (size_t i = 0; !r && i < nr; i++) {
			workers[started] = (struct worker){
				.machine = machine,
				.real = real,
				.work = write_chunks,
				.arg = &jobs[real],
			};
			r = worker_start(&workers[started], err);
			started += !r;
		}
	}
	while (started) {
		int joined = worker_join(&workers[--started], r ? NULL : err);

		if (!r)
			r = joined;
	}
	return r;
}

int placement_write(const struct placement *placement, const struct region *regions, size_t nr,
		    struct error *err)
{
	const struct machine *machine = placement->machine;
	size_t *bytes_of = calloc(machine->nr_nodes, sizeof(*bytes_of));
	struct write_job *jobs = calloc(machine->nr_nodes, sizeof(*jobs));
	struct worker *workers =
		calloc((size_t)machine->nr_nodes * WRITERS_PER_NODE, sizeof(*workers));
	int r;

	if (!bytes_of || !jobs || !workers) {
		r = error_set(err, -ENOMEM, "out of memory");
		goto out;
	}
	r = machine->thissystem ? 0 : not_here(machine, err);
	if (!r)
		r = check_regions(placement, regions, nr, bytes_of, err);
	if (r)
		goto out;
	for (unsigned real = 0; real < machine->nr_nodes; real++) {
		jobs[real] = (struct write_job){
			.placement = placement,
			.regions = regions,
			.nr = nr,
			.real = real,
			.lock = PTHREAD_MUTEX_INITIALIZER,
		};
	}
	r = write_all(jobs, workers, bytes_of, placement, err);
out:
	free(workers);
	free(jobs);
	free(bytes_of);
	return r;
}

/*
 * The real CPU for modelled CPU `index`: the allowed CPUs of its node in turn, counting only the
 * modelled CPUs that live on the same real node; of a node without CPUs, all allowed ones in turn.
 */
static int pick_cpu(const struct placement *placement, unsigned index, struct error *err)
{
	const struct machine *machine = placement->machine;
	unsigned cpu = index % placement->nr_cpus;
	unsigned real = placement->real_node[placement->node_of_cpu[cpu]], rank = 0;
	hwloc_bitmap_t cpus = cpus_for(machine, real);
	int weight, os_cpu = -1;

	if (!cpus)
		return error_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < cpu; i++)
		rank += placement->real_node[placement->node_of_cpu[i]] == real;
	weight = hwloc_bitmap_weight(cpus);
	if (weight <= 0) {
		hwloc_bitmap_free(cpus);
		return error_set(err, -EINVAL, "no CPU of this machine may be used");
	}
	for (unsigned skip = rank % (unsigned)weight + 1; skip; skip--)
		os_cpu = hwloc_bitmap_next(cpus, os_cpu);
	hwloc_bitmap_free(cpus);
	return os_cpu;
}

int placement_bind_thread(const struct placement *placement, unsigned index, unsigned *os_cpu,
			  struct error *err)
{
	const struct machine *machine = placement->machine;
	hwloc_bitmap_t set;
	int cpu, found, r = 0;

	if (!machine->thissystem)
		return not_here(machine, err);
	cpu = pick_cpu(placement, index, err);
	if (cpu < 0)
		return cpu;
	set = hwloc_bitmap_alloc();
	if (!set)
		return error_set(err, -ENOMEM, "out of memory");
	hwloc_bitmap_only(set, (unsigned)cpu);
	if (hwloc_set_cpubind(machine->topology, set, HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT) <
	    0) {
		r = bind_failed(errno, "CPU", (unsigned)cpu, err);
		goto out;
	}
	found = sched_getcpu();
	if (found >= 0)
		*os_cpu = (unsigned)found;
	if (hwloc_get_cpubind(machine->topology, set, HWLOC_CPUBIND_THREAD) < 0)
		r = error_set(err, -errno, "sched_getaffinity: %s", strerror(errno));
	else if (found != cpu || hwloc_bitmap_first(set) != cpu || hwloc_bitmap_weight(set) != 1)
		r = error_set(err, -EXDEV, "a thread bound to CPU %d was found on CPU %d", cpu,
			      found);
out:
	hwloc_bitmap_free(set);
	return r;
}
