// SPDX-License-Identifier: MIT
/*
 * The trees of a plan: how many memcgs are visible, how many dying, how deep, and the paths of the
 * first so many in creation order. A tree that several points share is shown once.
 */
#include "cli/plan.h"

#include "base/units.h"
#include "memcg/tree_name.h"
#include "report/wrap.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_INDENT 10

static bool same_tree(const struct tree_description *a, const struct tree_description *b)
{
	return a->shape == b->shape && a->memcgs == b->memcgs && a->fanout == b->fanout &&
	       a->dying_ppm == b->dying_ppm && a->seed == b->seed && a->driver == b->driver &&
	       a->file_hash == b->file_hash;
}

static bool shown_before(const struct scenario *scenario, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_tree(&scenario->points[i].tree, &scenario->points[index].tree))
			return true;
	return false;
}

static uint32_t last_shown(const struct memcg_tree *tree, uint64_t most)
{
	return most < tree->nr - 1 ? (uint32_t)most : tree->nr - 1;
}

static bool of_tree(const struct parameter *parameter)
{
	return !strncmp(parameter->name, "tree.", strlen("tree."));
}

/* "shape kubernetes, memcgs 1k, ..." */
static int print_description(const struct point *point, FILE *out)
{
	char value[PARAMETER_TEXT_MAX], *text = NULL;
	const char *comma = "";
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	for (size_t k = 0; memory && k < nr_parameters; k++) {
		if (!of_tree(&parameters[k]) || !parameter_matters(&parameters[k], point))
			continue;
		fprintf(memory, "%s%s %s", comma, parameters[k].name + strlen("tree."),
			parameter_text(&parameters[k], point, value));
		comma = ", ";
	}
	if (!memory || fclose(memory)) {
		free(text);
		return -ENOMEM;
	}
	wrap_print(out, HEAD_INDENT, "tree", text);
	free(text);
	return 0;
}

static int print_text(const struct point *point, const struct memcg_tree *tree, uint64_t most,
		      char *buffer, size_t size, FILE *out)
{
	char visible[UNIT_TEXT_MAX], dying[UNIT_TEXT_MAX];
	uint32_t last = last_shown(tree, most);
	int code = print_description(point, out);

	if (code)
		return code;
	wrap_printf(out, HEAD_INDENT, "memcgs", "%s visible and %s dying below the root; depth %u",
		    unit_format_exact(visible, UNIT_COUNT, tree->nr - 1 - tree->nr_dying),
		    unit_format_exact(dying, UNIT_COUNT, tree->nr_dying), tree->max_depth);
	for (uint32_t memcg = 1; memcg <= last; memcg++)
		fprintf(out, "%s%s\n", memcg_tree_path(tree, memcg, buffer, size),
			tree->dying[memcg] ? "  (dying)" : "");
	if (last < tree->nr - 1)
		fprintf(out, "... and %s more\n",
			unit_format_exact(visible, UNIT_COUNT, tree->nr - 1 - last));
	fputc('\n', out);
	return 0;
}

static json_t *tree_to_json(const struct point *point, const struct memcg_tree *tree, uint64_t most,
			    char *buffer, size_t size)
{
	json_t *all = point_to_json(point), *own = json_object(), *paths = json_array();
	uint32_t last = last_shown(tree, most);
	int failed = 0;

	for (size_t k = 0; k < nr_parameters; k++)
		if (of_tree(&parameters[k]))
			failed |= json_object_set(own, parameters[k].name,
						  json_object_get(all, parameters[k].name));
	for (uint32_t memcg = 1; memcg <= last && !failed; memcg++)
		failed = json_array_append_new(
			paths, json_pack("{s:I, s:s, s:b}", "memcg", (json_int_t)memcg, "path",
					 memcg_tree_path(tree, memcg, buffer, size), "dying",
					 (int)tree->dying[memcg]));
	json_decref(all);
	if (failed) {
		json_decref(own);
		json_decref(paths);
		return NULL;
	}
	return json_pack("{s:o, s:I, s:I, s:I, s:o}", "parameters", own, "visible",
			 (json_int_t)(tree->nr - 1 - tree->nr_dying), "dying",
			 (json_int_t)tree->nr_dying, "depth", (json_int_t)tree->max_depth, "paths",
			 paths);
}

static int print_tree(const struct point *point, uint64_t most, bool json, FILE *out)
{
	struct memcg_tree *tree;
	json_t *document;
	size_t size;
	char *buffer;
	int code = memcg_tree_new(&point->tree, &tree);

	if (code)
		return code;
	size = ((size_t)tree->max_depth + 1) * MEMCG_NAME_MAX;
	buffer = malloc(size);
	code = buffer ? 0 : -ENOMEM;
	if (!code && json) {
		document = tree_to_json(point, tree, most, buffer, size);
		code = document ? 0 : -ENOMEM;
		if (document && json_dumpf(document, out, JSON_COMPACT))
			code = -EIO;
		json_decref(document);
	} else if (!code) {
		code = print_text(point, tree, most, buffer, size, out);
	}
	free(buffer);
	memcg_tree_free(tree);
	return code;
}

int plan_print_trees(const struct plan *plan, uint64_t most, bool json, FILE *out)
{
	const struct scenario *scenario = plan->scenario;
	const char *comma = "\n";
	int code = 0;

	if (json)
		fputs("{\"schema\":{\"name\":\"memcgbench-trees\",\"version\":1},\"trees\":[", out);
	for (size_t i = 0; i < scenario->nr_points && !code; i++) {
		if (shown_before(scenario, i))
			continue;
		if (json)
			fputs(comma, out);
		comma = ",\n";
		code = print_tree(&scenario->points[i], most, json, out);
	}
	if (json)
		fputs("\n]}\n", out);
	return code;
}
