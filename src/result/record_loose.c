// SPDX-License-Identifier: MIT
/*
 * See record_parts.h: result files without a run.json. They are merged as they come, into cells
 * that are made as they are met, and put in order at the end: points by their parameters, back ends
 * as the program lists them, processes by repetition.
 */
#include "result/record_parts.h"

#include "backend/backend.h"
#include "base/file.h"
#include "result/result_read.h"
#include "result/summary_backend.h"
#include "scenario/parameter.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct loose_cell {
	struct point point;
	struct backend_summary summary;
	struct backend_merge merge;
	char **files; /* [nr_files], of all repetitions, and which that is: */
	unsigned *repetitions;
	size_t nr_files;
};

struct loose {
	struct loose_cell **cells;
	size_t nr_cells;
	json_t *index; /* "ID BACKEND": index of the cell */
	json_t *first; /* result that ended well; NULL: none did */
	char *first_path;
	struct error_list *faults;
};

void record_free_files(char **names, size_t nr)
{
	for (size_t i = 0; names && i < nr; i++)
		free(names[i]);
	free(names);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_json(const char *name)
{
	size_t length = strlen(name);

	return name[0] != '.' && length > 5 && !strcmp(name + length - 5, ".json");
}

static int add_name(char ***names, size_t *nr, const char *name)
{
	char **grown;

	/* room is made at each power of two */
	if ((*nr & (*nr - 1)) == 0) {
		grown = realloc(*names, (*nr ? 2 * *nr : 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		*names = grown;
	}
	(*names)[*nr] = strdup(name);
	return (*names)[(*nr)++] ? 0 : -ENOMEM;
}

int record_list_files(const char *directory, char ***names, size_t *nr, struct error *err)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	int r = 0;

	*names = NULL;
	*nr = 0;
	if (!stream)
		return error_set_at(err, -errno, directory, 0, 0, "cannot open: %s",
				    strerror(errno));
	while (!r && (entry = readdir(stream))) {
		if (is_json(entry->d_name))
			r = add_name(names, nr, entry->d_name);
	}
	closedir(stream);
	if (r) {
		record_free_files(*names, *nr);
		*names = NULL;
		*nr = 0;
		return error_set(err, r, "out of memory");
	}
	if (*nr)
		qsort(*names, *nr, sizeof(**names), by_name);
	return 0;
}

/* All of them must be the same in all files: one record says one of each. */
static int check_company(struct loose *loose, const char *path, json_t *result, struct error *err)
{
	static const struct {
		const char *path, *name;
	} marks[] = {{"host_class", "host class"}, {"build.id", "build"}, {"scenario", "scenario"}};

	if (!loose->first) {
		loose->first = json_incref(result);
		loose->first_path = strdup(path);
		return loose->first_path ? 0 : error_set(err, -ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const json_t *one = json_at(loose->first, marks[i].path);
		const json_t *other = json_at(result, marks[i].path);

		if (!json_equal((json_t *)one, (json_t *)other))
			return error_set_at(err, -EINVAL, path, 0, 0,
					    "is of the %s '%.160s', and %.160s of '%.160s': they "
					    "are not one run",
					    marks[i].name, json_string_value(other),
					    loose->first_path, json_string_value(one));
	}
	return 0;
}

static int make_cell(struct loose *loose, const struct point *point, const char *backend)
{
	struct loose_cell *cell = calloc(1, sizeof(*cell)), **grown;

	grown = realloc(loose->cells, (loose->nr_cells + 1) * sizeof(struct loose_cell *));
	if (grown)
		loose->cells = grown;
	if (!cell || !grown) {
		free(cell);
		return -ENOMEM;
	}
	grown[loose->nr_cells++] = cell;
	cell->point = *point;
	return backend_merge_begin(&cell->merge, &cell->summary, backend, 1);
}

static int find_cell(struct loose *loose, const struct point *point, const char *backend,
		     struct loose_cell **cell)
{
	char key[256];
	const json_t *index;
	int r;

	snprintf(key, sizeof(key), "%s %s", point->id, backend);
	index = json_object_get(loose->index, key);
	if (index) {
		*cell = loose->cells[json_integer_value(index)];
		return 0;
	}
	r = make_cell(loose, point, backend);
	if (r)
		return r;
	*cell = loose->cells[loose->nr_cells - 1];
	return json_object_set_new(loose->index, key, json_integer((json_int_t)loose->nr_cells - 1))
		       ? -ENOMEM
		       : 0;
}

static int add_file(struct loose_cell *cell, const char *path, unsigned repetition,
		    struct error *err)
{
	unsigned *repetitions;

	for (size_t i = 0; i < cell->nr_files; i++) {
		if (cell->repetitions[i] == repetition)
			return error_set_at(err, -EINVAL, path, 0, 0,
					    "is of the same point, back end and repetition as %s",
					    cell->files[i]);
	}
	repetitions = realloc(cell->repetitions, (cell->nr_files + 1) * sizeof(*repetitions));
	if (!repetitions)
		return -ENOMEM;
	cell->repetitions = repetitions;
	repetitions[cell->nr_files] = repetition;
	return add_name(&cell->files, &cell->nr_files, path);
}

static int add_result(struct loose *loose, const struct point *point, const char *path,
		      json_t *result, const struct histogram *latency, struct error *err)
{
	const char *backend = json_string_value(json_object_get(result, "backend"));
	struct loose_cell *cell;
	int r = 0;

	if (latency)
		r = check_company(loose, path, result, err);
	if (!r)
		r = find_cell(loose, point, backend, &cell);
	if (!r)
		r = add_file(cell, path, (unsigned)json_whole_at(result, "repetition"), err);
	if (r)
		return r;
	if (latency)
		return backend_merge_add(&cell->merge, result, latency);
	cell->summary.failed++;
	return 0;
}

static int read_one(struct loose *loose, struct result_reader *reader, const char *path)
{
	struct histogram *latency;
	struct error err = {0};
	json_t *result;
	int r;

	r = result_read(reader, path, &result, &latency, &err);
	if (!r)
		r = add_result(loose, &reader->point, path, result, latency, &err);
	histogram_free(latency);
	json_decref(result);
	if (!r || r == -ENOMEM)
		return r;
	record_fault(loose->faults, &err);
	return 0;
}

static int read_directory(struct loose *loose, struct result_reader *reader, const char *directory)
{
	struct error err = {0};
	char path[PATH_MAX];
	char **names;
	size_t nr;
	int r;

	r = record_list_files(directory, &names, &nr, &err);
	if (!r && !nr)
		r = error_set_at(&err, -ENOENT, directory, 0, 0,
				 "holds no run (there is no run.json) and no result files");
	if (r && r != -ENOMEM) {
		record_fault(loose->faults, &err);
		r = 0;
	}
	for (size_t i = 0; !r && i < nr; i++) {
		if (!join_path(path, directory, names[i], &err))
			r = read_one(loose, reader, path);
		else
			record_fault(loose->faults, &err);
	}
	record_free_files(names, nr);
	return r;
}

static size_t place_in_table(const char *backend)
{
	size_t i = 0;

	while (backends[i] && strcmp(backends[i]->name, backend))
		i++;
	return i;
}

static int by_point_and_backend(const void *a, const void *b)
{
	const struct loose_cell *x = *(const struct loose_cell *const *)a;
	const struct loose_cell *y = *(const struct loose_cell *const *)b;
	size_t i, k;
	int order;

	for (i = 0; i < nr_parameters; i++) {
		uint64_t v = parameter_get(&parameters[i], &x->point);
		uint64_t w = parameter_get(&parameters[i], &y->point);

		if (parameters[i].in_id && v != w)
			return v < w ? -1 : 1;
	}
	order = strcmp(x->point.id, y->point.id); /* node ids are no numbers */
	if (order)
		return order;
	i = place_in_table(x->summary.backend);
	k = place_in_table(y->summary.backend);
	return i != k ? (i > k) - (i < k) : strcmp(x->summary.backend, y->summary.backend);
}

/* Hand the cells' summaries over, those of one point together. */
static int fill_points(struct loose *loose, struct run_summary *summary)
{
	struct point_summary *point = NULL;

	summary->points = calloc(loose->nr_cells + 1, sizeof(*summary->points));
	if (!summary->points)
		return -ENOMEM;
	for (size_t i = 0; i < loose->nr_cells; i++) {
		struct loose_cell *cell = loose->cells[i];
		struct backend_summary *grown;
		int64_t started = cell->summary.started;

		if (!point || strcmp(point->point.id, cell->point.id)) {
			point = &summary->points[summary->nr_points++];
			point->point = cell->point;
		}
		grown = realloc(point->backends, (point->nr_backends + 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		point->backends = grown;
		grown[point->nr_backends++] = cell->summary;
		memset(&cell->summary, 0, sizeof(cell->summary));
		if (started >= 0 && (summary->started < 0 || started < summary->started))
			summary->started = started;
	}
	return 0;
}

/* What run.json would say, as far as a result knows it. */
static json_t *make_run(const struct loose *loose)
{
	const struct point *point = &loose->cells[0]->point;
	json_t *context = json_object_get(loose->first, "context");
	json_t *label = json_object_get(loose->first, "label");
	size_t most = 0;

	for (size_t i = 0; i < loose->nr_cells; i++)
		if (loose->cells[i]->nr_files > most)
			most = loose->cells[i]->nr_files;
	return json_pack("{s:{s:O, s:I, s:I, s:I, s:I}, s:O?, s:O?}", "identity", "build_id",
			 json_at(loose->first, "build.id"), "repetitions", (json_int_t)most,
			 "samples", (json_int_t)point->read.samples, "time_ns",
			 (json_int_t)point->read.time_ns, "seed",
			 (json_int_t)json_whole_at(loose->first, "seed"), "context", context,
			 "label", label);
}

static int make_record(struct loose *loose, const char *path, struct record **out)
{
	const char *title = json_string_value(json_object_get(loose->first, "title"));
	const char *scenario = json_string_value(json_object_get(loose->first, "scenario"));
	const char *class = json_string_value(json_object_get(loose->first, "host_class"));
	struct run_summary *summary = calloc(1, sizeof(*summary));
	int r = -ENOMEM;

	if (!summary)
		return r;
	qsort(loose->cells, loose->nr_cells, sizeof(struct loose_cell *), by_point_and_backend);
	summary->started = -1;
	summary->run = make_run(loose);
	summary->path = strdup(path);
	summary->scenario = strdup(scenario);
	summary->title = strdup(title ? title : scenario);
	summary->host_class = strdup(class);
	if (summary->run && summary->path && summary->scenario && summary->title &&
	    summary->host_class)
		r = fill_points(loose, summary);
	if (!r)
		r = record_from_summary(summary, out, NULL);
	summary_free(summary);
	return r;
}

static int end_merges(struct loose *loose)
{
	int r = 0;

	for (size_t i = 0; i < loose->nr_cells; i++) {
		int end = backend_merge_end(&loose->cells[i]->merge);

		r = r ? r : end;
	}
	return r;
}

static void loose_fini(struct loose *loose)
{
	for (size_t i = 0; i < loose->nr_cells; i++) {
		struct loose_cell *cell = loose->cells[i];

		backend_summary_fini(&cell->summary);
		record_free_files(cell->files, cell->nr_files);
		free(cell->repetitions);
		free(cell);
	}
	free(loose->cells);
	free(loose->first_path);
	json_decref(loose->first);
	json_decref(loose->index);
}

int record_open_loose(const char *file, const char *directory, struct record **out,
		      struct error_list *faults)
{
	struct loose loose = {.index = json_object(), .faults = faults};
	struct result_reader *reader = calloc(1, sizeof(*reader)); /* too large for a stack */
	size_t before = faults->total;
	int r = -ENOMEM, end;

	if (reader && loose.index) {
		reader->memo = document_memo_new(); /* without, it is only slower */
		r = file ? read_one(&loose, reader, file)
			 : read_directory(&loose, reader, directory);
	}
	end = end_merges(&loose);
	r = r ? r : end;
	if (!r && loose.first)
		r = make_record(&loose, file ? file : directory, out);
	else if (!r && faults->total == before)
		error_list_add(faults, file ? file : directory, 0, 0,
			       "holds no result of a process that ended well");
	loose_fini(&loose);
	if (reader)
		result_reader_fini(reader);
	free(reader);
	return r;
}
