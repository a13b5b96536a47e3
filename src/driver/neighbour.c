// SPDX-License-Identifier: MIT
/* See neighbour.h. */
#include "driver/neighbour.h"

#include "driver/seq_file.h"
#include "memcg/cpu_stat.h"

#include <errno.h>

/* The text of cpu.stat fits into what any buffer starts with. */
_Static_assert(CPU_STAT_TEXT_MAX <= SEQ_FILE_START, "cpu.stat is shown once");

/* A file that was printed elsewhere has had its own buffer: here is a reader's room. */
static void size_text(struct neighbour *neighbour, const struct stat_format *format)
{
	neighbour->text_size = neighbour->buffer_size = SEQ_FILE_START;
	if (backend_is_printed(neighbour->backend)) {
		neighbour->text_size = neighbour->buffer_size = backend_text_room(
			neighbour->backend, neighbour->instance, &neighbour->counts);
	} else if (format) {
		neighbour->text_size = seq_file_most(format, neighbour->point->machine.nodes);
		neighbour->buffer_size = seq_file_start(neighbour->point, neighbour->text_size);
	}
}

int neighbour_init(struct neighbour *neighbour, const struct backend *backend, void *instance,
		   const struct point *point)
{
	const struct stat_format *format = point_neighbour(point);

	*neighbour = (struct neighbour){.backend = backend, .instance = instance, .point = point};
	if (point->read.with == WITH_NONE || backend->with & (1u << point->read.with))
		return 0;
	neighbour->with = point->read.with;
	size_text(neighbour, format);
	return !format ? 0
		       : stat_counts_init(&neighbour->counts, format, point->machine.nodes,
					  point->machine.nids);
}

void neighbour_fini(struct neighbour *neighbour)
{
	numa_counts_fini(&neighbour->counts);
}

/* The blocks of rows that are read of memory.stat. */
static struct read_request of_memory_stat(const struct neighbour *neighbour,
					  const struct read_request *request)
{
	struct read_request own = *request;

	own.rows = neighbour->point->read.rows & neighbour->counts.format->scopes;
	return own;
}

static long read_memory_stat(struct neighbour *neighbour, const struct read_request *request,
			     enum read_form form, char *text)
{
	const struct point *point = neighbour->point;
	struct read_request own = of_memory_stat(neighbour, request);
	long length =
		backend_read(neighbour->backend, neighbour->instance, &own, &neighbour->counts,
			     form, point->read.text, text, neighbour->buffer_size);

	if (length != -ENOSPC)
		return length;
	return seq_file_show_again(neighbour->backend, neighbour->instance, point, &own,
				   &neighbour->counts, text, &neighbour->buffer_size,
				   neighbour->text_size);
}

long neighbour_read(struct neighbour *neighbour, const struct read_request *request,
		    enum read_form form, char *text)
{
	switch (neighbour->with) {
	case WITH_CPU_STAT:
		return backend_read_cpu_stat(neighbour->backend, neighbour->instance, request, form,
					     neighbour->point->read.text, text,
					     neighbour->buffer_size);
	case WITH_MEMORY_STAT:
		return read_memory_stat(neighbour, request, form, text);
	case WITH_NONE:
		break;
	}
	return 0;
}

int neighbour_count(struct neighbour *neighbour, const struct read_request *request,
		    struct op_probe *probe, uint64_t *shows)
{
	const struct point *point = neighbour->point;
	struct read_request own;

	switch (neighbour->with) {
	case WITH_CPU_STAT:
		return backend_count_cpu_stat(neighbour->backend, neighbour->instance, request,
					      point->read.form, point->read.text, probe);
	case WITH_MEMORY_STAT:
		own = of_memory_stat(neighbour, request);
		return seq_file_count(neighbour->backend, neighbour->instance, point, &own,
				      &neighbour->counts, probe, shows);
	case WITH_NONE:
		break;
	}
	return 0;
}
