// SPDX-License-Identifier: MIT
/* What the walk inside the kernel finds missing in a kernel, from types made up here. */
#include "kernel/bpf_needs.h"

#include <bpf/btf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void add_function(struct btf *btf, const char *name)
{
	int prototype = btf__add_func_proto(btf, 0);

	assert_true(prototype > 0);
	assert_true(btf__add_func(btf, name, BTF_FUNC_STATIC, prototype) > 0);
}

/* With one number as its member. */
static void add_struct(struct btf *btf, const char *name, const char *member)
{
	int number = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);

	assert_true(number > 0);
	assert_true(btf__add_struct(btf, name, 8) > 0);
	assert_int_equal(btf__add_field(btf, member, number, 0, 0), 0);
}

/* All that both modes need, and of mem_cgroup what either does. */
static struct btf *old_kernel(void)
{
	struct btf *btf = btf__new_empty();
	int number;

	assert_non_null(btf);
	add_function(btf, "bpf_rdonly_cast");
	add_function(btf, "bpf_rcu_read_lock");
	add_struct(btf, "css_set", "subsys");
	add_struct(btf, "cgroup_subsys_state", "children");
	add_struct(btf, "cgroup", "kn");
	add_struct(btf, "kernfs_node", "id");
	add_struct(btf, "memcg_vmstats_percpu", "state");
	add_struct(btf, "mem_cgroup_per_node", "lruvec_stats_percpu");
	add_struct(btf, "lruvec_stats_percpu", "state");
	add_struct(btf, "lruvec_stats", "state"); /* but no state_local */
	number = btf__find_by_name_kind(btf, "long", BTF_KIND_INT);
	assert_true(btf__add_struct(btf, "mem_cgroup", 24) > 0);
	assert_int_equal(btf__add_field(btf, "vmstats", number, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "vmstats_percpu", number, 64, 0), 0);
	assert_int_equal(btf__add_field(btf, "nodeinfo", number, 128, 0), 0);
	return btf;
}

static void all_that_is_missing_is_named_with_who_has_it(void **state)
{
	struct error_list reasons = {.nr = 0};
	struct btf *btf = old_kernel();

	(void)state;
	assert_int_equal(bpf_needs_check(btf, BPF_WALK_LOCAL, &reasons), -ENOTSUP);
	assert_int_equal(reasons.nr, 3);
	assert_string_equal(reasons.items[0].text,
			    "the walk inside the kernel needs bpf_iter_num_new(), which this "
			    "kernel lacks (Linux 6.4 and later have it)");
	assert_string_equal(reasons.items[1].text,
			    "the walk inside the kernel needs memcg_vmstats.state_local, which "
			    "this kernel lacks (Linux 6.6 and later have it)");
	assert_string_equal(reasons.items[2].text,
			    "the walk inside the kernel needs lruvec_stats.state_local, which "
			    "this kernel lacks (Linux 6.6 and later have it)");
	btf__free(btf);
}

static void what_the_other_mode_needs_does_not_matter(void **state)
{
	struct error_list reasons = {.nr = 0};
	struct btf *btf = old_kernel();

	(void)state;
	assert_int_equal(bpf_needs_check(btf, BPF_WALK_PERCPU, &reasons), -ENOTSUP);
	assert_int_equal(reasons.nr, 1);
	assert_non_null(strstr(reasons.items[0].text, "bpf_iter_num_new()"));
	add_function(btf, "bpf_iter_num_new");
	reasons.nr = 0;
	assert_int_equal(bpf_needs_check(btf, BPF_WALK_PERCPU, &reasons), 0);
	assert_int_equal(reasons.nr, 0);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_is_missing_is_named_with_who_has_it),
		cmocka_unit_test(what_the_other_mode_needs_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
