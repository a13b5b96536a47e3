/* SPDX-License-Identifier: MIT */
/*
 * What must stand before processes can measure, where a back end does not build it by itself: made
 * once, by the process that starts the others, and shared by all back ends and repetitions of the
 * points that are alike in what it is made from. A tree of real cgroups with its pages is one.
 */
#ifndef MEMCGBENCH_BACKEND_FIXTURE_H
#define MEMCGBENCH_BACKEND_FIXTURE_H

#include "base/error.h"
#include "place/machine.h"
#include "scenario/point.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* What whoever asks for a fixture allows. */
struct fixture_options {
	bool enable_controllers; /* controllers may be handed down that are not yet */
};

/* Told now and then what is being done and how far it is; true: stop, as for a signal. */
struct fixture_progress {
	bool (*each)(void *arg, const char *doing, uint64_t done, uint64_t of);
	void *arg;
};

struct fixture_env {
	const struct point *point;
	const struct machine *machine;
	struct fixture_options options;
	struct fixture_progress progress;
}; /* all of it outlives the instance */

struct fixture {
	const char *name;

	/* Every reason why it cannot stand on this machine is added; then -ENODEV. Makes nothing.
	 */
	int (*possible)(const struct point *point, const struct machine *machine,
			const struct fixture_options *options, struct error_list *reasons);
	/* Do two points stand on the same? */
	bool (*same)(const struct point *a, const struct point *b);

	/* Nothing is left on error. -EINTR where it was stopped. */
	int (*setup)(const struct fixture_env *env, void **instance, struct error *err);
	/* Does it still stand as it was made? What was measured upon one that does not is of
	 * nothing. -errno with a message. */
	int (*check)(void *instance, struct error *err);
	/* What processes are told that measure upon it, see struct backend_env; the caller's. */
	json_t *(*describe)(const void *instance);
	/* What of that belongs into results, see result/result.h: "live.fixture". */
	json_t *(*facts)(const json_t *described);
	/* Frees the instance in any case; an error says what could not be taken down. */
	int (*teardown)(void *instance, struct error *err);
};

#endif
