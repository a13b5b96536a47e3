# SPDX-License-Identifier: MIT
"""scenarios/README.md names every key of a scenario, with its default, and no other."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import tap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')


def _documented():
    with open(os.path.join(ROOT, 'scenarios', 'README.md'), encoding='utf-8') as file:
        return dict(re.findall(r'^\| `([a-z]+\.[a-z_.]+)` \| ([^|]+?) \|', file.read(), re.M))


def _parameters():
    with tap.directory() as d:
        path = os.path.join(d, 'least.yaml')
        with open(path, 'w') as file:
            file.write('name: least\ntree: {memcgs: 1}\nmachine: {cpus: 2, nodes: 2}\n')
        r = tap.run('plan', path, '--backend', 'walk', '--format', 'json')
        tap.equal(r.returncode, 0, r.stderr)
        return json.loads(r.stdout)['points'][0]['parameters']


def every_key_is_documented_and_no_other():
    tap.equal(sorted(_documented()), sorted(_parameters()))


def words_and_counts_have_the_default_that_is_documented():
    documented = _documented()
    for key, value in _parameters().items():
        if key in ('tree.memcgs', 'machine.node_ids', 'machine.cpus', 'machine.nodes'):
            continue
        text = documented[key]
        number = re.fullmatch(r'(\d+)(k|s|%)?', text)
        if number:
            scale = {'k': 1000, 's': 10**9, '%': 0.01, None: 1}[number[2]]
            tap.equal(value, int(number[1]) * scale, key)
        elif key in ('read.pacing', 'write.rate'):
            tap.equal((text, value), ('closed', 0))
        elif key in ('counters.flusher', 'counters.hot_node', 'write.churn', 'harm.time',
                     'harm.limit'):
            tap.equal((text, value), ('none', 0))
        else:
            tap.equal(value, text, key)


def every_scenario_file_is_listed():
    with open(os.path.join(ROOT, 'scenarios', 'README.md'), encoding='utf-8') as file:
        text = file.read()
    for below in ('', 'live/'):
        for name in sorted(os.listdir(os.path.join(ROOT, 'scenarios', below))):
            if name.endswith('.yaml'):
                tap.contains(text, f'[{below}{name}]({below}{name})')


if __name__ == '__main__':
    tap.main(globals())
