# SPDX-License-Identifier: MIT
"""Memcgs that come and go while reads are timed: what results say, what is refused, interruption."""
import json
import os
import signal
import subprocess
import time

import tap
from tap import contains, directory, equal, expect, run

SCENARIO = '''\
name: churn
tree:    {memcgs: 20}
machine: {nodes: 2, cpus: 8}
read:    {samples: 20, time: 20ms}
write:   {writers: [0, 2], churn: 2000, linger: 30}
backends: [walk, cached, rstat, packed]
repetitions: 1
'''


def _environment(d):
    return tap.environment(MEMCGBENCH_LOCK=os.path.join(d, 'lock'))


def _results(d):
    for name in os.listdir(d):
        if name.endswith('.1.json'):
            with open(os.path.join(d, name), encoding='utf-8') as file:
                yield json.load(file)


def who_came_and_went_is_in_results():
    with directory() as d:
        out = os.path.join(d, 'out')
        r = run('run', '-', '--out', out, stdin=SCENARIO, env=_environment(d))
        equal(r.returncode, 0, r.stderr)
        results = list(_results(out))
        equal(len(results), 8)
        for result in results:
            churn = result['churn']
            expect(churn['created'] > 0 and churn['created'] == churn['removed'], churn)
            equal((churn['lingering'], churn['pages']), (30, 256))
            equal(churn['error']['cells_beyond_bound'], 0)
            if result['backend'] == 'walk':
                # each of 4 x (1 + N) walks meets who lingers
                equal(result['counts']['memcgs_visited'], 12 * (21 + 30))
        # and can be read again: for programs, and for people
        r = run('run', '-', '--out', out, '--format', 'json', stdin=SCENARIO, env=_environment(d))
        equal(r.returncode, 0, r.stderr)
        found = [b for p in json.loads(r.stdout)['points'] for b in p['results']]
        equal(sum(b['churn']['created'] for b in found),
              sum(result['churn']['created'] for result in results))
        expect(all(b['load_error_pages'] is not None for b in found), found)
        r = run('run', '-', '--out', out, stdin=SCENARIO, env=_environment(d))
        section = r.stdout.split('\nMemcgs that come and go\n')[1].split('\n\n')[0]
        equal(section.count(' cached '), 2, section)
        for line in r.stdout.splitlines():
            expect(len(line) <= 80, line)


def what_cannot_be_is_refused_at_its_place():
    for setting, said in (('machine.cpus=3', 'write.churn: takes a CPU beside'),
                          ('write.churn=none', 'write.linger: nobody is removed'),
                          ('read.cache=cold', 'write.churn: what comes meanwhile')):
        r = run('plan', '-', '--set', setting, stdin=SCENARIO)
        equal(r.returncode, 2, r.stderr)
        contains(r.stderr, said)


def an_interrupted_run_leaves_nothing_half_written():
    with directory() as d:
        out = os.path.join(d, 'out')
        with subprocess.Popen([tap.PROGRAM, 'run', '-', '--out', out, '--set', 'read.time=60s',
                               '--set', 'read.samples=1M', '--set', 'read.pacing=1ms'],
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=_environment(d)) as process:
            process.stdin.write(SCENARIO.encode())
            process.stdin.close()
            time.sleep(1.5)
            process.send_signal(signal.SIGINT)
            expect(process.wait(timeout=60) in (130, -signal.SIGINT), process.returncode)
        equal(list(_results(out)), [])
        equal([name for name in os.listdir(out) if name.startswith('.') or 'tmp' in name], [])


if __name__ == '__main__':
    tap.main(globals())
