#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_count_tests.py SCRIPT: the counter of tests counts what ran, and cannot be fooled into passing."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import tap

SCRIPT = os.path.abspath(sys.argv[1])


class CountTests(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        for name in ("meson-info", "meson-logs"):
            os.mkdir(os.path.join(self.directory, name))

    def log(self, *runs):
        """Each run: (protocol, result, stdout)."""
        with open(os.path.join(self.directory, "meson-info", "intro-tests.json"), "w", encoding="utf-8") as file:
            json.dump([{"name": f"t{i}", "protocol": run[0]} for i, run in enumerate(runs)], file)
        with open(os.path.join(self.directory, "meson-logs", "testlog.json"), "w", encoding="utf-8") as file:
            for i, (_, result, stdout) in enumerate(runs):
                run = {"name": f"unit - memcgbench:t{i}", "result": result, "stdout": stdout, "returncode": 0}
                file.write(json.dumps(run) + "\n")

    def count(self, *options):
        done = subprocess.run(
            [sys.executable, SCRIPT, *options, self.directory], capture_output=True, text=True, timeout=60
        )
        return done.stdout.splitlines()[-1], done.returncode

    def test_subtests(self):
        """each test inside a TAP program counts, and a program without TAP is one"""
        self.log(
            ("tap", "OK", "1..3\nok 1 - a\nok 2 - b # SKIP no node\nnot ok 3 - c # TODO later\n"),
            ("exitcode", "OK", "ok 1\nok 2\n"),
        )
        self.assertEqual(self.count(), ("3 passed, 0 failed, 1 skipped", 0))

    def test_failure(self):
        """a failed subtest counts once, and makes exit code 1"""
        self.log(("tap", "FAIL", "ok 1 - a\nnot ok 2 - b\n1..2\n"))
        self.assertEqual(self.count(), ("1 passed, 1 failed, 0 skipped", 1))

    def test_todo_that_passes(self):
        """a test that passes and was expected to fail is a failure"""
        self.log(("tap", "FAIL", "1..1\nok 1 - a # TODO later\n"))
        self.assertEqual(self.count(), ("0 passed, 1 failed, 0 skipped", 1))

    def test_dies_after_passing(self):
        """a program that dies or leaks after its last test fails"""
        self.log(("tap", "ERROR", "1..1\nok 1 - a\n"), ("tap", "TIMEOUT", ""))
        self.assertEqual(self.count(), ("1 passed, 2 failed, 0 skipped", 1))

    def test_stops_early(self):
        """planned tests that did not run are failures"""
        self.log(("tap", "ERROR", "1..3\nok 1 - a\n"))
        self.assertEqual(self.count(), ("1 passed, 2 failed, 0 skipped", 1))

    def test_silent_program(self):
        """a TAP program that tests nothing and calls it success fails"""
        self.log(("exitcode", "OK", ""), ("tap", "OK", ""))
        self.assertEqual(self.count(), ("1 passed, 1 failed, 0 skipped", 1))

    def test_nothing_ran(self):
        """no log is a failure, and only skipped tests are trouble"""
        self.assertEqual(self.count(), ("0 passed, 1 failed, 0 skipped", 1))
        self.log(("tap", "SKIP", "1..0 # SKIP no root\n"), ("exitcode", "SKIP", ""))
        self.assertEqual(self.count(), ("0 passed, 0 failed, 2 skipped", 2))

    def test_plans_of_groups(self):
        """two groups in one program, each with its plan, add up"""
        self.log(("tap", "OK", "1..1\nok 1 - a\n1..2\nok 1 - b\nok 2 - c\n"))
        self.assertEqual(self.count(), ("3 passed, 0 failed, 0 skipped", 0))

    def test_sums(self):
        """totals of another call, TAP files and skipped builds are added"""
        self.log(("exitcode", "OK", ""))
        plain = os.path.join(self.directory, "plain")
        with open(plain, "w", encoding="utf-8") as file:
            file.write("ok 1 - a\nnot ok 2 - b\n1..2\n")
        found = self.count("--add", "10 passed, 2 failed, 3 skipped", "--tap", plain, "--skipped", "tsan: no")
        self.assertEqual(found, ("12 passed, 3 failed, 4 skipped", 1))
        self.assertEqual(self.count("--add", "all is fine")[1], 2)


sys.argv[1:] = []
tap.main()
