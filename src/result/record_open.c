// SPDX-License-Identifier: MIT
/*
 * See record.h: whatever may stand for a run, read as a record. Every file is looked at before
 * anything is decided, so that all faults are known at once.
 */
#include "result/record.h"

#include "base/file.h"
#include "result/document.h"
#include "result/record_parts.h"
#include "result/result_read.h"
#include "result/summary_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void record_fault(struct error_list *faults, const struct error *err)
{
	error_list_add(faults, err->file[0] ? err->file : NULL, err->line, err->column, "%s",
		       err->text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What names of results of this run may be. */
struct expected {
	const char **ids; /* [nr_ids], sorted */
	size_t nr_ids;
	const json_t *backend_names;
	unsigned repetitions;
};

static int expected_init(struct expected *expected, const struct run_summary *summary)
{
	const json_t *identity = json_object_get(summary->run, "identity");

	expected->nr_ids = summary->nr_points;
	expected->ids = calloc(summary->nr_points + 1, sizeof(*expected->ids));
	if (!expected->ids)
		return -ENOMEM;
	for (size_t i = 0; i < summary->nr_points; i++)
		expected->ids[i] = summary->points[i].point.id;
	if (expected->nr_ids)
		qsort(expected->ids, expected->nr_ids, sizeof(*expected->ids), by_text);
	expected->backend_names = json_object_get(identity, "backends");
	expected->repetitions = (unsigned)json_whole_at(identity, "repetitions");
	return 0;
}

static bool has_backend(const struct expected *expected, const char *name, size_t length)
{
	const json_t *item;
	size_t i;

	json_array_foreach (expected->backend_names, i, item) {
		if (json_string_length(item) == length &&
		    !memcmp(json_string_value(item), name, length))
			return true;
	}
	return false;
}

/* What is wrong with a file of that name in the directory of the run; NULL: it belongs there. */
static const char *what_is_foreign(const struct expected *expected, const char *name)
{
	const char *backend = name + POINT_ID_SIZE, *dot, *id;
	char start[POINT_ID_SIZE], canonical[32];
	unsigned long repetition;

	if (strlen(name) <= POINT_ID_SIZE || name[POINT_ID_SIZE - 1] != '.')
		return "is no result of this run: those are called POINT.BACKEND.REPETITION.json";
	memcpy(start, name, POINT_ID_SIZE - 1);
	start[POINT_ID_SIZE - 1] = '\0';
	id = start;
	if (!bsearch(&id, expected->ids, expected->nr_ids, sizeof(*expected->ids), by_text))
		return "is of no point of this run";
	dot = strchr(backend, '.');
	if (!dot || !has_backend(expected, backend, (size_t)(dot - backend)))
		return "is of no back end of this run";
	repetition = strtoul(dot + 1, NULL, 10);
	snprintf(canonical, sizeof(canonical), ".%lu.json", repetition);
	if (strcmp(dot, canonical) || !repetition || repetition > expected->repetitions)
		return "is of no repetition of this run";
	return NULL;
}

/* Files of JSON in the directory that no point of the run expects. */
static int find_foreign(const struct run_summary *summary, struct error_list *faults)
{
	struct expected expected = {.ids = NULL};
	struct error err = {0};
	char path[PATH_MAX];
	char **names;
	size_t nr;
	int r;

	r = record_list_files(summary->path, &names, &nr, &err);
	if (r && r != -ENOMEM) {
		record_fault(faults, &err);
		return 0;
	}
	if (!r)
		r = expected_init(&expected, summary);
	for (size_t i = 0; !r && i < nr; i++) {
		const char *what =
			strcmp(names[i], "run.json") ? what_is_foreign(&expected, names[i]) : NULL;

		if (what && !join_path(path, summary->path, names[i], NULL))
			error_list_add(faults, path, 0, 0, "%s", what);
	}
	record_free_files(names, nr);
	free(expected.ids);
	return r;
}

static int open_run(const char *path, struct record **out, struct error_list *faults)
{
	struct run_summary *summary;
	struct error err = {0};
	struct run_dir *dir;
	int r;

	r = summary_open(path, faults, &summary, &dir, &err);
	if (r == -ENOMEM)
		return r;
	if (r) {
		record_fault(faults, &err);
		return 0;
	}
	r = find_foreign(summary, faults);
	if (!r)
		r = record_from_summary(summary, out, NULL);
	run_dir_free(dir);
	summary_free(summary);
	return r;
}

static int open_document(struct record_reader *reader, const char *path, struct record **out,
			 struct error_list *faults)
{
	const struct document_schema *const schemas[] = {&record_schema, &result_schema};
	struct document document;
	struct error err = {0};
	int r;

	r = document_open_any(path, schemas, sizeof(schemas) / sizeof(schemas[0]),
			      record_reader_memo(reader), &document, &err);
	if (!r && document.schema == &result_schema) {
		document_close(&document);
		return record_open_loose(path, NULL, out, faults);
	}
	if (!r) {
		r = record_take(reader, &document, out, &err);
		document_close(&document);
	}
	if (r && r != -ENOMEM)
		record_fault(faults, &err);
	return r == -ENOMEM ? r : 0;
}

static int open_any(struct record_reader *reader, const char *path, struct record **out,
		    struct error_list *faults)
{
	char run[PATH_MAX];
	struct error err = {0};
	struct stat st;

	if (stat(path, &st) < 0) {
		error_list_add(faults, path, 0, 0, "cannot open: %s", strerror(errno));
		return 0;
	}
	if (!S_ISDIR(st.st_mode))
		return open_document(reader, path, out, faults);
	if (join_path(run, path, "run.json", &err)) {
		record_fault(faults, &err);
		return 0;
	}
	return access(run, F_OK) == 0 ? open_run(path, out, faults)
				      : record_open_loose(NULL, path, out, faults);
}

int record_open_next(struct record_reader *reader, const char *path, bool keep_going,
		     struct record **out, struct error_list *faults)
{
	size_t before = faults->total;
	int r;

	*out = NULL;
	r = open_any(reader, path, out, faults);
	if (!r && *out && !(*out)->nr_cells && faults->total == before)
		error_list_add(faults, path, 0, 0, "holds no results yet");
	if (!r && *out && (*out)->nr_cells && (keep_going || faults->total == before))
		return 0;
	record_free(*out);
	*out = NULL;
	return r ? r : -EINVAL;
}

int record_open(const char *path, bool keep_going, struct record **out, struct error_list *faults)
{
	struct record_reader *reader = record_reader_new();
	int r = -ENOMEM;

	*out = NULL;
	if (reader)
		r = record_open_next(reader, path, keep_going, out, faults);
	record_reader_free(reader);
	return r;
}
