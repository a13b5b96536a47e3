/* SPDX-License-Identifier: MIT */
/*
 * The churner: a thread that creates memcgs and takes them away while readers are timed, and what
 * that costs it. It runs on the last modelled CPU, which no reader and no writer has.
 *
 * A life: a memcg is created below a seeded living memcg of the tree (not the root, where another
 * one lives) and charged with counters.pages, CHURN_PAGES at most: a short job's page cache, on one
 * list and the CPU's own node. It comes as one large folio and is uncharged page by page after it
 * was split, so that a batch is left with a remainder. Half goes at once, and the memcg offline.
 * Dying with the other half, as one does while somebody else maps it, it lingers until write.linger
 * younger ones do; then the rest is uncharged and it is removed. Without write.linger it gives up
 * all at once. Before readers start, write.linger of them are dying already.
 *
 * One is due every 1/write.churn of a second, open loop: due times do not move when one is late. A
 * removed memcg's place is used again when the reads are over that could have met it (grace.h).
 * With SPARE_FLOATING places waiting for that, the churner waits, too.
 */
#ifndef MEMCGBENCH_DRIVER_CHURN_H
#define MEMCGBENCH_DRIVER_CHURN_H

#include "backend/backend.h"
#include "backend/oracle.h"
#include "base/error.h"
#include "driver/gate.h"
#include "driver/grace.h"

#include <stdbool.h>
#include <stdint.h>

#define CHURN_PAGES 256u

struct churn;

struct churn_env {
	const struct backend *backend;
	void *instance;
	const struct point *point;
	const struct memcg_tree *tree;
	const struct placement *placement;
}; /* all of it outlives the churner */

/* NAN: not known. */
struct churn_cost {
	bool any; /* false: there was none */
	uint64_t created, removed; /* since the gate opened */
	double create_ns, create_p99_ns; /* median, and p99 where there were enough */
	double remove_ns, remove_p99_ns;
	uint32_t lingering; /* in the end */
	uint32_t pages; /* that each was charged */
	uint64_t behind; /* created after the next was due */
	uint64_t waits; /* creations that waited for readers to be done with a place */
	double seconds;
	unsigned os_cpu; /* where it was found */
};

/* Over a populated instance that nobody else uses. `*out` is NULL where the point has no churn. */
int churn_new(const struct churn_env *env, struct churn **out, struct error *err);
void churn_free(struct churn *churn); /* after churn_stop() */

/* All of these take NULL for no churn. As writers_start() and the like in writer.h. */
int churn_start(struct churn *churn, struct gate *gate, struct error *err);
unsigned churn_nr(const struct churn *churn); /* that will come to the gate */
void churn_await(const struct churn *churn);
int churn_stop(struct churn *churn, struct error *err);
/* Of the last time that it was started. */
void churn_digest(const struct churn *churn, struct churn_cost *cost);

/* What a reader enters for as long as it reads. */
struct grace *churn_grace(struct churn *churn);

/*
 * While it is not at work: tell the oracle what memcgs beside the tree hold, instead of what it was
 * told before. -ENOMEM.
 */
int churn_account(const struct churn *churn, struct oracle *oracle);
/* How many of them are below `top`; while it is not at work. Linear in the subtree. */
uint32_t churn_below(const struct churn *churn, uint32_t top);
/* All are removed; while it is not at work. */
void churn_drain(struct churn *churn);

/* Pages that they hold, all together: at any moment at least and at most so many. For who looks on
 * while it is at work. All are on one list of one node. */
void churn_held(const struct churn *churn, long *least, long *most);

/* The modelled CPU it runs on. */
static inline unsigned churn_cpu(const struct point *point)
{
	return point->machine.cpus - 1;
}

/* For plans. */
double churn_guess_ns(const struct point *point);
uint64_t churn_guess_bytes(const struct point *point);

#endif
