/* SPDX-License-Identifier: MIT */
/*
 * Directories of runs that were never measured: the figures follow from a few rules and a seed, so
 * that tests of charts know what must be in them.
 */
#ifndef MEMCGBENCH_TESTS_RUN_FIXTURE_H
#define MEMCGBENCH_TESTS_RUN_FIXTURE_H

#include "base/error.h"

/*
 * Kinds:
 *  sweep    memcgs 10, 100, 1k and 10k, hot and cold, walk and cached, 10 processes; two references
 *  single   one point, walk and cached, two references at it
 *  sparse   as sweep, but one process, of walk only, and none at 10k
 *  many     memcgs 10 to 10k, 20 back ends
 *  pairs    nodes and CPUs in pairs, 2 values of skew, 7 of batch
 *  batched  as sweep, cached measured in batches of 40 reads
 *  wide     one memcg to 4M, from 1 ns to hours
 *  hostile  as single, its title full of quotes and of other people's markup
 *  markup   as single, its title the markup that a page is made of
 *  empty    as sweep, nothing finished
 *  failed   as sweep, every process failed, and the reason is markup
 *  errors   as sweep; walk is exact, cached is off by memcgs x 16 pages of ten times that
 *  large    200 points, walk and cached, 1 process
 *
 * 0, or negative errno: the directory is there, or the kind is not known.
 */
int run_fixture_write(const char *directory, const char *kind, struct error *err);

#endif
