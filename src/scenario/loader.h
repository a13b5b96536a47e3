/* SPDX-License-Identifier: MIT */
/* What the files that read a scenario share: scenario.c, headings.c, sections.c; done in loader.c.
 */
#ifndef MEMCGBENCH_SCENARIO_LOADER_H
#define MEMCGBENCH_SCENARIO_LOADER_H

#include "base/nearest.h"
#include "scenario/matrix.h"
#include "scenario/scenario.h"
#include "scenario/yaml_source.h"

struct loader {
	const struct scenario_options *options;
	struct error_list *errors;
	struct scenario *scenario; /* being filled */
	struct arena arena;
	struct axes axes;
	bool no_memory;
};

/* Adds an error where `node` stands. */
void loader_complain(struct loader *loader, const struct yaml_source *source,
		     const yaml_node_t *node, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* No more errors are wanted, or there is no memory left: give up. */
bool loader_done(const struct loader *loader);

/*
 * The text of a scalar of at most `max` bytes; NULL, with an error, for anything else, for null and
 * for a text with NUL in it.
 */
const char *loader_scalar(struct loader *loader, struct yaml_source *source,
			  const yaml_node_t *node, const char *key, size_t max, size_t *length);

/*
 * Calls `visit` for each key and value of a map. Keys that are not scalars, and keys said before,
 * are errors and are left out.
 */
typedef void (*visit_key)(struct loader *loader, struct yaml_source *source, yaml_node_t *key,
			  yaml_node_t *value, void *arg);
void loader_each_key(struct loader *loader, struct yaml_source *source, const yaml_node_t *map,
		     visit_key visit, void *arg);

/* headings.c: name, title, backends, repetitions, reference. False: no such key. */
bool heading_read(struct loader *loader, struct yaml_source *source, const yaml_node_t *key,
		  const yaml_node_t *value);
void heading_offer(struct nearest *nearest);
/* "walk,cached" as --backend says it. */
void heading_backends(struct loader *loader, const char *text);
/* The back ends measured where neither the file nor the caller names any. */
void heading_default_backends(struct loader *loader);

/* sections.c: tree, machine, counters, read, write. False: no such section. */
bool section_read(struct loader *loader, struct yaml_source *source, const yaml_node_t *key,
		  const yaml_node_t *value);
void section_offer(struct nearest *nearest);
/* captured_file.c: the file of a captured tree. False: errors were added. */
bool captured_file_read(struct loader *loader, struct yaml_source *source, const yaml_node_t *node,
			const char *text, struct setting *setting);

/* The value or the list of values of one parameter, as an axis. False: errors were added. */
bool section_values(struct loader *loader, struct yaml_source *source,
		    const struct parameter *parameter, const yaml_node_t *node, struct axis *axis);

#endif
