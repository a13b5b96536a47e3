// SPDX-License-Identifier: MIT
/* The set of lines counts each line once, wherever it lies, and an evicted set is slow to read. */
#include "timing/lines.h"

#include "base/rng.h"
#include "stats/order.h"
#include "timing/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

static struct region region_at(void *base, size_t bytes)
{
	return (struct region){.base = base, .bytes = bytes};
}

static void *address(uintptr_t value)
{
	return (void *)value;
}

static void lines_are_counted_once(void **state)
{
	struct region region = region_at(address(0x100000), 4096);
	struct line_set *set = line_set_new(&region, 1);

	assert_non_null(set);
	assert_int_equal(line_set_bytes(set), 0);
	assert_int_equal(line_set_add(set, address(0x100000), 0), 0);
	assert_int_equal(line_set_bytes(set), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(line_set_add(set, address(0x100008), 8), 0);
		assert_int_equal(line_set_add(set, address(0x900008), 8), 0);
	}
	assert_int_equal(line_set_bytes(set), 2 * LINE_BYTES);
	line_set_free(set);
	line_set_free(NULL);
}

static void accesses_across_a_boundary_touch_both_lines(void **state)
{
	struct region region = region_at(address(0x100000), 4096);
	struct line_set *set = line_set_new(&region, 1);

	assert_non_null(set);
	assert_int_equal(line_set_add(set, address(0x10003c), 8), 0);
	assert_int_equal(line_set_bytes(set), 2 * LINE_BYTES);
	assert_int_equal(line_set_add(set, address(0x20003c), 8), 0);
	assert_int_equal(line_set_bytes(set), 4 * LINE_BYTES);
	/* Half in the region, half behind it. */
	assert_int_equal(line_set_add(set, address(0x100ffc), 8), 0);
	assert_int_equal(line_set_bytes(set), 6 * LINE_BYTES);
	assert_int_equal(line_set_add(set, address(0x101000), 1), 0);
	assert_int_equal(line_set_bytes(set), 6 * LINE_BYTES);
	line_set_free(set);
}

struct seen {
	const bool *expected;
	bool *visited;
	uintptr_t base;
	size_t nr;
};

static void look(void *arg, void *line)
{
	struct seen *seen = arg;
	size_t i = ((uintptr_t)line - seen->base) / LINE_BYTES;

	assert_int_equal((uintptr_t)line % LINE_BYTES, 0);
	assert_true(i < seen->nr && seen->expected[i] && !seen->visited[i]);
	seen->visited[i] = true;
}

/* Regions that overlap, touch, share a line or are empty, and everything between them. */
static void any_regions_and_accesses_give_the_set_of_a_plain_array(void **state)
{
	enum {
		LINES = 20000
	};
	static bool expected[LINES], visited[LINES];
	const uintptr_t base = (uintptr_t)1 << 30;
	struct rng rng = {8};

	for (unsigned round = 0; round < 40; round++) {
		struct region regions[20];
		size_t nr = (size_t)rng_below(&rng, 21), count = 0;
		struct seen seen = {expected, visited, base, LINES};
		struct line_set *set;

		memset(expected, 0, sizeof(expected));
		memset(visited, 0, sizeof(visited));
		for (size_t i = 0; i < nr; i++)
			regions[i] = region_at(
				address(base + rng_below(&rng, (LINES - 2000) * LINE_BYTES)),
				i % 5 ? rng_below(&rng, 2000 * LINE_BYTES) : 0);
		set = line_set_new(regions, nr);
		assert_non_null(set);
		for (unsigned i = 0; i < 30000; i++) {
			size_t at = rng_below(&rng, LINES * LINE_BYTES - 300);
			size_t bytes = 1 + rng_below(&rng, i % 100 ? 8 : 300);

			assert_int_equal(line_set_add(set, address(base + at), bytes), 0);
			for (size_t k = at; k < at + bytes; k++)
				expected[k / LINE_BYTES] = true;
		}
		for (size_t i = 0; i < LINES; i++)
			count += expected[i];
		assert_int_equal(line_set_bytes(set), count * LINE_BYTES);
		line_set_each(set, look, &seen);
		assert_memory_equal(visited, expected, sizeof(expected));
		line_set_free(set);
	}
}

/* A chain of dependent loads through every line of a buffer, in an order no prefetcher guesses. */
struct chain {
	unsigned char *memory;
	size_t nr_lines;
};

static void **link_of(const struct chain *chain, size_t line)
{
	return (void **)(chain->memory + line * LINE_BYTES);
}

static void chain_make(struct chain *chain, size_t nr_lines)
{
	uint32_t *order = malloc(nr_lines * sizeof(*order));
	struct rng rng = {9};

	chain->nr_lines = nr_lines;
	chain->memory = mmap(NULL, nr_lines * LINE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(order && chain->memory != MAP_FAILED);
	for (uint32_t i = 0; i < nr_lines; i++) {
		size_t other = rng_below(&rng, i + 1);

		order[i] = order[other];
		order[other] = i;
	}
	for (size_t i = 0; i < nr_lines; i++)
		*link_of(chain, order[i]) = link_of(chain, order[(i + 1) % nr_lines]);
	free(order);
}

static double chain_ns_per_load(const struct chain *chain)
{
	void **at = link_of(chain, 0);
	uint64_t start = clock_now();

	for (size_t i = 0; i < chain->nr_lines; i++)
		at = *at;
	keep(at);
	return (double)(clock_now() - start) / (double)chain->nr_lines;
}

/* Medians over repeats, hot and cold in turn, so that a noisy neighbour meets both. */
static void assert_cold_is_slower(const struct chain *chain, struct evictor *evictor,
				  void (*evict)(struct evictor *evictor))
{
	enum {
		REPEATS = 11
	};
	double hot[REPEATS], cold[REPEATS], hot_ns, cold_ns;

	for (unsigned i = 0; i < REPEATS; i++) {
		evict(evictor);
		cold[i] = chain_ns_per_load(chain);
		hot[i] = chain_ns_per_load(chain);
	}
	hot_ns = median(hot, REPEATS);
	cold_ns = median(cold, REPEATS);
	print_message("# %s: %.1f ns a load hot, %.1f cold\n", evictor_method(evictor), hot_ns,
		      cold_ns);
	assert_true(cold_ns > 2 * hot_ns);
}

static void chain_loads_are_slow_after_the_set_was_evicted(void **state)
{
	struct line_set *set;
	struct evictor *evictor;
	struct region region;
	struct chain chain;

	chain_make(&chain, 256); /* 16 KiB: in the first-level cache when hot */
	region = region_at(chain.memory, chain.nr_lines * LINE_BYTES);
	set = line_set_new(&region, 1);
	assert_non_null(set);
	assert_int_equal(line_set_add(set, region.base, region.bytes), 0);
	assert_int_equal(line_set_bytes(set), region.bytes);
	evictor = evictor_new(set, 0);
	assert_non_null(evictor);
#if defined(__x86_64__) || defined(__aarch64__)
	assert_non_null(strstr(evictor_method(evictor), " + sweep of "));
	assert_cold_is_slower(&chain, evictor, evictor_flush);
#endif
	assert_cold_is_slower(&chain, evictor, evictor_run);
	evictor_free(evictor);
	line_set_free(set);
	munmap(chain.memory, region.bytes);
}

static void without_a_set_the_sweep_makes_loads_slow(void **state)
{
	struct evictor *evictor;
	struct chain chain;

	chain_make(&chain, 256);
	evictor = evictor_new(NULL, 24 << 20);
	assert_non_null(evictor);
	assert_string_equal(evictor_method(evictor), "sweep of 48 MiB");
	assert_cold_is_slower(&chain, evictor, evictor_run);
	evictor_free(evictor);
	evictor_free(NULL);
	munmap(chain.memory, chain.nr_lines * LINE_BYTES);
}

static void evicting_changes_no_data(void **state)
{
	enum {
		BYTES = 1 << 20
	};
	unsigned char *data = malloc(BYTES), *copy = malloc(BYTES);
	struct rng rng = {10};
	struct line_set *set = line_set_new(NULL, 0);
	struct evictor *evictor;

	assert_true(data && copy && set);
	for (size_t i = 0; i < BYTES; i++)
		data[i] = copy[i] = (unsigned char)rng_next(&rng);
	assert_int_equal(line_set_add(set, data, BYTES), 0);
	evictor = evictor_new(set, 0);
	assert_non_null(evictor);
	evictor_run(evictor);
	assert_memory_equal(data, copy, BYTES);
	evictor_free(evictor);
	line_set_free(set);
	free(data);
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_counted_once),
		cmocka_unit_test(accesses_across_a_boundary_touch_both_lines),
		cmocka_unit_test(any_regions_and_accesses_give_the_set_of_a_plain_array),
		cmocka_unit_test(chain_loads_are_slow_after_the_set_was_evicted),
		cmocka_unit_test(without_a_set_the_sweep_makes_loads_slow),
		cmocka_unit_test(evicting_changes_no_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
