/* SPDX-License-Identifier: MIT */
/* Reading all results of a run, on several CPUs; part of summary.h's inside. */
#ifndef MEMCGBENCH_RESULT_SUMMARY_LOAD_H
#define MEMCGBENCH_RESULT_SUMMARY_LOAD_H

#include "base/error.h"
#include "result/run_dir.h"
#include "result/summary.h"

/*
 * Fill in points and failed repetitions from the files that run.json expects, each looked for by
 * name. With `faults`, those that cannot be read or contradict themselves or their run go there.
 * Without, each is a failed repetition with its fault as the reason: nothing is dropped in silence.
 * But for one of a newer program, which may be sound: that is -EPROTONOSUPPORT. Also -ENOMEM.
 */
int summary_load_cells(struct run_summary *summary, const struct run_dir *dir,
		       struct error_list *faults, struct error *err);

/* summary_load() with `faults` as above and the run's directory, which the caller frees, too. */
int summary_open(const char *path, struct error_list *faults, struct run_summary **out,
		 struct run_dir **dir, struct error *err);

#endif
