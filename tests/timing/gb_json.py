# SPDX-License-Identifier: MIT
"""Runs suites and reads their JSON as strictly as the standard does."""
import glob
import json
import subprocess
import sys


class Tap:
    """Prints results as they come; finish() prints the plan and returns the exit code."""

    def __init__(self):
        self.nr = 0
        self.failed = 0

    def ok(self, condition, what, detail=""):
        self.nr += 1
        if not condition:
            self.failed += 1
        print(f"{'ok' if condition else 'not ok'} {self.nr} - {what}", flush=True)
        if not condition:
            for line in str(detail).splitlines()[-20:]:
                print(f"# {line}")

    def skip(self, what, why):
        self.nr += 1
        print(f"ok {self.nr} - {what} # SKIP {why}", flush=True)

    def finish(self):
        print(f"1..{self.nr}")
        return 1 if self.failed else 0


def _no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"duplicate key in {keys}")
    return dict(pairs)


def _no_constants(name):
    raise ValueError(f"{name} is not JSON")


def strict_json(text):
    """The document, or ValueError: no NaN or Infinity, no duplicate key, nothing behind it."""
    return json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constants)


def run(program, *flags, env=None):
    return subprocess.run([program, *flags], capture_output=True, text=True, env=env, check=False)


def cases_of(text):
    """The cases of a suite's JSON by name, aggregates left out."""
    return {case["name"]: case for case in strict_json(text)["benchmarks"]
            if case["run_type"] == "iteration"}


def compare_py():
    """The standard tool as a command, or None and why it cannot run here."""
    found = sorted(glob.glob("/usr/share/benchmark/compare.py")
                   + glob.glob("/usr/share/doc/libbenchmark*/tools/compare.py"))
    if not found:
        return None, "compare.py is not installed (libbenchmark-tools)"
    try:
        import numpy  # noqa: F401 pylint: disable=unused-import,import-outside-toplevel
        import scipy.stats  # noqa: F401 pylint: disable=unused-import,import-outside-toplevel
    except ImportError as error:
        return None, f"compare.py needs numpy and scipy: {error}"
    return [sys.executable, "-B", found[0]], None
