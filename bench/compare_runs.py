#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long `memcgbench compare` takes for two runs of many points.

    bench/compare_runs.py build/src/cli/memcgbench [--points N] [--repetitions N] [--tries N]

Two runs are made in a temporary directory: one point is measured, and its results, which are as
large as results are, become those of all points, with ids, errors and times of their own. Files are
compared with a warm page cache. 1,000 points of 10 + 10 processes shall take less than 1 s on two
CPUs; exit code 1 where the fastest of the tries takes longer.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

ALLOWED_S = 1.0
SCENARIO = '''\
name: many
tree: {{memcgs: 1}}
machine: {{nodes: 2, cpus: 2}}
counters: {{pages: [{pages}]}}
read: {{samples: 200, time: 20ms}}
backends: [cached]
repetitions: {repetitions}
'''


def call(program, *arguments):
    done = subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    return done.stdout


def write_scenario(path, pages, repetitions):
    with open(path, 'w') as file:
        file.write(SCENARIO.format(pages=', '.join(map(str, pages)), repetitions=repetitions))


def read_json(path):
    with open(path) as file:
        return json.load(file)


def write_json(path, document):
    with open(path, 'w') as file:
        json.dump(document, file, indent=1)
        file.write('\n')


def plan_points(program, folder, points, repetitions):
    """So many points, as run.json and records have them."""
    path = f'{folder}/many.yaml'
    write_scenario(path, range(10000, 10000 + points), repetitions)
    plan = json.loads(call(program, 'plan', path, '--format', 'json'))
    return [{'id': p['id'], 'parameters': p['parameters']} for p in plan['points']]


def make_run(program, folder, points, repetitions, seed):
    """A measured run of one point, multiplied in place."""
    one, out = f'{folder}/one.yaml', f'{folder}/run-{seed}'
    write_scenario(one, [10000], repetitions)
    call(program, 'run', one, '--out', out, '--seed', str(seed), '--no-lock', '--format', 'json')
    run = read_json(f'{out}/run.json')
    old = run['identity']['points'][0]['id']
    templates = []
    for repetition in range(1, repetitions + 1):
        path = f'{out}/{old}.cached.{repetition}.json'
        templates.append(read_json(path))
        os.unlink(path)
    run['identity']['points'] = points
    write_json(f'{out}/run.json', run)
    for index, point in enumerate(points):
        for repetition, result in enumerate(templates, 1):
            result['point'] = point
            result['error']['value'] += 1
            result['error']['truth'] += 1
            result['times']['process_ns'] += index
            write_json(f'{out}/{point["id"]}.cached.{repetition}.json', result)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('--points', type=int, default=1000)
    parser.add_argument('--repetitions', type=int, default=10)
    parser.add_argument('--tries', type=int, default=5)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        points = plan_points(program, folder, arguments.points, arguments.repetitions)
        runs = [make_run(program, folder, points, arguments.repetitions, seed) for seed in (1, 2)]
        for _ in range(arguments.tries):
            then = time.monotonic()
            done = subprocess.run([program, 'compare', *runs, '--format', 'tsv'],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            seconds.append(time.monotonic() - then)
            if done.returncode not in (0, 1):
                sys.exit(f'compare failed: {done.stderr}')
    files = 2 * arguments.points * arguments.repetitions
    allowed = ALLOWED_S * files / 20000
    print(f'{files} files: fastest {min(seconds):.3f} s, slowest {max(seconds):.3f} s of '
          f'{arguments.tries}; {1e6 * min(seconds) / files:.1f} us a file; allowed {allowed:.3f} s')
    return 1 if min(seconds) > allowed else 0


if __name__ == '__main__':
    sys.exit(main())
