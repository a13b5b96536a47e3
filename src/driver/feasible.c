// SPDX-License-Identifier: MIT
/* See feasible.h. */
#include "driver/feasible.h"

#include "base/units.h"
#include "driver/churn.h"
#include "driver/harm.h"
#include "driver/probe.h"
#include "driver/seq_file.h"
#include "driver/update_cost.h"
#include "driver/writer.h"

#include <errno.h>
#include <math.h>

/*
 * Beside the back end's own memory: program and libraries, the machine's topology, histograms, text
 * (7.5 MB were seen); for each memcg the tree and the oracle; for each line of the counters one
 * bit, as far as a read touches them, which a walk of the root does.
 */
#define PROCESS_BYTES     (8u * 1024 * 1024)
#define TREE_BYTES        17u
#define ORACLE_NODE_BYTES 40u
#define SHARE_OF_LINES    ((uint64_t)8 * LINE_BYTES)
/* Of each reader: its samples in ns, again as numbers to sort, and room to sort them; the buffer
 * that is swept between cold ones. */
#define SAMPLE_BYTES 24.0
#define SWEEP_BYTES  (16u * 1024 * 1024)

/* Rough: seen on small virtual machines, where first touch is slow. */
#define START_NS       20e6
#define NS_PER_BYTE    0.6
#define NS_PER_CHARGE  300.0
#define COLD_SAMPLE_NS 1.5e6
/* Untimed reads around the timed part: pilot, check against the oracle, counted read. */
#define EXTRA_READS   6.0
#define LEAST_SAMPLES 5

/* The timed part: `samples` reads, or what fits into `time`, but never fewer than five. */
static double timed_part_ns(const struct point *point, double read_ns, double *samples)
{
	double period = read_ns;

	if (point->read.pacing_ns && (double)point->read.pacing_ns > period)
		period = (double)point->read.pacing_ns;
	*samples = (double)point_reader_samples(point, point->read.samples);
	if (*samples * period > (double)point->read.time_ns)
		*samples = (double)point->read.time_ns / period;
	*samples = fmax(*samples, (double)point_reader_samples(point, LEAST_SAMPLES));
	return *samples * period;
}

static uint64_t readers_bytes(const struct point *point, const struct backend *backend)
{
	uint64_t each = point->read.cache == CACHE_COLD ? SWEEP_BYTES : 0;
	double samples;

	timed_part_ns(point, backend->guess_read_ns(point), &samples);
	each += (uint64_t)(samples * SAMPLE_BYTES);
	return each * point->read.readers;
}

static uint64_t process_bytes(const struct point *point, const struct backend *backend)
{
	uint64_t bytes = backend->bytes(point), memcgs = (uint64_t)point->tree.memcgs + 1;

	return bytes + bytes / SHARE_OF_LINES + PROCESS_BYTES + readers_bytes(point, backend) +
	       (backend->fixture ? harm_guess_bytes(point) : 0) + writers_guess_bytes(point) +
	       churn_guess_bytes(point) + probe_guess_bytes(point) +
	       memcgs * (TREE_BYTES + ORACLE_NODE_BYTES * (uint64_t)point->machine.nodes);
}

/* Of a read with all that it reads and shows. */
static double guess_read_ns(const struct point *point, const struct backend *backend)
{
	double ns = backend->guess_read_ns(point) * seq_file_guess_shows(point);
	struct point beside;

	if (!point_neighbour(point))
		return ns;
	beside = *point;
	beside.read.file = READ_MEMORY_STAT;
	beside.read.with = WITH_NONE;
	return ns + backend->guess_read_ns(&beside) * seq_file_guess_shows(&beside);
}

struct estimate estimate_process(const struct point *point, const struct backend *backend)
{
	double read_ns = guess_read_ns(point, backend), samples;
	double memcgs = (double)point->tree.memcgs + 1;
	double ns = timed_part_ns(point, read_ns, &samples);

	ns += START_NS + NS_PER_BYTE * (double)backend->bytes(point);
	ns += NS_PER_CHARGE * memcgs * point->counters.spread_cpus * point->counters.spread_nodes;
	ns += EXTRA_READS * read_ns;
	ns += update_cost_guess_ns(point, backend) + writers_guess_ns(point) +
	      probe_guess_ns(point, read_ns) + churn_guess_ns(point) +
	      harm_guess_ns(point, read_ns, backend->fixture);
	if (point->read.cache == CACHE_COLD)
		ns += samples * COLD_SAMPLE_NS;
	return (struct estimate){.memory_bytes = process_bytes(point, backend), .process_ns = ns};
}

int feasible_placement(const struct machine *machine, const struct point *point,
		       struct error_list *reasons)
{
	struct placement *placement = NULL;
	int code = placement_new(machine, point, &placement, reasons);

	placement_free(placement);
	return code ? -ENODEV : 0;
}

/* Live back ends read by themselves what they can read at all: kernel-floor reads neither file. */
static int feasible_with(const struct point *point, const struct backend *backend,
			 struct error_list *reasons)
{
	const struct stat_format *format = point_neighbour(point);

	if (point->read.with == WITH_NONE || backend->with & (1u << point->read.with))
		return 0;
	if (point->read.with == WITH_CPU_STAT && backend->read_cpu_stat)
		return 0;
	if (format && !backend->fixture && backend_can_read(backend, format))
		return 0;
	if (format)
		error_list_add(reasons, NULL, 0, 0,
			       "read.with: memory.stat needs a back end that reads that file, too, "
			       "and %s does not",
			       backend->name);
	else
		error_list_add(reasons, NULL, 0, 0,
			       "read.with: cpu.stat needs a back end that keeps CPU time beside "
			       "memory, and %s does not",
			       backend->name);
	return -ENODEV;
}

int feasible_backend(const struct point *point, const struct backend *backend, uint64_t available,
		     struct error_list *reasons)
{
	char needed[UNIT_TEXT_MAX], left[UNIT_TEXT_MAX];
	uint64_t bytes = process_bytes(point, backend);
	int code = 0;

	if (bytes > available) {
		error_list_add(reasons, NULL, 0, 0, "%s needs %s of memory, and %s are left",
			       backend->name, unit_format_bytes(needed, (double)bytes),
			       unit_format_bytes(left, (double)available));
		code = -ENODEV;
	}
	if (point->read.spills && !(backend->capabilities & BACKEND_UPDATE)) {
		error_list_add(reasons, NULL, 0, 0, "read.spills needs updates, and %s takes none",
			       backend->name);
		code = -ENODEV;
	}
	if (point->write.writers && !(backend->capabilities & BACKEND_UPDATE)) {
		error_list_add(reasons, NULL, 0, 0,
			       "write.writers needs a back end that takes updates, and %s does not",
			       backend->name);
		code = -ENODEV;
	}
	if (point->counters.flusher_ns && !backend->flush) {
		error_list_add(reasons, NULL, 0, 0,
			       "counters.flusher needs a back end that flushes, and %s does not",
			       backend->name);
		code = -ENODEV;
	}
	if (!backend_can_read(backend, point_format(point))) {
		error_list_add(reasons, NULL, 0, 0, "%s has no counters for %s, only for %s",
			       backend->name, stat_type_name(point_format(point)->type),
			       stat_type_name(STAT_NUMA_V1));
		code = -ENODEV;
	}
	if (feasible_with(point, backend, reasons))
		code = -ENODEV;
	if (point->write.churn && !(backend->capabilities & BACKEND_CHURN)) {
		error_list_add(reasons, NULL, 0, 0,
			       "write.churn needs a back end whose memcgs come and go, and %s's "
			       "do not",
			       backend->name);
		code = -ENODEV;
	}
	if (point->read.cgroup == TARGET_MACHINE && !backend->fixture) {
		error_list_add(reasons, NULL, 0, 0,
			       "read.cgroup: machine needs a live back end, and %s is a model",
			       backend->name);
		code = -ENODEV;
	}
	return code;
}

uint64_t available_on(const struct machine *machine)
{
	uint64_t bytes = 0;

	if (machine->thissystem)
		return available_memory();
	for (unsigned i = 0; i < machine->nr_nodes; i++)
		if (machine->nodes[i].allowed)
			bytes += machine->nodes[i].bytes;
	return bytes;
}

int feasible_fixture(const struct machine *machine, const struct point *point,
		     const struct backend *backend, const struct fixture_options *fixtures,
		     struct error_list *reasons)
{
	const struct fixture *fixture = backend->fixture;
	int stands = fixture ? fixture->possible(point, machine, fixtures, reasons) : 0;
	int able = backend->possible ? backend->possible(point, reasons) : 0;

	return stands ? stands : able;
}

int feasible(const struct machine *machine, const struct point *point,
	     const struct backend *backend, const struct fixture_options *fixtures,
	     struct error_list *reasons)
{
	int placed = feasible_placement(machine, point, reasons);
	int able = feasible_backend(point, backend, available_on(machine), reasons);
	int stands = feasible_fixture(machine, point, backend, fixtures, reasons);

	if (placed)
		return placed;
	return able ? able : stands;
}
