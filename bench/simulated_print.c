// SPDX-License-Identifier: MIT
/* See simulated_outcome.h: what came out, for people and for programs. */
#include "simulated_outcome.h"

#include "report/table.h"
#include "report/wrap.h"
#include "stats/change_points.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

static const char *const titles[] = {"watched by", "false",    "at step", "10 % step",
				     "after",      "5 % step", "drift"};

static struct score over_seeds(const struct outcome *outcome, size_t noise, size_t gate,
			       size_t plan)
{
	struct score sum = {0};

	for (size_t s = 0; s < outcome->nr_seeds; s++) {
		const struct score *score = &outcome->scores[s][noise][gate][plan];

		sum.series += score->series;
		sum.runs += score->runs;
		sum.alarms_false += score->alarms_false;
		sum.found += score->found;
		sum.runs_until_found += score->runs_until_found;
	}
	return sum;
}

static void add_row(struct table *table, const struct outcome *outcome, size_t noise, size_t gate)
{
	struct score scores[NR_PLANS];

	for (size_t p = 0; p < NR_PLANS; p++)
		scores[p] = over_seeds(outcome, noise, gate, p);
	table_row(table);
	table_cell(table, "%s", gates[gate].title);
	table_cell(table, "%.3f", score_per_100_runs(&scores[PLAN_LEVEL]));
	table_cell(table, "%.3f", score_per_100_runs(&scores[PLAN_STEP]));
	table_cell(table, "%.1f %%", 100 * score_share_found(&scores[PLAN_STEP]));
	if (gates[gate].once || !scores[PLAN_STEP].found)
		table_cell(table, "-");
	else
		table_cell(table, "%.1f",
			   (double)scores[PLAN_STEP].runs_until_found /
				   (double)scores[PLAN_STEP].found);
	table_cell(table, "%.1f %%", 100 * score_share_found(&scores[PLAN_SMALL_STEP]));
	table_cell(table, "%.1f %%", 100 * score_share_found(&scores[PLAN_DRIFT]));
}

static void print_head(const struct outcome *outcome)
{
	printf("%llu series of %llu runs of each kind and noise for each of the seeds ",
	       (unsigned long long)outcome->series, (unsigned long long)outcome->runs);
	for (size_t s = 0; s < outcome->nr_seeds; s++)
		printf("%s%llu", s ? ", " : "", (unsigned long long)outcome->seeds[s]);
	printf(";\nalpha %g, segments of %zu runs or more, least effect %g %%\n\n",
	       change_rules_default.alpha, change_rules_default.min_segment,
	       100 * change_rules_default.min_effect);
}

static void print_notes(const struct outcome *outcome)
{
	struct promise worst = outcome_worst(outcome);

	putchar('\n');
	wrap_printf(stdout, 11, "false", "false alarms per 100 runs in series without a step");
	wrap_printf(stdout, 11, "at step",
		    "the same in series with a step of 10 %%, before it and after it");
	wrap_printf(stdout, 11, "10 % step",
		    "share of the steps, up or down, that are found at most %d runs after they "
		    "happen and at most %d runs off their place; once: at the end of the series",
		    SIMULATED_SOON, SIMULATED_CLOSE);
	wrap_printf(stdout, 11, "after",
		    "runs at the new level until a step of 10 %% was found, on average of those "
		    "found");
	wrap_printf(stdout, 11, "drift",
		    "share of slow changes by 10 %%, over half of the series, that raise an alarm");
	wrap_printf(stdout, 11, "once", "searched once, when the series is complete");
	wrap_printf(stdout, 11, "last 10",
		    "their median; the interval is where 95 %% of normal values fall");
	putchar('\n');
	wrap_printf(
		stdout, 0, "",
		"Change points, worst seed and noise: %.3f false alarms per 100 runs (promised: at "
		"most %g), %.1f %% of 10 %% steps found (at least %g %%). %d series of %d runs "
		"searched in %.2f s (less than %g s).",
		worst.alarms_false, promised.alarms_false, 100 * worst.found, 100 * promised.found,
		SPEED_SERIES, SPEED_RUNS, worst.seconds, promised.seconds);
}

int outcome_print_table(const struct outcome *outcome)
{
	struct table *table = table_new();
	int ret;

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		table_column(table, titles[i], i ? ALIGN_RIGHT : ALIGN_LEFT);
	for (size_t k = 0; k < NR_NOISES; k++) {
		table_heading(table, 3, "--", noises[k].title);
		for (size_t g = 0; g < NR_GATES; g++)
			add_row(table, outcome, k, g);
	}
	print_head(outcome);
	ret = table_print(table, stdout);
	table_free(table);
	if (!ret)
		print_notes(outcome);
	return ret;
}

static json_t *score_to_json(const struct outcome *outcome, const size_t at[4])
{
	const struct score *score = &outcome->scores[at[0]][at[1]][at[2]][at[3]];

	return json_pack("{s:I, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:f}", "seed",
			 (json_int_t)outcome->seeds[at[0]], "noise", noises[at[1]].title,
			 "watched_by", gates[at[2]].title, "kind", plans[at[3]].title, "series",
			 (json_int_t)score->series, "runs", (json_int_t)score->runs, "false_alarms",
			 (json_int_t)score->alarms_false, "found", (json_int_t)score->found,
			 "runs_until_found", (json_int_t)score->runs_until_found,
			 "false_alarms_per_100_runs", score_per_100_runs(score), "share_found",
			 score_share_found(score));
}

static json_t *scores_to_json(const struct outcome *outcome)
{
	const size_t nr = outcome->nr_seeds * NR_NOISES * NR_GATES * NR_PLANS;
	json_t *list = json_array();

	for (size_t i = 0; i < nr && list; i++) {
		const size_t at[4] = {i / NR_PLANS / NR_GATES / NR_NOISES,
				      i / NR_PLANS / NR_GATES % NR_NOISES, i / NR_PLANS % NR_GATES,
				      i % NR_PLANS};

		if (json_array_append_new(list, score_to_json(outcome, at)) < 0) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

static json_t *promise_to_json(const struct promise *promise)
{
	return json_pack("{s:f, s:f, s:f}", "false_alarms_per_100_runs", promise->alarms_false,
			 "share_found", promise->found, "search_seconds", promise->seconds);
}

int outcome_print_json(const struct outcome *outcome)
{
	struct promise worst = outcome_worst(outcome);
	json_t *document = json_pack(
		"{s:{s:f, s:I, s:f}, s:o, s:o, s:o}", "rules", "alpha", change_rules_default.alpha,
		"min_segment", (json_int_t)change_rules_default.min_segment, "min_effect",
		change_rules_default.min_effect, "promised", promise_to_json(&promised), "worst",
		promise_to_json(&worst), "scores", scores_to_json(outcome));
	int ret = -ENOMEM;

	if (document)
		ret = json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) < 0
			      ? -EIO
			      : 0;
	if (!ret && putchar('\n') == EOF)
		ret = -EIO;
	json_decref(document);
	return ret;
}
