// SPDX-License-Identifier: MIT
/*
 * See stat_parse_names.h. Collected over all kernels from 2.6.25 to 6.18: a name that once was
 * printed stays. v1 memory.stat prints most rows twice, the second time as total_NAME for the
 * subtree.
 */
#include "memcg/stat_parse_names.h"

#include "memcg/lru.h"

#include <string.h>

/* Where a row of the table is printed. */
enum {
	N2 = 1u << 0, /* v2 memory.numa_stat */
	S1 = 1u << 1, /* v1 memory.stat, with a total_ twin */
	L1 = 1u << 2, /* v1 memory.stat, alone */
	S2 = 1u << 3, /* v2 memory.stat */
};

static const struct name {
	const char *name;
	enum stat_unit unit;
	unsigned where;
} names[] = {
	/* memory, v1 */
	{"cache", STAT_BYTES, S1},
	{"rss", STAT_BYTES, S1},
	{"rss_huge", STAT_BYTES, S1},
	{"mapped_file", STAT_BYTES, S1},
	{"dirty", STAT_BYTES, S1},
	{"writeback", STAT_BYTES, S1},
	{"swap", STAT_BYTES, S1},
	{"hierarchical_memory_limit", STAT_BYTES, L1},
	{"hierarchical_memsw_limit", STAT_BYTES, L1},
	/* memory, both */
	{"shmem", STAT_BYTES, N2 | S1 | S2},
	{"swapcached", STAT_BYTES, N2 | S1 | S2},
	{"inactive_anon", STAT_BYTES, N2 | S1 | S2},
	{"active_anon", STAT_BYTES, N2 | S1 | S2},
	{"inactive_file", STAT_BYTES, N2 | S1 | S2},
	{"active_file", STAT_BYTES, N2 | S1 | S2},
	{"unevictable", STAT_BYTES, N2 | S1 | S2},
	/* memory, v2 */
	{"anon", STAT_BYTES, N2 | S2},
	{"file", STAT_BYTES, N2 | S2},
	{"kernel", STAT_BYTES, S2},
	{"kernel_stack", STAT_BYTES, N2 | S2},
	{"pagetables", STAT_BYTES, N2 | S2},
	{"sec_pagetables", STAT_BYTES, N2 | S2},
	{"percpu", STAT_BYTES, S2},
	{"sock", STAT_BYTES, S2},
	{"vmalloc", STAT_BYTES, S2},
	{"zswap", STAT_BYTES, S2},
	{"zswapped", STAT_BYTES, S2},
	{"file_mapped", STAT_BYTES, N2 | S2},
	{"file_dirty", STAT_BYTES, N2 | S2},
	{"file_writeback", STAT_BYTES, N2 | S2},
	{"anon_thp", STAT_BYTES, N2 | S2},
	{"file_thp", STAT_BYTES, N2 | S2},
	{"shmem_thp", STAT_BYTES, N2 | S2},
	{"slab", STAT_BYTES, S2},
	{"slab_reclaimable", STAT_BYTES, N2 | S2},
	{"slab_unreclaimable", STAT_BYTES, N2 | S2},
	{"hugetlb", STAT_BYTES, N2 | S2},
	/* events, v1; the recent_ ones and costs only with CONFIG_DEBUG_VM */
	{"pgpgin", STAT_COUNT, S1},
	{"pgpgout", STAT_COUNT, S1},
	{"recent_rotated_anon", STAT_COUNT, L1},
	{"recent_rotated_file", STAT_COUNT, L1},
	{"recent_scanned_anon", STAT_COUNT, L1},
	{"recent_scanned_file", STAT_COUNT, L1},
	{"anon_cost", STAT_COUNT, L1},
	{"file_cost", STAT_COUNT, L1},
	/* events, both */
	{"pgfault", STAT_COUNT, S1 | S2},
	{"pgmajfault", STAT_COUNT, S1 | S2},
	{"workingset_refault_anon", STAT_COUNT, N2 | S1 | S2},
	{"workingset_refault_file", STAT_COUNT, N2 | S1 | S2},
	/* events, v2 */
	{"workingset_refault", STAT_COUNT, N2 | S2},
	{"workingset_activate", STAT_COUNT, N2 | S2},
	{"workingset_activate_anon", STAT_COUNT, N2 | S2},
	{"workingset_activate_file", STAT_COUNT, N2 | S2},
	{"workingset_restore", STAT_COUNT, N2 | S2},
	{"workingset_restore_anon", STAT_COUNT, N2 | S2},
	{"workingset_restore_file", STAT_COUNT, N2 | S2},
	{"workingset_nodereclaim", STAT_COUNT, N2 | S2},
	{"pswpin", STAT_COUNT, S2},
	{"pswpout", STAT_COUNT, S2},
	{"pgscan", STAT_COUNT, S2},
	{"pgscan_kswapd", STAT_COUNT, S2},
	{"pgscan_direct", STAT_COUNT, S2},
	{"pgscan_khugepaged", STAT_COUNT, S2},
	{"pgscan_proactive", STAT_COUNT, S2},
	{"pgsteal", STAT_COUNT, S2},
	{"pgsteal_kswapd", STAT_COUNT, S2},
	{"pgsteal_direct", STAT_COUNT, S2},
	{"pgsteal_khugepaged", STAT_COUNT, S2},
	{"pgsteal_proactive", STAT_COUNT, S2},
	{"pgrefill", STAT_COUNT, S2},
	{"pgactivate", STAT_COUNT, S2},
	{"pgdeactivate", STAT_COUNT, S2},
	{"pglazyfree", STAT_COUNT, S2},
	{"pglazyfreed", STAT_COUNT, S2},
	{"swpin_zero", STAT_COUNT, S2},
	{"swpout_zero", STAT_COUNT, S2},
	{"zswpin", STAT_COUNT, S2},
	{"zswpout", STAT_COUNT, S2},
	{"zswpwb", STAT_COUNT, S2},
	{"thp_fault_alloc", STAT_COUNT, S2},
	{"thp_collapse_alloc", STAT_COUNT, S2},
	{"thp_swpout", STAT_COUNT, S2},
	{"thp_swpout_fallback", STAT_COUNT, S2},
	{"numa_pages_migrated", STAT_COUNT, S2},
	{"numa_pte_updates", STAT_COUNT, S2},
	{"numa_hint_faults", STAT_COUNT, S2},
	{"numa_task_migrated", STAT_COUNT, S2},
	{"numa_task_swapped", STAT_COUNT, S2},
	{"pgdemote_kswapd", STAT_COUNT, N2 | S2},
	{"pgdemote_direct", STAT_COUNT, N2 | S2},
	{"pgdemote_khugepaged", STAT_COUNT, N2 | S2},
	{"pgdemote_proactive", STAT_COUNT, N2 | S2},
	{"pgpromote_success", STAT_COUNT, N2 | S2},
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

/* Does text[0..length) equal `prefix` with `name` behind it, or (`cut`) only begin it? */
static bool matches(const char *text, size_t length, const char *prefix, const char *name, bool cut)
{
	size_t prefix_length = strlen(prefix), name_length = strlen(name);
	size_t whole = prefix_length + name_length;

	if (cut ? length >= whole : length != whole)
		return false;
	if (length <= prefix_length)
		return !memcmp(text, prefix, length);
	return !memcmp(text, prefix, prefix_length) &&
	       !memcmp(text + prefix_length, name, length - prefix_length);
}

static bool find_numa_v1(const char *text, size_t length, bool cut)
{
	for (int row = 0; row < NR_NUMA_ROWS; row++)
		if (matches(text, length, "", numa_rows[row].name, cut) ||
		    matches(text, length, "hierarchical_", numa_rows[row].name, cut))
			return true;
	return false;
}

static const struct name *find(enum stat_type type, const char *text, size_t length, bool cut)
{
	unsigned where = type == STAT_NUMA_V2 ? N2 : type == STAT_MEMORY_V1 ? S1 | L1 : S2;

	for (size_t i = 0; i < NR_NAMES; i++) {
		if (!(names[i].where & where))
			continue;
		if (matches(text, length, "", names[i].name, cut))
			return &names[i];
		if ((names[i].where & where & S1) &&
		    matches(text, length, "total_", names[i].name, cut))
			return &names[i];
	}
	return NULL;
}

bool stat_name_find(enum stat_type type, const char *name, size_t length, enum stat_unit *unit)
{
	const struct name *found;
	enum stat_unit ignored;

	if (!unit)
		unit = &ignored;
	if (type == STAT_NUMA_V1) {
		*unit = STAT_PAGES;
		return find_numa_v1(name, length, false);
	}
	found = find(type, name, length, false);
	if (!found)
		return false;
	*unit = found->unit;
	return true;
}

bool stat_name_is_cut(enum stat_type type, const char *name, size_t length)
{
	if (type == STAT_NUMA_V1)
		return find_numa_v1(name, length, true);
	return find(type, name, length, true) != NULL;
}
