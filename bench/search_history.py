#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long `memcgbench history` takes for many records of many points.

    bench/search_history.py build/src/cli/memcgbench [--records N] [--points N] [--tries N]

A run of one point is measured and kept as a record; its figures, each shifted a little, become
those of all points of all records. 200 records of 1,000 points and 10 processes shall be read and
searched in less than 6 s of CPU time, and in less than 4 s on two CPUs that have nothing else to
do. The CPU time decides: exit code 1 where the least of the tries takes more.
"""
import argparse
import copy
import datetime
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

from compare_runs import call, plan_points, read_json, write_json, write_scenario

ALLOWED_CPU_S = 6.0
REPETITIONS = 10
LEAST_S = 0.05  # for a program to start, and for what does not grow with the records
START = datetime.datetime(2026, 1, 1)


def make_template(program, folder):
    """The record of a measured run of one point."""
    one, out, kept = f'{folder}/one.yaml', f'{folder}/run', f'{folder}/kept'
    write_scenario(one, [10000], REPETITIONS)
    call(program, 'run', one, '--out', out, '--no-lock', '--format', 'json')
    call(program, 'history', kept, '--add', out)
    return read_json(f'{kept}/{os.listdir(kept)[0]}')


def shifted(values, factor):
    """All times by one factor, so that they still agree; with 12 digits, as records have them."""
    for name, figures in values.items():
        by = {'error': 1, 'rate': 1 / factor}.get(name, factor)
        values[name] = [f and float(f'{f * by:.12g}') for f in figures]


def write_records(template, folder, points, records):
    chance = random.Random(1)
    cell = template['points'][0]['results'][0]
    for index in range(records):
        record = dict(template, started_at=f'{START + datetime.timedelta(hours=index):%FT%TZ}')
        record['points'] = []
        for point in points:
            results = copy.deepcopy(cell)
            shifted(results['values'], chance.lognormvariate(0, 0.01))
            record['points'].append(dict(point, results=[results]))
        write_json(f'{folder}/{index:06}.json', record)


def user_and_system():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('--records', type=int, default=200)
    parser.add_argument('--points', type=int, default=1000)
    parser.add_argument('--tries', type=int, default=3)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    wall, cpu = [], []
    with tempfile.TemporaryDirectory() as folder:
        template = make_template(program, folder)
        points = plan_points(program, folder, arguments.points, REPETITIONS)
        history = f'{folder}/history'
        os.mkdir(history)
        write_records(template, history, points, arguments.records)
        for _ in range(arguments.tries):
            then, before = time.monotonic(), user_and_system()
            done = subprocess.run([program, 'history', history, '--format', 'tsv'],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            wall.append(time.monotonic() - then)
            cpu.append(user_and_system() - before)
            if done.returncode not in (0, 1):
                sys.exit(f'history failed: {done.stderr}')
    cells = arguments.records * arguments.points
    allowed = LEAST_S + ALLOWED_CPU_S * cells / 200000
    print(f'{arguments.records} records of {arguments.points} points: {min(cpu):.3f} s of CPU '
          f'time, {1e6 * min(cpu) / cells:.1f} us a cell, allowed {allowed:.3f} s; fastest '
          f'{min(wall):.3f} s of {arguments.tries}')
    return 1 if min(cpu) > allowed else 0


if __name__ == '__main__':
    sys.exit(main())
