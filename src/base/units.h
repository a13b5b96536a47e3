/* SPDX-License-Identifier: MIT */
/*
 * The one place that knows a unit suffix, in both directions.
 *
 * Base units: counts 1, bytes 1, time 1 ns, shares 1 part per million.
 */
#ifndef MEMCGBENCH_BASE_UNITS_H
#define MEMCGBENCH_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum unit_kind {
	UNIT_COUNT, /* k M G: powers of 1000 */
	UNIT_BYTES, /* plain, k M G: powers of 1000; KiB MiB GiB: powers of 1024 */
	UNIT_TIME,  /* ns us ms s; a suffix is required, but for 0 */
	UNIT_SHARE, /* % from 0% to 100%, the sign required, but for 0 */
};

/*
 * Read all of text[0..length) as a number of `kind` in base units. Decimal digits, one optional
 * fraction, one optional suffix: no sign, no octal, no hex, no exponent, no blank. A fraction must
 * come out whole in base units (1.5k is 1500; 1.0001k is refused): nothing is rounded.
 * 0, or -EINVAL (not such a number) or -ERANGE (does not fit, or not whole). `*why`, where given,
 * is set to a constant text that says what is allowed.
 */
int unit_parse(const char *text, size_t length, enum unit_kind kind, uint64_t *value,
	       const char **why);

/* For people, in at most 15 characters: three significant digits ("205 ms", "1.49 us", "33.4 ns").
 * NAN gives "-". Returns `buffer`. */
#define UNIT_TEXT_MAX 24
const char *unit_format_time(char buffer[UNIT_TEXT_MAX], double ns);
const char *unit_format_bytes(char buffer[UNIT_TEXT_MAX], double bytes); /* KiB MiB GiB */
const char *unit_format_count(char buffer[UNIT_TEXT_MAX], double count); /* k M G */
/* Exact, as a scenario would say it and unit_parse() would read it: "10k", "1500", "2s", "12.5%". */
const char *unit_format_exact(char buffer[UNIT_TEXT_MAX], enum unit_kind kind, uint64_t value);

#endif
