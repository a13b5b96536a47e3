# SPDX-License-Identifier: MIT
"""memcgbench capture: what it makes of saved files, what it leaves out, and what it never does.

Files are made here in the formats of the kernels. A tree is a map from a path to a memcg's own pages:
{node: (inactive_anon, active_anon, inactive_file, active_file, unevictable)}.
"""
import json
import os
import re
import resource

import tap

LISTS = ('inactive_anon', 'active_anon', 'inactive_file', 'active_file', 'unevictable')
TREE = {
    '': {0: (10, 20, 30, 40, 50)},
    'system.slice': {0: (1, 2, 3, 4, 5), 8: (5, 4, 3, 2, 1)},
    'system.slice/a b.service': {8: (100, 300, 0, 0, 7)},
    'system.slice/dbus.service': {},
    'user.slice': {0: (0, 0, 9, 0, 0)},
}
NODES = (0, 8)


def _write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def _sum(cells, lists):
    return {nid: sum(cells.get(nid, (0,) * 5)[i] for i in lists) for nid in NODES}


def _v1_numa(cells):
    text = ''
    for name, lists in (('total', range(5)), ('file', (2, 3)), ('anon', (0, 1)), ('unevictable', (4,))):
        by_node = _sum(cells, lists)
        text += f'{name}={sum(by_node.values())} ' + ' '.join(f'N{n}={by_node[n]}' for n in NODES) + '\n'
    return text + 'numa_locality 0 0 0 0\n'


def _v1_stat(cells):
    lines = ['cache 0', 'rss 0']
    lines += [f'{name} {4096 * sum(_sum(cells, (i,)).values())}' for i, name in enumerate(LISTS)]
    return '\n'.join(lines + ['total_cache 0', 'total_rss 0']) + '\n'


def _below(path):
    return [p for p in TREE if p == path or p.startswith(path + '/' if path else '')]


def _v2_numa(path):
    text = ''
    for i, name in enumerate(LISTS):
        by_node = {n: sum(TREE[p].get(n, (0,) * 5)[i] for p in _below(path)) for n in NODES}
        text += f'{name} ' + ' '.join(f'N{n}={4096 * by_node[n]}' for n in NODES) + '\n'
    return 'anon N0=0 N8=0\nfile N0=0 N8=0\n' + text


def _save_v1(top):
    for path, cells in TREE.items():
        _write(os.path.join(top, path, 'memory.numa_stat'), _v1_numa(cells))
        _write(os.path.join(top, path, 'memory.stat'), _v1_stat(cells))
    _write(os.path.join(top, 'cgroups'), '#subsys_name\thierarchy\tnum_cgroups\tenabled\n'
           'cpu\t1\t99\t1\nmemory\t4\t12\t1\n')
    _write(os.path.join(top, 'possible'), '0-71\n')


DYING_BELOW = {'': 6, 'system.slice': 4, 'system.slice/dbus.service': 1}


def _save_v2(top):
    for path in TREE:
        _write(os.path.join(top, path, 'memory.numa_stat'), _v2_numa(path))
        _write(os.path.join(top, path, 'cgroup.stat'),
               f'nr_descendants 9\nnr_dying_descendants {DYING_BELOW.get(path, 0)}\n')


def _capture(top, *args):
    result = tap.run('capture', '--from', top, *args)
    tap.equal(result.returncode, 0, result.stderr)
    return result


def _parts(text):
    """The head as a map, and the rows."""
    head, rows = text.split('\ntree\n')
    lines = [line for line in head.splitlines()[1:] if not line.startswith('#')]
    return dict(line.split(' ', 1) for line in lines), rows.splitlines()


V1_ROWS = [
    '0 . 7 N0=10,20,30,40,50',
    # half of its anonymous and half of its file pages are active: cut over the nodes, 12 and 12 in all
    '1 system.slice 0 N0=2,1,4,3,5 N8=4,5,2,3,1',
    '2 a%20b.service 0 N8=100,300,0,0,7',
    '2 dbus.service 0',
    '1 user.slice 0 N0=0,0,9,0,0',
]


def a_copy_of_v1_becomes_a_tree():
    with tap.directory() as top:
        _save_v1(top)
        result = _capture(top, '--names')
        head, rows = _parts(result.stdout)
        tap.equal(head, {
            'cgroup': '1', 'page-size': '4096', 'cpus': '72', 'memcgs': '4', 'dying': '7',
            'names': 'plain', 'dying-below': 'top', 'lists-by': 'cut', 'vanished': '0',
            'unreadable': '0', 'without-nodes': '0', 'without-lists': '0', 'negative': '0',
            'nodes': '0,8'})
        tap.equal(rows, V1_ROWS)
        # kinds are exact by node, and lists over all nodes
        cells = [tuple(map(int, c.split('=')[1].split(','))) for c in rows[1].split(' ')[3:]]
        for cell, own in zip(cells, TREE['system.slice'].values()):
            tap.equal((cell[0] + cell[1], cell[2] + cell[3], cell[4]),
                      (own[0] + own[1], own[2] + own[3], own[4]))
        tap.equal([sum(c) for c in zip(*cells)], [6, 6, 6, 6, 6])
        tap.equal(result.stderr, 'memcgbench: 4 memory cgroups of v1 below the top, dying: 7; '
                  '596 pages on 2 nodes\n')


def a_copy_of_v2_becomes_a_tree_with_its_dying_where_they_are():
    with tap.directory() as top:
        _save_v2(top)
        head, rows = _parts(_capture(top, '--names').stdout)
        tap.equal(head, {
            'cgroup': '2', 'page-size': '4096', 'cpus': 'unknown', 'memcgs': '4', 'dying': '6',
            'names': 'plain', 'dying-below': 'parent', 'lists-by': 'node', 'vanished': '0',
            'unreadable': '0', 'without-nodes': '0', 'without-lists': '0', 'negative': '0',
            'nodes': '0,8'})
        tap.equal(rows, [
            '0 . 2 N0=10,20,30,40,50',
            '1 system.slice 3 N0=1,2,3,4,5 N8=5,4,3,2,1',
            '2 a%20b.service 0 N8=100,300,0,0,7',
            '2 dbus.service 1',
            '1 user.slice 0 N0=0,0,9,0,0'])


def hashed_names_tell_nothing_but_the_order():
    with tap.directory() as top:
        _save_v1(top)
        seen = set()
        for _ in range(2):
            text = _capture(top).stdout
            _, rows = _parts(text)
            for path in TREE:
                for name in filter(None, path.split('/')):
                    tap.expect(name not in text, name)
            names = [row.split(' ')[1] for row in rows[1:]]
            tap.expect(all(re.fullmatch('h-[0-9a-f]{16}', name) for name in names), names)
            seen.update(names)
            tap.equal([row.split(' ', 2)[::2] for row in rows],
                      [row.split(' ', 2)[::2] for row in _parts(_capture(top, '--names').stdout)[1]])
        tap.equal(len(seen), 8, 'a key is used twice')


def the_same_name_has_another_hash_elsewhere():
    with tap.directory() as top:
        for path in ('', 'a', 'a/init.scope', 'b', 'b/init.scope'):
            _write(os.path.join(top, path, 'memory.numa_stat'), _v1_numa({}))
        _, rows = _parts(_capture(top).stdout)
        tap.equal(len({row.split(' ')[1] for row in rows}), 5)


def what_cannot_be_read_is_counted_and_said():
    with tap.directory() as top:
        _save_v1(top)
        os.unlink(f'{top}/system.slice/memory.stat')
        os.unlink(f'{top}/user.slice/memory.numa_stat')
        _write(f'{top}/system.slice/dbus.service/memory.numa_stat', 'total=1 N0=\n')
        os.unlink(f'{top}/system.slice/a b.service/memory.numa_stat')
        os.unlink(f'{top}/system.slice/a b.service/memory.stat')
        os.unlink(f'{top}/cgroups')
        os.mkdir(f'{top}/empty')
        _write(f'{top}/empty/memory.numa_stat', '')
        result = _capture(top, '--names')
        head, rows = _parts(result.stdout)
        tap.equal({k: head[k] for k in ('unreadable', 'without-nodes', 'without-lists', 'dying')},
                  {'unreadable': '3', 'without-nodes': '1', 'without-lists': '1', 'dying': 'unknown'})
        tap.equal(rows[1:], [
            '1 empty 0',
            '1 system.slice 0 N0=3,0,7,0,5 N8=9,0,5,0,1',
            '2 a%20b.service 0', '2 dbus.service 0',
            '1 user.slice 0 N0=0,0,9,0,0'])
        tap.contains(result.stderr, 'memcgbench: 3 cgroups could not be read: there without pages\n')
        tap.contains(result.stderr, 'memcgbench: the first that could not be read: memory.numa_stat: '
                     'empty (tar copies such files without what is in them)\n')


def counters_that_moved_are_cut_at_zero_and_counted():
    with tap.directory() as top:
        _save_v2(top)
        path = f'{top}/system.slice/a b.service/memory.numa_stat'
        with open(path, encoding='utf-8') as file:
            text = file.read()
        _write(path, text.replace(f'N8={300 * 4096}', f'N8={999 * 4096}'))
        head, rows = _parts(_capture(top, '--names').stdout)
        tap.equal(head['negative'], '1')
        tap.equal(rows[1:3], ['1 system.slice 3 N0=1,2,3,4,5 N8=5,0,3,2,1',
                              '2 a%20b.service 0 N8=100,999,0,0,7'])


def directories_without_the_controller_are_no_memcgs():
    with tap.directory() as top:
        _save_v2(top)
        _write(f'{top}/off/cgroup.stat', 'nr_descendants 1\n')
        _write(f'{top}/off/deeper/cgroup.stat', 'nr_descendants 0\n')
        result = _capture(top)
        tap.equal(_parts(result.stdout)[0]['memcgs'], '4')
        tap.contains(result.stderr, '1 directories without the memory controller')


def a_top_without_files_has_what_is_known_below_it():
    with tap.directory() as top:
        _save_v2(top)
        os.unlink(f'{top}/memory.numa_stat')
        head, rows = _parts(_capture(top, '--names', '--cgroup-version', '2').stdout)
        tap.equal((head['unreadable'], head['negative']), ('1', '0'))
        tap.equal(rows[0], '0 . 0')
        tap.equal(rows[2], '2 a%20b.service 0 N8=100,300,0,0,7')


def links_and_pipes_are_not_followed():
    with tap.directory() as top:
        _save_v1(f'{top}/copy')
        _save_v1(f'{top}/elsewhere')
        os.symlink(f'{top}/elsewhere', f'{top}/copy/link')
        os.unlink(f'{top}/copy/user.slice/memory.numa_stat')
        os.symlink(f'{top}/elsewhere/memory.numa_stat', f'{top}/copy/user.slice/memory.numa_stat')
        os.mkfifo(f'{top}/copy/system.slice/memory.numa_stat.x')
        os.unlink(f'{top}/copy/system.slice/dbus.service/memory.numa_stat')
        os.mkfifo(f'{top}/copy/system.slice/dbus.service/memory.numa_stat')
        head, _ = _parts(_capture(f'{top}/copy').stdout)
        tap.equal((head['memcgs'], head['unreadable']), ('4', '2'))


def a_part_of_the_tree_is_captured_by_its_path():
    with tap.directory() as top:
        _save_v1(top)
        head, rows = _parts(_capture(top, '--cgroup', '/system.slice', '--names').stdout)
        tap.equal((head['memcgs'], head['dying']), ('2', 'unknown'))
        tap.equal(rows[0], '0 . 0 N0=2,1,4,3,5 N8=4,5,2,3,1')
        for path in ('..', 'system.slice/../..', 'nix'):
            result = tap.run('capture', '--from', top, '--cgroup', path)
            tap.equal(result.returncode, 2, path)
            tap.contains(result.stderr, '--cgroup: ')


def depth_costs_no_descriptors():
    with tap.directory() as top:
        path = top
        for _ in range(300):
            _write(f'{path}/memory.numa_stat', _v1_numa({0: (1, 0, 0, 0, 0)}))
            path += '/d'
        old = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, old[1]))
        try:
            head, rows = _parts(_capture(top).stdout)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, old)
        tap.equal((head['memcgs'], rows[-1].split(' ')[0]), ('299', '299'))


def nothing_recognised_is_exit_code_2():
    with tap.directory() as top:
        os.makedirs(f'{top}/a/b')
        result = tap.run('capture', '--from', top)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, '(--cgroup-version)')
        for version in ('1', '2'):
            result = tap.run('capture', '--from', top, '--cgroup-version', version)
            tap.equal((result.returncode, result.stdout), (2, ''))
            tap.contains(result.stderr, 'no memory cgroup can be read here')
        tap.equal(tap.run('capture', '--from', f'{top}/nix').returncode, 2)


def a_machine_without_memory_hierarchy_is_exit_code_3():
    with tap.directory() as top:
        _write(f'{top}/mounts', '35 31 0:32 / / rw - ext4 /dev/x rw\n')
        result = tap.run('capture', '--mounts', f'{top}/mounts')
        tap.equal((result.returncode, result.stdout), (3, ''))


def wrong_usage_is_exit_code_2():
    for args in (['--force'], ['--page-size', '4096'], ['--from', '.', '--page-size', '5000'],
                 ['--from', '.', '--cgroup-version', '3'], ['-o', 'a b'], ['-o', 'x/'], ['x'],
                 ['--from', '.', '--mounts', '/proc/self/mountinfo'], ['--cgroup-version', '1']):
        result = tap.run('capture', *args)
        tap.equal((result.returncode, result.stdout), (2, ''), args)


def output_is_a_tree_and_a_scenario_and_replaces_nothing_unasked():
    with tap.directory() as directory:
        _save_v1(f'{directory}/copy')
        command = ('capture', '--from', 'copy', '-o', 'Web-1.x')
        result = tap.run(*command, cwd=directory)
        tap.equal((result.returncode, result.stdout), (0, ''), result.stderr)
        tap.equal(sorted(os.listdir(directory)), ['Web-1.x.tree', 'Web-1.x.yaml', 'copy'])
        with open(f'{directory}/Web-1.x.yaml', encoding='utf-8') as file:
            tap.equal([line for line in file.read().splitlines() if line[0] != '#'], [
                'name: web-1_x', 'title: A captured tree of 4 memcgs',
                'tree: {shape: captured, file: "Web-1.x.tree"}',
                'machine: {nodes: 2, node_ids: "0,8", cpus: 72}',
                'read: {file: memory.numa_stat, version: v1}', 'backends: [walk, cached]'])
        os.unlink(f'{directory}/Web-1.x.tree')
        result = tap.run(*command, cwd=directory)
        tap.equal(result.returncode, 2)
        tap.contains(result.stderr, 'Web-1.x.yaml: is there already (--force replaces it)')
        tap.equal(sorted(os.listdir(directory)), ['Web-1.x.yaml', 'copy'])
        tap.equal(tap.run(*command, '--force', cwd=directory).returncode, 0)


def _replay(save):
    with tap.directory() as directory:
        save(f'{directory}/copy')
        result = tap.run('capture', '--from', 'copy', '-o', 'web', cwd=directory)
        tap.equal(result.returncode, 0, result.stderr)
        fewer = ('--set', 'machine.cpus=4')
        result = tap.run('plan', 'web.yaml', '--format', 'json', cwd=directory)
        tap.equal(result.returncode, 0, result.stderr)
        point = json.loads(result.stdout)['points'][0]
        for command in (('check', 'web.yaml', *fewer),
                        ('run', 'web.yaml', '--quick', '--no-lock', '--out', 'run', *fewer)):
            result = tap.run(*command, cwd=directory)
            tap.equal(result.returncode, 0, result.stdout + result.stderr)
        return point


def what_is_captured_of_v1_is_planned_checked_and_run():
    point = _replay(_save_v1)
    tap.equal((point['visible'], point['dying']), (4, 7))
    tap.equal(point['parameters']['machine.cpus'], 72)


def what_is_captured_of_v2_is_planned_checked_and_run():
    point = _replay(_save_v2)
    tap.equal((point['visible'], point['dying']), (4, 6))
    tap.equal(point['parameters']['read.version'], 'v2')


def pages_are_of_the_size_of_the_machine_that_they_were_saved_on():
    with tap.directory() as top:
        _save_v2(top)
        head, rows = _parts(_capture(top, '--page-size', '2KiB', '--names').stdout)
        tap.equal(head['page-size'], '2048')
        tap.equal(rows[0], '0 . 2 N0=20,40,60,80,100')


def this_machine_is_captured_without_a_trace():
    result = tap.run('capture')
    if result.returncode == 3:
        raise tap.Skip(result.stderr.strip())
    tap.equal(result.returncode, 0, result.stderr)
    head, rows = _parts(result.stdout)
    tap.equal(len(rows), int(head['memcgs']) + 1)


tap.main(globals())
