// SPDX-License-Identifier: MIT
/*
 * See result_check.h. People edit files, and results are evidence: whatever is said twice in a file
 * must be the same both times. The rules are those of the code that writes results: the sampler
 * (driver/sampler.c), the oracle's comparison, the placement's verification.
 *
 * Numbers are written with 12 digits, and values in a histogram are known up to their bucket. Each
 * rule allows for exactly that.
 */
#include "result/result_check.h"

#include "result/update_kinds.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a)      (sizeof(a) / sizeof((a)[0]))
#define DIGITS        1e-9 /* more than what 12 digits round away */
#define CLOCKS_AGREE  0.005 /* or the driver takes the repetition for failed */
#define BUCKET        (1.0 / 256) /* the width of a bucket, as a share of its values */
#define NODES_AT_MOST MAX_NODES

/* One result under examination. */
struct exam {
	const struct document *document;
	const struct point *point;
	const struct histogram *latency;
	double samples, batch, readers; /* sampling.* */
	struct error *err;
};

static double number_at(const struct exam *exam, const char *path)
{
	return json_number_at(exam->document->json, path);
}

static bool is_true_of_both(double a, double b)
{
	return isnan(a) || isnan(b) || fabs(a - b) <= DIGITS * fmax(fabs(a), fabs(b));
}

/* The bounds of the buckets that hold the two middle values (the same, of an odd number). */
struct middle {
	uint64_t ranks[2], below;
	double low[2], high[2];
};

static void find_middle(void *arg, double low_ns, double high_ns, uint64_t count)
{
	struct middle *middle = arg;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t rank = middle->ranks[i];

		if (rank <= middle->below || rank > middle->below + count)
			continue;
		middle->low[i] = low_ns;
		middle->high[i] = high_ns;
	}
	middle->below += count;
}

/* The median is exact, the histogram knows between which values it must lie. */
static int check_median(const struct exam *exam)
{
	uint64_t count = histogram_count(exam->latency);
	struct middle middle = {.ranks = {(count + 1) / 2, count / 2 + 1}};
	double least = (double)histogram_min_ps(exam->latency) / 1000;
	double most = (double)(histogram_max_ps(exam->latency) + 1) / 1000;
	double median = number_at(exam, "latency.median_ns");

	histogram_each(exam->latency, find_middle, &middle);
	least = fmax(least, (middle.low[0] + middle.low[1]) / 2);
	most = fmin(most, (middle.high[0] + middle.high[1]) / 2);
	if (median >= least * (1 - DIGITS) && median <= most * (1 + DIGITS))
		return 0;
	return document_fault(exam->document, "latency.median_ns", exam->err,
			      "%.12g is not the histogram's median, which is %.12g to %.12g",
			      median, least, most);
}

/* Of one reader, the histogram is that whose mean is written; of more, it is that of all. */
static int check_means(const struct exam *exam)
{
	double mean = number_at(exam, "sampling.histogram_mean_ns");
	double benchmark = number_at(exam, "sampling.benchmark_mean_ns");
	double all = histogram_mean_ns(exam->latency);
	/* A bucket's middle may lie beyond the outermost value in it. */
	double least = (double)histogram_min_ps(exam->latency) / 1000 * (1 - BUCKET);
	double most = (double)histogram_max_ps(exam->latency) / 1000 * (1 + BUCKET) + 0.001;

	if (exam->readers == 1 && !is_true_of_both(mean, all))
		return document_fault(exam->document, "sampling.histogram_mean_ns", exam->err,
				      "%.12g is not the histogram's mean, %.12g", mean, all);
	if (mean < least || mean > most || mean > exam->readers * all * (1 + DIGITS))
		return document_fault(exam->document, "sampling.histogram_mean_ns", exam->err,
				      "%.12g cannot be the mean of a reader whose samples are in "
				      "the histogram",
				      mean);
	if (fabs(mean / benchmark - 1) > CLOCKS_AGREE * (1 + DIGITS))
		return document_fault(exam->document, "sampling.benchmark_mean_ns", exam->err,
				      "%.12g is more than %g %% off histogram_mean_ns, %.12g",
				      benchmark, 100 * CLOCKS_AGREE, mean);
	return 0;
}

/* What the scenario asked for, and what was done. */
static int check_sampling(const struct exam *exam)
{
	const json_t *sampling = json_object_get(exam->document->json, "sampling");
	const json_t *cpus = json_at(exam->document->json, "placement.reader_cpus");
	const struct point *point = exam->point;

	if (exam->readers != point->read.readers)
		return document_fault(exam->document, "sampling.readers", exam->err,
				      "%.0f is not what read.readers says, %u", exam->readers,
				      point->read.readers);
	if (json_is_array(cpus) && json_array_size(cpus) != point->read.readers)
		return document_fault(exam->document, "placement.reader_cpus", exam->err,
				      "are not one for each reader");
	if (point->read.cache == CACHE_COLD && exam->batch > 1)
		return document_fault(exam->document, "sampling.reads_per_sample", exam->err,
				      "is more than 1, and the second read was not cold");
	if (point->read.spills && exam->batch > 1)
		return document_fault(exam->document, "sampling.reads_per_sample", exam->err,
				      "is more than 1, and no spill was before the second read");
	if (point->read.cache == CACHE_HOT &&
	    json_is_string(json_object_get(sampling, "cold_method")))
		return document_fault(exam->document, "sampling.cold_method", exam->err,
				      "is there, though read.cache is hot");
	if (number_at(exam, "sampling.late") > exam->samples * exam->readers ||
	    (!point->read.pacing_ns && number_at(exam, "sampling.late") > 0))
		return document_fault(exam->document, "sampling.late", exam->err,
				      "are more than samples that were due at a time");
	return 0;
}

static int check_parts(const struct exam *exam)
{
	const struct point *point = exam->point;

	if (!(point_rows(point) & ROWS_LOCAL) && !isnan(number_at(exam, "parts.local_ns")))
		return document_fault(exam->document, "parts.local_ns", exam->err,
				      "is there, though read.rows has no local rows");
	if (point->read.form != FORM_TEXT && !isnan(number_at(exam, "parts.format_ns")))
		return document_fault(exam->document, "parts.format_ns", exam->err,
				      "is there, though read.form is no text");
	return 0;
}

static int check_counts(const struct exam *exam)
{
	const struct point *point = exam->point;
	double text = number_at(exam, "counts.text_bytes");

	if (!isnan(text) && (text > 0) != (point->read.form == FORM_TEXT))
		return document_fault(exam->document, "counts.text_bytes", exam->err,
				      "is %.0f, though read.form is %s", text,
				      point->read.form == FORM_TEXT ? "a text" : "no text");
	if (number_at(exam, "counts.shows") > 0 && point->read.form != FORM_TEXT)
		return document_fault(exam->document, "counts.shows", exam->err,
				      "are some, though read.form is no text");
	if (!(point_rows(point) & ROWS_LOCAL) && number_at(exam, "counts.loads_local") > 0)
		return document_fault(exam->document, "counts.loads_local", exam->err,
				      "are some, though read.rows has no local rows");
	return 0;
}

/* The cell with the largest share of its bound: when it is within, all are. */
static int check_error(const struct exam *exam, const char *key)
{
	const json_t *error = json_at(exam->document->json, key);
	double pages = json_number_at(error, "pages"), bound = json_number_at(error, "bound_pages");
	double value = json_number_at(error, "value"), truth = json_number_at(error, "truth");
	double beyond = json_number_at(error, "cells_beyond_bound");
	char path[48];

	if (fabs(fabs(value - truth) - pages) > 0.5) {
		snprintf(path, sizeof(path), "%s.pages", key);
		return document_fault(exam->document, path, exam->err,
				      "%.0f is not the difference of value and truth, %.0f", pages,
				      fabs(value - truth));
	}
	if (!isnan(beyond) && (beyond > 0) != (pages > bound)) {
		snprintf(path, sizeof(path), "%s.cells_beyond_bound", key);
		return document_fault(exam->document, path, exam->err,
				      "is %.0f, though the worst cell is off by %.0f pages of %.0f "
				      "allowed",
				      beyond, pages, bound);
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Said to be real where two modelled nodes lie on one real node? */
static bool shares_nodes(const json_t *nodes)
{
	double os_index[NODES_AT_MOST];
	size_t nr = json_array_size(nodes);

	if (nr > NODES_AT_MOST)
		return true;
	for (size_t i = 0; i < nr; i++)
		os_index[i] = json_number_at(json_array_get(nodes, i), "os_index");
	qsort(os_index, nr, sizeof(*os_index), by_value);
	for (size_t i = 1; i < nr; i++)
		if (os_index[i] == os_index[i - 1])
			return true;
	return false;
}

static int check_bytes(const struct exam *exam, const json_t *found, const char *key)
{
	const json_t *nodes = json_object_get(found, "nodes");
	double all = json_number_at(found, key), sum = 0;
	char path[64];

	for (size_t i = 0; i < json_array_size(nodes); i++)
		sum += json_number_at(json_array_get(nodes, i), key);
	if (!json_is_array(nodes) || is_true_of_both(all, sum))
		return 0;
	snprintf(path, sizeof(path), "placement.found.%s", key);
	return document_fault(exam->document, path, exam->err,
			      "%.0f is not the sum of the nodes', %.0f", all, sum);
}

static int check_placement(const struct exam *exam)
{
	static const char *const words[] = {[PLACEMENT_REAL] = "real", [PLACEMENT_FOLD] = "fold"};
	const json_t *placement = json_object_get(exam->document->json, "placement");
	const json_t *found = json_object_get(placement, "found");
	const char *asked = json_string_value(json_object_get(placement, "asked"));
	const char *word = json_string_value(json_object_get(found, "placement"));
	double bytes = json_number_at(found, "bytes");
	int r;

	if (strcmp(asked, words[exam->point->machine.placement]))
		return document_fault(exam->document, "placement.asked", exam->err,
				      "'%s' is not what machine.placement says, %s", asked,
				      words[exam->point->machine.placement]);
	if (word && !strcmp(word, "real") && shares_nodes(json_object_get(found, "nodes")))
		return document_fault(exam->document, "placement.found.placement", exam->err,
				      "is real, though two nodes lie on one");
	r = check_bytes(exam, found, "bytes");
	if (!r)
		r = check_bytes(exam, found, "bytes_misplaced");
	if (r)
		return r;
	if (json_number_at(found, "bytes_misplaced") > bytes ||
	    json_number_at(found, "bytes_unknown") > bytes ||
	    json_number_at(found, "huge_bytes") > bytes)
		return document_fault(exam->document, "placement.found.bytes", exam->err,
				      "are fewer than a part of them");
	if (!is_true_of_both(number_at(exam, "memory.bytes"), bytes))
		return document_fault(exam->document, "memory.bytes", exam->err,
				      "%.0f is not placement.found.bytes, %.0f",
				      number_at(exam, "memory.bytes"), bytes);
	return 0;
}

/* Steps lie within the process, and samples within their step. */
static int check_times(const struct exam *exam)
{
	static const char *const steps[] = {
		"create_ns", "verify_ns", "populate_ns", "count_ns", "pilot_ns",   "measure_ns",
		"parts_ns",  "update_ns", "truth_ns",    "harm_ns",  "destroy_ns",
	};
	static const char *const at_work[] = {"writers.seconds", "churn.seconds",
					      "flusher.seconds"};
	const json_t *times = json_object_get(exam->document->json, "times");
	double total = json_number_at(times, "total_ns"), sum = 0;
	double reads = exam->samples * exam->batch;

	for (size_t i = 0; i < COUNT(steps); i++) {
		double ns = json_number_at(times, steps[i]);

		sum += isnan(ns) ? 0 : ns;
	}
	if (sum > total)
		return document_fault(exam->document, "times.total_ns", exam->err,
				      "%.0f is less than all steps together, %.0f", total, sum);
	if (total > json_number_at(times, "process_ns"))
		return document_fault(exam->document, "times.process_ns", exam->err,
				      "is less than total_ns, which it holds");
	/* the means are of bucket middles */
	if (number_at(exam, "sampling.histogram_mean_ns") * reads * (1 - BUCKET) >
	    json_number_at(times, "measure_ns"))
		return document_fault(exam->document, "times.measure_ns", exam->err,
				      "is less than the samples took together");
	/* at least half of the updates took the median or more */
	if (number_at(exam, "update.median_ns") * number_at(exam, "update.updates") / 2 +
		    update_kinds_least_ns(exam->document) >
	    json_number_at(times, "update_ns"))
		return document_fault(exam->document, "times.update_ns", exam->err,
				      "is less than the updates took together");
	for (size_t i = 0; i < COUNT(at_work); i++)
		if (number_at(exam, at_work[i]) * 1e9 * (1 - DIGITS) >
		    json_number_at(times, "measure_ns"))
			return document_fault(exam->document, "times.measure_ns", exam->err,
					      "is less than %s", at_work[i]);
	return 0;
}

static int check_update(const struct exam *exam)
{
	double updates = number_at(exam, "update.updates");
	double batch = number_at(exam, "update.updates_per_sample");

	if (updates < batch || fmod(updates, batch) > 0)
		return document_fault(exam->document, "update.updates", exam->err,
				      "are not a number of samples of updates_per_sample");
	if (number_at(exam, "update.p99_ns") < number_at(exam, "update.median_ns"))
		return document_fault(exam->document, "update.p99_ns", exam->err,
				      "is less than the median");
	return update_kinds_check(exam->document, exam->point, exam->err);
}

/* What writers said that they did, and what the point asked them for. */
static int check_writers(const struct exam *exam)
{
	const json_t *writers = json_object_get(exam->document->json, "writers");
	const char *mix = json_string_value(json_object_get(writers, "mix"));
	const struct point *point = exam->point;
	double nr = json_number_at(writers, "writers"), sum = 0;
	double updates = json_number_at(writers, "updates");
	double batch = json_number_at(writers, "updates_per_sample");
	const json_t *each = json_object_get(writers, "updates_per_s_each");
	char asked[PARAMETER_TEXT_MAX];

	if (!json_is_object(writers))
		return point->write.writers == 0
			       ? 0
			       : document_fault(exam->document, "writers", exam->err,
						"are missing, though write.writers is %u",
						point->write.writers);
	if (nr != point->write.writers || json_array_size(each) != point->write.writers ||
	    json_array_size(json_object_get(writers, "cpus")) != point->write.writers)
		return document_fault(exam->document, "writers.writers", exam->err,
				      "are not as many as write.writers says, %u",
				      point->write.writers);
	if (strcmp(mix, parameter_text(parameter_find("write.mix", 9), point, asked)))
		return document_fault(exam->document, "writers.mix", exam->err,
				      "'%s' is not what write.mix says, %s", mix, asked);
	if (updates < batch || fmod(updates, batch) > 0)
		return document_fault(exam->document, "writers.updates", exam->err,
				      "are not a number of samples of updates_per_sample");
	if (json_number_at(writers, "p99_batch_ns") < json_number_at(writers, "median_ns"))
		return document_fault(exam->document, "writers.p99_batch_ns", exam->err,
				      "is less than the median");
	for (size_t i = 0; i < json_array_size(each); i++)
		sum += json_number_value(json_array_get(each, i));
	if (!is_true_of_both(json_number_at(writers, "updates_per_s"), sum))
		return document_fault(exam->document, "writers.updates_per_s", exam->err,
				      "%.12g is not the sum of each one's, %.12g",
				      json_number_at(writers, "updates_per_s"), sum);
	/* the least that fits: the longest at work was so long, the others no longer */
	if (updates > sum * json_number_at(writers, "seconds") * (1 + DIGITS))
		return document_fault(exam->document, "writers.seconds", exam->err,
				      "are too few for the updates");
	if (json_number_at(writers, "behind") > updates / batch ||
	    (!point->write.rate && json_number_at(writers, "behind") > 0))
		return document_fault(exam->document, "writers.behind", exam->err,
				      "are more than batches that were due at a time");
	return 0;
}

/* What the churner did, and whether the point has one. */
static int check_churn(const struct exam *exam)
{
	const json_t *churn = json_object_get(exam->document->json, "churn");
	const struct point *point = exam->point;

	if (json_is_object(churn) != (point->write.churn > 0))
		return document_fault(exam->document, "churn", exam->err,
				      "is not there where write.churn is above 0, and only there");
	if (!json_is_object(churn))
		return 0;
	if (json_number_at(churn, "lingering") != point->write.linger)
		return document_fault(exam->document, "churn.lingering", exam->err,
				      "is not what write.linger says, %u", point->write.linger);
	if (json_number_at(churn, "created") != json_number_at(churn, "removed"))
		return document_fault(exam->document, "churn.removed", exam->err,
				      "are not as many as were created, while as many linger");
	if (json_number_at(churn, "behind") > json_number_at(churn, "created"))
		return document_fault(exam->document, "churn.behind", exam->err,
				      "are more than were created");
	if (json_number_at(churn, "create_p99_ns") < json_number_at(churn, "create_ns") ||
	    json_number_at(churn, "remove_p99_ns") < json_number_at(churn, "remove_ns"))
		return document_fault(exam->document, "churn.create_p99_ns", exam->err,
				      "or remove_p99_ns is less than the median");
	return 0;
}

static int check_host(const struct exam *exam)
{
	const json_t *json = exam->document->json;
	const char *class = json_string_value(json_object_get(json, "host_class"));
	const char *same = json_string_value(json_at(json, "context.host_class"));

	if (!same || !strcmp(class, same))
		return 0;
	return document_fault(exam->document, "host_class", exam->err,
			      "'%.120s' is not what context.host_class says, '%.120s'", class,
			      same);
}

int result_check(const struct document *document, const struct point *point,
		 const struct histogram *latency, struct error *err)
{
	static int (*const checks[])(const struct exam *exam) = {
		check_sampling, check_median,  check_means,     check_parts,
		check_counts,   check_host,    check_placement, check_times,
		check_update,   check_writers, check_churn,
	};
	struct exam exam = {document, point, latency, 0, 0, 0, err};
	int r;

	exam.samples = number_at(&exam, "sampling.samples");
	exam.batch = number_at(&exam, "sampling.reads_per_sample");
	exam.readers = number_at(&exam, "sampling.readers");
	for (size_t i = 0; i < COUNT(checks); i++) {
		r = checks[i](&exam);
		if (r)
			return r;
	}
	r = check_error(&exam, "error");
	if (!r)
		r = check_error(&exam, "local_error");
	if (!r)
		r = check_error(&exam, "writers.error");
	if (!r)
		r = check_error(&exam, "churn.error");
	if (!r)
		r = result_check_locks(document, point, err);
	if (!r)
		r = result_check_harm(document, point, err);
	return r ? r : result_check_truth(document, point, err);
}
