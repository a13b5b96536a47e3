/* SPDX-License-Identifier: MIT */
/*
 * SipHash-2-4 (Aumasson and Bernstein, 2012; public domain algorithm): a hash under a secret key.
 * Who does not know the key can neither compute it nor, from its values, find what was hashed by
 * trying what is likely.
 */
#ifndef MEMCGBENCH_BASE_SIPHASH_H
#define MEMCGBENCH_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_BYTES 16

uint64_t siphash(const unsigned char key[SIPHASH_KEY_BYTES], const void *data, size_t length);

#endif
