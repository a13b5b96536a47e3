#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a few cases of a suite for a moment. Usage: smoke_suite.py SUITE FILTER"""
import os
import subprocess
import sys
import tempfile

from gb_json import Tap, cases_of, compare_py, run

suite, only = sys.argv[1:]
tap = Tap()
prefix = os.path.basename(suite).removeprefix("bench_") + "/"

listed = run(suite, "--benchmark_list_tests", f"--benchmark_filter={only}").stdout.split()
tap.ok(listed and all(name.startswith(prefix) for name in listed),
       "cases are listed under the suite's name", listed)

with tempfile.TemporaryDirectory() as directory:
    paths = [os.path.join(directory, name) for name in ("base.json", "new.json")]
    runs = [run(suite, f"--benchmark_filter={only}", "--benchmark_min_time=0.001s",
                f"--benchmark_out={path}") for path in paths]
    tap.ok(all(done.returncode == 0 for done in runs), "all cases end well",
           "".join(done.stderr for done in runs))
    with open(paths[0], encoding="utf-8") as file:
        cases = cases_of(file.read())
    tap.ok(sorted(cases) == sorted(listed), "each case listed has a line of JSON", sorted(cases))
    tap.ok(all(case["real_time"] > 0 and case["iterations"] > 0 for case in cases.values()),
           "each case took time")

    what = "compare.py reads two runs"
    command, why = compare_py()
    if command:
        done = subprocess.run([*command, "--no-color", "benchmarks", *paths], text=True,
                              capture_output=True, check=False)
        tap.ok(done.returncode == 0 and listed[0] in done.stdout, what,
               done.stdout + done.stderr)
    else:
        tap.skip(what, why)
sys.exit(tap.finish())
