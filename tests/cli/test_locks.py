# SPDX-License-Identifier: MIT
"""Locks of a back end, and the periodic flusher: what results, tables and reasons say of them."""
import json
import os

import tap
from tap import contains, directory, equal, expect, run

SCENARIO = '''\
name: locks
tree:     {memcgs: 20}
machine:  {nodes: 2, cpus: 8}
counters: {flush: v5.13, lock: [held, always]}
read:     {samples: 20, time: 20ms, readers: 2}
backends: [rstat, cached]
repetitions: 1
'''


def _run(d, *args, out='out', stdin=SCENARIO):
    return run('run', '-', '--out', os.path.join(d, out), *args, stdin=stdin,
               env=tap.environment(MEMCGBENCH_LOCK=os.path.join(d, 'lock')))


def _json(text):
    return {(p['parameters']['counters.lock'], b['backend']): b
            for p in json.loads(text)['points'] for b in p['results']}


def locks_are_in_results_where_a_back_end_has_any():
    with directory() as d:
        r = _run(d, '--format', 'json')
        equal(r.returncode, 0, r.stderr)
        results = _json(r.stdout)
        equal(len(results), 4)
        for (_, name), result in results.items():
            equal(result['flusher'], None)
            if name == 'cached':
                equal(result['locks'], None)
                continue
            lock, = result['locks']
            equal(lock['name'], 'flush')
            expect(0 < lock['taken'] and 0 <= lock['contended'] <= lock['taken'], lock)
            expect(0 < lock['hold_median_ns'] <= 1.01 * lock['hold_max_ns'], lock)
            expect(lock['hold_max_ns'] <= lock['hold_ns'], lock)
        # one taking for each read, or one for each CPU and one more
        reads = results['held', 'rstat']['locks'][0]['taken']
        expect(reads >= results['held', 'rstat']['reads'])
        equal(results['always', 'rstat']['locks'][0]['taken'] % 9, 0)


def the_table_has_a_section_for_those_that_have_locks():
    with directory() as d:
        r = _run(d)
        equal(r.returncode, 0, r.stderr)
        section = r.stdout.split('\nLocks\n')[1].split('\n\n')[0]
        equal(section.count(' rstat '), 2, section)
        equal(section.count(' cached '), 0, section)
        expect('flusher\n' not in r.stdout, r.stdout)
        for line in r.stdout.splitlines():
            expect(len(line) <= 80, line)
        r = _run(d, '--backend', 'cached', out='cached')
        equal(r.returncode, 0, r.stderr)
        expect('\nLocks\n' not in r.stdout, r.stdout)


def a_flusher_flushes_while_samples_are_taken():
    with directory() as d:
        more = ('--backend', 'rstat', '--set', 'counters.flusher=1ms', '--set', 'read.pacing=1ms',
                '--set', 'counters.lock=rules', '--set', 'read.time=100ms')
        r = _run(d, *more, '--format', 'json')
        equal(r.returncode, 0, r.stderr)
        flusher = json.loads(r.stdout)['points'][0]['results'][0]['flusher']
        expect(flusher['flushes'] > 0 and flusher['median_ns'] > 0, flusher)
        expect(flusher['total_ns'] >= flusher['max_ns'], flusher)
        r = _run(d, *more)
        contains(r.stdout, '\nThe periodic flusher\n')
        name, = [n for n in os.listdir(os.path.join(d, 'out')) if n.endswith('.1.json')]
        with open(os.path.join(d, 'out', name), encoding='utf-8') as file:
            result = json.load(file)
        equal(result['flusher']['period_ns'], 1000000)
        expect(isinstance(result['flusher']['cpu'], int))


def a_flusher_that_had_no_turn_is_said():
    with directory() as d:
        r = _run(d, '--backend', 'rstat', '--set', 'counters.flusher=1000s')
        equal(r.returncode, 0, r.stderr)
        contains(' '.join(r.stdout.split()), 'the flusher had no turn')


def what_does_not_flush_has_no_flusher():
    with directory() as d:
        r = _run(d, '--set', 'counters.flusher=1ms')
        equal(r.returncode, 3, r.stderr)
        contains(' '.join(r.stderr.split()),
                 'counters.flusher needs a back end that flushes, and cached does not')
        r = _run(d, '--set', 'counters.flusher=1us')
        equal(r.returncode, 2, r.stderr)
        contains(r.stderr, 'none, or 100us to ')


if __name__ == '__main__':
    tap.main(globals())
