/* SPDX-License-Identifier: MIT */
/*
 * A log-linear histogram of latencies: each power of two is cut into 256 equal buckets, so that a
 * value read back is off by less than 0.2 % (the bucket's middle is returned). The unit is the
 * picosecond: a 30 ns read divided by its batch keeps three digits more than the clock's tick.
 * Values below 256 ps are exact. The idea is that of HdrHistogram and of fio's stat.h.
 */
#ifndef MEMCGBENCH_STATS_HISTOGRAM_H
#define MEMCGBENCH_STATS_HISTOGRAM_H

#include <stdint.h>

struct histogram; /* grows as needed; only touched octaves take memory */

struct histogram *histogram_new(void); /* NULL: out of memory */
void histogram_free(struct histogram *h);

/* Make room for all values up to `ps`, so that recording them takes no memory. 0 or -ENOMEM. */
int histogram_reserve(struct histogram *h, uint64_t ps);
int histogram_record(struct histogram *h, uint64_t ps); /* 0 or -ENOMEM */
int histogram_merge(struct histogram *into, const struct histogram *from);

uint64_t histogram_count(const struct histogram *h);
double histogram_mean_ns(const struct histogram *h); /* of bucket middles; NAN when empty */
uint64_t histogram_min_ps(const struct histogram *h); /* exact: kept beside the buckets */
uint64_t histogram_max_ps(const struct histogram *h); /* exact */

/* The value at or below which a share q of all values lies, 0 < q <= 1 (nearest rank); NAN when
 * empty. q = 1 is the exact maximum. */
double histogram_quantile_ns(const struct histogram *h, double q);

/*
 * One printable string, no blanks or quotes: version, exact min and max, then bucket:count pairs
 * with the bucket as difference to the one before. Free with free().
 */
char *histogram_encode(const struct histogram *h);
int histogram_decode(const char *text, struct histogram **out); /* 0, -EINVAL, -ENOMEM */

/* Calls `visit` for every bucket with a count, ascending: its bounds in ns and its count. */
void histogram_each(const struct histogram *h,
		    void (*visit)(void *arg, double low_ns, double high_ns, uint64_t count),
		    void *arg);

#endif
