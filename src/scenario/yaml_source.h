/* SPDX-License-Identifier: MIT */
/*
 * A YAML text that holds none of what a scenario must not hold: anchors, aliases, tags, more than
 * one document, NUL, bad UTF-8, nesting deeper than any schema asks for.
 */
#ifndef MEMCGBENCH_SCENARIO_YAML_SOURCE_H
#define MEMCGBENCH_SCENARIO_YAML_SOURCE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#define SCENARIO_BYTES_MAX (1024 * 1024)
#define YAML_DEPTH_MAX     16

/* Where something was said. `file` is not owned. */
struct place {
	const char *file;
	unsigned line, column;
};

struct yaml_source {
	const char *file;
	unsigned
		shift; /* added to columns of the first line: "--set key=" stands before the text */
	yaml_document_t document;
};

/* 0, or a negative errno with everything that is wrong added to `errors`, and nothing to close. */
int yaml_source_open(struct yaml_source *source, const char *file, unsigned shift, const char *text,
		     size_t length, struct error_list *errors);
void yaml_source_close(struct yaml_source *source);

/* NULL where the text is empty. */
yaml_node_t *yaml_source_root(struct yaml_source *source);
/* One of the document's items by its number, as pairs and sequences hold it. */
yaml_node_t *yaml_source_node(struct yaml_source *source, int index);
struct place yaml_source_place(const struct yaml_source *source, const yaml_node_t *node);

/* Null in any of YAML's spellings: a key without a value. */
bool yaml_is_null(const yaml_node_t *node);
/* Not in quotes, nor a block of text. */
bool yaml_is_plain(const yaml_node_t *node);

#endif
