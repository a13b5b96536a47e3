/* SPDX-License-Identifier: MIT */
/* Series out of records, and the search for changes in them. */
#ifndef MEMCGBENCH_VERDICT_HISTORY_SERIES_H
#define MEMCGBENCH_VERDICT_HISTORY_SERIES_H

#include "verdict/history.h"

/* Fill history->series from its records, which are in order, and its noise. 0 or -ENOMEM. */
int history_make_series(struct history *history, const struct history_options *options);

#endif
