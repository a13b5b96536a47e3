// SPDX-License-Identifier: MIT
/* See harm.h. */
#include "driver/harm.h"

#include "base/rng.h"
#include "driver/gate.h"
#include "driver/harm_tasks.h"
#include "driver/reader.h"
#include "driver/victim.h"
#include "timing/clock.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAST_SLICE_NS 20000000.0 /* 20 turns of the victim */
#define LEAD_NS        2000000u /* until a slice begins, so that all are there by then */
#define TASK_BYTES     (1024 * 1024) /* of a task, its pages aside */

/* One of the point's readers, a thread for each slice with reads. */
struct harm_reader {
	struct reader *reader;
	unsigned index;
	struct gate *gate;
	uint64_t from, until; /* the slice */
	uint64_t reads; /* over all slices */
	pthread_t thread;
	int result;
	struct error err;
};

struct run {
	const struct sampler *sampler;
	struct harm *out;
	struct reader *readers; /* [nr] */
	struct harm_reader *each; /* [nr] */
	unsigned nr;
	struct gate gate;
	struct victim *victim;
	struct harm_tasks *tasks;
};

/* Bound and with its memory made; the first time it reads once, as before samples. */
static int make_ready(struct harm_reader *each)
{
	struct reader *reader = each->reader;
	bool first = !reader->text;
	long length = 0;
	int r = placement_bind_thread(reader->sampler->placement, each->index, &reader->os_cpu,
				      &each->err);

	if (!r)
		r = reader_prepare(reader, &each->err);
	if (!r && first)
		length = reader_read(reader);
	return length < 0 ? (int)length : r;
}

static int read_through(struct harm_reader *each)
{
	uint64_t pacing = each->reader->sampler->point->read.pacing_ns;
	uint64_t due = each->from + pacing / 2;

	for (; due < each->until; due = pacing ? due + pacing : clock_now()) {
		long length;

		clock_sleep_until(due);
		length = reader_read(each->reader);
		if (length < 0)
			return (int)length;
		each->reads++;
	}
	return 0;
}

static void *reader_main(void *arg)
{
	struct harm_reader *each = arg;
	int r = make_ready(each);

	if (gate_wait(each->gate) && !r)
		r = read_through(each);
	if (r && !each->err.text[0])
		error_set(&each->err, r, "a read failed: %s", strerror(-r));
	each->result = r;
	return NULL;
}

/* `*started` of them wait at the gate. */
static int start_readers(struct run *run, unsigned *started, struct error *err)
{
	gate_close(&run->gate);
	for (*started = 0; *started < run->nr; ++*started) {
		struct harm_reader *each = &run->each[*started];
		int r;

		each->err.text[0] = '\0';
		r = pthread_create(&each->thread, NULL, reader_main, each);
		if (r)
			return error_set(err, -r, "cannot start reader %u of %u: %s", *started + 1,
					 run->nr, strerror(r));
	}
	return 0;
}

static int join_readers(struct run *run, unsigned started, int result, struct error *err)
{
	for (unsigned i = 0; i < started; i++) {
		struct harm_reader *each = &run->each[i];

		pthread_join(each->thread, NULL);
		if (each->result && !result) {
			*err = each->err;
			result = each->result;
		}
	}
	return result;
}

struct moment {
	uint64_t ns;
	struct load_count counts[NR_HARM_PLACES];
};

static struct moment look(const struct run *run)
{
	struct moment now;

	harm_tasks_count(run->tasks, now.counts);
	now.ns = clock_now();
	return now;
}

static void keep_rates(struct harm *out, unsigned pair, enum harm_side side,
		       const struct moment *begin, const struct moment *end)
{
	double seconds = (double)(end->ns - begin->ns) / 1e9;

	out->seconds[side] += seconds;
	for (unsigned place = 0; place < NR_HARM_PLACES; place++) {
		const struct load_count *from = &begin->counts[place], *to = &end->counts[place];

		out->rates[place][side][pair] = (struct harm_rates){
			.charges = (double)(to->charges - from->charges) / seconds,
			.touches = (double)(to->touches - from->touches) / seconds,
		};
	}
}

static int take_slice(struct run *run, unsigned pair, enum harm_side side, struct error *err)
{
	struct moment begin, end;
	uint64_t from, until;
	unsigned started = 0;
	int r = 0, late;

	if (side == HARM_WITH)
		r = start_readers(run, &started, err);
	if (r) {
		gate_cancel(&run->gate);
		return join_readers(run, started, r, err);
	}
	/* A slice must not begin while readers get ready, which may take them a whole read: the
	 * victim would count all of that as late. */
	gate_await(&run->gate, started);
	from = clock_now() + LEAD_NS;
	until = from + run->out->slice_ns;
	/* Before the gate is opened: they see it. */
	for (unsigned i = 0; i < started; i++) {
		run->each[i].from = from;
		run->each[i].until = until;
	}
	gate_open(&run->gate, started);
	victim_begin(run->victim, from, until, run->out->late[side]);
	clock_sleep_until(from);
	begin = look(run);
	clock_sleep_until(until);
	end = look(run);
	r = join_readers(run, started, 0, err);
	late = victim_end(run->victim, err);
	keep_rates(run->out, pair, side, &begin, &end);
	r = r ? r : late;
	return r ? r : harm_tasks_check(run->tasks, err);
}

/* Of the victim enough turns; of a slow or a paced reader two reads. */
static double least_slice_ns(const struct point *point, double read_ns)
{
	return fmax(LEAST_SLICE_NS, 2 * fmax((double)point->read.pacing_ns, read_ns));
}

/* At least two pairs, whatever a read takes; slices of whole intervals of paced readers, so that
 * each slice has as many reads. */
static void cut_time(const struct point *point, double read_ns, unsigned *pairs, uint64_t *slice_ns)
{
	double time = (double)point->harm.time_ns;
	uint64_t pacing = point->read.pacing_ns;

	*pairs = (unsigned)fmin(fmax(time / least_slice_ns(point, read_ns), 2), HARM_MOST_PAIRS);
	*slice_ns = point->harm.time_ns / *pairs;
	if (pacing)
		*slice_ns = *slice_ns / pacing * pacing;
}

static int begin(struct run *run, const json_t *fixture, struct error *err)
{
	const struct sampler *sampler = run->sampler;
	int r;

	run->each = calloc(run->nr, sizeof(*run->each));
	run->out->late[HARM_WITHOUT] = histogram_new();
	run->out->late[HARM_WITH] = histogram_new();
	if (!run->each || !run->out->late[HARM_WITHOUT] || !run->out->late[HARM_WITH])
		return error_set(err, -ENOMEM, "out of memory to look at harm");
	r = readers_new(sampler, run->nr, 1, &run->readers, err);
	for (unsigned i = 0; !r && i < run->nr; i++)
		run->each[i] = (struct harm_reader){
			.reader = &run->readers[i], .index = i, .gate = &run->gate};
	/* Before there are threads: they fork. */
	if (!r)
		r = harm_tasks_start(sampler, fixture, &run->tasks, err);
	if (!r)
		r = victim_start(sampler->placement, 0, &run->victim, err);
	if (r)
		return r;
	harm_tasks_describe(run->tasks, run->out);
	run->out->victim_cpu = victim_cpu(run->victim);
	run->out->victim_policy = victim_policy(run->victim);
	return 0;
}

static int take_slices(struct run *run, uint64_t order, struct error *err)
{
	struct rng rng = rng_for(run->sampler->point->tree.seed, HARM_MOST_PAIRS, order);
	int r = 0;

	for (unsigned pair = 0; !r && pair < run->out->pairs; pair++) {
		enum harm_side first = (enum harm_side)rng_below(&rng, NR_HARM_SIDES);

		r = take_slice(run, pair, first, err);
		if (!r)
			r = take_slice(run, pair, NR_HARM_SIDES - 1 - first, err);
	}
	for (unsigned i = 0; i < run->nr; i++)
		run->out->reads += run->each[i].reads;
	return r;
}

int harm_measure(const struct sampler *sampler, const json_t *fixture, double read_ns,
		 uint64_t order, struct harm *out, struct error *err)
{
	struct run run = {
		.sampler = sampler,
		.out = out,
		.nr = sampler->point->read.readers,
		.gate = GATE_INITIALIZER,
	};
	int r, stopped;

	memset(out, 0, sizeof(*out));
	if (!sampler->point->harm.time_ns)
		return 0;
	cut_time(sampler->point, read_ns, &out->pairs, &out->slice_ns);
	r = begin(&run, fixture, err);
	if (!r)
		r = take_slices(&run, order, err);
	victim_stop(run.victim);
	stopped = harm_tasks_stop(run.tasks, r ? NULL : err);
	readers_free(run.readers, run.nr);
	free(run.each);
	out->any = !r && !stopped;
	return r ? r : stopped;
}

void harm_fini(struct harm *harm)
{
	histogram_free(harm->late[HARM_WITHOUT]);
	histogram_free(harm->late[HARM_WITH]);
	harm->late[HARM_WITHOUT] = harm->late[HARM_WITH] = NULL;
}

double harm_guess_ns(const struct point *point, double read_ns, bool live)
{
	double time = (double)point->harm.time_ns;

	if (!point->harm.time_ns)
		return 0;
	/* A read goes on behind each slice, and one comes before the first. */
	return 2 * time + HARM_MOST_PAIRS * (2.0 * LEAD_NS + read_ns) + read_ns +
	       (live && point->harm.tasks ? HARM_SETTLE_NS : 0);
}

uint64_t harm_guess_bytes(const struct point *point)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (!point->harm.time_ns)
		return 0;
	return point->harm.tasks * (point->harm.pages * page + TASK_BYTES);
}
