#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same-faults.py A.json B.json: print, as a Markdown list, what `memcgbench compare --gate --format json`
faulted in both of two measurements, in the words of the second.

Two runs that each show another fault show noise: a fault that is real is there again, of the same kind, at
the same point and the same back end; a count is off by the same number. Exit codes: 1 there are such, 0
there are none, 2 trouble.
"""

import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def key(fault):
    return fault["fault"], fault["id"], fault["backend"], fault["text"] if fault["fault"] == "count" else None


def names_of_points(points):
    """Each id's parameters that are not the same at all points; the id where there are none."""
    every = [point["parameters"] for point in points]
    varied = [name for name in (every[0] if every else {}) if any(one.get(name) != every[0][name] for one in every)]
    return {
        point["id"]: ", ".join(f"{name} {point['parameters'][name]}" for name in varied) or point["id"]
        for point in points
    }


def main():
    first, second = (load(path) for path in sys.argv[1:3])
    known = {key(fault) for fault in first["failures"]}
    names = names_of_points(second["points"])
    same = [fault for fault in second["failures"] if key(fault) in known]
    for fault in same:
        print(f"- `{fault['backend']}` at {names[fault['id']]}: {fault['text']}")
    return 1 if same else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"same-faults.py: {error}", file=sys.stderr)
        sys.exit(2)
