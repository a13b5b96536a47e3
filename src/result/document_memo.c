// SPDX-License-Identifier: MIT
/*
 * See document_memo.h. Objects are read here, member by member, and lists, item by item; a member's
 * value is looked for in the memo, else read here where it is simple, and by jansson where it is
 * not. A member that was read once is
 * well formed: the same bytes up to where it ends mean the same, wherever a value may stand.
 *
 * Whatever looks odd on the way (a key twice, text that is no JSON) is left to jansson alone.
 */
#include "result/document_memo.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MEMBERS 64 /* of one object; those with more are left to jansson */
#define DEPTH        8 /* of objects and lists that are read here */
#define DIGITS       15 /* of simple numbers: nothing overflows */
#define TEXT_MOST    (64 << 10) /* bytes: what is longer is hardly ever repeated */
#define PATIENCE     8 /* so often in a row in vain, and a value is not remembered any more */

struct level;

/* A member of an object. */
struct member {
	char *key;
	size_t key_length;
	char *text; /* of its value; NULL: none is remembered */
	size_t length;
	json_t *json; /* that value */
	struct level *inside; /* of objects that were not known as a whole, and of those in lists */
	unsigned in_vain;
};

/* An object in all documents. */
struct level {
	struct member members[MOST_MEMBERS];
	size_t nr;
	size_t expected; /* members come in the same order each time */
};

struct document_memo {
	struct level top;
};

static void level_fini(struct level *level)
{
	for (size_t i = 0; i < level->nr; i++) {
		struct member *member = &level->members[i];

		free(member->key);
		free(member->text);
		json_decref(member->json);
		if (member->inside)
			level_fini(member->inside);
		free(member->inside);
	}
}

struct document_memo *document_memo_new(void)
{
	return calloc(1, sizeof(struct document_memo));
}

void document_memo_free(struct document_memo *memo)
{
	if (!memo)
		return;
	level_fini(&memo->top);
	free(memo);
}

/* `key` is behind its opening quote. */
static bool is_key(const struct member *member, const char *key, const char *end)
{
	return (size_t)(end - key) > member->key_length &&
	       !memcmp(member->key, key, member->key_length) && key[member->key_length] == '"';
}

/* Printable ASCII without escapes, like a histogram, stands for itself. Returns the quote behind
 * it; NULL: it is not. */
static const char *end_of_plain(const char *text)
{
	while (*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\')
		text++;
	return *text == '"' ? text : NULL;
}

/* Made where there is none. NULL: too many, out of memory, or no key as documents of ours have. */
static struct member *find_member(struct level *level, const char *key, const char *end)
{
	struct member *member = &level->members[level->expected];
	const char *quote;

	if (level->expected < level->nr && is_key(member, key, end)) {
		level->expected++;
		return member;
	}
	for (size_t i = 0; i < level->nr; i++) {
		if (!is_key(&level->members[i], key, end))
			continue;
		level->expected = i + 1;
		return &level->members[i];
	}
	quote = end_of_plain(key);
	if (!quote || level->nr == MOST_MEMBERS)
		return NULL;
	member = &level->members[level->nr];
	*member = (struct member){.key = strndup(key, (size_t)(quote - key)),
				  .key_length = (size_t)(quote - key)};
	if (!member->key)
		return NULL;
	level->expected = ++level->nr;
	return member;
}

static bool ends_value(char c)
{
	return c == ',' || c == '\n' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\r';
}

/* A number or a word goes on where no delimiter follows. */
static bool is_known(const struct member *member, const char *value, const char *end)
{
	return member->text && (size_t)(end - value) > member->length &&
	       !memcmp(value, member->text, member->length) && ends_value(value[member->length]);
}

static const char *read_digits(const char *p, uint64_t *number)
{
	for (; *p >= '0' && *p <= '9'; p++)
		*number = 10 * *number + (uint64_t)(*p - '0');
	return p;
}

/* As most numbers are written, without an exponent. NULL: it is not one of these. */
static json_t *read_number(const char *value, const char **behind)
{
	static const double powers[DIGITS + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
						  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	const char *digits = value + (*value == '-'), *fraction = NULL;
	uint64_t number = 0;
	const char *end = read_digits(digits, &number);
	double real;

	if (end == digits || (*digits == '0' && end - digits > 1))
		return NULL;
	if (*end == '.') {
		fraction = end + 1;
		end = read_digits(fraction, &number);
		if (end == fraction)
			return NULL;
	}
	if (end - digits > DIGITS || !ends_value(*end))
		return NULL;
	*behind = end;
	if (!fraction)
		return json_integer(*value == '-' ? -(json_int_t)number : (json_int_t)number);
	if (FLT_EVAL_METHOD) /* rounded twice */
		return NULL;
	/* Both are exact, so that their quotient is the nearest there is, as of strtod(). */
	real = (double)number / powers[end - fraction];
	return json_real(*value == '-' ? -real : real);
}

static json_t *read_object(const char *text, const char *end, struct member *member, unsigned depth,
			   const char **behind);
static json_t *read_list(const char *text, const char *end, struct member *member, unsigned depth,
			 const char **behind);

/* A value that is not known. NULL: it is none. */
static json_t *read_value(const char *value, const char *end, struct member *member, unsigned depth,
			  const char **behind)
{
	json_t *json = NULL;

	if (*value == '"') {
		const char *quote = end_of_plain(value + 1);

		if (quote) {
			*behind = quote + 1;
			json = json_stringn_nocheck(value + 1, (size_t)(quote - value - 1));
		}
	} else if (*value == '{' && depth < DEPTH) {
		json = read_object(value, end, member, depth + 1, behind);
	} else if (*value == '[' && depth < DEPTH) {
		json = read_list(value, end, member, depth + 1, behind);
	} else if (*value != '{' && *value != '[') {
		json = read_number(value, behind);
	}
	if (json)
		return json;
	*behind = json_skip_value(value);
	return json_loadb(value, (size_t)(*behind - value),
			  JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

static void remember(struct member *member, const char *value, const char *behind, json_t *json)
{
	size_t length = (size_t)(behind - value);
	char *text;

	if (member->in_vain >= PATIENCE || length > TEXT_MOST)
		return;
	text = realloc(member->text, length);
	if (!text)
		return; /* it is only slower: what is there still is what it was */
	memcpy(text, value, length);
	member->text = text;
	member->length = length;
	member->in_vain++;
	json_decref(member->json);
	member->json = json_incref(json);
}

/* The member whose key starts at `key`, behind its quote, put into the object. Returns what is
 * behind it; NULL: it is odd. */
static const char *read_member(json_t *object, const char *key, const char *end,
			       struct level *level, unsigned depth)
{
	struct member *member = find_member(level, key, end);
	const char *value, *behind;
	size_t nr = json_object_size(object);
	json_t *json;

	if (!member)
		return NULL;
	value = json_skip_blanks(key + member->key_length + 1);
	if (*value != ':')
		return NULL;
	value = json_skip_blanks(value + 1);
	if (!*value)
		return NULL;
	if (is_known(member, value, end)) {
		member->in_vain = 0;
		behind = value + member->length;
		json = json_incref(member->json);
	} else {
		json = read_value(value, end, member, depth, &behind);
		if (json)
			remember(member, value, behind, json);
	}
	if (json_object_set_new_nocheck(object, member->key, json) < 0)
		return NULL;
	/* one that was there before is replaced */
	return json_object_size(object) > nr ? json_skip_blanks(behind) : NULL;
}

/* `text` is at the opening brace, `end` is where the document ends. NULL: it is odd. */
static json_t *read_members(const char *text, const char *end, struct level *level, unsigned depth,
			    const char **behind)
{
	const char *p = json_skip_blanks(text + 1);
	json_t *object = json_object();
	bool more = *p != '}';

	level->expected = 0;
	while (object && p && more) {
		p = *p == '"' ? read_member(object, p + 1, end, level, depth) : NULL;
		more = p && *p == ',';
		if (more)
			p = json_skip_blanks(p + 1);
	}
	if (object && p && *p == '}') {
		*behind = p + 1;
		return object;
	}
	json_decref(object);
	return NULL;
}

/* The value of a member, or an item of the list that it is. */
static json_t *read_object(const char *text, const char *end, struct member *member, unsigned depth,
			   const char **behind)
{
	if (!member->inside)
		member->inside = calloc(1, sizeof(*member->inside));
	return member->inside ? read_members(text, end, member->inside, depth, behind) : NULL;
}

/* `text` is at the opening bracket. */
static json_t *read_list(const char *text, const char *end, struct member *member, unsigned depth,
			 const char **behind)
{
	const char *p = json_skip_blanks(text + 1);
	json_t *list = json_array();
	bool more = *p != ']';

	while (list && p && more) {
		json_t *item = read_value(p, end, member, depth, &p);

		p = json_array_append_new(list, item) < 0 ? NULL : json_skip_blanks(p);
		more = p && *p == ',';
		if (more)
			p = json_skip_blanks(p + 1);
	}
	if (list && p && *p == ']') {
		*behind = p + 1;
		return list;
	}
	json_decref(list);
	return NULL;
}

json_t *document_memo_parse(struct document_memo *memo, const char *text, size_t length)
{
	const char *end = text + length, *behind;
	json_t *json;

	text = json_skip_blanks(text);
	if (*text != '{')
		return NULL;
	json = read_members(text, end, &memo->top, 1, &behind);
	if (!json || json_skip_blanks(behind) == end)
		return json;
	json_decref(json);
	return NULL;
}
