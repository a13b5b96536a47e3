// SPDX-License-Identifier: MIT
/*
 * See document_memo.h. Objects are read here, member by member; a value is looked for in the memo,
 * else read here where it is simple, and by jansson where it is not. A member that was read once is
 * well formed: the same bytes up to where it ends mean the same, wherever a value may stand.
 *
 * Whatever looks odd on the way (a key twice, text that is no JSON) is left to jansson alone.
 */
#include "result/document_memo.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MEMBERS 64 /* of one object; those with more are left to jansson */
#define DEPTH        3 /* of objects that are read here */
#define DIGITS       15 /* of simple numbers: nothing overflows */
#define PATIENCE     8 /* so often in a row in vain, and a value is not remembered any more */

struct level;

/* A member of an object. */
struct member {
	char *key;
	size_t key_length;
	char *text; /* of its value; NULL: none is remembered */
	size_t length;
	json_t *json; /* that value */
	struct level *inside; /* of objects that were not known as a whole */
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
	return c && strchr(",}] \t\r\n", c);
}

/* A number or a word goes on where no delimiter follows. */
static bool is_known(const struct member *member, const char *value, const char *end)
{
	return member->text && (size_t)(end - value) > member->length &&
	       !memcmp(value, member->text, member->length) && ends_value(value[member->length]);
}

static const char *skip_digits(const char *p)
{
	while (*p >= '0' && *p <= '9')
		p++;
	return p;
}

/* As most numbers are written, without an exponent. NULL: it is not one of these. */
static json_t *read_number(const char *value, const char **behind)
{
	const char *digits = value + (*value == '-'), *end = skip_digits(digits);
	bool whole = *end != '.';
	char *read;
	double real;

	if (end == digits || (*digits == '0' && end - digits > 1))
		return NULL;
	if (!whole) {
		const char *fraction = end + 1;

		end = skip_digits(fraction);
		if (end == fraction)
			return NULL;
	}
	if (end - digits > DIGITS || !ends_value(*end))
		return NULL;
	*behind = end;
	if (whole)
		return json_integer(strtoll(value, NULL, 10));
	real = strtod(value, &read);
	return read == end ? json_real(real) : NULL; /* another locale has another point */
}

static json_t *read_object(const char *text, const char *end, struct level *level, unsigned depth,
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
		if (!member->inside)
			member->inside = calloc(1, sizeof(*member->inside));
		if (member->inside)
			json = read_object(value, end, member->inside, depth + 1, behind);
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

	if (member->in_vain >= PATIENCE)
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
static json_t *read_object(const char *text, const char *end, struct level *level, unsigned depth,
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

json_t *document_memo_parse(struct document_memo *memo, const char *text, size_t length)
{
	const char *end = text + length, *behind;
	json_t *json;

	text = json_skip_blanks(text);
	if (*text != '{')
		return NULL;
	json = read_object(text, end, &memo->top, 1, &behind);
	if (!json || json_skip_blanks(behind) == end)
		return json;
	json_decref(json);
	return NULL;
}
