// SPDX-License-Identifier: MIT
/* See siphash.h; the names are those of the paper. */
#include "base/siphash.h"

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

/* Little endian, on every machine. */
static uint64_t load(const unsigned char *bytes, size_t nr)
{
	uint64_t value = 0;

	while (nr--)
		value = value << 8 | bytes[nr];
	return value;
}

static void rounds(uint64_t v[4], unsigned nr)
{
	while (nr--) {
		v[0] += v[1];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[0] = rotate(v[0], 32);
		v[2] += v[3];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

static void compress(uint64_t v[4], uint64_t m)
{
	v[3] ^= m;
	rounds(v, 2);
	v[0] ^= m;
}

uint64_t siphash(const unsigned char key[SIPHASH_KEY_BYTES], const void *data, size_t length)
{
	const unsigned char *in = data;
	uint64_t k0 = load(key, 8), k1 = load(key + 8, 8);
	uint64_t v[] = {
		k0 ^ 0x736f6d6570736575u,
		k1 ^ 0x646f72616e646f6du,
		k0 ^ 0x6c7967656e657261u,
		k1 ^ 0x7465646279746573u,
	};
	size_t left = length;

	for (; left >= 8; left -= 8, in += 8)
		compress(v, load(in, 8));
	compress(v, (uint64_t)length << 56 | load(in, left));
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
