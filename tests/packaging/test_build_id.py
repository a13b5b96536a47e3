#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_build_id.py SCRIPT: two builds that may differ have two ids, and two that cannot have one."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

SCRIPT = os.path.abspath(sys.argv[1])


class BuildId(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.source = scratch.name
        self.write("src/a.c", "int a;\n")
        self.write("plots/a.gp", "plot\n")
        self.write("meson.build", "project('a')\n")
        self.write("meson_options.txt", "\n")
        self.write("README.md", "read me\n")
        self.git("init", "--quiet")
        self.commit()

    def git(self, *arguments):
        environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
            cwd=self.source, env=environment, check=True, capture_output=True, text=True,
        ).stdout.strip()

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a")

    def write(self, name, text):
        path = os.path.join(self.source, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def id(self, source=None, version="1.2.3", compiler="gcc-12", flags="buildtype=release"):
        done = subprocess.run(
            [SCRIPT, source or self.source, version, compiler, flags], capture_output=True, text=True, timeout=60
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_form(self):
        """a clean checkout is named by version, commit, compiler and flags, in one word"""
        commit = self.git("rev-parse", "--short=12", "HEAD")
        self.assertRegex(self.id(), rf"\A1\.2\.3\+{commit}\.gcc-12\.[0-9a-f]{{8}}\n\Z")
        self.assertEqual(self.id(), self.id())

    def test_commit(self):
        """another commit is another build"""
        before = self.id()
        self.write("src/a.c", "int b;\n")
        self.commit()
        self.assertNotEqual(self.id(), before)

    def test_edits(self):
        """each uncommitted edit of what is built is another build, and taking it back is not"""
        clean = self.id()
        seen = {clean}
        for name in ("src/a.c", "plots/a.gp", "meson.build", "meson_options.txt", "src/new.c"):
            for text in ("one\n", "two\n"):
                self.write(name, text)
                found = self.id()
                self.assertIn("-dirty.", found)
                self.assertNotIn(found, seen)
                seen.add(found)
        self.git("checkout", "--quiet", ".")
        os.remove(os.path.join(self.source, "src/new.c"))
        self.assertEqual(self.id(), clean)

    def test_documents(self):
        """an edit of the README is no other build"""
        before = self.id()
        self.write("README.md", "read me again\n")
        self.assertEqual(self.id(), before)

    def test_arguments(self):
        """version, compiler and flags each make another build"""
        ids = [self.id(), self.id(version="1.2.4"), self.id(compiler="clang-14"), self.id(flags="buildtype=debug")]
        self.assertEqual(len(set(ids)), len(ids))

    def test_tarball(self):
        """a tarball says the commit that it carries, also inside another repository"""
        for name, wanted in (("with", "0123456789ab"), ("without", "unknown")):
            self.write(f"{name}/src/a.c", "int a;\n")
            if name == "with":
                self.write("with/.commit", "0123456789ab\n")
            found = self.id(source=os.path.join(self.source, name))
            self.assertTrue(re.match(rf"1\.2\.3\+{wanted}\.gcc-12\.", found), found)


sys.argv[1:] = []
tap.main()
