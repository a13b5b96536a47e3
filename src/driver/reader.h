/* SPDX-License-Identifier: MIT */
/* What one reader thread owns: its scratch space, its samples, what it does before each of them. */
#ifndef MEMCGBENCH_DRIVER_READER_H
#define MEMCGBENCH_DRIVER_READER_H

#include "driver/neighbour.h"
#include "driver/sampler.h"
#include "driver/spills.h"
#include "scenario/target.h"

#include <errno.h>
#include <sys/cdefs.h> /* __always_inline */

struct reader {
	const struct sampler *sampler;
	struct target target;
	struct read_request request; /* of the target's first memcg */
	uint64_t samples; /* room for */
	struct numa_counts scratch;
	struct neighbour neighbour;
	char *text;
	size_t text_size; /* room for any text, a neighbour's too */
	size_t buffer_size; /* of it, what a read starts with: seq_file.h */
	uint64_t *ns; /* [samples], written once beforehand so that no page faults are timed */
	uint64_t late;
	unsigned os_cpu;
	struct evictor *evictor; /* NULL when hot */
	struct spills spills; /* from the reader's own modelled CPU */
};

/* `nr` readers, each on a modelled CPU of its own, with room for `samples` each; not yet that room.
 */
int readers_new(const struct sampler *sampler, unsigned nr, uint64_t samples,
		struct reader **readers, struct error *err);
/*
 * Make and write what the reader owns, once. Called by the thread that reads, bound already, so
 * that it lies on the node where it is used. -ENOMEM with a message.
 */
int reader_prepare(struct reader *reader, struct error *err);
void readers_free(struct reader *readers, unsigned nr);

/* What comes before each sample, untimed: spills first, for a cold read finds their lines cold too.
 */
static inline void reader_before_sample(struct reader *reader)
{
	spills_make(&reader->spills);
	if (reader->evictor)
		evictor_run(reader->evictor);
}

/*
 * `one` for each memcg whose file is read: once, but for a sweep. The sum of what it returns, or
 * its first negative number.
 */
static __always_inline long reader_each(struct reader *reader,
					long (*one)(struct reader *reader,
						    const struct read_request *request))
{
	struct read_request request = reader->request;
	long length = one(reader, &request), more;

	if (reader->target.first == reader->target.last)
		return length;
	while (length >= 0) {
		request.memcg = target_next(&reader->target, reader->sampler->tree, request.memcg);
		if (request.memcg == MEMCG_NONE)
			break;
		more = one(reader, &request);
		length = more < 0 ? more : length + more;
	}
	return length;
}

/* The buffer was too small: show the file again, in one twice as large, until it fits. */
long reader_show_again(struct reader *reader, const struct read_request *request);

/* One file, into the same buffer as the one before. */
static __always_inline long reader_read_file(struct reader *reader,
					     const struct read_request *request)
{
	const struct point *point = reader->sampler->point;
	long length = backend_read(reader->sampler->backend, reader->sampler->instance, request,
				   &reader->scratch, point->read.form, point->read.text,
				   reader->text, reader->buffer_size);

	if (length == -ENOSPC)
		length = reader_show_again(reader, request);
	keep(reader->text);
	return length;
}

/* The same, with its neighbour before each file. */
long reader_read_with_neighbour(struct reader *reader);

/* One whole read as the scenario asks for it. The texts' length (0 for counts) or -errno. */
static inline long reader_read(struct reader *reader)
{
	if (reader->neighbour.with != WITH_NONE)
		return reader_read_with_neighbour(reader);
	return reader_each(reader, reader_read_file);
}

#endif
