/* SPDX-License-Identifier: MIT */
/*
 * How harm to others is cut up, in a process (driver/harm.h) and in its summary; and the
 * figures of one process that are compared.
 */
#ifndef MEMCGBENCH_RESULT_HARM_FIGURES_H
#define MEMCGBENCH_RESULT_HARM_FIGURES_H

#include <jansson.h>

enum harm_side {
	HARM_WITHOUT, /* reads */
	HARM_WITH,
	NR_HARM_SIDES
};

/* Tasks by where they run: a CPU that no reader has, or one that a reader has, too. */
enum harm_place {
	HARM_APART,
	HARM_BESIDE,
	NR_HARM_PLACES
};

/*
 * Of one result that was checked: the 99th percentile of how late the victim woke while readers
 * read, and pages that tasks charged a second meanwhile, those on CPUs apart from readers where
 * there are any. NAN: not known, or too few wake-ups for it.
 */
double harm_late_p99_of(const json_t *result);
double harm_charges_of(const json_t *result);

#endif
