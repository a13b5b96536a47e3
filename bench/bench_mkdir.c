// SPDX-License-Identifier: MIT
/*
 * Making and removing a live tree of cgroups against the least that it can take: a loop of mkdir
 * with paths that were written beforehand, and a loop of rmdir, the deepest first.
 *
 *     bench_mkdir [--memcgs=N] [--pairs=N]
 *
 * Both make the same tree, one right after the other, in pairs of which each goes first in turn:
 * what else the machine does falls on both alike. The figure is the median over pairs of the ratio
 * of their times, with the interval that holds the true median with 95 %. There are at least MIN
 * pairs, and more, up to --pairs, for as long as that interval has the limit within it; then the
 * median decides. Exit code 1 where it is above the limit.
 *
 * No more than one tree exists at a time, and the next one is begun only when the kernel has let go
 * of the last one's memcgs.
 */
#include "bench_number.h"

#include "base/file.h"
#include "driver/interrupt.h"
#include "kernel/live_tree.h"
#include "memcg/tree_name.h"
#include "stats/order.h"
#include "timing/clock.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT     1.2
#define MIN_PAIRS 7u
#define MAX_PAIRS 51u
#define SKIPPED   77
/* The kernel lets go of removed memcgs a little later. */
#define LET_GO_MS 10000
#define LOOK_MS   20
#define STRIDE    64u

enum way {
	BARE, /* a loop of mkdir, and one of rmdir */
	LIVE, /* live_tree_make() and live_tree_remove() */
	NR_WAYS
};

/* Times of one tree, in ns. */
struct times {
	double make, remove;
};

struct bench {
	uint32_t memcgs;
	unsigned pairs;
	int interrupt_fd;
	uint64_t progress; /* calls of it */
	struct hierarchy hierarchy;
	char notes[PATH_MAX];
	struct memcg_tree *tree;
	char **paths; /* [tree->nr]; of 1.. */
};

static const struct argp_option option_table[] = {
	{"memcgs", 'm', "N", 0, "cgroups to make (10k)", 0},
	{"pairs", 'p', "N", 0, "pairs of trees at most (21)", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct bench *bench = state->input;

	switch (key) {
	case 'm':
		bench->memcgs = (uint32_t)bench_number(state, arg, strlen(arg), 1, 20000);
		return 0;
	case 'p':
		bench->pairs =
			(unsigned)bench_number(state, arg, strlen(arg), MIN_PAIRS, MAX_PAIRS);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool is_interrupted(const struct bench *bench)
{
	return interrupt_wait(bench->interrupt_fd, 0) != 0;
}

static bool count_progress(void *arg, uint32_t done, uint32_t of)
{
	struct bench *bench = arg;

	(void)done;
	(void)of;
	bench->progress++;
	return is_interrupted(bench);
}

/* Memory cgroups that there are, removed ones that the kernel still keeps included; 0: unknown. */
static uint64_t count_cgroups(void)
{
	unsigned long number = 0;
	size_t length;
	char *text, *line;

	if (file_read("/proc/cgroups", 1 << 16, &text, &length, NULL))
		return 0;
	line = strstr(text, "\nmemory");
	if (!line || sscanf(line, "\nmemory %*u %lu", &number) != 1)
		number = 0;
	free(text);
	return number;
}

/* Until there are no more than there were, but for a few of others. */
static void let_go(uint64_t before)
{
	for (int waited = 0; waited < LET_GO_MS && count_cgroups() > before + 100;
	     waited += LOOK_MS)
		usleep(LOOK_MS * 1000);
}

static int time_bare(struct bench *bench, struct times *times, struct error *err)
{
	uint32_t nr = bench->tree->nr, made = 1;
	struct own_cgroup own;
	struct error why;
	uint64_t since;
	int r = own_cgroup_make(&bench->hierarchy, bench->notes, &own, err);

	if (r)
		return r;
	since = clock_now();
	for (; !r && made < nr; made++) {
		if (mkdirat(own.fd, bench->paths[made], 0755) < 0)
			r = error_set(err, -errno, "mkdir of cgroup %u: %s", made, strerror(errno));
		else if (made % STRIDE == 0 && is_interrupted(bench))
			r = error_set(err, -EINTR, "interrupted");
	}
	times->make = (double)(clock_now() - since);
	since = clock_now();
	for (uint32_t i = nr; !r && i-- > 1;)
		if (unlinkat(own.fd, bench->paths[i], AT_REMOVEDIR) < 0)
			r = error_set(err, -errno, "rmdir of cgroup %u: %s", i, strerror(errno));
	times->remove = (double)(clock_now() - since);
	if (own_cgroup_remove(&own, &why) && !r) {
		*err = why;
		r = -EIO;
	}
	return r;
}

/* Its own directory and its note, which a bare loop has not, are in the time. */
static int time_live(struct bench *bench, struct times *times, struct error *err)
{
	struct live_progress progress = {.each = count_progress, .arg = bench};
	struct live_tree live;
	uint64_t since = clock_now();
	int r = live_tree_make(&bench->hierarchy, bench->notes, bench->tree, &progress, &live, err);

	times->make = (double)(clock_now() - since);
	if (r)
		return r;
	since = clock_now();
	r = live_tree_remove(&live, err);
	times->remove = (double)(clock_now() - since);
	return r;
}

static int time_pair(struct bench *bench, unsigned pair, struct times times[NR_WAYS],
		     struct error *err)
{
	uint64_t before = count_cgroups();
	int r = 0;

	for (unsigned i = 0; !r && i < NR_WAYS; i++) {
		enum way way = (i + pair) % NR_WAYS;

		r = way == BARE ? time_bare(bench, &times[BARE], err)
				: time_live(bench, &times[LIVE], err);
		let_go(before);
	}
	return r;
}

static void free_tree(struct bench *bench)
{
	for (uint32_t i = 1; bench->paths && i < bench->tree->nr; i++)
		free(bench->paths[i]);
	free(bench->paths);
	memcg_tree_free(bench->tree);
	bench->tree = NULL;
	bench->paths = NULL;
}

static int make_tree(struct bench *bench, enum tree_shape shape, struct error *err)
{
	struct tree_description description = {
		.shape = shape, .memcgs = bench->memcgs, .fanout = 10, .seed = 1};

	if (memcg_tree_new(&description, &bench->tree))
		return error_set(err, -ENOMEM, "out of memory");
	bench->paths = calloc(bench->tree->nr, sizeof(*bench->paths));
	for (uint32_t i = 1; bench->paths && i < bench->tree->nr; i++) {
		char buffer[PATH_MAX];
		const char *path = memcg_tree_path(bench->tree, i, buffer, sizeof(buffer));

		bench->paths[i] = path ? strdup(path) : NULL;
		if (!bench->paths[i])
			return error_set(err, -ENOMEM, "no path for memcg %u", i);
	}
	return bench->paths ? 0 : error_set(err, -ENOMEM, "out of memory");
}

/* Which side of the limit it is on is not known yet. */
static bool is_open(const double *ratios, unsigned nr)
{
	struct median_interval interval;
	double sorted[MAX_PAIRS];

	memcpy(sorted, ratios, nr * sizeof(*sorted));
	return !median_interval(sorted, nr, &interval) ||
	       (interval.low <= LIMIT && interval.high > LIMIT);
}

static bool print_ratio(const char *shape, const char *what, double *ratios, double *bare,
			unsigned nr, uint32_t memcgs)
{
	struct median_interval interval;
	bool holds;

	median_interval(ratios, nr, &interval);
	holds = interval.median <= LIMIT;
	printf("%-9s %-7s %8.1f us %12.3f   %.3f..%.3f (%.0f %%) %6u   %s\n", shape, what,
	       median(bare, nr) / 1e3 / memcgs, interval.median, interval.low, interval.high,
	       interval.level * 100, nr, holds ? "holds" : "above");
	return holds;
}

/* 1: above the limit. */
static int compare(struct bench *bench, enum tree_shape shape, const char *name, struct error *err)
{
	double make[MAX_PAIRS], remove[MAX_PAIRS], bare_make[MAX_PAIRS], bare_remove[MAX_PAIRS];
	unsigned nr = 0;
	bool holds;
	int r = make_tree(bench, shape, err);

	while (!r && nr < bench->pairs &&
	       (nr < MIN_PAIRS || is_open(make, nr) || is_open(remove, nr))) {
		struct times times[NR_WAYS] = {{.make = 0}};

		r = time_pair(bench, nr, times, err);
		if (r)
			break;
		bare_make[nr] = times[BARE].make;
		bare_remove[nr] = times[BARE].remove;
		make[nr] = times[LIVE].make / times[BARE].make;
		remove[nr++] = times[LIVE].remove / times[BARE].remove;
	}
	free_tree(bench);
	if (r)
		return r;
	holds = print_ratio(name, "making", make, bare_make, nr, bench->memcgs);
	holds &= print_ratio(name, "removing", remove, bare_remove, nr, bench->memcgs);
	return !holds;
}

static int run(struct bench *bench, struct error *err)
{
	int flat, balanced;

	printf("%u cgroups, a live tree's time over that of a bare loop; at most %.1f\n\n"
	       "%-9s %-7s %11s %12s   %-22s %6s\n",
	       bench->memcgs, LIMIT, "tree", "", "bare", "ratio", "interval", "pairs");
	flat = compare(bench, TREE_FLAT, "flat", err);
	if (flat < 0)
		return flat;
	balanced = compare(bench, TREE_BALANCED, "balanced", err);
	if (balanced < 0)
		return balanced;
	return flat || balanced;
}

static bool is_not_possible(int code)
{
	return code == -ENODEV || code == -EACCES || code == -EPERM || code == -EROFS;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {.options = option_table, .parser = parse_option};
	struct bench bench = {.memcgs = 10000, .pairs = 21};
	struct error err;
	int r;

	argp_parse(&argp, argc, argv, 0, NULL, &bench);
	bench.interrupt_fd = interrupt_open();
	r = hierarchy_find(HIERARCHY_MOUNTS, &bench.hierarchy, &err);
	if (!r) {
		r = own_notes_path(bench.notes, &err);
		if (!r)
			r = run(&bench, &err);
		hierarchy_close(&bench.hierarchy);
	}
	if (r < 0) {
		error_print(stderr, &err);
		return is_not_possible(r) ? SKIPPED : EXIT_TROUBLE;
	}
	return r ? EXIT_VERDICT : EXIT_FINE;
}
