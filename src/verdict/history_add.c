// SPDX-License-Identifier: MIT
/* history_add() of history.h: the one function here that writes. */
#include "base/file.h"
#include "base/fnv.h"
#include "result/document.h"
#include "verdict/history.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_OF_SCENARIO_MAX 64

/* "2026-11-30T15:03:00Z" as it is common in names of files: without what needs quoting. */
static void put_time(FILE *out, int64_t started)
{
	char time[RECORD_TIME_MAX];

	for (const char *c = record_time_text(started, time); *c; c++)
		if (*c != '-' && *c != ':')
			fputc(*c, out);
}

/* Whatever a file says its scenario is called, the name stays within the directory. */
static void put_word(FILE *out, const char *text)
{
	for (size_t i = 0; text[i] && i < NAME_OF_SCENARIO_MAX; i++) {
		unsigned char c = (unsigned char)text[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '_' || c == '-';

		fputc(plain ? c : '-', out);
	}
}

/* Of digits beyond those that document_write() keeps the hash knows nothing: a record that was read
 * from a file is then the same as the one that was written. */
static int name_of(const struct record *record, char name[NAME_MAX + 1], struct error *err)
{
	json_t *document = record_to_json(record);
	char *text = document ? json_dumps(document,
					   JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(12))
			      : NULL;
	FILE *out = text ? fmemopen(name, NAME_MAX + 1, "w") : NULL;
	int r = 0;

	if (out) {
		put_time(out, record->started);
		fputc('-', out);
		put_word(out, record->scenario);
		fprintf(out, "-%016" PRIx64 ".json", fnv1a(FNV1A_START, text));
	}
	if (!out || fclose(out))
		r = error_set(err, -ENOMEM, "out of memory");
	free(text);
	json_decref(document);
	return r;
}

/* Does the record come from the directory itself, under whatever name? */
static bool lies_in(const char *path, const char *directory)
{
	char whole[PATH_MAX], above[PATH_MAX], *slash;

	if (!realpath(path, whole) || !realpath(directory, above))
		return false;
	slash = strrchr(whole, '/');
	if (!slash || slash == whole)
		return false;
	*slash = '\0';
	return !strcmp(whole, above);
}

int history_add(const char *directory, const struct record *record, char *path, struct error *err)
{
	char name[NAME_MAX + 1];
	int r;

	if (record->started < 0)
		return error_set_at(err, -EINVAL, record->path, 0, 0,
				    "does not say when it was measured (started_at), so that it "
				    "has no place in a history");
	if (lies_in(record->path, directory)) {
		snprintf(path, PATH_MAX, "%s", record->path);
		return -EEXIST;
	}
	r = name_of(record, name, err);
	if (!r)
		r = join_path(path, directory, name, err);
	if (!r)
		r = file_make_directories(directory, err);
	if (r)
		return r;
	if (access(path, F_OK) == 0)
		return -EEXIST;
	return record_write(path, record, err);
}
