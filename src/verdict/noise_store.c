// SPDX-License-Identifier: MIT
/* See noise.h: documents of noise in a directory. */
#include "verdict/noise.h"

#include "base/file.h"
#include "base/fnv.h"
#include "result/document.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_LIMIT       (64u << 20)
#define PATH_MAX_IN_JSON 96

static const struct field head[] = {
	{"scenario", FIELD_TEXT, 0},
	{"build_id", FIELD_TEXT, 0},
	{"host_class", FIELD_TEXT, 0},
	{"started_at", FIELD_TEXT, FIELD_NULL | FIELD_OPTIONAL},
	{"context", FIELD_OBJECT, FIELD_NULL | FIELD_OPTIONAL},
	{"processes", FIELD_WHOLE, 0},
	{"points", FIELD_ARRAY, 0},
};

static const struct document_schema schema = {
	.name = NOISE_SCHEMA_NAME,
	.version = NOISE_SCHEMA_VERSION,
	.limit = FILE_LIMIT,
	.fields = head,
	.nr_fields = sizeof(head) / sizeof(head[0]),
};

/* What is known of one point, back end, host class and metric. */
struct known {
	double noise;
	int64_t started;
	char *key;
};

struct noise_store {
	size_t nr, room;
	struct known *known; /* sorted by key once all are read; each key once */
};

void noise_store_free(struct noise_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->nr; i++)
		free(store->known[i].key);
	free(store->known);
	free(store);
}

/* A host class may hold blanks and commas, but no line feed. */
static char *make_key(const char *host_class, const char *point_id, const char *backend,
		      const char *metric)
{
	char *key;

	return asprintf(&key, "%s\n%s\n%s\n%s", host_class, point_id, backend, metric) < 0 ? NULL
											   : key;
}

static int add(struct noise_store *store, char *key, int64_t started, double noise)
{
	if (store->nr == store->room) {
		size_t room = store->room ? 2 * store->room : 64;
		struct known *grown = reallocarray(store->known, room, sizeof(*grown));

		if (!grown) {
			free(key);
			return -ENOMEM;
		}
		store->known = grown;
		store->room = room;
	}
	if (!key)
		return -ENOMEM;
	store->known[store->nr++] = (struct known){noise, started, key};
	return 0;
}

/* One field at "points.3.results.1.NAME": there, and of its kind. */
static int check_at(const struct document *document, enum field_kind kind, unsigned flags,
		    struct error *err, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

static int check_at(const struct document *document, enum field_kind kind, unsigned flags,
		    struct error *err, const char *format, ...)
{
	char path[PATH_MAX_IN_JSON];
	struct field field = {path, kind, flags};
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return document_check(document, &field, 1, err);
}

struct reading {
	struct noise_store *store;
	const struct document *document;
	const char *host_class, *point_id, *backend;
	int64_t started;
	struct error *err;
};

static int read_metrics(struct reading *reading, size_t p, size_t b, const json_t *metrics_json)
{
	for (size_t i = 0; i < NR_METRICS; i++) {
		const char *name = metrics[i].name;
		const json_t *value = json_object_get(metrics_json, name);
		int r;

		if (!value)
			continue;
		r = check_at(reading->document, FIELD_OBJECT, 0, reading->err,
			     "points.%zu.results.%zu.metrics.%s", p, b, name);
		if (!r)
			r = check_at(reading->document, FIELD_NUMBER, FIELD_NULL, reading->err,
				     "points.%zu.results.%zu.metrics.%s.noise", p, b, name);
		value = json_object_get(value, "noise");
		if (!r && json_is_number(value))
			r = add(reading->store,
				make_key(reading->host_class, reading->point_id, reading->backend,
					 name),
				reading->started, json_number_value(value));
		if (r)
			return r;
	}
	return 0;
}

static int read_results(struct reading *reading, size_t p, const json_t *results)
{
	const json_t *result;
	size_t b;

	json_array_foreach (results, b, result) {
		int r = check_at(reading->document, FIELD_BACKEND, 0, reading->err,
				 "points.%zu.results.%zu.backend", p, b);

		if (!r)
			r = check_at(reading->document, FIELD_OBJECT, 0, reading->err,
				     "points.%zu.results.%zu.metrics", p, b);
		if (r)
			return r;
		reading->backend = json_string_value(json_object_get(result, "backend"));
		r = read_metrics(reading, p, b, json_object_get(result, "metrics"));
		if (r)
			return r;
	}
	return 0;
}

static int read_document(struct noise_store *store, const struct document *document,
			 struct error *err)
{
	const char *started = json_string_value(json_object_get(document->json, "started_at"));
	struct reading reading = {
		.store = store,
		.document = document,
		.host_class = json_string_value(json_object_get(document->json, "host_class")),
		.started = started ? record_time_parse(started) : -1,
		.err = err,
	};
	const json_t *point;
	size_t p;

	if (started && reading.started < 0)
		return document_fault(document, "started_at", err, "'%s' is no time", started);
	json_array_foreach (json_object_get(document->json, "points"), p, point) {
		int r = check_at(document, FIELD_TEXT, 0, err, "points.%zu.id", p);

		if (!r)
			r = check_at(document, FIELD_ARRAY, 0, err, "points.%zu.results", p);
		if (r)
			return r;
		reading.point_id = json_string_value(json_object_get(point, "id"));
		r = read_results(&reading, p, json_object_get(point, "results"));
		if (r)
			return r;
	}
	return 0;
}

/* Of that schema? Most files of a history are records: those are not read for it. */
static bool is_noise(const char *path)
{
	static const char quoted[] = "\"" NOISE_SCHEMA_NAME "\"";
	bool found = false;
	const char *name;
	struct stat st;
	size_t length;
	json_t *json;
	char *text;

	/* reading a fifo would wait for somebody who writes to it */
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    document_begins_as(path, RECORD_SCHEMA_NAME) ||
	    file_read(path, FILE_LIMIT, &text, &length, NULL))
		return false;
	if (memmem(text, length, quoted, strlen(quoted))) {
		json = json_loadb(text, length, 0, NULL);
		name = json_string_value(json_at(json, "schema.name"));
		found = name && !strcmp(name, NOISE_SCHEMA_NAME);
		json_decref(json);
	}
	free(text);
	return found;
}

static int read_file(struct noise_store *store, const char *path, struct error *err)
{
	struct document document;
	int r;

	if (!is_noise(path))
		return 0;
	r = document_open(path, &schema, &document, err);
	if (r)
		return r;
	r = read_document(store, &document, err);
	if (r == -ENOMEM)
		error_set_at(err, r, path, 0, 0, "out of memory");
	document_close(&document);
	return r;
}

static int by_key_newest_first(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->started < y->started) - (x->started > y->started);
}

static void keep_newest(struct noise_store *store)
{
	size_t kept = 0;

	if (store->nr)
		qsort(store->known, store->nr, sizeof(*store->known), by_key_newest_first);
	for (size_t i = 0; i < store->nr; i++) {
		if (kept && !strcmp(store->known[kept - 1].key, store->known[i].key))
			free(store->known[i].key);
		else
			store->known[kept++] = store->known[i];
	}
	store->nr = kept;
}

static int is_json(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".json");
}

int noise_store_load(const char *directory, struct noise_store **out, struct error *err)
{
	struct noise_store *store = calloc(1, sizeof(*store));
	struct dirent **entries = NULL;
	int nr = scandir(directory, &entries, is_json, alphasort), r = 0;
	char path[PATH_MAX];

	*out = NULL;
	if (!store)
		r = error_set(err, -ENOMEM, "out of memory");
	else if (nr < 0)
		r = error_set_at(err, -errno, directory, 0, 0, "cannot open: %s", strerror(errno));
	for (int i = 0; i < nr; i++) {
		if (!r)
			r = join_path(path, directory, entries[i]->d_name, err);
		if (!r)
			r = read_file(store, path, err);
		free(entries[i]);
	}
	free(entries);
	if (r) {
		noise_store_free(store);
		return r;
	}
	keep_newest(store);
	*out = store;
	return 0;
}

static int compare_key(const void *key, const void *known)
{
	return strcmp(key, ((const struct known *)known)->key);
}

double noise_find(const struct noise_store *store, const char *host_class, const char *point_id,
		  const char *backend, const struct metric *metric)
{
	const struct known *found = NULL;
	char *key;

	if (!store || !store->nr)
		return NAN;
	key = make_key(host_class, point_id, backend, metric->name);
	if (key)
		found = bsearch(key, store->known, store->nr, sizeof(*store->known), compare_key);
	free(key);
	return found ? found->noise : NAN;
}

/* The same host class, points and back ends: the same file, so that the new one takes its place. */
static uint64_t hash_of(const json_t *document)
{
	const json_t *point, *result;
	uint64_t hash =
		fnv1a(FNV1A_START, json_string_value(json_object_get(document, "host_class")));
	size_t p, b;

	json_array_foreach (json_object_get(document, "points"), p, point) {
		hash = fnv1a(fnv1a(hash, "\n"), json_string_value(json_object_get(point, "id")));
		json_array_foreach (json_object_get(point, "results"), b, result) {
			hash = fnv1a(hash, " ");
			hash = fnv1a(hash, json_string_value(json_object_get(result, "backend")));
		}
	}
	return hash;
}

int noise_store_put(const char *directory, const json_t *document, char path[PATH_MAX],
		    struct error *err)
{
	const char *scenario = json_string_value(json_object_get(document, "scenario"));
	char name[NAME_MAX + 1];
	int r;

	if (snprintf(name, sizeof(name), "noise-%s-%016" PRIx64 ".json", scenario,
		     hash_of(document)) >= (int)sizeof(name))
		return error_set(err, -ENAMETOOLONG, "'%s' is too long for the name of a file",
				 scenario);
	r = join_path(path, directory, name, err);
	if (!r)
		r = file_make_directories(directory, err);
	return r ? r : document_write(path, document, err);
}
