// SPDX-License-Identifier: MIT
/* On this machine: memory lies where it is bound, and threads run there. */
#include "here.h"

#include "place/huge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
		cmocka_unit_test(a_cpu_that_is_not_there_is_refused),
		cmocka_unit_test(impossible_sizes_and_nodes_are_refused),
	};

	return cmocka_run_group_tests_name("region", tests, NULL, NULL);
}
