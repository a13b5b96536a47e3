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
	PARAMETER_WORD, /* one of `words` */
	PARAMETER_NIDS, /* a list of node ids as text, "0,8,252-255" */
	PARAMETER_FILE, /* a file: its value is the hash of its content, 0 for none */
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
	uint64_t fallback; /* the default */
	uint64_t min, max;
	const struct parameter_word *words; /* ended by a NULL word */
	bool in_id;
	bool required;
	bool quiet; /* most runs have nothing to do with it: said only where it is not the default
		     */
	bool single; /* may not be a list: one value for the whole scenario */
	const char *help;
};

#define MAX_PARAMETERS 64
extern const struct parameter parameters[];
extern const size_t nr_parameters;

const struct parameter *parameter_find(const char *name, size_t length);
/* The value in base units or the word's value. Node ids have none: 0. */
uint64_t parameter_get(const struct parameter *parameter, const struct point *point);
/* Not for node ids, which nids.h reads. The value is in range. */
void parameter_set(const struct parameter *parameter, struct point *point, uint64_t value);
/* What the default is for this point: counters.spread is lowered to the CPUs and nodes there are.
 */
uint64_t parameter_fallback(const struct parameter *parameter, const struct point *point);
bool parameter_is_default(const struct parameter *parameter, const struct point *point);
/* False for the default of a quiet one, for what writers do where there are none, and for what a
 * captured tree has of its own: people need not be told. */
bool parameter_matters(const struct parameter *parameter, const struct point *point);

/*
 * Read a word, a number with its unit, or a file's hash, as documents have it. -EINVAL or -ERANGE with a message that says what is
 * allowed, in parentheses; its place is left alone.
 */
int parameter_parse(const struct parameter *parameter, const char *text, size_t length,
		    uint64_t *value, struct error *err);

/* As people write it: "10k", "balanced", "50%", "2s". */
#define PARAMETER_TEXT_MAX 6000 /* 1024 node ids */
const char *parameter_text(const struct parameter *parameter, const struct point *point,
			   char buffer[PARAMETER_TEXT_MAX]);
/* As JSON, TSV and ids have it: numbers in base units, shares as fractions, words themselves. */
const char *parameter_base_text(const struct parameter *parameter, const struct point *point,
				char buffer[PARAMETER_TEXT_MAX]);

/* A point with every parameter at its default and no id; tree.memcgs has no default and is 0. */
void point_init(struct point *point);

/*
 * The rules between parameters (no more readers than CPUs, one id per node, ...), each in range by
 * itself. -EINVAL with a message; `*culprit`, where given, is the parameter to blame.
 */
int point_check(const struct point *point, const struct parameter **culprit, struct error *err);

/*
 * Fill point->id: 64-bit FNV-1a, in 16 hex digits, of the lines `name=value\n`, sorted by name, of
 * the parameters that are part of the id and differ from their default. Numbers are decimal in base
 * units (shares as decimal fractions), words are themselves.
 */
void point_set_id(struct point *point);

/* All parameters, defaults included: numbers in base units (times in ns, shares as fractions). */
json_t *point_to_json(const struct point *point);
/* The reverse, strict: no unknown parameter, every range checked, the id recomputed and compared
 * where `id` is not NULL. One that is not there has its default: a document may be older than the
 * parameter. -EINVAL with a message. */
int point_from_json(const json_t *parameters, const char *id, struct point *point,
		    struct error *err);

#endif
