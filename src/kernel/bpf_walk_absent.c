// SPDX-License-Identifier: MIT
/* In place of bpf_walk.c where the build has no libbpf, bpftool or clang. */
#include "kernel/bpf_walk.h"

#include <errno.h>

#define REASON                                                                               \
	"memcgbench was built without libbpf, bpftool and clang, which the walk inside the " \
	"kernel needs"

int bpf_walk_possible(enum bpf_walk_mode mode, struct error_list *reasons)
{
	(void)mode;
	error_list_add(reasons, NULL, 0, 0, "%s", REASON);
	return -ENOTSUP;
}

int bpf_walk_new(enum bpf_walk_mode mode, const uint16_t *nids, unsigned nr_nodes, unsigned slots,
		 struct bpf_walk **out, struct error *err)
{
	(void)mode;
	(void)nids;
	(void)nr_nodes;
	(void)slots;
	*out = NULL;
	return error_set(err, -ENOTSUP, "%s", REASON);
}

void bpf_walk_free(struct bpf_walk *walk)
{
	(void)walk;
}

unsigned bpf_walk_nr_cpus(const struct bpf_walk *walk)
{
	(void)walk;
	return 0;
}

int bpf_walk_find(struct bpf_walk *walk, struct walk_found *memcgs, size_t nr, struct error *err)
{
	(void)walk;
	(void)memcgs;
	(void)nr;
	return error_set(err, -ENOTSUP, "%s", REASON);
}

int bpf_walk_run(struct bpf_walk *walk, unsigned slot, const struct walk_found *top, bool alone,
		 const struct walk_answer **answer)
{
	(void)walk;
	(void)slot;
	(void)top;
	(void)alone;
	*answer = NULL;
	return -ENOTSUP;
}
