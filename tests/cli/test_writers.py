# SPDX-License-Identifier: MIT
"""Writers at work while reads are timed: what results, tables and comparisons say of them."""
import json
import os

import tap
from tap import contains, directory, equal, expect, run

SCENARIO = '''\
name: writers
tree:    {memcgs: 20}
machine: {nodes: 2, cpus: 8}
read:    {samples: 20, time: 20ms}
write:   {writers: [0, 2], mix: mixed}
backends: [walk, cached]
repetitions: 1
'''


def _run(d, *args, out='out', stdin=SCENARIO):
    return run('run', '-', '--out', os.path.join(d, out), *args, stdin=stdin,
               env=tap.environment(MEMCGBENCH_LOCK=os.path.join(d, 'lock')))


def _json(text):
    return {(p['parameters']['write.writers'], b['backend']): b
            for p in json.loads(text)['points'] for b in p['results']}


def what_writers_did_is_in_results_and_only_where_there_were_any():
    with directory() as d:
        r = _run(d, '--format', 'json')
        equal(r.returncode, 0, r.stderr)
        results = _json(r.stdout)
        equal(len(results), 4)
        for (writers, name), result in results.items():
            if not writers:
                for key in ('writer_ns', 'writer_p99_batch_ns', 'updates_per_s',
                            'load_error_pages', 'updates_behind', 'truth_reads',
                            'truth_error_pages', 'age_ns', 'age_unknown'):
                    equal(result[key], None, (name, key))
                continue
            expect(result['writer_ns'] > 0 and result['updates_per_s'] > 0, result)
            expect(result['load_error_pages'] <= result['load_error_bound_pages'], result)
            equal(result['updates_behind'], 0)
            expect(result['truth_reads'] >= 5, result)
            expect(result['truth_beyond_bound'] <= result['truth_apart'] <=
                   result['truth_reads'], result)
            expect(result['truth_error_bound_pages'] > 0, result)
            expect((result['age_max_ns'] is None) == (result['age_unknown'] > 0), result)
        for result in results.values():
            expect(result['closure_pages'] <= result['closure_bound_pages'], result)
            expect(result['inversion_pairs'] > 0, result)
        for name in os.listdir(os.path.join(d, 'out')):
            if not name.endswith('.1.json'):
                continue
            with open(os.path.join(d, 'out', name), encoding='utf-8') as file:
                result = json.load(file)
            writers = result['writers']
            if not result['point']['parameters']['write.writers']:
                equal(writers, None)
                continue
            equal((writers['writers'], writers['mix']), (2, 'mixed'))
            equal((len(writers['cpus']), len(writers['updates_per_s_each'])), (2, 2))
            equal(writers['error']['cells_beyond_bound'], 0)
            equal(writers['updates'] % writers['updates_per_sample'], 0)


def the_table_has_a_section_and_says_so_above():
    with directory() as d:
        r = _run(d)
        equal(r.returncode, 0, r.stderr)
        contains(r.stdout, '\nWriters under load\n')
        contains(r.stdout, '\nError and age under load, in pages\n')
        contains(r.stdout, '\nWhether files agree, in pages\n')
        contains(r.stdout, 'write.writers 0, 2')
        contains(r.stdout, 'mix mixed, rate closed, target all')
        for line in r.stdout.splitlines():
            expect(len(line) <= 80, line)
        r = _run(d, '--set', 'write.writers=0', '--set', 'write.mix=page', out='quiet')
        equal(r.returncode, 0, r.stderr)
        expect('under load' not in r.stdout.replace('Under load', ''), r.stdout)
        contains(r.stdout, '\nWhether files agree, in pages\n')
        contains(r.stdout, 'write      writers 0\n')


def updates_under_load_can_be_compared():
    with directory() as d:
        for out in ('a', 'b'):
            r = _run(d, '--set', 'write.writers=2', '--backend', 'cached', out=out)
            equal(r.returncode, 0, r.stderr)
        for metric in ('writer', 'throughput'):
            r = run('compare', os.path.join(d, 'a'), os.path.join(d, 'b'), '--metric', metric,
                    '--format', 'json')
            expect(r.returncode in (0, 1), r.stderr)
            expect(metric in r.stdout, r.stdout)


if __name__ == '__main__':
    tap.main(globals())
