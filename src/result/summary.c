// SPDX-License-Identifier: MIT
/* See summary.h: what is said of the run as a whole. summary_load.c reads its results. */
#include "result/summary.h"

#include "result/document.h"
#include "result/summary_backend.h"
#include "result/summary_load.h"
#include "scenario/scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void summary_free(struct run_summary *summary)
{
	if (!summary)
		return;
	for (size_t p = 0; p < summary->nr_points; p++) {
		for (size_t b = 0; b < summary->points[p].nr_backends; b++)
			backend_summary_fini(&summary->points[p].backends[b]);
		free(summary->points[p].backends);
	}
	for (size_t i = 0; i < summary->nr_failed; i++) {
		free(summary->failed[i].backend);
		free(summary->failed[i].reason);
	}
	for (size_t i = 0; i < summary->nr_references; i++) {
		free(summary->references[i].backend);
		free(summary->references[i].source);
	}
	free(summary->points);
	free(summary->failed);
	free(summary->references);
	free(summary->path);
	free(summary->scenario);
	free(summary->title);
	free(summary->host_class);
	json_decref(summary->run);
	free(summary);
}

static int load_references(struct run_summary *summary)
{
	const json_t *item, *list = json_object_get(summary->run, "references");
	size_t i;

	summary->references = calloc(json_array_size(list) + 1, sizeof(*summary->references));
	if (!summary->references)
		return -ENOMEM;
	json_array_foreach (list, i, item) {
		struct reference *reference = &summary->references[i];

		reference->memcgs = json_integer_value(json_object_get(item, "memcgs"));
		reference->time_ns = json_number_value(json_object_get(item, "time_ns"));
		reference->at_most = json_is_true(json_object_get(item, "at_most"));
		reference->backend = strdup(json_string_value(json_object_get(item, "backend")));
		reference->source = strdup(json_string_value(json_object_get(item, "source")));
		summary->nr_references = i + 1;
		if (!reference->backend || !reference->source)
			return -ENOMEM;
	}
	return 0;
}

static int load_head(struct run_summary *summary, const struct run_dir *dir)
{
	const char *title = json_string_value(json_object_get(dir->run, "title"));

	summary->started = -1;
	summary->run = json_incref(dir->run);
	summary->path = strdup(dir->path);
	summary->scenario = strdup(json_string_value(json_at(dir->run, "identity.scenario")));
	summary->host_class = strdup(json_string_value(json_at(dir->run, "identity.host_class")));
	summary->title = strdup(title ? title : summary->scenario ? summary->scenario : "");
	summary->llc_bytes = json_integer_value(json_at(dir->run, "context.llc_bytes"));
	if (!summary->path || !summary->scenario || !summary->host_class || !summary->title)
		return -ENOMEM;
	return load_references(summary);
}

int summary_open(const char *path, struct error_list *faults, struct run_summary **out,
		 struct run_dir **dir, struct error *err)
{
	struct run_summary *summary;
	int r;

	*out = NULL;
	r = run_dir_load(path, dir, err);
	if (r)
		return r;
	summary = calloc(1, sizeof(*summary));
	r = summary ? load_head(summary, *dir) : -ENOMEM;
	if (!r)
		r = summary_load_cells(summary, *dir, faults, err);
	if (!r) {
		*out = summary;
		return 0;
	}
	summary_free(summary);
	run_dir_free(*dir);
	*dir = NULL;
	return r == -ENOMEM ? error_set(err, r, "out of memory") : r;
}

int summary_load(const char *path, struct run_summary **out, struct error *err)
{
	struct run_dir *dir;
	int r = summary_open(path, NULL, out, &dir, err);

	if (!r)
		run_dir_free(dir);
	return r;
}
