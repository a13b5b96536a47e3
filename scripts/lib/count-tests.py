#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count every test in Meson's logs, show what failed, and end with one plain line.

Meson counts programs; a program that speaks TAP holds many tests, and each of them counts here. A
program that failed in a way none of its tests tells (it died, timed out, leaked) is one failure more.
With --tap FILE, a file of plain TAP counts too, and with --add LINE the last line of another call.
"""

import argparse
import json
import os
import re
import sys

RESULT = re.compile(r"(not )?ok\b[^#]*(?:#\s*(skip|todo)\b)?", re.IGNORECASE)
PLAN = re.compile(r"1\.\.(\d+)(?:\s*#\s*skip)?", re.IGNORECASE)
LINES_SHOWN = 60


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    @classmethod
    def of_line(cls, line):
        """What str() made, or None."""
        match = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", line)
        if not match:
            return None
        totals = cls()
        totals.passed, totals.failed, totals.skipped = map(int, match.groups())
        return totals

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def count_tap(text):
    """The totals of a TAP stream. Tests that were planned and did not run are failures."""
    totals = Totals()
    planned = None
    seen = 0
    for line in text.splitlines():
        plan = PLAN.match(line)
        if plan:
            # Groups of one program may each print a plan of their own.
            planned = (planned or 0) + int(plan[1])
            if plan[1] == "0":
                totals.skipped += 1
            continue
        if line.lower().startswith("bail out!"):
            totals.failed += 1
            continue
        result = RESULT.match(line)
        if not result:
            continue
        seen += 1
        directive = (result[2] or "").lower()
        if directive == "skip":
            totals.skipped += 1
        elif bool(result[1]) == (directive == "todo"):
            totals.passed += 1
        else:
            totals.failed += 1
    totals.failed += max(0, (planned or 0) - seen)
    return totals


def count_run(run):
    """The totals of one test program, by what it printed and by how it ended."""
    tap = run["protocol"] == "tap"
    totals = count_tap(run["stdout"] or "") if tap else Totals()
    if run["result"] in ("OK", "EXPECTEDFAIL"):
        if not tap:
            totals.passed += 1
        elif not totals.passed and not totals.skipped:
            totals.failed += 1  # it said it is fine, and tested nothing
    elif run["result"] == "SKIP":
        totals.skipped += not totals.skipped
    elif not totals.failed:
        totals.failed += 1
    return totals


def show(directory, run):
    print(f"\n---- failed: {run['name']} in {directory}: {run['result']}, exit code {run['returncode']}")
    for stream in ("stdout", "stderr"):
        lines = (run.get(stream) or "").splitlines()
        if len(lines) > LINES_SHOWN:
            print(f"({len(lines) - LINES_SHOWN} lines before)")
        print("\n".join(lines[-LINES_SHOWN:]))


def read_log(directory):
    """The test programs that ran, each with its protocol. Empty where none did."""
    try:
        with open(os.path.join(directory, "meson-info", "intro-tests.json"), encoding="utf-8") as file:
            protocols = {test["name"]: test["protocol"] for test in json.load(file)}
        with open(os.path.join(directory, "meson-logs", "testlog.json"), encoding="utf-8") as file:
            runs = [json.loads(line) for line in file]
    except FileNotFoundError:
        return []
    for run in runs:
        # The log says "suite - project:name" or "project:suite / name" where the build says "name".
        name = re.split(r":| / ", run["name"])[-1]
        run["protocol"] = protocols[name]
    return runs


def count_directory(directory):
    totals = Totals()
    runs = read_log(directory)
    if not runs:
        print(f"\n---- no test ran in {directory}")
        totals.failed += 1
    for run in runs:
        one = count_run(run)
        totals.add(one)
        if one.failed:
            show(directory, run)
    return totals


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--skipped", action="append", default=[], metavar="REASON", help="what could not run")
    parser.add_argument("--tap", action="append", default=[], metavar="FILE", help="count this TAP file too")
    parser.add_argument("--add", action="append", default=[], metavar="LINE", help="the last line of another call")
    parser.add_argument("directory", nargs="*", help="a build directory whose tests have run")
    arguments = parser.parse_args()

    totals = Totals()
    for directory in arguments.directory:
        one = count_directory(directory)
        print(f"{directory}: {one}")
        totals.add(one)
    for line in arguments.add:
        one = Totals.of_line(line)
        if one is None:
            parser.error(f"--add: {line!r} does not say how many passed, failed and were skipped")
        totals.add(one)
    for name in arguments.tap:
        with open(name, encoding="utf-8") as file:
            one = count_tap(file.read())
        print(f"{os.path.basename(name)}: {one}")
        totals.add(one)
    for reason in arguments.skipped:
        print(f"skipped: {reason}")
        totals.skipped += 1
    sys.stdout.flush()
    print(totals)
    if totals.failed:
        return 1
    return 0 if totals.passed else 2


if __name__ == "__main__":
    sys.exit(main())
