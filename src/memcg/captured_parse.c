// SPDX-License-Identifier: MIT
/*
 * See captured.h: reading a captured tree. One pass, no backing up; what is allowed at each place
 * is said where it is not met.
 *
 * Lines of the head are in a fixed order, and comments may stand between them. Rows follow without
 * a gap up to the end of the file, as many as the head says: a file that was cut is seen.
 */
#include "memcg/captured.h"

#include "base/fnv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
	const char *name, *at, *end, *line_start;
	unsigned line;
	struct captured *captured;
	uint64_t pages; /* of all rows so far */
	struct error *err;
};

/* At a place of the current line. */
__attribute__((format(printf, 3, 4))) static int fail(struct cursor *cursor, const char *at,
						      const char *format, ...)
{
	char text[300];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return error_set_at(cursor->err, -EINVAL, cursor->name, cursor->line,
			    (unsigned)(at - cursor->line_start) + 1, "%s", text);
}

/* The length of the word at the cursor: up to a space or the end of the line. */
static size_t word_length(const struct cursor *cursor)
{
	size_t length = 0, left = (size_t)(cursor->end - cursor->at);

	while (length < left && cursor->at[length] != ' ' && cursor->at[length] != '\n')
		length++;
	return length;
}

static int take_char(struct cursor *cursor, char wanted, const char *what)
{
	if (cursor->at == cursor->end)
		return fail(cursor, cursor->at, "the file ends here (%s)", what);
	if (*cursor->at != wanted)
		return fail(cursor, cursor->at, "not %s", what);
	cursor->at++;
	return 0;
}

static int take_line_end(struct cursor *cursor)
{
	int r = take_char(cursor, '\n', "the end of the line");

	if (!r) {
		cursor->line++;
		cursor->line_start = cursor->at;
	}
	return r;
}

/* Decimal digits, no zero in front. */
static int take_number(struct cursor *cursor, const char *what, uint64_t min, uint64_t max,
		       uint64_t *value)
{
	const char *from = cursor->at;
	bool fits = true;

	*value = 0;
	for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++)
		fits &= !__builtin_mul_overflow(*value, 10, value) &&
			!__builtin_add_overflow(*value, (uint64_t)(*cursor->at - '0'), value);
	if (cursor->at == from || (*from == '0' && cursor->at - from > 1))
		return fail(cursor, from, "%s: not a number (%" PRIu64 " to %" PRIu64 ")", what,
			    min, max);
	if (!fits || *value < min || *value > max)
		return fail(cursor, from, "%s: out of range (%" PRIu64 " to %" PRIu64 ")", what,
			    min, max);
	return 0;
}

static int skip_comments(struct cursor *cursor)
{
	while (cursor->at < cursor->end && *cursor->at == '#') {
		const char *end = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));

		cursor->at = end ? end : cursor->end;
		if (take_line_end(cursor))
			return -EINVAL;
	}
	return 0;
}

/* "key " where the head has it. */
static int take_key(struct cursor *cursor, const char *key, char behind)
{
	size_t length = word_length(cursor);

	if (length != strlen(key) || memcmp(cursor->at, key, length) != 0)
		return fail(cursor, cursor->at, "'%.*s' where '%s' is expected",
			    length > 40 ? 40 : (int)length, cursor->at, key);
	cursor->at += length;
	return behind == '\n' ? take_line_end(cursor) : take_char(cursor, behind, "a space");
}

static bool is_word(const struct cursor *cursor, const char *word)
{
	size_t length = word_length(cursor);

	return length == strlen(word) && !memcmp(cursor->at, word, length);
}

static int take_fact_word(struct cursor *cursor, const struct captured_fact_form *form,
			  uint64_t *value)
{
	for (*value = 0; form->words[*value]; ++*value) {
		if (!is_word(cursor, form->words[*value]))
			continue;
		cursor->at += strlen(form->words[*value]);
		return 0;
	}
	return fail(cursor, cursor->at, "%s: not known (%s, %s)", form->key, form->words[0],
		    form->words[1]);
}

static int take_fact(struct cursor *cursor, const struct captured_fact_form *form, uint64_t *value)
{
	int r = skip_comments(cursor);

	if (!r)
		r = take_key(cursor, form->key, ' ');
	if (r)
		return r;
	if (form->words) {
		r = take_fact_word(cursor, form, value);
	} else if (form->may_be_unknown && is_word(cursor, "unknown")) {
		*value = CAPTURED_UNKNOWN;
		cursor->at += strlen("unknown");
	} else {
		r = take_number(cursor, form->key, form->min, form->max, value);
	}
	return r ? r : take_line_end(cursor);
}

static int take_nids(struct cursor *cursor)
{
	struct captured *captured = cursor->captured;
	int r = skip_comments(cursor);
	uint64_t nid;

	if (!r)
		r = take_key(cursor, "nodes", ' ');
	captured->nids = calloc(CAPTURED_NIDS_MAX, sizeof(*captured->nids));
	if (!captured->nids)
		return -ENOMEM;
	for (bool more = true; !r && more;) {
		uint64_t least = 0;

		if (captured->nr_nids)
			least = captured->nids[captured->nr_nids - 1] + 1u;
		r = take_number(cursor, "nodes", least, CAPTURED_NIDS_MAX - 1, &nid);
		if (!r)
			captured->nids[captured->nr_nids++] = (uint16_t)nid;
		more = cursor->at < cursor->end && *cursor->at == ',';
		cursor->at += more;
	}
	return r ? r : take_line_end(cursor);
}

static int take_head(struct cursor *cursor)
{
	uint64_t version;
	int r = take_key(cursor, CAPTURED_MAGIC, ' ');

	if (!r)
		r = take_number(cursor, "version", CAPTURED_VERSION, CAPTURED_VERSION, &version);
	if (!r)
		r = take_line_end(cursor);
	for (unsigned i = 0; !r && i < NR_CAPTURED_FACTS; i++)
		r = take_fact(cursor, &captured_fact_forms[i], &cursor->captured->facts[i]);
	if (!r)
		r = take_nids(cursor);
	if (!r)
		r = skip_comments(cursor);
	return r ? r : take_key(cursor, "tree", '\n');
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_plain(unsigned char byte)
{
	return byte > 0x20 && byte < 0x7f && byte != '%';
}

/* One byte of a name; what need not be %XX must not be. */
static int take_name_byte(struct cursor *cursor, const char *end, unsigned char *byte)
{
	const char *at = cursor->at;
	int high, low;

	if (*at != '%') {
		if (!is_plain((unsigned char)*at))
			return fail(cursor, at, "a byte that names do not have (as %%XX)");
		*byte = (unsigned char)*cursor->at++;
		return 0;
	}
	high = end - at > 2 ? hex_digit(at[1]) : -1;
	low = end - at > 2 ? hex_digit(at[2]) : -1;
	if (high < 0 || low < 0)
		return fail(cursor, at, "%% without two digits (0-9, A-F)");
	*byte = (unsigned char)(16 * high + low);
	if (!*byte || is_plain(*byte))
		return fail(cursor, at, "a byte that is not written like this (as itself)");
	cursor->at += 3;
	return 0;
}

static bool may_be_name(const char *name, size_t length)
{
	return length && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       !memchr(name, '/', length) &&
	       strncmp(name, CAPTURED_DYING_PREFIX, strlen(CAPTURED_DYING_PREFIX)) != 0;
}

static int take_name(struct cursor *cursor, bool top, char name[CAPTURED_NAME_MAX + 1],
		     size_t *length)
{
	const char *from = cursor->at, *end = cursor->at + word_length(cursor);

	*length = 0;
	while (cursor->at < end) {
		unsigned char byte = 0;

		if (*length == CAPTURED_NAME_MAX)
			return fail(cursor, from, "a name that is too long (255 bytes)");
		if (take_name_byte(cursor, end, &byte))
			return -EINVAL;
		name[(*length)++] = (char)byte;
	}
	name[*length] = '\0';
	if (top ? strcmp(name, ".") != 0 : !may_be_name(name, *length))
		return fail(cursor, from,
			    top ? "not the name of the top (.)" : "not a name of a cgroup");
	return 0;
}

static int take_nid(struct cursor *cursor, int before, uint16_t *out)
{
	const struct captured *captured = cursor->captured;
	const char *from = cursor->at;
	uint64_t nid;

	if (take_char(cursor, 'N', "a node, as N0=") ||
	    take_number(cursor, "node", 0, CAPTURED_NIDS_MAX - 1, &nid))
		return -EINVAL;
	if ((int)nid <= before)
		return fail(cursor, from, "nodes are not ascending");
	*out = (uint16_t)nid;
	for (unsigned i = 0; i < captured->nr_nids; i++)
		if (captured->nids[i] == nid)
			return 0;
	return fail(cursor, from, "a node that is not among those of the head");
}

static int take_cell(struct cursor *cursor, int before, struct captured_cell *cell)
{
	const char *from = cursor->at;
	uint64_t all = 0;

	if (take_nid(cursor, before, &cell->nid))
		return -EINVAL;
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
		if (take_char(cursor, lru ? ',' : '=', lru ? "a comma" : "=") ||
		    take_number(cursor, lru_names[lru], 0, CAPTURED_PAGES_MAX, &cell->pages[lru]))
			return -EINVAL;
		all += cell->pages[lru];
	}
	cursor->pages += all;
	if (!all)
		return fail(cursor, from, "a node without pages (leave it out)");
	if (cursor->pages > CAPTURED_PAGES_MAX)
		return fail(cursor, from, "more pages than there can be (%llu in all)",
			    CAPTURED_PAGES_MAX);
	return 0;
}

/* " N0=1,2,3,4,5" and so on, up to the end of the line. */
static int take_cells(struct cursor *cursor)
{
	int before = -1, r = 0;

	while (!r && cursor->at < cursor->end && *cursor->at == ' ') {
		struct captured_cell cell;

		cursor->at++;
		r = take_cell(cursor, before, &cell);
		if (!r)
			r = captured_add_cell(cursor->captured, &cell);
		before = cell.nid;
	}
	return r ? r : take_line_end(cursor);
}

static int take_row(struct cursor *cursor)
{
	struct captured *captured = cursor->captured;
	bool top = captured->nr_rows == 0;
	uint64_t depth, dying, deepest = 0;
	char name[CAPTURED_NAME_MAX + 1];
	size_t length;
	int r;

	if (!top)
		deepest = captured->rows[captured->nr_rows - 1].depth + 1u;
	if (deepest > CAPTURED_DEPTH_MAX)
		deepest = CAPTURED_DEPTH_MAX;
	r = take_number(cursor, "depth", !top, deepest, &depth);
	if (!r)
		r = take_char(cursor, ' ', "a space");
	if (!r)
		r = take_name(cursor, top, name, &length);
	if (!r)
		r = take_char(cursor, ' ', "a space");
	if (!r)
		r = take_number(cursor, "dying", 0, CAPTURED_MEMCGS_MAX, &dying);
	if (!r)
		r = captured_add_row(captured, (uint32_t)depth, name, length);
	if (r)
		return r;
	captured->rows[captured->nr_rows - 1].dying = (uint32_t)dying;
	return take_cells(cursor);
}

static int take_rows(struct cursor *cursor)
{
	const uint64_t *facts = cursor->captured->facts;
	uint64_t dying = 0, wanted = facts[CAPTURED_DYING];
	int r = 0;

	for (uint64_t i = 0; !r && i <= facts[CAPTURED_MEMCGS]; i++) {
		const char *from = cursor->at;

		r = take_row(cursor);
		if (r)
			break;
		dying += cursor->captured->rows[i].dying;
		if (dying + facts[CAPTURED_MEMCGS] <= CAPTURED_MEMCGS_MAX)
			continue;
		cursor->line--;
		cursor->line_start = from;
		return fail(cursor, from, "too many memcgs, dying ones included (%u)",
			    CAPTURED_MEMCGS_MAX);
	}
	if (r)
		return r;
	if (cursor->at != cursor->end)
		return fail(cursor, cursor->at, "more memcgs than the head says (%" PRIu64 ")",
			    facts[CAPTURED_MEMCGS]);
	if (dying != (wanted == CAPTURED_UNKNOWN ? 0 : wanted))
		return fail(cursor, cursor->at,
			    "%" PRIu64 " dying memcgs in all rows (as many as the head says)",
			    dying);
	return 0;
}

struct sibling {
	uint32_t parent, row;
};

static int compare_siblings(const void *a, const void *b, void *arg)
{
	const struct sibling *x = a, *y = b;
	int order;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	order = strcmp(captured_row_name(arg, x->row), captured_row_name(arg, y->row));
	if (order)
		return order;
	return (x->row > y->row) - (x->row < y->row);
}

/* By sorting: no number of names that were chosen for it makes it slow. */
static int refuse_twins(struct cursor *cursor, unsigned first_line)
{
	struct captured *captured = cursor->captured;
	struct sibling *siblings = calloc(captured->nr_rows, sizeof(*siblings));
	uint32_t nr = 0, twin = UINT32_MAX;

	if (!siblings)
		return -ENOMEM;
	for (uint32_t i = 0; i < captured->nr; i++)
		if (captured->row[i] != CAPTURED_NO_ROW)
			siblings[nr++] = (struct sibling){captured->parent[i], captured->row[i]};
	qsort_r(siblings, nr, sizeof(*siblings), compare_siblings, captured);
	for (uint32_t i = 1; i < nr; i++)
		if (siblings[i].parent == siblings[i - 1].parent && siblings[i].row < twin &&
		    !strcmp(captured_row_name(captured, siblings[i].row),
			    captured_row_name(captured, siblings[i - 1].row)))
			twin = siblings[i].row;
	free(siblings);
	if (twin == UINT32_MAX)
		return 0;
	return error_set_at(cursor->err, -EINVAL, cursor->name, first_line + twin, 1,
			    "a name that a sibling has (names of one parent's differ)");
}

static int parse(struct cursor *cursor)
{
	unsigned first_line;
	int r = take_head(cursor);

	first_line = cursor->line;
	if (!r)
		r = take_rows(cursor);
	if (!r)
		r = captured_finish(cursor->captured);
	return r ? r : refuse_twins(cursor, first_line);
}

/* 0 is no file's. */
static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = fnv1a_bytes(FNV1A_START, text, length);

	return hash ? hash : 1;
}

int captured_parse(const char *name, const char *text, size_t length, struct captured **out,
		   struct error *err)
{
	struct cursor cursor = {
		.name = name,
		.at = text,
		.end = text + length,
		.line_start = text,
		.line = 1,
		.err = err,
		.captured = calloc(1, sizeof(*cursor.captured)),
	};
	const char *nul = memchr(text, '\0', length);
	int r = -ENOMEM;

	/* Texts end in front of it, and then say what is missing. */
	if (nul)
		cursor.end = nul;
	if (cursor.captured)
		r = parse(&cursor);
	if (!r && nul)
		r = fail(&cursor, nul, "a NUL (none)");
	if (!r) {
		cursor.captured->hash = hash_of(text, length);
		*out = cursor.captured;
		return 0;
	}
	captured_free(cursor.captured);
	if (r == -ENOMEM)
		error_set_at(err, r, name, 0, 0, "out of memory");
	return r;
}
