/* SPDX-License-Identifier: MIT */
/*
 * One task that charges pages to memcgs: it is moved into one after the other, touches pages there,
 * and goes on. A page stays charged to the memcg in which it was first touched, so at the end the
 * task holds the pages of all of them, and the tree keeps its charges for as long as it lives.
 *
 * Pages are anonymous ones, locked ones (unevictable), and such of a file (page_file.h). Each is
 * bound to the node asked for and looked up there.
 */
#ifndef MEMCGBENCH_KERNEL_CHARGER_H
#define MEMCGBENCH_KERNEL_CHARGER_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

/* In pages of the machine. */
struct charger_pages {
	uint64_t anon, locked, file;
};

struct charger {
	pid_t pid; /* a child of ours; 0: none */
	int socket; /* owned */
	uint64_t unheld; /* pages of the file that anybody may reclaim, see held_file.h */
};

/*
 * Fork it, in the parent's cgroup, with room for so many pages over all memcgs. The file is in the
 * first of the directories that will do (page_file.h). It is killed when this process ends, however
 * that ends. -ENOMEM where the machine has less available, -EPERM where so much may not be locked,
 * -ENODEV where only tmpfs is there for the file: all with a message.
 */
int charger_start(const struct charger_pages *room, const char *const *directories,
		  struct charger *charger, struct error *err);
/* Touch so many more pages, from one CPU and on one node, both by OS index. */
int charger_charge(struct charger *charger, const struct charger_pages *pages, unsigned cpu,
		   unsigned node, struct error *err);
/*
 * Pages that were touched last wait in lists of the CPU until these are full, not counted as of
 * any LRU list. Locking a page on that CPU empties them. Counters are behind by two periods of the
 * flusher at most: the caller waits for them.
 */
int charger_drain(struct charger *charger, unsigned cpu, struct error *err);
/* -ECHILD with a message where it has ended by itself, killed for want of memory perhaps: then
 * nothing is charged any more. */
int charger_check(struct charger *charger, struct error *err);
/* End it: all its pages are given back. */
void charger_stop(struct charger *charger);

#endif
