// SPDX-License-Identifier: MIT
/*
 * The files of captured trees. Each is read once and kept as long as the scenario: points refer to
 * it. A path in a scenario's file is relative to that file; one of --set, to where we are.
 */
#include "base/file.h"
#include "memcg/captured.h"
#include "scenario/loader.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

static int path_of(const struct loader *loader, const struct yaml_source *source, const char *text,
		   char path[PATH_MAX], struct error *err)
{
	char directory[PATH_MAX];

	if (text[0] == '/' || source->file != loader->scenario->path)
		return join_path(path, text[0] == '/' ? "" : ".", text + (text[0] == '/'), err);
	if (strlen(source->file) >= sizeof(directory))
		return error_set(err, -ENAMETOOLONG, "the path is too long");
	strcpy(directory, source->file);
	return join_path(path, dirname(directory), text, err);
}

static const struct captured *find(const struct scenario *scenario, const char *path)
{
	for (size_t i = 0; i < scenario->nr_captured; i++)
		if (!strcmp(scenario->captured[i]->path, path))
			return scenario->captured[i];
	return NULL;
}

static int keep(struct scenario *scenario, struct captured *captured)
{
	struct captured **grown =
		reallocarray(scenario->captured, scenario->nr_captured + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	scenario->captured = grown;
	grown[scenario->nr_captured++] = captured;
	return 0;
}

static const struct captured *load(struct loader *loader, const char *path, struct error *err)
{
	struct captured *captured;

	if (captured_load(path, &captured, err))
		return NULL;
	if (keep(loader->scenario, captured)) {
		captured_free(captured);
		error_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	return captured;
}

bool captured_file_read(struct loader *loader, struct yaml_source *source, const yaml_node_t *node,
			const char *text, struct setting *setting)
{
	const struct captured *captured;
	char path[PATH_MAX];
	struct error err;

	if (!*text) {
		loader_complain(loader, source, node, "tree.file: the name of a file is empty");
		return false;
	}
	if (path_of(loader, source, text, path, &err)) {
		loader_complain(loader, source, node, "tree.file: %s", err.text);
		return false;
	}
	captured = find(loader->scenario, path);
	if (!captured)
		captured = load(loader, path, &err);
	if (!captured) {
		/* what is wrong in it is said there; that it cannot be read, here */
		if (err.line)
			error_list_add(loader->errors, err.file, err.line, err.column, "%s",
				       err.text);
		else
			loader_complain(loader, source, node, "tree.file: '%s': %s", path,
					err.text);
		return false;
	}
	if (captured->nr < 2) {
		loader_complain(loader, source, node, "tree.file: '%s' has no memcg below its top",
				path);
		return false;
	}
	setting->value = captured->hash;
	setting->captured = captured;
	return true;
}
