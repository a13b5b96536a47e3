// SPDX-License-Identifier: MIT
/* See victim.h. */
#include "driver/victim.h"

#include "timing/clock.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum turn {
	TURN_STARTING,
	TURN_IDLE,
	TURN_AT_WORK,
	TURN_LEAVING,
};

struct victim {
	const struct placement *placement;
	unsigned index, os_cpu;
	int policy;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	enum turn turn;
	uint64_t from, until;
	struct histogram *late; /* of ps */
	int result;
	struct error err;
};

/* The state becomes `turn`, and who waits for that goes on. */
static void take_turn(struct victim *victim, enum turn turn)
{
	pthread_mutex_lock(&victim->lock);
	victim->turn = turn;
	pthread_cond_broadcast(&victim->changed);
	pthread_mutex_unlock(&victim->lock);
}

/* Wait while the state is `turn`; the next one. */
static enum turn wait_while(struct victim *victim, enum turn turn)
{
	enum turn now;

	pthread_mutex_lock(&victim->lock);
	while (victim->turn == turn)
		pthread_cond_wait(&victim->changed, &victim->lock);
	now = victim->turn;
	pthread_mutex_unlock(&victim->lock);
	return now;
}

/* One slice. Nothing but sleeping, looking at the clock, and counting. */
static int be_late(const struct victim *victim)
{
	int r = 0;

	for (uint64_t due = victim->from; !r && due < victim->until; due += VICTIM_PERIOD_NS) {
		uint64_t now;

		clock_sleep_until(due);
		now = clock_now();
		r = histogram_record(victim->late, (now > due ? now - due : 0) * 1000);
	}
	return r;
}

/* Ordinary scheduling, and no slack: 50 us of it are added to every sleep by default. */
static int become_ordinary(struct victim *victim)
{
	static const struct sched_param none = {.sched_priority = 0};
	int r = placement_bind_thread(victim->placement, victim->index, &victim->os_cpu,
				      &victim->err);

	if (r)
		return r;
	if (sched_setscheduler(0, SCHED_OTHER, &none) < 0 || prctl(PR_SET_TIMERSLACK, 1UL) < 0)
		return error_set(&victim->err, -errno,
				 "the victim cannot be scheduled as asked: %s", strerror(errno));
	victim->policy = sched_getscheduler(0);
	return 0;
}

static void *victim_main(void *arg)
{
	struct victim *victim = arg;

	victim->result = become_ordinary(victim);
	take_turn(victim, TURN_IDLE);
	while (wait_while(victim, TURN_IDLE) == TURN_AT_WORK) {
		victim->result = be_late(victim);
		take_turn(victim, TURN_IDLE);
	}
	return NULL;
}

int victim_start(const struct placement *placement, unsigned index, struct victim **out,
		 struct error *err)
{
	struct victim *victim = calloc(1, sizeof(*victim));
	int r;

	*out = NULL;
	if (!victim)
		return error_set(err, -ENOMEM, "out of memory for the victim");
	victim->placement = placement;
	victim->index = index;
	pthread_mutex_init(&victim->lock, NULL);
	pthread_cond_init(&victim->changed, NULL);
	r = pthread_create(&victim->thread, NULL, victim_main, victim);
	if (r) {
		free(victim);
		return error_set(err, -r, "cannot start the victim: %s", strerror(r));
	}
	wait_while(victim, TURN_STARTING);
	r = victim->result;
	if (r) {
		*err = victim->err;
		victim_stop(victim);
		return r;
	}
	*out = victim;
	return 0;
}

void victim_begin(struct victim *victim, uint64_t from, uint64_t until, struct histogram *late)
{
	victim->from = from;
	victim->until = until;
	victim->late = late;
	take_turn(victim, TURN_AT_WORK);
}

int victim_end(struct victim *victim, struct error *err)
{
	wait_while(victim, TURN_AT_WORK);
	if (victim->result)
		error_set(err, victim->result, "out of memory for the victim's delays");
	return victim->result;
}

void victim_stop(struct victim *victim)
{
	if (!victim)
		return;
	take_turn(victim, TURN_LEAVING);
	pthread_join(victim->thread, NULL);
	pthread_cond_destroy(&victim->changed);
	pthread_mutex_destroy(&victim->lock);
	free(victim);
}

unsigned victim_cpu(const struct victim *victim)
{
	return victim->os_cpu;
}

const char *victim_policy(const struct victim *victim)
{
	switch (victim->policy) {
	case SCHED_OTHER:
		return "other";
	case SCHED_BATCH:
		return "batch";
	case SCHED_IDLE:
		return "idle";
	case SCHED_FIFO:
		return "fifo";
	case SCHED_RR:
		return "rr";
	default:
		return "unknown";
	}
}
