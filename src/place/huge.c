// SPDX-License-Identifier: MIT
/*
 * See huge.h. The kernel merges neighbouring mappings with the same policy, so one entry of smaps
 * may cover several regions; the regions are sorted by address and walked beside the entries.
 */
#include "place/huge.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct span {
	uintptr_t start, end;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

static struct span *sorted_spans(const struct region *regions, size_t nr)
{
	struct span *spans = calloc(nr + 1, sizeof(*spans));

	for (size_t i = 0; spans && i < nr; i++) {
		spans[i].start = (uintptr_t)regions[i].base;
		spans[i].end = spans[i].start + regions[i].bytes;
	}
	if (spans)
		qsort(spans, nr, sizeof(*spans), compare_spans);
	return spans;
}

/* Bytes of a mapping that lie in spans; `*next` moves on to the first span that may reach beyond.
 */
static uintptr_t overlap(const struct span *spans, size_t nr, size_t *next, struct span mapping)
{
	uintptr_t bytes = 0;

	while (*next < nr && spans[*next].end <= mapping.start)
		(*next)++;
	for (size_t i = *next; i < nr && spans[i].start < mapping.end; i++) {
		uintptr_t start = spans[i].start, end = spans[i].end;

		if (start < mapping.start)
			start = mapping.start;
		if (end > mapping.end)
			end = mapping.end;
		bytes += end - start;
	}
	return bytes;
}

json_t *huge_bytes_in(FILE *smaps, const struct region *regions, size_t nr)
{
	struct span *spans = sorted_spans(regions, nr), mapping = {0};
	unsigned long long kib, total = 0;
	uintptr_t covered = 0;
	size_t next = 0, size = 0;
	char *line = NULL;
	bool known = spans;

	while (known && getline(&line, &size, smaps) > 0) {
		unsigned long start, end;

		if (sscanf(line, "AnonHugePages: %llu kB", &kib) == 1) {
			if (covered == mapping.end - mapping.start)
				total += kib << 10;
			else if (covered && kib)
				known = false;
		} else if (sscanf(line, "%lx-%lx ", &start, &end) == 2) {
			mapping = (struct span){start, end};
			covered = overlap(spans, nr, &next, mapping);
		}
	}
	free(line);
	free(spans);
	return known ? json_integer((json_int_t)total) : json_null();
}

json_t *huge_bytes(const struct region *regions, size_t nr)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	json_t *huge;

	if (!smaps)
		return json_null();
	huge = huge_bytes_in(smaps, regions, nr);
	fclose(smaps);
	return huge;
}
