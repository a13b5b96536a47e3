// SPDX-License-Identifier: MIT
/* On this machine: memory lies where it is bound, threads run there, and refusals are explained. */
#include "fixtures.h"

#include "place/huge.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1ul << 20)

/* This machine, and two modelled nodes folded on it. */
struct here {
	struct machine *machine;
	struct placement *placement;
};

static struct here open_here(enum page_size pages)
{
	struct here here = {.machine = open_recorded(NULL)};
	struct point point = point_of(PLACEMENT_FOLD, 2, 8);

	point.machine.nids[1] = 8;
	point.machine.pages = pages;
	here.placement = place(here.machine, &point);
	return here;
}

static void close_here(struct here *here)
{
	placement_free(here->placement);
	machine_free(here->machine);
}

static void map(const struct here *here, unsigned node, size_t bytes, struct region *region)
{
	struct error err = {0};

	if (placement_map(here->placement, node, bytes, region, &err))
		fail_msg("%s", err.text);
}

static void write_all(const struct here *here, const struct region *regions, size_t nr)
{
	struct error err = {0};

	if (placement_write(here->placement, regions, nr, &err))
		fail_msg("%s", err.text);
}

static json_t *verify(const struct here *here, const struct region *regions, size_t nr)
{
	struct error err = {0};
	json_t *found = NULL;

	if (placement_verify(here->placement, regions, nr, &found, &err))
		fail_msg("%s", err.text);
	assert_non_null(found);
	return found;
}

static json_int_t number(const json_t *found, const char *key)
{
	const json_t *value = json_object_get(found, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void written_memory_is_found_where_it_was_bound(void **state)
{
	struct here here = open_here(PAGES_SMALL);
	struct region regions[2];
	json_t *found, *second;

	map(&here, 0, 9 * MIB + 1, &regions[0]);
	map(&here, 1, 1, &regions[1]);
	assert_int_equal(regions[0].bytes, 9 * MIB + (size_t)sysconf(_SC_PAGESIZE));
	assert_int_equal(regions[1].bytes, sysconf(_SC_PAGESIZE));
	memset(regions[0].base, 0x5a, MIB);
	write_all(&here, regions, 2);
	for (size_t i = 0; i < regions[0].bytes; i++)
		assert_int_equal(regions[0].base[i], 0);
	found = verify(&here, regions, 2);
	assert_int_equal(number(found, "bytes"), regions[0].bytes + regions[1].bytes);
	assert_int_equal(number(found, "bytes_misplaced"), 0);
	assert_int_equal(number(found, "bytes_unknown"), 0);
	second = json_array_get(json_object_get(found, "nodes"), 1);
	assert_int_equal(number(second, "nid"), 8);
	assert_int_equal(number(second, "os_index"), real_id(here.placement, 1));
	assert_int_equal(number(second, "bytes"), regions[1].bytes);
	json_decref(found);
	placement_unmap(&regions[0]);
	placement_unmap(&regions[1]);
	assert_null(regions[0].base);
	close_here(&here);
}

static void pages_never_written_are_unknown(void **state)
{
	struct here here = open_here(PAGES_SMALL);
	struct region region;
	json_t *found;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	map(&here, 0, 10 * page, &region);
	region.base[3 * page] = 1;
	/* Read only: the shared page of zeroes. */
	assert_int_equal(region.base[5 * page], 0);
	found = verify(&here, &region, 1);
	assert_int_equal(number(found, "bytes"), 10 * page);
	assert_int_equal(number(found, "bytes_unknown"), 9 * page);
	assert_int_equal(number(found, "bytes_misplaced"), 0);
	json_decref(found);
	placement_unmap(&region);
	close_here(&here);
}

static void pages_on_another_node_are_counted(void **state)
{
	struct here here = open_here(PAGES_SMALL);
	struct region regions[2];
	json_t *found;

	map(&here, 0, 5 * MIB, &regions[0]);
	map(&here, 1, MIB, &regions[1]);
	write_all(&here, regions, 2);
	/* Node 0 of the model is now expected somewhere that the machine does not have. */
	here.machine->nodes[here.placement->real_node[0]].os_index += 7;
	found = verify(&here, regions, 1);
	assert_int_equal(number(found, "bytes_misplaced"), 5 * MIB);
	assert_int_equal(
		number(json_array_get(json_object_get(found, "nodes"), 0), "bytes_misplaced"),
		5 * MIB);
	json_decref(found);
	placement_unmap(&regions[0]);
	placement_unmap(&regions[1]);
	close_here(&here);
}

static void thousands_of_regions_are_placed(void **state)
{
	enum {
		NR = 3000
	};
	struct here here = open_here(PAGES_SMALL);
	struct region *regions = calloc(NR, sizeof(*regions));
	uint64_t bytes = 0;
	json_t *found;

	assert_non_null(regions);
	for (unsigned i = 0; i < NR; i++) {
		map(&here, i % 2, 4096 + 4096 * (i % 3), &regions[i]);
		bytes += regions[i].bytes;
	}
	write_all(&here, regions, NR);
	found = verify(&here, regions, NR);
	assert_int_equal(number(found, "bytes"), bytes);
	assert_int_equal(number(found, "bytes_unknown"), 0);
	assert_int_equal(number(found, "huge_bytes"), 0);
	json_decref(found);
	for (unsigned i = 0; i < NR; i++)
		placement_unmap(&regions[i]);
	free(regions);
	close_here(&here);
}

static void the_found_placement_is_real_only_without_sharing(void **state)
{
	struct machine *machine = open_recorded(NULL);
	struct point one = point_of(PLACEMENT_FOLD, 1, 1);
	struct point many = point_of(PLACEMENT_FOLD, machine->nr_nodes + 1, 1);
	struct here here = {machine, place(machine, &one)};
	json_t *found = verify(&here, NULL, 0);

	assert_string_equal(json_string_value(json_object_get(found, "placement")), "real");
	json_decref(found);
	placement_free(here.placement);
	here.placement = place(machine, &many);
	found = verify(&here, NULL, 0);
	assert_string_equal(json_string_value(json_object_get(found, "placement")), "fold");
	json_decref(found);
	close_here(&here);
}

static void huge_regions_are_aligned_so_that_they_can_be_huge(void **state)
{
	struct here here = open_here(PAGES_HUGE);
	struct region region;
	struct error err = {0};
	json_t *found, *huge;
	int r = placement_map(here.placement, 0, 3 * MIB, &region, &err);

	if (r == -EOPNOTSUPP) {
		close_here(&here);
		skip();
	}
	assert_int_equal(r, 0);
	assert_int_equal(region.bytes, 4 * MIB);
	assert_int_equal((uintptr_t)region.base % (2 * MIB), 0);
	write_all(&here, &region, 1);
	found = verify(&here, &region, 1);
	huge = json_object_get(found, "huge_bytes");
	if (!json_is_null(huge))
		assert_in_range(json_integer_value(huge), 0, region.bytes);
	json_decref(found);
	placement_unmap(&region);
	close_here(&here);
}

/* A file like smaps whose first mapping holds two regions and whose second one a part of a third.
 */
static json_t *huge_in(const char *second, size_t nr)
{
	static const struct region regions[] = {
		{(unsigned char *)0x200000, 0x200000, 1},
		{(unsigned char *)0x600000, 0x200000, 0},
		{(unsigned char *)0x400000, 0x200000, 0},
		{(unsigned char *)0xa00000, 0x200000, 0},
	};
	char text[512];
	json_t *huge;
	FILE *smaps;

	snprintf(text, sizeof(text),
		 "00200000-00800000 rw-p 00000000 00:00 0 \nSize: 6144 kB\nAnonHugePages:      "
		 "4096 kB\nVmFlags: rd wr\n00900000-01000000 rw-p 00000000 00:00 0  [heap]\n"
		 "AnonHugePages:      %s kB\n01000000-02000000 rw-p 00000000 00:00 0 \n"
		 "AnonHugePages:      2048 kB\n",
		 second);
	smaps = fmemopen(text, strlen(text), "r");
	assert_non_null(smaps);
	huge = huge_bytes_in(smaps, regions, nr);
	fclose(smaps);
	return huge;
}

static void huge_bytes_are_told_only_of_whole_mappings(void **state)
{
	json_t *whole = huge_in("2048", 3), *parted = huge_in("2048", 4), *none = huge_in("0", 4);

	assert_int_equal(json_integer_value(whole), 4096 << 10);
	assert_true(json_is_null(parted));
	assert_int_equal(json_integer_value(none), 4096 << 10);
	json_decref(whole);
	json_decref(parted);
	json_decref(none);
}

static void note_cpu(void *arg)
{
	*(int *)arg = sched_getcpu();
}

static void work_runs_on_a_cpu_of_its_node(void **state)
{
	struct here here = open_here(PAGES_SMALL);

	for (unsigned n = 0; n < 2; n++) {
		const struct machine_node *node =
			&here.machine->nodes[here.placement->real_node[n]];
		bool found = !node->nr_allowed;
		struct error err = {0};
		int cpu = -1;

		assert_int_equal(placement_run(here.placement, n, note_cpu, &cpu, &err), 0);
		assert_true(cpu >= 0);
		for (unsigned i = 0; i < node->nr_allowed; i++)
			found = found || node->allowed_cpus[i] == (unsigned)cpu;
		assert_true(found);
	}
	close_here(&here);
}

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

static void a_cpu_that_is_not_there_is_refused(void **state)
{
	struct here here = open_here(PAGES_SMALL);
	struct machine_node *node = &here.machine->nodes[here.placement->real_node[0]];
	struct error err = {0};
	unsigned cpu;

	assert_true(node->nr_allowed > 0);
	node->allowed_cpus[0] = 4000;
	node->nr_allowed = 1;
	assert_int_equal(placement_bind_thread(here.placement, 0, &cpu, &err), -EINVAL);
	assert_contains(err.text, "CPU 4000");
	close_here(&here);
}

static void impossible_sizes_and_nodes_are_refused(void **state)
{
	struct here here = open_here(PAGES_SMALL);
	struct region region, stray = {(unsigned char *)MIB, MIB, 9};
	struct error err = {0};
	json_t *found = NULL;
	int where = -1;

	assert_int_equal(placement_map(here.placement, 0, 0, &region, &err), -EINVAL);
	assert_int_equal(placement_map(here.placement, 2, 4096, &region, &err), -EINVAL);
	assert_int_equal(placement_map(here.placement, 0, SIZE_MAX, &region, &err), -EINVAL);
	assert_int_equal(placement_map(here.placement, 0, SIZE_MAX / 2, &region, &err), -ENOMEM);
	assert_null(region.base);
	assert_int_equal(placement_run(here.placement, 2, note_cpu, &where, &err), -EINVAL);
	assert_int_equal(placement_write(here.placement, &stray, 1, &err), -EINVAL);
	assert_int_equal(placement_verify(here.placement, &stray, 1, &found, &err), -EINVAL);
	assert_contains(err.text, "modelled node 9");
	close_here(&here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_memory_is_found_where_it_was_bound),
		cmocka_unit_test(pages_never_written_are_unknown),
		cmocka_unit_test(pages_on_another_node_are_counted),
		cmocka_unit_test(thousands_of_regions_are_placed),
		cmocka_unit_test(the_found_placement_is_real_only_without_sharing),
		cmocka_unit_test(huge_regions_are_aligned_so_that_they_can_be_huge),
		cmocka_unit_test(huge_bytes_are_told_only_of_whole_mappings),
		cmocka_unit_test(work_runs_on_a_cpu_of_its_node),
		cmocka_unit_test(threads_take_the_allowed_cpus_in_turn),
		cmocka_unit_test(refused_memory_binding_names_call_and_capability),
		cmocka_unit_test(refused_thread_binding_names_call_and_cpu),
		cmocka_unit_test(a_binding_without_effect_is_noticed),
		cmocka_unit_test(a_refused_look_up_is_no_placement),
		cmocka_unit_test(a_cpu_that_is_not_there_is_refused),
		cmocka_unit_test(impossible_sizes_and_nodes_are_refused),
	};

	return cmocka_run_group_tests_name("region", tests, NULL, NULL);
}
