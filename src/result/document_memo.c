// SPDX-License-Identifier: MIT
/*
 * See document_memo.h. The text is copied without the members that are known, the rest is parsed,
 * and the known ones are put back. A member that was parsed once is well formed: the same bytes up
 * to where it ends mean the same, wherever a value may stand.
 *
 * Whatever looks odd on the way (a key twice, text that is no JSON) is left to jansson alone.
 */
#include "result/document_memo.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MEMBERS 64 /* of one object; those beyond are parsed each time */
#define DEPTH        3 /* of objects that are looked into */
#define LONG         64 /* a text of this length is looked at whether it is plain */
#define PATIENCE     8 /* so often in a row in vain, and a value is not remembered any more */

enum state {
	ABSENT,
	TAKEN, /* from the memo */
	MISSED, /* parsed; to be remembered */
	PLAIN, /* a text that needs no parsing */
};

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
	/* of the document at hand: */
	enum state state;
	const char *value;
	size_t value_length;
};

/* An object in all documents. */
struct level {
	struct member members[MOST_MEMBERS];
	size_t nr;
	size_t expected; /* members come in the same order each time */
};

struct document_memo {
	struct level top;
	char *text; /* what is parsed */
	size_t room;
};

/* A text on its way from document to parser. */
struct copying {
	const char *from, *end;
	char *to;
	bool odd;
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
	free(memo->text);
	free(memo);
}

static bool is_key(const struct member *member, const char *key, size_t length)
{
	return member->key_length == length && !memcmp(member->key, key, length);
}

/* Made where there is none; NULL: too many, or a key that no document of ours has. */
static struct member *find_member(struct level *level, const char *key, size_t length)
{
	struct member *member = &level->members[level->expected];

	if (level->expected < level->nr && is_key(member, key, length)) {
		level->expected++;
		return member;
	}
	for (size_t i = 0; i < level->nr; i++) {
		if (!is_key(&level->members[i], key, length))
			continue;
		level->expected = i + 1;
		return &level->members[i];
	}
	if (level->nr == MOST_MEMBERS || memchr(key, '\\', length))
		return NULL;
	member = &level->members[level->nr];
	*member = (struct member){.key = strndup(key, length), .key_length = length};
	if (!member->key)
		return NULL;
	level->expected = ++level->nr;
	return member;
}

/* A number or a word goes on where no delimiter follows. */
static bool is_known(const struct member *member, const char *value, const char *end)
{
	const char *behind = value + member->length;

	return member->text && (size_t)(end - value) > member->length &&
	       !memcmp(value, member->text, member->length) &&
	       (strchr("\"}]", behind[-1]) || strchr(",}] \t\r\n", *behind));
}

static void put(struct copying *copying, const char *text, size_t length)
{
	memcpy(copying->to, text, length);
	copying->to += length;
}

/* Long, printable ASCII without escapes, like a histogram: it stands for itself. */
static bool is_plain(const char *value, size_t length)
{
	if (*value != '"' || length < LONG || value[length - 1] != '"')
		return false;
	for (size_t i = 1; i < length - 1; i++)
		if (value[i] < ' ' || value[i] > '~' || value[i] == '"' || value[i] == '\\')
			return false;
	return true;
}

static void copy_object(struct copying *copying, struct level *level, unsigned depth);

/* The value at copying->from, whose key (with what stands before the value) is at `key`. */
static void copy_member(struct copying *copying, struct member *member, const char *key,
			bool *first, unsigned depth)
{
	const char *value = copying->from;
	bool plain = false;

	if (member && member->state != ABSENT) {
		copying->odd = true;
		return;
	}
	if (member && is_known(member, value, copying->end)) {
		member->state = TAKEN;
		copying->from += member->length;
		return;
	}
	if (!*first)
		put(copying, ",", 1);
	*first = false;
	put(copying, key, (size_t)(value - key));
	if (member && *value == '{' && depth < DEPTH && !member->inside)
		member->inside = calloc(1, sizeof(*member->inside));
	if (member && *value == '{' && member->inside) {
		copy_object(copying, member->inside, depth + 1);
	} else {
		copying->from = json_skip_value(value);
		plain = member && is_plain(value, (size_t)(copying->from - value));
		if (plain)
			put(copying, "null", 4);
		else
			put(copying, value, (size_t)(copying->from - value));
	}
	if (!member)
		return;
	member->state = plain ? PLAIN : MISSED;
	member->value = value;
	member->value_length = (size_t)(copying->from - value);
}

/* copying->from is at the opening brace, and afterwards behind the closing one. */
static void copy_object(struct copying *copying, struct level *level, unsigned depth)
{
	bool first = true;
	const char *p, *key;

	for (size_t i = 0; i < level->nr; i++)
		level->members[i].state = ABSENT;
	level->expected = 0;
	put(copying, "{", 1);
	p = json_skip_blanks(copying->from + 1);
	while (*p == '"' && !copying->odd) {
		size_t length;

		key = p;
		p = json_skip_string(p);
		length = (size_t)(p - key);
		p = json_skip_blanks(p);
		if (length < 2 || *p != ':')
			break;
		copying->from = json_skip_blanks(p + 1);
		if (!*copying->from)
			break;
		copy_member(copying, find_member(level, key + 1, length - 2), key, &first, depth);
		p = json_skip_blanks(copying->from);
		if (*p != ',')
			break;
		p = json_skip_blanks(p + 1);
		copying->odd |= *p != '"';
	}
	copying->odd |= *p != '}';
	put(copying, "}", 1);
	copying->from = p + (*p == '}');
}

static void remember(struct member *member, json_t *json)
{
	char *text;

	if (member->in_vain >= PATIENCE || !json)
		return;
	text = realloc(member->text, member->value_length);
	if (!text)
		return; /* it is only slower: what is there still is what it was */
	memcpy(text, member->value, member->value_length);
	member->text = text;
	member->length = member->value_length;
	member->in_vain++;
	json_decref(member->json);
	member->json = json_incref(json);
}

/* Put what was known into the object, and what was not into the memo. */
static bool settle(struct level *level, json_t *json)
{
	bool sound = true;

	for (size_t i = 0; i < level->nr && sound; i++) {
		struct member *member = &level->members[i];

		if (member->state == TAKEN) {
			member->in_vain = 0;
			sound = json_object_set_nocheck(json, member->key, member->json) == 0;
		} else if (member->state == PLAIN) {
			json_t *value =
				json_stringn_nocheck(member->value + 1, member->value_length - 2);

			sound = json_object_set_new_nocheck(json, member->key, value) == 0;
			if (sound)
				remember(member, value);
		} else if (member->state == MISSED) {
			json_t *value = json_object_get(json, member->key);

			if (member->inside && json_is_object(value))
				sound = settle(member->inside, value);
			if (sound)
				remember(member, value);
		}
	}
	return sound;
}

json_t *document_memo_parse(struct document_memo *memo, const char *text, size_t length)
{
	struct copying copying = {.from = json_skip_blanks(text), .end = text + length};
	json_t *json;
	char *grown;

	if (*copying.from != '{')
		return NULL;
	/* Nothing that is copied becomes longer; closing braces and commas may come in too many
	 * where the text is odd, one for each level and member at most. */
	if (2 * length + 2 > memo->room) {
		grown = realloc(memo->text, 2 * length + 2);
		if (!grown)
			return NULL;
		memo->text = grown;
		memo->room = 2 * length + 2;
	}
	copying.to = memo->text;
	copy_object(&copying, &memo->top, 1);
	if (copying.odd || json_skip_blanks(copying.from) != copying.end)
		return NULL;
	json = json_loadb(memo->text, (size_t)(copying.to - memo->text), JSON_REJECT_DUPLICATES,
			  NULL);
	if (!json || settle(&memo->top, json))
		return json;
	json_decref(json);
	return NULL;
}
