# SPDX-License-Identifier: MIT
"""Run unittest cases and speak TAP. A test is named by the first line of its docstring."""

import os
import sys
import unittest

LONG = os.environ.get("MEMCGBENCH_TEST_LONG") == "1"


class TapResult(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.count = 0

    def _say(self, word, test, after=""):
        self.count += 1
        name = (test.shortDescription() or test.id()).replace("#", "no.")
        print(f"{word} {self.count} - {name}{after}", flush=True)

    def _explain(self, test, err):
        for line in self._exc_info_to_string(err, test).splitlines():
            print(f"# {line}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._say("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._say("ok", test, f" # SKIP {reason}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._say("not ok", test)
        self._explain(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._say("not ok", test)
        self._explain(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            print(f"# in {subtest.id()}:")
            self._explain(test, err)


def main():
    """Run all tests of the calling program; the exit code says whether they passed."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = TapResult()
    suite.run(result)
    # A test whose subtests failed is neither a success nor a failure of its own to unittest.
    missing = suite.countTestCases() - result.count
    for _ in range(missing):
        result.count += 1
        print(f"not ok {result.count} - a test with failed parts, as said above")
    print(f"1..{result.count}")
    sys.exit(0 if result.wasSuccessful() and not missing else 1)
