/* SPDX-License-Identifier: MIT */
/* Points whose memcgs come and go, and their churner: for tests of it. */
#ifndef MEMCGBENCH_TESTS_DRIVER_CHURN_FIXTURE_H
#define MEMCGBENCH_TESTS_DRIVER_CHURN_FIXTURE_H

#include "driver/churn.h"

#include "fixture.h"

#define MEMCGS  30u
#define NODES   2u
#define WRITERS 8u
#define READERS 4u
#define CPUS    (READERS + WRITERS + 1)
#define LINGER  16u

/* With all of these; memcgs come and go as fast as they can. */
struct point churn_point(uint32_t batch, uint32_t linger);

/* Over a populated fixture, whose oracle is told. Any failure fails the running test. */
struct churn *churn_over(struct test_model *f);
/* fixture_compare() of all memcgs, with those beside the tree. */
void churn_compare(struct test_model *f, const struct churn *churn);

#endif
