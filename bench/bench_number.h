/* SPDX-License-Identifier: MIT */
/* Numbers on the command lines of bench programs: counts as scenarios write them, 10 or 10k. */
#ifndef MEMCGBENCH_BENCH_NUMBER_H
#define MEMCGBENCH_BENCH_NUMBER_H

#include "base/units.h"

#include <argp.h>
#include <inttypes.h>
#include <stdint.h>

/* text[0..length) as a number from `min` to `max`; anything else ends the program with usage. */
static inline uint64_t bench_number(const struct argp_state *state, const char *text, size_t length,
				    uint64_t min, uint64_t max)
{
	uint64_t value = 0;

	if (unit_parse(text, length, UNIT_COUNT, &value, NULL) || value < min || value > max)
		argp_error(state, "'%.*s' is not a number from %" PRIu64 " to %" PRIu64,
			   (int)length, text, min, max);
	return value;
}

#endif
