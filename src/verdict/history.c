// SPDX-License-Identifier: MIT
/* See history.h: what is in the directory, read and put in order of time. */
#include "verdict/history.h"

#include "base/file.h"
#include "base/parallel.h"
#include "result/document.h"
#include "result/result.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)256 << 20) /* whatever is larger is left to record_open() to refuse */

struct entry;

struct loader {
	struct history *history;
	const struct history_options *options;
	struct error_list *faults;
	size_t room; /* of history->records */
	struct entry *entries;
};

void history_free(struct history *history)
{
	if (!history)
		return;
	for (size_t i = 0; i < history->nr_series; i++) {
		free(history->series[i].values);
		free(history->series[i].changes);
	}
	free(history->series);
	for (size_t i = 0; i < history->nr_records; i++)
		record_free(history->records[i]);
	free(history->records);
	noise_store_free(history->noise);
	free(history->path);
	free(history);
}

static int out_of_memory(struct error_list *faults, const char *path)
{
	error_list_add(faults, path, 0, 0, "out of memory");
	return -ENOMEM;
}

/* Takes over the record. */
static int keep(struct loader *loader, struct record *record)
{
	struct history *history = loader->history;

	if (history->nr_records == loader->room) {
		size_t room = loader->room ? 2 * loader->room : 64;
		struct record **grown = realloc(history->records, room * sizeof(*grown));

		if (!grown) {
			record_free(record);
			return out_of_memory(loader->faults, history->path);
		}
		history->records = grown;
		loader->room = room;
	}
	history->records[history->nr_records++] = record;
	return 0;
}

/* An entry of the directory: what is read by one thread at a time. */
struct entry {
	const char *name;
	char path[PATH_MAX];
	bool run; /* a directory */
	struct record *record; /* or NULL */
	struct error_list *faults; /* or NULL */
	bool older; /* than what is asked for */
};

/* A record has its place in a history by its time, and by nothing else. */
static int read_record(const struct loader *loader, struct record_reader *reader,
		       struct entry *entry, struct error_list *faults)
{
	struct record *record = NULL;
	int r = record_open_next(reader, entry->path, loader->options->keep_going, &record, faults);

	if (r)
		return r == -ENOMEM ? r : 0;
	if (record->started < 0)
		error_list_add(faults, entry->path, 0, 0,
			       "does not say when it was measured (started_at), so that it has no "
			       "place in a history");
	entry->older = record->started >= 0 && record->started < loader->options->since;
	if (record->started < 0 || entry->older) {
		record_free(record);
		return 0;
	}
	/* The document is many times as large as the figures, and there may be hundreds. */
	json_decref(record->document);
	record->document = NULL;
	entry->record = record;
	return 0;
}

enum document_kind {
	KIND_RECORD, /* or nothing that can be read, which record_open() says best */
	KIND_NOISE,
	KIND_FOREIGN
};

/* What a file of JSON is. */
static enum document_kind kind_of(const char *path, char schema[64])
{
	enum document_kind kind = KIND_RECORD;
	const char *name;
	char *text = NULL;
	size_t length;
	json_t *json;

	schema[0] = '\0';
	if (document_begins_as(path, RECORD_SCHEMA_NAME) ||
	    file_read(path, FILE_LIMIT, &text, &length, NULL))
		return KIND_RECORD;
	if (!memmem(text, length, "\"" RECORD_SCHEMA_NAME "\"", strlen(RECORD_SCHEMA_NAME) + 2) &&
	    (json = json_loadb(text, length, 0, NULL))) {
		name = json_string_value(json_at(json, "schema.name"));
		snprintf(schema, 64, "%s", name ? name : "");
		kind = strcmp(schema, NOISE_SCHEMA_NAME) ? KIND_FOREIGN : KIND_NOISE;
		json_decref(json);
	}
	free(text);
	return kind;
}

static int read_file(const struct loader *loader, struct record_reader *reader, struct entry *entry,
		     struct error_list *faults)
{
	char schema[64];

	switch (kind_of(entry->path, schema)) {
	case KIND_NOISE: /* noise_store_load() reads it */
		return 0;
	case KIND_RECORD:
		return read_record(loader, reader, entry, faults);
	case KIND_FOREIGN:
		break;
	}
	if (!strcmp(schema, "memcgbench-run") || !strcmp(schema, RESULT_SCHEMA_NAME))
		error_list_add(faults, entry->path, 0, 0,
			       "is a part of a run, which is no record (keep the run with --add, "
			       "or put its directory here)");
	else if (schema[0])
		error_list_add(faults, entry->path, 0, 0,
			       "schema '%s' is not read here (memcgbench-record and "
			       "memcgbench-noise are)",
			       schema);
	else
		error_list_add(faults, entry->path, 0, 0,
			       "is not of memcgbench: it has no schema.name (memcgbench-record and "
			       "memcgbench-noise are read)");
	return 0;
}

static bool is_run(const char *path)
{
	char run[PATH_MAX];

	return !join_path(run, path, "run.json", NULL) && access(run, F_OK) == 0;
}

/* Is there something to read? What cannot be is a fault. */
static bool look_at(const struct loader *loader, struct entry *entry, struct error_list *faults)
{
	const char *ending = strrchr(entry->name, '.');
	bool json = ending && !strcmp(ending, ".json");
	struct error err;
	struct stat st;

	if (entry->name[0] == '.')
		return false;
	if (join_path(entry->path, loader->history->path, entry->name, &err)) {
		error_list_add(faults, err.file, 0, 0, "%s", err.text);
		return false;
	}
	if (stat(entry->path, &st) < 0) {
		if (json)
			error_list_add(faults, entry->path, 0, 0, "cannot open: %s",
				       strerror(errno));
		return false;
	}
	entry->run = S_ISDIR(st.st_mode) && is_run(entry->path);
	if (S_ISDIR(st.st_mode) || !json)
		return entry->run;
	if (!S_ISREG(st.st_mode))
		error_list_add(faults, entry->path, 0, 0, "is not a regular file");
	return S_ISREG(st.st_mode);
}

/* Faults are kept with what they are of: threads end in any order. */
static int keep_faults(struct entry *entry, struct error_list *faults)
{
	if (!faults->total)
		return 0;
	entry->faults = malloc(sizeof(*faults));
	if (!entry->faults)
		return -ENOMEM;
	*entry->faults = *faults;
	faults->nr = 0;
	faults->total = 0;
	return 0;
}

static int read_entry(const struct loader *loader, struct record_reader *reader,
		      struct entry *entry, struct error_list *faults)
{
	int r = 0, kept;

	if (look_at(loader, entry, faults))
		r = entry->run ? read_record(loader, reader, entry, faults)
			       : read_file(loader, reader, entry, faults);
	kept = keep_faults(entry, faults);
	return r ? r : kept;
}

/* One thread's work. */
static int read_entries(void *arg, struct parallel *parallel)
{
	struct record_reader *reader = record_reader_new();
	struct error_list *faults = calloc(1, sizeof(*faults));
	struct loader *loader = arg;
	int r = reader && faults ? 0 : -ENOMEM;
	size_t i;

	while (!r && parallel_next(parallel, &i))
		r = read_entry(loader, reader, &loader->entries[i], faults);
	record_reader_free(reader);
	free(faults);
	return r;
}

/* Put together what the threads found, in order of names. */
static int settle(struct loader *loader, size_t nr)
{
	int r = 0;

	for (size_t i = 0; i < nr; i++) {
		struct entry *entry = &loader->entries[i];

		if (entry->faults)
			error_list_append(loader->faults, entry->faults);
		free(entry->faults);
		loader->history->nr_older += entry->older;
		if (!entry->record)
			continue;
		if (r)
			record_free(entry->record);
		else
			r = keep(loader, entry->record);
	}
	return r;
}

static int read_all(struct loader *loader, struct dirent **names, size_t nr)
{
	int r, settled;

	loader->entries = calloc(nr + 1, sizeof(*loader->entries));
	if (!loader->entries)
		return out_of_memory(loader->faults, loader->history->path);
	for (size_t i = 0; i < nr; i++)
		loader->entries[i].name = names[i]->d_name;
	json_object_seed(0); /* the first object would do it, in any of the threads */
	r = parallel_run(read_entries, loader, nr, PARALLEL_MAX);
	settled = settle(loader, nr);
	free(loader->entries);
	if (r)
		return out_of_memory(loader->faults, loader->history->path);
	return settled;
}

static int read_directory(struct loader *loader)
{
	const char *path = loader->history->path;
	struct dirent **names = NULL;
	int nr, r;

	if (is_run(path)) {
		error_list_add(loader->faults, path, 0, 0,
			       "is a single run, not a history (name the directory that holds the "
			       "runs, or keep this one in another with --add)");
		return -EINVAL;
	}
	nr = scandir(path, &names, NULL, alphasort);
	if (nr < 0) {
		r = -errno;
		error_list_add(loader->faults, path, 0, 0, "cannot read the directory: %s",
			       strerror(errno));
		return r;
	}
	r = read_all(loader, names, (size_t)nr);
	for (int i = 0; i < nr; i++)
		free(names[i]);
	free(names);
	return r;
}

static int by_time(const void *a, const void *b)
{
	const struct record *x = *(struct record *const *)a, *y = *(struct record *const *)b;

	if (x->started != y->started)
		return x->started < y->started ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* Two that were measured at once may start in the same second; their figures are then others. */
static bool same_run(const struct record *a, const struct record *b)
{
	if (strcmp(a->scenario, b->scenario) || strcmp(a->build_id, b->build_id) ||
	    strcmp(a->host_class, b->host_class) || a->seed != b->seed)
		return false;
	for (size_t i = 0; i < a->nr_cells; i++) {
		const struct record_cell *x = &a->cells[i];
		const struct record_cell *y = record_find(b, x->point->id, x->backend);

		if (x->processes && y && y->processes && x->repetition[0] == y->repetition[0])
			return x->figures[0].p50_ns == y->figures[0].p50_ns &&
			       x->figures[0].mean_ns == y->figures[0].mean_ns;
	}
	return false;
}

static size_t processes_of(const struct record *record)
{
	size_t nr = 0;

	for (size_t i = 0; i < record->nr_cells; i++)
		nr += record->cells[i].processes;
	return nr;
}

/* A run that counts twice would make a change look surer than it is. */
static void drop_doubles(struct loader *loader)
{
	struct history *history = loader->history;
	size_t nr = 0;

	for (size_t i = 0; i < history->nr_records; i++) {
		struct record *record = history->records[i];
		size_t k = nr;

		while (k && history->records[k - 1]->started == record->started &&
		       !same_run(history->records[k - 1], record))
			k--;
		if (k && history->records[k - 1]->started == record->started) {
			error_list_add(loader->faults, record->path, 0, 0,
				       "is the same run as %s, with %zu processes against %zu "
				       "there (keep one of the two)",
				       history->records[k - 1]->path, processes_of(record),
				       processes_of(history->records[k - 1]));
			record_free(record);
		} else {
			history->records[nr++] = record;
		}
	}
	history->nr_records = nr;
}

static int read_noise(struct loader *loader)
{
	struct error err = {0};
	int r = noise_store_load(loader->history->path, &loader->history->noise, &err);

	if (r)
		error_list_add(loader->faults, err.file[0] ? err.file : loader->history->path,
			       err.line, err.column, "%s", err.text);
	return r == -ENOMEM ? r : 0;
}

static int nothing_there(struct loader *loader)
{
	char time[RECORD_TIME_MAX];

	if (loader->history->nr_older)
		error_list_add(loader->faults, loader->history->path, 0, 0,
			       "none of its %zu records is from %s or later",
			       loader->history->nr_older,
			       record_time_text(loader->options->since, time));
	else
		error_list_add(loader->faults, loader->history->path, 0, 0,
			       "holds no records of runs (keep one with --add RUN)");
	return -ENODATA;
}

static int load(struct loader *loader)
{
	struct history *history = loader->history;
	int r = read_directory(loader);

	if (!r)
		r = read_noise(loader);
	if (r)
		return r;
	if (history->nr_records > 1)
		qsort(history->records, history->nr_records, sizeof(*history->records), by_time);
	drop_doubles(loader);
	if (loader->faults->total && !loader->options->keep_going)
		return -EINVAL;
	return history->nr_records ? 0 : nothing_there(loader);
}

int history_load(const char *directory, const struct history_options *options, struct history **out,
		 struct error_list *faults)
{
	struct loader loader = {calloc(1, sizeof(*loader.history)), options, faults, 0, NULL};
	int r = -ENOMEM;

	if (loader.history)
		loader.history->path = strdup(directory);
	if (loader.history && loader.history->path)
		r = load(&loader);
	else
		out_of_memory(faults, directory);
	if (r) {
		history_free(loader.history);
		return r;
	}
	*out = loader.history;
	return 0;
}
