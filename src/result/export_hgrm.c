// SPDX-License-Identifier: MIT
/*
 * HdrHistogram's percentile output (.hgrm), as AbstractHistogram.outputPercentileDistribution()
 * writes it and the plotters read it: percentiles five to each halving of the distance to 100 %,
 * the number of values up to there, and 1/(1-percentile), which the last line has none of.
 *
 * Two things are this program's: values are the middles of their buckets (the library prints upper
 * ends), so that they are the figures of the table; and what a plotter cannot show, the unit above
 * all, is said in comments at the end, where no reader expects a header any more.
 */
#include "result/document.h"
#include "result/export_cells.h"
#include "stats/histogram.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_PER_HALF 5
/* Of the histogram: values below this many ps are exact; the library's SubBuckets. */
#define SUB_BUCKETS 512u

struct distribution {
	FILE *out;
	double min_ns, max_ns, mean_ns;
	double squares; /* of differences to the mean, times count */
	uint64_t total, seen;
	double level; /* the percentile that the next line is for, 0..100 */
};

/* The next level: steps halve with the distance to 100 %. */
static void advance(struct distribution *d)
{
	double halvings = floor(log2(100 / (100 - d->level))) + 1;

	d->level += 100 / (TICKS_PER_HALF * exp2(halvings));
}

static double middle_of(const struct distribution *d, double low_ns, double high_ns)
{
	/* Buckets hold whole picoseconds: the last one is below `high_ns`. */
	double middle = (low_ns + high_ns - 1e-3) / 2;

	return fmin(fmax(middle, d->min_ns), d->max_ns);
}

static void add_squares(void *arg, double low_ns, double high_ns, uint64_t count)
{
	struct distribution *d = arg;
	double difference = middle_of(d, low_ns, high_ns) - d->mean_ns;

	d->squares += difference * difference * (double)count;
}

static void write_lines(void *arg, double low_ns, double high_ns, uint64_t count)
{
	struct distribution *d = arg;

	d->seen += count;
	while (d->seen < d->total && 100.0 * (double)d->seen / (double)d->total >= d->level) {
		fprintf(d->out, "%12.3f %2.12f %10" PRIu64 " %14.2f\n",
			middle_of(d, low_ns, high_ns), d->level / 100, d->seen,
			1 / (1 - d->level / 100));
		advance(d);
	}
	/* The library shows the last bucket once more before it ends with 100 %. */
	if (d->seen == d->total)
		fprintf(d->out, "%12.3f %2.12f %10" PRIu64 " %14.2f\n", d->max_ns, d->level / 100,
			d->seen, 1 / (1 - d->level / 100));
}

static unsigned buckets_for(uint64_t max_ps)
{
	unsigned nr = 1;

	while (max_ps >= SUB_BUCKETS) {
		max_ps >>= 1;
		nr++;
	}
	return nr;
}

static void write_comments(const struct run_summary *summary, const struct point *point,
			   const struct backend_summary *backend, const char *name, FILE *out)
{
	const char *build = json_string_value(json_at(summary->run, "identity.build_id"));
	const char *kernel = json_string_value(json_at(summary->run, "context.kernel"));

	fprintf(out, "# unit: ns per read\n");
	fprintf(out, "# %s (point %s of %s), %u processes\n", name, point->id, summary->scenario,
		backend->processes);
	fprintf(out, "# build %s, kernel %s\n", build, kernel ? kernel : "unknown");
	fprintf(out, "# %s\n", summary->host_class);
}

int export_hgrm(const struct run_summary *summary, const struct point *point,
		const struct backend_summary *backend, FILE *out, struct error *err)
{
	const struct histogram *latency = backend->latency;
	uint64_t max_ps = histogram_max_ps(latency);
	struct distribution d = {
		.out = out,
		.min_ns = (double)histogram_min_ps(latency) / 1e3,
		.max_ns = (double)max_ps / 1e3,
		.mean_ns = histogram_mean_ns(latency),
		.total = histogram_count(latency),
	};
	char *name = export_name(point, backend->backend);

	if (!name)
		return error_set(err, -ENOMEM, "out of memory");
	histogram_each(latency, add_squares, &d);
	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	histogram_each(latency, write_lines, &d);
	fprintf(out, "%12.3f %2.12f %10" PRIu64 "\n", d.max_ns, 1.0, d.total);
	fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", d.mean_ns,
		sqrt(d.squares / (double)d.total));
	fprintf(out, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n", d.max_ns, d.total);
	fprintf(out, "#[Buckets = %12u, SubBuckets     = %12u]\n", buckets_for(max_ps),
		SUB_BUCKETS);
	write_comments(summary, point, backend, name, out);
	free(name);
	return ferror(out) ? error_set(err, -EIO, "cannot write: %s", strerror(errno)) : 0;
}
