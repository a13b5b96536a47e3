/* SPDX-License-Identifier: MIT */
/* Runs gnuplot, without a shell and without files of its own. */
#ifndef MEMCGBENCH_REPORT_GNUPLOT_H
#define MEMCGBENCH_REPORT_GNUPLOT_H

#include "base/error.h"

#include <stddef.h>

/*
 * Run `gnuplot -d -e "picture='PICTURE'" SCRIPT` in `directory` and return what it writes to its
 * standard output: the caller's to free, with a NUL behind its `*length` bytes. gnuplot's words on
 * standard error become part of the message where it fails. It is ended after `seconds`.
 *
 * -ENOENT where gnuplot is not installed (the message names the package), -ETIME after the time,
 * -EIO where gnuplot fails, -EFBIG where it writes more than a picture can be.
 */
int gnuplot_run(const char *directory, const char *script, const char *picture, unsigned seconds,
		char **output, size_t *length, struct error *err);

#endif
