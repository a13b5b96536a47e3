// SPDX-License-Identifier: MIT
/* See packed_text.h. */
#include "backend/packed_text.h"

#include <stdio.h>

static void label_init(struct packed_label *label, const char *prefix, const char *name)
{
	int length = snprintf(label->text, sizeof(label->text), "%s%s=", prefix, name);

	label->length = (uint8_t)length;
}

void packed_labels_init(struct packed_label *labels, unsigned nodes, const uint16_t *nids)
{
	for (int scope = 0; scope < NR_SCOPES; scope++)
		for (int row = 0; row < NR_NUMA_ROWS; row++)
			label_init(labels++, scope == SCOPE_HIERARCHICAL ? HIERARCHICAL_PREFIX : "",
				   numa_rows[row].name);
	for (unsigned k = 0; k < nodes; k++) {
		char nid[LABEL_BYTES - 4];

		snprintf(nid, sizeof(nid), "%u", nids[k]);
		label_init(labels++, " N", nid);
	}
}

size_t packed_text_room(const struct packed_label *labels, unsigned nodes)
{
	const size_t rows = NR_SCOPES * NR_NUMA_ROWS;
	size_t room = rows * ((1 + (size_t)nodes) * NUMBER_BYTES + strlen("\n")) + LABEL_BYTES;

	for (size_t i = 0; i < packed_nr_labels(nodes); i++)
		room += (i < rows ? 1 : rows) * labels[i].length;
	return room;
}

char *packed_put_high(char *at, uint64_t high)
{
	return put_number(at, high);
}
