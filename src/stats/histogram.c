// SPDX-License-Identifier: MIT
/*
 * Log-linear histogram.
 *
 * Bucket i < 256 holds the value i alone. From there on each octave [2^e, 2^(e+1)), e >= 8, has 256
 * buckets of 2^(e-8) values each, so that half a bucket is at most 1/512 of any value in it.
 * Buckets are numbered through: 256 x (e - 7) + the eight bits below the leading one. Counts are
 * kept in blocks of one octave that are made when first touched: a run of latencies touches a
 * handful.
 */
#include "stats/histogram.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUB_BITS   8
#define SUB        (1u << SUB_BITS)
#define NR_BLOCKS  (64 - SUB_BITS + 1)
#define NR_BUCKETS (NR_BLOCKS * SUB)
#define PS_PER_NS  1000.0

struct histogram {
	uint64_t count;
	uint64_t min_ps, max_ps; /* 0 while empty */
	uint64_t *blocks[NR_BLOCKS];
};

static unsigned bucket_of(uint64_t ps)
{
	unsigned exponent;

	if (ps < SUB)
		return (unsigned)ps;
	exponent = 63 - (unsigned)__builtin_clzll(ps);
	return SUB * (exponent - SUB_BITS + 1) +
	       (unsigned)((ps >> (exponent - SUB_BITS)) & (SUB - 1));
}

static uint64_t bucket_low(unsigned bucket)
{
	unsigned block = bucket / SUB, sub = bucket % SUB;

	if (block == 0)
		return sub;
	return (uint64_t)(SUB + sub) << (block - 1);
}

/* How many values share the bucket. */
static uint64_t bucket_width(unsigned bucket)
{
	unsigned block = bucket / SUB;

	return block == 0 ? 1 : (uint64_t)1 << (block - 1);
}

static double bucket_middle(unsigned bucket)
{
	return (double)bucket_low(bucket) + (double)(bucket_width(bucket) - 1) / 2;
}

static uint64_t bucket_count(const struct histogram *h, unsigned bucket)
{
	const uint64_t *block = h->blocks[bucket / SUB];

	return block ? block[bucket % SUB] : 0;
}

/* The first bucket at or after `from` with a count; NR_BUCKETS where there is none. */
static unsigned next_bucket(const struct histogram *h, unsigned from)
{
	while (from < NR_BUCKETS) {
		const uint64_t *block = h->blocks[from / SUB];
		unsigned end = (from / SUB + 1) * SUB;

		for (; block && from < end; from++)
			if (block[from % SUB])
				return from;
		from = end;
	}
	return from;
}

static int need_block(struct histogram *h, unsigned block)
{
	if (!h->blocks[block])
		h->blocks[block] = calloc(SUB, sizeof(*h->blocks[block]));
	return h->blocks[block] ? 0 : -ENOMEM;
}

struct histogram *histogram_new(void)
{
	return calloc(1, sizeof(struct histogram));
}

void histogram_free(struct histogram *h)
{
	if (!h)
		return;
	for (unsigned i = 0; i < NR_BLOCKS; i++)
		free(h->blocks[i]);
	free(h);
}

int histogram_reserve(struct histogram *h, uint64_t ps)
{
	for (unsigned block = 0; block <= bucket_of(ps) / SUB; block++)
		if (need_block(h, block))
			return -ENOMEM;
	return 0;
}

static void widen(struct histogram *h, uint64_t min_ps, uint64_t max_ps)
{
	if (h->count == 0 || min_ps < h->min_ps)
		h->min_ps = min_ps;
	if (h->count == 0 || max_ps > h->max_ps)
		h->max_ps = max_ps;
}

int histogram_record(struct histogram *h, uint64_t ps)
{
	unsigned bucket = bucket_of(ps);
	int r;

	r = need_block(h, bucket / SUB);
	if (r < 0)
		return r;
	h->blocks[bucket / SUB][bucket % SUB]++;
	widen(h, ps, ps);
	h->count++;
	return 0;
}

/* All or nothing: a merge that fails leaves the counts of `into` as they were. */
int histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (from->count == 0)
		return 0;
	if (from->count > UINT64_MAX - into->count)
		return -EOVERFLOW;
	for (unsigned i = 0; i < NR_BLOCKS; i++) {
		if (from->blocks[i] && need_block(into, i) < 0)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < NR_BLOCKS; i++) {
		for (unsigned k = 0; from->blocks[i] && k < SUB; k++)
			into->blocks[i][k] += from->blocks[i][k];
	}
	widen(into, from->min_ps, from->max_ps);
	into->count += from->count;
	return 0;
}

uint64_t histogram_count(const struct histogram *h)
{
	return h->count;
}

double histogram_mean_ns(const struct histogram *h)
{
	double sum = 0;

	if (h->count == 0)
		return NAN;
	for (unsigned i = next_bucket(h, 0); i < NR_BUCKETS; i = next_bucket(h, i + 1))
		sum += bucket_middle(i) * (double)bucket_count(h, i);
	return sum / (double)h->count / PS_PER_NS;
}

uint64_t histogram_min_ps(const struct histogram *h)
{
	return h->min_ps;
}

uint64_t histogram_max_ps(const struct histogram *h)
{
	return h->max_ps;
}

double histogram_quantile_ns(const struct histogram *h, double q)
{
	uint64_t below = 0;
	double rank, middle;

	if (h->count == 0)
		return NAN;
	if (q >= 1)
		return (double)h->max_ps / PS_PER_NS;
	/* 0.07 x 100 is a little above 7 in binary, and must not become the eighth value. */
	rank = ceil(q * (double)h->count * (1 - 4 * DBL_EPSILON));
	for (unsigned i = next_bucket(h, 0); i < NR_BUCKETS; i = next_bucket(h, i + 1)) {
		below += bucket_count(h, i);
		if ((double)below < rank)
			continue;
		/* The outermost values are known exactly: no answer lies beyond them. */
		middle = bucket_middle(i);
		middle = fmax(middle, (double)h->min_ps);
		middle = fmin(middle, (double)h->max_ps);
		return middle / PS_PER_NS;
	}
	return (double)h->max_ps / PS_PER_NS;
}

void histogram_each(const struct histogram *h,
		    void (*visit)(void *arg, double low_ns, double high_ns, uint64_t count),
		    void *arg)
{
	for (unsigned i = next_bucket(h, 0); i < NR_BUCKETS; i = next_bucket(h, i + 1)) {
		double low = (double)bucket_low(i);

		visit(arg, low / PS_PER_NS, (low + (double)bucket_width(i)) / PS_PER_NS,
		      bucket_count(h, i));
	}
}

/*
 * Text form: `1;MIN;MAX;` and then, separated by commas, `BUCKET:COUNT` for each bucket with a
 * count, BUCKET less the one before. Every histogram has exactly one text: decoding refuses all
 * others, so that a damaged file is never half understood.
 */
char *histogram_encode(const struct histogram *h)
{
	char *text = NULL;
	size_t length;
	const char *separator = "";
	unsigned before = 0;
	FILE *out;
	bool failed;

	out = open_memstream(&text, &length);
	if (!out)
		return NULL;
	fprintf(out, "1;%" PRIu64 ";%" PRIu64 ";", h->min_ps, h->max_ps);
	for (unsigned i = next_bucket(h, 0); i < NR_BUCKETS; i = next_bucket(h, i + 1)) {
		fprintf(out, "%s%u:%" PRIu64, separator, i - before, bucket_count(h, i));
		separator = ",";
		before = i;
	}
	failed = ferror(out) != 0;
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* Decimal digits without a sign or leading zeros, then `end`. Returns what follows; NULL: not so.
 */
static const char *decode_number(const char *text, const char *ends, uint64_t *value, char *end)
{
	const char *p = text;

	*value = 0;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(*value, (uint64_t)10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*p - '0'), value))
			return NULL;
	}
	if (p == text || (*text == '0' && p - text > 1) || !strchr(ends, *p))
		return NULL;
	*end = *p;
	return *p == '\0' ? p : p + 1;
}

static int decode_buckets(const char *text, struct histogram *h)
{
	uint64_t bucket = 0, step, count;
	bool first = true;
	char end = ',';
	int r;

	while (end == ',') {
		text = decode_number(text, ":", &step, &end);
		if (!text || end != ':' || (step == 0 && !first) || step >= NR_BUCKETS - bucket)
			return -EINVAL;
		bucket += step;
		text = decode_number(text, ",", &count, &end);
		if (!text || count == 0 || count > UINT64_MAX - h->count)
			return -EINVAL;
		if (first && bucket_of(h->min_ps) != bucket)
			return -EINVAL;
		r = need_block(h, (unsigned)bucket / SUB);
		if (r < 0)
			return r;
		h->blocks[bucket / SUB][bucket % SUB] = count;
		h->count += count;
		first = false;
	}
	if (bucket_of(h->max_ps) != bucket || h->min_ps > h->max_ps)
		return -EINVAL;
	return h->count == 1 && h->min_ps != h->max_ps ? -EINVAL : 0;
}

int histogram_decode(const char *text, struct histogram **out)
{
	struct histogram *h;
	char end;
	int r = -EINVAL;

	if (strncmp(text, "1;", 2) != 0)
		return -EINVAL;
	h = histogram_new();
	if (!h)
		return -ENOMEM;
	text = decode_number(text + 2, ";", &h->min_ps, &end);
	if (!text || end != ';')
		goto fail;
	text = decode_number(text, ";", &h->max_ps, &end);
	if (!text || end != ';')
		goto fail;
	if (*text == '\0' && (h->min_ps != 0 || h->max_ps != 0))
		goto fail;
	if (*text != '\0') {
		r = decode_buckets(text, h);
		if (r < 0)
			goto fail;
	}
	*out = h;
	return 0;
fail:
	histogram_free(h);
	return r;
}
