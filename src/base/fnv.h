/* SPDX-License-Identifier: MIT */
/*
 * 64-bit FNV-1a, the hash that ids and names of files are made of (Fowler, Noll, Vo; public domain
 * algorithm). Not for data of somebody who wants it to collide.
 */
#ifndef MEMCGBENCH_BASE_FNV_H
#define MEMCGBENCH_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV1A_START 0xcbf29ce484222325u

/* Start with FNV1A_START; the hash of two texts, one behind the other, goes on with the first's. */
static inline uint64_t fnv1a(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static inline uint64_t fnv1a_bytes(uint64_t hash, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
	return hash;
}

#endif
