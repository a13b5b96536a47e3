/* SPDX-License-Identifier: MIT */
/*
 * What back ends share that read the kernel's files: on which files they stand, what each of
 * several reader threads needs for itself, what can be asked of them, and what they say of it.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_READS_H
#define MEMCGBENCH_KERNEL_LIVE_READS_H

#include "kernel/live_files.h"

struct live_reader; /* of one thread at a time, on lines of its own */

struct live_reading {
	struct live_env live;
	struct live_files files;
	char *name; /* of the files; owned */
	size_t room; /* that any text fits in, with some to spare */
	struct live_reader *readers; /* [files.nr_readers] */
	struct live_reads counted; /* of counted reads, of both kinds of files */
	struct live_reading
		*beside; /* of read.with: memory.stat, the same memcgs' files; or NULL */
};

/* The name of the file that the point reads. */
const char *live_reads_file(const struct point *point);
/* How many files of a memcg it reads. */
unsigned live_reads_per_memcg(const struct point *point);

/*
 * An instance, a struct live_reading: the files called `name` of the memcgs whose files one read of
 * the point reads; `below`: of those in the subtrees of these, too. The room is found by reading
 * the first of them.
 */
int live_reads_create(const struct backend_env *env, const char *name, bool below, void **instance,
		      struct error *err);

/* As the operations of struct backend, for who has no other. */
void live_reads_destroy(void *instance);
long live_reads_read_text(void *instance, const struct read_request *request,
			  struct numa_counts *scratch, enum text_style style, char *buffer,
			  size_t size);
size_t live_reads_text_room(const void *instance);
/* "live" of result/result.h, but for its fixture. */
json_t *live_reads_facts(void *instance);

/*
 * One file into the reader's own room, to which *text points then. A file that is not among those
 * that were opened is found by its directory: by one thread at a time. `reads` NULL: not counted.
 * The length or -errno.
 */
long live_reads_text(struct live_reading *reading, unsigned reader, uint32_t memcg, char **text,
		     struct live_reads *reads);

/*
 * The same of the file that read.with has before that one, 0 where there is none; and what it is
 * scanned into, which is the reader's own.
 */
long live_reads_text_beside(struct live_reading *reading, unsigned reader, uint32_t memcg,
			    char **text, struct live_reads *reads);
struct numa_counts *live_reads_counts_beside(struct live_reading *reading, unsigned reader);

/* Descriptors that the point needs where a read reads so many files. */
int live_reads_descriptors_possible(const struct point *point, const char *backend, uint64_t files,
				    struct error_list *reasons);
/* -ENODEV with the reason added where the point asks for a buffer that no kernel's file has. */
int live_reads_buffer_possible(const struct point *point, const char *backend,
			       struct error_list *reasons);
/* The same where it asks for another version's files than those that are there. */
int live_reads_version_possible(const struct point *point, const char *backend,
				struct error_list *reasons);

#endif
