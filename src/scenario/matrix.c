// SPDX-License-Identifier: MIT
/* Axes and their products; see matrix.h. The points made of them are in expand.c. */
#include "scenario/matrix.h"

#include "scenario/scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK 65536

struct arena_block {
	struct arena_block *next;
	size_t used, room;
	max_align_t data[];
};

void *arena_take(struct arena *arena, size_t bytes)
{
	struct arena_block *block = arena->blocks;
	size_t align = sizeof(max_align_t), room;
	void *taken;

	bytes = (bytes + align - 1) / align * align;
	if (!block || block->room - block->used < bytes) {
		room = bytes > ARENA_BLOCK ? bytes : ARENA_BLOCK;
		block = calloc(1, sizeof(*block) + room);
		if (!block)
			return NULL;
		block->room = room;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	taken = (char *)block->data + block->used;
	block->used += bytes;
	return taken;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *block = arena->blocks;

		arena->blocks = block->next;
		free(block);
	}
}

/* Room for one more of `size` bytes in an array that holds `nr`. */
static void *grow(struct arena *arena, void *array, size_t nr, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 4;
	void *larger;

	if (nr < *room)
		return array;
	larger = arena_take(arena, more * size);
	if (!larger)
		return NULL;
	if (nr)
		memcpy(larger, array, nr * size);
	*room = more;
	return larger;
}

int axis_add(struct arena *arena, struct axis *axis, const struct setting *settings, size_t nr)
{
	struct alternative alternative = {.nr = nr};
	struct alternative *larger;

	alternative.settings = arena_take(arena, nr * sizeof(*settings));
	larger = grow(arena, axis->alternatives, axis->nr, &axis->room, sizeof(*larger));
	if (!alternative.settings || !larger)
		return -ENOMEM;
	if (nr)
		memcpy(alternative.settings, settings, nr * sizeof(*settings));
	axis->alternatives = larger;
	axis->alternatives[axis->nr++] = alternative;
	return 0;
}

int axes_add(struct arena *arena, struct axes *axes, const struct axis *axis)
{
	struct axis *larger = grow(arena, axes->items, axes->nr, &axes->room, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	axes->items = larger;
	axes->items[axes->nr++] = *axis;
	return 0;
}

/* Takes the parameter out of every alternative. Returns whether it was in one; *empty, whether all
 * alternatives now set nothing. */
static bool axis_forget(struct axis *axis, const struct parameter *parameter, bool *empty)
{
	bool found = false;

	*empty = true;
	for (size_t i = 0; i < axis->nr; i++) {
		struct alternative *alternative = &axis->alternatives[i];
		size_t kept = 0;

		for (size_t k = 0; k < alternative->nr; k++) {
			if (alternative->settings[k].parameter == parameter)
				found = true;
			else
				alternative->settings[kept++] = alternative->settings[k];
		}
		alternative->nr = kept;
		*empty &= !kept;
	}
	return found;
}

int axes_replace(struct arena *arena, struct axes *axes, const struct parameter *parameter,
		 const struct axis *axis)
{
	bool empty;
	int code;

	for (size_t i = 0; i < axes->nr; i++) {
		if (!axis_forget(&axes->items[i], parameter, &empty))
			continue;
		if (empty) {
			axes->items[i] = *axis;
			return 0;
		}
		/* it varied together with others, which stay: the axis goes behind them */
		code = axes_add(arena, axes, axis);
		if (code)
			return code;
		memmove(&axes->items[i + 2], &axes->items[i + 1],
			(axes->nr - i - 2) * sizeof(*axes->items));
		axes->items[i + 1] = *axis;
		return 0;
	}
	return axes_add(arena, axes, axis);
}

size_t axes_combinations(const struct axes *axes, const struct axis **excess)
{
	size_t product = 1;

	for (size_t i = 0; i < axes->nr; i++) {
		*excess = &axes->items[i];
		if (axes->items[i].nr > MAX_POINTS / product)
			return 0;
		product *= axes->items[i].nr;
	}
	return product;
}

int axes_multiply(struct arena *arena, const struct axes *axes, struct axis *axis)
{
	const struct axis *excess;
	size_t nr = axes_combinations(axes, &excess);
	struct setting settings[MAX_PARAMETERS];

	for (size_t i = 0; i < nr; i++) {
		size_t rest = i, block = nr, used = 0;

		for (size_t a = 0; a < axes->nr; a++) {
			const struct alternative *alternative;

			block /= axes->items[a].nr;
			alternative = &axes->items[a].alternatives[rest / block];
			rest %= block;
			/* no parameter is in two axes, so there are never more than there are */
			for (size_t k = 0; k < alternative->nr && used < MAX_PARAMETERS; k++)
				settings[used++] = alternative->settings[k];
		}
		if (axis_add(arena, axis, settings, used))
			return -ENOMEM;
	}
	return 0;
}
