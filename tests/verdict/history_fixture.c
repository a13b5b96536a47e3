// SPDX-License-Identifier: MIT
/* See history_fixture.h. */
#include "history_fixture.h"

#include "base/file.h"
#include "result/document.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int history_set_up(void **state)
{
	struct history_fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->path, "history-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	f->metrics[0] = metric_find("p50", 3);
	f->options = (struct history_options){
		.metrics = f->metrics, .nr_metrics = 1, .min_effect = 0.03};
	*state = f;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

int history_tear_down(void **state)
{
	struct history_fixture *f = *state;

	history_free(f->history);
	nftw(f->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(f);
	return 0;
}

void write_record(const struct history_fixture *f, const char *name, const struct record *record)
{
	json_t *document = record_to_json(record);
	char path[PATH_MAX];
	struct error err;

	/* Not record_write(), which waits for the disk, hundreds of times. */
	assert_int_equal(join_path(path, f->path, name, &err), 0);
	assert_non_null(document);
	assert_int_equal(json_dump_file(document, path, JSON_REAL_PRECISION(12)), 0);
	json_decref(document);
}

struct record *make(const struct made_history *made, unsigned i)
{
	struct record *record;

	assert_int_equal(made_history_record(made, i, &record), 0);
	return record;
}

void write_runs(const struct history_fixture *f, const struct made_history *made,
		const char *prefix, unsigned from, unsigned to)
{
	char name[64];

	for (unsigned i = from; i < to; i++) {
		struct record *record = make(made, i);

		snprintf(name, sizeof(name), "%s-%u.json", prefix, i);
		write_record(f, name, record);
		record_free(record);
	}
}

void write_text(const struct history_fixture *f, const char *name, const char *text)
{
	char path[PATH_MAX];
	struct error err;

	assert_int_equal(join_path(path, f->path, name, &err), 0);
	assert_int_equal(file_write_atomic(path, text, strlen(text), &err), 0);
}

int history_try(struct history_fixture *f)
{
	int r;

	history_free(f->history);
	f->history = NULL;
	memset(&f->faults, 0, sizeof(f->faults));
	r = history_load(f->path, &f->options, &f->history, &f->faults);
	return r ? r : history_search(f->history, &f->options);
}

void history_must_load(struct history_fixture *f)
{
	if (history_try(f))
		fail_msg("%s: %s", f->faults.items[0].file, f->faults.items[0].text);
	assert_int_equal(f->faults.total, 0);
}

void assert_fault(const struct history_fixture *f, const char *file, const char *text)
{
	assert_int_equal(f->faults.total, 1);
	if (!strstr(f->faults.items[0].file, file) || !strstr(f->faults.items[0].text, text))
		fail_msg("%s: %s", f->faults.items[0].file, f->faults.items[0].text);
}
