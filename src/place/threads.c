// SPDX-License-Identifier: MIT
/* See placement.h and threads.h: threads that run where they are told. */
#include "place/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

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

int threads_not_here(const struct machine *machine, struct error *err)
{
	return error_set(err, -ENODEV, "%s is not this machine: no thread can be bound there",
			 machine->source);
}

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

int worker_start(struct worker *worker, struct error *err)
{
	int code = pthread_create(&worker->thread, NULL, worker_main, worker);

	return code ? error_set(err, -code,
				"cannot start a thread: %s (no memory for its stack, or too many "
				"threads)",
				strerror(code))
		    : 0;
}

int worker_join(struct worker *worker, struct error *err)
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
		return threads_not_here(placement->machine, err);
	if (node >= placement->nr_nodes)
		return error_set(err, -EINVAL, "there is no modelled node %u", node);
	worker.real = placement->real_node[node];
	r = worker_start(&worker, err);
	return r ? r : worker_join(&worker, err);
}

/*
 * The real CPU for modelled CPU `index`: the allowed CPUs of its node in turn, counting only the
 * modelled CPUs that live on the same real node; of a node without CPUs, all allowed ones in turn.
 */
int placement_os_cpu(const struct placement *placement, unsigned index, struct error *err)
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
		return threads_not_here(machine, err);
	cpu = placement_os_cpu(placement, index, err);
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
	else if (hwloc_bitmap_first(set) != cpu || hwloc_bitmap_weight(set) != 1)
		r = error_set(err, -EXDEV, "sched_setaffinity to CPU %d had no effect", cpu);
	else if (found != cpu)
		r = error_set(err, -EXDEV, "a thread bound to CPU %d was found on CPU %d", cpu,
			      found);
out:
	hwloc_bitmap_free(set);
	return r;
}
