// SPDX-License-Identifier: MIT
/* See compare_report.h: the document for programs, with every number that was worked out. */
#include "report/compare_report.h"

#include "report/compare_side.h"
#include "report/compare_words.h"
#include "result/document.h"
#include "verdict/gate.h"

#include <errno.h>
#include <stdlib.h>

static json_t *text_or_null(const char *text)
{
	json_t *json = text ? json_string(text) : NULL;

	return json ? json : json_null();
}

static json_t *record_json(const struct record *record)
{
	char started[RECORD_TIME_MAX];

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "path", text_or_null(record->path),
		"scenario", text_or_null(record->scenario), "label", text_or_null(record->label),
		"build_id", text_or_null(record->build_id), "host_class",
		text_or_null(record->host_class), "kernel",
		text_or_null(record_context(record, "kernel")), "cpu_model",
		text_or_null(record_context(record, "cpu_model")), "started_at",
		record->started < 0 ? json_null()
				    : json_string(record_time_text(record->started, started)),
		"repetitions", (int)side_repetitions(record));
}

static json_t *side_json(const struct compared_side *side)
{
	return json_pack("{s:i, s:i, s:o, s:o, s:o, s:o}", "processes", (int)side->processes,
			 "failed", (int)side->failed, "median", json_real_or_null(side->median),
			 "low", json_real_or_null(side->low), "high", json_real_or_null(side->high),
			 "level", json_real_or_null(side->level));
}

static json_t *shift_json(const struct shift *shift)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "estimate", json_real_or_null(shift->estimate),
			 "low", json_real_or_null(shift->low), "high",
			 json_real_or_null(shift->high), "level", json_real_or_null(shift->level));
}

static json_t *comparison_json(const struct comparison *c)
{
	struct relative_change change = comparison_change(c);

	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:I, "
			 "s:s}",
			 "id", c->new_cell->point->id, "backend", c->new_cell->backend, "other",
			 text_or_null(c->other), "base", side_json(&c->base), "new",
			 side_json(&c->new), "change", json_real_or_null(change.estimate),
			 "change_low", json_real_or_null(change.low), "change_high",
			 json_real_or_null(change.high), "shift", shift_json(&c->shift), "factor",
			 shift_json(&c->factor), "p", json_real_or_null(c->p), "q",
			 json_real_or_null(c->q), "exact", (int)c->exact, "needed",
			 (json_int_t)c->needed, "verdict", verdict_word(c->verdict));
}

static json_t *comparisons_json(const struct compare *compare)
{
	json_t *list = json_array();

	for (size_t i = 0; i < compare->nr; i++) {
		if (json_array_append_new(list, comparison_json(&compare->comparisons[i])) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *ratios_json(const struct compare *compare)
{
	json_t *list = json_array();

	for (size_t i = 0; i < compare->nr_ratios; i++) {
		const struct comparison *ratio = &compare->ratios[i];
		const struct comparison *mover = NULL;
		json_t *item = comparison_json(ratio);

		if (ratio->verdict >= VERDICT_IMPROVEMENT)
			mover = compare_ratio_cause(compare, ratio).mover;
		if (json_object_set_new(item, "cause",
					text_or_null(mover ? mover->new_cell->backend : NULL)) <
			    0 ||
		    json_array_append_new(list, item) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* Pairs that are compared by anything, each point once. */
static json_t *points_json(const struct compare *compare)
{
	const struct point *last = NULL;
	json_t *list = json_array();

	for (size_t i = 0; i < compare->new->nr_cells; i++) {
		const struct point *point = compare->new->cells[i].point;

		if (point == last)
			continue;
		last = point;
		if (json_array_append_new(list, json_pack("{s:s, s:o}", "id", point->id,
							  "parameters", point_to_json(point))) <
		    0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *counts_json(const struct compare *compare)
{
	json_t *list = json_array();

	for (size_t i = 0; i < compare->nr_counts; i++) {
		const struct count_difference *count = &compare->counts[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o}", "id",
						      count->new_cell->point->id, "backend",
						      count->new_cell->backend, "name", count->name,
						      "base", count_to_json(count->base), "new",
						      count_to_json(count->new)));
	}
	return json_pack("{s:I, s:o}", "pairs", (json_int_t)compare->nr_counted, "differences",
			 list);
}

static json_t *families_json(const struct compare *compare)
{
	json_t *list = json_array();
	char text[PARAMETER_TEXT_MAX];

	for (size_t i = 0; i < compare->nr_families; i++) {
		const struct family *family = &compare->families[i];
		const struct parameter *parameter = family->parameter;
		json_t *all = parameter ? point_to_json(family->example) : NULL;
		json_t *value = json_object_get(all, parameter ? parameter->name : "");

		if (parameter && !value) /* not a plain value: as ids have it */
			value = json_string(parameter_base_text(parameter, family->example, text));
		else
			json_incref(value);
		json_array_append_new(
			list,
			json_pack("{s:s, s:o, s:o, s:s, s:I, s:I, s:o}", "backend", family->backend,
				  "parameter", text_or_null(parameter ? parameter->name : NULL),
				  "value", value ? value : json_null(), "verdict",
				  verdict_word(family->verdict), "changed",
				  (json_int_t)family->changed, "points", (json_int_t)family->points,
				  "factor", json_real_or_null(family->factor)));
		json_decref(all);
	}
	return list;
}

static json_t *unmatched_json(const struct compare *compare)
{
	json_t *list = json_array();

	for (size_t i = 0; i < compare->nr_unmatched; i++) {
		const struct unmatched *unmatched = &compare->unmatched[i];

		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s}", "id", unmatched->cell->point->id,
						"backend", unmatched->cell->backend, "side",
						unmatched->in_base ? "base" : "new"));
	}
	return list;
}

static json_t *failures_json(const struct compare *compare)
{
	struct gate_failure *failures;
	json_t *list;
	size_t nr;

	if (!compare->options.gate)
		return json_null();
	if (gate_failures(compare, &failures, &nr))
		return NULL;
	list = json_array();
	for (size_t i = 0; i < nr; i++) {
		char *text = gate_failure_text(compare, &failures[i]);

		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "fault",
						      gate_fault_word(failures[i].fault), "id",
						      failures[i].cell->point->id, "backend",
						      failures[i].cell->backend, "text",
						      text_or_null(text)));
		free(text);
	}
	free(failures);
	return list;
}

json_t *compare_to_json(const struct compare *compare)
{
	const struct compare_options *options = &compare->options;
	const struct metric *metric = options->metric;

	/* a part that could not be made is NULL, and then json_pack() makes nothing */
	return json_pack(
		"{s:{s:s, s:i}, s:{s:s, s:s, s:s, s:s}, s:f, s:f, s:b, s:o, s:o, s:b, s:b, s:o, "
		"s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", "name", "memcgbench-compare", "version", 1, "metric", "name",
		metric->name, "title", metric->title, "unit", metric->unit, "better",
		metric->better == BETTER_LOWER ? "lower" : "higher", "alpha", options->alpha,
		"min_effect", options->min_effect, "gate", (int)options->gate, "base",
		record_json(compare->base), "new", record_json(compare->new), "same_class",
		(int)compare->same_class, "worse", (int)compare->worse, "points",
		points_json(compare), "comparisons", comparisons_json(compare), "ratios",
		ratios_json(compare), "counts", counts_json(compare), "families",
		families_json(compare), "unmatched", unmatched_json(compare), "failures",
		failures_json(compare));
}

int compare_json_print(const struct compare *compare, FILE *out)
{
	json_t *document = compare_to_json(compare);
	int r = document ? json_dumpf(document, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) : -1;

	if (document && !r)
		fputc('\n', out);
	json_decref(document);
	if (!document)
		return -ENOMEM;
	return r || ferror(out) ? -EIO : 0;
}
