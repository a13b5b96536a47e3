// SPDX-License-Identifier: MIT
/* See nids.h. */
#include "scenario/nids.h"

#include <errno.h>
#include <stdio.h>

static int complain(const char *text, size_t length, struct error *err)
{
	int shown = length > 40 ? 40 : (int)length;

	return error_set(err, -EINVAL,
			 "'%.*s' is not a list of node ids (ascending, 0 to %d, like "
			 "\"0,8,252-255\")",
			 shown, text, MAX_NODES - 1);
}

/* One id at *at, which is moved behind it; -1 where there is none. */
static int read_id(const char *text, size_t length, size_t *at)
{
	size_t start = *at;
	int id = 0;

	while (*at < length && text[*at] >= '0' && text[*at] <= '9' && id < MAX_NODES)
		id = id * 10 + (text[(*at)++] - '0');
	if (*at == start || id >= MAX_NODES || (text[start] == '0' && *at - start > 1))
		return -1;
	return id;
}

int nids_parse(const char *text, size_t length, uint16_t nids[MAX_NODES], struct error *err)
{
	size_t at = 0;
	int nr = 0, next = 0;

	for (;;) {
		int first = read_id(text, length, &at), last = first;

		if (at < length && text[at] == '-') {
			at++;
			last = read_id(text, length, &at);
		}
		if (first < next || last < first)
			return complain(text, length, err);
		for (int id = first; id <= last; id++)
			nids[nr++] = (uint16_t)id;
		next = last + 1;
		if (at == length)
			return nr;
		if (text[at++] != ',')
			return complain(text, length, err);
	}
}

void nids_format(const uint16_t *nids, unsigned nr, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (unsigned i = 0, end; i < nr && used < size; i = end) {
		for (end = i + 1; end < nr && nids[end] == nids[end - 1] + 1;)
			end++;
		used += (size_t)snprintf(buffer + used, size - used, "%s%u", i ? "," : "", nids[i]);
		if (end - i > 1 && used < size)
			used += (size_t)snprintf(buffer + used, size - used, "-%u", nids[end - 1]);
	}
}

bool nids_are_plain(const uint16_t *nids, unsigned nr)
{
	return !nr || nids[nr - 1] == nr - 1;
}
