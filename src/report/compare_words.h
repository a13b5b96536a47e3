/* SPDX-License-Identifier: MIT */
/* How changes are written: as cells of tables and as sentences. The same words everywhere. */
#ifndef MEMCGBENCH_REPORT_COMPARE_WORDS_H
#define MEMCGBENCH_REPORT_COMPARE_WORDS_H

#include "base/units.h"
#include "verdict/compare.h"
#include "verdict/gate.h"

#define CHANGE_TEXT_MAX 48

/* "+12%", "-0.7%", "x2.34" from twice as much on, "/12.3" from a tenth down; "-" for NAN. `percent`
 * is "%", or " %" for prose. Returns `buffer`. */
const char *change_text(char buffer[CHANGE_TEXT_MAX], double change, const char *percent);

/* "+10..+15%", or "-" where there is no interval. */
const char *change_interval_text(char buffer[CHANGE_TEXT_MAX],
				 const struct relative_change *change);

/* A share that is at least 0, "3%"; up to three digits: 2.5% and not 3%. */
const char *share_text(char buffer[CHANGE_TEXT_MAX], double share, const char *percent);

/* The larger side of the interval as a share of the median: "6%"; "-" where there is none. */
const char *plus_minus_text(char buffer[CHANGE_TEXT_MAX], const struct compared_side *side);

/* A value of the metric, or of ratios of it. */
const char *value_text(char buffer[UNIT_TEXT_MAX], const struct compare *compare,
		       const struct comparison *comparison, double value);

/* "<.001", "0.529"; "-" for NAN. */
const char *probability_text(char buffer[CHANGE_TEXT_MAX], double p);

/* "worse", "better", "small", "same", "need 12", "?", "no data". */
const char *verdict_text(char buffer[CHANGE_TEXT_MAX], const struct comparison *comparison);

/* Which of two back ends moved their ratio, "1st " or "2nd "; "" where none did. */
const char *mover_text(const struct compare *compare, const struct comparison *ratio);

/* "~" where nothing is shown, else the change. */
const char *shown_change_text(char buffer[CHANGE_TEXT_MAX], const struct comparison *comparison);

/* What a gate failed on, the back end and the point aside; the caller's to free. NULL: out of
 * memory. */
char *gate_failure_text(const struct compare *compare, const struct gate_failure *failure);

/* That ratios could not have failed, for free(); NULL where all could, or memory is short. */
char *gate_blind_text(const struct compare *compare);

/*
 * What came out, in sentences: the verdict of all first, then of each back end, with what the
 * points that changed have in common. 0 or -ENOMEM.
 */
int compare_sentences(const struct compare *compare,
		      void (*say)(void *arg, const char *label, const char *sentence), void *arg);

#endif
