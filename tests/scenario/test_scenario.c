// SPDX-License-Identifier: MIT
/* Scenarios become the points that they say, in the order that they say. */
#include "backend/backend.h"
#include "scenario/parameter.h"
#include "scenario/scenario.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "name: a\ntree: {memcgs: 10}\n"

static const unsigned here_nids[] = {0, 8};
#define HERE .here_nids = here_nids, .here_nr_nids = 2, .here_cpus = 12

static struct scenario *load(const char *text, const struct scenario_options *options)
{
	struct error_list errors = {0};
	struct scenario *scenario = NULL;
	int code = scenario_parse("f", text, strlen(text), options, &scenario, &errors);

	error_list_print(stderr, &errors);
	assert_int_equal(code, 0);
	assert_int_equal(errors.total, 0);
	return scenario;
}

static void assert_refused(const char *text, const struct scenario_options *options,
			   const char *said)
{
	struct error_list errors = {0};
	struct scenario *scenario = NULL;
	char *printed;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	assert_true(scenario_parse("f", text, strlen(text), options, &scenario, &errors) < 0);
	error_list_print(out, &errors);
	fclose(out);
	assert_string_equal(printed, said);
	assert_null(scenario);
	free(printed);
}

/* "10 hot, 10 cold": of each point the values of these parameters. */
static void assert_points(const struct scenario *scenario, const char *const *names,
			  const char *wanted)
{
	char found[2000] = "", text[PARAMETER_TEXT_MAX];

	for (size_t i = 0; i < scenario->nr_points; i++) {
		strcat(found, i ? ", " : "");
		for (size_t k = 0; names[k]; k++) {
			const struct parameter *parameter =
				parameter_find(names[k], strlen(names[k]));

			assert_non_null(parameter);
			strcat(found, k ? " " : "");
			strcat(found, parameter_text(parameter, &scenario->points[i], text));
		}
	}
	assert_string_equal(found, wanted);
}

#define ASSERT_POINTS(scenario, wanted, ...) \
	assert_points(scenario, (const char *const[]){__VA_ARGS__, NULL}, wanted)

static void everything_has_its_default(void **state)
{
	struct scenario *scenario = load(HEAD, NULL);
	struct point fallback;

	assert_string_equal(scenario->name, "a");
	assert_string_equal(scenario->path, "f");
	assert_null(scenario->title);
	assert_int_equal(scenario->repetitions, 10);
	assert_int_equal(scenario->nr_backends, 2);
	assert_string_equal(scenario->backends[0], "walk");
	assert_string_equal(scenario->backends[1], "cached");
	assert_int_equal(scenario->nr_points, 1);
	point_init(&fallback);
	fallback.tree.memcgs = 10;
	point_set_id(&fallback);
	assert_memory_equal(&scenario->points[0], &fallback, sizeof(fallback));
	assert_int_equal(fallback.counters.spread_cpus, 1);
	scenario_free(scenario);
}

static void the_last_list_written_varies_fastest(void **state)
{
	struct scenario *scenario = load("name: a\n"
					 "read: {cache: [hot, cold]}\n"
					 "tree: {memcgs: [10, 1k], shape: [flat, chain]}\n",
					 NULL);

	ASSERT_POINTS(scenario,
		      "hot 10 flat, hot 10 chain, hot 1k flat, hot 1k chain, "
		      "cold 10 flat, cold 10 chain, cold 1k flat, cold 1k chain",
		      "read.cache", "tree.memcgs", "tree.shape");
	scenario_free(scenario);
}

static void maps_in_a_list_keep_values_together(void **state)
{
	struct scenario *scenario =
		load("name: a\n"
		     "machine: [{nodes: 1, cpus: [36, 40]}, {nodes: 2, cpus: 72}]\n"
		     "tree: {memcgs: [10, 20]}\n",
		     NULL);

	ASSERT_POINTS(scenario, "1 36 10, 1 36 20, 1 40 10, 1 40 20, 2 72 10, 2 72 20",
		      "machine.nodes", "machine.cpus", "tree.memcgs");
	scenario_free(scenario);
}

static void nested_sections_are_sections(void **state)
{
	struct scenario *scenario =
		load(HEAD "machine: {cpus: 8, nodes: 4}\n"
			  "counters: {spread: [{cpus: [1, 2]}, {cpus: 8, nodes: 4}], batch: 0}\n",
		     NULL);

	ASSERT_POINTS(scenario, "1 1 0, 2 1 0, 8 4 0", "counters.spread.cpus",
		      "counters.spread.nodes", "counters.batch");
	scenario_free(scenario);
}

static void default_spread_is_lowered_to_the_machine(void **state)
{
	struct scenario *scenario = load(HEAD "machine: {cpus: [1, 2, 3]}\n", NULL);

	ASSERT_POINTS(scenario, "1, 2, 2", "counters.spread.cpus");
	scenario_free(scenario);
}

static void here_takes_the_values_of_the_machine(void **state)
{
	const struct scenario_options options = {HERE};
	struct scenario *scenario =
		load(HEAD "machine: [here, {nodes: here}, {cpus: here}]\n", &options);

	ASSERT_POINTS(scenario, "2 0,8 12, 2 0,8 1, 1 0 12", "machine.nodes", "machine.node_ids",
		      "machine.cpus");
	scenario_free(scenario);
}

static void here_is_an_error_where_it_is_not_known(void **state)
{
	assert_refused(HEAD "machine: here\n", NULL,
		       "memcgbench: f:3:10: machine.nodes: `here` is not known or out of range on "
		       "this machine (a number)\n");
	assert_refused(HEAD "machine: {cpus: here}\n", NULL,
		       "memcgbench: f:3:17: machine.cpus: `here` is not known or out of range on "
		       "this machine (a number)\n");
}

static void node_ids_alone_say_how_many_nodes(void **state)
{
	struct scenario *scenario = load(HEAD "machine: {node_ids: '0,8,252-255'}\n", NULL);

	ASSERT_POINTS(scenario, "6 0,8,252-255", "machine.nodes", "machine.node_ids");
	assert_int_equal(scenario->points[0].machine.nids[5], 255);
	scenario_free(scenario);
}

static void published_figures_are_kept(void **state)
{
	struct scenario *scenario =
		load(HEAD "title: A title\nrepetitions: 3\nbackends: cached\n"
			  "reference: [{backend: walk, memcgs: 10k, time: 0.7s, source: the patch},"
			  " {source: x, time: 1ms, memcgs: 1, backend: cached}]\n",
		     NULL);

	assert_string_equal(scenario->title, "A title");
	assert_int_equal(scenario->repetitions, 3);
	assert_int_equal(scenario->nr_backends, 1);
	assert_int_equal(scenario->nr_references, 2);
	assert_string_equal(scenario->references[0].backend, "walk");
	assert_int_equal(scenario->references[0].memcgs, 10000);
	assert_true(scenario->references[0].time_ns == 700e6);
	assert_string_equal(scenario->references[0].source, "the patch");
	assert_true(scenario->references[1].time_ns == 1e6);
	scenario_free(scenario);
}

#define SETS(...)                                   \
	.sets = (const char *const[]){__VA_ARGS__}, \
	.nr_sets = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static const char matrix[] = "name: a\n"
			     "tree: {memcgs: [10, 20]}\n"
			     "machine: [{nodes: 1, cpus: 36}, {nodes: 2, cpus: 72}]\n"
			     "read: {cache: [hot, cold]}\n";

static void set_replaces_a_list_where_it_stands(void **state)
{
	const struct scenario_options options = {SETS("tree.memcgs=[1,2,3]", "read.cache=cold")};
	struct scenario *scenario = load(matrix, &options);

	ASSERT_POINTS(scenario, "1 36, 1 72, 2 36, 2 72, 3 36, 3 72", "tree.memcgs",
		      "machine.cpus");
	scenario_free(scenario);
}

static void set_replaces_a_value_in_each_map_of_a_list(void **state)
{
	const struct scenario_options options = {
		SETS("machine.cpus=[4,8]", "tree.memcgs=1", "read.cache=hot")};
	struct scenario *scenario = load(matrix, &options);

	ASSERT_POINTS(scenario, "1 4, 1 8, 2 4, 2 8", "machine.nodes", "machine.cpus");
	scenario_free(scenario);
}

static void points_made_equal_by_set_are_measured_once(void **state)
{
	const struct scenario_options options = {
		SETS("machine.nodes=1", "machine.cpus=8", "tree.memcgs=1")};
	struct scenario *scenario = load(matrix, &options);

	ASSERT_POINTS(scenario, "1 8 hot, 1 8 cold", "machine.nodes", "machine.cpus", "read.cache");
	scenario_free(scenario);
}

static void set_adds_what_the_file_does_not_say(void **state)
{
	const struct scenario_options options = {
		SETS("tree.memcgs=[5,6]", "repetitions=2", "read.time=1s", "machine.nodes=here"),
		HERE};
	struct scenario *scenario = load("name: a\n", &options);

	ASSERT_POINTS(scenario, "5 2 0,8 1s, 6 2 0,8 1s", "tree.memcgs", "machine.nodes",
		      "machine.node_ids", "read.time");
	assert_int_equal(scenario->repetitions, 2);
	scenario_free(scenario);
}

static void set_is_as_strict_as_the_file(void **state)
{
	const struct scenario_options options = {SETS("tree.memcg=1", "memcgs",
						      "tree.memcgs=", "tree.memcgs=1e3",
						      "read.cache=[hot,hott]", "tree.memcgs=[",
						      "repetitions=0", "name=b", "read.cache=*a")};

	assert_refused(
		HEAD, &options,
		"memcgbench: --set:1:1: unknown key 'tree.memcg', did you mean 'tree.memcgs' (a "
		"parameter's whole name)?\n"
		"memcgbench: --set:1:1: 'memcgs' has no = (key=value)\n"
		"memcgbench: --set:1:13: tree.memcgs: no value (one value or a list)\n"
		"memcgbench: --set:1:13: tree.memcgs: '1e3' is not a number like 1500, 10k, 1.5M "
		"or 2G (1 to 4M)\n"
		"memcgbench: --set:1:17: read.cache: 'hott' is not known, did you mean 'hot' (hot, "
		"cold)?\n"
		"memcgbench: --set:1:14: did not find expected node content, while parsing a flow "
		"node (well-formed YAML)\n"
		"memcgbench: --set:1:13: repetitions: '0' is not possible (1 to 10k)\n"
		"memcgbench: --set:1:1: unknown key 'name' (a parameter's whole name like "
		"tree.memcgs)\n"
		"memcgbench: --set:1:12: an alias (write the values out: no anchors or aliases)\n");
}

static void the_callers_back_ends_and_repetitions_win(void **state)
{
	const struct scenario_options options = {.backends = "cached,walk", .repetitions = 4};
	struct scenario *scenario = load(HEAD "backends: walk\nrepetitions: 7\n", &options);

	assert_int_equal(scenario->nr_backends, 2);
	assert_string_equal(scenario->backends[0], "cached");
	assert_string_equal(scenario->backends[1], "walk");
	assert_int_equal(scenario->repetitions, 4);
	scenario_free(scenario);
}

static void the_callers_back_ends_are_checked(void **state)
{
	const struct scenario_options twice = {.backends = "walk,cahced,walk,"};
	char names[500] = "", said[2000];

	for (size_t i = 0; backends[i]; i++) {
		strncat(names, i ? ", " : "", sizeof(names) - strlen(names) - 1);
		strncat(names, backends[i]->name, sizeof(names) - strlen(names) - 1);
	}
	snprintf(said, sizeof(said),
		 "memcgbench: --backend:1:6: no back end is named 'cahced', did you mean "
		 "'cached' (%s)?\n"
		 "memcgbench: --backend:1:13: back end 'walk' is named twice (each once)\n"
		 "memcgbench: --backend:1:18: no back end is named '' (%s)\n",
		 names, names);
	assert_refused(HEAD, &twice, said);
}

static void quick_lowers_and_never_raises(void **state)
{
	const struct scenario_options options = {.quick = true};
	struct scenario *scenario = load(HEAD "read: {samples: 5}\n", &options);
	struct scenario *other = load(HEAD "read: {time: 1ms}\nrepetitions: 1\n", &options);

	assert_int_equal(scenario->points[0].read.samples, 5);
	assert_true(scenario->points[0].read.time_ns == 200000000);
	assert_int_equal(scenario->repetitions, 2);
	assert_int_equal(other->points[0].read.samples, 20);
	assert_true(other->points[0].read.time_ns == 1000000);
	assert_int_equal(other->repetitions, 1);
	/* how often and how long is not what is measured */
	assert_string_equal(scenario->points[0].id, other->points[0].id);
	scenario_free(scenario);
	scenario_free(other);
}

/* "[1,2,..,nr]" behind a key, in a scenario's --set. */
static char *set_of_numbers(const char *key, unsigned nr)
{
	char *set;
	size_t size;
	FILE *out = open_memstream(&set, &size);

	fprintf(out, "%s=[1", key);
	for (unsigned i = 2; i <= nr; i++)
		fprintf(out, ",%u", i);
	fputc(']', out);
	fclose(out);
	return set;
}

static void a_hundred_thousand_points_are_possible_and_no_more(void **state)
{
	char *seeds = set_of_numbers("tree.seed", 100);
	char *memcgs = set_of_numbers("tree.memcgs", 1000);
	char *more = set_of_numbers("tree.memcgs", 1001);
	const struct scenario_options most = {SETS(memcgs, seeds)};
	const struct scenario_options too_many = {SETS(more, seeds)};
	struct scenario *scenario = load(HEAD, &most);

	assert_int_equal(scenario->nr_points, MAX_POINTS);
	assert_int_equal(scenario->points[MAX_POINTS - 1].tree.memcgs, 1000);
	assert_int_equal(scenario->points[MAX_POINTS - 2].tree.seed, 99);
	scenario_free(scenario);
	assert_refused(HEAD, &too_many,
		       "memcgbench: --set:1:11: too many points with this list (at most 100000)\n");
	free(seeds);
	free(memcgs);
	free(more);
}

static void errors_of_before_are_kept_and_do_not_count(void **state)
{
	struct error_list errors = {0};
	struct scenario *scenario = NULL;

	error_list_add(&errors, NULL, 0, 0, "of another scenario");
	assert_int_equal(scenario_parse("f", HEAD, strlen(HEAD), NULL, &scenario, &errors), 0);
	assert_int_equal(errors.total, 1);
	scenario_free(scenario);
}

static void scenarios_in_the_tree_are_read(void **state)
{
	const char *const *paths = *state;

	for (; *paths; paths++) {
		struct error_list errors = {0};
		struct scenario *scenario;
		int code = scenario_load(*paths, NULL, &scenario, &errors);

		error_list_print(stderr, &errors);
		assert_int_equal(code, 0);
		scenario_free(scenario);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_has_its_default),
		cmocka_unit_test(the_last_list_written_varies_fastest),
		cmocka_unit_test(maps_in_a_list_keep_values_together),
		cmocka_unit_test(nested_sections_are_sections),
		cmocka_unit_test(default_spread_is_lowered_to_the_machine),
		cmocka_unit_test(here_takes_the_values_of_the_machine),
		cmocka_unit_test(here_is_an_error_where_it_is_not_known),
		cmocka_unit_test(node_ids_alone_say_how_many_nodes),
		cmocka_unit_test(published_figures_are_kept),
		cmocka_unit_test(set_replaces_a_list_where_it_stands),
		cmocka_unit_test(set_replaces_a_value_in_each_map_of_a_list),
		cmocka_unit_test(points_made_equal_by_set_are_measured_once),
		cmocka_unit_test(set_adds_what_the_file_does_not_say),
		cmocka_unit_test(set_is_as_strict_as_the_file),
		cmocka_unit_test(the_callers_back_ends_and_repetitions_win),
		cmocka_unit_test(the_callers_back_ends_are_checked),
		cmocka_unit_test(quick_lowers_and_never_raises),
		cmocka_unit_test(a_hundred_thousand_points_are_possible_and_no_more),
		cmocka_unit_test(errors_of_before_are_kept_and_do_not_count),
		cmocka_unit_test_prestate(scenarios_in_the_tree_are_read, argv + 1),
	};

	return cmocka_run_group_tests_name("scenario", tests, NULL, NULL);
}
