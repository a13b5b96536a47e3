// SPDX-License-Identifier: MIT
/*
 * make_history DIR RUNS [KEY=VALUE]...: write a history that nobody measured, one record file for
 * each run, for tests of the program. Keys: points, processes, run_noise, process_noise, step_at,
 * step, backend, host_class, every, seed.
 */
#include "made_history.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int set(struct made_history *made, const char *word)
{
	const char *value = strchr(word, '=');
	const struct {
		const char *key;
		unsigned *count;
		double *share;
		const char **text;
	} keys[] = {
		{"points=", &made->points, NULL, NULL},
		{"processes=", &made->processes, NULL, NULL},
		{"run_noise=", NULL, &made->run_noise, NULL},
		{"process_noise=", NULL, &made->process_noise, NULL},
		{"step_at=", &made->step_at, NULL, NULL},
		{"step=", NULL, &made->step, NULL},
		{"backend=", NULL, NULL, &made->backend},
		{"host_class=", NULL, NULL, &made->host_class},
		{"every=", &made->every, NULL, NULL},
	};

	if (!value)
		return -1;
	value++;
	if (!strncmp(word, "seed=", 5)) {
		made->seed = strtoull(value, NULL, 10);
		return 0;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strncmp(word, keys[i].key, (size_t)(value - word)))
			continue;
		if (keys[i].count)
			*keys[i].count = (unsigned)strtoul(value, NULL, 10);
		else if (keys[i].share)
			*keys[i].share = strtod(value, NULL);
		else
			*keys[i].text = value;
		return 0;
	}
	return -1;
}

/* Not record_write(), which waits for the disk, hundreds of times. */
static int write_run(const struct made_history *made, const char *directory, unsigned i,
		     struct error *err)
{
	char path[PATH_MAX];
	struct record *record;
	json_t *document;
	int r = made_history_record(made, i, &record);

	if (r)
		return error_set(err, r, "out of memory");
	snprintf(path, sizeof(path), "%s/made-%04u.json", directory, i);
	document = record_to_json(record);
	if (!document || json_dump_file(document, path, JSON_INDENT(1) | JSON_REAL_PRECISION(12)))
		r = error_set_at(err, -EIO, path, 0, 0, "cannot write");
	json_decref(document);
	record_free(record);
	return r;
}

int main(int argc, char **argv)
{
	struct made_history made = made_history_default;
	struct error err = {0};
	int r = argc < 3 ? error_set(&err, -1, "make_history DIR RUNS [KEY=VALUE]...") : 0;

	for (int i = 3; i < argc && !r; i++)
		if (set(&made, argv[i]))
			r = error_set(&err, -1, "'%s' is not known", argv[i]);
	if (!r)
		r = file_make_directories(argv[1], &err);
	for (unsigned i = 0; !r && i < strtoul(argv[2], NULL, 10); i++)
		r = write_run(&made, argv[1], i, &err);
	if (r)
		error_print(stderr, &err);
	return r ? EXIT_TROUBLE : EXIT_FINE;
}
