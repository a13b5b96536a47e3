// SPDX-License-Identifier: MIT
/*
 * kernel-bpfwalk and kernel-bpfwalk-percpu: what a walk over the memcgs costs inside the running
 * kernel, which reads memory.numa_stat from maintained counters itself (walk.bpf.c).
 *
 * kernel-bpfwalk (mode local) is what a walk costs since 6.6: one pass over counters that flushes
 * keep for each memcg and node. kernel-bpfwalk-percpu (mode percpu) has the shape of the walk
 * before 5.8: 4 x (1 + N) passes that sum each possible CPU's counters. A read is a system call
 * that runs the program, and formatting the rows as the models' are. Local rows, where they are
 * asked for, are a second call that looks at the one memcg.
 *
 * They answer with the rows of v1's file whatever the version of cgroups on the machine: memcgs and
 * their counters are the same. Other files have items that the walk does not sum.
 *
 * Nothing is flushed: in mode local the answer is as old as the last flush, two seconds at most.
 *
 * Invariants: addresses of all memcgs that have a directory are found when the instance is made,
 * and are good as long as the fixture stands. A reader takes a slot of the program's for itself,
 * for as long as it needs the answer.
 */
#include "backend/backend_table.h"
#include "kernel/bpf_walk.h"
#include "kernel/live_env.h"
#include "kernel/live_fixture.h"
#include "scenario/target.h"
#include "stats/histogram.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert((int)WALK_LISTS == (int)NR_LRU_LISTS && (int)WALK_ROWS == (int)NR_NUMA_ROWS,
	       "the program has the rows of memory.numa_stat");

/* Room for walks of so long is made beforehand: 1000 s. */
#define LONGEST_PS 1000000000000000u

/* Of one reader at a time, on a line of its own. */
struct slot {
	_Alignas(64) atomic_flag taken;
	struct histogram *ns; /* inside the kernel, of walks of what the point reads; owned */
};

struct bpfwalk {
	enum bpf_walk_mode mode;
	struct bpf_walk *walk;
	struct live_env live;
	struct walk_found *memcgs; /* [nr_memcgs]; css 0: it has no directory */
	uint32_t nr_memcgs;
	struct target target;
	unsigned nr_slots;
	struct slot *slots; /* [nr_slots] */
	uint64_t passes, dying; /* of the counted read */
};

static uint64_t bpfwalk_bytes(const struct point *point)
{
	return ((uint64_t)point->tree.memcgs + 1) * sizeof(struct walk_found) +
	       point->read.readers * (sizeof(struct slot) + sizeof(struct walk_answer));
}

/* Seen on one machine: a system call, a step, a load. */
static double guess_ns(const struct point *point, double passes, double loads)
{
	struct target_size size = target_size(point);

	return (double)size.files * 1000 + (double)size.memcgs * (passes * 25 + loads * 5);
}

static double local_guess_read_ns(const struct point *point)
{
	return guess_ns(point, 1, WALK_LISTS * (1 + point->machine.nodes));
}

static double percpu_guess_read_ns(const struct point *point)
{
	double columns = 1 + point->machine.nodes;

	return guess_ns(point, WALK_ROWS * columns, 10 * columns * point->machine.cpus);
}

static void bpfwalk_destroy(void *instance)
{
	struct bpfwalk *bpfwalk = instance;

	for (unsigned i = 0; bpfwalk->slots && i < bpfwalk->nr_slots; i++)
		histogram_free(bpfwalk->slots[i].ns);
	bpf_walk_free(bpfwalk->walk);
	live_env_close(&bpfwalk->live);
	free(bpfwalk->memcgs);
	free(bpfwalk->slots);
	free(bpfwalk);
}

/* The inode number of the memcg's directory. */
static int look_up(struct bpfwalk *bpfwalk, uint32_t memcg, struct walk_found *found,
		   struct error *err)
{
	int directory = live_dirs_open(&bpfwalk->live.dirs, memcg, err);
	struct stat st;

	if (directory < 0)
		return directory;
	if (fstat(directory, &st))
		return error_set(err, -errno, "cannot look at a cgroup: %s", strerror(errno));
	found->id = st.st_ino;
	return 0;
}

static int find_memcgs(struct bpfwalk *bpfwalk, const struct backend_env *env, struct error *err)
{
	struct walk_found *found = calloc(bpfwalk->nr_memcgs, sizeof(*found));
	size_t nr = 0, at = 0;
	int r = 0;

	if (!found)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t memcg = 0; !r && memcg < bpfwalk->nr_memcgs; memcg++)
		if (!env->tree->dying[memcg])
			r = look_up(bpfwalk, memcg, &found[nr++], err);
	if (!r)
		r = bpf_walk_find(bpfwalk->walk, found, nr, err);
	for (uint32_t memcg = 0; !r && memcg < bpfwalk->nr_memcgs; memcg++)
		if (!env->tree->dying[memcg])
			bpfwalk->memcgs[memcg] = found[at++];
	free(found);
	return r;
}

static int make_slots(struct bpfwalk *bpfwalk, unsigned nr, struct error *err)
{
	bpfwalk->slots = aligned_alloc(_Alignof(struct slot), nr * sizeof(*bpfwalk->slots));
	for (; bpfwalk->slots && bpfwalk->nr_slots < nr; bpfwalk->nr_slots++) {
		struct slot *slot = &bpfwalk->slots[bpfwalk->nr_slots];

		slot->ns = histogram_new();
		if (!slot->ns || histogram_reserve(slot->ns, LONGEST_PS)) {
			histogram_free(slot->ns);
			break;
		}
		atomic_flag_clear_explicit(&slot->taken, memory_order_relaxed); /* nobody else */
	}
	return bpfwalk->nr_slots == nr ? 0 : error_set(err, -ENOMEM, "out of memory");
}

static int init(struct bpfwalk *bpfwalk, const struct backend_env *env, struct error *err)
{
	const struct point *point = env->point;
	int r = make_slots(bpfwalk, point->read.readers, err);

	if (r)
		return r;
	bpfwalk->target = target_of(point, env->tree);
	/* The machine's root is no memcg of the tree, and alone is read there. */
	bpfwalk->nr_memcgs = point->read.cgroup == TARGET_MACHINE ? 1 : env->tree->nr;
	bpfwalk->memcgs = calloc(bpfwalk->nr_memcgs, sizeof(*bpfwalk->memcgs));
	if (!bpfwalk->memcgs)
		return error_set(err, -ENOMEM, "out of memory");
	r = live_env_open(env, &bpfwalk->live, err);
	if (!r)
		r = bpf_walk_new(bpfwalk->mode, point->machine.nids, point->machine.nodes,
				 bpfwalk->nr_slots, &bpfwalk->walk, err);
	if (!r && bpf_walk_nr_cpus(bpfwalk->walk) != point->machine.cpus)
		r = error_set(err, -ENODEV, "%u possible CPUs, not %u",
			      bpf_walk_nr_cpus(bpfwalk->walk), point->machine.cpus);
	return r ? r : find_memcgs(bpfwalk, env, err);
}

static int create(enum bpf_walk_mode mode, const struct backend_env *env, void **instance,
		  struct error *err)
{
	struct bpfwalk *bpfwalk = calloc(1, sizeof(*bpfwalk));
	int r;

	if (!bpfwalk)
		return error_set(err, -ENOMEM, "out of memory");
	bpfwalk->mode = mode;
	bpfwalk->live.top = -1;
	r = init(bpfwalk, env, err);
	if (r)
		bpfwalk_destroy(bpfwalk);
	else
		*instance = bpfwalk;
	return r;
}

static int local_create(const struct backend_env *env, void **instance, struct error *err)
{
	return create(BPF_WALK_LOCAL, env, instance, err);
}

static int percpu_create(const struct backend_env *env, void **instance, struct error *err)
{
	return create(BPF_WALK_PERCPU, env, instance, err);
}

/* There are as many slots as readers. */
static unsigned take_slot(struct bpfwalk *bpfwalk)
{
	unsigned at = 0;

	/* Acquire: what the last one to have it wrote is seen. */
	while (atomic_flag_test_and_set_explicit(&bpfwalk->slots[at].taken, memory_order_acquire))
		at = (at + 1) % bpfwalk->nr_slots;
	return at;
}

static void give_slot(struct bpfwalk *bpfwalk, unsigned at)
{
	/* Release: and so what we wrote. */
	atomic_flag_clear_explicit(&bpfwalk->slots[at].taken, memory_order_release);
}

static uint64_t sum_lists(const uint64_t pages[NR_LRU_LISTS], unsigned mask)
{
	uint64_t sum = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		if (mask & (1u << lru))
			sum += pages[lru];
	return sum;
}

static void fill(const struct bpfwalk *bpfwalk, const struct walk_answer *answer,
		 enum numa_scope scope, struct numa_counts *out)
{
	for (unsigned column = 0; column <= out->nr_nodes; column++) {
		const __u64 *pages = answer->pages[column], *rows = answer->rows[column];

		for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
			uint64_t *cell = &out->cells[numa_cell(out->nr_nodes, scope, row, column)];

			*cell = bpfwalk->mode == BPF_WALK_LOCAL
					? sum_lists((const uint64_t *)pages, numa_row_mask(row))
					: rows[row];
		}
	}
}

/* Is the memcg's file one that the point reads? Others are read to hold files against each other.
 */
static bool is_read(const struct bpfwalk *bpfwalk, uint32_t memcg)
{
	return memcg >= bpfwalk->target.first && memcg <= bpfwalk->target.last;
}

static void count(struct bpfwalk *bpfwalk, const struct walk_answer *answer, bool alone,
		  struct op_counts *counts)
{
	if (alone) {
		counts->loads_local += answer->loads;
		return;
	}
	counts->loads_hierarchical += answer->loads;
	counts->memcgs_visited += answer->memcgs;
	bpfwalk->passes += answer->passes;
	bpfwalk->dying += answer->dying;
}

/* The rows of one scope. The counts may be NULL. */
static int read_scope(struct bpfwalk *bpfwalk, unsigned slot, uint32_t memcg, enum numa_scope scope,
		      struct numa_counts *out, struct op_counts *counts)
{
	bool alone = scope == SCOPE_LOCAL;
	const struct walk_answer *answer;
	int r = bpf_walk_run(bpfwalk->walk, slot, &bpfwalk->memcgs[memcg], alone, &answer);

	if (r)
		return r;
	if (answer->unreachable)
		return -EFAULT;
	fill(bpfwalk, answer, scope, out);
	if (counts)
		count(bpfwalk, answer, alone, counts);
	if (alone || !is_read(bpfwalk, memcg))
		return 0;
	return histogram_record(bpfwalk->slots[slot].ns, answer->ns * 1000);
}

static int read_rows(struct bpfwalk *bpfwalk, const struct read_request *request,
		     struct numa_counts *out, struct op_counts *counts)
{
	unsigned slot;
	int r = 0;

	if (request->memcg >= bpfwalk->nr_memcgs || !bpfwalk->memcgs[request->memcg].css)
		return -ENOENT;
	slot = take_slot(bpfwalk);
	for (enum numa_scope scope = 0; !r && scope < NR_SCOPES; scope++)
		if (request->rows & (1u << scope))
			r = read_scope(bpfwalk, slot, request->memcg, scope, out, counts);
	give_slot(bpfwalk, slot);
	return r;
}

static int bpfwalk_read_counts(void *instance, const struct read_request *request,
			       struct numa_counts *out)
{
	return read_rows(instance, request, out, NULL);
}

/* The program counts as it goes, whether it is timed or not. */
static int bpfwalk_count_read(void *instance, const struct read_request *request,
			      struct numa_counts *out, struct op_probe *probe)
{
	return read_rows(instance, request, out, &probe->counts);
}

/*
 * Once nobody reads any more; result.h has the names. passes and dying_walked are of the counted
 * read, of a sweep summed over its files; walks and kernel_ns are of all reads of what the point
 * reads, counted, timed or not.
 */
static json_t *bpfwalk_facts(void *instance)
{
	const struct bpfwalk *bpfwalk = instance;
	struct histogram *ns = bpfwalk->slots[0].ns;
	uint64_t walks;

	for (unsigned i = 1; i < bpfwalk->nr_slots; i++)
		if (histogram_merge(ns, bpfwalk->slots[i].ns))
			return NULL;
	walks = histogram_count(ns);
	return json_pack("{s:s, s:I, s:I, s:I, s:o}", "mode",
			 bpfwalk->mode == BPF_WALK_LOCAL ? "local" : "percpu", "passes",
			 (json_int_t)bpfwalk->passes, "dying_walked", (json_int_t)bpfwalk->dying,
			 "walks", (json_int_t)walks, "kernel_ns",
			 walks ? json_integer((json_int_t)histogram_quantile_ns(ns, 0.5))
			       : json_null());
}

/*
 * What the kernel says to a mode. To ask, the program is loaded, which takes some 50 ms; plans and
 * runs ask for each point, and the answer is not of the point. So it is asked once and kept for as
 * long as the process lives: it is of the machine, and there is nobody to hand it from one point to
 * the next.
 */
struct asked {
	bool known;
	int r;
	struct error_list reasons;
};

static int mode_possible(enum bpf_walk_mode mode, struct error_list *reasons)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
	static struct asked modes[2];
	struct asked *asked = &modes[mode];

	int r;

	pthread_mutex_lock(&lock);
	if (!asked->known) {
		asked->reasons.nr = asked->reasons.total = 0;
		asked->r = bpf_walk_possible(mode, &asked->reasons);
		asked->known = asked->r != -ENOMEM; /* that may pass */
		if (!asked->known)
			error_list_add(&asked->reasons, NULL, 0, 0, "out of memory");
	}
	error_list_append(reasons, &asked->reasons);
	r = asked->r ? -ENODEV : 0;
	pthread_mutex_unlock(&lock);
	return r;
}

static int local_possible(const struct point *point, struct error_list *reasons)
{
	(void)point;
	return mode_possible(BPF_WALK_LOCAL, reasons);
}

static int percpu_possible(const struct point *point, struct error_list *reasons)
{
	(void)point;
	return mode_possible(BPF_WALK_PERCPU, reasons);
}

const struct backend backend_kernel_bpfwalk = {
	.name = "kernel-bpfwalk",
	.description = "walks real memcgs inside the kernel by BPF, once, over flushed counters",
	.fixture = &live_fixture,
	.possible = local_possible,
	.facts = bpfwalk_facts,
	.bytes = bpfwalk_bytes,
	.guess_read_ns = local_guess_read_ns,
	.create = local_create,
	.destroy = bpfwalk_destroy,
	.regions = live_regions,
	.read_counts = bpfwalk_read_counts,
	.count_read = bpfwalk_count_read,
	.bound = live_bound,
};

const struct backend backend_kernel_bpfwalk_percpu = {
	.name = "kernel-bpfwalk-percpu",
	.description = "the same once for each row and column, summing every CPU's counters",
	.fixture = &live_fixture,
	.possible = percpu_possible,
	.facts = bpfwalk_facts,
	.bytes = bpfwalk_bytes,
	.guess_read_ns = percpu_guess_read_ns,
	.create = percpu_create,
	.destroy = bpfwalk_destroy,
	.regions = live_regions,
	.read_counts = bpfwalk_read_counts,
	.count_read = bpfwalk_count_read,
	.bound = live_bound,
};
