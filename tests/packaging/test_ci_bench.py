#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_ci_bench.py SOURCE: what judges two measurements, and scripts/ci-bench with a stand-in for memcgbench that writes down how it was
called and ends as it is told to. tests/gate has the real one."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap

SOURCE = os.path.abspath(sys.argv[1])

# $GATE: exit codes of the gate, call by call.
MEMCGBENCH = r"""#!/bin/bash
printf '%s\n' "$*" >>"$CALLS"
case $1 in
run)
    mkdir -p "$5" && echo '{"points":[]}'
    exit "${RUN_STATUS:-0}" ;;
compare)
    if [ "$4" = json ]; then
        echo '{"points":[{"id":"01ab","parameters":{"tree.memcgs":10}}],"failures":[{"fault":"count","id":"01ab","backend":"walk","text":"x"}]}'
        exit 0
    fi
    echo "compared $5"
    number=$(grep -c '^compare .*markdown' "$CALLS")
    codes=($GATE)
    exit "${codes[number - 1]:-0}" ;;
history)
    mkdir -p "$2" && echo "record of $4" >"$2/$(ls "$2" | wc -l).json"
    echo "what history says"
    exit "${HISTORY_STATUS:-0}" ;;
report)
    [ "$3" = -o ] && echo page >"$4"
    [ "$3" != --charts ] || { mkdir -p "$4" && echo svg >"$4/latency.svg"; }
    [ "${*: -1}" != --dumb ] || printf '%s\n' "$4/latency.svg" "walk ***" "cached *"
    exit "${REPORT_STATUS:-0}" ;;
esac
"""


class CiBench(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = scratch.name
        self.project = os.path.join(scratch.name, "project")
        self.calls_file = os.path.join(scratch.name, "calls")
        shutil.copytree(os.path.join(SOURCE, "scripts"), os.path.join(self.project, "scripts"))
        for path, text in (("scenarios/ci.yaml", "name: ci\n"), ("results/baseline/ci.json", "old\n"),
                           ("memcgbench", MEMCGBENCH)):
            os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
            with open(self.path(path), "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(self.path("memcgbench"), 0o755)
        os.makedirs(os.path.join(scratch.name, "bin"))
        with open(os.path.join(scratch.name, "bin", "dpkg-query"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nshift 2\nfor package; do echo "installed $package"; done\n')
        os.chmod(file.name, 0o755)

    def path(self, name):
        return os.path.join(self.project, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def call(self, *arguments, **environment):
        wanted = {"CALLS": self.calls_file, "LC_ALL": "C.UTF-8", "GATE": "",
                  "PATH": f"{self.top}/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        wanted.update(environment)
        if os.path.exists(self.calls_file):
            os.remove(self.calls_file)
        return subprocess.run(
            [self.path("scripts/ci-bench"), "--no-install", "--program", "./memcgbench", "--out", "out", *arguments],
            env=wanted, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        )

    def calls(self, command):
        if not os.path.exists(self.calls_file):
            return []
        with open(self.calls_file, encoding="utf-8") as file:
            return [line for line in file.read().splitlines() if line.split()[0] == command]

    def test_passes(self):
        """a run that passes is measured once, kept, drawn, and told of"""
        done = self.call()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls("run"), ["run scenarios/ci.yaml --no-lock --out out/ci --format json"])
        self.assertEqual(self.calls("compare")[0], "compare --gate --format markdown results/baseline/ci.json out/ci")
        self.assertIn("history results/history --add out/ci ", self.calls("history")[0])
        self.assertIn("report out/ci -o plots/output/ci/index.html --history results/history", self.calls("report"))
        self.assertEqual(self.read("plots/output/ci/index.html"), "page\n")
        for part in ("**Passed**", "compared results/baseline/ci.json", "what history says", "walk ***\ncached *\n"):
            self.assertIn(part, done.stdout)
        self.assertEqual(self.read("out/ci.json"), '{"points":[]}\n')

    def test_second_attempt(self):
        """a failure that a second, fresh run does not show is no failure, and both are shown"""
        done = self.call(GATE="1 0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([call.split()[4] for call in self.calls("run")], ["out/ci", "out/ci-again"])
        self.assertIn("**Passed** at the second attempt", done.stdout)
        self.assertEqual(done.stdout.count("compared results/baseline/ci.json"), 2)
        self.assertEqual([call.split()[3] for call in self.calls("history")], ["out/ci-again"])
        self.assertTrue(os.path.isdir(self.path("out/ci")) and os.path.isdir(self.path("out/ci-again")))

    def test_fails_twice(self):
        """a failure that is there twice is exit code 1, and all the rest is still done"""
        done = self.call(GATE="1 1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("**Failed**: two runs, one after the other, have the same faults.\n\n- `walk` at 01ab: x\n", done.stdout)
        self.assertIn("have the same faults:\n- `walk` at 01ab: x\n", done.stderr)
        self.assertEqual((len(self.calls("run")), len(self.calls("history"))), (2, 1))
        self.assertTrue(os.path.exists(self.path("plots/output/ci/latency.svg")))

    def test_another_fault(self):
        """a second run that fails in another way is no failure: what is real is there again"""
        text = self.read("memcgbench").replace('"backend":"walk"', '"backend":"\'$(basename "$6")\'"')
        with open(self.path("memcgbench"), "w", encoding="utf-8") as file:
            file.write(text)
        done = self.call(GATE="1 1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("**Passed** at the second attempt", done.stdout)

    def test_history_is_advice(self):
        """what history thinks of times does not decide, but that it cannot be read does"""
        self.assertEqual(self.call(HISTORY_STATUS="1").returncode, 0)
        shutil.rmtree(self.path("out"))
        self.assertEqual(self.call(HISTORY_STATUS="2").returncode, 2)

    def test_trouble(self):
        """trouble is exit code 2, and not taken for a verdict"""
        for environment in ({"GATE": "2"}, {"GATE": "1 2"}, {"REPORT_STATUS": "2"}, {"RUN_STATUS": "2"}):
            done = self.call(**environment)
            self.assertEqual(done.returncode, 2, environment)
            shutil.rmtree(self.path("out"))
        self.assertEqual(self.calls("compare"), [], "a run that failed is not judged")
        self.assertEqual(self.call(RUN_STATUS="3").returncode, 3)

    def test_no_baseline(self):
        """without a baseline the run is held against the oracle only, and that is said"""
        os.remove(self.path("results/baseline/ci.json"))
        done = self.call("--no-charts")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("There is no baseline results/baseline/ci.json", done.stdout)
        self.assertEqual(self.calls("compare")[0], "compare --gate --format markdown out/ci out/ci")
        self.assertEqual(self.calls("report"), [])

    def test_named_baseline(self):
        """a baseline that was named and is not there is trouble, and no reason to judge nothing"""
        done = self.call("--baseline", "results/baseline/typo.json")
        self.assertEqual((done.returncode, done.stdout, self.calls("run")), (2, "", []))
        self.assertIn("results/baseline/typo.json: there is no such baseline", done.stderr)
        done = self.call("--baseline", "new/new.json", "--renew-baseline", "--no-charts")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.read("new/new.json"), os.listdir(self.path("new"))), ("record of out/ci\n", ["new.json"]))

    def test_lost_words(self):
        """what cannot be shown or drawn is trouble, and the rest is shown all the same"""
        done = self.call("--no-charts", GITHUB_STEP_SUMMARY="/dev/full")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("**Passed**", self.read("out/summary.md"))
        shutil.rmtree(self.path("out"))
        done = self.call("--charts", "scenarios/ci.yaml")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("**Passed**", done.stdout)
        self.assertIn("**Trouble**: scenarios/ci.yaml/ci cannot be made, nothing is drawn.", done.stdout)

    def test_renew(self):
        """--renew-baseline puts the record of the run in the baseline's place, and judges nothing"""
        done = self.call("--renew-baseline", "--no-charts")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("results/baseline/ci.json"), "record of out/ci\n")
        self.assertEqual(self.calls("compare"), [])

    def test_summary_of_the_job(self):
        """in GitHub's actions the summary goes to the job's page"""
        summary = os.path.join(self.top, "summary")
        done = self.call("--no-charts", GITHUB_STEP_SUMMARY=summary)
        self.assertNotIn("**Passed**", done.stdout)
        with open(summary, encoding="utf-8") as file:
            self.assertEqual(file.read(), self.read("out/summary.md"))

    def test_many_scenarios(self):
        """each scenario is measured and judged, and one that fails does not keep the next from it"""
        shutil.copy(self.path("scenarios/ci.yaml"), self.path("scenarios/two.yaml"))
        shutil.copy(self.path("results/baseline/ci.json"), self.path("results/baseline/two.json"))
        done = self.call("--no-charts", "--scenario", "scenarios/ci.yaml", "--scenario=scenarios/two.yaml", GATE="1 1 0")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(self.calls("run")), 3)
        self.assertIn("compare --gate --format markdown results/baseline/two.json out/two", self.calls("compare"))

    def test_usage(self):
        """--help is for reading, and what makes no sense is exit code 2 before anything is measured"""
        done = subprocess.run([self.path("scripts/ci-bench"), "--help"], capture_output=True, text=True, check=True)
        self.assertTrue(done.stdout.startswith("Usage: scripts/ci-bench "))
        os.makedirs(self.path("there"))
        for arguments in (["--frobnicate"], ["--history"], ["--scenario", "no.yaml"], ["--program", "nothing"],
                          ["--out", "there"],
                          ["--baseline=x", "--scenario=scenarios/ci.yaml", "--scenario=scenarios/ci.yaml"]):
            self.assertEqual(self.call(*arguments).returncode, 2, arguments)
        self.assertEqual(self.calls("run"), [])


class SameFaults(unittest.TestCase):
    def call(self, first, second):
        points = [{"id": f"{memcgs}", "parameters": {"tree.memcgs": memcgs, "machine.nodes": 2}} for memcgs in (10, 30)]
        with tempfile.TemporaryDirectory() as directory:
            for name, faults in (("a", first), ("b", second)):
                with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                    keys = ("fault", "id", "backend", "text")
                    json.dump({"points": points, "failures": [dict(zip(keys, fault)) for fault in faults]}, file)
            script = os.path.join(SOURCE, "scripts", "lib", "same-faults.py")
            done = subprocess.run([script, "a", "b"], cwd=directory, capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def test_ratio(self):
        """a ratio is the same fault at the same point and back end, whatever its figures"""
        found = self.call([("ratio", "10", "walk", "+40 %")], [("ratio", "10", "walk", "+50 %")])
        self.assertEqual(found, (1, "- `walk` at tree.memcgs 10: +50 %\n"))
        for other in (("ratio", "30", "walk", "+40 %"), ("ratio", "10", "cached", "+40 %")):
            self.assertEqual(self.call([("ratio", "10", "walk", "+40 %")], [other]), (0, ""))

    def test_counts(self):
        """each count that is off by the same number in both is a fault of its own"""
        first = [("count", "10", "walk", "atomics was 0 and is 1"), ("count", "10", "walk", "loads was 2 and is 3")]
        second = first + [("count", "10", "walk", "adds was 0 and is 7")]
        self.assertEqual(self.call(first, second)[1].count("\n"), 2)
        self.assertEqual(self.call(first[:1], [("count", "10", "walk", "atomics was 0 and is 2")]), (0, ""))

    def test_trouble(self):
        """what is no such document is exit code 2"""
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("[]")
            file.flush()
            script = os.path.join(SOURCE, "scripts", "lib", "same-faults.py")
            for second in (file.name, "/nonexistent"):
                done = subprocess.run([script, file.name, second], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("same-faults.py: ", done.stderr)


sys.argv[1:] = []
tap.main()
