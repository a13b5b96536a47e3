#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_manual.py PROGRAM PAGE VERSION: hold the manual page against --help, both ways."""

import re
import shutil
import subprocess
import sys
import unittest

import tap

PROGRAM, PAGE, VERSION = sys.argv[1:4]
COMMON = {"--help", "--usage", "--version"}


def help_of(*command):
    done = subprocess.run([PROGRAM, *command, "--help"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{command} --help: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def commands_in_help():
    return set(re.findall(r"^  ([a-z][a-z-]*) +\S", help_of(), re.MULTILINE))


def options_in_help(command):
    """(short, long, takes a value), where argp puts them: at column 2 or, without a short one, 6."""
    found = re.findall(r"^(?:  (-\S), |      )(--[a-z][a-z-]*)(=\S+)?", help_of(command), re.MULTILINE)
    return {(short, name, bool(value)) for short, name, value in found if name not in COMMON}


def read_page():
    with open(PAGE, encoding="utf-8") as file:
        return file.read()


def options_in_page():
    """The same, for each command: from the .TP paragraphs below its .SS."""
    options = {}
    commands = read_page().partition(".SH COMMANDS\n")[2].partition("\n.SH ")[0]
    for section in re.split(r"^\.SS ", commands, flags=re.MULTILINE)[1:]:
        name, _, text = section.partition("\n")
        options[name] = set()
        for tag, description in re.findall(r"^\.TP\n(.*)\n(.*)$", text, re.MULTILINE):
            tag = re.sub(r"\\f[BIR]", "", tag).replace("\\-", "-")
            match = re.fullmatch(r"(?:(-\S), )?(--[a-z-]+)(=\S+)?", tag)
            if not match or not description or description.startswith("."):
                raise AssertionError(f"{name}: an option without name or description: {tag!r} {description!r}")
            options[name].add((match[1] or "", match[2], bool(match[3])))
    return options


class Manual(unittest.TestCase):
    maxDiff = None

    def test_commands(self):
        """the page has a section for each command of --help and for no other"""
        commands = commands_in_help()
        self.assertIn("run", commands)
        self.assertEqual(set(options_in_page()), commands)

    def test_options(self):
        """the page has each option of each command's --help and no other"""
        page = options_in_page()
        compared = 0
        for command in sorted(commands_in_help()):
            with self.subTest(command):
                wanted = options_in_help(command)
                self.assertEqual(page.get(command, set()), wanted)
                compared += len(wanted)
        self.assertGreater(compared, 0, "no option was found in any --help")

    def test_version(self):
        """the page and the program say the version that the build description says"""
        header = re.search(r"^\.TH .*$", read_page(), re.MULTILINE)[0]
        self.assertIn(f'"memcgbench {VERSION}"', header)
        done = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout.split()[:2], ["memcgbench", VERSION])

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_renders(self):
        """groff renders the page without a warning"""
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", PAGE], capture_output=True, text=True, timeout=60
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = re.sub(".\b|\x1b\\[[0-9;]*m", "", done.stdout)
        for wanted in ("EXIT STATUS", "--skip-impossible", "--set=KEY=VALUE"):
            self.assertIn(wanted, text)


sys.argv[1:] = []
tap.main()
