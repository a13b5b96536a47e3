// SPDX-License-Identifier: MIT
/*
 * history_search() of history.h. A track is what all records hold of one point and back end on one
 * host class; each metric makes a series of it.
 */
#include "verdict/history.h"

#include "stats/order.h"
#include "stats/rank_test.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct track {
	const char *host_class, *backend;
	const struct point *point; /* of the newest record that has it */
	size_t order; /* by appearance, the newest record first */
	size_t nr, room;
	struct place {
		const struct record *record;
		const struct record_cell *cell;
	} * places; /* [nr] by time; as long as they are counted, NULL */
};

struct tracks {
	void *index; /* of tsearch() */
	size_t nr, room;
	struct track **list;
};

size_t history_least_values(void)
{
	const struct change_rules *rules = &change_rules_default;
	size_t n = 2 * rules->min_segment;

	while (rank_test_least_p(n / 2, n - n / 2) >= rules->alpha)
		n++;
	return n;
}

bool series_change_is_worse(const struct series *series, const struct change *change)
{
	return series->metric->better == BETTER_LOWER ? change->after > change->before
						      : change->after < change->before;
}

static int compare_tracks(const void *a, const void *b)
{
	const struct track *x = a, *y = b;
	int order = strcmp(x->point->id, y->point->id);

	if (!order)
		order = strcmp(x->backend, y->backend);
	return order ? order : strcmp(x->host_class, y->host_class);
}

static int by_class_then_order(const void *a, const void *b)
{
	const struct track *x = *(struct track *const *)a, *y = *(struct track *const *)b;
	int order = strcmp(x->host_class, y->host_class);

	if (order)
		return order;
	return x->order < y->order ? -1 : 1;
}

static int add_track(struct tracks *tracks, const struct track *key)
{
	struct track *track = malloc(sizeof(*track));

	if (!track)
		return -ENOMEM;
	*track = *key;
	track->order = tracks->nr;
	if (tracks->nr == tracks->room) {
		size_t room = tracks->room ? 2 * tracks->room : 64;
		struct track **grown = realloc(tracks->list, room * sizeof(*grown));

		if (grown) {
			tracks->list = grown;
			tracks->room = room;
		}
	}
	if (tracks->nr == tracks->room || !tsearch(track, &tracks->index, compare_tracks)) {
		free(track);
		return -ENOMEM;
	}
	tracks->list[tracks->nr++] = track;
	return 0;
}

static struct track *find_track(const struct tracks *tracks, const struct record *record,
				const struct record_cell *cell, struct track *key)
{
	struct track **found;

	*key = (struct track){
		.host_class = record->host_class, .backend = cell->backend, .point = cell->point};
	found = tfind(key, &tracks->index, compare_tracks);
	return found ? *found : NULL;
}

/* The newest record first: its order is the one that people know. */
static int count_places(const struct history *history, struct tracks *tracks)
{
	for (size_t r = history->nr_records; r-- > 0;) {
		const struct record *record = history->records[r];

		for (size_t c = 0; c < record->nr_cells; c++) {
			struct track key, *track;

			track = find_track(tracks, record, &record->cells[c], &key);
			if (!track && add_track(tracks, &key))
				return -ENOMEM;
			track = track ? track : tracks->list[tracks->nr - 1];
			track->room++;
		}
	}
	return 0;
}

static int fill_places(const struct history *history, struct tracks *tracks)
{
	for (size_t t = 0; t < tracks->nr; t++) {
		struct track *track = tracks->list[t];

		track->places = calloc(track->room, sizeof(*track->places));
		if (!track->places)
			return -ENOMEM;
	}
	for (size_t r = 0; r < history->nr_records; r++) {
		const struct record *record = history->records[r];

		for (size_t c = 0; c < record->nr_cells; c++) {
			struct track key, *track;

			track = find_track(tracks, record, &record->cells[c], &key);
			track->places[track->nr++] = (struct place){record, &record->cells[c]};
		}
	}
	return 0;
}

static void leave_alone(void *track)
{
}

static void free_tracks(struct tracks *tracks)
{
	tdestroy(tracks->index, leave_alone); /* the list owns them */
	for (size_t t = 0; t < tracks->nr; t++) {
		free(tracks->list[t]->places);
		free(tracks->list[t]);
	}
	free(tracks->list);
}

/* The median over the processes of a cell that have the metric; false where none has. */
static bool summarize(const struct place *place, const struct metric *metric, double *scratch,
		      struct history_value *out)
{
	const struct record_cell *cell = place->cell;
	struct median_interval interval;
	size_t nr = 0;

	for (unsigned i = 0; i < cell->processes; i++) {
		double value = metric_of(metric, &cell->figures[i]);

		if (isfinite(value))
			scratch[nr++] = value;
	}
	if (!nr)
		return false;
	*out = (struct history_value){
		.record = place->record, .cell = cell, .low = NAN, .high = NAN};
	if (median_interval(scratch, nr, &interval)) {
		out->low = interval.low;
		out->high = interval.high;
	}
	out->median = interval.median;
	return true;
}

/* `series` gets all but the verdict. Without any value it keeps none. */
static int fill_series(const struct track *track, const struct metric *metric,
		       struct series *series)
{
	double *scratch;
	size_t most = 1;

	for (size_t i = 0; i < track->nr; i++)
		if (track->places[i].cell->processes > most)
			most = track->places[i].cell->processes;
	scratch = calloc(most, sizeof(*scratch));
	series->values = calloc(track->nr, sizeof(*series->values));
	if (scratch && series->values)
		for (size_t i = 0; i < track->nr; i++)
			series->nr += summarize(&track->places[i], metric, scratch,
						&series->values[series->nr]);
	free(scratch);
	if (!scratch || !series->values)
		return -ENOMEM;
	series->point = track->point;
	series->backend = track->backend;
	series->host_class = track->host_class;
	series->metric = metric;
	return 0;
}

static int search(struct series *series, double *medians)
{
	struct change_rules rules = change_rules_default;
	int r;

	rules.min_effect = series->min_effect;
	for (size_t i = 0; i < series->nr; i++)
		medians[i] = series->values[i].median;
	if (series->nr < history_least_values()) {
		series->state = SERIES_SHORT;
		return 0;
	}
	r = change_points(medians, series->nr, &rules, &series->changes, &series->nr_changes);
	if (r == -EDOM) {
		series->state = SERIES_NOT_POSITIVE;
		return 0;
	}
	if (!r && series->nr_changes)
		series->worse =
			series_change_is_worse(series, &series->changes[series->nr_changes - 1]);
	return r;
}

static int add_series(struct history *history, const struct track *track,
		      const struct metric *metric, double min_effect)
{
	struct series *series = &history->series[history->nr_series];
	double *medians;
	int r;

	history->nr_series++; /* from here on history_free() takes care of it */
	r = fill_series(track, metric, series);
	if (r)
		return r;
	if (!series->nr) {
		free(series->values);
		*series = (struct series){0};
		history->nr_series--;
		return 0;
	}
	series->noise = noise_find(history->noise, track->host_class, track->point->id,
				   track->backend, metric);
	series->min_effect =
		2 * series->noise > min_effect ? 2 * series->noise : min_effect; /* not of NAN */
	medians = calloc(series->nr, sizeof(*medians));
	r = medians ? search(series, medians) : -ENOMEM;
	free(medians);
	history->worse |= series->worse;
	return r;
}

int history_search(struct history *history, const struct history_options *options)
{
	struct tracks tracks = {0};
	int r = count_places(history, &tracks);

	if (!r)
		r = fill_places(history, &tracks);
	if (!r && tracks.nr)
		qsort(tracks.list, tracks.nr, sizeof(*tracks.list), by_class_then_order);
	if (!r) {
		history->series =
			calloc(tracks.nr * options->nr_metrics + 1, sizeof(*history->series));
		r = history->series ? 0 : -ENOMEM;
	}
	for (size_t t = 0; t < tracks.nr && !r; t++)
		for (size_t m = 0; m < options->nr_metrics && !r; m++)
			r = add_series(history, tracks.list[t], options->metrics[m],
				       options->min_effect);
	free_tracks(&tracks);
	return r;
}
