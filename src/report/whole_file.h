/* SPDX-License-Identifier: MIT */
/* What reports leave on disk: whole files, and no halves of them when a signal ends the program. */
#ifndef MEMCGBENCH_REPORT_WHOLE_FILE_H
#define MEMCGBENCH_REPORT_WHOLE_FILE_H

#include "base/error.h"

#include <stddef.h>

/* file_write_atomic(), with signals that end the program held back meanwhile: between the temporary
 * name and the rename they would leave a file behind. */
int whole_file_write(const char *path, const char *data, size_t length, struct error *err);

#endif
