// SPDX-License-Identifier: MIT
/*
 * Loads walk.bpf.c through the skeleton that bpftool makes of it, and runs it by BPF_PROG_RUN. Of
 * its two walks only the one that is wanted is loaded: a kernel may have what one of them needs and
 * lack what the other does.
 *
 * Invariants: what is mapped from the kernel is written by `find` or by a walk alone, and read
 * after the system call that ran it; each run at a time has a slot, and so an answer, of its own.
 */
#include "kernel/bpf_walk.h"

#include "kernel/bpf_needs.h"
#include "place/host.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* after: it uses the types of both */
#include "walk.skel.h"

/* The verifier's words; of more than this it keeps the end. */
#define LOG_BYTES 65536u

struct bpf_walk {
	struct walk_bpf *skeleton;
	int program;
	unsigned slots;
	size_t bytes; /* mapped */
	const struct walk_answer *answers; /* [slots], mapped */
};

/* The line of the verifier's log that says why, and not the statistics after it. */
static const char *verdict(char *log)
{
	char *line = log, *last = log, *end;

	for (; *line; line = end + 1) {
		end = strchrnul(line, '\n');
		if (end != line && strncmp(line, "processed ", 10) != 0)
			last = line;
		if (!*end)
			break;
	}
	*strchrnul(last, '\n') = '\0';
	return last;
}

static int explain(int r, char *log, struct error *err)
{
	if (r == -EPERM)
		return error_set(err, r,
				 "loading a BPF program is refused (it needs CAP_BPF and "
				 "CAP_PERFMON, or root)");
	if (*log)
		return error_set(err, r, "the kernel refuses the program that walks memcgs: %s",
				 verdict(log));
	return error_set(err, r, "the program that walks memcgs cannot be loaded: %s",
			 strerror(-r));
}

static int set_cpus(struct walk_machine *machine, struct error *err)
{
	hwloc_bitmap_t possible = hwloc_bitmap_alloc();
	int r = 0, cpu;

	if (!possible)
		return error_set(err, -ENOMEM, "out of memory");
	if (host_read_list("", "/sys/devices/system/cpu/possible", possible))
		r = error_set(err, -ENOENT, "which CPUs are possible cannot be read from sysfs");
	for (cpu = hwloc_bitmap_first(possible); !r && cpu >= 0;
	     cpu = hwloc_bitmap_next(possible, cpu)) {
		if (machine->nr_cpus >= WALK_CPUS)
			r = error_set(err, -E2BIG, "more than %d possible CPUs", WALK_CPUS);
		else
			machine->cpus[machine->nr_cpus++] = (uint32_t)cpu;
	}
	hwloc_bitmap_free(possible);
	return r;
}

static int load(struct bpf_walk *walk, enum bpf_walk_mode mode, char *log, struct error *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .kernel_log_buf = log,
		    .kernel_log_size = LOG_BYTES);
	struct walk_bpf *skeleton = walk_bpf__open_opts(&options);
	int r;

	if (!skeleton)
		return explain(-errno, log, err);
	walk->skeleton = skeleton;
	r = bpf_program__set_autoload(mode == BPF_WALK_LOCAL ? skeleton->progs.walk_percpu
							     : skeleton->progs.walk_local,
				      false);
	if (!r)
		r = bpf_map__set_max_entries(skeleton->maps.answers, walk->slots);
	if (!r)
		r = walk_bpf__load(skeleton);
	if (r)
		return explain(r, log, err);
	walk->program = bpf_program__fd(mode == BPF_WALK_LOCAL ? skeleton->progs.walk_local
							       : skeleton->progs.walk_percpu);
	return 0;
}

static int map_answers(struct bpf_walk *walk, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *mapped;

	walk->bytes = (walk->slots * sizeof(*walk->answers) + page - 1) / page * page;
	mapped = mmap(NULL, walk->bytes, PROT_READ, MAP_SHARED,
		      bpf_map__fd(walk->skeleton->maps.answers), 0);
	if (mapped == MAP_FAILED)
		return error_set(err, -errno, "the answers of the walk cannot be mapped: %s",
				 strerror(errno));
	walk->answers = mapped;
	return 0;
}

int bpf_walk_new(enum bpf_walk_mode mode, const uint16_t *nids, unsigned nr_nodes, unsigned slots,
		 struct bpf_walk **out, struct error *err)
{
	struct bpf_walk *walk;
	char *log;
	int r;

	*out = NULL;
	if (!nr_nodes || nr_nodes > WALK_NODES || !slots)
		return error_set(err, -EINVAL, "%u nodes and %u slots", nr_nodes, slots);
	walk = calloc(1, sizeof(*walk));
	log = calloc(1, LOG_BYTES);
	if (!walk || !log) {
		free(walk);
		free(log);
		return error_set(err, -ENOMEM, "out of memory");
	}
	walk->slots = slots;
	libbpf_set_print(NULL); /* what it has to say is in the log and the error */
	r = load(walk, mode, log, err);
	if (!r)
		r = map_answers(walk, err);
	if (!r)
		r = set_cpus(&walk->skeleton->bss->machine, err);
	free(log);
	if (r) {
		bpf_walk_free(walk);
		return r;
	}
	walk->skeleton->bss->machine.nr_nodes = nr_nodes;
	for (unsigned i = 0; i < nr_nodes; i++)
		walk->skeleton->bss->machine.nids[i] = nids[i];
	*out = walk;
	return 0;
}

void bpf_walk_free(struct bpf_walk *walk)
{
	if (!walk)
		return;
	if (walk->answers)
		munmap((void *)walk->answers, walk->bytes);
	walk_bpf__destroy(walk->skeleton);
	free(walk);
}

/* What the running kernel lacks, or why that is not known. */
static int add_needs(enum bpf_walk_mode mode, struct error_list *reasons)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int r;

	if (!btf) {
		error_list_add(reasons, NULL, 0, 0,
			       "the kernel's types cannot be read from /sys/kernel/btf/vmlinux "
			       "(CONFIG_DEBUG_INFO_BTF): %s",
			       strerror(errno));
		return -ENOTSUP;
	}
	r = bpf_needs_check(btf, mode, reasons);
	btf__free(btf);
	return r;
}

int bpf_walk_possible(enum bpf_walk_mode mode, struct error_list *reasons)
{
	static const uint16_t first = 0;
	struct bpf_walk *walk;
	struct error err;
	int r = bpf_walk_new(mode, &first, 1, 1, &walk, &err);

	bpf_walk_free(walk);
	if (!r || r == -ENOMEM)
		return r;
	/* What is refused for what the kernel lacks is said in words that nobody wants to read. */
	if (!add_needs(mode, reasons) || r == -EPERM)
		error_list_add(reasons, NULL, 0, 0, "%s", err.text);
	return -ENOTSUP;
}

unsigned bpf_walk_nr_cpus(const struct bpf_walk *walk)
{
	return walk->skeleton->bss->machine.nr_cpus;
}

static int outcome_error(int outcome)
{
	switch ((enum walk_outcome)outcome) {
	case WALK_DONE:
		return 0;
	case WALK_NO_MEMCG:
		return -ENODEV;
	case WALK_GONE:
		return -ESTALE;
	case WALK_LOST:
		break;
	}
	return -ELOOP;
}

/* 0: not found. */
static int want(struct bpf_walk *walk, const struct walk_found *memcgs, size_t nr)
{
	static const uint64_t none = 0;
	int map = bpf_map__fd(walk->skeleton->maps.wanted), r = 0;

	for (size_t i = 0; !r && i < nr; i++)
		r = bpf_map_update_elem(map, &memcgs[i].id, &none, BPF_ANY);
	return r;
}

/* How many were not found. */
static size_t take(struct bpf_walk *walk, struct walk_found *memcgs, size_t nr)
{
	int map = bpf_map__fd(walk->skeleton->maps.wanted);
	size_t missing = 0;

	for (size_t i = 0; i < nr; i++) {
		if (bpf_map_lookup_elem(map, &memcgs[i].id, &memcgs[i].css))
			memcgs[i].css = 0;
		missing += !memcgs[i].css;
	}
	for (size_t i = 0; i < nr; i++)
		bpf_map_delete_elem(map, &memcgs[i].id);
	return missing;
}

int bpf_walk_find(struct bpf_walk *walk, struct walk_found *memcgs, size_t nr, struct error *err)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	size_t missing;
	int r = want(walk, memcgs, nr);

	if (!r)
		r = bpf_prog_test_run_opts(bpf_program__fd(walk->skeleton->progs.find), &options);
	if (!r)
		r = outcome_error((int)options.retval);
	missing = take(walk, memcgs, nr);
	if (r)
		return error_set(err, r, "the memcgs of this machine cannot be looked through: %s",
				 strerror(-r));
	if (missing)
		return error_set(err, -ENOENT, "%zu of %zu cgroups have no memcg in the kernel",
				 missing, nr);
	return 0;
}

int bpf_walk_run(struct bpf_walk *walk, unsigned slot, const struct walk_found *top, bool alone,
		 const struct walk_answer **answer)
{
	struct walk_run run = {.top = *top, .slot = slot, .alone = alone};
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &run, .ctx_size_in = sizeof(run));
	int r = bpf_prog_test_run_opts(walk->program, &options);

	*answer = &walk->answers[slot];
	return r ? r : outcome_error((int)options.retval);
}
