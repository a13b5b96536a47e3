// SPDX-License-Identifier: MIT
/*
 * `memcgbench parse`: a memory.numa_stat or memory.stat as JSON.
 *
 * Numbers are JSON integers up to 2^63-1, the largest that JSON readers in C can be trusted with.
 * Larger ones (kernels with a counter below zero print 2^64 less a little) and differences outside
 * 64 signed bits are strings of decimal digits: nothing is rounded, nothing wraps.
 */
#include "cli/cli.h"

#include "base/error.h"
#include "base/file.h"
#include "memcg/lru.h"
#include "memcg/stat_parse.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
	const char *path;
	enum stat_type type;
};

enum {
	OPTION_TYPE = 0x100
};

static const struct argp_option options[] = {
	{"type", OPTION_TYPE, "TYPE", 0,
	 "what FILE is: v1-numa_stat, v2-numa_stat, v1-memory.stat or v2-memory.stat (default: "
	 "what "
	 "the first row that is recognised says)",
	 0},
	{0},
};

static const char doc[] =
	"Reads a memory.numa_stat or memory.stat of cgroup v1 or v2 and prints it as JSON."
	"\v"
	"FILE may be - for standard input. Lines that no mainline kernel prints are kept as text, "
	"under \"unknown\", and said on standard error. Whatever is wrong with a row that is known "
	"(a malformed number, a row or node that is there twice, a file that was cut) is an error "
	"with line and column.\n\n"
	"Numbers above 2^63-1 are printed as strings: no digit is lost.\n\n"
	"Exit codes: 0 fine; 2 trouble.";

static bool find_type(const char *word, enum stat_type *type)
{
	for (enum stat_type t = STAT_NUMA_V1; t <= STAT_MEMORY_V2; t++) {
		if (strcmp(word, stat_type_name(t)))
			continue;
		*type = t;
		return true;
	}
	return false;
}

static error_t parse_option(int key, char *word, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case OPTION_TYPE:
		if (!find_type(word, &arguments->type))
			argp_error(state,
				   "--type: '%s' is not one of v1-numa_stat v2-numa_stat "
				   "v1-memory.stat v2-memory.stat",
				   word);
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->path)
			argp_error(state, "more than one FILE");
		arguments->path = word;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->path)
			argp_error(state, "FILE is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {options, parse_option, "FILE", doc, NULL, NULL, NULL};

static json_t *json_u64(uint64_t value)
{
	char digits[24];

	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	return json_string(digits);
}

/* The sum of a row may be off to both sides, and 1024 columns of 64 bits take 74. */
static json_t *json_i128(__int128 value)
{
	char digits[48], *at = digits + sizeof(digits) - 1;
	unsigned __int128 rest = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;

	if (value >= INT64_MIN && value <= INT64_MAX)
		return json_integer((json_int_t)value);
	*at = '\0';
	for (; rest; rest /= 10)
		*--at = (char)('0' + (unsigned)(rest % 10));
	if (value < 0)
		*--at = '-';
	return json_string(at);
}

/* Adds to `object` and takes `value`. -1 without memory, then or when `value` was made. */
static int put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value);
}

static int put_cells(json_t *json, const struct stat_row *row)
{
	json_t *nodes = json_object();
	__int128 difference = row->value;
	int r;

	r = put(json, "sum", row->has_value ? json_u64(row->value) : json_null());
	r |= put(json, "nodes", nodes);
	if (r)
		return r;
	for (unsigned k = 0; k < row->nr_columns; k++) {
		char nid[16];

		snprintf(nid, sizeof(nid), "%u", row->columns[k].nid);
		r |= put(nodes, nid, json_u64(row->columns[k].value));
		difference -= row->columns[k].value;
	}
	/* Without columns there is nothing to be different from. */
	return r | put(json, "sum_minus_nodes",
		       row->has_value && row->nr_columns ? json_i128(difference) : json_null());
}

static bool is_numa(enum stat_type type)
{
	return type == STAT_NUMA_V1 || type == STAT_NUMA_V2;
}

static json_t *row_json(const struct stat_row *row, enum stat_type type)
{
	json_t *json = json_object();
	int r;

	if (!json)
		return NULL;
	if (!row->known) {
		r = put(json, "line", json_integer(row->line));
		r |= put(json, "text", json_string(row->text));
	} else {
		r = put(json, "name", json_string(row->name));
		r |= put(json, "line", json_integer(row->line));
		r |= put(json, "unit", json_string(stat_unit_name(row->unit)));
		if (is_numa(type))
			r |= put_cells(json, row);
		else
			r |= put(json, "value", json_u64(row->value));
	}
	if (!r)
		return json;
	json_decref(json);
	return NULL;
}

/* NULL without memory. */
static json_t *file_json(const struct stat_file *file)
{
	enum stat_unit unit = file->type == STAT_NUMA_V1 ? STAT_PAGES : STAT_BYTES;
	json_t *json = json_object(), *rows = json_array(), *unknown = json_array();
	int r;

	r = put(json, "type", json_string(stat_type_name(file->type)));
	r |= put(json, "unit", json_string(stat_unit_name(unit)));
	r |= put(json, "rows", rows);
	r |= put(json, "unknown", unknown);
	for (size_t i = 0; !r && i < file->nr_rows; i++)
		r = json_array_append_new(file->rows[i].known ? rows : unknown,
					  row_json(&file->rows[i], file->type));
	if (!r)
		return json;
	json_decref(json);
	return NULL;
}

/* What was read but is not in "rows": one line, however many there are. */
static void say_unknown(const char *path, const struct stat_file *file)
{
	const unsigned shown_max = 10;
	unsigned nr = 0;

	for (size_t i = 0; i < file->nr_rows; i++)
		nr += !file->rows[i].known;
	if (!nr)
		return;
	fprintf(stderr, "memcgbench: %s: %u unknown line%s kept as text: ", path, nr,
		nr == 1 ? "" : "s");
	for (size_t i = 0, shown = 0; i < file->nr_rows && shown <= shown_max; i++) {
		if (file->rows[i].known)
			continue;
		if (shown == shown_max)
			fputs(", ...", stderr);
		else
			fprintf(stderr, "%s%u", shown ? ", " : "", file->rows[i].line);
		shown++;
	}
	fputc('\n', stderr);
}

/* A file cut between rows of its first block is no error, since nothing in it contradicts; but no
 * kernel prints less than that block. */
static void say_missing(const char *path, const struct stat_file *file)
{
	unsigned nr = 0;

	if (file->type != STAT_NUMA_V1)
		return;
	for (size_t i = 0; i < file->nr_rows; i++)
		nr += file->rows[i].known &&
		      strncmp(file->rows[i].name, HIERARCHICAL_PREFIX, strlen(HIERARCHICAL_PREFIX));
	if (nr != NR_NUMA_ROWS)
		fprintf(stderr,
			"memcgbench: %s: %u of the %d rows that every kernel prints are here\n",
			path, nr, NR_NUMA_ROWS);
}

static int print(const struct stat_file *file)
{
	json_t *json = file_json(file);

	if (!json) {
		fputs("memcgbench: out of memory\n", stderr);
		return EXIT_TROUBLE;
	}
	/* What goes wrong on the way out is seen, and said, when stdout is flushed. */
	json_dumpf(json, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(json);
	return cli_finish(EXIT_FINE);
}

int cmd_parse(int argc, char **argv)
{
	struct arguments arguments = {.type = STAT_AUTO};
	struct stat_file *file = NULL;
	struct error err = {0};
	const char *name;
	size_t length;
	char *text;
	int code;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	name = strcmp(arguments.path, "-") ? arguments.path : "<stdin>";
	if (file_read(arguments.path, STAT_FILE_MAX, &text, &length, &err)) {
		error_print(stderr, &err);
		return EXIT_TROUBLE;
	}
	code = stat_parse(name, text, length, arguments.type, &file, &err);
	free(text);
	if (code) {
		error_print(stderr, &err);
		return EXIT_TROUBLE;
	}
	say_unknown(name, file);
	say_missing(name, file);
	code = print(file);
	stat_file_free(file);
	return code;
}
