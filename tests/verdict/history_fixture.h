/* SPDX-License-Identifier: MIT */
/* A directory of made records, and what history_load() makes of it. */
#ifndef MEMCGBENCH_TESTS_VERDICT_HISTORY_FIXTURE_H
#define MEMCGBENCH_TESTS_VERDICT_HISTORY_FIXTURE_H

#include "made_history.h"

#include "verdict/history.h"

struct history_fixture {
	char path[64];
	const struct metric *metrics[3];
	struct history_options options;
	struct error_list faults;
	struct history *history;
};

/* For cmocka: `*state` is a fixture that asks for p50, in an empty directory. */
int history_set_up(void **state);
int history_tear_down(void **state);

void write_record(const struct history_fixture *f, const char *name, const struct record *record);
void write_text(const struct history_fixture *f, const char *name, const char *text);
/* Run `i`; the caller's to free. */
struct record *make(const struct made_history *made, unsigned i);
/* Runs [from, to); the files are named so that their order is not that of time. */
void write_runs(const struct history_fixture *f, const struct made_history *made,
		const char *prefix, unsigned from, unsigned to);

/* Load the directory again. */
int history_try(struct history_fixture *f);
void history_must_load(struct history_fixture *f); /* without any fault */

/* The only fault names `file` and says `text`. */
void assert_fault(const struct history_fixture *f, const char *file, const char *text);

#endif
