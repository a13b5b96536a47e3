/* SPDX-License-Identifier: MIT */
/*
 * The directory of one run: DIR/run.json says what is measured (the identity), and
 * DIR/POINT.BACKEND.REP.json is one finished process each. Written by the parent only, each file at
 * once or not at all. Files of finished processes are never written again.
 */
#ifndef MEMCGBENCH_RESULT_RUN_DIR_H
#define MEMCGBENCH_RESULT_RUN_DIR_H

#include "base/error.h"
#include "scenario/scenario.h"

#include <jansson.h>
#include <stdbool.h>

struct histogram;
struct result_reader;

struct run_dir {
	char *path;
	json_t *run; /* the document of run.json */
	json_t *left_out; /* an index of run's "left_out": keys "ID BACKEND" */
	bool resumed; /* run.json was there before */
};

/*
 * The document of run.json: {"schema":{"name":"memcgbench-run","version":1},
 *  "identity":{"scenario","points":[{"id","parameters"}],"backends","repetitions","samples","time_ns",
 *              "seed","build_id","host_class"},
 *  "title","references":[..],"left_out":[{"id","backend","reasons":[..]}],"label","context",
 *  "placement":{"asked":["fold"]}}; the caller owns it, and keeps its own references to `context`
 * and `left_out`, both of which may be NULL. The seed is at most INT64_MAX.
 */
json_t *run_document(const struct scenario *scenario, uint64_t seed, const char *build_id,
		     const char *host_class, json_t *context, json_t *left_out, const char *label);

/*
 * Open the directory to measure into. `out` given: that directory; made if it is not there, resumed
 * if its identity is the same, -EEXIST naming the first difference if not (or if the directory
 * holds other things and no run.json). `out` NULL: the newest unfinished run of the same identity
 * below `base`/NAME/, else, with `finished`, the newest finished one, else a new number NNN there.
 */
int run_dir_open(const char *out, const char *base, bool finished, json_t *document,
		 struct run_dir **dir, struct error *err);
/* Open a directory only to read it; -ENOENT where it holds no run.json. */
int run_dir_load(const char *path, struct run_dir **dir, struct error *err);
void run_dir_index(struct run_dir *dir); /* after "left_out" of `run` was changed */
void run_dir_free(struct run_dir *dir);

/*
 * Keep other sweeps out of the directory while this one writes there, whatever machine-wide locks
 * they take or do not take: two would measure everything twice and replace each other's files.
 * `*fd` is to be closed afterwards; -EBUSY where another sweep has it. A directory that cannot be
 * locked (some file systems, no right to read it) is no error: `*fd` is -1 then.
 */
int run_dir_claim(const char *path, int *fd, struct error *err);

/*
 * Is this repetition done (status ok)? 1, or 0: a failed, truncated or foreign file counts as not
 * done. Where it is and `result` is not NULL, the document is returned. -EPROTONOSUPPORT for the
 * file of a newer program, which nobody may write over.
 */
int run_dir_done(const struct run_dir *dir, const char *point_id, const char *backend,
		 unsigned repetition, json_t **result, struct error *err);

/* The same for those who must say why: 0 with the document (ok or failed; the caller owns it),
 * -ENOENT where nothing was written yet, -EINVAL for a file that is damaged or of another run,
 * -EPROTONOSUPPORT for one of a newer program. */
int run_dir_read(const struct run_dir *dir, const char *point_id, const char *backend,
		 unsigned repetition, json_t **result, struct error *err);

/* The same with what a reader of many results remembers, and with the histogram (result_read.h). */
int run_dir_read_next(const struct run_dir *dir, struct result_reader *reader, const char *point_id,
		      const char *backend, unsigned repetition, json_t **result,
		      struct histogram **latency, struct error *err);

/* Is this pair left out, by run.json? */
bool run_dir_left_out(const struct run_dir *dir, const char *point_id, const char *backend);
/* Is every repetition done that is not left out? */
bool run_dir_finished(const struct run_dir *dir);

int run_dir_write(const struct run_dir *dir, const char *point_id, const char *backend,
		  unsigned repetition, json_t *result, struct error *err);

#endif
