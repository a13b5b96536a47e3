// SPDX-License-Identifier: MIT
/*
 * See summary.h. run.json says which files there should be; each is looked for by name. A file that
 * cannot be read is a failed repetition with its fault as the reason: nothing is dropped in
 * silence. But for one of a newer program, which may be sound: that ends it.
 */
#include "result/summary.h"

#include "result/document.h"
#include "result/summary_backend.h"
#include "scenario/parameter.h"
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

static int add_failed(struct run_summary *summary, const char *id, const char *backend,
		      unsigned repetition, char *reason)
{
	struct failed_repetition *grown;
	char *name = strdup(backend);

	grown = realloc(summary->failed, (summary->nr_failed + 1) * sizeof(*grown));
	if (grown)
		summary->failed = grown;
	if (!grown || !name || !reason) {
		free(name);
		free(reason);
		return -ENOMEM;
	}
	grown += summary->nr_failed++;
	snprintf(grown->id, sizeof(grown->id), "%s", id);
	grown->backend = name;
	grown->repetition = repetition;
	grown->reason = reason;
	return 0;
}

/* "unreadable: FILE:12:7: latency.histogram: is damaged"; the file by its last name. */
static char *unreadable(const struct error *fault)
{
	const char *name = strrchr(fault->file, '/');
	char place[32] = "";
	char *reason;

	if (fault->line)
		snprintf(place, sizeof(place), ":%u:%u", fault->line, fault->column);
	if (asprintf(&reason, "unreadable: %s%s: %s", name ? name + 1 : fault->file, place,
		     fault->text) < 0)
		return NULL;
	return reason;
}

static int add_repetition(struct run_summary *summary, const struct run_dir *dir, const char *id,
			  unsigned repetition, struct backend_merge *merge, struct error *err)
{
	struct backend_summary *into = merge->into;
	struct error fault = {0};
	const char *reason;
	json_t *result;
	int r;

	r = run_dir_read(dir, id, into->backend, repetition, &result, &fault);
	if (r == -ENOENT)
		return 0;
	if (r == -EPROTONOSUPPORT && err)
		*err = fault;
	if (r == -ENOMEM || r == -EPROTONOSUPPORT)
		return r;
	if (r) {
		into->failed++;
		return add_failed(summary, id, into->backend, repetition, unreadable(&fault));
	}
	if (!strcmp(json_string_value(json_object_get(result, "status")), "ok")) {
		r = backend_merge_add(merge, result);
		summary->done += !r;
	} else {
		reason = json_string_value(json_object_get(result, "reason"));
		into->failed++;
		r = add_failed(summary, id, into->backend, repetition, strdup(reason));
	}
	json_decref(result);
	return r;
}

static int load_backend(struct run_summary *summary, const struct run_dir *dir, const char *id,
			const char *name, struct backend_summary *into, struct error *err)
{
	unsigned repetitions = json_integer_value(json_at(dir->run, "identity.repetitions"));
	struct backend_merge merge;
	int r, end;

	r = backend_merge_begin(&merge, into, name, repetitions);
	into->left_out = run_dir_left_out(dir, id, name);
	if (!into->left_out)
		summary->expected += repetitions;
	for (unsigned i = 1; !r && i <= repetitions; i++)
		r = add_repetition(summary, dir, id, i, &merge, err);
	end = backend_merge_end(&merge);
	return r ? r : end;
}

static void note_start(struct run_summary *summary, const struct backend_summary *backend)
{
	if (backend->started >= 0 && (summary->started < 0 || backend->started < summary->started))
		summary->started = backend->started;
}

static int load_points(struct run_summary *summary, const struct run_dir *dir, struct error *err)
{
	const json_t *points = json_at(dir->run, "identity.points");
	const json_t *names = json_at(dir->run, "identity.backends");
	const json_t *item, *name;
	size_t p, b;
	int r;

	summary->points = calloc(json_array_size(points) + 1, sizeof(*summary->points));
	if (!summary->points)
		return -ENOMEM;
	json_array_foreach (points, p, item) {
		const char *id = json_string_value(json_object_get(item, "id"));
		struct point_summary *point = &summary->points[p];

		r = point_from_json(json_object_get(item, "parameters"), id, &point->point, err);
		if (r)
			return r;
		point->backends = calloc(json_array_size(names) + 1, sizeof(*point->backends));
		if (!point->backends)
			return -ENOMEM;
		summary->nr_points = p + 1;
		json_array_foreach (names, b, name) {
			point->nr_backends = b + 1;
			r = load_backend(summary, dir, id, json_string_value(name),
					 &point->backends[b], err);
			if (r)
				return r;
			note_start(summary, &point->backends[b]);
		}
	}
	return 0;
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

int summary_load(const char *path, struct run_summary **out, struct error *err)
{
	struct run_summary *summary;
	struct run_dir *dir;
	int r;

	*out = NULL;
	r = run_dir_load(path, &dir, err);
	if (r)
		return r;
	summary = calloc(1, sizeof(*summary));
	r = summary ? load_head(summary, dir) : -ENOMEM;
	if (!r)
		r = load_points(summary, dir, err);
	run_dir_free(dir);
	if (r) {
		summary_free(summary);
		return r == -ENOMEM ? error_set(err, r, "out of memory") : r;
	}
	*out = summary;
	return 0;
}
