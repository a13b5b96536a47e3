#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_completion.py PROGRAM COMPLETION: press TAB in bash, as far as that goes without a terminal."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

PROGRAM, COMPLETION = map(os.path.abspath, sys.argv[1:3])

# What readline does: set the words, call the function, look at COMPREPLY.
DRIVER = r"""
set -u
. "$1"; shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE=$*
COMP_POINT=${#COMP_LINE}
_memcgbench "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
"""


def complete(*words, directory=None):
    done = subprocess.run(
        ["bash", "--norc", "-c", DRIVER, "bash", COMPLETION, PROGRAM, *words],
        capture_output=True, text=True, timeout=60, cwd=directory, stdin=subprocess.DEVNULL,
    )
    if done.stderr or done.returncode:
        raise AssertionError(f"{words}: exit code {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def ask(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60).stdout


class Completion(unittest.TestCase):
    def test_registered(self):
        """bash knows whom to ask for memcgbench"""
        done = subprocess.run(
            ["bash", "--norc", "-c", '. "$1"; complete -p memcgbench', "bash", COMPLETION],
            capture_output=True, text=True, timeout=60,
        )
        self.assertEqual(done.stdout, "complete -F _memcgbench memcgbench\n")

    def test_commands(self):
        """an empty word completes to every command of --help"""
        commands = set(re.findall(r"^  ([a-z][a-z-]*) +\S", ask("--help"), re.MULTILINE))
        self.assertIn("run", commands)
        self.assertEqual(set(complete("")), commands | {"--help", "--version"})

    def test_command_prefix(self):
        """a first letter completes to the commands that start with it"""
        self.assertEqual(complete("to"), ["topo"])

    def test_options(self):
        """a dash completes to the options of the command's --help, with = where a value follows"""
        wanted = {
            name + ("=" if value else "")
            for name, value in re.findall(
                r"^(?:  -\S, |      )(--[a-z][a-z-]*)(=\S+)?", ask("run", "--help"), re.MULTILINE
            )
        }
        self.assertIn("--backend=", wanted)
        self.assertEqual(set(complete("run", "--")), wanted)

    def test_backends(self):
        """--backend completes to the back ends, after = and as a word of its own"""
        names = [line.split("\t")[0] for line in ask("backends", "--format", "tsv").splitlines()[1:]]
        self.assertIn("walk", names)
        self.assertEqual(complete("run", "--backend", "="), names)
        self.assertEqual(complete("run", "--backend", ""), names)
        self.assertEqual(complete("run", "--backend", "=", "wa"), [n for n in names if n.startswith("wa")])

    def test_backend_list(self):
        """a second back end completes after a comma and keeps the first"""
        found = complete("run", "--backend", "cached,wal")
        self.assertIn("cached,walk", found)
        self.assertEqual([word for word in found if not word.startswith("cached,wal")], [])

    def test_values(self):
        """the values of an option are those that the command's --help names"""
        self.assertEqual(complete("topo", "--format", ""), ["json", "table"])
        self.assertEqual(complete("report", "--format", ""), ["png", "svg"])
        self.assertEqual(complete("compare", "--format", ""), ["cover", "json", "markdown", "table", "tsv"])
        self.assertEqual(complete("compare", "--metric", "update_l"), ["update_lru"])
        self.assertEqual(complete("run", "--format", "table,j"), ["table,json"])
        types = complete("parse", "--type", "")
        self.assertEqual(len(types), 4)
        for name in types:
            self.assertIn(name, ask("parse", "--help"))

    def test_scenarios(self):
        """run and plan complete to scenarios, and report to directories"""
        with tempfile.TemporaryDirectory() as directory:
            for name in ("a b.yaml", "other.txt", "scenarios/deep.yaml", "scenarios/meson.build"):
                os.makedirs(os.path.dirname(os.path.join(directory, name)), exist_ok=True)
                open(os.path.join(directory, name), "w", encoding="utf-8").close()
            for command in ("run", "plan", "check"):
                self.assertEqual(
                    sorted(complete(command, "", directory=directory)),
                    ["a b.yaml", "scenarios", "scenarios/deep.yaml"],
                )
            self.assertEqual(complete("run", "scenarios/", directory=directory), ["scenarios/deep.yaml"])
            self.assertEqual(complete("report", "", directory=directory), ["scenarios"])


sys.argv[1:] = []
tap.main()
