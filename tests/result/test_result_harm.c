// SPDX-License-Identifier: MIT
/* Harm to others in results: what contradicts itself is refused; and what all processes say. */
#include "made_run.h"

#include "base/file.h"
#include "result/document.h"
#include "result/result.h"
#include "result/summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REPETITIONS 6
#define CACHED      0 /* back ends of the run, the second of which is live */
#define KERNEL      1

static void begin(struct made_run *run, const char *harm)
{
	char yaml[512];

	snprintf(yaml, sizeof(yaml),
		 "name: harm\n"
		 "tree: {memcgs: 10}\n"
		 "machine: {cpus: 4}\n"
		 "read: {samples: 20}\n"
		 "harm: {%s}\n"
		 "backends: [cached, kernel]\n"
		 "repetitions: %d\n",
		 harm, REPETITIONS);
	made_run_begin(run, yaml);
}

/* Takes over `json`. 0, or the code, with the message in `err`. */
static int load_json(const struct made_run *run, json_t *json, struct error *err)
{
	char *text = json_dumps(json, JSON_INDENT(1)), path[160];
	json_t *result;
	int r;

	snprintf(path, sizeof(path), "%s/harm.json", run->root);
	assert_int_equal(file_write_atomic(path, text, strlen(text), err), 0);
	r = result_load(path, &result, err);
	if (!r)
		json_decref(result);
	free(text);
	json_decref(json);
	return r;
}

static json_t *with_times(json_t *json)
{
	json_object_set_new(json, "times",
			    json_pack("{s:I, s:I, s:I, s:I}", "measure_ns", (json_int_t)2100000000,
				      "harm_ns", (json_int_t)2050000000, "total_ns",
				      (json_int_t)4300000000, "process_ns",
				      (json_int_t)4400000000));
	return json;
}

static const struct {
	unsigned backend;
	const char *field, *value, *words;
} contradicts[] = {
	{KERNEL, "harm", "null", "is not there where harm.time is"},
	{KERNEL, "harm.pairs", "2", "are not as many as were due"},
	{KERNEL, "harm.slice_ns", "333000000", "are not as many as were due"},
	{KERNEL, "harm.seconds.with", "1.1", "is less than harm.seconds"},
	{KERNEL, "harm.victim.cpu", "0", "is not the first reader's, 1"},
	{KERNEL, "harm.victim.period_ns", "2000000", "are not as many as were due"},
	{KERNEL, "harm.victim.with.wakeups", "999", "does not hold 999 wake-ups"},
	{KERNEL, "harm.victim.without.histogram", "\"1;2\"", "is not a histogram"},
	{KERNEL, "harm.tasks", "null", "are not there where a live back end has harm.tasks"},
	{CACHED, "harm.tasks", "{\"limit_bytes\":1,\"apart\":null,\"beside\":null}",
	 "and only there"},
	{KERNEL, "harm.tasks.limit_bytes", "null", "is not there where harm.limit is"},
	{KERNEL, "harm.tasks.apart", "null", "are 0, and harm.tasks says 2"},
	{KERNEL, "harm.tasks.apart.tasks", "1", "are 1, and harm.tasks says 2"},
	{KERNEL, "harm.tasks.apart.charges_per_s.with", "[1,2]", "are not one for each pair"},
	{KERNEL, "harm.tasks.apart.charges_per_s.with", "[1,2,-3]", "is not a rate"},
	{KERNEL, "harm.tasks.apart.charges_per_s.with", "[1,2,1e9]", "is more than were touched"},
};

static void what_contradicts_itself_is_refused(void **state)
{
	struct made_run run;

	(void)state;
	begin(&run, "time: 1s, tasks: 2, pages: 1k, limit: 25%, kind: file");
	for (size_t i = 0; i < sizeof(contradicts) / sizeof(contradicts[0]); i++) {
		json_t *json = with_times(made_result(&run, 0, contradicts[i].backend, 1));
		const char *field = contradicts[i].field, *dot = strrchr(field, '.');
		struct error err = {.text = ""};
		char object[64];

		if (load_json(&run, json_deep_copy(json), &err))
			fail_msg("%s", err.text);
		snprintf(object, sizeof(object), "%.*s", dot ? (int)(dot - field) : 0, field);
		json_object_set_new(json_at(json, object), dot ? dot + 1 : field,
				    json_loads(contradicts[i].value, JSON_DECODE_ANY, NULL));
		assert_true(load_json(&run, json, &err) < 0);
		if (!strstr(err.text, contradicts[i].words))
			fail_msg("%s = %s: '%s' has no '%s'", field, contradicts[i].value, err.text,
				 contradicts[i].words);
		assert_true(err.line > 0);
	}
	made_run_end(&run);
}

static void older_results_without_it_are_read(void **state)
{
	struct made_run run;
	struct error err;

	(void)state;
	begin(&run, "time: none");
	assert_int_equal(load_json(&run, made_result(&run, 0, KERNEL, 1), &err), 0);
	made_run_end(&run);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 0.005 * fabs(b);
}

static void delays_are_merged_and_losses_are_of_processes(void **state)
{
	const struct harm_place_summary *place;
	const struct harm_summary *harm;
	struct run_summary *summary;
	struct made_run run;
	struct error err;
	json_t *json, *found;

	(void)state;
	begin(&run, "time: 1s, tasks: 2, pages: 1k, limit: 25%, kind: file");
	made_run_fill(&run);
	assert_int_equal(summary_load(run.path, &summary, &err), 0);
	harm = &summary->points[0].backends[KERNEL].harm;
	assert_true(harm->any);
	/* The longest of all processes is the last one's. */
	assert_true(harm_late_ns(harm, HARM_WITH, 1) == 1e6 * REPETITIONS);
	assert_true(is_near(harm_late_ns(harm, HARM_WITH, 0.99), 55e3));
	assert_true(is_near(harm_late_ns(harm, HARM_WITHOUT, 0.5), 50e3));
	/* What is compared, of each process: r % less in process r. */
	for (unsigned r = 0; r < REPETITIONS; r++) {
		const struct process_figures *figures =
			&summary->points[0].backends[KERNEL].figures[r];

		assert_true(is_near(figures->late_ns, 55e3));
		assert_true(is_near(figures->charges, 1000e3 * (1 - 0.01 * (r + 1))));
		assert_true(isnan(summary->points[0].backends[CACHED].figures[r].charges));
	}
	place = &harm->place[HARM_APART];
	assert_int_equal(place->tasks, 2);
	assert_int_equal(harm->place[HARM_BESIDE].tasks, 0);
	assert_true(is_near(place->figure[HARM_CHARGES_WITHOUT], 1000e3));
	/* Of r %, r %, and half: r % in process r. The median of six, and the worst pair of all. */
	assert_true(is_near(place->figure[HARM_LOST], 0.035));
	assert_true(is_near(place->lost_low, 0.01) && is_near(place->lost_high, 0.06));
	assert_true(is_near(place->lost_most, 0.5) && is_near(place->lost_least, 0.01));
	/* 2 tasks, 1000 pages each, 1,024,000 touches a second. */
	assert_true(is_near(place->figure[HARM_ROUND_WITHOUT], 2 * 1000 * 1e9 / 1024e3));
	assert_true(is_near(place->figure[HARM_ROUND_WITH], 2 * 1000 * 1e9 / 1000e3));
	json = summary_to_json(summary);
	found = json_at(json, "points.0.results.1.harm");
	assert_true(json_number_at(found, "victim.with.max_ns") == 1e6 * REPETITIONS);
	assert_true(is_near(json_number_at(found, "tasks.apart.lost"), 0.035));
	assert_true(json_is_null(json_at(found, "tasks.beside")));
	assert_int_equal(json_whole_at(found, "tasks.limit_bytes"), 262144);
	/* A model suffers nobody to charge. */
	assert_true(json_is_null(json_at(json, "points.0.results.0.harm.tasks")));
	assert_true(json_is_object(json_at(json, "points.0.results.0.harm.victim")));
	json_decref(json);
	summary_free(summary);
	made_run_end(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_contradicts_itself_is_refused),
		cmocka_unit_test(older_results_without_it_are_read),
		cmocka_unit_test(delays_are_merged_and_losses_are_of_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
