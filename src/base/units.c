// SPDX-License-Identifier: MIT
/*
 * See units.h. Numbers are read with 128-bit integers and never through floating point, so that
 * what is refused as not whole is exactly what is not whole.
 */
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct suffix {
	const char *text;
	uint64_t factor;
};

struct kind {
	const char *allowed;
	bool suffix_required; /* but for a plain 0 */
	uint64_t max;
	struct suffix suffixes[8]; /* ended by a NULL text; ascending */
};

static const struct kind kinds[] = {
	[UNIT_COUNT] = {"a number like 1500, 10k, 1.5M or 2G",
			false,
			UINT64_MAX,
			{{"", 1}, {"k", 1000}, {"M", 1000000}, {"G", 1000000000}}},
	[UNIT_BYTES] = {"bytes like 4096, 10k, 1M, 2G, 64KiB, 1MiB or 2GiB",
			false,
			UINT64_MAX,
			{{"", 1},
			 {"k", 1000},
			 {"KiB", 1024},
			 {"M", 1000000},
			 {"MiB", 1024 * 1024},
			 {"G", 1000000000},
			 {"GiB", 1024 * 1024 * 1024}}},
	[UNIT_TIME] = {"a time with its unit: ns, us, ms or s, like 200ms",
		       true,
		       UINT64_MAX,
		       {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}}},
	[UNIT_SHARE] = {"a share from 0% to 100%, with the sign, in steps of 0.0001%",
			true,
			1000000,
			{{"%", 10000}}},
};

/* Fractions longer than this, trailing zeros aside, are in no unit whole. */
#define MAX_FRACTION_DIGITS 18

struct decimal {
	unsigned __int128 whole;
	uint64_t fraction, scale; /* fraction / scale */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* How many characters the decimal takes; 0 where there is none, -ERANGE where it cannot be held. */
static long read_decimal(const char *text, size_t length, struct decimal *decimal)
{
	size_t at = 0, last;

	*decimal = (struct decimal){.scale = 1};
	for (; at < length && is_digit(text[at]); at++) {
		decimal->whole = decimal->whole * 10 + (unsigned)(text[at] - '0');
		if (decimal->whole > UINT64_MAX)
			return -ERANGE;
	}
	/* 010 is eight to some readers and ten to others */
	if (!at || (at > 1 && text[0] == '0'))
		return 0;
	if (at == length || text[at] != '.')
		return (long)at;
	last = ++at;
	while (last < length && is_digit(text[last]))
		last++;
	if (last == at)
		return 0;
	for (size_t end = last; at < end; at++) {
		while (text[end - 1] == '0' && end > at)
			end--;
		if (at == end)
			break;
		if (decimal->scale == 1000000000000000000u)
			return -ERANGE;
		decimal->fraction = decimal->fraction * 10 + (unsigned)(text[at] - '0');
		decimal->scale *= 10;
	}
	return (long)last;
}

static const struct suffix *find_suffix(const struct kind *kind, const char *text, size_t length)
{
	for (const struct suffix *suffix = kind->suffixes; suffix->text; suffix++)
		if (strlen(suffix->text) == length && !memcmp(suffix->text, text, length))
			return suffix;
	return NULL;
}

int unit_parse(const char *text, size_t length, enum unit_kind kind, uint64_t *value,
	       const char **why)
{
	static const struct suffix plain_zero = {"", 1};
	const struct kind *rules = &kinds[kind];
	const struct suffix *suffix;
	struct decimal decimal;
	unsigned __int128 sum;
	long used;

	if (why)
		*why = rules->allowed;
	used = read_decimal(text, length, &decimal);
	if (used < 0)
		return (int)used;
	if (!used)
		return -EINVAL;
	suffix = find_suffix(rules, text + used, length - (size_t)used);
	if (!suffix && length == 1 && text[0] == '0')
		suffix = &plain_zero;
	if (!suffix)
		return -EINVAL;

	/* below 2^64 * 2^30 + 10^18 * 2^30: far from overflow */
	sum = (unsigned __int128)decimal.fraction * suffix->factor;
	if (sum % decimal.scale)
		return -ERANGE;
	sum = sum / decimal.scale + decimal.whole * suffix->factor;
	if (sum > rules->max)
		return -ERANGE;
	*value = (uint64_t)sum;
	return 0;
}

/*
 * Three significant digits of `value` in the largest unit that leaves at least 1.00. The largest
 * unit takes what is beyond it, in whole numbers.
 */
static const char *format_scaled(char buffer[UNIT_TEXT_MAX], double value, double base,
				 const char *const *units, size_t nr_units)
{
	double size = fabs(value), most;
	int digits;
	size_t unit = 0;

	if (isnan(value))
		return strcpy(buffer, "-");
	/* what rounds up to the next unit belongs there: 999.96 ns is 1.00 us */
	most = base - 0.5;
	while (unit + 1 < nr_units && size >= most) {
		size /= base;
		unit++;
	}
	if (size >= 99.95 || size == 0)
		digits = 0;
	else if (size >= 9.995)
		digits = 1;
	else
		digits = size >= 0.9995 ? 2 : 3;
	if (size >= 1e9)
		snprintf(buffer, UNIT_TEXT_MAX, "%s%.2e%s", value < 0 ? "-" : "", size,
			 units[unit]);
	else
		snprintf(buffer, UNIT_TEXT_MAX, "%s%.*f%s", value < 0 ? "-" : "", digits, size,
			 units[unit]);
	return buffer;
}

const char *unit_format_time(char buffer[UNIT_TEXT_MAX], double ns)
{
	static const char *const units[] = {" ns", " us", " ms", " s"};

	return format_scaled(buffer, ns, 1000, units, sizeof(units) / sizeof(units[0]));
}

const char *unit_format_bytes(char buffer[UNIT_TEXT_MAX], double bytes)
{
	static const char *const units[] = {" B", " KiB", " MiB", " GiB"};

	return format_scaled(buffer, bytes, 1024, units, sizeof(units) / sizeof(units[0]));
}

const char *unit_format_count(char buffer[UNIT_TEXT_MAX], double count)
{
	static const char *const units[] = {"", "k", "M", "G"};

	/* counts below 1000 are mostly whole, and then say so */
	if (fabs(count) < 1000 && count == trunc(count)) {
		snprintf(buffer, UNIT_TEXT_MAX, "%.0f", count);
		return buffer;
	}
	return format_scaled(buffer, count, 1000, units, sizeof(units) / sizeof(units[0]));
}

static const char *format_share(char buffer[UNIT_TEXT_MAX], uint64_t ppm)
{
	int length =
		snprintf(buffer, UNIT_TEXT_MAX, "%" PRIu64 ".%04" PRIu64, ppm / 10000, ppm % 10000);

	while (buffer[length - 1] == '0')
		length--;
	if (buffer[length - 1] == '.')
		length--;
	strcpy(buffer + length, "%");
	return buffer;
}

const char *unit_format_exact(char buffer[UNIT_TEXT_MAX], enum unit_kind kind, uint64_t value)
{
	const struct suffix *best = NULL;

	if (kind == UNIT_SHARE)
		return format_share(buffer, value);
	if (!value)
		return strcpy(buffer, "0");
	for (const struct suffix *suffix = kinds[kind].suffixes; suffix->text; suffix++) {
		/* decimal suffixes of bytes are read, never written */
		if (kind == UNIT_BYTES && suffix->factor % 1024 && suffix->factor != 1)
			continue;
		if (value % suffix->factor == 0)
			best = suffix;
	}
	snprintf(buffer, UNIT_TEXT_MAX, "%" PRIu64 "%s", value / best->factor, best->text);
	return buffer;
}
