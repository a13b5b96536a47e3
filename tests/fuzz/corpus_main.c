// SPDX-License-Identifier: MIT
/*
 * Runs a fuzz target without libFuzzer: over every file of the directories named, over prefixes of
 * it (all of a short file), and over seeded mutations. Speaks TAP, one test for a file; a broken
 * promise of the target aborts the program, which is then a failed test.
 */
#include "base/file.h"
#include "base/rng.h"
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_MAX    (1u << 20)
#define PREFIXES_MAX 500 /* of one file: bounds the time whatever the corpus holds */

/* Bytes that mean something to the formats we read. */
static const char telling[] = "\n\r\t =:N#-[]{},&*!%\"'0189aze\x7f\xff";

static size_t mutate(struct rng *rng, char *data, size_t length)
{
	for (uint64_t changes = 1 + rng_below(rng, 4); changes && length; changes--) {
		size_t at = rng_below(rng, length);
		size_t run = 1 + rng_below(rng, length - at);

		switch (rng_below(rng, 4)) {
		case 0: /* lose a run */
			memmove(data + at, data + at + run, length - at - run);
			length -= run;
			break;
		case 1: /* copy a run over another place */
			memmove(data + rng_below(rng, length - run + 1), data + at, run);
			break;
		case 2:
			data[at] = (char)rng_next(rng);
			break;
		default: /* the NUL of the string is one of them */
			data[at] = telling[rng_below(rng, sizeof(telling))];
			break;
		}
	}
	return length;
}

static int run_file(const char *path, uint64_t mutations)
{
	struct rng rng = rng_for(1, 2, 3);
	struct error err = {0};
	size_t length;
	char *data, *copy;

	if (file_read(path, INPUT_MAX, &data, &length, &err)) {
		error_print(stderr, &err);
		return -1;
	}
	copy = malloc(length + 1);
	if (!copy) {
		free(data);
		return -1;
	}
	for (size_t cut = 0; cut < length; cut += 1 + length / PREFIXES_MAX)
		LLVMFuzzerTestOneInput((const uint8_t *)data, cut);
	LLVMFuzzerTestOneInput((const uint8_t *)data, length);
	for (; mutations; mutations--) {
		memcpy(copy, data, length);
		LLVMFuzzerTestOneInput((const uint8_t *)copy, mutate(&rng, copy, length));
	}
	free(copy);
	free(data);
	return 0;
}

/* A directory below may hold what has no place in a corpus, as charts of scenarios. */
static int is_file(const struct dirent *entry)
{
	return entry->d_type != DT_DIR;
}

/* Returns how many files failed, or -1 where there is nothing to run. */
static int run_directory(const char *path, uint64_t mutations, unsigned *nr)
{
	struct dirent **entries;
	int found = scandir(path, &entries, is_file, alphasort);
	int failed = 0;

	if (found < 0)
		return -1;
	for (int i = 0; i < found; i++) {
		char file[PATH_MAX + sizeof(entries[i]->d_name) + 1];

		if (entries[i]->d_name[0] != '.') {
			snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
			if (run_file(file, mutations)) {
				printf("not ");
				failed++;
			}
			printf("ok %u - %s\n", ++*nr, entries[i]->d_name);
		}
		free(entries[i]);
	}
	free(entries);
	return failed;
}

int main(int argc, char **argv)
{
	uint64_t mutations = getenv("MEMCGBENCH_TEST_LONG") ? 50000 : 200;
	unsigned nr = 0;
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		int r = run_directory(argv[i], mutations, &nr);

		if (r < 0) {
			printf("Bail out! cannot list %s\n", argv[i]);
			return 1;
		}
		failed += r;
	}
	printf("1..%u\n", nr);
	return failed || !nr;
}
