// SPDX-License-Identifier: MIT
/* Points keep what they say through text and JSON, and take nothing that is out of range. */
#include "base/rng.h"
#include "scenario/nids.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct parameter *named(const char *name)
{
	const struct parameter *parameter = parameter_find(name, strlen(name));

	assert_non_null(parameter);
	return parameter;
}

static void random_nids(struct rng *rng, struct point *point)
{
	unsigned nr = 0;

	for (unsigned id = 0; id < MAX_NODES; id++)
		if (rng_below(rng, 3) == 0)
			point->machine.nids[nr++] = (uint16_t)id;
	point->machine.nodes = nr ? nr : 1;
	if (!nr)
		point->machine.nids[0] = 7;
}

/* Any point that obeys the rules. */
static void random_point(struct rng *rng, struct point *point)
{
	do {
		point_init(point);
		for (size_t i = 0; i < nr_parameters; i++) {
			const struct parameter *parameter = &parameters[i];
			uint64_t range = parameter->max - parameter->min, value;
			unsigned nr_words = 0;

			if (parameter->kind == PARAMETER_NIDS || rng_below(rng, 2))
				continue;
			while (parameter->words && parameter->words[nr_words].word)
				nr_words++;
			value = parameter->kind == PARAMETER_WORD
					? parameter->words[rng_below(rng, nr_words)].value
					: parameter->min + rng_below(rng, range + 1);
			parameter_set(parameter, point, value);
		}
		point->tree.memcgs = 1 + (uint32_t)rng_below(rng, 60000);
		point->machine.skew -= point->machine.skew % 8;
		for (unsigned id = 0; id < MAX_NODES; id++)
			point->machine.nids[id] = (uint16_t)id;
		if (rng_below(rng, 4) == 0)
			random_nids(rng, point);
		point->counters.spread_cpus = 1 + (uint32_t)rng_below(rng, point->machine.cpus);
		point->counters.spread_nodes = 1 + (uint32_t)rng_below(rng, point->machine.nodes);
		point->read.readers = 1 + (uint32_t)rng_below(rng, point->machine.cpus);
	} while (point_check(point, NULL, NULL));
	point_set_id(point);
}

static void json_brings_every_point_back(void **state)
{
	struct rng rng = {5};

	for (unsigned n = 0; n < 500; n++) {
		struct point point, again;
		struct error err = {0};
		json_t *json, *read;
		char *text;

		random_point(&rng, &point);
		json = point_to_json(&point);
		/* through text, as it goes to a measuring process */
		text = json_dumps(json, JSON_SORT_KEYS);
		read = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		if (point_from_json(read, point.id, &again, &err))
			print_message("# %s\n# %s\n", err.text, text);
		assert_int_equal(point_from_json(read, point.id, &again, &err), 0);
		for (size_t i = 0; i < nr_parameters; i++)
			assert_true(parameter_get(&parameters[i], &point) ==
				    parameter_get(&parameters[i], &again));
		assert_memory_equal(point.machine.nids, again.machine.nids,
				    point.machine.nodes * sizeof(uint16_t));
		assert_string_equal(point.id, again.id);
		json_decref(json);
		json_decref(read);
		free(text);
	}
}

static void text_brings_every_value_back(void **state)
{
	struct rng rng = {6};
	char text[PARAMETER_TEXT_MAX];

	for (unsigned n = 0; n < 500; n++) {
		struct point point;
		uint16_t nids[MAX_NODES];
		uint64_t value;

		random_point(&rng, &point);
		for (size_t i = 0; i < nr_parameters; i++) {
			parameter_text(&parameters[i], &point, text);
			if (parameters[i].kind == PARAMETER_NIDS) {
				assert_int_equal(nids_parse(text, strlen(text), nids, NULL),
						 point.machine.nodes);
				assert_memory_equal(nids, point.machine.nids,
						    point.machine.nodes * sizeof(*nids));
				continue;
			}
			assert_int_equal(
				parameter_parse(&parameters[i], text, strlen(text), &value, NULL),
				0);
			assert_true(value == parameter_get(&parameters[i], &point));
		}
	}
}

static void the_longest_list_of_node_ids_fits(void **state)
{
	char text[PARAMETER_TEXT_MAX];
	uint16_t nids[MAX_NODES], again[MAX_NODES];

	for (unsigned i = 0; i < MAX_NODES / 2; i++)
		nids[i] = (uint16_t)(2 * i + 1);
	nids_format(nids, MAX_NODES / 2, text, sizeof(text));
	assert_int_equal(nids_parse(text, strlen(text), again, NULL), MAX_NODES / 2);
	assert_memory_equal(nids, again, MAX_NODES / 2 * sizeof(*nids));
	assert_true(strlen(text) < PARAMETER_TEXT_MAX - 1);
}

static json_t *json_of_default(void)
{
	struct point point;

	point_init(&point);
	point.tree.memcgs = 10;
	return point_to_json(&point);
}

static void assert_refused(const char *key, json_t *value)
{
	json_t *json = json_of_default();
	struct error err = {0};
	struct point point;

	if (value)
		json_object_set_new(json, key, value);
	else
		json_object_del(json, key);
	assert_int_equal(point_from_json(json, NULL, &point, &err), -EINVAL);
	assert_non_null(strstr(err.text, key));
	json_decref(json);
}

static void json_out_of_range_is_refused(void **state)
{
	assert_refused("tree.memcgs", NULL);
	assert_refused("tree.memcgs", json_integer(0));
	assert_refused("tree.memcgs", json_integer(4000001));
	assert_refused("tree.memcgs", json_integer(-1));
	assert_refused("tree.memcgs", json_integer(INT64_MIN));
	assert_refused("tree.memcgs", json_integer((1ll << 32) + 1));
	assert_refused("tree.memcgs", json_real(10.0));
	assert_refused("tree.memcgs", json_string("10"));
	assert_refused("tree.shape", json_string("round"));
	assert_refused("tree.shape", json_integer(0));
	assert_refused("tree.dying", json_real(1.1));
	assert_refused("tree.dying", json_real(-0.1));
	assert_refused("tree.dying", json_real(0.00000015));
	assert_refused("read.pacing", json_integer(1));
	assert_refused("machine.node_ids", json_string("0,1"));
	assert_refused("machine.node_ids", json_integer(0));
	assert_refused("machine.skew", json_integer(4));
	assert_refused("read.readers", json_integer(2));
	assert_refused("counters.spread.cpus", json_integer(2));
	assert_refused("counters.spread.nodes", json_integer(2));
	assert_refused("not.known", json_integer(2));
}

static void what_an_old_document_lacks_has_its_default(void **state)
{
	static const char *const optional[] = {"read.text", "machine.skew", "machine.node_ids",
					       "counters.spread.cpus", "read.pacing"};
	json_t *json = json_of_default();
	struct point whole, partial;

	assert_int_equal(point_from_json(json, NULL, &whole, NULL), 0);
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++)
		assert_int_equal(json_object_del(json, optional[i]), 0);
	assert_int_equal(point_from_json(json, whole.id, &partial, NULL), 0);
	assert_memory_equal(&whole, &partial, sizeof(whole));
	json_decref(json);
}

static void json_of_something_else_is_refused(void **state)
{
	json_t *array = json_array();
	struct point point;

	assert_int_equal(point_from_json(array, NULL, &point, NULL), -EINVAL);
	assert_int_equal(point_from_json(NULL, NULL, &point, NULL), -EINVAL);
	json_decref(array);
}

static void an_id_of_other_parameters_is_refused(void **state)
{
	json_t *json = json_of_default();
	struct point point;
	char id[POINT_ID_SIZE];

	assert_int_equal(point_from_json(json, NULL, &point, NULL), 0);
	strcpy(id, point.id);
	assert_int_equal(point_from_json(json, id, &point, NULL), 0);
	id[3] = id[3] == '0' ? '1' : '0';
	assert_int_equal(point_from_json(json, id, &point, NULL), -EINVAL);
	json_decref(json);
}

static void what_is_not_in_the_id_does_not_change_it(void **state)
{
	struct point point, other;

	point_init(&point);
	point.tree.memcgs = 10;
	point_set_id(&point);
	for (size_t i = 0; i < nr_parameters; i++) {
		const struct parameter *parameter = &parameters[i];

		if (parameter->kind != PARAMETER_NUMBER || parameter->min == parameter->max)
			continue;
		other = point;
		parameter_set(parameter, &other, parameter->max);
		point_set_id(&other);
		assert_int_equal(strcmp(point.id, other.id) != 0, parameter->in_id);
	}
	assert_false(named("read.samples")->in_id);
	assert_false(named("read.time")->in_id);
}

static void a_point_at_its_defaults_is_valid(void **state)
{
	struct point point;

	point_init(&point);
	for (size_t i = 0; i < nr_parameters; i++)
		assert_true(parameter_is_default(&parameters[i], &point));
	assert_int_equal(point.id[0], '\0');
	point.tree.memcgs = 1;
	assert_int_equal(point_check(&point, NULL, NULL), 0);
}

/* Writers own their modelled CPUs, and spills come from the readers'. */
static void spills_and_writers_exclude_each_other(void **state)
{
	const struct parameter *culprit = NULL;
	struct error err = {.text = ""};
	struct point point;

	point_init(&point);
	point.tree.memcgs = 1;
	point.read.spills = 2;
	assert_int_equal(point_check(&point, &culprit, &err), 0);
	point.write.writers = 1;
	assert_int_equal(point_check(&point, &culprit, &err), -EINVAL);
	assert_ptr_equal(culprit, named("read.spills"));
	assert_non_null(strstr(err.text, "writers spill by themselves"));
}

static void the_table_is_sound(void **state)
{
	for (size_t i = 0; i < nr_parameters; i++) {
		const struct parameter *parameter = &parameters[i];

		assert_ptr_equal(named(parameter->name), parameter);
		assert_true(parameter->offset + parameter->size <= sizeof(struct point));
		assert_true(parameter->size == 4 || parameter->size == 8 ||
			    parameter->kind == PARAMETER_NIDS);
		assert_true(parameter->min <= parameter->max);
		assert_non_null(parameter->help);
		for (size_t k = 0; k < i; k++)
			assert_true(parameters[k].offset != parameter->offset);
	}
	assert_null(parameter_find("tree", 4));
	assert_null(parameter_find("tree.memcgs ", 12));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_brings_every_point_back),
		cmocka_unit_test(text_brings_every_value_back),
		cmocka_unit_test(the_longest_list_of_node_ids_fits),
		cmocka_unit_test(json_out_of_range_is_refused),
		cmocka_unit_test(what_an_old_document_lacks_has_its_default),
		cmocka_unit_test(json_of_something_else_is_refused),
		cmocka_unit_test(an_id_of_other_parameters_is_refused),
		cmocka_unit_test(what_is_not_in_the_id_does_not_change_it),
		cmocka_unit_test(a_point_at_its_defaults_is_valid),
		cmocka_unit_test(spills_and_writers_exclude_each_other),
		cmocka_unit_test(the_table_is_sound),
	};

	return cmocka_run_group_tests_name("point", tests, NULL, NULL);
}
