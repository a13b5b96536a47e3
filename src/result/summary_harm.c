// SPDX-License-Identifier: MIT
/*
 * See summary_backend.h: harm to others, over all processes. Delays of all processes are merged, as
 * latencies are. What tasks lost is worked out for each pair of slices, which lie side by side in
 * time; of a process's pairs the median stands for it, and the processes are the observations.
 */
#include "result/document.h"
#include "result/summary_backend.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const sides[] = {"without", "with"};
static const char *const places[] = {"apart", "beside"};

void harm_summary_init(struct harm_summary *harm)
{
	*harm = (struct harm_summary){.any = false};
	for (size_t p = 0; p < NR_HARM_PLACES; p++) {
		struct harm_place_summary *place = &harm->place[p];

		for (size_t i = 0; i < NR_HARM_FIGURES; i++)
			place->figure[i] = NAN;
		place->lost_low = place->lost_high = place->lost_least = place->lost_most = NAN;
	}
}

static int keep(struct process_values *values, double value)
{
	double *grown;

	if (isnan(value))
		return 0;
	grown = realloc(values->v, (values->nr + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	values->v = grown;
	grown[values->nr++] = value;
	return 0;
}

static double rate_at(const json_t *rates, size_t side, size_t slice)
{
	return json_number_value(json_array_get(json_object_get(rates, sides[side]), slice));
}

/* The median of a side's slices. */
static int keep_rate(struct process_values *values, const json_t *rates, size_t side,
		     double numerator)
{
	struct process_values slices = {NULL, 0};
	size_t nr = json_array_size(json_object_get(rates, sides[side]));
	int r = 0;

	for (size_t i = 0; !r && i < nr; i++)
		r = keep(&slices, rate_at(rates, side, i));
	if (!r && slices.nr) {
		double middle = median(slices.v, slices.nr);

		/* A time where there is something to divide: none for a task that stood still. */
		if (numerator > 0)
			middle = middle > 0 ? numerator / middle : NAN;
		r = keep(values, middle);
	}
	free(slices.v);
	return r;
}

static int keep_lost(struct harm_place_summary *place, const json_t *charges)
{
	struct process_values pairs = {NULL, 0};
	size_t nr = json_array_size(json_object_get(charges, sides[0]));
	int r = 0;

	for (size_t i = 0; !r && i < nr; i++) {
		double without = rate_at(charges, 0, i), with = rate_at(charges, 1, i);
		double lost = without > 0 ? 1 - with / without : NAN;

		place->lost_least = fmin(place->lost_least, lost);
		place->lost_most = fmax(place->lost_most, lost);
		r = keep(&pairs, lost);
	}
	if (!r && pairs.nr)
		r = keep(&place->values[HARM_LOST], median(pairs.v, pairs.nr));
	free(pairs.v);
	return r;
}

static int add_place(struct harm_place_summary *place, const json_t *json, double pages)
{
	const json_t *charges = json_object_get(json, "charges_per_s");
	const json_t *touches = json_object_get(json, "touches_per_s");
	int r = 0;

	if (!json_is_object(json))
		return 0;
	place->tasks = (unsigned)json_whole_at(json, "tasks");
	pages *= place->tasks;
	r |= keep_rate(&place->values[HARM_CHARGES_WITHOUT], charges, 0, 0);
	r |= keep_rate(&place->values[HARM_CHARGES_WITH], charges, 1, 0);
	r |= keep_rate(&place->values[HARM_ROUND_WITHOUT], touches, 0, pages * 1e9);
	r |= keep_rate(&place->values[HARM_ROUND_WITH], touches, 1, pages * 1e9);
	return r | keep_lost(place, charges);
}

static int add_late(struct histogram **into, const json_t *late)
{
	const char *text = json_string_value(json_object_get(late, "histogram"));
	struct histogram *more;
	int r = histogram_decode(text, &more);

	if (r || !*into) {
		*into = r ? *into : more;
		return r;
	}
	r = histogram_merge(*into, more);
	histogram_free(more);
	return r;
}

int harm_summary_add(struct harm_summary *harm, const json_t *result)
{
	const json_t *json = json_object_get(result, "harm");
	/* one key with a dot in it, not a path */
	double pages = json_number_value(
		json_object_get(json_at(result, "point.parameters"), "harm.pages"));
	const char *policy = json_string_value(json_at(json, "victim.policy"));
	int r = 0;

	if (!json_is_object(json))
		return 0;
	harm->any = true;
	harm->reads += json_whole_at(json, "reads");
	harm->period_ns = json_whole_at(json, "victim.period_ns");
	harm->limit_bytes = json_whole_at(json, "tasks.limit_bytes");
	snprintf(harm->policy, sizeof(harm->policy), "%s", policy);
	for (size_t i = 0; !r && i < NR_HARM_SIDES; i++) {
		char path[24];

		snprintf(path, sizeof(path), "seconds.%s", sides[i]);
		harm->seconds[i] += json_number_at(json, path);
		snprintf(path, sizeof(path), "victim.%s", sides[i]);
		r = add_late(&harm->late[i], json_at(json, path));
	}
	for (size_t i = 0; !r && i < NR_HARM_PLACES; i++)
		r = add_place(&harm->place[i],
			      json_object_get(json_object_get(json, "tasks"), places[i]), pages);
	return r;
}

static void end_place(struct harm_place_summary *place)
{
	for (size_t i = 0; i < NR_HARM_FIGURES; i++) {
		struct process_values *values = &place->values[i];
		struct median_interval interval;

		if (values->nr && median_interval(values->v, values->nr, &interval) &&
		    i == HARM_LOST) {
			place->lost_low = interval.low;
			place->lost_high = interval.high;
		}
		if (values->nr)
			place->figure[i] = interval.median;
		free(values->v);
		*values = (struct process_values){NULL, 0};
	}
}

void harm_summary_end(struct harm_summary *harm)
{
	for (size_t i = 0; i < NR_HARM_PLACES; i++)
		end_place(&harm->place[i]);
}

void harm_summary_fini(struct harm_summary *harm)
{
	for (size_t i = 0; i < NR_HARM_SIDES; i++)
		histogram_free(harm->late[i]);
}

double harm_late_p99_of(const json_t *result)
{
	struct histogram *late = NULL;
	double p99 = NAN;

	/* Of a result that was checked, only memory can be missing. */
	if (json_is_object(json_at(result, "harm.victim.with")) &&
	    !add_late(&late, json_at(result, "harm.victim.with")) &&
	    histogram_count(late) >= samples_needed(0.99))
		p99 = histogram_quantile_ns(late, 0.99);
	histogram_free(late);
	return p99;
}

double harm_charges_of(const json_t *result)
{
	const json_t *tasks = json_at(result, "harm.tasks"), *place = NULL;
	struct process_values values = {NULL, 0};
	double charges = NAN;

	for (size_t i = 0; !json_is_object(place) && i < NR_HARM_PLACES; i++)
		place = json_object_get(tasks, places[i]);
	if (!keep_rate(&values, json_object_get(place, "charges_per_s"), HARM_WITH, 0) && values.nr)
		charges = values.v[0];
	free(values.v);
	return charges;
}

double harm_late_ns(const struct harm_summary *harm, enum harm_side side, double q)
{
	const struct histogram *late = harm->late[side];

	if (!late || (q < 1 && histogram_count(late) < samples_needed(q)))
		return NAN;
	return histogram_quantile_ns(late, q);
}

static json_t *late_to_json(const struct harm_summary *harm, enum harm_side side)
{
	return json_pack("{s:I, s:o, s:o, s:o}", "wakeups",
			 (json_int_t)histogram_count(harm->late[side]), "p50_ns",
			 json_real_or_null(harm_late_ns(harm, side, 0.5)), "p99_ns",
			 json_real_or_null(harm_late_ns(harm, side, 0.99)), "max_ns",
			 json_real_or_null(harm_late_ns(harm, side, 1)));
}

static json_t *place_to_json(const struct harm_place_summary *place)
{
	const double *figure = place->figure;

	if (!place->tasks)
		return json_null();
	/* clang-format off */
	return json_pack("{s:i, s:{s:o, s:o}, s:{s:o, s:o}, s:o, s:o, s:o, s:o, s:o}",
			 "tasks", (int)place->tasks,
			 "charges_per_s",
				"without", json_real_or_null(figure[HARM_CHARGES_WITHOUT]),
				"with", json_real_or_null(figure[HARM_CHARGES_WITH]),
			 "round_ns",
				"without", json_real_or_null(figure[HARM_ROUND_WITHOUT]),
				"with", json_real_or_null(figure[HARM_ROUND_WITH]),
			 "lost", json_real_or_null(figure[HARM_LOST]),
			 "lost_low", json_real_or_null(place->lost_low),
			 "lost_high", json_real_or_null(place->lost_high),
			 "lost_least", json_real_or_null(place->lost_least),
			 "lost_most", json_real_or_null(place->lost_most));
	/* clang-format on */
}

json_t *harm_summary_to_json(const struct harm_summary *harm)
{
	json_t *tasks = json_null();

	if (!harm->any)
		return tasks;
	if (harm->place[HARM_APART].tasks || harm->place[HARM_BESIDE].tasks)
		tasks = json_pack("{s:o, s:o, s:o}", "limit_bytes",
				  harm->limit_bytes ? json_integer((json_int_t)harm->limit_bytes)
						    : json_null(),
				  places[HARM_APART], place_to_json(&harm->place[HARM_APART]),
				  places[HARM_BESIDE], place_to_json(&harm->place[HARM_BESIDE]));
	/* clang-format off */
	return json_pack("{s:{s:f, s:f}, s:I, s:{s:s, s:I, s:o, s:o}, s:o}",
			 "seconds",
				"without", harm->seconds[HARM_WITHOUT],
				"with", harm->seconds[HARM_WITH],
			 "reads", (json_int_t)harm->reads,
			 "victim",
				"policy", harm->policy,
				"period_ns", (json_int_t)harm->period_ns,
				"without", late_to_json(harm, HARM_WITHOUT),
				"with", late_to_json(harm, HARM_WITH),
			 "tasks", tasks);
	/* clang-format on */
}
