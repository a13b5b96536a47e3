// SPDX-License-Identifier: MIT
/* See crew.h; and the writing of memory by crews, from placement.h. */
#include "place/crew.h"

#include "place/threads.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Large enough to make handing out cheap, small enough to end together. A multiple of any page. */
#define PIECE_BYTES (4ul << 20)

/* What all crews share. */
struct crew_task {
	const struct placement *placement;
	const struct region *regions;
	size_t nr;
	crew_work *work;
	void *arg;
	atomic_bool failed; /* a hint to stop early: relaxed, the errors are read after the joins */
};

/* One per real node. */
struct crew {
	struct crew_task *task;
	unsigned real;
	pthread_mutex_t lock; /* of what follows */
	size_t next;
	size_t offset;
};

struct member {
	struct crew *crew;
	unsigned number;
	struct worker worker;
	int result;
	struct error err;
};

/* Skips the regions of other nodes. */
static bool next_piece(struct crew *crew, struct region *piece)
{
	const struct crew_task *task = crew->task;
	bool found = false;

	pthread_mutex_lock(&crew->lock);
	while (!found && crew->next < task->nr) {
		const struct region *region = &task->regions[crew->next];

		if (task->placement->real_node[region->node] != crew->real ||
		    crew->offset == region->bytes) {
			crew->next++;
			crew->offset = 0;
			continue;
		}
		*piece = (struct region){
			.base = region->base + crew->offset,
			.bytes = region->bytes - crew->offset,
			.node = region->node,
		};
		if (piece->bytes > PIECE_BYTES)
			piece->bytes = PIECE_BYTES;
		crew->offset += piece->bytes;
		found = true;
	}
	pthread_mutex_unlock(&crew->lock);
	return found;
}

static void work_pieces(void *data)
{
	struct member *member = data;
	struct crew_task *task = member->crew->task;
	struct region piece;

	while (!member->result && !atomic_load_explicit(&task->failed, memory_order_relaxed) &&
	       next_piece(member->crew, &piece))
		member->result = task->work(task->arg, member->number, &piece, &member->err);
	if (member->result)
		atomic_store_explicit(&task->failed, true, memory_order_relaxed);
}

unsigned crew_members(const struct machine *machine)
{
	return machine->nr_nodes * CREW_MAX;
}

/* As many as there are CPUs for the node and pieces to do. */
static unsigned crew_size(const struct machine *machine, unsigned real, size_t bytes)
{
	size_t size = machine->nodes[real].nr_allowed;
	size_t pieces = (bytes + PIECE_BYTES - 1) / PIECE_BYTES;

	for (unsigned i = 0; !machine->nodes[real].nr_allowed && i < machine->nr_nodes; i++)
		size += machine->nodes[i].nr_allowed;
	if (size > CREW_MAX)
		size = CREW_MAX;
	return (unsigned)(size < pieces ? size : pieces);
}

static int check_regions(const struct crew_task *task, size_t *bytes_of, struct error *err)
{
	const struct placement *placement = task->placement;

	if (!placement->machine->thissystem)
		return threads_not_here(placement->machine, err);
	for (size_t i = 0; i < task->nr; i++) {
		unsigned node = task->regions[i].node;

		if (node >= placement->nr_nodes)
			return error_set(err, -EINVAL, "there is no modelled node %u", node);
		bytes_of[placement->real_node[node]] += task->regions[i].bytes;
	}
	return 0;
}

static int member_start(struct member *member, struct crew *crew, unsigned number,
			struct error *err)
{
	member->crew = crew;
	member->number = number;
	member->worker = (struct worker){
		.machine = crew->task->placement->machine,
		.real = crew->real,
		.work = work_pieces,
		.arg = member,
	};
	return worker_start(&member->worker, err);
}

/* Start all crews and wait for them; the first error stands. */
static int run_crews(struct crew *crews, struct member *members, const size_t *bytes_of,
		     struct crew_task *task, struct error *err)
{
	const struct machine *machine = task->placement->machine;
	unsigned started = 0;
	int r = 0;

	for (unsigned real = 0; !r && real < machine->nr_nodes; real++) {
		unsigned size = crew_size(machine, real, bytes_of[real]);

		for (unsigned i = 0; !r && i < size; i++) {
			r = member_start(&members[started], &crews[real], started, err);
			started += !r;
		}
	}
	if (r)
		atomic_store_explicit(&task->failed, true, memory_order_relaxed);
	for (unsigned i = 0; i < started; i++) {
		int joined = worker_join(&members[i].worker, r ? NULL : err);

		if (!r && !joined && members[i].result && err)
			*err = members[i].err;
		if (!r)
			r = joined ? joined : members[i].result;
	}
	return r;
}

int crew_run(const struct placement *placement, const struct region *regions, size_t nr,
	     crew_work *work, void *arg, struct error *err)
{
	struct crew_task task = {
		.placement = placement,
		.regions = regions,
		.nr = nr,
		.work = work,
		.arg = arg,
	};
	const struct machine *machine = placement->machine;
	size_t *bytes_of = calloc(machine->nr_nodes, sizeof(*bytes_of));
	struct crew *crews = calloc(machine->nr_nodes, sizeof(*crews));
	struct member *members = calloc(crew_members(machine), sizeof(*members));
	int r;

	if (!bytes_of || !crews || !members)
		r = error_set(err, -ENOMEM, "out of memory");
	else
		r = check_regions(&task, bytes_of, err);
	if (r)
		goto out;
	for (unsigned real = 0; real < machine->nr_nodes; real++) {
		crews[real] = (struct crew){.task = &task, .real = real};
		pthread_mutex_init(&crews[real].lock, NULL);
	}
	r = run_crews(crews, members, bytes_of, &task, err);
	for (unsigned real = 0; real < machine->nr_nodes; real++)
		pthread_mutex_destroy(&crews[real].lock);
out:
	free(members);
	free(crews);
	free(bytes_of);
	return r;
}

static int write_piece(void *arg, unsigned member, const struct region *piece, struct error *err)
{
	memset(piece->base, 0, piece->bytes);
	/* Fresh pages read as zero anyway; they must be written all the same. */
	__asm__ volatile("" : : "r"(piece->base) : "memory");
	return 0;
}

int placement_write(const struct placement *placement, const struct region *regions, size_t nr,
		    struct error *err)
{
	return crew_run(placement, regions, nr, write_piece, NULL, err);
}
