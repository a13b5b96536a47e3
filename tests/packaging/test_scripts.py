#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_scripts.py SOURCE: scripts/bench and scripts/test, in a copy of the project where apt, dpkg, the
compiler's helpers and memcgbench itself are stand-ins that write down how they were called."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import tap

SOURCE = os.path.abspath(sys.argv[1])

NOTE = '#!/bin/sh\nprintf "%s\\n" "${0##*/} $*" >>"$CALLS"\n'

# Says "installed" of the packages named in $INSTALLED, as dpkg-query does: an error for each other one.
DPKG_QUERY = NOTE + """
[ "$1" = --show ] || exit 2
shift 2
rc=0
for package; do
    case " $INSTALLED " in
    *" $package "* | " all ") echo "installed $package" ;;
    *) rc=1 ;;
    esac
done
exit $rc
"""

# A sweep: says where its results are, and then ends as it is told to.
MEMCGBENCH = NOTE + """
if [ "$1" = run ]; then
    while [ $# -gt 0 ]; do
        [ "$1" != --dir-file ] || [ -n "$NO_RUN_DIR" ] || { mkdir -p "$CALLS.run"; echo "$CALLS.run" >"$2"; }
        shift
    done
    echo the table
    if [ -n "$SWEEP" ]; then
        echo measuring >&2
        sleep 60 &
        trap 'kill $!; trap - INT; kill -INT $$' INT
        trap 'kill $!; trap - TERM; kill -TERM $$' TERM
        wait
    fi
    exit "${RUN_STATUS:-0}"
fi
mkdir -p "$4"
echo chart >"$4/chart.svg"
exit "${REPORT_STATUS:-0}"
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.project = os.path.join(scratch.name, "project")
        self.bin = os.path.join(scratch.name, "bin")
        self.calls_file = os.path.join(scratch.name, "calls")
        shutil.copytree(os.path.join(SOURCE, "scripts"), os.path.join(self.project, "scripts"))
        os.makedirs(os.path.join(self.project, "scenarios"))
        for name in ("numa_stat_10k", "other"):
            self.write(os.path.join(self.project, "scenarios", f"{name}.yaml"), "name: a\n")
        self.write(os.path.join(self.project, "build", "build.ninja"), "")
        self.configure("buildtype=debugoptimized optimization=2 b_sanitize=none")
        self.tool("dpkg-query", DPKG_QUERY)
        for name in ("apt-get", "ninja", "meson"):
            self.tool(name, NOTE)
        self.tool("sudo", NOTE + '"$@"\n')
        self.tool("id", '#!/bin/sh\necho "${FAKE_UID:-0}"\n')
        self.write(os.path.join(self.project, "build", "src", "cli", "memcgbench"), MEMCGBENCH, 0o755)

    def write(self, path, text, mode=0o644):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def tool(self, name, text):
        self.write(os.path.join(self.bin, name), text, 0o755)

    def configure(self, flags):
        self.write(os.path.join(self.project, "build", "config.h"), f'#define BUILD_FLAGS "{flags}"\n')

    def start(self, script, *arguments, **environment):
        wanted = {"INSTALLED": "all", "CALLS": self.calls_file, "LC_ALL": "C.UTF-8"}
        wanted["PATH"] = environment.pop("PATH", f"{self.bin}:/usr/sbin:/usr/bin:/sbin:/bin")
        wanted.update(environment)
        if os.path.exists(self.calls_file):
            os.remove(self.calls_file)
        return subprocess.Popen(
            [os.path.join(self.project, "scripts", script), *arguments],
            env=wanted, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )

    def call(self, script, *arguments, **environment):
        process = self.start(script, *arguments, **environment)
        output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors

    def calls(self, tool=None):
        if not os.path.exists(self.calls_file):
            return []
        with open(self.calls_file, encoding="utf-8") as file:
            lines = file.read().splitlines()
        return [line for line in lines if tool is None or line.split()[0] == tool]

    def packages(self, *groups):
        with open(os.path.join(SOURCE, "scripts", "packages"), encoding="utf-8") as file:
            lines = [line.split(":") for line in file if ":" in line and not line.startswith("#")]
        return {package for group, packages in lines if group in groups for package in packages.split()}

    def test_complete_machine(self):
        """where nothing is missing apt is not called"""
        status, output, errors = self.call("bench")
        self.assertEqual((status, output), (0, "the table\n"), errors)
        self.assertEqual(self.calls("apt-get") + self.calls("sudo"), [])

    def test_installs_missing(self):
        """missing packages, and only they, are installed, after the lists were updated"""
        there = self.packages("build", "charts") - {"meson", "gnuplot-nox"}
        status, _, errors = self.call("bench", INSTALLED=" ".join(there))
        self.assertEqual(status, 0, errors)
        update, install = self.calls("apt-get")
        self.assertTrue(update.endswith(" update"))
        self.assertTrue(install.endswith(" install --no-install-recommends gnuplot-nox meson"), install)
        self.assertEqual(self.calls("sudo"), [])

    def test_bench_does_not_need_tests(self):
        """the benchmark does not ask for what only tests need, and tests ask for it"""
        self.call("bench", "--no-install", INSTALLED="")
        asked = set(self.calls("dpkg-query")[0].split("${Package}\\n")[1].split())
        self.assertEqual(asked, self.packages("build", "charts"))
        self.call("test", "--no-install", INSTALLED="")
        asked = set(self.calls("dpkg-query")[0].split("${Package}\\n")[1].split())
        # Browser and bpftool are packages of Debian's, and of Ubuntu's only in name.
        with open("/etc/os-release", encoding="utf-8") as file:
            debian = ["browser", "bpf"] if "ID=debian\n" in file.readlines() else []
        self.assertEqual(asked, self.packages("build", "charts", "test", *debian))

    def test_no_install(self):
        """--no-install says the whole command, installs nothing, builds nothing, and is exit code 2"""
        for script in ("bench", "test"):
            status, output, errors = self.call(script, "--no-install", INSTALLED="gcc g++ git")
            self.assertEqual((status, output), (2, ""))
            self.assertRegex(errors, r"\n    apt-get install --no-install-recommends .*\blibhwloc-dev\b.*\bmeson\b")
            self.assertNotIn(" gcc", errors)
            self.assertEqual({call.split()[0] for call in self.calls()}, {"dpkg-query"})

    def test_sudo(self):
        """not being root, apt is called through sudo"""
        status, _, errors = self.call("bench", INSTALLED="", FAKE_UID="1000")
        self.assertEqual(status, 0, errors)
        self.assertEqual(len(self.calls("apt-get")), 2)
        self.assertEqual(self.calls("sudo")[0], "sudo true")
        self.assertEqual(len(self.calls("sudo")), 3)

    def test_neither_root_nor_sudo(self):
        """without root and sudo it says what to call, and is exit code 2"""
        os.remove(os.path.join(self.bin, "sudo"))
        for tool in ("bash", "sed", "tr", "sort", "comm", "mktemp", "mkfifo", "rm", "dirname", "env", "nproc"):
            os.symlink(shutil.which(tool), os.path.join(self.bin, tool))
        status, _, errors = self.call("bench", INSTALLED="", FAKE_UID="1000", PATH=self.bin)
        self.assertEqual(status, 2, errors)
        self.assertIn("without root or sudo", errors)
        self.assertIn("    sudo apt-get install --no-install-recommends g++ gcc", errors)
        self.assertEqual(self.calls("apt-get"), [])

    def test_apt_fails(self):
        """where apt fails its last words are shown, and it is exit code 2"""
        self.tool("apt-get", NOTE + "echo 'E: no network'\nexit 100\n")
        status, _, errors = self.call("bench", INSTALLED="")
        self.assertEqual(status, 2)
        self.assertIn("E: no network", errors)
        self.assertEqual(self.calls("ninja"), [])

    def test_run_options(self):
        """what follows -- goes to run, and results and charts are named"""
        status, _, errors = self.call("bench", "--scenario", "scenarios/other.yaml", "--", "--set", "a=b c")
        self.assertEqual(status, 0)
        run, report = self.calls("memcgbench")
        self.assertRegex(run, r"^memcgbench run scenarios/other.yaml --reuse --dir-file \S+ --set a=b c$")
        self.assertEqual(report, f"memcgbench report {self.calls_file}.run --charts {self.calls_file}.run/charts")
        self.assertIn(f"\nresults: {self.calls_file}.run\n", errors)
        self.assertIn(f"\ncharts: {self.calls_file}.run/charts\n    {self.calls_file}.run/charts/chart.svg\n", errors)

    def test_status(self):
        """the exit code is run's, charts are drawn also of a run with failures, and only where there is one"""
        self.assertEqual(self.call("bench", RUN_STATUS="2")[0], 2)
        self.assertEqual(len(self.calls("memcgbench")), 2)
        self.assertEqual(self.call("bench", RUN_STATUS="3", NO_RUN_DIR="1")[0], 3)
        self.assertEqual(len(self.calls("memcgbench")), 1)
        self.assertEqual(self.call("bench", REPORT_STATUS="2")[0], 2)

    def test_signals(self):
        """a signal to the script ends the sweep in the sweep's own way, and then the script"""
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("bench", SWEEP="1")
            for line in process.stderr:
                if line == "measuring\n":
                    break
            time.sleep(0.2)  # the sweep has said so before it is ready for signals
            started = time.monotonic()
            process.send_signal(number)
            _, errors = process.communicate(timeout=30)
            self.assertEqual(process.returncode, -number, errors)
            self.assertLess(time.monotonic() - started, 20)
            self.assertIn("stopped; what was measured is in", errors)
            self.assertEqual(len(self.calls("memcgbench")), 1)

    def test_debug_build(self):
        """a directory with another kind of build is refused"""
        for flags in ("buildtype=debug optimization=0 b_sanitize=none", "buildtype=debugoptimized b_sanitize=address"):
            self.configure(flags)
            status, _, errors = self.call("bench")
            self.assertEqual(status, 2)
            self.assertIn("not an optimised build", errors)
            self.assertEqual(self.calls("memcgbench"), [])

    def test_sets_up_once(self):
        """a directory is set up once and built each time"""
        os.remove(os.path.join(self.project, "build", "build.ninja"))
        self.tool("meson", NOTE + 'touch "$2/build.ninja"\n')
        for wanted in (["meson setup build --buildtype=debugoptimized"], []):
            self.assertEqual(self.call("bench")[0], 0)
            self.assertEqual(self.calls("meson"), wanted)
            self.assertEqual(self.calls("ninja"), ["ninja -C build src/cli/memcgbench"])

    def test_usage(self):
        """--help is for reading, and a wrong argument is exit code 2"""
        for script in ("bench", "test"):
            status, output, errors = self.call(script, "--help")
            self.assertEqual((status, errors), (0, ""))
            self.assertTrue(output.startswith(f"Usage: scripts/{script} "))
            status, output, errors = self.call(script, "--frobnicate")
            self.assertEqual((status, output), (2, ""))
            self.assertIn("unknown argument '--frobnicate'", errors)
        self.assertEqual(self.call("test", "-j", "0")[0], 2)
        self.assertEqual(self.call("bench", "--scenario")[0], 2)
        self.assertEqual(self.call("bench", "--scenario", "no.yaml")[0], 2)
        self.assertEqual(self.calls(), [])


sys.argv[1:] = []
tap.main()
