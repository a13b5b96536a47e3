# SPDX-License-Identifier: MIT
"""A captured tree is made of real cgroups, and they hold the pages that models of it count."""
import json
import os

import tap

TREE = '''memcgbench-tree 1
cgroup 1
page-size 4096
cpus unknown
memcgs 4
dying 3
names plain
dying-below parent
lists-by cut
vanished 0
unreadable 0
without-nodes 0
without-lists 0
negative 0
nodes NODE
tree
0 . 1 NNODE=10,20,30,40,50
1 a%20b.slice 0 NNODE=100,200,300,400,50
1 z 2 NNODE=0,0,9,0,0
2 h-0123456789abcdef 0 NNODE=70,0,0,0,0
2 y 0
'''
SCENARIO = '''name: small
tree: {shape: captured, file: small.tree}
machine: {nodes: here, cpus: here}
backends: [walk, cached, kernel]
'''
PAGES = 150 + 1050 + 9 + 70 + 3  # a page of each dying one


def _node():
    nodes = json.loads(tap.run('topo', '--format', 'json').stdout)['nodes']
    return str(min(node['os_index'] for node in nodes if node['bytes']))


def models_and_the_kernel_replay_the_same_pages():
    with tap.directory() as directory:
        for name, text in (('small.tree', TREE.replace('NODE', _node())), ('s.yaml', SCENARIO)):
            with open(os.path.join(directory, name), 'w', encoding='utf-8') as file:
                file.write(text)
        result = tap.run('run', 's.yaml', '--quick', '--no-lock', '--out', 'run', '--repetitions', 1,
                         '--format', 'json', cwd=directory)
        if result.returncode == 3:
            raise tap.Skip(result.stderr.strip().splitlines()[0])
        tap.equal(result.returncode, 0, result.stderr)
        by_name = {r['backend']: r for r in json.loads(result.stdout)['points'][0]['results']}
        tap.equal(set(by_name), {'walk', 'cached', 'kernel'})
        # A sanitizer's own pages are charged with those of the task that it looks after.
        for found in [] if tap.sanitized() else by_name.values():
            tap.expect(found['error_pages'] <= found['error_bound_pages'], found['backend'])
        for name in os.listdir(f'{directory}/run'):
            if '.kernel.' not in name:
                continue
            with open(f'{directory}/run/{name}', encoding='utf-8') as file:
                fixture = json.load(file)['live']['fixture']
            tap.equal((fixture['cgroups'], fixture['dying_asked'], fixture['pages']), (5, 3, PAGES))


tap.main(globals())
