// SPDX-License-Identifier: MIT
/*
 * Any bytes as a scenario, and as the value of a --set. They are refused with errors that have a
 * text and a place, or become points that obey all rules and go through JSON unchanged.
 */
#include "fuzz/fuzz.h"
#include "scenario/parameter.h"
#include "scenario/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a large matrix the first points are looked at closely. */
#define LOOKED_AT 16

static void demand(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "fuzz_scenario: %s\n", what);
	abort();
}

static void check_errors(const struct error_list *errors)
{
	demand(errors->nr, "refused without an error");
	for (size_t i = 0; i < errors->nr; i++)
		demand(errors->items[i].text[0] && errors->items[i].file[0],
		       "an error without text or file");
	for (size_t i = 0; i < errors->nr; i++)
		demand(errors->items[i].line && errors->items[i].column,
		       "an error without a place");
}

static void check_point(const struct point *point)
{
	json_t *json = point_to_json(point);
	struct point again;
	struct error err = {0};

	demand(json, "out of memory");
	demand(!point_check(point, NULL, &err), err.text);
	demand(!point_from_json(json, point->id, &again, &err), err.text);
	for (size_t i = 0; i < nr_parameters; i++)
		demand(parameter_get(&parameters[i], point) ==
			       parameter_get(&parameters[i], &again),
		       parameters[i].name);
	json_decref(json);
}

static void check_scenario(const struct scenario *scenario)
{
	demand(scenario->name && scenario->path, "no name");
	demand(scenario->nr_points && scenario->nr_points <= MAX_POINTS, "number of points");
	demand(scenario->nr_backends && scenario->backends[0], "no back ends");
	demand(scenario->repetitions && scenario->repetitions <= MAX_REPETITIONS, "repetitions");
	for (size_t i = 0; i < scenario->nr_points && i < LOOKED_AT; i++) {
		check_point(&scenario->points[i]);
		for (size_t k = 0; k < i; k++)
			demand(strcmp(scenario->points[i].id, scenario->points[k].id),
			       "equal points");
	}
}

static void parse(const char *text, size_t size, const struct scenario_options *options)
{
	struct error_list errors = {0};
	struct scenario *scenario = NULL;
	int code = scenario_parse("input", text, size, options, &scenario, &errors);

	demand(!code || code == -EINVAL || code == -EFBIG, "another error than -EINVAL");
	demand(!code == !!scenario && !code == !errors.total, "a scenario and an error");
	if (!code)
		check_scenario(scenario);
	else if (code == -EINVAL)
		check_errors(&errors);
	scenario_free(scenario);
}

static void parse_set(const char *key, const char *text)
{
	static const char base[] = "name: a\ntree: {memcgs: [1, 2]}\n";
	char *set = malloc(strlen(key) + strlen(text) + 1);
	const struct scenario_options options = {.sets = (const char *const[]){set}, .nr_sets = 1};

	demand(set, "out of memory");
	strcpy(set, key);
	strcat(set, text);
	parse(base, sizeof(base) - 1, &options);
	free(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned nids[] = {0, 8};
	const struct scenario_options here = {
		.here_nids = nids, .here_nr_nids = 2, .here_cpus = 12, .quick = true};
	char *text = malloc(size + 1);

	demand(text, "out of memory");
	memcpy(text, data, size);
	text[size] = '\0';
	parse_set("", text);
	parse_set("read.cache=", text);
	parse_set("machine.node_ids=", text);
	/* of exactly this size, so that a sanitizer sees a read beyond it */
	text = realloc(text, size ? size : 1);
	demand(text, "out of memory");
	parse(text, size, NULL);
	parse(text, size, &here);
	free(text);
	return 0;
}
