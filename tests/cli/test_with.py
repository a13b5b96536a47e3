# SPDX-License-Identifier: MIT
"""Another file of the memcg before each: what results say of it, and who cannot read it."""
import json
import os

import tap
from tap import contains, directory, equal, expect, run

SCENARIO = '''\
name: with
tree:     {memcgs: 20}
machine:  {nodes: 2, cpus: 8}
counters: {flush: [v6.8, v6.16]}
read:     {file: memory.stat, version: v2, with: [none, cpu.stat], samples: 20, time: 20ms}
backends: [rstat]
repetitions: 1
'''


def _run(d, *args):
    return run('run', '-', '--out', os.path.join(d, 'out'), *args, stdin=SCENARIO,
               env=tap.environment(MEMCGBENCH_LOCK=os.path.join(d, 'lock')))


def _results(d):
    found = {}
    for name in sorted(os.listdir(os.path.join(d, 'out'))):
        if name.endswith('.1.json'):
            with open(os.path.join(d, 'out', name), encoding='utf-8') as file:
                result = json.load(file)
            parameters = result['point']['parameters']
            found[parameters['counters.flush'], parameters['read.with']] = result
    return found


def both_files_are_counted_as_one_read():
    with directory() as d:
        r = _run(d)
        equal(r.returncode, 0, r.stderr)
        results = _results(d)
        equal(len(results), 4)
        for flush in ('v6.8', 'v6.16'):
            alone = results[flush, 'none']['counts']
            both = results[flush, 'cpu.stat']['counts']
            equal(both['flushes'], alone['flushes'] + 1)
            expect(both['text_bytes'] > alone['text_bytes'] + 80, both)
            # memory's file is shown as often
            equal(both['shows'], alone['shows'])
        # Memory comes along: what a long run leaves pending, and so nothing is missing.
        old, new = (results[flush, 'cpu.stat'] for flush in ('v6.8', 'v6.16'))
        expect(old['counts']['items_scanned'] > 10 * new['counts']['items_scanned'] > 0)
        equal(old['error']['pages'], 0)


def its_lock_stands_beside_memorys_where_it_has_one():
    with directory() as d:
        r = _run(d, '--format', 'json')
        equal(r.returncode, 0, r.stderr)
        locks = {}
        for point in json.loads(r.stdout)['points']:
            parameters, (result,) = point['parameters'], point['results']
            names = [lock['name'] for lock in result['locks'] or []]
            locks[parameters['counters.flush'], parameters['read.with']] = names
        equal(locks['v6.8', 'cpu.stat'], ['flush'])
        equal(locks['v6.16', 'cpu.stat'], ['cputime'])
        # below its threshold nothing is flushed
        equal(locks['v6.8', 'none'] + locks['v6.16', 'none'], [])


def a_back_end_without_cpu_time_is_left_out_with_the_reason():
    with directory() as d:
        reason = ('read.with: cpu.stat needs a back end that keeps CPU time beside memory, and '
                  'cached does not')
        r = _run(d, '--backend', 'rstat,cached', '--set', 'read.with=cpu.stat')
        equal(r.returncode, 3)
        contains(r.stderr, reason)
        expect(not os.path.exists(os.path.join(d, 'out')))
        r = _run(d, '--backend', 'rstat,cached', '--set', 'read.with=cpu.stat',
                 '--skip-impossible', '--format', 'json')
        equal(r.returncode, 0, r.stderr)
        document = json.loads(r.stdout)
        equal([b['backend'] for p in document['points'] for b in p['results']], ['rstat'] * 2)
        contains(json.dumps(document['left_out']), reason)


def memory_stat_and_numa_stat_are_the_sum_of_both_alone():
    with directory() as d:
        found = {}
        for name, sets in (('stat', 'read.file=memory.stat'), ('numa', 'read.with=none'),
                           ('both', 'read.with=memory.stat')):
            r = run('run', '-', '--out', os.path.join(d, name), '--set', 'read.version=v1',
                    '--set', 'read.cgroup=[root,all]', '--set', sets, '--backend', 'walk,cached',
                    stdin=SCENARIO.replace(', with: [none, cpu.stat]', '')
                    .replace('file: memory.stat, ', '').replace('[v6.8, v6.16]', 'v6.8'),
                    env=tap.environment(MEMCGBENCH_LOCK=os.path.join(d, 'lock')))
            equal(r.returncode, 0, r.stderr)
            for file in os.listdir(os.path.join(d, name)):
                if not file.endswith('.1.json'):
                    continue
                with open(os.path.join(d, name, file), encoding='utf-8') as opened:
                    result = json.load(opened)
                cgroup = result['point']['parameters']['read.cgroup']
                found.setdefault((result['backend'], cgroup), {})[name] = result['counts']
        equal(len(found), 4)
        for key, counts in found.items():
            for count in ('loads_hierarchical', 'loads_local', 'memcgs_visited', 'css_gets',
                          'atomics', 'text_bytes', 'shows'):
                equal(counts['both'][count], counts['stat'][count] + counts['numa'][count],
                      (key, count))
            # The same counters' lines are touched by both.
            expect(max(counts['stat']['bytes_touched'], counts['numa']['bytes_touched'])
                   <= counts['both']['bytes_touched']
                   <= counts['stat']['bytes_touched'] + counts['numa']['bytes_touched'], counts)


if __name__ == '__main__':
    tap.main(globals())
