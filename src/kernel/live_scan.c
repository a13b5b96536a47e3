// SPDX-License-Identifier: MIT
/* See live_scan.h. */
#include "kernel/live_scan.h"

#include "kernel/live_env.h"

#include <errno.h>
#include <string.h>

/* One bit for each row of a block. */
#define ROWS_MAX 64u

struct scan {
	const char *at, *end;
	struct numa_counts *out;
	unsigned rows; /* blocks that are wanted */
	bool add; /* to the hierarchical cells, instead of filling */
	uint64_t seen[NR_SCOPES]; /* rows, by bit */
	unsigned scope, row; /* which is likely to come next: kernels print them in this order */
};

/* A number of the line; at least one digit. */
static int take_number(struct scan *scan, uint64_t *number)
{
	const char *start = scan->at;
	uint64_t value = 0;

	for (; scan->at < scan->end; scan->at++) {
		unsigned digit = (unsigned)(unsigned char)*scan->at - '0';

		if (digit > 9)
			break;
		if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return -EBADMSG;
	}
	*number = value;
	return scan->at == start ? -EBADMSG : 0;
}

static bool take(struct scan *scan, char c)
{
	if (scan->at == scan->end || *scan->at != c)
		return false;
	scan->at++;
	return true;
}

static void put(struct scan *scan, unsigned column, uint64_t value)
{
	struct numa_counts *out = scan->out;
	enum numa_scope scope = scan->add ? SCOPE_HIERARCHICAL : scan->scope;
	uint64_t *cell = &out->cells[stat_cell(out, scope, scan->row, column)];

	value /= out->format->rows[scan->row].scale;
	*cell = scan->add ? *cell + value : value;
}

/* The nodes' columns: those of `out`, no more and no fewer; kernels print them by their ids. */
static int take_columns(struct scan *scan)
{
	const struct numa_counts *out = scan->out;

	for (unsigned k = 0; k < out->nr_nodes; k++) {
		uint64_t nid, value;

		if (!take(scan, ' ') || !take(scan, 'N') || take_number(scan, &nid) ||
		    nid != out->nids[k] || !take(scan, '=') || take_number(scan, &value))
			return -EBADMSG;
		put(scan, 1 + k, value);
	}
	return 0;
}

/* What stands behind the name of a row. */
static int take_row(struct scan *scan)
{
	const struct stat_format *format = scan->out->format;
	uint64_t bit = (uint64_t)1 << scan->row, value;

	if (scan->seen[scan->scope] & bit)
		return -EBADMSG;
	scan->seen[scan->scope] |= bit;
	if (format->has_sum) {
		scan->at++; /* '=' or ' ': the name ended there */
		if (take_number(scan, &value))
			return -EBADMSG;
		put(scan, 0, value);
	}
	if (format->has_nodes && take_columns(scan))
		return -EBADMSG;
	return take(scan, '\n') ? 0 : -EBADMSG;
}

static bool is_row(const struct scan *scan, const char *name, size_t length)
{
	const struct stat_format *format = scan->out->format;
	const char *row = format->rows[scan->row].name;

	if (scan->scope == SCOPE_HIERARCHICAL) {
		size_t skip = strlen(format->hierarchical_prefix);

		if (length < skip || memcmp(name, format->hierarchical_prefix, skip))
			return false;
		name += skip;
		length -= skip;
	}
	/* Most are not: the first letter says so. */
	if (!length || *row != *name)
		return false;
	return !strncmp(row, name, length) && !row[length];
}

static void next_row(struct scan *scan)
{
	if (++scan->row < scan->out->format->nr_rows)
		return;
	scan->row = 0;
	scan->scope = (scan->scope + 1) % NR_SCOPES;
}

/* Set scope and row to those of the name. False: it is none that the format has. */
static bool find_row(struct scan *scan, const char *name, size_t length)
{
	unsigned scope = scan->scope, row = scan->row;

	for (unsigned i = 0; i < NR_SCOPES * scan->out->format->nr_rows; i++) {
		if (scan->out->format->scopes & (1u << scan->scope) && is_row(scan, name, length))
			return true;
		next_row(scan);
	}
	scan->scope = scope;
	scan->row = row;
	return false;
}

static const char *name_end(const struct scan *scan)
{
	const char *end = scan->at;

	while (end < scan->end && *end != ' ' && *end != '=' && *end != '\n')
		end++;
	return end;
}

static void skip_line(struct scan *scan)
{
	const char *newline = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));

	scan->at = newline ? newline + 1 : scan->end;
}

static bool all_are_there(const struct scan *scan)
{
	const struct stat_format *format = scan->out->format;

	for (unsigned scope = 0; scope < NR_SCOPES; scope++)
		for (unsigned row = 0; scan->rows & (1u << scope) && row < format->nr_rows; row++)
			if (!(scan->seen[scope] & ((uint64_t)1 << row)) &&
			    live_env_comparable(&format->rows[row]))
				return false;
	return true;
}

static int scan_lines(struct scan *scan)
{
	const struct stat_format *format = scan->out->format;
	char ends_name = format->has_sum && format->has_nodes ? '=' : ' ';

	if (format->nr_rows > ROWS_MAX)
		return -EINVAL;
	while (scan->at < scan->end) {
		const char *name = scan->at, *end = name_end(scan);
		int r;

		if (end == scan->end || *end != ends_name ||
		    !find_row(scan, name, (size_t)(end - name))) {
			skip_line(scan);
			continue;
		}
		/* The local block comes first. */
		if (scan->rows == ROWS_LOCAL && scan->scope == SCOPE_HIERARCHICAL)
			break;
		if (!(scan->rows & (1u << scan->scope))) {
			skip_line(scan);
			continue;
		}
		scan->at = end;
		r = take_row(scan);
		if (r)
			return r;
		next_row(scan);
	}
	return all_are_there(scan) ? 0 : -EBADMSG;
}

int live_scan(const char *text, size_t length, unsigned rows, struct numa_counts *out)
{
	struct scan scan = {
		.at = text,
		.end = text + length,
		.out = out,
		.rows = rows & out->format->scopes,
	};
	size_t block = stat_nr_cells(out) / NR_SCOPES;

	for (unsigned scope = 0; scope < NR_SCOPES; scope++)
		if (scan.rows & (1u << scope))
			memset(&out->cells[scope * block], 0, block * sizeof(*out->cells));
	return scan_lines(&scan);
}

int live_scan_add(const char *text, size_t length, struct numa_counts *sum)
{
	struct scan scan = {
		.at = text,
		.end = text + length,
		.out = sum,
		.rows = ROWS_LOCAL,
		.add = true,
	};

	if (sum->format->scopes != ROWS_ALL)
		return -EINVAL;
	return scan_lines(&scan);
}
