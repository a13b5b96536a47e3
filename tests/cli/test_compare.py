# SPDX-License-Identifier: MIT
"""test_compare.py PROGRAM MAKE_RUN: memcgbench compare, on runs that nobody measured."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import made_record as made
import tap

MAKE_RUN = os.path.abspath(sys.argv[2])
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'compare')
LONG = ('kernel', 'kernel-userwalk', 'kernel-bpfwalk')
NEW = {'build_id': '0.2.0-new', 'started_at': '2026-11-30T15:43:00Z'}


def _slower_when_cold(backend, parameters):
    return 1.12 if backend == 'cached' and parameters.get('read.cache') == 'cold' else 1


def _pair(directory, base=None, new=None):
    """Files of two records: those given, or runs of which the new one reads slower when cold."""
    base = base or made.sweep()
    new = new or made.sweep(_slower_when_cold, seed=2, **NEW)
    return (made.write(f'{directory}/base.json', base), made.write(f'{directory}/new.json', new))


def _compare(*args, base=None, new=None, code=None):
    """Compare two records, in the directory where they lie, so that no path of this test shows."""
    with tap.directory() as directory:
        _pair(directory, base, new)
        result = tap.run('compare', 'base.json', 'new.json', *args, cwd=directory)
    if code is not None:
        tap.equal(result.returncode, code, result.stdout + result.stderr)
    return result


def _json(*args, base=None, new=None, code=None):
    return json.loads(_compare('--format', 'json', *args, base=base, new=new, code=code).stdout)


def _golden(name, text):
    path = f'{GOLDEN}/{name}'
    with open(path, encoding='utf-8') as file:
        wanted = file.read()
    if text != wanted:
        with open(f'{name}.actual', 'w', encoding='utf-8') as file:
            file.write(text)
    tap.expect(text == wanted, f'differs from {path}: see {os.path.abspath(name)}.actual')


def _narrow(text, columns):
    for line in text.splitlines():
        tap.expect(len(line) <= columns, f'{len(line)} columns: {line}')
        tap.equal(line, line.rstrip(), 'blanks at the end')


def table_markdown_and_cover_letter_are_as_they_were():
    for form in ('table', 'markdown', 'cover'):
        result = _compare('--format', form, code=1)
        tap.equal(result.stderr, '', form)
        _golden(f'{form}.txt', result.stdout)


def a_gate_that_failed_is_as_it_was():
    new = made.sweep(lambda backend, parameters: 1.5 if backend == 'cached' else 1, seed=2, **NEW)
    new['points'][0]['results'][0]['counts']['atomics'] = 31
    new['points'][0]['results'][0]['cells_beyond_bound'] = 2
    _golden('gate.txt', _compare('--gate', new=new, code=1).stdout)
    for form in ('table', 'markdown'):
        tap.contains(_compare('--gate', '--format', form, new=new, code=1).stdout,
                     'Wall times, which on a shared machine are advice:\n')


def a_gate_says_which_ratios_cannot_fail():
    base, new = made.sweep(processes=6), made.sweep(seed=2, processes=6, **NEW)
    for form in ('table', 'markdown'):
        text = ' '.join(_compare('--gate', '--format', form, base=base, new=new, code=0).stdout.split())
        tap.expect('could not fail' not in text, text)
    base, new = made.sweep(processes=3), made.sweep(seed=2, processes=3, **NEW)
    for form in ('table', 'markdown'):
        text = ' '.join(_compare('--gate', '--format', form, base=base, new=new, code=0).stdout.split())
        tap.contains(text, '8 of 8 ratios could not fail alone: too few processes (6 on each side are enough)')


def the_verdict_comes_first_and_names_what_changed_points_share():
    text = _compare(code=1).stdout
    tap.contains('\n'.join(text.splitlines()[:5]),
                 'worse at all 4 points with read.cache cold: +12 %')


def few_changed_points_are_named():
    new = made.sweep(lambda b, p: 1.5 if b == 'walk' and p['tree.memcgs'] == 1000 else 1, seed=2,
                     caches=('hot',), **NEW)
    tap.contains(_compare(base=made.sweep(caches=('hot',)), new=new, code=1).stdout,
                 'worse at 1 of 4 points: +50 % (tree.memcgs 1k)')


def exit_codes_tell_regressions_from_trouble():
    for factor, code in ((1, 0), (1.2, 1), (0.8, 0), (1.01, 0)):
        new = made.sweep(lambda b, p, f=factor: f, seed=2, **NEW)
        _compare(new=new, code=code)
    for args in ([], ['a'], ['a', 'b', 'c'], ['--metric', 'p42', 'a', 'b'],
                 ['--min-effect', '3', 'a', 'b'], ['--min-effect', '-3%', 'a', 'b'],
                 ['--alpha', '0', 'a', 'b'], ['--alpha', '1', 'a', 'b'],
                 ['--alpha', 'nan', 'a', 'b'], ['--alpha', '0.05.5', 'a', 'b'],
                 ['--format', 'svg', 'a', 'b'], ['--format', 'json,tsv', 'a', 'b']):
        result = tap.run('compare', *args)
        tap.equal((result.returncode, result.stdout), (2, ''), args)
        tap.expect(result.stderr, args)
    result = tap.run('compare', '/nonexistent-a', '/nonexistent-b')
    tap.equal(result.returncode, 2)
    tap.contains(result.stderr, '/nonexistent-a')
    tap.contains(result.stderr, '/nonexistent-b')


def the_least_effect_and_alpha_decide():
    new = made.sweep(lambda b, p: 1.12, seed=2, **NEW)
    _compare('--min-effect', '20%', new=new, code=0)
    _compare('--min-effect', '5%', new=new, code=1)
    _compare('--alpha', '0.000001', new=new, code=0)


def classes_of_hosts_are_refused_by_name_but_for_a_gate():
    new = made.sweep(seed=2, host_class='Another CPU, 2 sockets', **NEW)
    result = _compare(new=new, code=2)
    tap.equal(result.stdout, '')
    for part in (made.HOST, 'Another CPU, 2 sockets', 'base.json', 'new.json'):
        tap.contains(result.stderr, part)
    for form in ('table', 'markdown', 'cover', 'tsv', 'json'):
        _compare('--gate', '--format', form, new=new, code=0)
    document = _json('--gate', new=new, code=0)
    tap.equal((document['comparisons'], document['ratios'], document['same_class']),
              ([], [], False))
    new['points'][3]['results'][1]['counts']['loads_local'] += 1
    document = _json('--gate', new=new, code=1)
    tap.equal([f['fault'] for f in document['failures']], ['count'])


def what_one_side_has_is_listed_and_nothing_common_is_trouble():
    base, new = made.sweep(memcgs=(10, 100)), made.sweep(memcgs=(100, 1000), seed=2, **NEW)
    text = _compare(base=base, new=new, code=0).stdout
    tap.contains(text, 'Only in base, and not compared: 4\n')
    tap.contains(text, 'Only in new, and not compared: 4\n')
    tap.contains(text, 'walk at tree.memcgs 10, read.cache hot')
    document = _json(base=base, new=new)
    tap.equal(sorted(u['side'] for u in document['unmatched']), ['base'] * 4 + ['new'] * 4)
    tap.equal(len(document['comparisons']), 4)
    for backends in (('cached',), ('walk',)):
        base = made.sweep(backends=backends)
        new = made.sweep(backends=[b for b in ('walk', 'cached') if b not in backends])
        result = _compare(base=base, new=new, code=2)
        tap.equal(result.stdout, '')
        tap.contains(result.stderr, 'no point and back end is on both sides')
        tap.contains(result.stderr, 'walk')
        tap.contains(result.stderr, 'cached')


def too_few_or_too_noisy_processes_are_said_to_need_more():
    base, new = made.sweep(processes=3), made.sweep(processes=3, seed=2, **NEW)
    document = _json(base=base, new=new, code=0)
    for comparison in document['comparisons']:
        tap.equal(comparison['verdict'], 'undecided')
        tap.expect(comparison['needed'] >= 1, comparison)
        tap.equal((comparison['base']['low'], comparison['factor']['low']), (None, None))
    text = _compare(base=base, new=new).stdout
    tap.expect(re.search(r'~ +- +\d\.\d+ +need \d+\n', text), text)
    tap.contains(text, 'NO CHANGE SHOWN')
    tap.contains(text, 'fewer than 6 processes')


def processes_that_differ_in_number_are_counted_in_every_row():
    new = made.sweep(processes=8, seed=2, **NEW)
    tap.contains(_compare(new=new, code=0).stdout, '10 + 8 processes in every row')
    result = new['points'][0]['results'][0]
    result['repetitions'] = [1, 2, 3, 4, 5, 6]
    result['values'] = {metric: values[:6] for metric, values in result['values'].items()}
    text = _compare(new=new, code=0).stdout
    tap.equal(len(re.findall(r' 10\+8$', text, re.MULTILINE)), 15 + 7)
    tap.equal(len(re.findall(r' 10\+6$', text, re.MULTILINE)), 1 + 1)
    tap.contains(_compare('--format', 'cover', new=new).stdout, ' 10+6 ')


def pairs_of_ratios_are_counted_where_they_are_fewer():
    new = made.sweep(processes=9, seed=2, **NEW)
    for point in new['points']:
        point['results'][1]['repetitions'] = list(range(2, 11))
    text = _compare(new=new, code=0).stdout
    tap.contains(text, '10 + 9 processes in every row')
    tap.equal(len(re.findall(r' 10\+8$', text, re.MULTILINE)), 8)


def every_metric_is_compared_in_its_own_direction():
    base, new = made.sweep(), made.sweep(seed=2, **NEW)
    for record, factor in ((base, 1), (new, 1.5)):
        for point in record['points']:
            for result in point['results']:
                values = result['values']
                values['update'] = [v * factor for v in values['update']]
                values['mean'] = [1e5 / factor] * 10
                values['rate'] = [1e4 * factor] * 10
                values['error'] = [0 if factor == 1 else 7] * 10
    for metric, code, change in (('update', 1, 0.5), ('rate', 0, 0.5), ('error', 1, None)):
        document = _json('--metric', metric, base=base, new=new, code=code)
        for comparison in document['comparisons']:
            found = comparison['change']
            tap.expect(found is None if change is None else abs(found - change) < 0.05, metric)
        _narrow(_compare('--metric', metric, base=base, new=new).stdout, 80)
        _narrow(_compare('--metric', metric, '--format', 'cover', base=base, new=new).stdout, 72)
    document = _json('--metric', 'p99', base=base, new=new, code=0)
    tap.equal({c['verdict'] for c in document['comparisons']}, {'no_data'})
    tap.contains(_compare('--metric', 'p99', base=base, new=new).stdout, 'NO DATA')


def help_names_every_metric():
    known = re.search(r'\((.*)\)', tap.run('compare', '--metric', '?', 'a', 'b').stderr)[1]
    text = ' '.join(tap.run('compare', '--help').stdout.split())
    tap.contains(text, known.replace('p50,', 'p50 (default),'))


def tsv_has_a_line_for_each_comparison_and_each_ratio():
    text = _compare('--format', 'tsv', code=1).stdout
    lines = [line.split('\t') for line in text.splitlines()]
    tap.equal({len(line) for line in lines}, {len(lines[0])})
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    document = _json(code=1)
    items = document['comparisons'] + document['ratios']
    tap.equal(len(rows), len(items))
    for row, item in zip(rows, items):
        tap.equal((row['id'], row['backend'], row['verdict']),
                  (item['id'], item['backend'], item['verdict']))
        tap.expect(abs(float(row['factor_estimate']) - item['factor']['estimate']) < 1e-9, row)
        tap.equal(row['other'], item['other'] or '')
        tap.expect(row['tree.memcgs'] and row['read.cache'] in ('hot', 'cold'), row)


def the_document_says_everything_that_was_worked_out():
    document = _json(code=1)
    tap.equal(document['schema'], {'name': 'memcgbench-compare', 'version': 1})
    tap.equal(document['metric'], {'name': 'p50', 'title': 'median of a read', 'unit': 'ns',
                                   'better': 'lower'})
    tap.equal((document['alpha'], document['min_effect'], document['gate'], document['worse']),
              (0.05, 0.03, False, True))
    tap.equal((document['base']['build_id'], document['new']['build_id']),
              ('0.2.0-base', '0.2.0-new'))
    tap.equal(document['counts'], {'pairs': 16, 'differences': []})
    tap.equal(document['failures'], None)
    tap.equal([(f['backend'], f['parameter'], f['value'], f['changed'], f['points'])
               for f in document['families']], [('cached', 'read.cache', 'cold', 4, 4)])
    worse = [c for c in document['comparisons'] if c['verdict'] == 'regression']
    tap.equal(len(worse), 4)
    for comparison in worse:
        tap.expect(comparison['q'] < 0.05 and comparison['exact'], comparison)
        tap.expect(comparison['factor']['low'] <= 1.12 <= comparison['factor']['high'] or
                   abs(comparison['factor']['estimate'] - 1.12) < 0.02, comparison)
    tap.equal({r['cause'] for r in document['ratios'] if r['verdict'] == 'regression'}, {'cached'})


def no_table_is_wider_than_its_place_whatever_the_names():
    many = tuple(f'{name}-{number}' for name in LONG for number in range(3))
    kinds = {
        'long names': {'backends': LONG},
        'many back ends': {'backends': many, 'memcgs': (10, 4000000)},
        'one point': {'memcgs': (10000,), 'caches': ('hot',)},
        'few processes': {'processes': 2, 'backends': LONG},
        'noise': {'spread': 1.5, 'backends': LONG},
        'a long label': {'label': 'x' * 200, 'build_id': '0.2.0+' + 'f' * 120},
        'umlauts': {'label': 'ä' * 150, 'title': 'Größe \u2026 ' * 20},
        'no update': {'update': False},
    }
    for kind, changes in kinds.items():
        for factor in (1, 0.02, 5000):
            base = made.sweep(**changes)
            new = made.sweep(lambda b, p, f=factor: f, seed=2, **dict(NEW, **changes))
            cover = _compare('--format', 'cover', base=base, new=new)
            _narrow(cover.stdout, 72)
            tap.contains(cover.stdout, 'memcgbench run')
            table = _compare(base=base, new=new).stdout
            for line in table.splitlines():
                tap.expect(len(line) <= 80, kind, line)
            for row in _compare('--format', 'markdown', base=base, new=new).stdout.splitlines():
                tap.expect(not row.startswith('|') or row.endswith(' |'), row)


def a_cover_letter_of_many_points_shows_what_changed_and_says_how_much_it_leaves_out():
    sweep = dict(memcgs=range(10, 110), caches=['hot'], update=False)
    base = made.sweep(**sweep)
    new = made.sweep(lambda backend, p: 1.5 if p['tree.memcgs'] == 100 else 1, seed=2, **sweep)
    text = _compare('--format', 'cover', base=base, new=dict(new, **NEW)).stdout
    tap.contains(text, '\n  and 140 more rows, none of them changed; ')
    assert sum(bool(re.match(r' +100 .* [+]5[0-9]', line)) for line in text.splitlines()) == 2
    new = made.sweep(lambda *_: 1.5, seed=2, **sweep)
    text = _compare('--format', 'cover', base=base, new=dict(new, **NEW)).stdout
    tap.contains(text, '\n  and 140 more rows, 140 of them changed; ')


def a_cover_letter_speaks_of_many_nodes_and_of_dying_memcgs():
    points = []
    for nodes in (1, 2, 8, 64):
        for dying in (0, 500000):
            parameters = {'tree.memcgs': 12345, 'machine.nodes': nodes, 'machine.cpus': 144}
            lines = dict(parameters)
            if dying:
                parameters['tree.dying'] = 0.5
                lines['tree.dying'] = '0.5'
            point = made.point(parameters, made.result('walk', made.sample(1e8, 0.01, 10, nodes)))
            point['id'] = made.point_id({k: v for k, v in lines.items() if v != 1 or
                                         k != 'machine.nodes'})
            points.append(point)
    text = _compare('--format', 'cover', base=made.record(points),
                    new=made.record(points, **NEW), code=0).stdout
    _narrow(text, 72)
    flat = ' '.join(text.split())
    for part in ('N=1 nodes, C=144 possible CPUs', 'N=64 nodes, C=144 possible CPUs',
                 '12345 + 0 (D=5)', '6173 + 6172 (D=5)', 'batch B=32', 'kernel 6.1.0-base',
                 'machine: {nodes: [1, 2, 8, 64], cpus: 144}', 'tree: {memcgs: 12345, dying: [0%, 50%]}',
                 'memory.numa_stat'):
        tap.contains(flat, part)


def _planned(cover):
    """What the command of a cover letter would measure, copied to a place that has no scenario."""
    command = cover[cover.index('  echo'):cover.index('  memcgbench compare')]
    tap.contains(command, 'memcgbench run - --seed 1 --out DIR\n')
    with tap.directory() as directory:
        result = subprocess.run(['sh', '-c', command.replace('memcgbench run', '"$0" plan --format json').replace(
            ' --seed 1 --out DIR', ''), tap.PROGRAM], cwd=directory, capture_output=True, text=True, check=False,
            env=tap.environment(), stdin=subprocess.DEVNULL, timeout=60)
    tap.equal((result.returncode, result.stderr), (0, ''), command)
    return json.loads(result.stdout)


def _many(values):
    """A record with points of these parameters, some of which may be the default."""
    defaults = {'machine.nodes': 1, 'machine.cpus': 1, 'read.cache': 'hot', 'counters.spread.nodes': 1}
    points = []
    for parameters in values:
        point = made.point(parameters, made.result('walk', made.sample(1e5, 0.01, 10, 1)),
                           made.result('cached', made.sample(1e3, 0.01, 10, 2)))
        lowered = dict(defaults, **{'counters.spread.cpus': min(2, parameters.get('machine.cpus', 1))})
        point['id'] = made.point_id({k: v for k, v in parameters.items() if v != lowered.get(k)})
        points.append(point)
    return made.record(points)


def the_command_of_a_cover_letter_makes_the_same_points_anywhere():
    both = {'tree.memcgs': 10, 'machine.nodes': 2, 'machine.cpus': 72}
    for values in (
            [dict(both, **{'counters.batch': 64, 'tree.memcgs': m}) for m in (10, 2500)],
            [dict(both, **{'machine.nodes': n, 'machine.cpus': c, 'read.cache': r})
             for n, c in ((1, 36), (2, 72)) for r in ('hot', 'cold')],
            [dict(both, **{'machine.cpus': c, 'counters.spread.cpus': min(c, 2)}) for c in (1, 2, 9)],
            [dict(both, **{'counters.spread.cpus': s, 'counters.spread.nodes': 2}) for s in (3, 4)],
            [dict(both, **{'machine.node_ids': i}) for i in ('0,8', '3,252')],
            [dict(both, **{'tree.memcgs': m}) for m in range(1, 60)]):
        base = _many(values)
        cover = _compare('--format', 'cover', base=base, new=dict(base, **NEW)).stdout
        _narrow(cover, 72)
        plan = _planned(cover)
        tap.equal(sorted(point['id'] for point in plan['points']), sorted(p['id'] for p in base['points']), values)
        tap.equal([b['backend'] for b in plan['points'][0]['backends']], ['walk', 'cached'])
        tap.equal(plan['repetitions'], 10)


def a_cover_letter_says_no_command_that_makes_other_points():
    base = _many([{'tree.memcgs': 10, 'machine.cpus': 72}, {'tree.memcgs': 100, 'machine.cpus': 36}])
    cover = _compare('--format', 'cover', base=base, new=dict(base, **NEW)).stdout
    tap.contains(cover, 'memcgbench run SCENARIO --repetitions 10 --seed 1 --out DIR\n')


def a_gate_fails_on_what_is_robust_and_passes_a_slower_machine():
    for seed in range(3, 8):
        _compare('--gate', new=made.sweep(seed=seed, **NEW), code=0)
    _compare('--gate', new=made.sweep(lambda b, p: 1.9, seed=2, **NEW), code=0)
    _compare('--gate', new=made.sweep(_slower_when_cold, seed=2, **NEW), code=0)
    _compare('--gate', '--min-effect', '5%', code=1)
    faster = made.sweep(lambda b, p: 0.5 if b == 'cached' else 1, seed=2, **NEW)
    _compare('--gate', new=faster, code=0)
    document = _json('--gate', new=made.sweep(lambda b, p: 1.6 if b == 'cached' else 1.1, seed=2,
                                              **NEW), code=1)
    tap.equal({(f['fault'], f['backend']) for f in document['failures']}, {('ratio', 'cached')})
    tap.equal(len(document['failures']), 8)


def a_gate_fails_on_errors_and_counts_of_the_new_run():
    for change, fault in (({'cells_beyond_bound': 1}, 'beyond_bound'),
                          ({'counts_differ': True}, 'unstable_counts')):
        new = made.sweep(seed=2, **NEW)
        new['points'][2]['results'][1].update(change)
        document = _json('--gate', new=new, code=1)
        tap.equal([(f['fault'], f['backend'], f['id']) for f in document['failures']],
                  [(fault, 'cached', new['points'][2]['id'])])
        _json(new=new, code=0)


def a_count_that_one_side_does_not_know_is_no_number_anywhere():
    new = made.sweep(seed=2, **NEW)
    for name in ('atomics', 'bytes_touched'):
        new['points'][2]['results'][1]['counts'][name] = None
    document = _json('--gate', new=new, code=1)
    tap.equal([(d['name'], d['base'], d['new']) for d in document['counts']['differences']],
              [('atomics', 30, None), ('bytes_touched', 34176, None)])
    tap.equal({f['fault'] for f in document['failures']}, {'count'})
    for form in ('table', 'markdown'):
        text = _compare('--gate', '--format', form, new=new, code=1).stdout
        tap.expect('18446744073709551615' not in text, text)
        tap.contains(text, 'atomics was 30 and is unknown')
    known = _json(base=new, new=made.sweep(seed=3, **NEW))
    tap.equal([(d['base'], d['new']) for d in known['counts']['differences']],
              [(None, 30), (None, 34176)])
    both = _json('--gate', base=new, new=new, code=0)
    tap.equal(both['counts'], {'pairs': 16, 'differences': []})


def failed_repetitions_are_said():
    new = made.sweep(seed=2, processes=8, **NEW)
    new['points'][1]['results'][0]['failed'] = 2
    text = _compare(new=new, code=0).stdout
    tap.contains(text, 'Failed repetitions: 2\n')
    tap.contains(text, ': 2 in new')


def doubt_about_the_runs_is_said():
    late = dict(NEW, started_at='2026-12-01T15:43:00Z')
    tap.contains(_compare(new=made.sweep(seed=2, **late)).stdout, 'more than an hour apart')
    tap.expect('an hour apart' not in _compare().stdout)
    same = made.sweep(seed=2, started_at='2026-11-30T15:43:00Z')
    tap.contains(' '.join(_compare(new=same).stdout.split()), 'what differs is noise')
    other = dict(NEW, context={'kernel': '6.1.0-new', 'cpu_model': 'Example CPU 2.0 GHz'})
    tap.contains(' '.join(_compare(new=made.sweep(seed=2, **other)).stdout.split()),
                 'both build and kernel differ')


def _digest(directory):
    found = {}
    for path, _, names in os.walk(directory):
        for name in names:
            full = os.path.join(path, name)
            with open(full, 'rb') as file:
                found[full] = (hashlib.sha256(file.read()).hexdigest(), os.stat(full).st_mtime_ns)
        found[path] = os.stat(path).st_mtime_ns
    return found


def _run_directory(path):
    done = subprocess.run([MAKE_RUN, path, 'single'], capture_output=True, text=True, timeout=60)
    tap.equal((done.returncode, done.stderr), (0, ''))
    return path


def nothing_that_is_compared_is_ever_modified():
    with tap.directory() as directory:
        base, new = _run_directory(f'{directory}/base'), _run_directory(f'{directory}/new')
        before = _digest(directory)
        for form in ('table', 'json', 'tsv', 'markdown', 'cover'):
            for more in ([], ['--gate'], ['--keep-going']):
                result = tap.run('compare', base, new, '--format', form, *more, cwd=directory)
                tap.equal((result.returncode, result.stderr), (0, ''), form)
        tap.equal(_digest(directory), before)


def _damage_truncated(path):
    with open(path, 'r+b') as file:
        file.truncate(os.path.getsize(path) // 2)


def _damage_foreign(path):
    with open(path, 'w', encoding='ascii') as file:
        file.write('{"benchmarks": []}\n')


def _edit(path, change):
    with open(path, encoding='utf-8') as file:
        document = json.load(file)
    change(document)
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(document, file, indent=1)


def _damage_newer(path):
    _edit(path, lambda document: document['schema'].update(version=99))


def _damage_by_hand(path):
    _edit(path, lambda document: document.update(backend='cached'))


def every_faulty_file_is_named_and_the_rest_compared_on_demand():
    damages = (_damage_truncated, _damage_foreign, _damage_newer, _damage_by_hand)
    with tap.directory() as directory:
        base, new = _run_directory(f'{directory}/base'), _run_directory(f'{directory}/new')
        names = sorted(n for n in os.listdir(new) if '.walk.' in n)
        for name, damage in zip(names, damages):
            damage(f'{new}/{name}')
        before = _digest(directory)
        result = tap.run('compare', base, new)
        tap.equal((result.returncode, result.stdout), (2, ''))
        for name in names[:4]:
            tap.contains(result.stderr, name)
        result = tap.run('compare', base, new, '--keep-going', '--format', 'json')
        tap.equal(result.returncode, 0, result.stderr)
        for name in names[:4]:
            tap.contains(result.stderr, name)
        walk = json.loads(result.stdout)['comparisons'][0]
        tap.equal((walk['base']['processes'], walk['new']['processes']), (10, 6))
        tap.contains(result.stderr, 'the 4 faults above were passed over')
        tap.equal(_digest(directory), before)


def where_nothing_is_left_keep_going_is_trouble():
    with tap.directory() as directory:
        base, new = _run_directory(f'{directory}/base'), _run_directory(f'{directory}/new')
        for name in os.listdir(new):
            _damage_foreign(f'{new}/{name}')
        result = tap.run('compare', base, new, '--keep-going')
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, new)
        shutil.rmtree(new)
        os.mkdir(new)
        result = tap.run('compare', base, new, '--keep-going')
        tap.equal((result.returncode, result.stdout), (2, ''))


def a_pipe_gets_what_a_terminal_gets_and_a_full_disk_is_trouble():
    with tap.directory() as directory:
        base, new = _pair(directory)
        plain = tap.run('compare', base, new)
        coloured = tap.run('compare', base, new, env=tap.environment(NO_COLOR='1', TERM='dumb'))
        tap.equal(plain.stdout, coloured.stdout)
        tap.expect('\033' not in plain.stdout)
        for form in ('table', 'json', 'tsv', 'markdown', 'cover'):
            with open('/dev/full', 'w', encoding='ascii') as full:
                result = tap.run('compare', base, new, '--format', form, stdout=full)
            tap.equal(result.returncode, 2, form)
            tap.contains(result.stderr, 'cannot write to standard output')


def texts_of_others_cannot_break_lines_or_tables():
    hostile = dict(NEW, label='a\x1b[31mb|c', title='x\ny | <b>&', build_id='b|\tc')
    new = made.sweep(_slower_when_cold, seed=2, **hostile)
    for form in ('table', 'markdown', 'cover', 'tsv'):
        result = _compare('--format', form, new=new)
        if result.returncode == 2:
            continue  # refused as a record: also fine
        tap.expect('\033' not in result.stdout, form)


tap.main(globals())
