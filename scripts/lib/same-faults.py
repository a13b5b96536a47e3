#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same-faults.py A.json B.json: print, as a Markdown list, what `memcgbench compare --gate --format json`
faulted in both of two measurements, in the words of the second.

Two runs that each show another fault show noise: a fault that is real is there again, of the same kind, at
the same point and the same back end. Exit codes: 1 there are such, 0 there are none, 2 trouble.
"""

import json
import sys


def faults(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    return {(fault["fault"], fault["id"], fault["backend"]): fault["text"] for fault in document["failures"]}


def main():
    first, second = (faults(path) for path in sys.argv[1:3])
    same = [key for key in second if key in first]
    for key in same:
        print(f"- `{key[2]}` at {key[1]}: {second[key]}")
    return 1 if same else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"same-faults.py: {error}", file=sys.stderr)
        sys.exit(2)
