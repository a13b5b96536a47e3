// SPDX-License-Identifier: MIT
/* See seq_file.h. */
#include "driver/seq_file.h"

#include "memcg/stat_text.h"

#include <errno.h>

/* A number of bytes or pages, its name's share, blanks: for plans only. */
#define USUAL_CELL 15u

static size_t doubled_until(size_t length)
{
	size_t size = SEQ_FILE_START;

	while (length >= size)
		size *= 2;
	return size;
}

size_t seq_file_most(const struct stat_format *format, unsigned nr_nodes)
{
	/* The most that text can take, its NUL included. */
	return doubled_until(stat_text_max(format, nr_nodes) - 1);
}

size_t seq_file_start(const struct point *point, size_t most)
{
	return point->read.buffer == BUFFER_LARGE ? most : SEQ_FILE_START;
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

long seq_file_show_again(const struct backend *backend, void *instance, const struct point *point,
			 const struct read_request *request, struct numa_counts *scratch,
			 char *text, size_t *size, size_t most)
{
	size_t tried = *size;
	long length = -ENOSPC;

	while (length == -ENOSPC && tried < most) {
		tried *= 2;
		length = backend_read(backend, instance, request, scratch, point->read.form,
				      point->read.text, text, tried);
	}
	if (point->read.buffer == BUFFER_KEPT)
		*size = tried;
	return length;
}

int seq_file_count(const struct backend *backend, void *instance, const struct point *point,
		   const struct read_request *request, struct numa_counts *counts,
		   struct op_probe *probe, uint64_t *shows)
{
	uint64_t before = probe->counts.text_bytes;
	unsigned again;
	int r;

	r = backend_count(backend, instance, request, counts, point->read.form, point->read.text,
			  probe);
	if (r || point->read.form == FORM_COUNTS)
		return r;
	if (backend_is_printed(backend)) {
		*shows = COUNT_UNKNOWN;
		return 0;
	}
	again = seq_file_shows(point, probe->counts.text_bytes - before);
	*shows += again;
	while (!r && --again)
		r = backend_count(backend, instance, request, counts, FORM_COUNTS, point->read.text,
				  probe);
	return r;
}
