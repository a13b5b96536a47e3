/* SPDX-License-Identifier: MIT */
/*
 * The matrix that a scenario's lists span. Each list is an axis; each of its values, or of its maps
 * where a section is a list of maps, is an alternative; an alternative sets one or more parameters.
 * The points are all combinations of one alternative of each axis, the last axis varying fastest.
 */
#ifndef MEMCGBENCH_SCENARIO_MATRIX_H
#define MEMCGBENCH_SCENARIO_MATRIX_H

#include "base/error.h"
#include "scenario/parameter.h"
#include "scenario/yaml_source.h"

#include <stddef.h>
#include <stdint.h>

struct setting {
	const struct parameter *parameter;
	uint64_t value;
	const uint16_t *nids; /* with machine.node_ids; with machine.nodes where it was `here` */
	unsigned nr_nids;
	const struct captured *captured; /* with tree.file; the scenario's */
	struct place place;
};

struct alternative {
	struct setting *settings;
	size_t nr;
};

struct axis {
	struct alternative *alternatives;
	size_t nr, room;
	struct place place;
};

struct axes {
	struct axis *items;
	size_t nr, room;
};

/* Everything that a matrix is made of is taken from here, and freed at once. */
struct arena {
	struct arena_block *blocks;
};
/* Zeroed; NULL: out of memory. */
void *arena_take(struct arena *arena, size_t bytes);
void arena_free(struct arena *arena);

/* All of these: 0 or -ENOMEM. */
int axis_add(struct arena *arena, struct axis *axis, const struct setting *settings, size_t nr);
int axes_add(struct arena *arena, struct axes *axes, const struct axis *axis);
/* `axis` takes the place of what the axes say of `parameter`, or becomes the last one. */
int axes_replace(struct arena *arena, struct axes *axes, const struct parameter *parameter,
		 const struct axis *axis);

/* How many combinations; more than MAX_POINTS: 0, and *excess is the axis that made it too many. */
size_t axes_combinations(const struct axes *axes, const struct axis **excess);
/* Adds all combinations to one axis, as alternatives. There are at most MAX_POINTS. */
int axes_multiply(struct arena *arena, const struct axes *axes, struct axis *axis);

/*
 * Make a point of each combination: -ENOMEM, or -EINVAL with every broken rule added to `errors`
 * where the value to blame stands. Equal points are an error, or, with `merge`, made once. The
 * points are the caller's to free.
 */
int axes_points(const struct axes *axes, bool merge, struct point **points, size_t *nr_points,
		struct error_list *errors);

#endif
