// SPDX-License-Identifier: MIT
/* See gate.h. */
#include "driver/gate.h"

bool gate_wait(struct gate *gate)
{
	bool open;

	pthread_mutex_lock(&gate->lock);
	gate->waiting++;
	pthread_cond_broadcast(&gate->changed);
	while (!gate->open && !gate->cancelled)
		pthread_cond_wait(&gate->changed, &gate->lock);
	open = gate->open;
	pthread_mutex_unlock(&gate->lock);
	return open;
}

void gate_await(struct gate *gate, unsigned others)
{
	pthread_mutex_lock(&gate->lock);
	while (gate->waiting < others)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

void gate_open(struct gate *gate, unsigned others)
{
	gate_await(gate, others);
	pthread_mutex_lock(&gate->lock);
	gate->open = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

void gate_cancel(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->cancelled = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

void gate_close(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->waiting = 0;
	gate->open = false;
	pthread_mutex_unlock(&gate->lock);
}
