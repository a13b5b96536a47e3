# SPDX-License-Identifier: MIT
"""Large trees: what a process takes is what the plan has said, for every back end.

The same tree as scenarios/million.yaml, twenty-five times smaller.
"""
import json
import os

import tap
from tap import directory, equal, expect, run

SCENARIO = '''\
name: limits
tree:    {memcgs: %s}
machine: {nodes: 2, cpus: 8, layout: lean}
read:    {samples: 5, time: 1ms}
backends: [%s]
repetitions: 1
'''


def _backends():
    listed = run('backends', '--format=json')
    equal(listed.returncode, 0, listed.stderr)
    return [backend['name'] for backend in json.loads(listed.stdout)['backends']
            if backend['kind'] == 'model']


def _plan(scenario):
    planned = run('plan', '-', '--format=json', stdin=scenario)
    equal(planned.returncode, 0, planned.stderr)
    return {backend['backend']: backend['memory_bytes']
            for point in json.loads(planned.stdout)['points'] for backend in point['backends']}


def _results(scenario):
    with directory() as d:
        out = os.path.join(d, 'out')
        done = run('run', '-', '--out', out, stdin=scenario,
                   env=tap.environment(MEMCGBENCH_LOCK=os.path.join(d, 'lock'),
                                       MALLOC_PERTURB_=None))  # it touches what nobody else would
        equal(done.returncode, 0, done.stderr)
        for name in sorted(os.listdir(out)):
            if name.endswith('.1.json'):
                with open(os.path.join(out, name), encoding='utf-8') as file:
                    yield json.load(file)


def the_estimate_is_within_5_percent_of_what_a_process_takes():
    if tap.sanitized():
        raise tap.Skip('a sanitizer takes memory of its own')
    scenario = SCENARIO % ('40k', ', '.join(_backends()))
    plan, seen = _plan(scenario), []
    for result in _results(scenario):
        name, memory = result['backend'], result['memory']
        seen.append(name)
        equal(memory['estimate_bytes'], plan[name], name)
        expect(abs(memory['estimate_bytes'] / memory['rss_peak_bytes'] - 1) < 0.05, name, memory)
        expect(memory['bytes'] < memory['rss_peak_bytes'], name, memory)
    equal(sorted(seen), sorted(plan))


def a_million_memcgs_are_planned_within_16_gib():
    plan = _plan(SCENARIO % ('1M', ', '.join(_backends())))
    expect(len(plan) >= 2, plan)
    for name, estimate in plan.items():
        expect(1e9 < estimate < 16 * 2**30, name, estimate)


if __name__ == '__main__':
    tap.main(globals())
