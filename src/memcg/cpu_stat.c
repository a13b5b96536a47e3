// SPDX-License-Identifier: MIT
/* See cpu_stat.h. */
#include "memcg/cpu_stat.h"

#include "memcg/text_buffer.h"

#include <errno.h>
#include <inttypes.h>

#define NS_PER_US 1000u

static const char of_controller[] = "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n";

_Static_assert(sizeof("usage_usec \nuser_usec \nsystem_usec \n") + 3 * DIGITS_MAX +
			       sizeof(of_controller) <=
		       CPU_STAT_TEXT_MAX,
	       "any text fits");

static void append_fast(struct text *text, const char *name, uint64_t value)
{
	char scratch[CELL_MAX], *cell, *at;

	cell = at = text_cell_begin(text, scratch);
	at = text_put_digits(stpcpy(at, name), value);
	*at++ = '\n';
	text_cell_end(text, scratch, cell, at);
}

long cpu_stat_text(const struct cpu_stat *stat, enum text_style style, char *buffer, size_t size)
{
	uint64_t usage = stat->usage / NS_PER_US, user = stat->user / NS_PER_US;
	uint64_t system = stat->system / NS_PER_US;
	struct text text = {.buffer = buffer, .size = size};

	if (style == TEXT_SEQ_PRINTF) {
		text_append_format(&text,
				   "usage_usec %" PRIu64 "\nuser_usec %" PRIu64
				   "\nsystem_usec %" PRIu64 "\n",
				   usage, user, system);
		text_append_format(&text, "nr_periods %d\nnr_throttled %d\nthrottled_usec %d\n", 0,
				   0, 0);
	} else {
		append_fast(&text, "usage_usec ", usage);
		append_fast(&text, "user_usec ", user);
		append_fast(&text, "system_usec ", system);
		text_append(&text, of_controller, sizeof(of_controller) - 1);
	}
	if (text.length >= size)
		return -ENOSPC;
	buffer[text.length] = '\0';
	return (long)text.length;
}
