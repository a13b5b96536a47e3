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

#define ROW(name) name, sizeof(name) - 1

static const struct name {
	const char *name;
	size_t length;
	enum stat_unit unit;
	unsigned where;
} names[] = {
	/* memory, v1 */
	{ROW("cache"), STAT_BYTES, S1},
	{ROW("rss"), STAT_BYTES, S1},
	{ROW("rss_huge"), STAT_BYTES, S1},
	{ROW("mapped_file"), STAT_BYTES, S1},
	{ROW("dirty"), STAT_BYTES, S1},
	{ROW("writeback"), STAT_BYTES, S1},
	{ROW("swap"), STAT_BYTES, S1},
	{ROW("hierarchical_memory_limit"), STAT_BYTES, L1},
	{ROW("hierarchical_memsw_limit"), STAT_BYTES, L1},
	/* memory, both */
	{ROW("shmem"), STAT_BYTES, N2 | S1 | S2},
	{ROW("swapcached"), STAT_BYTES, N2 | S1 | S2},
	{ROW("inactive_anon"), STAT_BYTES, N2 | S1 | S2},
	{ROW("active_anon"), STAT_BYTES, N2 | S1 | S2},
	{ROW("inactive_file"), STAT_BYTES, N2 | S1 | S2},
	{ROW("active_file"), STAT_BYTES, N2 | S1 | S2},
	{ROW("unevictable"), STAT_BYTES, N2 | S1 | S2},
	/* memory, v2 */
	{ROW("anon"), STAT_BYTES, N2 | S2},
	{ROW("file"), STAT_BYTES, N2 | S2},
	{ROW("kernel"), STAT_BYTES, S2},
	{ROW("kernel_stack"), STAT_BYTES, N2 | S2},
	{ROW("pagetables"), STAT_BYTES, N2 | S2},
	{ROW("sec_pagetables"), STAT_BYTES, N2 | S2},
	{ROW("percpu"), STAT_BYTES, S2},
	{ROW("sock"), STAT_BYTES, S2},
	{ROW("vmalloc"), STAT_BYTES, S2},
	{ROW("zswap"), STAT_BYTES, S2},
	{ROW("zswapped"), STAT_BYTES, S2},
	{ROW("file_mapped"), STAT_BYTES, N2 | S2},
	{ROW("file_dirty"), STAT_BYTES, N2 | S2},
	{ROW("file_writeback"), STAT_BYTES, N2 | S2},
	{ROW("anon_thp"), STAT_BYTES, N2 | S2},
	{ROW("file_thp"), STAT_BYTES, N2 | S2},
	{ROW("shmem_thp"), STAT_BYTES, N2 | S2},
	{ROW("slab"), STAT_BYTES, S2},
	{ROW("slab_reclaimable"), STAT_BYTES, N2 | S2},
	{ROW("slab_unreclaimable"), STAT_BYTES, N2 | S2},
	{ROW("hugetlb"), STAT_BYTES, N2 | S2},
	/* events, v1; the recent_ ones and costs only with CONFIG_DEBUG_VM */
	{ROW("pgpgin"), STAT_COUNT, S1},
	{ROW("pgpgout"), STAT_COUNT, S1},
	{ROW("recent_rotated_anon"), STAT_COUNT, L1},
	{ROW("recent_rotated_file"), STAT_COUNT, L1},
	{ROW("recent_scanned_anon"), STAT_COUNT, L1},
	{ROW("recent_scanned_file"), STAT_COUNT, L1},
	{ROW("anon_cost"), STAT_COUNT, L1},
	{ROW("file_cost"), STAT_COUNT, L1},
	/* events, both */
	{ROW("pgfault"), STAT_COUNT, S1 | S2},
	{ROW("pgmajfault"), STAT_COUNT, S1 | S2},
	{ROW("workingset_refault_anon"), STAT_COUNT, N2 | S1 | S2},
	{ROW("workingset_refault_file"), STAT_COUNT, N2 | S1 | S2},
	/* events, v2 */
	{ROW("workingset_refault"), STAT_COUNT, N2 | S2},
	{ROW("workingset_activate"), STAT_COUNT, N2 | S2},
	{ROW("workingset_activate_anon"), STAT_COUNT, N2 | S2},
	{ROW("workingset_activate_file"), STAT_COUNT, N2 | S2},
	{ROW("workingset_restore"), STAT_COUNT, N2 | S2},
	{ROW("workingset_restore_anon"), STAT_COUNT, N2 | S2},
	{ROW("workingset_restore_file"), STAT_COUNT, N2 | S2},
	{ROW("workingset_nodereclaim"), STAT_COUNT, N2 | S2},
	{ROW("pswpin"), STAT_COUNT, S2},
	{ROW("pswpout"), STAT_COUNT, S2},
	{ROW("pgscan"), STAT_COUNT, S2},
	{ROW("pgscan_kswapd"), STAT_COUNT, S2},
	{ROW("pgscan_direct"), STAT_COUNT, S2},
	{ROW("pgscan_khugepaged"), STAT_COUNT, S2},
	{ROW("pgscan_proactive"), STAT_COUNT, S2},
	{ROW("pgsteal"), STAT_COUNT, S2},
	{ROW("pgsteal_kswapd"), STAT_COUNT, S2},
	{ROW("pgsteal_direct"), STAT_COUNT, S2},
	{ROW("pgsteal_khugepaged"), STAT_COUNT, S2},
	{ROW("pgsteal_proactive"), STAT_COUNT, S2},
	{ROW("pgrefill"), STAT_COUNT, S2},
	{ROW("pgactivate"), STAT_COUNT, S2},
	{ROW("pgdeactivate"), STAT_COUNT, S2},
	{ROW("pglazyfree"), STAT_COUNT, S2},
	{ROW("pglazyfreed"), STAT_COUNT, S2},
	{ROW("swpin_zero"), STAT_COUNT, S2},
	{ROW("swpout_zero"), STAT_COUNT, S2},
	{ROW("zswpin"), STAT_COUNT, S2},
	{ROW("zswpout"), STAT_COUNT, S2},
	{ROW("zswpwb"), STAT_COUNT, S2},
	{ROW("thp_fault_alloc"), STAT_COUNT, S2},
	{ROW("thp_collapse_alloc"), STAT_COUNT, S2},
	{ROW("thp_swpout"), STAT_COUNT, S2},
	{ROW("thp_swpout_fallback"), STAT_COUNT, S2},
	{ROW("numa_pages_migrated"), STAT_COUNT, S2},
	{ROW("numa_pte_updates"), STAT_COUNT, S2},
	{ROW("numa_hint_faults"), STAT_COUNT, S2},
	{ROW("numa_task_migrated"), STAT_COUNT, S2},
	{ROW("numa_task_swapped"), STAT_COUNT, S2},
	{ROW("pgdemote_kswapd"), STAT_COUNT, N2 | S2},
	{ROW("pgdemote_direct"), STAT_COUNT, N2 | S2},
	{ROW("pgdemote_khugepaged"), STAT_COUNT, N2 | S2},
	{ROW("pgdemote_proactive"), STAT_COUNT, N2 | S2},
	{ROW("pgpromote_success"), STAT_COUNT, N2 | S2},
};

/* How the rows of the subtree begin where a format prints rows twice; NULL where it does not. */
static const char *twin_prefix(enum stat_type type)
{
	switch (type) {
	case STAT_NUMA_V1:
		return HIERARCHICAL_PREFIX;
	case STAT_MEMORY_V1:
		return "total_";
	default:
		return NULL;
	}
}

static unsigned where_of(enum stat_type type, bool twin)
{
	switch (type) {
	case STAT_NUMA_V2:
		return N2;
	case STAT_MEMORY_V1:
		return twin ? S1 : S1 | L1;
	default:
		return S2;
	}
}

/* Is text[0..length) this name or, with `cut`, the beginning of it without its end? */
static bool matches(const char *text, size_t length, const char *name, size_t name_length, bool cut)
{
	return (cut ? length < name_length : length == name_length) && !memcmp(text, name, length);
}

/* Among the rows of a type; `twin`: only those that are printed twice. */
static bool find_row(enum stat_type type, bool twin, const char *text, size_t length, bool cut,
		     enum stat_unit *unit)
{
	const unsigned where = where_of(type, twin);

	if (type == STAT_NUMA_V1) {
		*unit = STAT_PAGES;
		for (int row = 0; row < NR_NUMA_ROWS; row++)
			if (matches(text, length, numa_rows[row].name, strlen(numa_rows[row].name),
				    cut))
				return true;
		return false;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct name *name = &names[i];

		if (!(name->where & where) || !matches(text, length, name->name, name->length, cut))
			continue;
		*unit = name->unit;
		return true;
	}
	return false;
}

static bool find(enum stat_type type, const char *text, size_t length, bool cut,
		 enum stat_unit *unit)
{
	const char *prefix = twin_prefix(type);
	size_t prefix_length = prefix ? strlen(prefix) : 0;

	if (find_row(type, false, text, length, cut, unit))
		return true;
	if (!prefix || memcmp(text, prefix, length < prefix_length ? length : prefix_length))
		return false;
	if (length < prefix_length)
		return cut;
	return find_row(type, true, text + prefix_length, length - prefix_length, cut, unit);
}

bool stat_name_find(enum stat_type type, const char *name, size_t length, enum stat_unit *unit)
{
	enum stat_unit ignored;

	return find(type, name, length, false, unit ? unit : &ignored);
}

bool stat_name_is_cut(enum stat_type type, const char *name, size_t length)
{
	enum stat_unit ignored;

	return find(type, name, length, true, &ignored);
}
