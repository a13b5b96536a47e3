/* SPDX-License-Identifier: MIT */
/*
 * Where threads wait until all are ready, so that they start together. Not a barrier: that counts
 * on everybody, and could never be left where a thread fails to start.
 */
#ifndef MEMCGBENCH_DRIVER_GATE_H
#define MEMCGBENCH_DRIVER_GATE_H

#include <pthread.h>
#include <stdbool.h>

struct gate {
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	unsigned waiting;
	bool open, cancelled;
};

#define GATE_INITIALIZER                                                               \
	{                                                                              \
		.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER \
	}

/* False where there will be no measurement. */
bool gate_wait(struct gate *gate);
/* Wait for `others` at the gate: for who has to say something that is true of the moment at which
 * all go on. */
void gate_await(struct gate *gate, unsigned others);
/* Wait for them, and let all go on. */
void gate_open(struct gate *gate, unsigned others);
/* Let all go home. */
void gate_cancel(struct gate *gate);
/* For another try: nobody waits, and it is closed. */
void gate_close(struct gate *gate);

#endif
