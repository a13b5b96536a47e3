/* SPDX-License-Identifier: MIT */
/*
 * The table of a point's parameters: for each its dotted name, unit, default, range, allowed words,
 * and whether it is part of the point's id. Everything that reads or prints a parameter uses it.
 *
 * A released default never changes, so that new parameters keep old ids.
 */
#ifndef MEMCGBENCH_SCENARIO_PARAMETER_H
#define MEMCGBENCH_SCENARIO_PARAMETER_H

#include "base/error.h"
#include "base/units.h"
#include "scenario/point.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum parameter_kind {
	PARAMETER_NUMBER, /* an unsigned integer in base units */
	PARAMETER_WORD,   /* one of `words` */
	PARAMETER_NIDS,   /* a list of node ids as text, "0,8,252-255" */
};

struct parameter_word {
	const char *word;
	unsigned value;
};

struct parameter {
	const char *name; /* "tree.memcgs" */
	enum parameter_kind kind;
	enum unit_kind unit;
	size_t offset, size; /* of the field in struct point */
	uint64_t fallback;   /* the default */
	uint64_t min, max;
	const struct parameter_word *words; /* ended by a NULL word */
	bool in_id;
	bool required;
	bool single; /* may not be a list: one value for the whole scenario */
	const char *help;
};

extern const struct parameter parameters[];
extern const size_t nr_parameters;

const struct parameter *parameter_find(const char *name, size_t length);
uint64_t parameter_get(const struct parameter *parameter, const struct point *point);
bool parameter_is_default(const struct parameter *parameter, const struct point *point);

/* As people write it: "10k", "balanced", "50%", "2s". */
#define PARAMETER_TEXT_MAX 6000 /* 1024 node ids */
const char *parameter_text(const struct parameter *parameter, const struct point *point,
			   char buffer[PARAMETER_TEXT_MAX]);

/* A point with every parameter at its default and no id. */
void point_init(struct point *point);

/*
 * Fill point->id: 64-bit FNV-1a, in 16 hex digits, of the lines `name=value\n`, sorted by name, of
 * the parameters that are part of the id and differ from their default. Numbers are decimal in base
 * units (shares as decimal fractions), words are themselves.
 */
void point_set_id(struct point *point);

/* All parameters, defaults included: numbers in base units (times in ns, shares as fractions). */
json_t *point_to_json(const struct point *point);
/* The reverse: strict, every parameter present, every range checked, id recomputed and compared
 * where `id` is not NULL. -EINVAL with a message. */
int point_from_json(const json_t *parameters, const char *id, struct point *point,
		    struct error *err);

#endif
