#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_dist.py SOURCE VERSION: the tarball that `meson dist` makes builds, knows what it is, and passes
its own unit tests. Takes minutes: only with MEMCGBENCH_TEST_LONG=1."""

import glob
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest

import tap

SOURCE, VERSION = os.path.abspath(sys.argv[1]), sys.argv[2]


@unittest.skipUnless(tap.LONG, "only with MEMCGBENCH_TEST_LONG=1")
@unittest.skipUnless(os.path.exists(os.path.join(SOURCE, ".git")), "not a git checkout")
class Dist(unittest.TestCase):
    def run_ok(self, *command, cwd=None):
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=cwd)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        return done.stdout

    def test_dist(self):
        """the tarball holds no build products, builds, passes its unit tests, and names its commit"""
        with tempfile.TemporaryDirectory() as scratch:
            # A clone: the checkout may hold edits, which a tarball never has.
            clone, build = os.path.join(scratch, "clone"), os.path.join(scratch, "build")
            self.run_ok("git", "clone", "--quiet", SOURCE, clone)
            self.run_ok("meson", "setup", build, clone)
            self.run_ok("meson", "dist", "-C", build, "--no-tests", "--formats", "gztar")
            (name,) = glob.glob(os.path.join(build, "meson-dist", "*.tar.gz"))
            self.assertEqual(os.path.basename(name), f"memcgbench-{VERSION}.tar.gz")
            with tarfile.open(name) as tarball:
                tarball.extractall(scratch)
            source = os.path.join(scratch, f"memcgbench-{VERSION}")
            self.assertFalse(os.path.exists(os.path.join(source, ".git")))
            self.assertEqual(glob.glob(os.path.join(source, "build*", "build.ninja")), [])

            self.run_ok("meson", "setup", "build", "--buildtype=debugoptimized", cwd=source)
            self.run_ok("ninja", "-C", "build", cwd=source)
            commit = self.run_ok("git", "rev-parse", "--short=12", "HEAD", cwd=clone).strip()
            with open(os.path.join(source, "build", "src", "base", "build_id.h"), encoding="utf-8") as file:
                self.assertIn(f'"{VERSION}+{commit}.', file.read())
            environment = dict(os.environ)
            environment.pop("MEMCGBENCH_TEST_LONG")
            done = subprocess.run(
                ["meson", "test", "-C", "build", "--no-rebuild", "--suite", "unit"],
                capture_output=True, text=True, timeout=900, cwd=source, env=environment,
            )
            self.assertEqual(done.returncode, 0, done.stdout[-4000:])


sys.argv[1:] = []
tap.main()
