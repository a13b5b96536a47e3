/* SPDX-License-Identifier: MIT */
/* JSON values as cells of tables: documents laid flat for TSV. */
#ifndef MEMCGBENCH_REPORT_TABLE_JSON_H
#define MEMCGBENCH_REPORT_TABLE_JSON_H

#include "report/table.h"

#include <jansson.h>

/* The next cell: null and NULL are empty, arrays and objects compact JSON. */
void table_json_cell(struct table *table, json_t *value);

#endif
