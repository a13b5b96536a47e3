# SPDX-License-Identifier: MIT
"""Harm to others: what a run says of it, for programs and for people, and what is refused."""
import json
import os

import tap
from tap import contains, directory, equal, expect, run

SCENARIO = '''\
name: harm
tree:    {memcgs: 30}
machine: {nodes: 1, cpus: 2}
read:    {samples: 20, time: 20ms, readers: 2}
harm:    {time: [none, 100ms]}
backends: [walk, cached]
repetitions: 2
'''


def _environment(d):
    return tap.environment(MEMCGBENCH_LOCK=os.path.join(d, 'lock'))


def _run(d, *arguments):
    return run('run', '-', '--out', os.path.join(d, 'out'), *arguments, stdin=SCENARIO,
               env=_environment(d))


def what_others_suffer_is_said():
    with directory() as d:
        r = _run(d, '--format', 'json')
        equal(r.returncode, 0, r.stderr)
        points = json.loads(r.stdout)['points']
        equal([p['parameters']['harm.time'] for p in points], [0, 100000000])
        for result in points[0]['results']:
            equal(result['harm'], None)
        for result in points[1]['results']:
            harm = result['harm']
            expect(harm['reads'] > 0, harm)
            equal(harm['tasks'], None)
            for side in ('without', 'with'):
                # 100 a process; no percentile that so few do not know
                late = harm['victim'][side]
                equal(late['wakeups'], 200)
                equal(late['p99_ns'], None)
                expect(0 < late['p50_ns'] <= late['max_ns'], late)
                expect(harm['seconds'][side] > 0.1, harm)
        # once more: nothing is measured, and people are told the same
        r = _run(d)
        equal(r.returncode, 0, r.stderr)
        section = r.stdout.split("\nHarm to others: a thread on the reader's CPU\n")[1]
        section = section.split('\n\n')[0]
        equal(section.count(' cached '), 1, section)
        contains(section, 'p99 needs 1000 wake-ups')
        expect('pages that tasks charge' not in r.stdout, r.stdout)
        for line in r.stdout.splitlines():
            expect(len(line) <= 80, line)


def harm_is_in_the_plan():
    with directory() as d:
        r = run('plan', '-', '--format', 'json', '--set', 'harm.time=[none,10s]', stdin=SCENARIO,
                env=_environment(d))
        equal(r.returncode, 0, r.stderr)
        without, looked_at = json.loads(r.stdout)['points']
        for a, b in zip(without['backends'], looked_at['backends']):
            expect(b['process_ns'] > a['process_ns'] + 20e9, b)


if __name__ == '__main__':
    tap.main(globals())
