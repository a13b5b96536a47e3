# SPDX-License-Identifier: MIT
"""memcgbench plan."""
import json
import os
import re
import sys

import tap

MACHINES = sys.argv[2]
HERE = os.path.dirname(os.path.abspath(__file__))
SMALL = 'name: a\ntree: {memcgs: 10}\n'


def _plan(*args, **kwargs):
    return tap.run('plan', *args, cwd=MACHINES, **kwargs)


def _fine(*args, **kwargs):
    result = _plan(*args, **kwargs)
    tap.equal((result.returncode, result.stderr), (0, ''), args)
    return result.stdout


def _json(*args, **kwargs):
    return json.loads(_fine(*args, '--format', 'json', **kwargs))


def _golden(name, found):
    """Times are guesses that back ends may refine; everything else is kept to the letter."""
    found = re.sub(r' +[\d.]+ (ns|us|ms|s)(?=  |;| *$)', ' ~', found, flags=re.MULTILINE)
    with open(os.path.join(HERE, 'plan', name), encoding='utf-8') as file:
        tap.equal(found, file.read(), name)


def _matrix(machine, *args):
    return _fine(os.path.join(HERE, 'plan', 'matrix.yaml'), '--topology', machine, *args)


def the_table_says_what_varies_in_columns_and_the_rest_once():
    _golden('power9.txt', _matrix('power9.xml'))


def an_ignored_sigchld_changes_nothing():
    matrix = os.path.join(HERE, 'plan', 'matrix.yaml')
    result = tap.run_ignoring_children('plan', matrix, '--topology', 'power9.xml', cwd=MACHINES)
    tap.equal((result.returncode, result.stderr), (0, ''))
    _golden('power9.txt', result.stdout)


def every_table_fits_a_terminal():
    for path in (*sys.argv[3:], os.path.join(HERE, 'plan', 'matrix.yaml')):
        for line in _fine(path).splitlines():
            tap.expect(len(line) <= 80, path, line)


def a_point_is_a_row_where_its_parameters_fit():
    lines = _fine('-', stdin=SMALL.replace('10', '[10, 1k]')).splitlines()
    tap.equal(lines[-5].split()[:2], ['point', 'memcgs'])
    tap.equal([line.split()[1:3] for line in lines[-4:]],
              [[memcgs, backend] for memcgs in ('10', '1k') for backend in ('walk', 'cached')])


def what_cannot_run_is_listed_with_every_reason():
    _golden('hidden-node.txt', _matrix('hidden-node.xml', '--set', 'read.cgroup=machine'))


def help_says_everything():
    _golden('help.txt', _fine('--help'))


def tsv_has_every_parameter_in_base_units():
    lines = [line.split('\t') for line in _matrix('power9.xml', '--format', 'tsv').splitlines()]
    tap.equal({len(line) for line in lines}, {len(lines[0])})
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    tap.equal(len(rows), 16)
    tap.equal(rows[0]['tree.dying'], '0.125')
    tap.equal(rows[0]['read.time'], '100000000')
    tap.equal(rows[-1]['machine.node_ids'], '0,8,252-255')
    tap.equal([row['backend'] for row in rows[:2]], ['walk', 'cached'])
    for row in rows:
        tap.expect(float(row['total_ns']) > 2.9 * float(row['process_ns']) > 0, row)
        tap.expect(int(row['memory_bytes']) > 1e6, row)
        tap.equal(row['possible'], 'no' if row['reasons'] else 'yes')


def json_holds_points_with_ids_and_reasons():
    document = json.loads(_matrix('hidden-node.xml', '--format', 'json'))
    tap.equal(document['schema'], {'name': 'memcgbench-plan', 'version': 1})
    tap.equal(document['scenario'], 'matrix')
    tap.equal(document['thissystem'], False)
    tap.equal(document['repetitions'], 3)
    tap.equal(len(document['points']), 8)
    pairs = [pair for point in document['points'] for pair in point['backends']]
    tap.equal(len(pairs), 16)
    tap.equal(document['pairs_possible'], sum(pair['possible'] for pair in pairs))
    tap.equal(document['pairs_impossible'], sum(not pair['possible'] for pair in pairs))
    tap.expect(0 < document['pairs_possible'] < 16)
    for pair in pairs:
        tap.equal(pair['possible'], not pair['reasons'], pair)
    total = sum(pair['process_ns'] * 3 for pair in pairs if pair['possible'])
    tap.expect(abs(document['total_ns'] / total - 1) < 1e-9)
    for point in document['points']:
        tap.expect(re.fullmatch('[0-9a-f]{16}', point['id']), point['id'])
        tap.equal(point['parameters']['tree.dying'], 0.125)


def several_formats_follow_one_another():
    out = _matrix('power9.xml', '--format', 'json,tsv')
    tap.equal(out.count('\nid\t'), 1)
    tap.expect(out.startswith('{"'))


def what_is_impossible_is_planned_with_exit_code_0():
    document = _json('-', '--set', 'machine.nodes=1024', '--set', 'machine.placement=real',
                     '--set', 'tree.memcgs=4M', '--set', 'machine.cpus=8192', stdin=SMALL)
    reasons = document['points'][0]['backends'][0]['reasons']
    tap.equal(document['pairs_possible'], 0)
    tap.contains('\n'.join(reasons), 'placement: real')
    tap.contains('\n'.join(reasons), 'of memory')


def here_is_this_machine():
    topo = json.loads(tap.run('topo', '--format', 'json').stdout)
    point = _json('-', stdin=SMALL + 'machine: here\n')['points'][0]
    ids = [node['os_index'] for node in topo['nodes'] if node['bytes']]
    tap.equal(point['parameters']['machine.nodes'], len(ids))
    tap.equal(point['parameters']['machine.cpus'], topo['possible_cpus'])


def here_is_the_recorded_machine():
    for machine, nids in (('power9.xml', '0,8,252-255'), ('threadripper.xml', '1-2'),
                          ('grace-hopper.xml', '0-8')):
        point = _json('-', '--topology', machine, stdin=SMALL + 'machine: here\n')['points'][0]
        tap.equal(point['parameters']['machine.node_ids'], nids)
        tap.equal(point['parameters']['machine.cpus'], 16)


def a_recorded_machine_is_the_same_wherever_it_is_planned_for():
    env = tap.environment(HWLOC_SYNTHETIC='node:4 pu:1')
    result = _plan('-', '--topology', 'power9.xml', '--format', 'json', env=env,
                   stdin=SMALL + 'machine: here\n')
    tap.equal(result.stderr, '')
    tap.equal(json.loads(result.stdout),
              _json('-', '--topology', 'power9.xml', stdin=SMALL + 'machine: here\n'))


def a_variable_that_bends_hwloc_is_warned_about():
    result = _plan('-', env=tap.environment(HWLOC_SYNTHETIC='node:4 pu:1'), stdin=SMALL)
    tap.equal(result.returncode, 0)
    tap.equal(result.stderr,
              'memcgbench: warning: HWLOC_SYNTHETIC is set: `run` refuses to measure\n')
    tap.contains(result.stdout, 'planned, cannot be measured here')


def arguments_replace_what_the_file_says():
    document = _json('-', '--set', 'tree.memcgs=[1k,2k]', '--backend', 'cached', '--quick',
                     '--repetitions', '7', stdin=SMALL + 'read: {samples: 100}\n')
    tap.equal([point['parameters']['tree.memcgs'] for point in document['points']], [1000, 2000])
    tap.equal([pair['backend'] for pair in document['points'][0]['backends']], ['cached'])
    tap.equal(document['points'][0]['parameters']['read.samples'], 20)
    tap.equal(document['points'][0]['parameters']['read.time'], 200000000)


def the_scenarios_of_the_tree_keep_within_what_they_promise():
    for path in sys.argv[3:]:
        document = _json(path)
        name = document['scenario']
        tap.equal(name + '.yaml', os.path.basename(path))
        tap.expect(document['title'], name)
        largest = max(pair['memory_bytes'] for point in document['points']
                      for pair in point['backends'])
        large = name in ('million', 'scaling_memcgs')
        tap.expect(largest < (16 if large else 4) * 2 ** 30, name, largest)
        if name == 'numa_stat_10k' and not document['pairs_impossible']:
            tap.expect(document['total_ns'] < 240e9, document['total_ns'])


def wrong_usage_is_trouble():
    for args in ((), ('a.yaml', 'b.yaml'), ('-', '--nonsense'), ('-', '--format', 'xml'),
                 ('-', '--format', 'table,'), ('-', '--format', 'json,,tsv'),
                 ('-', '--format', ''), ('-', '--repetitions', '0'), ('-', '--repetitions', '10001'),
                 ('-', '--repetitions', '2x'), ('-', '--set'), ('-', '--topology', 'missing.xml'),
                 ('-', '--topology', 'malformed.xml'), ('-', '--set', 'tree.memcgs=0'),
                 ('-', '--backend', 'none'), ('missing.yaml',)):
        result = _plan(*args, stdin=SMALL)
        tap.equal((result.returncode, result.stdout), (2, ''), args)
        tap.contains(result.stderr, 'memcgbench')


def a_full_disk_is_trouble():
    if not os.path.exists('/dev/full'):
        raise tap.Skip('no /dev/full')
    with open('/dev/full', 'w', encoding='utf-8') as full:
        for format in ('table', 'tsv', 'json'):
            result = _plan('-', '--format', format, stdin=SMALL, stdout=full)
            tap.equal(result.returncode, 2, format)
            tap.contains(result.stderr, 'standard output')


def trees_are_shown_by_the_names_of_their_cgroups():
    text = _fine('-', '--tree', '5', '--set', 'tree.memcgs=1k', '--set', 'tree.dying=10%', '--set',
                 'tree.shape=kubernetes', '--set', 'tree.driver=[systemd, cgroupfs]',
                 '--set', 'machine.cpus=[1, 2]', stdin=SMALL).splitlines()
    # one tree for all points that share it
    tap.equal(sum(line.startswith('tree  ') for line in text), 2)
    tap.equal(text.count('memcgs    900 visible and 100 dying below the root; depth 4'), 2)
    tap.expect('kubepods.slice/kubepods-burstable.slice' in text, text)
    tap.expect('kubepods/burstable' in text, text)
    tap.equal(text.count('... and 995 more'), 2)


def trees_as_json_have_every_path_once():
    trees = json.loads(_fine('-', '--tree', '4G', '--format', 'json', '--set', 'tree.dying=50%',
                             '--set', 'tree.shape=[slurm, chain]', stdin=SMALL))['trees']
    tap.equal([tree['parameters']['tree.shape'] for tree in trees], ['slurm', 'chain'])
    for tree in trees:
        tap.equal((tree['visible'], tree['dying'], len(tree['paths'])), (5, 5, 10))
        tap.equal(sum(p['dying'] for p in tree['paths']), 5)
        tap.equal(len({p['path'] for p in tree['paths']}), 10)
        tap.equal(max(p['path'].count('/') + 1 for p in tree['paths']), tree['depth'])


def a_number_of_paths_is_one_or_more():
    for number in ('0', '-1', 'x'):
        tap.equal(_plan('-', '--tree', number, stdin=SMALL).returncode, 2, number)
    tap.equal(_plan('-', '--tree', '1', '--format', 'tsv', stdin=SMALL).returncode, 2)


def plans_say_who_is_visible_and_who_is_dying():
    sets = ('--set', 'tree.dying=30%', '--set', 'tree.memcgs=[10, 1k]')
    tap.contains(_fine('-', *sets, stdin=SMALL),
                 'memcgs    700 visible and 300 dying where most are dying')
    tap.equal([(p['visible'], p['dying']) for p in _json('-', *sets, stdin=SMALL)['points']],
              [(7, 3), (700, 300)])



tap.main(globals())
