// SPDX-License-Identifier: MIT
/*
 * How often `memcgbench history` would cry wolf, and how often it would sleep: change points, and
 * what is common in their place, on series whose truth is known. The table stands in
 * docs/statistics.md. Exit code 1 where a figure misses what is promised.
 */
#include "bench_number.h"
#include "simulated_outcome.h"

#include "base/error.h"
#include "stats/change_points.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
	struct outcome *outcome; /* what to simulate is part of what came out */
	bool json;
};

enum {
	OPTION_SEEDS = 's',
	OPTION_SERIES = 'n',
	OPTION_RUNS = 'r',
	OPTION_FORMAT = 'f'
};

static const struct argp_option option_table[] = {
	{"seeds", OPTION_SEEDS, "S,...", 0, "seeds, up to 16 (default: 1,2,3)", 0},
	{"series", OPTION_SERIES, "N", 0, "series of each kind and seed (default: 1000)", 0},
	{"runs", OPTION_RUNS, "N", 0, "runs of a series, 20 to 10k (default: 100)", 0},
	{"format", OPTION_FORMAT, "FORMAT", 0, "table (default) or json", 0},
	{0},
};

static void parse_seeds(struct argp_state *state, const char *text, struct outcome *outcome)
{
	outcome->nr_seeds = 0;
	for (;;) {
		size_t length = strcspn(text, ",");

		if (outcome->nr_seeds == SEEDS_MAX)
			argp_error(state, "more than %d seeds", SEEDS_MAX);
		outcome->seeds[outcome->nr_seeds++] =
			bench_number(state, text, length, 0, UINT64_MAX);
		if (!text[length])
			return;
		text += length + 1;
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPTION_SEEDS:
		parse_seeds(state, arg, options->outcome);
		return 0;
	case OPTION_SERIES:
		options->outcome->series = bench_number(state, arg, strlen(arg), 1, 1000000);
		return 0;
	case OPTION_RUNS:
		options->outcome->runs = bench_number(state, arg, strlen(arg), 20, 10000);
		return 0;
	case OPTION_FORMAT:
		options->json = !strcmp(arg, "json");
		if (!options->json && strcmp(arg, "table"))
			argp_error(state, "'%s' is not a format (table, json)", arg);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.doc = "Searches simulated series for changes as `memcgbench history` does, and counts "
	       "what "
	       "is found and what is false.",
};

/* One seed and noise: every gate sees the same series. */
static int simulate(struct outcome *outcome, size_t s, size_t noise, double *values)
{
	struct simulated_series series = {.runs = outcome->runs, .v = values};
	int ret = 0;

	for (size_t p = 0; p < NR_PLANS; p++) {
		for (uint64_t i = 0; i < outcome->series && !ret; i++) {
			simulated_series_make(&noises[noise], &plans[p], outcome->seeds[s], i,
					      &series);
			for (size_t g = 0; g < NR_GATES && !ret; g++)
				ret = simulated_watch(&gates[g], &series, &plans[p],
						      &outcome->scores[s][noise][g][p]);
		}
	}
	return ret;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* All noises and kinds in turn; only the search is timed. */
static int time_search(double *seconds)
{
	double values[SPEED_RUNS];
	struct simulated_series series = {.runs = SPEED_RUNS, .v = values};

	*seconds = 0;
	for (uint64_t i = 0; i < SPEED_SERIES; i++) {
		struct change *changes;
		double start;
		size_t nr;
		int ret;

		simulated_series_make(&noises[i % NR_NOISES], &plans[i / NR_NOISES % NR_PLANS], 1,
				      i, &series);
		start = cpu_seconds();
		ret = change_points(values, SPEED_RUNS, &change_rules_default, &changes, &nr);
		free(changes);
		*seconds += cpu_seconds() - start;
		if (ret)
			return ret;
	}
	return 0;
}

static int simulate_all(struct outcome *outcome)
{
	double *values = calloc(outcome->runs, sizeof(*values));
	int ret = values ? 0 : -ENOMEM;

	for (size_t s = 0; s < outcome->nr_seeds; s++) {
		for (size_t k = 0; k < NR_NOISES && !ret; k++)
			ret = simulate(outcome, s, k, values);
	}
	free(values);
	return ret ? ret : time_search(&outcome->seconds);
}

int main(int argc, char **argv)
{
	struct options options = {.outcome = calloc(1, sizeof(*options.outcome))};
	struct outcome *outcome = options.outcome;
	int code = EXIT_TROUBLE, ret = -ENOMEM;

	if (!outcome)
		goto out;
	outcome->nr_seeds = 3;
	memcpy(outcome->seeds, (const uint64_t[]){1, 2, 3}, 3 * sizeof(uint64_t));
	outcome->series = 1000;
	outcome->runs = 100;
	argp_err_exit_status = EXIT_TROUBLE;
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	ret = simulate_all(outcome);
	if (!ret)
		ret = options.json ? outcome_print_json(outcome) : outcome_print_table(outcome);
	if (!ret && fflush(stdout))
		ret = -errno;
	if (!ret)
		code = outcome_keeps_promise(outcome) ? EXIT_FINE : EXIT_VERDICT;
out:
	if (ret)
		fprintf(stderr, "%s: %s\n", argv[0], strerror(-ret));
	free(outcome);
	return code;
}
