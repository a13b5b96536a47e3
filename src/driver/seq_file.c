// SPDX-License-Identifier: MIT
/* See seq_file.h. */
#include "driver/seq_file.h"

#include "memcg/stat_text.h"

/* A number of bytes or pages, its name's share, blanks: for plans only. */
#define USUAL_CELL 15u

static size_t doubled_until(size_t length)
{
	size_t size = SEQ_FILE_START;

	while (length >= size)
		size *= 2;
	return size;
}

size_t seq_file_most(const struct point *point)
{
	/* The most that text can take, its NUL included. */
	return doubled_until(stat_text_max(point_format(point), point->machine.nodes) - 1);
}

size_t seq_file_start(const struct point *point)
{
	return point->read.buffer == BUFFER_LARGE ? seq_file_most(point) : SEQ_FILE_START;
}

unsigned seq_file_shows(const struct point *point, size_t length)
{
	unsigned shows = 1;

	if (point->read.form == FORM_COUNTS || point->read.buffer != BUFFER_REOPENED)
		return 1;
	for (size_t size = doubled_until(length); size > SEQ_FILE_START; size /= 2)
		shows++;
	return shows;
}

unsigned seq_file_guess_shows(const struct point *point)
{
	const struct stat_format *format = point_format(point);
	size_t cells = (size_t)format->nr_rows * stat_nr_columns(format, point->machine.nodes);

	return seq_file_shows(point,
			      cells * USUAL_CELL * (unsigned)__builtin_popcount(point_rows(point)));
}
