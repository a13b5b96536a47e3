// SPDX-License-Identifier: MIT
/* See record.h: whatever may stand for a run, read as a record. */
#include "result/record.h"

#include "result/record_parts.h"
#include "result/summary.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void add_fault(struct error_list *faults, const struct error *err)
{
	error_list_add(faults, err->file[0] ? err->file : NULL, err->line, err->column, "%s",
		       err->text);
}

static int open_run(const char *path, struct record **out, struct error *err)
{
	struct run_summary *summary;
	int r = summary_load(path, &summary, err);

	if (r)
		return r;
	r = record_from_summary(summary, out, err);
	summary_free(summary);
	return r;
}

int record_open(const char *path, bool keep_going, struct record **out, struct error_list *faults)
{
	struct error err = {0};
	struct stat st;
	int r;

	*out = NULL;
	if (stat(path, &st) < 0)
		r = error_set_at(&err, -errno, path, 0, 0, "cannot open: %s", strerror(errno));
	else if (S_ISDIR(st.st_mode))
		r = open_run(path, out, &err);
	else
		r = record_read(path, out, &err);
	if (!r || r == -ENOMEM)
		return r;
	add_fault(faults, &err);
	return -EINVAL;
}
