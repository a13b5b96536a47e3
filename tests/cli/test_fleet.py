# SPDX-License-Identifier: MIT
"""memcgbench fleet: from a small sweep to what it costs an hour, and what is no sweep."""
import csv
import io
import json
import os

import tap
from tap import contains, directory, equal, expect, run

SCENARIO = '''\
name: sweeps
tree:     {memcgs: [10, 20]}
read:     {cgroup: [all, root], cache: cold, samples: 5, time: 20ms}
backends: [cached]
repetitions: 2
'''


def _measured(d, *args):
    path = os.path.join(d, 'out')
    r = run('run', '-', '--no-lock', '--out', path, *args, stdin=SCENARIO)
    equal(r.returncode, 0, r.stderr)
    return path


def a_sweep_is_worked_out_for_each_interval_and_number_of_agents():
    with directory() as d:
        path = _measured(d)
        r = run('fleet', path, '--interval', '10s,60s', '--agents', '1,3',
                '--format', 'json')
        equal(r.returncode, 0, r.stderr)
        contains(r.stderr, '2 of 4 points are left out: they read one file')
        document = json.loads(r.stdout)
        equal(document['schema'], {'name': 'memcgbench-fleet', 'version': 1})
        (found,) = document['runs']
        equal(len(found['left_out']), 2)
        costs = found['costs']
        equal([(c['files'], c['interval_ns'], c['agents']) for c in costs],
              [(files, interval * 10 ** 9, agents) for files in (11, 21)
               for interval in (10, 60) for agents in (1, 3)])
        for cost in costs:
            hourly = cost['agents'] * cost['mean_ns'] * 3600 / cost['interval_ns']
            expect(abs(cost['cpu_s_per_hour'] - hourly) < 1e-9 * hourly, cost)
            expect(abs(cost['share_of_cpu'] * 3600 - hourly) < 1e-9 * hourly, cost)
            equal((cost['basis'], cost['late'], cost['ci_level']), ('measured', False, None))


def tsv_says_the_same_as_json_and_the_table_is_80_columns_wide():
    with directory() as d:
        path = _measured(d)
        documents = json.loads(run('fleet', path, '--format', 'json').stdout)
        rows = list(csv.DictReader(io.StringIO(run('fleet', path, '--format', 'tsv').stdout),
                                   delimiter='\t'))
        costs = documents['runs'][0]['costs']
        equal([(r['id'], r['tree.memcgs'], float(r['cpu_s_per_hour'])) for r in rows],
              [(c['id'], str(c['parameters']['tree.memcgs']),
                float('%.12g' % c['cpu_s_per_hour'])) for c in costs])
        r = run('fleet', path, path)
        equal(r.returncode, 0, r.stderr)
        equal(r.stdout.count('What sweeps cost'), 2)
        expect(max(map(len, r.stdout.replace(path, 'DIR').splitlines())) <= 80, r.stdout)


def a_size_that_was_not_measured_says_so():
    with directory() as d:
        path = _measured(d)
        r = run('fleet', path, '--memcgs', '15')
        equal(r.returncode, 0, r.stderr)
        contains(r.stdout, 'between 10 and 20')
        r = run('fleet', path, '--memcgs', '40')
        equal((r.returncode, r.stdout), (2, ''))
        contains(r.stderr, 'too few others')


def hot_sweeps_are_said_to_be_no_collectors():
    with directory() as d:
        path = _measured(d, '--set', 'read.cache=hot')
        r = run('fleet', path)
        equal(r.returncode, 0, r.stderr)
        contains(r.stderr, "2 of 2 sweeps were measured hot: a collector's are cold")


def wrong_usage_and_what_is_no_run_are_trouble():
    with directory() as d:
        for args in ((), (d,), (d, '--interval', '10'), (d, '--interval', '0s'),
                     (d, '--interval', '10s,'), (d, '--agents', '0'), (d, '--agents', '1001'),
                     (d, '--memcgs', '0'), (d, '--memcgs', '5M'), (d, '--format', 'markdown'),
                     (d, '--agents', ','.join(['1'] * 17))):
            r = run('fleet', *args)
            equal((r.returncode, r.stdout), (2, ''), args)
            contains(r.stderr, 'memcgbench')


if __name__ == '__main__':
    tap.main(globals())
