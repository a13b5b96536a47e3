/* SPDX-License-Identifier: MIT */
/*
 * The list of a suite's cases. Names are made from the same values as the cases' parameters, so
 * that they cannot say anything else; both belong to the list.
 */
#ifndef MEMCGBENCH_BENCH_CASES_H
#define MEMCGBENCH_BENCH_CASES_H

#include "timing/gb_shim.h"

#include <stddef.h>

struct bench_cases {
	struct gb_case *cases;
	unsigned nr;
	int error; /* the first of adding; bench_cases_main() reports it */
};

/* Add a copy of `one` with a copy of its parameters[0..size) and a name of its own. */
void bench_cases_add(struct bench_cases *cases, const struct gb_case *one, size_t size,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Run the suite, free the list, return the exit code. */
int bench_cases_main(struct bench_cases *cases, int argc, char **argv);

#endif
