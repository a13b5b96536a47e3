// SPDX-License-Identifier: MIT
/* See loader.h. */
#include "scenario/loader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void loader_complain(struct loader *loader, const struct yaml_source *source,
		     const yaml_node_t *node, const char *format, ...)
{
	struct place place = yaml_source_place(source, node);
	char text[sizeof(((struct error *)NULL)->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	error_list_add(loader->errors, place.file, place.line, place.column, "%s", text);
}

bool loader_done(const struct loader *loader)
{
	return loader->no_memory || loader->errors->total >= ERROR_LIST_MAX;
}

const char *loader_scalar(struct loader *loader, struct yaml_source *source,
			  const yaml_node_t *node, const char *key, size_t max, size_t *length)
{
	const char *text;

	if (node->type != YAML_SCALAR_NODE) {
		loader_complain(loader, source, node, "%s: a %s where a value is expected (one %s)",
				key, node->type == YAML_SEQUENCE_NODE ? "list" : "map", "value");
		return NULL;
	}
	if (yaml_is_null(node)) {
		loader_complain(loader, source, node,
				"%s: no value (leave the key out for the default)", key);
		return NULL;
	}
	text = (const char *)node->data.scalar.value;
	*length = node->data.scalar.length;
	if (*length > max) {
		loader_complain(loader, source, node, "%s: too long (at most %zu bytes)", key, max);
		return NULL;
	}
	if (memchr(text, '\0', *length)) {
		loader_complain(loader, source, node, "%s: a NUL in a text (none)", key);
		return NULL;
	}
	return text;
}

static bool said_before(struct yaml_source *source, const yaml_node_t *map,
			const yaml_node_pair_t *pair)
{
	const yaml_node_t *key = yaml_source_node(source, pair->key);

	for (const yaml_node_pair_t *other = map->data.mapping.pairs.start; other < pair; other++) {
		const yaml_node_t *earlier = yaml_source_node(source, other->key);

		if (earlier->type == YAML_SCALAR_NODE &&
		    earlier->data.scalar.length == key->data.scalar.length &&
		    !memcmp(earlier->data.scalar.value, key->data.scalar.value,
			    key->data.scalar.length))
			return true;
	}
	return false;
}

void loader_each_key(struct loader *loader, struct yaml_source *source, const yaml_node_t *map,
		     visit_key visit, void *arg)
{
	const yaml_node_pair_t *pair = map->data.mapping.pairs.start;

	/* unknown and repeated keys are errors, so ten errors end this before it takes long */
	for (; pair < map->data.mapping.pairs.top && !loader_done(loader); pair++) {
		yaml_node_t *key = yaml_source_node(source, pair->key);

		if (key->type != YAML_SCALAR_NODE)
			loader_complain(loader, source, key,
					"a list or map as a key (keys are words)");
		else if (said_before(source, map, pair))
			loader_complain(loader, source, key, "key '%.40s' a second time (once)",
					(const char *)key->data.scalar.value);
		else
			visit(loader, source, key, yaml_source_node(source, pair->value), arg);
	}
}
