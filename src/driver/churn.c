// SPDX-License-Identifier: MIT
/* See churn.h. */
#include "driver/churn.h"

#include "base/rng.h"
#include "stats/histogram.h"
#include "stats/order.h"
#include "timing/clock.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHURN_SEED    0x636875726eu
#define CHURN_LRU     LRU_ACTIVE_FILE /* page cache: what keeps dying memcgs */
#define APART         128 /* what prefetchers fetch together */
#define NAP_NS        10000000u /* the longest sleep: stopping takes no longer */
#define WAIT_NS       20000u /* between two looks whether readers are done */
#define WARM_LIVES    16u
#define STACK_BYTES   (64u << 10)
#define GUESS_LIFE_NS 30e3 /* rough, for plans */

/* A memcg beside the tree. */
struct life {
	uint32_t memcg, parent;
};

struct churn {
	struct churn_env env;
	struct grace *grace;
	struct gate *gate;
	struct rng rng;
	uint32_t *parents; /* [nr_parents] who may have children */
	uint32_t nr_parents;
	uint32_t *children; /* [tree->nr] memcgs beside the tree, by parent */
	/* Places, SPARE_FLOATING + write.linger of them: free ones, last in, first out; those that
	 * readers may still stand on, of which grace_begin() was told of the first `covered`. */
	uint32_t *spare, nr_spare;
	uint32_t *limbo, nr_limbo, covered;
	struct life *ring; /* [linger + 1] dying, the oldest first */
	uint32_t oldest, nr_dying;
	struct update charge; /* of the memcg being updated */
	long pages, kept; /* charged to each, and kept by who is dying */
	struct histogram *create, *remove; /* ps */
	uint64_t created, removed, behind, waits, busy_ns; /* since the gate opened */
	unsigned os_cpu;
	bool started;
	pthread_t thread;
	int result;
	struct error err;
	/* On lines that the thread does not write for every page. */
	alignas(APART) atomic_bool stop;
	atomic_bool working;
	/* What all hold together: announced before it grows, said after; and the other way round.
	 */
	alignas(APART) _Atomic long held_most;
	_Atomic long held_least;
};

/*
 * Sequentially consistent read-modify-writes: the updates between the two stay between them for
 * whoever looks on. Once for some hundred pages.
 */
static void move_pages(struct churn *churn, uint32_t memcg, long pages)
{
	churn->charge.memcg = memcg;
	churn->charge.delta = pages < 0 ? -1 : pages;
	atomic_fetch_add(pages < 0 ? &churn->held_least : &churn->held_most, pages);
	for (long left = pages; left; left -= churn->charge.delta)
		churn->env.backend->update(churn->env.instance, &churn->charge);
	atomic_fetch_add(pages < 0 ? &churn->held_most : &churn->held_least, pages);
}

/* Places that no reader can stand on any more are free. */
static void collect(struct churn *churn)
{
	for (unsigned turn = 0; turn < 2; turn++) {
		if (!churn->covered && churn->nr_limbo) {
			grace_begin(churn->grace);
			churn->covered = churn->nr_limbo;
		}
		if (!churn->covered || !grace_over(churn->grace))
			return;
		memcpy(churn->spare + churn->nr_spare, churn->limbo,
		       churn->covered * sizeof(*churn->limbo));
		churn->nr_spare += churn->covered;
		churn->nr_limbo -= churn->covered;
		memmove(churn->limbo, churn->limbo + churn->covered,
			churn->nr_limbo * sizeof(*churn->limbo));
		churn->covered = 0;
	}
}

static int add(struct churn *churn, struct life *life)
{
	uint64_t then;

	life->memcg = churn->spare[--churn->nr_spare];
	life->parent = churn->parents[rng_below(&churn->rng, churn->nr_parents)];
	then = clock_now();
	churn->env.backend->memcg_add(churn->env.instance, life->memcg, life->parent);
	then = clock_now() - then;
	churn->children[life->parent]++;
	churn->created++;
	return histogram_record(churn->create, then * 1000);
}

static int retire_oldest(struct churn *churn)
{
	const struct life *life = &churn->ring[churn->oldest];
	uint64_t then;

	move_pages(churn, life->memcg, -churn->kept);
	then = clock_now();
	churn->env.backend->memcg_remove(churn->env.instance, life->memcg);
	then = clock_now() - then;
	churn->limbo[churn->nr_limbo++] = life->memcg;
	churn->children[life->parent]--;
	churn->oldest = (churn->oldest + 1) % (churn->env.point->write.linger + 1);
	churn->nr_dying--;
	churn->removed++;
	return histogram_record(churn->remove, then * 1000);
}

/* One is born, lives and dies; the oldest of the dying may go. There is a place. */
static int live(struct churn *churn)
{
	uint32_t linger = churn->env.point->write.linger;
	uint32_t slot = (churn->oldest + churn->nr_dying) % (linger + 1);
	struct life *life = &churn->ring[slot];
	int r = add(churn, life);

	move_pages(churn, life->memcg, churn->pages);
	move_pages(churn, life->memcg, churn->kept - churn->pages);
	if (churn->env.backend->memcg_offline)
		churn->env.backend->memcg_offline(churn->env.instance, life->memcg);
	churn->nr_dying++;
	if (!r && churn->nr_dying > linger)
		r = retire_oldest(churn);
	return r;
}

/* Relaxed: it orders nothing; who stops the thread joins it before looking at anything. */
static bool stopped(const struct churn *churn)
{
	return atomic_load_explicit(&churn->stop, memory_order_relaxed);
}

static void nap(uint64_t ns)
{
	struct timespec time = {.tv_nsec = (long)(ns < NAP_NS ? ns : NAP_NS)};

	nanosleep(&time, NULL);
}

/* False where it was stopped first. */
static bool wait_for_place(struct churn *churn)
{
	collect(churn);
	if (churn->nr_spare)
		return true;
	churn->waits++;
	while (!churn->nr_spare && !stopped(churn)) {
		nap(WAIT_NS);
		collect(churn);
	}
	return churn->nr_spare > 0;
}

static int live_on(struct churn *churn)
{
	double period = 1e9 / churn->env.point->write.churn, begin = (double)clock_now();
	int r = 0;

	/* At least one, however soon the readers are done. */
	for (uint64_t i = 0; !r && (!i || !stopped(churn)); i++) {
		double due = begin + period * (double)i;
		double now = (double)clock_now();

		churn->behind += i && now > due + period;
		for (; now < due && !stopped(churn); now = (double)clock_now())
			nap((uint64_t)(due - now));
		if ((i && stopped(churn)) || !wait_for_place(churn))
			break;
		r = live(churn);
	}
	return r;
}

static void *churn_main(void *arg)
{
	struct churn *churn = arg;
	uint64_t begin;

	churn->result = placement_bind_thread(churn->env.placement, churn_cpu(churn->env.point),
					      &churn->os_cpu, &churn->err);
	if (!gate_wait(churn->gate))
		return NULL;
	/* Release: pairs with churn_await(). */
	atomic_store_explicit(&churn->working, true, memory_order_release);
	if (churn->result)
		return NULL;
	begin = clock_now();
	churn->result = live_on(churn);
	churn->busy_ns = clock_now() - begin;
	return NULL;
}

static int make_histograms(struct churn *churn)
{
	histogram_free(churn->create);
	histogram_free(churn->remove);
	churn->create = histogram_new();
	churn->remove = histogram_new();
	churn->created = churn->removed = churn->behind = churn->waits = churn->busy_ns = 0;
	return churn->create && churn->remove ? 0 : -ENOMEM;
}

/* The root is a parent only where nobody else lives. */
static void find_parents(struct churn *churn)
{
	const struct memcg_tree *tree = churn->env.tree;

	for (uint32_t i = 1; i < tree->nr; i++)
		if (!tree->dying[i])
			churn->parents[churn->nr_parents++] = i;
	if (!churn->nr_parents)
		churn->parents[churn->nr_parents++] = 0;
}

static int make_lists(struct churn *churn)
{
	const struct point *point = churn->env.point;
	uint32_t nr = point_spare(point), first = churn->env.tree->nr;

	churn->grace = grace_new(point->read.readers);
	churn->parents = calloc(first, sizeof(*churn->parents));
	churn->children = calloc(first, sizeof(*churn->children));
	churn->spare = calloc(nr, sizeof(*churn->spare));
	churn->limbo = calloc(nr, sizeof(*churn->limbo));
	churn->ring = calloc((size_t)point->write.linger + 1, sizeof(*churn->ring));
	if (!churn->grace || !churn->parents || !churn->children || !churn->spare ||
	    !churn->limbo || !churn->ring)
		return -ENOMEM;
	find_parents(churn);
	while (churn->nr_spare < nr) {
		churn->spare[churn->nr_spare] = first + nr - 1 - churn->nr_spare;
		churn->nr_spare++;
	}
	return 0;
}

/* As many dying as there will be, and some more lives to make caches and code warm. */
static int fill(struct churn *churn)
{
	uint64_t lives = (uint64_t)churn->env.point->write.linger + WARM_LIVES;
	int r = 0;

	for (uint64_t i = 0; !r && i < lives; i++) {
		collect(churn);
		r = live(churn);
	}
	return r;
}

int churn_new(const struct churn_env *env, struct churn **out, struct error *err)
{
	const struct point *point = env->point;
	unsigned cpu = churn_cpu(point);
	struct churn *churn;
	int r;

	*out = NULL;
	if (!point->write.churn)
		return 0;
	churn = aligned_alloc(APART, sizeof(*churn));
	if (!churn)
		return error_set(err, -ENOMEM, "out of memory for churn");
	memset(churn, 0, sizeof(*churn));
	churn->env = *env;
	churn->rng = rng_for(CHURN_SEED, point->tree.seed, point->write.linger);
	churn->pages = point->counters.pages < CHURN_PAGES ? (long)point->counters.pages
							   : (long)CHURN_PAGES;
	churn->kept = point->write.linger ? churn->pages / 2 : 0;
	churn->charge = (struct update){
		.cpu = cpu, .node = env->placement->node_of_cpu[cpu], .lru = CHURN_LRU};
	r = make_lists(churn);
	if (!r)
		r = make_histograms(churn);
	if (!r)
		r = fill(churn);
	if (r) {
		churn_free(churn);
		return error_set(err, r, "out of memory for churn");
	}
	*out = churn;
	return 0;
}

void churn_free(struct churn *churn)
{
	if (!churn)
		return;
	grace_free(churn->grace);
	histogram_free(churn->create);
	histogram_free(churn->remove);
	free(churn->parents);
	free(churn->children);
	free(churn->spare);
	free(churn->limbo);
	free(churn->ring);
	free(churn);
}

int churn_start(struct churn *churn, struct gate *gate, struct error *err)
{
	int r;

	if (!churn)
		return 0;
	if (make_histograms(churn))
		return error_set(err, -ENOMEM, "out of memory for churn");
	churn->gate = gate;
	churn->result = 0;
	/* Before the thread is made: it sees them. */
	atomic_store_explicit(&churn->stop, false, memory_order_relaxed);
	atomic_store_explicit(&churn->working, false, memory_order_relaxed);
	r = pthread_create(&churn->thread, NULL, churn_main, churn);
	if (r)
		return error_set(err, -r, "cannot start the churner: %s", strerror(r));
	churn->started = true;
	return 0;
}

unsigned churn_nr(const struct churn *churn)
{
	return churn && churn->started;
}

void churn_await(const struct churn *churn)
{
	/* Acquire: pairs with churn_main(). It may need this CPU. */
	while (churn_nr(churn) && !atomic_load_explicit(&churn->working, memory_order_acquire))
		sched_yield();
}

int churn_stop(struct churn *churn, struct error *err)
{
	if (!churn_nr(churn))
		return 0;
	atomic_store_explicit(&churn->stop, true, memory_order_relaxed);
	pthread_join(churn->thread, NULL);
	churn->started = false;
	if (churn->result && err) {
		if (churn->err.text[0])
			*err = churn->err;
		else
			error_set(err, churn->result, "churn: %s", strerror(-churn->result));
	}
	return churn->result;
}

static double p99(const struct histogram *h)
{
	return histogram_count(h) >= samples_needed(0.99) ? histogram_quantile_ns(h, 0.99) : NAN;
}

void churn_digest(const struct churn *churn, struct churn_cost *cost)
{
	*cost = (struct churn_cost){.any = churn != NULL};
	if (!churn)
		return;
	cost->created = churn->created;
	cost->removed = churn->removed;
	cost->create_ns = histogram_quantile_ns(churn->create, 0.5);
	cost->create_p99_ns = p99(churn->create);
	cost->remove_ns = histogram_quantile_ns(churn->remove, 0.5);
	cost->remove_p99_ns = p99(churn->remove);
	cost->lingering = churn->nr_dying;
	cost->pages = (uint32_t)churn->pages;
	cost->behind = churn->behind;
	cost->waits = churn->waits;
	cost->seconds = (double)churn->busy_ns / 1e9;
	cost->os_cpu = churn->os_cpu;
}

struct grace *churn_grace(struct churn *churn)
{
	return churn ? churn->grace : NULL;
}

int churn_account(const struct churn *churn, struct oracle *oracle)
{
	int r = 0;

	if (!churn)
		return 0;
	oracle_forget_children(oracle);
	for (uint32_t i = 0; !r && i < churn->nr_dying; i++) {
		uint32_t slot = (churn->oldest + i) % (churn->env.point->write.linger + 1);
		struct update held = churn->charge;

		held.delta = churn->kept;
		r = oracle_update_child(oracle, churn->ring[slot].parent, &held);
	}
	return r;
}

uint32_t churn_below(const struct churn *churn, uint32_t top)
{
	const struct memcg_tree *tree;
	uint32_t nr = 0;

	if (!churn)
		return 0;
	if (!top)
		return churn->nr_dying;
	tree = churn->env.tree;
	for (uint32_t at = top; at != MEMCG_NONE; at = memcg_tree_next(tree, top, at))
		nr += churn->children[at];
	return nr;
}

void churn_drain(struct churn *churn)
{
	/* What a removal took is no longer of interest: a histogram without memory is no error. */
	while (churn && churn->nr_dying)
		(void)retire_oldest(churn);
}

void churn_held(const struct churn *churn, long *least, long *most)
{
	/* Sequentially consistent, as in move_pages(). */
	*least = churn ? atomic_load(&churn->held_least) : 0;
	*most = churn ? atomic_load(&churn->held_most) : 0;
}

double churn_guess_ns(const struct point *point)
{
	return point->write.churn ? GUESS_LIFE_NS * (point->write.linger + WARM_LIVES) : 0;
}

uint64_t churn_guess_bytes(const struct point *point)
{
	uint64_t memcgs = (uint64_t)point->tree.memcgs + 1;
	uint64_t oracle = NR_LRU_LISTS * sizeof(int64_t) * point->machine.nodes;

	if (!point->write.churn)
		return 0;
	return STACK_BYTES + memcgs * (2 * sizeof(uint32_t) + oracle) +
	       (uint64_t)point_spare(point) * (2 * sizeof(uint32_t) + sizeof(struct life));
}
