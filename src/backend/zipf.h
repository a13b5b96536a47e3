/* SPDX-License-Identifier: MIT */
/*
 * Zipf's law with exponent 1, in whole numbers: of n shares the r-th largest is proportional to
 * 1/r. Who has which rank is a seeded permutation. Both are pure functions of their arguments:
 * nothing is stored, and any part can be computed alone. No floating point is used, so that every
 * machine and compiler cuts the same shares.
 */
#ifndef MEMCGBENCH_BACKEND_ZIPF_H
#define MEMCGBENCH_BACKEND_ZIPF_H

#include <stdint.h>

/* The part of `whole` that item `item` of `nr` has, item < nr. Parts add up to `whole` exactly, and
 * are off from the law by one, or a ten-millionth. */
uint64_t zipf_share(uint64_t seed, uint32_t nr, uint32_t item, uint64_t whole);

/* The rank of `item`, 1..nr: a permutation. */
uint32_t zipf_rank(uint64_t seed, uint32_t nr, uint32_t item);

#endif
