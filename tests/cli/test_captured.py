# SPDX-License-Identifier: MIT
"""Scenarios with captured trees: what they may say, what they replay, and what identifies them."""
import json
import os
import shutil

import tap

TREE = '''memcgbench-tree 1
cgroup 1
page-size 4096
cpus 72
memcgs 4
dying 3
names plain
dying-below parent
lists-by node
vanished 0
unreadable 0
without-nodes 0
without-lists 0
negative 0
nodes 0,8
tree
0 . 1 N0=1000,2000,3000,4000,5000
1 init.scope 0 N0=10,0,0,0,0 N8=0,0,0,0,1
1 user.slice 2 N8=100,200,300,400,500
2 user-1000.slice 0
1 zz 0 N0=7,0,0,0,0
'''
MACHINE = 'machine: {node_ids: "0,8", cpus: 4}\n'
CAPTURED = 'name: a\ntree: {shape: captured, file: a.tree}\n'


def _write(directory, name, text):
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def _plan(directory, scenario, *args):
    _write(directory, 'a.tree', TREE)
    _write(directory, 's.yaml', scenario)
    return tap.run('plan', 's.yaml', *args, cwd=directory)


def _points(directory, scenario, *args):
    result = _plan(directory, scenario, '--format', 'json', *args)
    tap.equal(result.returncode, 0, result.stderr)
    return json.loads(result.stdout)['points']


def _fnv1a(text):
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return f'{value:016x}'


REFUSED = [
    ('name: a\ntree: {shape: captured}\n',
     ['2:15: tree.shape: captured trees are made of a file (tree.file)']),
    ('name: a\ntree: {memcgs: 7, file: a.tree}\n',
     ['2:25: tree.file: goes with tree.shape captured alone']),
    ('name: a\ntree: {memcgs: 7}\ncounters: {distribution: captured}\n',
     ['3:26: counters.distribution: captured goes with tree.shape captured alone']),
    ('name: a\ntree: {shape: captured, file: a.tree, memcgs: 7, fanout: 3, dying: 1%, '
     'driver: systemd}\n' + MACHINE,
     ['2:47: tree.memcgs: a captured tree has its own (leave it out)',
      '2:58: tree.fanout: a captured tree has its own (leave it out)',
      '2:68: tree.dying: a captured tree has its own (leave it out)',
      '2:80: tree.driver: a captured tree has its own (leave it out)']),
    (CAPTURED + MACHINE + 'counters: {pages: 10, distribution: captured}\n',
     ['4:19: counters.pages: captured charges have their own (counters.pages, without '
      'counters.distribution, for the shape alone)']),
    (CAPTURED + MACHINE + 'counters: {hot_node: 10%}\n',
     ['4:22: counters.hot_node: captured charges have their own (counters.pages, without '
      'counters.distribution, for the shape alone)']),
    (CAPTURED,
     ['2:31: tree.file: has pages of node 8, which the machine has not (nodes and ids of machine, '
      'or counters.pages for the shape alone)']),
    (CAPTURED.replace('a.tree', '[a.tree, a.tree]') + MACHINE,
     ['2:40: tree.file: the same value twice (values of a list differ)']),
    (CAPTURED.replace('a.tree', 'nix') + MACHINE,
     ["2:31: tree.file: './nix': cannot open: No such file or directory"]),
    (CAPTURED.replace('a.tree', '""') + MACHINE,
     ['2:31: tree.file: the name of a file is empty']),
    (CAPTURED.replace('a.tree', '/') + MACHINE, ["2:31: tree.file: '/': not a regular file"]),
]


def what_means_nothing_is_an_error_at_its_place():
    with tap.directory() as directory:
        for text, wanted in REFUSED:
            result = _plan(directory, text)
            tap.equal(result.stderr.splitlines(), [f'memcgbench: s.yaml:{w}' for w in wanted], text)
            tap.equal(result.returncode, 2)


def what_is_wrong_in_the_file_is_said_there():
    with tap.directory() as directory:
        _write(directory, 'b.tree', TREE.replace('1 zz', '9 zz'))
        result = _plan(directory, CAPTURED.replace('a.tree', 'b.tree') + MACHINE)
        tap.equal(result.stderr, 'memcgbench: ./b.tree:21:1: depth: out of range (1 to 3)\n')
        tap.equal(result.returncode, 2)


def a_tree_without_memcgs_is_refused():
    with tap.directory() as directory:
        head = TREE[:TREE.index('0 . 1')]
        _write(directory, 'b.tree', head.replace('memcgs 4', 'memcgs 0').replace('dying 3', 'dying 0')
               + '0 . 0\n')
        result = _plan(directory, CAPTURED.replace('a.tree', 'b.tree') + MACHINE)
        tap.contains(result.stderr, "2:31: tree.file: './b.tree' has no memcg below its top")


def memcgs_and_dying_ones_are_those_of_the_file():
    with tap.directory() as directory:
        point = _points(directory, CAPTURED + MACHINE)[0]
        tap.equal(point['parameters']['tree.memcgs'], 7)
        tap.equal(point['parameters']['tree.shape'], 'captured')
        tap.equal(point['parameters']['tree.file'], _fnv1a(TREE))
        tap.equal(point['parameters']['counters.distribution'], 'captured')
        tap.equal((point['visible'], point['dying']), (4, 3))


def names_and_order_are_those_of_the_file():
    with tap.directory() as directory:
        result = _plan(directory, CAPTURED + MACHINE, '--tree=20')
        rows = [row for row in result.stdout.splitlines() if row]
        tap.equal(rows[rows.index('memcgbench-dying-1  (dying)'):], [
            'memcgbench-dying-1  (dying)',
            'init.scope',
            'user.slice',
            'user.slice/memcgbench-dying-4  (dying)',
            'user.slice/memcgbench-dying-5  (dying)',
            'user.slice/user-1000.slice',
            'zz'])


def the_id_follows_from_what_the_file_holds():
    with tap.directory() as directory:
        one = _points(directory, CAPTURED + MACHINE)[0]['id']
        _write(directory, 'elsewhere/b.tree', TREE)
        _write(directory, 'c.tree', TREE.replace('N0=7,', 'N0=8,'))
        same = _points(directory, CAPTURED.replace('a.tree', 'elsewhere/b.tree') + MACHINE)[0]['id']
        other = _points(directory, CAPTURED.replace('a.tree', 'c.tree') + MACHINE)[0]['id']
        lines = ['counters.distribution=captured', 'machine.cpus=4', 'machine.node_ids=0,8',
                 'machine.nodes=2', 'tree.dying=0.428572', f'tree.file={_fnv1a(TREE)}',
                 'tree.memcgs=7', 'tree.shape=captured']
        tap.equal(one, _fnv1a(''.join(line + '\n' for line in lines)))
        tap.equal(one, same)
        tap.expect(one != other)


def paths_are_relative_to_the_scenario_and_of_set_to_where_we_are():
    with tap.directory() as directory:
        _write(directory, 'deep/a.tree', TREE)
        path = _write(directory, 'deep/s.yaml', CAPTURED + MACHINE)
        for args in ([path], ['deep/s.yaml'], ['deep/s.yaml', '--set', 'tree.file=deep/a.tree'],
                     ['deep/s.yaml', '--set', f'tree.file={directory}/deep/a.tree']):
            result = tap.run('plan', *args, cwd=directory)
            tap.equal(result.returncode, 0, result.stderr)
        result = tap.run('plan', 'deep/s.yaml', '--set', 'tree.file=a.tree', cwd=directory)
        tap.equal(result.returncode, 2)


def several_trees_are_several_points():
    with tap.directory() as directory:
        _write(directory, 'b.tree', TREE.replace('N0=7,', 'N0=8,'))
        points = _points(directory, 'name: a\ntree: [{memcgs: 10}, {shape: captured, '
                         'file: [a.tree, b.tree]}]\n' + MACHINE)
        tap.equal([p['parameters']['tree.memcgs'] for p in points], [10, 7, 7])
        tap.equal(len({p['id'] for p in points}), 3)


def other_charges_replay_the_shape_alone_on_any_machine():
    with tap.directory() as directory:
        for counters in ('{pages: 10}', '{distribution: even}', '{distribution: zipf, pages: 9}'):
            point = _points(directory, CAPTURED + f'counters: {counters}\n')[0]
            tap.equal(point['parameters']['tree.memcgs'], 7)
            tap.expect(point['parameters']['counters.distribution'] != 'captured')


def every_back_end_agrees_with_the_oracle():
    names = [row.split('\t') for row in
             tap.run('backends', '--format', 'tsv').stdout.splitlines()[1:]]
    models = [row[0] for row in names if not row[0].startswith('kernel')]
    tap.expect(len(models) >= 6)
    with tap.directory() as directory:
        _plan(directory, CAPTURED + MACHINE)
        for cgroup in ('root', 'middle', 'leaf', 'all'):
            result = tap.run('check', 's.yaml', '--backend', ','.join(models), '--set',
                             f'read.cgroup={cgroup}', '--set', 'counters.batch=[0,32]',
                             cwd=directory)
            tap.equal(result.returncode, 0, result.stdout + result.stderr)


def _run(directory, *args):
    return tap.run('run', 's.yaml', '--backend', 'walk,cached', '--quick', '--no-lock', *args,
                   cwd=directory, env=tap.environment())


def a_run_measures_it_and_results_outlive_the_file():
    with tap.directory() as directory:
        _plan(directory, CAPTURED + MACHINE + 'read: {cgroup: [root, middle, all]}\n')
        result = _run(directory, '--out', 'run', '--format', 'json')
        tap.equal(result.returncode, 0, result.stderr)
        points = json.loads(result.stdout)['points']
        tap.equal([r['memcgs_visited'] > 0 for r in points[0]['results']], [True, False])
        os.unlink(os.path.join(directory, 'a.tree'))
        shutil.copytree(os.path.join(directory, 'run'), os.path.join(directory, 'other'))
        for args in (['report', 'run', '-o', 'page.html'], ['compare', 'run', 'other'],
                     ['compare', 'run', 'other', '--format', 'cover'],
                     ['export', '--format', 'csv', 'run']):
            result = tap.run(*args, cwd=directory)
            tap.equal(result.returncode, 0, f'{args} {result.stdout} {result.stderr}')


def a_file_that_changes_while_it_runs_is_a_failure():
    with tap.directory() as directory:
        _plan(directory, CAPTURED + MACHINE + 'repetitions: 40\n')
        process = tap.start('run', 's.yaml', '--backend', 'walk,cached', '--no-lock', '--out', 'run',
                            '--set', 'read.time=50ms', '--set', 'read.samples=20', cwd=directory)
        tap.wait_for(lambda: any(n.endswith('.json') and n != 'run.json' for n in
                                 os.listdir(os.path.join(directory, 'run')))
                     if os.path.isdir(os.path.join(directory, 'run')) else False)
        _write(directory, 'a.tree', TREE.replace('zz', 'zy'))
        _, errors = process.communicate(timeout=120)
        tap.equal(process.returncode, 2, errors)
        tap.contains(errors, 'is not what it was when the run began')


tap.main(globals())
