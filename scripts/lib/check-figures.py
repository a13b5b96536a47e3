#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-figures.py FILE: hold what `memcgbench run --format json` printed for scenarios/ci.yaml against
what must come out, as TAP.

Operation counts are exact: they follow from the shape of the walk. Times are only compared with times of
the same run, measured interleaved, and against floors far below what any machine showed.
"""

import json
import sys

MEMCGS = [10, 30, 100]
NODES = 2
CPUS = 8
ITEMS = 10  # masks of 5, 2, 2 and 1 lists: total, file, anon, unevictable
ROWS = 4

# walk / cached, of process medians of the whole text. Local rows and formatting cost both the same, so a
# small tree shows little.
RATIO_FLOOR = {10: 1.1, 30: 2.0, 100: 4.0}


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = False

    def check(self, good, name, *details):
        self.count += 1
        self.failed |= not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        if not good:
            for detail in details:
                print(f"# {detail}")

    def equal(self, name, found, wanted):
        self.check(found == wanted, name, f"found {found}", f"wanted {wanted}")


def expected_counts(backend, memcgs):
    """Operation counts of one read of the root, which is itself one more memcg that is visited."""
    columns = 1 + NODES
    visited = ROWS * columns * (memcgs + 1)
    walk = backend == "walk"
    return {
        "loads_hierarchical": ITEMS * columns * CPUS * (memcgs + 1) if walk else 0,
        "loads_local": ITEMS * columns * CPUS,
        "memcgs_visited": visited if walk else 0,
        # A walk takes no reference on the memcg that it starts from.
        "css_gets": visited - ROWS * columns if walk else 0,
    }


def check_result(tap, memcgs, backend, result):
    where = f"{backend} at {memcgs} memcgs"
    for key, wanted in expected_counts(backend, memcgs).items():
        tap.equal(f"{where}: {key} is {wanted}", result.get(key), wanted)
    error, bound = result.get("error_pages"), result.get("error_bound_pages")
    tap.check(
        error is not None and bound is not None and 0 <= error <= bound,
        f"{where}: hierarchical rows are within their bound of the oracle",
        f"error {error}, bound {bound} pages",
    )
    low, median, high = (result.get(key) for key in ("ci_low_ns", "median_ns", "ci_high_ns"))
    tap.check(
        None not in (low, median, high) and 0 < low <= median <= high,
        f"{where}: the median has an interval",
        f"{low} .. {median} .. {high}",
    )
    tap.check((result.get("text_bytes") or 0) > 0, f"{where}: text was read")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        run = json.load(file)
    tap = Tap()
    tap.equal("nothing failed", run.get("failed"), [])
    tap.equal("nothing was left out", run.get("left_out"), [])

    points = {point["parameters"].get("tree.memcgs"): point for point in run["points"]}
    tap.equal("every size was measured", sorted(points), MEMCGS)
    ratios = {}
    for memcgs in MEMCGS:
        results = {result["backend"]: result for result in points.get(memcgs, {}).get("results", [])}
        tap.equal(f"both back ends were measured at {memcgs} memcgs", sorted(results), ["cached", "walk"])
        for backend, result in sorted(results.items()):
            check_result(tap, memcgs, backend, result)
        try:
            ratios[memcgs] = results["walk"]["median_ns"] / results["cached"]["median_ns"]
        except (KeyError, TypeError, ZeroDivisionError):
            ratios[memcgs] = 0.0
        tap.check(
            ratios[memcgs] >= RATIO_FLOOR[memcgs],
            f"walk costs {RATIO_FLOOR[memcgs]:g} times cached or more at {memcgs} memcgs",
            f"found {ratios[memcgs]:.3g}",
        )
    tap.check(
        ratios[10] < ratios[30] < ratios[100],
        "the ratio grows with the tree",
        *(f"{memcgs} memcgs: {ratio:.3g}" for memcgs, ratio in ratios.items()),
    )
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
