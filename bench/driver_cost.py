#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the harness itself costs per process, beside what it measures.

    bench/driver_cost.py build/src/cli/memcgbench [--repetitions N]

Every result carries the parent's wall clock around its process and the time of each step in it
(creation, populating, the counted read, pilot, samples, parts, updates, taking down). The rest is the
harness: fork, exec, hwloc, the timer's floor, context, verification of placement, the answer. Allowed are
20 ms, and 60 us for each MB whose placement was verified page by page. Exit code 1 where the median
of a point is above.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

SCENARIO = '''\
name: driver_cost
tree:    {memcgs: [10, 1k, 10k]}
machine: {nodes: 2, cpus: 72, placement: fold}
read:    {samples: 20, time: 100ms}
backends: [cached]
'''
STEPS = ('create_ns', 'populate_ns', 'count_ns', 'pilot_ns', 'measure_ns', 'parts_ns', 'update_ns',
         'destroy_ns')
ALLOWED_MS, ALLOWED_US_PER_MB = 20, 60


def measure(program, repetitions, folder):
    scenario = os.path.join(folder, 'scenario.yaml')
    with open(scenario, 'w') as file:
        file.write(SCENARIO)
    subprocess.run([program, 'run', scenario, '--out', f'{folder}/out', '--repetitions',
                    str(repetitions), '--format', 'json'], check=True, stdout=subprocess.DEVNULL)
    points = {}
    for path in glob.glob(f'{folder}/out/*.*.*.json'):
        with open(path) as file:
            result = json.load(file)
        times = result['times']
        harness_ms = (times['process_ns'] - sum(times[s] for s in STEPS)) / 1e6
        megabytes = result['placement']['found']['bytes'] / 1e6
        memcgs = result['point']['parameters']['tree.memcgs']
        points.setdefault((memcgs, megabytes), []).append((harness_ms, times['verify_ns'] / 1e6))
    return points


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('--repetitions', type=int, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        points = measure(os.path.abspath(arguments.program), arguments.repetitions, folder)
    above = 0
    print('memcgs  MB verified  harness ms: min  median     max  of it verifying  allowed ms')
    for (memcgs, megabytes), values in sorted(points.items()):
        harness = sorted(v[0] for v in values)
        verify = statistics.median(v[1] for v in values)
        allowed = ALLOWED_MS + ALLOWED_US_PER_MB * megabytes / 1e3
        middle = statistics.median(harness)
        above += middle > allowed
        print(f'{memcgs:6}  {megabytes:11.1f}  {harness[0]:15.1f}  {middle:6.1f}  {harness[-1]:6.1f}'
              f'  {verify:15.1f}  {allowed:10.1f}')
    return 1 if above else 0


if __name__ == '__main__':
    sys.exit(main())
