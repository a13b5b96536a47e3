#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Suites under the usual --benchmark_* flags. Usage: test_gb_suite.py SAMPLE_SUITE"""
import os
import subprocess
import sys
import tempfile

from gb_json import Tap, cases_of, compare_py, run, strict_json

suite = sys.argv[1]
tap = Tap()
SHORT = "--benchmark_min_time=0.001s"
# What the caller's environment says to the library is no part of these tests.
plain = {key: value for key, value in os.environ.items() if not key.startswith("BENCHMARK_")}


def suite_run(*flags, **more):
    return run(suite, *flags, env={**plain, **more})


def is_strict(text):
    try:
        strict_json(text)
        return True
    except ValueError as error:
        print(f"# {error}")
        return False


def run_as_asked():
    done = suite_run("--benchmark_filter=good/", SHORT)
    tap.ok(done.returncode == 0 and "good/spin/memcgs:10" in done.stdout,
           "good cases end with 0 and a table", done.stdout + done.stderr)
    steps = [line for line in done.stderr.splitlines() if line.startswith(("setup", "teardown"))]
    tap.ok(steps == ["setup good/spin/memcgs:10", "teardown good/spin/memcgs:10",
                     "setup good/timed/memcgs:10", "teardown good/timed/memcgs:10"],
           "each case has one state, gone before the next is made", done.stderr)

    for written in ("0.001", "0.001s"):
        done = suite_run("--benchmark_filter=good/bare", f"--benchmark_min_time={written}")
        tap.ok(done.returncode == 0, f"--benchmark_min_time={written} is taken", done.stderr)
    done = suite_run("--benchmark_list_tests")
    tap.ok(done.returncode == 0 and len(done.stdout.split()) == 7 and "setup" not in done.stderr,
           "--benchmark_list_tests lists and runs nothing", done.stdout)
    done = suite_run("--help")
    tap.ok(done.returncode == 0 and "--benchmark_filter" in done.stdout, "--help is no error")


def json_is_strict():
    flags = ["--benchmark_filter=good/", SHORT, "--benchmark_repetitions=3"]
    done = suite_run(*flags, "--benchmark_format=json")
    tap.ok(done.returncode == 0 and is_strict(done.stdout),
           "JSON of repetitions is strict, though a counter is always 0", done.stderr)
    done = suite_run(*flags, BENCHMARK_FORMAT="json")
    tap.ok(done.returncode == 0 and is_strict(done.stdout),
           "JSON asked for by variable is strict", done.stderr)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "out.json")
        done = suite_run(*flags, f"--benchmark_out={path}")
        with open(path, encoding="utf-8") as file:
            tap.ok(done.returncode == 0 and is_strict(file.read()),
                   "JSON in a file beside the table is strict", done.stderr)
        path = os.path.join(directory, "out.csv")
        done = suite_run("--benchmark_filter=good/bare", SHORT, f"--benchmark_out={path}",
                         "--benchmark_out_format=csv")
        with open(path, encoding="utf-8") as file:
            tap.ok(done.returncode == 0 and "name,iterations" in file.read(),
                   "other formats are the library's", done.stderr)


def figures_are_those_of_the_cases():
    done = suite_run("--benchmark_filter=good/", SHORT, "--benchmark_format=json")
    cases = cases_of(done.stdout)
    spin = cases["good/spin/memcgs:10"]
    tap.ok(spin["loads"] == 21602160 and spin["always_zero"] == 0, "counters come as given", spin)
    per_second = 8 / (spin["cpu_time"] * 1e-9)
    tap.ok(abs(spin["bytes"] / per_second - 1) < 0.01, "rates are of one operation's time", spin)
    timed = next(case for name, case in cases.items() if name.startswith("good/timed"))
    tap.ok(timed["iterations"] == 3 and abs(timed["real_time"] - 1e6) < 1,
           "fixed iterations and own time are kept", timed)


def trouble_is_two():
    for name, flag in (("unknown flag", "--benchmark_flter=good"), ("stray word", "good"),
                       ("wrong number", "--benchmark_repetitions=many"),
                       ("wrong format", "--benchmark_format=yaml"),
                       ("wrong format of a file", "--benchmark_out_format=yaml"),
                       ("filter that matches nothing", "--benchmark_filter=nothing"),
                       ("broken filter", "--benchmark_filter=(")):
        done = suite_run(flag)
        tap.ok(done.returncode == 2 and done.stderr and "setup" not in done.stderr,
               f"{name}: exit 2, said, nothing run", f"{done.returncode}\n{done.stderr}")
    for name, reason in (("setup", "Cannot allocate memory"), ("run", "Input/output error"),
                         ("nan", "not finite"), ("clash", "name of a field")):
        done = suite_run(f"--benchmark_filter=^bad/{name}", SHORT, "--benchmark_format=json")
        tap.ok(done.returncode == 2 and reason in done.stderr and is_strict(done.stdout),
               f"bad {name}: exit 2 with its reason, and strict JSON",
               f"{done.returncode}\n{done.stderr}")
    done = suite_run("--benchmark_filter=bad/run|good/bare", SHORT)
    tap.ok(done.returncode == 2 and "good/bare" in done.stdout,
           "one bad case does not keep others from running", done.stdout)


def compare_reads_it():
    what = "compare.py reads two runs"
    command, why = compare_py()
    if not command:
        tap.skip(what, why)
        return
    with tempfile.TemporaryDirectory() as directory:
        paths = [os.path.join(directory, name) for name in ("base.json", "new.json")]
        for path in paths:
            suite_run("--benchmark_filter=good/", SHORT, f"--benchmark_out={path}")
        done = subprocess.run([*command, "--no-color", "benchmarks", *paths], text=True,
                              capture_output=True, check=False, env=plain)
    tap.ok(done.returncode == 0 and "good/spin/memcgs:10" in done.stdout, what,
           done.stdout + done.stderr)


run_as_asked()
json_is_strict()
figures_are_those_of_the_cases()
trouble_is_two()
compare_reads_it()
sys.exit(tap.finish())
