/* SPDX-License-Identifier: MIT */
/* What a fuzz target defines. libFuzzer calls it, or corpus_main.c where there is no libFuzzer. */
#ifndef MEMCGBENCH_TESTS_FUZZ_FUZZ_H
#define MEMCGBENCH_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Always 0; a broken promise aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
