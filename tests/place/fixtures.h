/* SPDX-License-Identifier: MIT */
/* What the tests of placement share: recorded machines and points to place. */
#ifndef TEST_PLACE_FIXTURES_H
#define TEST_PLACE_FIXTURES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "place/placement.h"

#define RECORDED(name)  PLACE_DATA "/" name
#define FAKE_ROOT(name) PLACE_DATA "/fake-root/" name

static inline struct machine *open_recorded(const char *path)
{
	struct machine *machine = NULL;
	struct error err = {0};

	if (machine_open(path, &machine, &err))
		error_print(stderr, &err);
	assert_non_null(machine);
	return machine;
}

static inline struct machine *open_synthetic(const char *description)
{
	struct machine *machine = NULL;
	struct error err = {0};

	if (machine_open_synthetic(description, &machine, &err))
		error_print(stderr, &err);
	assert_non_null(machine);
	return machine;
}

/* Node ids 0..nodes-1. */
static inline struct point point_of(enum placement_kind kind, unsigned nodes, unsigned cpus)
{
	struct point point = {0};

	point.machine.placement = kind;
	point.machine.nodes = nodes;
	point.machine.cpus = cpus;
	for (unsigned n = 0; n < nodes; n++)
		point.machine.nids[n] = (uint16_t)n;
	return point;
}

static inline struct placement *place(const struct machine *machine, const struct point *point)
{
	struct placement *placement = NULL;
	struct error_list reasons = {0};

	if (placement_new(machine, point, &placement, &reasons))
		error_list_print(stderr, &reasons);
	assert_non_null(placement);
	return placement;
}

static inline unsigned real_id(const struct placement *placement, unsigned node)
{
	return placement->machine->nodes[placement->real_node[node]].os_index;
}

static inline void assert_contains(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text ? text : "(nothing)");
}

#endif
