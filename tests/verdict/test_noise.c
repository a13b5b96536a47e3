// SPDX-License-Identifier: MIT
/* What noise means, on values whose spread is known, and that it is found again where it is kept.
 */
#include "made_history.h"

#include "base/file.h"
#include "base/rng.h"
#include "result/document.h"
#include "verdict/noise.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 40u

/* One point and back end with processes 1, 2, 3.. that took v[0], v[1].. */
struct cell {
	struct record_cell cell;
	unsigned repetition[MOST];
	struct process_figures figures[MOST];
};

static void set_cell(struct cell *cell, const double *v, unsigned nr)
{
	memset(cell, 0, sizeof(*cell));
	cell->cell = (struct record_cell){
		.processes = nr, .repetition = cell->repetition, .figures = cell->figures};
	for (unsigned i = 0; i < nr; i++) {
		cell->repetition[i] = i + 1;
		cell->figures[i].p50_ns = v[i];
	}
}

static struct noise noise_of(const struct cell *cell)
{
	struct noise noise;

	assert_int_equal(noise_measure(&cell->cell, &metrics[0], &noise), 0);
	return noise;
}

/* Of a normal distribution, by Box and Muller. */
static double normal(struct rng *rng)
{
	double u = ((double)rng_below(rng, 1u << 30) + 1) / ((1u << 30) + 2.0);
	double angle = 2 * acos(-1) * (double)rng_below(rng, 1u << 30) / (1u << 30);

	return sqrt(-2 * log(u)) * cos(angle);
}

static void draw_cell(struct cell *cell, unsigned nr, double spread, struct rng *rng)
{
	double v[MOST];

	for (unsigned i = 0; i < nr; i++)
		v[i] = 1000 * exp(spread * normal(rng));
	set_cell(cell, v, nr);
}

static void what_is_always_the_same_has_no_noise(void **state)
{
	const double same[] = {7, 7, 7, 7, 7, 7}, nothing[] = {0, 0, 0, 0, 0};
	struct cell cell;
	struct noise noise;

	set_cell(&cell, same, 6);
	noise = noise_of(&cell);
	assert_true(noise.value == 0 && noise.change == 1 && noise.p == 1);
	set_cell(&cell, nothing, 5);
	noise = noise_of(&cell);
	assert_true(noise.value == 0 && noise.change == 1 && noise.p == 1);
}

static void noise_is_the_standard_deviation_between_two_halves(void **state)
{
	/*
	 * Medians of ten normal values have a standard deviation of 0.373 of one of them (order
	 * statistics), their difference one of sqrt(2) times that.
	 */
	const double spread = 0.01, expected = spread * 0.373 * sqrt(2);
	struct rng rng = rng_for(3, 0, 0);
	struct cell cell;
	double sum = 0;

	for (unsigned i = 0; i < 100; i++) {
		draw_cell(&cell, 20, spread, &rng);
		sum += noise_of(&cell).value;
	}
	assert_true(fabs(sum / 100 / expected - 1) < 0.15);
}

static void equals_are_called_different_in_one_of_twenty_cases_or_less(void **state)
{
	struct rng rng = rng_for(4, 0, 0);
	unsigned called = 0;
	struct cell cell;

	/* 10 against 10 can only be called at p <= 0.0433. 500 cases: 21.6 +- 4.6. */
	for (unsigned i = 0; i < 500; i++) {
		draw_cell(&cell, 20, 0.03, &rng);
		called += noise_of(&cell).p < 0.05;
	}
	assert_in_range(called, 8, 36);
}

static void the_change_is_of_even_repetitions_to_odd_ones(void **state)
{
	const double v[] = {100, 110, 101, 111, 99, 109, 100, 110};
	struct cell cell;
	struct noise noise;

	set_cell(&cell, v, 8);
	noise = noise_of(&cell);
	assert_float_equal(noise.change, 1.1, 1e-12);
	assert_float_equal(noise.p, 2.0 / 70, 1e-12); /* ties do not reach across */
	assert_true(noise.value > 0.03);
}

static void four_values_are_the_least(void **state)
{
	const double v[] = {1, 2, NAN, 3, NAN, 4}, fewer[] = {1, 2, 3, NAN};
	struct noise noise;
	struct cell cell;

	set_cell(&cell, v, 6);
	assert_true(noise_of(&cell).value > 0);
	set_cell(&cell, fewer, 4);
	assert_int_equal(noise_measure(&cell.cell, &metrics[0], &noise), -ENODATA);
	assert_true(isnan(noise.value) && isnan(noise.change) && isnan(noise.p));
}

static void a_half_that_failed_leaves_the_noise_of_the_other(void **state)
{
	const double v[] = {10, NAN, 11, NAN, 12, NAN, 13, NAN};
	struct cell cell;
	struct noise noise;

	set_cell(&cell, v, 8);
	noise = noise_of(&cell);
	assert_true(noise.value > 0.05 && noise.value < 0.3);
	assert_true(isnan(noise.change) && isnan(noise.p));
}

struct folder {
	char path[32];
	struct record *record;
};

static int open_folder(void **state)
{
	struct made_history made = made_history_default;
	struct folder *folder = calloc(1, sizeof(*folder));

	if (!folder)
		return -1;
	made.processes = 8;
	strcpy(folder->path, "noise-XXXXXX");
	*state = folder;
	return !mkdtemp(folder->path) || made_history_record(&made, 1, &folder->record) ? -1 : 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int close_folder(void **state)
{
	struct folder *folder = *state;

	nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	record_free(folder->record);
	free(folder);
	return 0;
}

static json_t *document_of(const struct record *record)
{
	json_t *document = noise_to_json(record);

	assert_non_null(document);
	return document;
}

static void put(const struct folder *folder, json_t *document, char path[PATH_MAX])
{
	struct error err = {0};

	if (noise_store_put(folder->path, document, path, &err))
		fail_msg("%s: %s", err.file, err.text);
	json_decref(document);
}

static struct noise_store *load(const struct folder *folder)
{
	struct noise_store *store;
	struct error err = {0};

	if (noise_store_load(folder->path, &store, &err))
		fail_msg("%s: %s", err.file, err.text);
	return store;
}

static double find_first(const struct folder *folder, const struct noise_store *store,
			 const char *host_class)
{
	const struct record_cell *cell = &folder->record->cells[0];

	return noise_find(store, host_class, cell->point->id, cell->backend, &metrics[0]);
}

static unsigned files_in(const char *path)
{
	DIR *stream = opendir(path);
	unsigned nr = 0;

	assert_non_null(stream);
	while (readdir(stream))
		nr++;
	closedir(stream);
	return nr - 2;
}

static void what_is_put_is_found(void **state)
{
	const struct folder *folder = *state;
	const struct record *record = folder->record;
	struct noise_store *store = load(folder);
	char path[PATH_MAX];

	assert_true(isnan(find_first(folder, store, record->host_class)));
	noise_store_free(store);
	put(folder, document_of(record), path);
	store = load(folder);
	for (size_t i = 0; i < record->nr_cells; i++) {
		const struct record_cell *cell = &record->cells[i];
		struct noise noise;

		assert_int_equal(noise_measure(cell, &metrics[0], &noise), 0);
		assert_float_equal(noise_find(store, record->host_class, cell->point->id,
					      cell->backend, &metrics[0]),
				   noise.value, 1e-12);
		assert_true(isnan(noise_find(store, record->host_class, cell->point->id, "none",
					     &metrics[0])));
	}
	assert_true(isnan(find_first(folder, store, "another CPU")));
	noise_store_free(store);
}

static void a_later_one_of_the_same_takes_the_place(void **state)
{
	const struct folder *folder = *state;
	char first[PATH_MAX], second[PATH_MAX], other[PATH_MAX];
	json_t *document = document_of(folder->record);

	json_object_set_new(document, "build_id", json_string("another"));
	put(folder, document_of(folder->record), first);
	put(folder, document, second);
	assert_string_equal(first, second);
	assert_int_equal(files_in(folder->path), 1);
	document = document_of(folder->record);
	json_object_set_new(document, "host_class", json_string("another CPU"));
	put(folder, document, other);
	assert_string_not_equal(first, other);
	assert_int_equal(files_in(folder->path), 2);
}

/* The same point in two documents, as two scenarios may have it. */
static void the_newest_counts(void **state)
{
	const struct folder *folder = *state;
	static const struct {
		const char *scenario, *started;
		double noise;
	} runs[] = {
		{"b", "2026-03-02T00:00:00Z", 0.25},
		{"a", "2026-03-03T00:00:00Z", 0.5},
		{"c", NULL, 0.75},
	};
	struct noise_store *store;
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		json_t *document = document_of(folder->record), *started = json_null();

		if (runs[i].started)
			started = json_string(runs[i].started);
		json_object_set_new(document, "scenario", json_string(runs[i].scenario));
		json_object_set_new(document, "started_at", started);
		json_object_set_new(json_at(document, "points.0.results.0.metrics.p50"), "noise",
				    json_real(runs[i].noise));
		put(folder, document, path);
	}
	store = load(folder);
	assert_true(find_first(folder, store, folder->record->host_class) == 0.5);
	noise_store_free(store);
}

static void other_files_are_passed_over(void **state)
{
	const struct folder *folder = *state;
	static const char *const others[][2] = {
		{"broken.json", "{\"schema\": {\"name\": \"memcgbench-noise\""},
		{"record.json", "{\"schema\": {\"name\": \"memcgbench-record\", \"version\": 1}}"},
		{"list.json", "[\"memcgbench-noise\"]"},
		{"README", "memcgbench-noise"},
	};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(join_path(path, folder->path, others[i][0], NULL), 0);
		assert_int_equal(file_write_atomic(path, others[i][1], strlen(others[i][1]), NULL),
				 0);
	}
	assert_int_equal(join_path(path, folder->path, "directory.json", NULL), 0);
	assert_int_equal(file_make_directories(path, NULL), 0);
	noise_store_free(load(folder));
}

static void faults_are_named_where_they_are(void **state)
{
	const struct folder *folder = *state;
	static const struct {
		const char *parent, *key, *value, *said;
	} faults[] = {
		{"", "host_class", "7", "host_class: is something else"},
		{"", "points", NULL, "points: is missing"},
		{"", "started_at", "\"yesterday\"", "started_at: 'yesterday' is no time"},
		{"schema", "version", "2", "newer program"},
		{"points.1", "id", NULL, "points.1.id: is missing"},
		{"points.0.results.1", "backend", "[]", "points.0.results.1.backend"},
		{"points.0.results.0", "metrics", "null", "points.0.results.0.metrics"},
		{"points.0.results.0.metrics.p50", "noise", "-1", "metrics.p50.noise"},
		{"points.0.results.0.metrics", "p50", "0.1", "metrics.p50: is something else"},
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		json_t *document = document_of(folder->record);
		json_t *parent =
			faults[i].parent[0] ? json_at(document, faults[i].parent) : document;
		struct noise_store *store;
		struct error err = {0};
		char path[PATH_MAX];

		assert_non_null(parent);
		assert_non_null(json_object_get(parent, faults[i].key));
		if (faults[i].value)
			json_object_set_new(parent, faults[i].key,
					    json_loads(faults[i].value, JSON_DECODE_ANY, NULL));
		else
			json_object_del(parent, faults[i].key);
		assert_int_equal(join_path(path, folder->path, "one.json", NULL), 0);
		assert_int_equal(document_write(path, document, NULL), 0);
		json_decref(document);
		assert_true(noise_store_load(folder->path, &store, &err) < 0);
		assert_string_equal(err.file, path);
		assert_true(err.line > 0);
		if (!strstr(err.text, faults[i].said))
			fail_msg("'%s' does not say '%s'", err.text, faults[i].said);
	}
}

static void a_directory_that_is_not_there_is_an_error(void **state)
{
	struct noise_store *store;
	struct error err = {0};

	assert_int_equal(noise_store_load("none/there", &store, &err), -ENOENT);
	assert_null(store);
	assert_string_equal(err.file, "none/there");
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, open_folder, close_folder)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_always_the_same_has_no_noise),
		cmocka_unit_test(noise_is_the_standard_deviation_between_two_halves),
		cmocka_unit_test(equals_are_called_different_in_one_of_twenty_cases_or_less),
		cmocka_unit_test(the_change_is_of_even_repetitions_to_odd_ones),
		cmocka_unit_test(four_values_are_the_least),
		cmocka_unit_test(a_half_that_failed_leaves_the_noise_of_the_other),
		IN_A_FOLDER(what_is_put_is_found),
		IN_A_FOLDER(a_later_one_of_the_same_takes_the_place),
		IN_A_FOLDER(the_newest_counts),
		IN_A_FOLDER(other_files_are_passed_over),
		IN_A_FOLDER(faults_are_named_where_they_are),
		cmocka_unit_test(a_directory_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
