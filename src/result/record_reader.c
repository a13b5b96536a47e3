// SPDX-License-Identifier: MIT
/*
 * Reading many records, one after the other. Records of one history are of the same points, and
 * reading the parameters of a point and working out its id takes longer than all else: it is done
 * once for each point, not once for each of its records.
 */
#include "result/record.h"

#include "result/document_memo.h"
#include "result/record_parts.h"
#include "scenario/parameter.h"

#include <stdlib.h>

#define MOST_KNOWN 8192 /* points; those of more are read each time */

struct known_point {
	json_t *values; /* its parameters */
	struct point point;
};

struct record_reader {
	struct document_memo *memo; /* or NULL: it is only slower */
	json_t *index; /* by id: place in `known` */
	size_t nr;
	struct known_point *known[MOST_KNOWN];
};

struct record_reader *record_reader_new(void)
{
	struct record_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->memo = document_memo_new();
	reader->index = json_object();
	return reader;
}

void record_reader_free(struct record_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->nr; i++) {
		json_decref(reader->known[i]->values);
		free(reader->known[i]);
	}
	json_decref(reader->index);
	document_memo_free(reader->memo);
	free(reader);
}

struct document_memo *record_reader_memo(struct record_reader *reader)
{
	return reader->memo;
}

/* Without the memory for it, it is only slower. */
static void remember(struct record_reader *reader, json_t *values, const struct point *point)
{
	struct known_point *known;

	if (reader->nr == MOST_KNOWN || json_object_get(reader->index, point->id))
		return;
	known = malloc(sizeof(*known));
	if (!known || json_object_set_new_nocheck(reader->index, point->id,
						  json_integer((json_int_t)reader->nr)) < 0) {
		free(known);
		return;
	}
	*known = (struct known_point){json_incref(values), *point};
	reader->known[reader->nr++] = known;
}

int record_reader_point(struct record_reader *reader, json_t *values, const char *id,
			struct point *point, struct error *err)
{
	const json_t *place = json_object_get(reader->index, id);
	int r;

	if (place) {
		const struct known_point *known = reader->known[json_integer_value(place)];

		if (json_equal(known->values, values)) {
			*point = known->point;
			return 0;
		}
	}
	r = point_from_json(values, id, point, err);
	if (!r)
		remember(reader, values, point);
	return r;
}
