/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * A result: what one finished process says, one JSON file. Its schema, version 1:
 *
 *  schema      {"name":"memcgbench-result","version":1}
 *  scenario    name;  title
 *  point       {"id":"<16 hex>", "parameters":{"tree.memcgs":10000, ...all, defaults included}}
 *  backend     name;  repetition  from 1;  seed  of the schedule;  label  text or absent
 *  started_at  "2026-11-30T15:03:00Z", when the parent started the process, UTC; absent before 0.2
 *  status      "ok" | "failed";  reason  text, only when failed (then most of the rest is absent)
 *  host_class  text
 *  context     machine_context()
 *  build       {"id","version","compiler","flags","benchmark"}
 *  placement   {"asked":"fold","found":{placement_verify()},"reader_cpus":[OS index,..]}
 *  sampling    {"samples":200,"reads_per_sample":1,"loop_ns":..,"readers":1,"reads":200,
 *               "pilot":true,"floor_ns":21.3,"floor_p99_ns":31.0,"clock":"wall"|"manual","tries":1,
 *               "benchmark_mean_ns":..,"histogram_mean_ns":..,"late":0,"cold_method":".."|null}
 *              samples: per reader; reads = samples x reads_per_sample x readers
 *              loop_ns: expected of a reader's whole loop; below 5 ms, or where two clocks disagree
 *              and it turns out to be that short, the clock is manual
 *              tries: loops until two clocks agreed
 *              pilot: this process chose samples and reads_per_sample
 *  latency     {"histogram":"<histogram_encode()>","median_ns":..}     per read
 *  parts       {"hierarchical_ns":..,"local_ns":..|null,"format_ns":..|null,"samples":n}  medians,
 *              of one show of each file, without that of read.with
 *  update      {"median_ns":..,"p99_ns":..|null,"updates":n,"updates_per_sample":n,
 *               "kinds":{"page":{"median_ns":..,"updates":n,"updates_per_sample":n,"alone":n,
 *                                "alone_median_ns":..,"p99_ns":..,"max_ns":..},
 *                        "huge":{..},"lru":{..},"migrate":{..}|null}|absent}|null   one charge
 *              or uncharge of one page, by one thread while nobody reads, after everything else;
 *              absent before 0.2; null where the back end has no update
 *              kinds: of single and huge pages, of moves between lists and nodes, many in a row at
 *              one place, so that batches spill as they do in life (driver/update_kinds.h); a move
 *              is one update. median: over batches; the others of that many updates, each timed
 *              alone, the timer's floor in it. migrate: null where there is one node only
 *  writers     {"writers":n,"mix":"page","updates":n,"updates_per_sample":n,"median_ns":..,
 *               "p99_batch_ns":..|null,"updates_per_s":..,"updates_per_s_each":[..],
 *               "cpus":[OS index,..],"seconds":..,"behind":0,"error":{as error, below}}|null
 *              what point's writers did while the samples were taken; null without any, absent
 *              before 0.2. median: of an update, over batches of updates_per_sample; p99: of such
 *              batches' means, null below 1000 batches; behind: paced batches that began after
 *              their time; error: of the root's hierarchical rows after writers and churner ended
 *  locks       [{"name":"flush","taken":n,"contended":n,"passed_by":n,"wait_ns":..,
 *               "wait_median_ns":..,"wait_p99_ns":..|null,"wait_max_ns":..,"hold_ns":..,
 *               "hold_median_ns":..,"hold_p99_ns":..|null,"hold_max_ns":..},..]|null
 *              locks of the back end that were taken while samples were taken, the untimed reads
 *              around them included; taken: anew, too, each time that it was given up in between;
 *              contended: after waiting; passed_by: found taken, and went on without it. wait_ns
 *              and hold_ns: totals; waits are of all takings, 0 where nobody waited; p99 is null
 *              below 1000. null: no lock was taken; absent before 0.2
 *  flusher     {"period_ns":..,"flushes":n,"late":0,"median_ns":..|null,"max_ns":..|null,
 *               "total_ns":..,"seconds":..,"cpu":OS index}|null
 *              the thread that flushes from the root while samples are taken; late: began after
 *              their time; null without one, absent before 0.2
 *  churn       {"created":n,"removed":n,"create_ns":..|null,"create_p99_ns":..|null,
 *               "remove_ns":..|null,"remove_p99_ns":..|null,"lingering":n,"pages":n,"behind":0,
 *               "waits":0,"seconds":..,"cpu":OS index,"error":{as error, below}}|null
 *              memcgs that came and went while the samples were taken; null without any, absent
 *              before 0.2. medians, and p99 of 1000 or more; pages: charged to each; behind: that
 *              were created after the next was due; waits: that waited for readers to be done with
 *              a place; error: as that of writers
 *  harm        {"pairs":n,"slice_ns":..,"seconds":{"without":..,"with":..},"reads":n,
 *               "victim":{"cpu":OS index,"policy":"other","period_ns":1000000,
 *                         "without":{"wakeups":n,"histogram":"<histogram_encode()>"},
 *                         "with":{the same}},
 *               "tasks":{"limit_bytes":..|null,
 *                        "apart":{"tasks":n,"charges_per_s":{"without":[..],"with":[..]},
 *                                 "touches_per_s":{the same}}|null,
 *                        "beside":{the same}|null}|null}|null
 *              what others suffer while the point's readers read, after everything else, in pairs
 *              of slices without and with reads (driver/harm.h), of slice_ns each; seconds: that
 *              rates are over, of all slices. victim: how late a thread on the first reader's CPU
 *              woke, one that wants it once a period. tasks: of live back ends, pages that tasks
 *              charged to leaves and that they touched, a second, in each slice by all tasks that
 *              were on CPUs apart from readers or beside one; a model has no tasks: null. limit:
 *              the lowest of their memcgs', with harm.limit. null without harm.time, absent before
 *              0.2
 *  live        {"file":"memory.numa_stat","descriptor":"reopened"|"kept","files":n,"reads":n,
 *               "bytes":n,
 *               "fixture":{"version":1|2,"cgroups":n,"dying_asked":n,"dying_found":n|null,
 *                          "pages":n,"unheld_pages":n,"made_ns":..,"charged_ns":..,"settled_ns":..,
 *                          "truth":{"hierarchical_pages":n|null,"local_pages_sum":n|null,
 *                                   "charged_pages":n,"bound_pages":n}|null}}|null
 *              of back ends that read the running kernel; null of models, absent before 0.2. Before
 *              "fixture": of one whole read by kernel, kernel-userwalk and kernel-floor: the files
 *              read, how often read() was called for them and what they held, headed by the file's
 *              name; kept: through a descriptor each that stays open. By kernel-bpfwalk and
 *              kernel-bpfwalk-percpu there is instead {"mode":"local"|"percpu","passes":n,
 *              "dying_walked":n,"walks":n,"kernel_ns":n|null}: of one whole read the passes over
 *              trees, and the memcgs of removed cgroups that the first pass of each tree came to;
 *              how many walks of what the point reads the process made in all, and the median of
 *              their times inside the kernel, null without walks.
 *              fixture: of the tree of real cgroups, the same for all who read it. version: of
 *              cgroup; cgroups: with a directory, the tree's root included; dying: asked for, and
 *              as the kernel counts them, null where it does not say; pages: charged; unheld: of a
 *              file's, those that anybody may reclaim meanwhile; made: the
 *              cgroups alone, charged: pages touched, settled: until the kernel had counted them.
 *              truth: pages of hierarchical_total of the root's file, of all `total` of cgroups
 *              with a file, as charged, and what CPUs may hold back; null: not looked at
 *  error       {"pages":..,"bound_pages":..,"cell":"hierarchical_total N0","value":..,"truth":..,
 *               "cells_beyond_bound":0}          hierarchical rows
 *  local_error the same for local rows, or null
 *  under_load  {"reads":n,"apart":n,"beyond_bound":n,
 *               "error":{"pages":..,"bound_pages":..,"cell":..,"value":..,"low":..,"high":..},
 *               "width_pages":{"median":..,"max":..},
 *               "age":{"cell":"hierarchical_total","median_ns":..|null,"p99_ns":..|null,
 *                      "max_ns":..|null,"unknown":n},"seconds":..}|null
 *              reads that were held against the truth while writers were at work, behind the
 *              samples. The truth of a cell lies in a bracket, low to high: it moved during the
 *              read. apart: reads with a cell outside of its bracket; beyond_bound: by more than
 *              the bound that holds at rest; error: the hierarchical cell that took the largest
 *              share of it; width: high - low of age.cell. age: since the cell's value was last
 *              true, 0: it was during the read; unknown: values that were not true within the
 *              record, older than all others: where they decide, null, as a p99 of fewer than 1000
 *              reads is. null without writers and of files but v1 memory.numa_stat, absent before
 *              0.2
 *  closure     {"pages":..,"bound_pages":..,"row":"hierarchical_total","sum":..,"columns":..,
 *               "rows":n,"rows_beyond_bound":0}   of the root's hierarchical rows while nobody
 *              writes, the one whose sum is furthest from the sum of its node columns, as a share
 *              of the bound of both; rows: looked at. This and the next: absent before 0.2
 *  inversion   {"pairs":n,"cells":n,"below":n,"below_beyond_bound":0,"pages":..,"bound_pages":..,
 *               "cell":"hierarchical_file N0","parent":..,"child":..}|null   while nobody writes:
 *              pairs of a memcg and its child, their hierarchical cells; how many of the parents'
 *              were below the child's, and the worst of them (cell, parent and child only then).
 *              null: no memcg has a child with a file
 *  memory      {"bytes":..,"rss_peak_bytes":..,"estimate_bytes":..}
 *              bytes: of the back end; rss_peak and estimate: of the whole process, as found and as
 *              `plan` says it (before 0.2: of the back end alone)
 *  times       {"create_ns","verify_ns","populate_ns","count_ns","pilot_ns","measure_ns",
 *               "parts_ns","update_ns","truth_ns","harm_ns","destroy_ns","total_ns","process_ns"}
 *              truth: all that is compared outside of the samples, count aside; absent before 0.2;
 *              harm: absent before 0.2
 *              total: all of the process; process: the parent's wall clock from before fork to
 *              after wait. Less the steps, that is the harness's own cost.
 *  perf        {"cycles",..} of the sampling loop, or null: not to be had, or cold
 *  warnings    ["sentence", ...]
 *
 * Unknown keys are kept; a newer version is refused.
 */
/* clang-format on */
#ifndef MEMCGBENCH_RESULT_RESULT_H
#define MEMCGBENCH_RESULT_RESULT_H

#include "base/error.h"

#include <jansson.h>

#define RESULT_SCHEMA_NAME    "memcgbench-result"
#define RESULT_SCHEMA_VERSION 1

/* A document with schema, scenario, point, backend, repetition and status filled in; the caller
 * owns it. `reason` NULL: status ok. */
json_t *result_new(const char *scenario, const char *title, const char *point_id, json_t *values,
		   const char *backend, unsigned repetition, const char *reason);

/* Read and check a result file: JSON errors with file, line and column, schema name and version,
 * presence and types of what the schema promises. -EPROTONOSUPPORT for a newer version. */
int result_load(const char *path, json_t **result, struct error *err);

#endif
