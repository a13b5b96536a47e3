// SPDX-License-Identifier: MIT
/*
 * See sampler.h.
 *
 * Google Benchmark is the second, independent stopwatch over the first reader's loop. It runs one
 * thread only (its thread support divides times wrongly before 1.9), so further readers are threads
 * of ours that go on reading until the last has its samples: concurrency is the same all the way.
 */
#include "driver/sampler.h"

#include "driver/churn.h"
#include "driver/flusher.h"
#include "driver/gate.h"
#include "driver/locks.h"
#include "driver/reader.h"
#include "driver/writer.h"
#include "stats/order.h"
#include "timing/gb_shim.h"
#include "timing/perf.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Below this, the 3 to 10 us around the loop that only Google Benchmark sees (its timers, cold
 * code) are more than a fraction of the 0.5 % within which the two clocks must agree.
 */
#define WALL_CLOCK_MIN_NS 5e6
#define MAX_TRIES         3 /* of a loop that was disturbed between the two clocks; each is counted */
#define CLOCKS_AGREE      0.005

struct team {
	const struct sampler *sampler;
	struct sampling sampling;
	struct reader *readers;
	unsigned nr_readers;
	bool manual_clock;
	struct gate gate;
	atomic_uint finished; /* readers that have their samples, and the writers' least time */
	uint64_t load_until; /* when that is over; the first reader looks */
};

struct member {
	struct team *team;
	unsigned index;
	pthread_t thread;
	struct error err;
	int result;
};

static bool begins_anew(const struct point *point)
{
	return point->read.cache == CACHE_COLD || point->read.pacing_ns || point->read.spills ||
	       point->write.churn;
}

/* Closed, hot and quiet: chained intervals. */
static int loop_closed(struct reader *reader, const struct sampling *sampling)
{
	uint64_t then = clock_now();

	for (uint64_t s = 0; s < sampling->samples; s++) {
		uint64_t now;

		for (uint64_t r = 0; r < sampling->reads_per_sample; r++) {
			long length = reader_read(reader);

			if (length < 0)
				return (int)length;
		}
		now = clock_now();
		reader->ns[s] = now - then;
		then = now;
	}
	return 0;
}

/* Sleep until `due`. True where it had passed already. */
static bool wait_until(uint64_t due)
{
	if (clock_now() > due)
		return true;
	clock_sleep_until(due);
	return false;
}

/* Cold, paced or behind spills: each sample begins anew. Pacing is open: due times do not move when
 * a read is slow. */
static int loop_separate(struct reader *reader, const struct sampling *sampling)
{
	uint64_t pacing = reader->sampler->point->read.pacing_ns, due = clock_now();
	struct grace *grace = churn_grace(reader->sampler->churn);

	for (uint64_t s = 0; s < sampling->samples; s++) {
		uint64_t then;

		reader_before_sample(reader);
		if (pacing && s > 0)
			reader->late += wait_until(due += pacing);
		grace_enter(grace, reader->request.cpu);
		then = clock_now();
		for (uint64_t r = 0; r < sampling->reads_per_sample; r++) {
			long length = reader_read(reader);

			if (length < 0) {
				grace_leave(grace, reader->request.cpu);
				return (int)length;
			}
		}
		reader->ns[s] = clock_now() - then;
		grace_leave(grace, reader->request.cpu);
	}
	return 0;
}

static bool has_load(const struct team *team)
{
	return team->sampler->writers || team->sampler->churn;
}

static unsigned to_finish(const struct team *team)
{
	return team->nr_readers + has_load(team);
}

/*
 * Until everybody has their samples, writers too, go on as before, untimed: a reader that stopped
 * evicting or keeping its pace would warm the caches of those still at work, or crowd them.
 */
static int keep_reading(struct team *team, struct reader *reader)
{
	uint64_t pacing = team->sampler->point->read.pacing_ns, due = clock_now();
	bool watches = reader == team->readers && has_load(team);

	atomic_fetch_add(&team->finished, 1);
	while (atomic_load(&team->finished) < to_finish(team)) {
		long length;

		reader_before_sample(reader);
		if (pacing)
			wait_until(due += pacing);
		grace_enter(churn_grace(team->sampler->churn), reader->request.cpu);
		length = reader_read(reader);
		grace_leave(churn_grace(team->sampler->churn), reader->request.cpu);
		if (length < 0)
			return (int)length;
		if (watches && clock_now() >= team->load_until) {
			atomic_fetch_add(&team->finished, 1);
			watches = false;
		}
	}
	return 0;
}

/* Every reader ends with this, whatever became of it: the others must not wait for ever. */
static int finish(struct team *team, struct reader *reader, int result)
{
	bool watches = reader == team->readers && has_load(team);
	int r = result;

	if (!result)
		r = keep_reading(team, reader);
	else
		atomic_fetch_add(&team->finished, 1);
	if (r && watches)
		atomic_fetch_add(&team->finished, 1);
	return r;
}

static int read_samples(struct team *team, unsigned index)
{
	struct reader *reader = &team->readers[index];

	if (begins_anew(team->sampler->point))
		return loop_separate(reader, &team->sampling);
	return loop_closed(reader, &team->sampling);
}

/*
 * Bind the calling thread, make its memory, and read once untimed: the first read of a thread runs
 * into page faults of code and stack, and into counters that another CPU's caches hold.
 */
static int make_ready(struct team *team, unsigned index, struct error *err)
{
	struct reader *reader = &team->readers[index];
	int r = placement_bind_thread(team->sampler->placement, index, &reader->os_cpu, err);
	long length;

	if (!r)
		r = reader_prepare(reader, err);
	if (r)
		return r;
	length = reader_read(reader);
	return length < 0 ? error_set(err, (int)length, "reader %u: %s", index + 1,
				      strerror((int)-length))
			  : 0;
}

static void *member_main(void *arg)
{
	struct member *member = arg;
	struct team *team = member->team;
	int r = make_ready(team, member->index, &member->err);

	if (!gate_wait(&team->gate))
		return NULL;
	writers_await(team->sampler->writers);
	churn_await(team->sampler->churn);
	if (!r)
		r = read_samples(team, member->index);
	member->result = finish(team, &team->readers[member->index], r);
	return NULL;
}

/* What Google Benchmark times: the first reader's loop. */
static int benchmark_loop(void *arg, uint64_t iterations, double *manual_ns)
{
	struct team *team = arg;
	const struct reader *reader = &team->readers[0];
	int r = read_samples(team, 0);

	(void)iterations; /* samples x reads_per_sample: fixed by us */
	/* Only where it is used: under the wall clock this sum would be timed with the loop. */
	for (uint64_t s = 0; team->manual_clock && !r && s < team->sampling.samples; s++)
		*manual_ns += (double)reader->ns[s];
	return r;
}

/* `*started` counts the leader, who is there. */
static int start_members(struct team *team, struct member *members, unsigned *started,
			 struct error *err)
{
	for (*started = 1; *started < team->nr_readers; ++*started) {
		struct member *member = &members[*started];
		int r;

		*member = (struct member){.team = team, .index = *started};
		r = pthread_create(&member->thread, NULL, member_main, member);
		if (r)
			return error_set(err, -r, "cannot start reader %u of %u: %s", *started + 1,
					 team->nr_readers, strerror(r));
	}
	return 0;
}

/* The first error stands; `err` NULL: there is one already. */
static int join_members(struct member *members, unsigned started, struct error *err)
{
	int r = 0;

	for (unsigned i = 1; i < started; i++) {
		pthread_join(members[i].thread, NULL);
		if (r || !members[i].result)
			continue;
		r = members[i].result;
		if (err && members[i].err.text[0])
			*err = members[i].err;
		else if (err)
			error_set(err, r, "reader %u: %s", i + 1, strerror(-r));
	}
	return r;
}

static int run_team(struct team *team, struct sampled *out, struct error *err)
{
	uint64_t reads = team->sampling.samples * team->sampling.reads_per_sample;
	struct member *members = calloc(team->nr_readers, sizeof(*members));
	struct perf_counters perf;
	unsigned started = 1;
	double total_ns = 0;
	int r, joined, stopped;

	if (!members)
		return error_set(err, -ENOMEM, "out of memory");
	r = writers_start(team->sampler->writers, &team->gate, err);
	if (!r)
		r = flusher_start(team->sampler->flusher, &team->gate, err);
	if (!r)
		r = churn_start(team->sampler->churn, &team->gate, err);
	/* After the writers, who are not to be counted, and before the readers, who inherit them.
	 */
	perf_counters_open(&perf);
	if (!r)
		r = make_ready(team, 0, err);
	if (!r)
		r = start_members(team, members, &started, err);
	if (r) {
		gate_cancel(&team->gate);
	} else {
		gate_open(&team->gate, started - 1 + writers_nr(team->sampler->writers) +
					       flusher_nr(team->sampler->flusher) +
					       churn_nr(team->sampler->churn));
		churn_await(team->sampler->churn);
		writers_await(team->sampler->writers);
		team->load_until = clock_now() + writers_least_ns(team->sampler->point);
		perf_counters_start(&perf);
		r = gb_time("read", reads, out->manual_clock, benchmark_loop, team, &total_ns, err);
		perf_counters_stop(&perf);
		r = finish(team, &team->readers[0], r);
	}
	stopped = writers_stop(team->sampler->writers, r ? NULL : err);
	r = r ? r : stopped;
	stopped = flusher_stop(team->sampler->flusher, r ? NULL : err);
	r = r ? r : stopped;
	stopped = churn_stop(team->sampler->churn, r ? NULL : err);
	r = r ? r : stopped;
	joined = join_members(members, started, r ? NULL : err);
	out->benchmark_mean_ns = total_ns / (double)reads;
	out->perf = perf_counters_close(&perf);
	free(members);
	return r ? r : joined;
}

/* All samples into histogram and median; the first reader's alone for the comparison of clocks. */
static int digest(const struct team *team, struct sampled *out, struct error *err)
{
	uint64_t samples = team->sampling.samples, batch = team->sampling.reads_per_sample;
	double *all = calloc(samples * team->nr_readers, sizeof(*all));
	struct histogram *first = histogram_new();
	int r = 0;

	out->latency = histogram_new();
	if (!all || !first || !out->latency)
		r = -ENOMEM;
	for (unsigned i = 0; !r && i < team->nr_readers; i++) {
		const struct reader *reader = &team->readers[i];

		for (uint64_t s = 0; !r && s < samples; s++) {
			uint64_t ps = (uint64_t)(((unsigned __int128)reader->ns[s] * 1000) / batch);

			all[i * samples + s] = (double)reader->ns[s] / (double)batch;
			r = histogram_record(out->latency, ps);
			if (!r && i == 0)
				r = histogram_record(first, ps);
		}
		out->late += reader->late;
		out->reader_cpus[i] = reader->os_cpu;
	}
	if (!r) {
		out->median_ns = median(all, samples * team->nr_readers);
		out->histogram_mean_ns = histogram_mean_ns(first);
	}
	histogram_free(first);
	free(all);
	return r ? error_set(err, r, "out of memory") : 0;
}

static int compare_clocks(const struct sampled *out, struct error *err)
{
	double off = fabs(out->histogram_mean_ns / out->benchmark_mean_ns - 1);

	if (off <= CLOCKS_AGREE)
		return 0;
	return error_set(err, -EPROTO,
			 "two clocks disagree by %.2f %%: mean of the histogram %.3f ns, of Google "
			 "Benchmark %.3f ns a read",
			 100 * off, out->histogram_mean_ns, out->benchmark_mean_ns);
}

/* All of the loop once, and whether the clocks agree on it. */
static int try_once(struct team *team, struct sampled *out, struct error *err)
{
	int r;

	histogram_free(out->latency);
	out->latency = NULL;
	json_decref(out->perf);
	out->perf = NULL;
	out->late = 0;
	atomic_store(&team->finished, 0);
	gate_close(&team->gate);
	for (unsigned i = 0; i < team->nr_readers; i++)
		team->readers[i].late = 0;
	r = locks_reset(team->sampler, err);
	if (!r)
		r = run_team(team, out, err);
	if (!r)
		r = digest(team, out, err);
	return r ? r : compare_clocks(out, err);
}

/* A pilot that was disturbed expects a longer loop than it is, which the wall clock is not for. */
static bool loop_was_short(const struct team *team, const struct sampled *out)
{
	uint64_t reads = team->sampling.samples * team->sampling.reads_per_sample;

	return out->histogram_mean_ns * (double)reads < WALL_CLOCK_MIN_NS;
}

int sampler_run(const struct sampler *sampler, const struct sampling *sampling, struct sampled *out,
		struct error *err)
{
	struct team team = {
		.sampler = sampler,
		.sampling = *sampling,
		.nr_readers = sampler->point->read.readers,
		.gate = GATE_INITIALIZER,
	};
	int r;

	memset(out, 0, sizeof(*out));
	out->manual_clock = begins_anew(sampler->point) || sampling->loop_ns < WALL_CLOCK_MIN_NS;
	team.manual_clock = out->manual_clock;
	out->reader_cpus = calloc(team.nr_readers, sizeof(*out->reader_cpus));
	if (!out->reader_cpus)
		return error_set(err, -ENOMEM, "out of memory");
	r = readers_new(sampler, team.nr_readers, sampling->samples, &team.readers, err);
	if (r)
		goto out;
	do {
		r = try_once(&team, out, err);
		if (r == -EPROTO && loop_was_short(&team, out))
			team.manual_clock = out->manual_clock = true;
	} while (r == -EPROTO && ++out->tries < MAX_TRIES);
	out->tries++;
	if (!r && team.readers[0].evictor)
		out->cold_method = strdup(evictor_method(team.readers[0].evictor));
	readers_free(team.readers, team.nr_readers);
out:
	if (r)
		sampled_fini(out);
	return r;
}

void sampled_fini(struct sampled *out)
{
	histogram_free(out->latency);
	free(out->reader_cpus);
	free(out->cold_method);
	json_decref(out->perf);
	out->perf = NULL;
	out->latency = NULL;
	out->reader_cpus = NULL;
	out->cold_method = NULL;
}
