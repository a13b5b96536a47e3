// SPDX-License-Identifier: MIT
/* See mountinfo.h. */
#include "base/mountinfo.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool is_octal(const char *text)
{
	return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' && text[1] <= '7' &&
	       text[2] >= '0' && text[2] <= '7';
}

/* In place. */
static char *unescape(char *text)
{
	char *from = text, *to = text;

	while (*from) {
		if (from[0] == '\\' && is_octal(from + 1)) {
			*to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + from[3] - '0');
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return text;
}

bool mountinfo_parse(char *line, struct mountinfo *out)
{
	enum {
		ID,
		PARENT,
		DEVICE,
		ROOT,
		POINT,
		OPTIONS,
		NR
	};
	char *fields[NR], *field, *type, *super;

	for (unsigned i = 0; i < NR; i++) {
		fields[i] = strsep(&line, " ");
		if (!line)
			return false;
	}
	if (sscanf(fields[DEVICE], "%u:%u", &out->major, &out->minor) != 2)
		return false;
	/* Any number of optional fields, ended by a dash. */
	do
		field = strsep(&line, " ");
	while (field && strcmp(field, "-") != 0);
	type = strsep(&line, " ");
	strsep(&line, " "); /* what is mounted: may be empty */
	super = strsep(&line, " ");
	if (!super)
		return false;
	out->root = unescape(fields[ROOT]);
	out->point = unescape(fields[POINT]);
	out->options = fields[OPTIONS];
	out->type = type;
	out->super = super;
	return true;
}

bool mountinfo_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, word, length) && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}
