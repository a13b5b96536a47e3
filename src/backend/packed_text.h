/* SPDX-License-Identifier: MIT */
/*
 * The text of memory.numa_stat, for a reader that finds nothing in its caches.
 *
 * seq_printf() per cell runs through some kilobytes of code and tables. Here all of it is one loop
 * over cells: a label of fixed size is copied, whatever its length, and a number of up to eight
 * digits is made by three multiplications and a shift. No table, no division, no call; labels are
 * made once, at creation. The bytes are those of numa_stat_text(), which tests hold it to.
 */
#ifndef MEMCGBENCH_BACKEND_PACKED_TEXT_H
#define MEMCGBENCH_BACKEND_PACKED_TEXT_H

#include "memcg/numa_stat.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/cdefs.h> /* __always_inline */

#define LABEL_BYTES  32
#define NUMBER_BYTES 20 /* digits of UINT64_MAX */

/* What stands before a number: "hierarchical_unevictable=", " N4294967295=". */
struct packed_label {
	char text[LABEL_BYTES - 1];
	uint8_t length;
};
_Static_assert(sizeof(struct packed_label) == LABEL_BYTES, "a label is copied by two moves");

/* Of all rows in the order of the file, then of all nodes. */
static inline size_t packed_nr_labels(unsigned nodes)
{
	return (size_t)NR_SCOPES * NR_NUMA_ROWS + nodes;
}

void packed_labels_init(struct packed_label *labels, unsigned nodes, const uint16_t *nids);

/* Bytes that are enough, whatever the numbers are: also for what a move or a store writes behind.
 */
size_t packed_text_room(const struct packed_label *labels, unsigned nodes);

/*
 * Eight digits of a number below 10^8, the first at the lowest address, as bytes of value 0 to 9.
 * Halves, then quarters, then single digits, all at once: x / 100 is x * 10486 >> 20 up to 9999,
 * and x / 10 is x * 103 >> 10 up to 99.
 */
static __always_inline uint64_t eight_digits(uint32_t number)
{
	uint64_t x = number / 10000 | (uint64_t)(number % 10000) << 32, high;

	high = (x * 10486 >> 20) & 0x7f0000007f;
	x = high | (x - 100 * high) << 16;
	high = (x * 103 >> 10) & 0x000f000f000f000f;
	x = high | (x - 10 * high) << 8;
	return x;
}

/* `digits` is in the order of a little-endian load. */
static __always_inline void put_eight(char *at, uint64_t digits)
{
	digits |= 0x3030303030303030;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	digits = __builtin_bswap64(digits);
#endif
	memcpy(at, &digits, sizeof(digits));
}

/* `number` from 10^8 on: what stands before its last eight digits. Rare, and kept out of the way.
 */
char *packed_put_high(char *at, uint64_t high);

/* Writes eight bytes at least, of which those behind the returned end mean nothing. */
static __always_inline char *put_number(char *at, uint64_t number)
{
	const uint32_t e8 = 100000000;
	uint64_t high = number / e8, digits = eight_digits((uint32_t)(number % e8));
	unsigned zeros;

	if (__builtin_expect(high > 0, 0)) {
		at = packed_put_high(at, high);
		put_eight(at, digits);
		return at + 8;
	}
	/* The last digit stays, also where it is a zero. */
	zeros = (unsigned)__builtin_ctzll(digits | 1ull << 56) / 8;
	put_eight(at, digits >> 8 * zeros);
	return at + 8 - zeros;
}

/* Into a buffer of packed_text_room() at least; not ended by a NUL. Returns the end. */
static __always_inline char *packed_put_text(const struct packed_label *labels,
					     const struct numa_counts *counts, unsigned rows,
					     char *at)
{
	const struct packed_label *node = labels + NR_SCOPES * NR_NUMA_ROWS;
	const uint64_t *cell = counts->cells;

	for (unsigned row = 0; row < NR_SCOPES * NR_NUMA_ROWS; row++) {
		const struct packed_label *label = &labels[row];

		if (!(rows & 1u << row / NR_NUMA_ROWS)) {
			cell += 1 + counts->nr_nodes;
			continue;
		}
		for (unsigned k = 0; k <= counts->nr_nodes; k++) {
			memcpy(at, label, LABEL_BYTES);
			at = put_number(at + label->length, *cell++);
			label = &node[k];
		}
		*at++ = '\n';
	}
	return at;
}

#endif
