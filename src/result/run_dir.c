// SPDX-License-Identifier: MIT
/* See run_dir.h: the files of one run, by name. run_open.c chooses the directory. */
#include "result/run_dir.h"

#include "base/file.h"
#include "result/document.h"
#include "result/result_read.h"
#include "result/run_document.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RUN_FILE "run.json"

void run_dir_free(struct run_dir *dir)
{
	if (!dir)
		return;
	json_decref(dir->run);
	json_decref(dir->left_out);
	free(dir->path);
	free(dir);
}

void run_dir_index(struct run_dir *dir)
{
	const json_t *item;
	char key[256];
	size_t i;

	json_decref(dir->left_out);
	dir->left_out = json_object();
	json_array_foreach (json_object_get(dir->run, "left_out"), i, item) {
		snprintf(key, sizeof(key), "%s %s", json_string_value(json_object_get(item, "id")),
			 json_string_value(json_object_get(item, "backend")));
		json_object_set_new(dir->left_out, key, json_true());
	}
}

/* Takes over the reference to `run`. */
static int new_dir(const char *path, json_t *run, struct run_dir **out, struct error *err)
{
	struct run_dir *dir = calloc(1, sizeof(*dir));

	if (dir)
		dir->path = strdup(path);
	if (!dir || !dir->path) {
		free(dir);
		json_decref(run);
		return error_set(err, -ENOMEM, "out of memory");
	}
	dir->run = run;
	run_dir_index(dir);
	dir->resumed = true;
	*out = dir;
	return 0;
}

int run_dir_load(const char *path, struct run_dir **dir, struct error *err)
{
	char file[PATH_MAX];
	struct stat st;
	json_t *run;
	int r;

	*dir = NULL;
	if (stat(path, &st) < 0)
		return error_set_at(err, -errno, path, 0, 0, "cannot open: %s", strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return error_set_at(err, -ENOTDIR, path, 0, 0, "is not a directory");
	r = join_path(file, path, RUN_FILE, err);
	if (r)
		return r;
	r = run_document_load(file, &run, err);
	if (r == -ENOENT)
		return error_set_at(err, r, path, 0, 0, "holds no run (there is no %s)", RUN_FILE);
	return r ? r : new_dir(path, run, dir, err);
}

int run_document_write(const char *path, json_t *run, struct error *err)
{
	char file[PATH_MAX];
	int r = join_path(file, path, RUN_FILE, err);

	return r ? r : document_write(file, run, err);
}

static int result_path(char path[PATH_MAX], const struct run_dir *dir, const char *point_id,
		       const char *backend, unsigned repetition, struct error *err)
{
	char name[NAME_MAX + 1];

	if (snprintf(name, sizeof(name), "%s.%s.%u.json", point_id, backend, repetition) >=
	    (int)sizeof(name))
		return error_set(err, -ENAMETOOLONG, "'%s' is too long for the name of a file",
				 backend);
	return join_path(path, dir->path, name, err);
}

/* A field that says of which run a result is: as run.json has it, and as people call it. */
struct mark {
	const char *in_result, *in_identity, *name;
};

/* The first by which a sound result is not of this run; NULL: it is. Of a process that failed,
 * most are absent. */
static const struct mark *find_stranger(const struct run_dir *dir, const json_t *result)
{
	static const struct mark marks[] = {
		{"scenario", "scenario", "scenario"},
		{"build.id", "build_id", "build"},
		{"host_class", "host_class", "host class"},
		{"seed", "seed", "seed"},
	};
	const json_t *identity = json_object_get(dir->run, "identity");

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const json_t *value = json_at(result, marks[i].in_result);
		const json_t *wanted = json_object_get(identity, marks[i].in_identity);

		if (value && wanted && !json_equal(value, wanted))
			return &marks[i];
	}
	return NULL;
}

static int stranger_fault(const struct run_dir *dir, const json_t *result, const char *path,
			  const struct mark *mark, struct error *err)
{
	const json_t *identity = json_object_get(dir->run, "identity");
	const char *value = json_string_value(json_at(result, mark->in_result));
	const char *wanted = json_string_value(json_object_get(identity, mark->in_identity));

	if (!value || !wanted)
		return error_set_at(err, -EINVAL, path, 0, 0, "is of another %s than run.json says",
				    mark->name);
	return error_set_at(err, -EINVAL, path, 0, 0,
			    "is of another %s than run.json says ('%.200s', not '%.200s')",
			    mark->name, value, wanted);
}

static int check_named(const json_t *result, const char *path, const char *point_id,
		       const char *backend, unsigned repetition, struct error *err)
{
	const char *id = json_string_value(json_at(result, "point.id"));
	const char *name = json_string_value(json_object_get(result, "backend"));
	uint64_t number = json_whole_at(result, "repetition");

	if (strcmp(id, point_id))
		return error_set_at(err, -EINVAL, path, 0, 0,
				    "is of another point than its name says (%s)", id);
	if (strcmp(name, backend))
		return error_set_at(err, -EINVAL, path, 0, 0,
				    "is of another back end than its name says (%.100s)", name);
	if (number != repetition)
		return error_set_at(err, -EINVAL, path, 0, 0,
				    "is of another repetition than its name says (%llu)",
				    (unsigned long long)number);
	return 0;
}

int run_dir_read_next(const struct run_dir *dir, struct result_reader *reader, const char *point_id,
		      const char *backend, unsigned repetition, json_t **result,
		      struct histogram **latency, struct error *err)
{
	const struct mark *mark;
	char path[PATH_MAX];
	int r;

	*result = NULL;
	*latency = NULL;
	r = result_path(path, dir, point_id, backend, repetition, err);
	if (!r)
		r = result_read(reader, path, result, latency, err);
	if (r)
		return r;
	r = check_named(*result, path, point_id, backend, repetition, err);
	mark = r ? NULL : find_stranger(dir, *result);
	if (mark)
		r = stranger_fault(dir, *result, path, mark, err);
	if (!r)
		return 0;
	json_decref(*result);
	histogram_free(*latency);
	*result = NULL;
	*latency = NULL;
	return r;
}

int run_dir_read(const struct run_dir *dir, const char *point_id, const char *backend,
		 unsigned repetition, json_t **result, struct error *err)
{
	struct result_reader reader = {.memo = NULL};
	struct histogram *latency;
	int r = run_dir_read_next(dir, &reader, point_id, backend, repetition, result, &latency,
				  err);

	histogram_free(latency);
	result_reader_fini(&reader);
	return r;
}

int run_dir_done(const struct run_dir *dir, const char *point_id, const char *backend,
		 unsigned repetition, json_t **result, struct error *err)
{
	json_t *document;
	bool done;
	int r = run_dir_read(dir, point_id, backend, repetition, &document, err);

	if (r)
		return r == -EPROTONOSUPPORT ? r : 0;
	done = !strcmp(json_string_value(json_object_get(document, "status")), "ok");
	if (done && result)
		*result = document;
	else
		json_decref(document);
	return done;
}

int run_dir_write(const struct run_dir *dir, const char *point_id, const char *backend,
		  unsigned repetition, json_t *result, struct error *err)
{
	char path[PATH_MAX];
	int r = result_path(path, dir, point_id, backend, repetition, err);

	return r ? r : document_write(path, result, err);
}

bool run_dir_left_out(const struct run_dir *dir, const char *point_id, const char *backend)
{
	char key[256];

	snprintf(key, sizeof(key), "%s %s", point_id, backend);
	return json_object_get(dir->left_out, key);
}

static bool point_finished(const struct run_dir *dir, const char *id)
{
	const json_t *identity = json_object_get(dir->run, "identity");
	unsigned repetitions = json_integer_value(json_object_get(identity, "repetitions"));
	const json_t *name;
	size_t i;

	json_array_foreach (json_object_get(identity, "backends"), i, name) {
		const char *backend = json_string_value(name);

		if (run_dir_left_out(dir, id, backend))
			continue;
		for (unsigned r = 1; r <= repetitions; r++) {
			if (run_dir_done(dir, id, backend, r, NULL, NULL) != 1)
				return false;
		}
	}
	return true;
}

bool run_dir_finished(const struct run_dir *dir)
{
	const json_t *point;
	size_t i;

	json_array_foreach (json_at(dir->run, "identity.points"), i, point) {
		if (!point_finished(dir, json_string_value(json_object_get(point, "id"))))
			return false;
	}
	return true;
}
