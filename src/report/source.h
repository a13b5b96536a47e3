/* SPDX-License-Identifier: MIT */
/* Files of the source tree that are part of the program: the gnuplot scripts of plots/ and the
 * parts of the page. The table is written by embed.py. */
#ifndef MEMCGBENCH_REPORT_SOURCE_H
#define MEMCGBENCH_REPORT_SOURCE_H

#include <stddef.h>

struct source {
	const char *name; /* "latency.gp" */
	const char *text; /* has a NUL behind it */
	size_t length;
	const char *digest; /* "sha256-...", as a content security policy has it */
};

extern const struct source sources[]; /* ended by a NULL name */

/* NULL: there is none. */
const struct source *source_find(const char *name);

#endif
