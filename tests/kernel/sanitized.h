/* SPDX-License-Identifier: MIT */
/*
 * A sanitizer's own pages are charged with those of the task that it looks after: then what was
 * charged is not all that is there, and only the kernel's files say what is.
 */
#ifndef MEMCGBENCH_TESTS_KERNEL_SANITIZED_H
#define MEMCGBENCH_TESTS_KERNEL_SANITIZED_H

#include <stdbool.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

#ifdef SANITIZED
static const bool charges_are_all = false;
#else
static const bool charges_are_all = true;
#endif

#endif
