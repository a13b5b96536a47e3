// SPDX-License-Identifier: MIT
/*
 * What containers forbid is explained, and bindings without effect are noticed.
 *
 * Filters and bindings stay with a process for good, so each test happens in a child, whose steps
 * return the number of the first expectation that was not met.
 */
#include "here.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * What follows narrows or filters a process for good, so each happens in a child, whose steps
 * return the number of the first expectation that was not met.
 */
static void in_child(int (*steps)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(steps());
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* From now on this system call does nothing and returns this error (0: it claims success). */
static bool refuse(unsigned number, unsigned code)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int bind_in_turn(void)
{
	struct here here = open_here(PAGES_SMALL);
	unsigned nr = here.machine->nodes[here.placement->real_node[0]].nr_allowed;
	unsigned first = ~0u;

	for (unsigned i = 0; i <= nr && i < 4; i++) {
		struct error err = {0};
		unsigned cpu = ~0u;

		if (placement_bind_thread(here.placement, i, &cpu, &err))
			return 1;
		if (cpu != (unsigned)sched_getcpu())
			return 2;
		if (i == 0)
			first = cpu;
		/* Only after all of them have had their turn is the first used again. */
		if (here.machine->nr_nodes == 1 && nr < 4 && (cpu == first) != (i % nr == 0))
			return 3;
	}
	close_here(&here);
	return 0;
}

static void threads_take_the_allowed_cpus_in_turn(void **state)
{
	in_child(bind_in_turn);
}

static int bind_memory_refused(void)
{
	struct here here = open_here(PAGES_SMALL);
	struct region region;
	struct error err = {0};

	if (!refuse(SYS_mbind, EPERM))
		return 1;
	if (placement_map(here.placement, 0, 4096, &region, &err) != -EPERM)
		return 2;
	if (!strstr(err.text, "mbind") || !strstr(err.text, "CAP_SYS_NICE"))
		return 3;
	close_here(&here);
	return region.base ? 4 : 0;
}

static void refused_memory_binding_names_call_and_capability(void **state)
{
	in_child(bind_memory_refused);
}

static int plan_where_binding_is_refused(void)
{
	struct machine *machine = open_recorded(NULL);
	struct point point = point_of(PLACEMENT_FOLD, machine->nr_nodes + 1, 4);
	struct placement *placement = NULL;
	struct error_list reasons = {0};

	if (!refuse(SYS_mbind, EPERM))
		return 1;
	if (placement_new(machine, &point, &placement, &reasons) != -ENODEV || placement)
		return 2;
	/* One reason per real node, not per modelled one. */
	if (reasons.total > machine->nr_nodes || !strstr(reasons.items[0].text, "CAP_SYS_NICE"))
		return 3;
	machine_free(machine);
	return 0;
}

static void refused_binding_is_known_before_anything_is_measured(void **state)
{
	in_child(plan_where_binding_is_refused);
}

static int bind_thread_refused(void)
{
	struct here here = open_here(PAGES_SMALL);
	struct region region;
	struct error err = {0}, err_run = {0}, err_write = {0};
	unsigned cpu;
	int where = -1;

	map(&here, 0, MIB, &region);
	if (!refuse(SYS_sched_setaffinity, EPERM))
		return 1;
	if (placement_bind_thread(here.placement, 0, &cpu, &err) != -EPERM ||
	    !strstr(err.text, "sched_setaffinity to CPU"))
		return 2;
	if (placement_run(here.placement, 0, note_cpu, &where, &err_run) != -EPERM || where != -1 ||
	    !strstr(err_run.text, "sched_setaffinity to the CPUs of node"))
		return 3;
	if (placement_write(here.placement, &region, 1, &err_write) != -EPERM || !err_write.text[0])
		return 4;
	placement_unmap(&region);
	close_here(&here);
	return 0;
}

static void refused_thread_binding_names_call_and_cpu(void **state)
{
	in_child(bind_thread_refused);
}

static int bind_thread_without_effect(void)
{
	struct here here = open_here(PAGES_SMALL);
	struct error err = {0};
	unsigned cpu;

	if (!refuse(SYS_sched_setaffinity, 0))
		return 1;
	if (here.machine->nr_cpus < 2)
		return 0;
	if (placement_bind_thread(here.placement, 0, &cpu, &err) != -EXDEV ||
	    !strstr(err.text, "had no effect"))
		return 2;
	close_here(&here);
	return 0;
}

static void a_binding_without_effect_is_noticed(void **state)
{
	in_child(bind_thread_without_effect);
}

static int look_up_refused(void)
{
	struct here here = open_here(PAGES_SMALL);
	struct region region;
	struct error err = {0};
	json_t *found = NULL;

	map(&here, 0, MIB, &region);
	write_all(&here, &region, 1);
	if (!refuse(SYS_move_pages, EPERM))
		return 1;
	if (placement_verify(here.placement, &region, 1, &found, &err) != -EPERM || found)
		return 2;
	if (!strstr(err.text, "move_pages") || !strstr(err.text, "CAP_SYS_NICE"))
		return 3;
	placement_unmap(&region);
	close_here(&here);
	return 0;
}

static void a_refused_look_up_is_no_placement(void **state)
{
	in_child(look_up_refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_take_the_allowed_cpus_in_turn),
		cmocka_unit_test(refused_memory_binding_names_call_and_capability),
		cmocka_unit_test(refused_binding_is_known_before_anything_is_measured),
		cmocka_unit_test(refused_thread_binding_names_call_and_cpu),
		cmocka_unit_test(a_binding_without_effect_is_noticed),
		cmocka_unit_test(a_refused_look_up_is_no_placement),
	};

	return cmocka_run_group_tests_name("refusal", tests, NULL, NULL);
}
