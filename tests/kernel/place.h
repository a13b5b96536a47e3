/* SPDX-License-Identifier: MIT */
/* An ordinary directory that is taken for a hierarchy, and a place for notes, for tests. */
#ifndef MEMCGBENCH_TESTS_KERNEL_PLACE_H
#define MEMCGBENCH_TESTS_KERNEL_PLACE_H

#include "kernel/hierarchy.h"

struct place {
	char directory[64], top[80], notes[80];
	struct hierarchy hierarchy;
};

/* Set up and take down, for cmocka. Taking down fails where a file or a link was left behind. */
int place_enter(void **state);
int place_leave(void **state);

void make_below(const char *directory, const char *name);
void write_text(const char *path, const char *text);

#endif
