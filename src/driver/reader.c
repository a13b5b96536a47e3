// SPDX-License-Identifier: MIT
/* See reader.h. */
#include "driver/reader.h"

#include "driver/seq_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Readers must not share a line, nor the pair of lines that prefetchers fetch: what one writes
 * would slow the other down. */
#define APART 128

static void *alloc_apart(size_t bytes)
{
	return aligned_alloc(APART, (bytes + APART - 1) / APART * APART);
}

static void reader_fini(struct reader *reader)
{
	spills_undo(&reader->spills);
	evictor_free(reader->evictor);
	neighbour_fini(&reader->neighbour);
	numa_counts_fini(&reader->scratch);
	free(reader->text);
	free(reader->ns);
}

/* Where the kernel has printed the text, it has had its own buffer, and this is a reader's. */
static void size_text(struct reader *reader)
{
	const struct sampler *sampler = reader->sampler;

	reader->text_size =
		seq_file_most(point_format(sampler->point), sampler->point->machine.nodes);
	reader->buffer_size = seq_file_start(sampler->point, reader->text_size);
	if (reader->text_size < reader->neighbour.text_size)
		reader->text_size = reader->neighbour.text_size;
	if (backend_is_printed(sampler->backend))
		reader->text_size = reader->buffer_size =
			backend_text_room(sampler->backend, sampler->instance, &reader->scratch);
}

static int reader_fill(struct reader *reader)
{
	const struct sampler *sampler = reader->sampler;
	const struct point *point = sampler->point;
	unsigned nr_nodes = point->machine.nodes;

	if (stat_counts_init(&reader->scratch, point_format(point), nr_nodes,
			     point->machine.nids) ||
	    neighbour_init(&reader->neighbour, sampler->backend, sampler->instance, point))
		return -ENOMEM;
	size_text(reader);
	reader->text = alloc_apart(reader->text_size);
	reader->ns = alloc_apart(reader->samples * sizeof(*reader->ns));
	if (!reader->text || !reader->ns)
		return -ENOMEM;
	memset(reader->text, ' ', reader->text_size);
	memset(reader->ns, 0xff, reader->samples * sizeof(*reader->ns));
	if (point->read.cache == CACHE_COLD) {
		reader->evictor = evictor_new(sampler->lines, sampler->llc_bytes);
		if (!reader->evictor)
			return -ENOMEM;
	}
	return 0;
}

long reader_show_again(struct reader *reader, const struct read_request *request)
{
	const struct sampler *sampler = reader->sampler;

	return seq_file_show_again(sampler->backend, sampler->instance, sampler->point, request,
				   &reader->scratch, reader->text, &reader->buffer_size,
				   reader->text_size);
}

/* Into the same room, as a poller has one. */
static long read_both(struct reader *reader, const struct read_request *request)
{
	long neighbour = neighbour_read(&reader->neighbour, request,
					reader->sampler->point->read.form, reader->text);
	long length;

	if (neighbour < 0)
		return neighbour;
	keep(reader->text);
	length = reader_read_file(reader, request);
	return length < 0 ? length : neighbour + length;
}

long reader_read_with_neighbour(struct reader *reader)
{
	return reader_each(reader, read_both);
}

int reader_prepare(struct reader *reader, struct error *err)
{
	if (reader->text)
		return 0; /* from an earlier try */
	if (reader_fill(reader))
		return error_set(err, -ENOMEM, "out of memory for a reader of %llu samples",
				 (unsigned long long)reader->samples);
	return 0;
}

int readers_new(const struct sampler *sampler, unsigned nr, uint64_t samples,
		struct reader **readers, struct error *err)
{
	struct reader *made = calloc(nr, sizeof(*made));

	if (!made)
		return error_set(err, -ENOMEM, "out of memory for %u readers", nr);
	for (unsigned i = 0; i < nr; i++) {
		made[i].sampler = sampler;
		made[i].samples = samples;
		made[i].target = target_of(sampler->point, sampler->tree);
		made[i].request = (struct read_request){.memcg = made[i].target.first,
							.cpu = i,
							.rows = point_rows(sampler->point)};
		spills_init(&made[i].spills, sampler, i);
	}
	*readers = made;
	return 0;
}

void readers_free(struct reader *readers, unsigned nr)
{
	for (unsigned i = 0; readers && i < nr; i++)
		reader_fini(&readers[i]);
	free(readers);
}
