#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_ids.py PROGRAM IDS.tsv: ids of points are what they have always been.

Written from the definition alone: 64-bit FNV-1a of the sorted key=value lines that differ from the
defaults. The program is asked for the ids of the same settings, and for ids of its own.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import tap  # noqa: E402

SCENARIO = 'name: ids\ntree: {memcgs: 1}\n'

# A released default never changes.
DEFAULTS = {
    'tree.shape': 'balanced', 'tree.fanout': '10', 'tree.dying': '0', 'tree.seed': '1',
    'tree.driver': 'systemd', 'tree.file': 'none',
    'machine.nodes': '1', 'machine.cpus': '1', 'machine.placement': 'fold',
    'machine.pages': 'small', 'machine.layout': 'v5.6', 'machine.skew': '0',
    'counters.batch': '32', 'counters.pages': '25000', 'counters.flush': 'v6.8',
    'counters.lock': 'rules', 'counters.flusher': '0',
    'counters.error': '0.01',
    'counters.distribution': 'even', 'counters.hot_node': '0',
    'read.file': 'memory.numa_stat', 'read.version': 'v1', 'read.cgroup': 'root',
    'read.readers': '1',
    'read.pacing': '0', 'read.cache': 'hot', 'read.form': 'text', 'read.rows': 'all',
    'read.text': 'seq_printf', 'read.buffer': 'reopened', 'read.spills': '0', 'read.with': 'none',
    'write.writers': '0',
    'write.mix': 'page', 'write.rate': '0', 'write.target': 'all', 'write.churn': '0', 'write.linger': '0',
    'harm.time': '0', 'harm.tasks': '1', 'harm.pages': '256', 'harm.limit': '0',
    'harm.kind': 'anon',
}
NOT_IN_ID = ('read.samples', 'read.time')


def _fnv1a(lines):
    value = 0xcbf29ce484222325
    for byte in ''.join(line + '\n' for line in sorted(lines)).encode():
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return f'{value:016x}'


def _vectors():
    with open(sys.argv[2], encoding='utf-8') as file:
        for line in file:
            if not line.startswith('#'):
                wanted, settings, lines = line.rstrip('\n').split('\t')
                yield wanted, settings.split(), lines.split()


def _plan(settings):
    sets = [argument for setting in settings for argument in ('--set', setting)]
    result = tap.run('plan', '-', '--format', 'json', '--backend', 'cached', *sets,
                     stdin=SCENARIO)
    tap.equal(result.returncode, 0, result.stderr)
    return json.loads(result.stdout, parse_float=str, parse_int=str)['points']


def _lines_of(parameters):
    nodes, cpus = int(parameters['machine.nodes']), int(parameters['machine.cpus'])
    defaults = dict(DEFAULTS)
    defaults['machine.node_ids'] = '0' if nodes == 1 else f'0-{nodes - 1}'
    defaults['counters.spread.cpus'] = str(min(2, cpus))
    defaults['counters.spread.nodes'] = '1'
    lines = []
    for key, value in parameters.items():
        if key in ('tree.dying', 'counters.hot_node', 'harm.limit'):
            value = f'{float(value):.6f}'.rstrip('0').rstrip('.')
        if key not in NOT_IN_ID and value != defaults.get(key):
            lines.append(f'{key}={value}')
    return lines


def there_are_enough_vectors():
    tap.expect(len(list(_vectors())) >= 20)


def vectors_follow_from_the_definition():
    for wanted, _, lines in _vectors():
        tap.equal(_fnv1a(lines), wanted, lines)


def settings_have_the_ids_of_the_vectors():
    for wanted, settings, _ in _vectors():
        tap.equal(_plan(settings)[0]['id'], wanted, settings)


def every_id_follows_from_the_parameters_shown_with_it():
    points = _plan(['tree.memcgs=[7,1k]', 'tree.shape=[flat,random]', 'tree.dying=[0%,0.1%,33.3333%]',
                    'machine.cpus=[1,2,72]', 'machine.skew=[0,64]', 'read.pacing=[closed,1ms]'])
    tap.equal(len(points), 144)
    tap.equal(len({point['id'] for point in points}), 144)
    for point in points:
        tap.equal(point['id'], _fnv1a(_lines_of(point['parameters'])), point['parameters'])


tap.main(globals())
