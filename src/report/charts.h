/* SPDX-License-Identifier: MIT */
/* Which charts a run has. */
#ifndef MEMCGBENCH_REPORT_CHARTS_H
#define MEMCGBENCH_REPORT_CHARTS_H

#include "base/error.h"
#include "report/picture.h"
#include "result/summary.h"

/*
 * Call `visit` for each picture of the run: times and ratios for each swept parameter, then the
 * distribution, then what each back end buys with what (chart_tradeoff.h). The picture is valid
 * during the call. What is not 0 ends it and is returned. -ENODATA where there is nothing to draw,
 * -ENOMEM.
 */
int charts_visit(const struct run_summary *summary,
		 int (*visit)(const struct picture *picture, void *arg, struct error *err),
		 void *arg, struct error *err);

/* picture_write() of each. -EINVAL: options->scripts holds no script. */
int charts_write(const struct run_summary *summary, const struct chart_options *options,
		 struct error *err);

#endif
