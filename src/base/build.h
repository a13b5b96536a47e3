/* SPDX-License-Identifier: MIT */
/*
 * Which build this is. Results carry it, and two results are only of one run where it is the same.
 * All strings are constant and live as long as the program.
 */
#ifndef MEMCGBENCH_BASE_BUILD_H
#define MEMCGBENCH_BASE_BUILD_H

/* "0.1.0": the release, as meson.build says it. */
const char *build_version(void);

/*
 * One word: version, commit (with a hash of uncommitted changes), compiler, hash of the flags, e.g.
 * "0.1.0+8e86f89c31ab.gcc-12.2.0.5d0f1c2a". Differs wherever the code that is measured may differ.
 */
const char *build_id(void);

/* "gcc 12.2.0" */
const char *build_compiler(void);

/* Build type, optimisation and the user's own flags, as words "name=value". */
const char *build_flags(void);

#endif
