/* SPDX-License-Identifier: MIT */
/*
 * Seeded random numbers that are the same on every machine and for ever: results are identified by
 * their seeds. splitmix64 (Steele, Lea, Flood, OOPSLA 2014), public domain algorithm.
 */
#ifndef MEMCGBENCH_BASE_RNG_H
#define MEMCGBENCH_BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint64_t rng_next(struct rng *rng)
{
	return rng_mix(rng->state += 0x9e3779b97f4a7c15u);
}

/* Uniform in 0..bound-1, bound > 0, by multiplication (Lemire 2019): the bias, below bound/2^64, is
 * not removed. */
static inline uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)rng_next(rng) * bound) >> 64);
}

/* A generator for item (a, b) of a seed: independent streams without a stored state. */
static inline struct rng rng_for(uint64_t seed, uint64_t a, uint64_t b)
{
	return (struct rng){rng_mix(seed ^ rng_mix(a + 0x9e3779b97f4a7c15u) ^
				    rng_mix(b + 0xd1342543de82ef95u))};
}

#endif
