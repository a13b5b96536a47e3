/* SPDX-License-Identifier: MIT */
/*
 * The file that is read before each file of a read, of the same memcg and as a poller does that
 * wants both: read.with. Each is shown through a descriptor of its own, whose buffer grows as that
 * of any file (seq_file.h); both go into the same room of their reader.
 *
 * A back end that reads such files by itself is left to it: there is nothing to do here then.
 */
#ifndef MEMCGBENCH_DRIVER_NEIGHBOUR_H
#define MEMCGBENCH_DRIVER_NEIGHBOUR_H

#include "backend/backend.h"

struct neighbour {
	const struct backend *backend;
	void *instance;
	const struct point *point;
	enum read_with with; /* WITH_NONE: nothing is to be read */
	struct numa_counts counts; /* scratch, of memory.stat */
	size_t text_size, buffer_size; /* room for any text; of it, what a read starts with */
};

/* -ENOMEM. All zero: none. */
int neighbour_init(struct neighbour *neighbour, const struct backend *backend, void *instance,
		   const struct point *point);
void neighbour_fini(struct neighbour *neighbour);

/* Of the memcg and by the CPU of the request, whose rows are another file's. `text` has room for
 * text_size, with FORM_TEXT. The length of the text (0 for counts, and for none) or -errno. */
long neighbour_read(struct neighbour *neighbour, const struct read_request *request,
		    enum read_form form, char *text);
/* The same as the point's form has it, counted, as often as it is shown. Adds to `shows`, too,
 * where the file is one of memory's. */
int neighbour_count(struct neighbour *neighbour, const struct read_request *request,
		    struct op_probe *probe, uint64_t *shows);

#endif
