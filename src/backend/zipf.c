// SPDX-License-Identifier: MIT
/*
 * See zipf.h. Shares are cut by cumulative rounding: the first r ranks together have the part H(r)
 * / H(n) of the whole, rounded down, where H(r) = 1 + 1/2 + ... + 1/r. Beyond the first few ranks H
 * is ln r + gamma + 1/(2r) - 1/(12 r^2), less than 1/(120 r^4) off (Euler and Maclaurin): of the
 * step to the next rank never more than a ten-millionth, so that H always grows.
 */
#include "backend/zipf.h"

#include "base/rng.h"

#define FRACTION 52 /* bits behind the point of a harmonic number, of a logarithm */
#define SUMMED   64u /* ranks that are added up one by one */
#define ROUNDS   4u
#define RANKS    0x7a697066u /* the stream of random numbers for ranks */

/* ln 2 and Euler's constant, x 2^52. */
#define LN_2  UINT64_C(0xb17217f7d1cf7)
#define GAMMA UINT64_C(0x93c467e37db0c)

/* log2(x) x 2^FRACTION for x > 0: squaring doubles the logarithm, whose bits come out one by one.
 */
static uint64_t log_2(uint32_t x)
{
	unsigned whole = 31 - (unsigned)__builtin_clz(x);
	uint64_t mantissa = (uint64_t)x << (63 - whole); /* 1 to 2, x 2^63 */
	uint64_t result = whole;

	for (unsigned i = 0; i < FRACTION; i++) {
		unsigned __int128 square = (unsigned __int128)mantissa * mantissa;
		unsigned bit = (unsigned)(square >> 127);

		mantissa = (uint64_t)(square >> (63 + bit));
		result = result << 1 | bit;
	}
	return result;
}

/* H(r) x 2^FRACTION. */
static uint64_t harmonic(uint32_t r)
{
	uint64_t sum = 0, one = UINT64_C(1) << FRACTION;

	if (r <= SUMMED) {
		for (uint32_t i = 1; i <= r; i++)
			sum += one / i;
		return sum;
	}
	sum = (uint64_t)((unsigned __int128)log_2(r) * LN_2 >> FRACTION);
	return sum + GAMMA + one / 2 / r - one / 12 / r / r;
}

/*
 * A network of Feistel over the least even number of bits that holds nr: a permutation of all
 * numbers of so many bits, fewer than 4 x nr of them. One that leads outside is followed until it
 * leads back.
 */
uint32_t zipf_rank(uint64_t seed, uint32_t nr, uint32_t item)
{
	unsigned bits = nr > 1 ? 32 - (unsigned)__builtin_clz(nr - 1) : 1;
	unsigned half = (bits + 1) / 2;
	uint32_t mask = (uint32_t)((UINT64_C(1) << half) - 1);
	uint64_t at = item;

	do {
		uint32_t left = (uint32_t)(at >> half), right = (uint32_t)at & mask;

		for (unsigned round = 0; round < ROUNDS; round++) {
			struct rng rng = rng_for(seed, RANKS + round, right);
			uint32_t next = left ^ ((uint32_t)rng_next(&rng) & mask);

			left = right;
			right = next;
		}
		at = (uint64_t)left << half | right;
	} while (at >= nr);
	return (uint32_t)at + 1;
}

/* What ranks 1..r have together. */
static uint64_t share_to(uint32_t r, uint64_t whole, uint64_t all)
{
	return (uint64_t)((unsigned __int128)whole * harmonic(r) / all);
}

uint64_t zipf_share(uint64_t seed, uint32_t nr, uint32_t item, uint64_t whole)
{
	uint32_t rank = zipf_rank(seed, nr, item);
	uint64_t all = harmonic(nr);

	return share_to(rank, whole, all) - (rank > 1 ? share_to(rank - 1, whole, all) : 0);
}
