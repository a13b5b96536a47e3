# SPDX-License-Identifier: MIT
"""memcgbench check: verdicts, formats and refusals as a user sees them."""
import json
import os

import tap

SCENARIO = """\
name: check
tree: {shape: [balanced, chain, flat, random], memcgs: 60, fanout: 4, dying: 30%, seed: 7}
machine: {nodes: 3, cpus: 5}
backends: [walk, cached]
"""


def _check(*arguments, scenario=SCENARIO, **options):
    with tap.directory() as directory:
        with open(os.path.join(directory, 'check.yaml'), 'w', encoding='utf-8') as file:
            file.write(scenario)
        return tap.run('check', 'check.yaml', *arguments, cwd=directory, **options)


def _checks(*arguments, **options):
    result = _check('--format=json', *arguments, **options)
    tap.equal(result.returncode, 0, result.stderr)
    return json.loads(result.stdout)


def every_shape_and_back_end_is_within_its_bounds():
    document = _checks()
    tap.equal(document['updates'], 100000)
    tap.equal(len(document['checks']), 4 * 2)
    for check in document['checks']:
        batched, unbatched = check['batched'], check['batch_0']
        tap.equal(check['ok'], True)
        tap.equal(batched['cells_beyond_bound'], 0)
        tap.expect(0 < batched['error_pages'] <= batched['error_bound_pages'], batched)
        tap.equal(abs(batched['value'] - batched['truth']), batched['error_pages'])
        tap.equal(unbatched['error_pages'], 0)
        tap.equal(unbatched['error_bound_pages'], 0)
        # eight memcgs, twice, two blocks of four rows of a sum and three nodes
        tap.equal(batched['cells'], 8 * 2 * 2 * 4 * 4)


def both_back_ends_hold_the_same_truth():
    checks = _checks('--set', 'tree.shape=random', '--set', 'counters.batch=0')['checks']
    tap.equal([check['backend'] for check in checks], ['walk', 'cached'])
    tap.equal(checks[0]['batched']['truth'], checks[1]['batched']['truth'])


def layouts_skew_and_node_ids_pass_too():
    sets = ['tree.shape=flat', 'machine.layout=[v5.6,lean]', 'machine.skew=[0,64]',
            'machine.node_ids="0,8,252"', 'counters.spread.cpus=4', 'counters.spread.nodes=2']
    document = _checks('--quick', *[a for s in sets for a in ('--set', s)])
    tap.equal(document['updates'], 1000)
    tap.equal([check['ok'] for check in document['checks']], [True] * 8)


def the_table_has_a_row_for_each_point_and_back_end():
    result = _check('--updates=2k', '--set', 'tree.shape=[flat,chain]', '--backend', 'cached')
    tap.equal(result.returncode, 0, result.stderr)
    lines = result.stdout.splitlines()
    tap.equal(lines[0].split()[:4], ['point', 'memcgs', 'back', 'end'])
    for line in lines[1:3]:
        tap.equal(line.split()[2], 'cached')
        tap.equal(line.split()[-2:], ['0', 'ok'])
    tap.equal(lines[3], '')
    tap.contains(result.stdout, 'after 2000 updates')
    for line in lines:
        tap.expect(len(line) <= 80, line)


def a_check_gives_the_same_every_time():
    tap.equal(_check('--quick').stdout, _check('--quick').stdout)


def bad_input_is_exit_code_2():
    for arguments, message in (
            (['--updates=-1'], "--updates: '-1' is not a number"),
            (['--backend=walk,wlak'], 'wlak'),
            (['--set=tree.memcgs=0'], 'tree.memcgs'),
            (['--format=tsv'], "--format: 'tsv'"),
            (['--format=table,json'], 'one at a time'),
            (['--repetitions=3'], '--repetitions'),
            (['other.yaml'], 'one scenario too many')):
        result = _check(*arguments)
        tap.equal(result.returncode, 2, arguments)
        tap.equal(result.stdout, '', arguments)
        tap.contains(result.stderr, message)
    result = tap.run('check', 'not-there.yaml')
    tap.equal(result.returncode, 2)
    tap.contains(result.stderr, 'not-there.yaml')
    tap.equal(tap.run('check').returncode, 2)


def what_does_not_fit_is_exit_code_3_and_nothing_is_checked():
    result = _check('--set', 'tree.memcgs=[10,4M]', '--set', 'machine.cpus=8k',
                    '--set', 'tree.shape=flat')
    tap.equal(result.returncode, 3, result.stderr)
    tap.equal(result.stdout, '')
    tap.contains(result.stderr, 'of memory')
    result = _check('--set', 'read.cgroup=machine')
    tap.equal(result.returncode, 3, result.stderr)
    tap.contains(result.stderr, 'live back end')


def a_foreign_topology_is_exit_code_3():
    result = _check(env=tap.environment(HWLOC_SYNTHETIC='numa:2 pu:2'))
    tap.equal(result.returncode, 3, result.stderr)
    tap.contains(result.stderr, 'HWLOC_SYNTHETIC')


def a_full_disk_is_exit_code_2():
    with open('/dev/full', 'w', encoding='utf-8') as full:
        result = _check('--quick', stdout=full)
    tap.equal(result.returncode, 2)


if __name__ == '__main__':
    tap.main(globals())
