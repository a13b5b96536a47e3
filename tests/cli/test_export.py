# SPDX-License-Identifier: MIT
"""memcgbench export: runs that were never measured, read by other tools and by independent parsers."""
import csv
import hashlib
import io
import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys

import tap

MAKE_RUN = os.path.abspath(sys.argv[2])
COMPARE = '/usr/share/benchmark/compare.py'
HOST_CLASS = 'Example CPU 2.0 GHz, 1 socket, 1 node, 2 CPUs, virtual, cgroup v1'


def _make(directory, kind, name=None):
    run = os.path.join(directory, name or kind)
    subprocess.run([MAKE_RUN, run, kind], check=True, stdin=subprocess.DEVNULL)
    return run


def _change(run, pattern, change):
    """Let `change` edit each result whose name matches."""
    for name in sorted(os.listdir(run)):
        if not re.search(pattern, name) or name == 'run.json':
            continue
        with open(f'{run}/{name}', encoding='utf-8') as file:
            result = json.load(file)
        change(result)
        with open(f'{run}/{name}', 'w', encoding='utf-8') as file:
            json.dump(result, file)


def _results(run, backend):
    """The results of a back end by (point, repetition)."""
    found = {}
    for name in os.listdir(run):
        if name != 'run.json' and f'.{backend}.' in name:
            with open(f'{run}/{name}', encoding='utf-8') as file:
                result = json.load(file)
            found[result['point']['id'], result['repetition']] = result
    return found


def _fail(result):
    for key in list(result):
        if key not in ('schema', 'scenario', 'title', 'point', 'backend', 'repetition', 'host_class', 'build'):
            del result[key]
    result.update(status='failed', reason='out of memory, "really",\nat 3 o\'clock')


def _strict(text):
    """JSON that every parser reads: no NaN, no key twice."""
    def pairs(items):
        keys = [key for key, _ in items]
        tap.equal(len(keys), len(set(keys)), f'a key is there twice: {keys}')
        return dict(items)

    def constant(name):
        raise AssertionError(f'{name} is no JSON')

    return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)


def _export(*args, code=0, stderr=''):
    result = tap.run('export', *args)
    tap.equal((result.returncode, result.stderr), (code, stderr), args)
    return result.stdout


def _compare(*args):
    if not os.path.exists(COMPARE):
        raise tap.Skip("Google Benchmark's compare.py is not installed")
    for python in (sys.executable, '/usr/bin/python3'):
        if not subprocess.run([python, '-c', 'import scipy'], capture_output=True, check=False).returncode:
            break
    else:
        raise tap.Skip('scipy is not installed')
    result = subprocess.run([python, COMPARE, '--no-color', *args], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, timeout=60, check=False)
    tap.equal((result.returncode, result.stderr), (0, ''), 'compare.py')
    return result.stdout


def _slow_down(result):
    """Each value one octave up: every read takes twice as long."""
    version, least, most, buckets = result['latency']['histogram'].split(';')
    first, _, rest = buckets.partition(':')
    result['latency'].update(
        histogram=';'.join([version, str(2 * int(least)), str(2 * int(most)), f'{int(first) + 256}:{rest}']),
        median_ns=2 * result['latency']['median_ns'])


def google_benchmarks_compare_py_reads_two_runs_and_tests_them():
    with tap.directory() as directory:
        run = _make(directory, 'sweep')
        a, b = f'{directory}/a.json', f'{directory}/b.json'
        _export('--format', 'gb-json', run, '-o', a)
        _change(run, r'\.cached\.', _slow_down)
        _export('--format', 'gb-json', run, '-o', b)
        lines = _compare('benchmarks', a, b).splitlines()
        tests = {line.split()[0]: line for line in lines if '_pvalue' in line}
        tap.equal(len(tests), 16, 'U tests')
        for name, line in tests.items():
            tap.contains(line, 'U Test, Repetitions: 10 vs 10')
            tap.expect('WARNING' not in line, line)
            p = float(line.split()[1])
            tap.expect(p < 0.001 if '/cached/' in name else p > 0.99, line)
        mean = [line for line in lines if line.startswith('read/cached/memcgs:10/nodes:2/cpus:72_mean ')]
        tap.equal(len(mean), 1, 'lines of a mean')
        tap.expect(abs(float(mean[0].split()[1]) - 1) < 0.01, mean[0])
        tap.contains(_compare('filters', a, 'read/walk', 'read/cached'), '[read/walk vs. read/cached]')


def gb_json_is_strict_and_its_aggregates_are_those_of_its_entries():
    with tap.directory() as directory:
        run = _make(directory, 'sweep')
        document = _strict(_export('--format', 'gb-json', run))
        context = document['context']
        tap.equal((context['host_name'], context['caches'], context['executable']), ('', [], 'memcgbench'))
        tap.equal((context['build_id'], context['host_class']), ('test', HOST_CLASS))
        tap.contains(context['cpu_time'], 'not measured')
        entries = {}
        for entry in document['benchmarks']:
            tap.equal((entry['cpu_time'], entry['time_unit']), (entry['real_time'], 'ns'))
            entries.setdefault(entry['run_name'], []).append(entry)
        tap.equal(len(entries), 16, 'points and back ends')
        for name, group in entries.items():
            ones = [e for e in group if e['run_type'] == 'iteration']
            tap.equal([e['repetition_index'] for e in ones], list(range(10)), name)
            tap.equal({(e['name'], e['repetitions'], e['iterations']) for e in ones}, {(name, 10, 200)})
            rest = {e['aggregate_name']: e for e in group if e['run_type'] == 'aggregate'}
            tap.equal(list(rest), ['mean', 'median', 'stddev', 'cv'], name)
            tap.equal({e['name'] for e in rest.values()}, {f'{name}_{word}' for word in rest})
            tap.equal(rest['cv']['aggregate_unit'], 'percentage')
            for key in ('real_time', 'p50_ns'):
                values = [e[key] for e in ones]
                mean, stddev = statistics.fmean(values), statistics.stdev(values)
                for word, wanted in (('mean', mean), ('median', statistics.median(values)),
                                     ('stddev', stddev), ('cv', stddev / mean)):
                    tap.expect(math.isclose(rest[word][key], wanted, rel_tol=1e-9), name, key, word)


def gb_json_names_are_the_same_in_every_run_and_tell_points_apart():
    with tap.directory() as directory:
        names = {}
        for kind in ('sweep', 'single', 'pairs'):
            document = _strict(_export('--format', 'gb-json', _make(directory, kind)))
            for entry in document['benchmarks']:
                if entry['run_type'] == 'iteration':
                    key = (entry['label'], entry['run_name'].split('/')[1])
                    tap.equal(names.setdefault(entry['run_name'], key), key)
        tap.equal(len(set(names.values())), len(names), 'a point has two names')
        for name in ('read/walk/memcgs:10000/nodes:2/cpus:72', 'read/cached/memcgs:10/nodes:2/cpus:72/cache:cold',
                     'read/walk/memcgs:1000/nodes:1/cpus:36/skew:64/batch:512'):
            tap.expect(name in names, name, 'is not in', *names)


def failed_processes_are_no_entries_of_gb_json_and_are_said():
    with tap.directory() as directory:
        run = _make(directory, 'single')
        _change(run, r'\.walk\.3\.json', _fail)
        result = tap.run('export', '--format', 'gb-json', run)
        tap.equal(result.returncode, 0, result.stderr)
        tap.contains(result.stderr, f'memcgbench: {run}: 1 repetition failed or cannot be read, and are not')
        tap.contains(result.stderr, 'walk, repetition 3: out of memory')
        document = _strict(result.stdout)
        tap.equal(document['context']['failed_processes'], 1)
        indexes = [e['repetition_index'] for e in document['benchmarks']
                   if e['run_name'].startswith('read/walk') and e['run_type'] == 'iteration']
        tap.equal(indexes, [0, 1, 3, 4, 5, 6, 7, 8, 9])


def one_process_has_no_aggregates():
    with tap.directory() as directory:
        result = tap.run('export', '--format', 'gb-json', _make(directory, 'sparse'))
        tap.contains(result.stderr, 'the run is not finished: 10 repetitions are missing')
        document = _strict(result.stdout)
        tap.equal({entry['run_type'] for entry in document['benchmarks']}, {'iteration'})


def csv_has_a_line_for_each_process_and_reads_back_as_what_was_stored():
    with tap.directory() as directory:
        run = _make(directory, 'sweep')
        text = subprocess.run([tap.PROGRAM, 'export', '-f', 'csv', run], capture_output=True, check=True).stdout
        tap.equal(text.count(b'\r\n'), text.count(b'\n'), 'lines end with CR LF')
        rows = list(csv.reader(io.StringIO(text.decode(), newline=''), strict=True))
        header = rows.pop(0)
        tap.equal(len(header), len(set(header)), 'a column is there twice')
        tap.equal({len(row) for row in rows}, {len(header)}, 'fields in a line')
        tap.equal(len(rows), 160, 'lines')
        for backend in ('walk', 'cached'):
            results = _results(run, backend)
            for row in (dict(zip(header, row)) for row in rows):
                if row['backend'] != backend:
                    continue
                result = results.pop((row['point'], int(row['repetition'])))
                tap.equal((row['status'], row['reason'], row['build_id'], row['host_class']),
                          ('ok', '', 'test', HOST_CLASS))
                for name, value in result['point']['parameters'].items():
                    text = row[name]
                    tap.expect(text == value or float(text) == value, name, text, value)
                tap.equal(float(row['p50_ns']), result['latency']['median_ns'])
                tap.equal(float(row['bytes_touched']), result['counts']['bytes_touched'])
                tap.equal((row['update_ns'], row['css_gets']), ('', ''), 'not measured')
            tap.equal(results, {}, f'processes of {backend} without a line')


def csv_shows_failed_and_unreadable_processes_without_figures():
    with tap.directory() as directory:
        run = _make(directory, 'single')
        _change(run, r'\.walk\.3\.json', _fail)
        broken = [name for name in os.listdir(run) if name.endswith('.cached.2.json')][0]
        with open(f'{run}/{broken}', 'w', encoding='ascii') as file:
            file.write('{"schema":')
        result = tap.run('export', '--format', 'csv', run)
        tap.equal(result.returncode, 0, result.stderr)
        tap.contains(result.stderr, '2 repetitions failed or cannot be read, and have no figures')
        rows = [row for row in csv.DictReader(io.StringIO(result.stdout)) if row['status'] != 'ok']
        tap.equal([(row['backend'], row['repetition'], row['p50_ns']) for row in rows],
                  [('walk', '3', ''), ('cached', '2', '')])
        tap.expect(rows[0]['reason'].startswith('out of memory, "really",'), rows[0]['reason'])
        tap.contains(rows[1]['reason'], f'unreadable: {broken}:1:')
        tap.equal({row['host_class'] for row in rows}, {HOST_CLASS})


def _parse_hgrm(text):
    """As the plotters of HdrHistogram do it: four numbers in a line are a point."""
    lines = text.split('\n')
    tap.equal(lines[0].split(), ['Value', 'Percentile', 'TotalCount', '1/(1-Percentile)'])
    tap.equal(lines[1], '')
    points = []
    facts = {}
    for line in lines[2:]:
        if line.startswith('#['):
            for name, value in re.findall(r'(\w[\w ]*?) *= *([0-9.]+)', line):
                facts[name] = float(value)
        elif line and not line.startswith('#'):
            points.append([float(word) for word in line.split()])
    return points, facts


def _decode(texts):
    """The values of encoded histograms, each the middle of its bucket, in ns."""
    values = []
    for text in texts:
        _, least, most, buckets = text.split(';')
        bucket = 0
        for pair in buckets.split(','):
            step, count = map(int, pair.split(':'))
            bucket += step
            block, sub = divmod(bucket, 256)
            width = 1 << max(0, block - 1)
            low = (256 + sub) * width if block else sub
            values += [min(max(low + (width - 1) / 2, int(least)), int(most)) / 1000] * count
    return sorted(values)


def hgrm_has_the_percentiles_of_all_samples():
    with tap.directory() as directory:
        run = _make(directory, 'sweep')
        results = _results(run, 'walk')
        for point in sorted({point for point, _ in results}):
            text = _export('--format', 'hgrm', '--point', point, '--backend', 'walk', run)
            points, facts = _parse_hgrm(text)
            values = _decode(results[point, i]['latency']['histogram'] for i in range(1, 11))
            tap.equal(facts['Total count'], len(values))
            tap.expect(abs(facts['Mean'] / statistics.fmean(values) - 1) < 1e-5, facts)
            tap.expect(abs(facts['StdDeviation'] / statistics.pstdev(values) - 1) < 1e-3, facts)
            tap.expect(abs(facts['Max'] / values[-1] - 1) < 0.004, facts, values[-1])
            tap.equal(points[-1][:3], [facts['Max'], 1.0, len(values)], 'the last line')
            tap.equal(points[0][1:], [0.0, 1.0 * points[0][2], 1.0], 'the first line')
            tap.expect(len(points) > 40, len(points), 'lines')
            for value, percentile, count, *inverse in points[:-1]:
                rank = max(1, math.ceil(round(percentile * len(values), 6)))
                tap.expect(abs(value / values[rank - 1] - 1) < 0.0041, percentile, value, values[rank - 1])
                tap.expect(count >= rank, 'fewer values than the percentile says')
                tap.expect(abs(inverse[0] - 1 / (1 - percentile)) < 0.006 * inverse[0], inverse)
            tap.equal([p[1] for p in points], sorted(p[1] for p in points))
            tap.contains(text, '# unit: ns per read\n')


def hgrm_percentiles_are_the_figures_of_the_table():
    with tap.directory() as directory:
        run = _make(directory, 'single')
        identity = json.load(open(f'{run}/run.json', encoding='utf-8'))['identity']
        values = _decode(r['latency']['histogram'] for r in _results(run, 'cached').values())
        points, _ = _parse_hgrm(_export('-f', 'hgrm', '--point', identity['points'][0]['id'],
                                        '-b', 'cached', run))
        at = {percentile: value for value, percentile, *_ in points}
        for q in (0.5, 0.9):
            tap.expect(abs(at[q] - values[math.ceil(q * len(values)) - 1]) < 0.0011, q, at[q])


def hgrm_goes_to_a_directory_of_one_file_each():
    with tap.directory() as directory:
        run = _make(directory, 'sweep')
        out = f'{directory}/a/b'
        named = _export('--format', 'hgrm', run, '-o', out).split()
        tap.equal(sorted(named), sorted(f'{out}/{name}' for name in os.listdir(out)))
        tap.equal(len(named), 16)
        for name in named:
            tap.expect(re.search(r'/[0-9a-f]{16}\.(walk|cached)\.hgrm$', name), name)
            with open(name, encoding='ascii') as file:
                _parse_hgrm(file.read())
        result = tap.run('export', '--format', 'hgrm', run)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, '16 histograms do not go into one output')


def batches_have_no_percentiles_to_export():
    with tap.directory() as directory:
        run = _make(directory, 'batched')
        result = tap.run('export', '--format', 'hgrm', run, '-o', f'{directory}/out')
        tap.equal(result.returncode, 0, result.stderr)
        batched = {point for (point, _), one in _results(run, 'cached').items()
                   if one['sampling']['reads_per_sample'] > 1}
        tap.expect(batched, 'nothing was timed in batches')
        written = {tuple(name.split('.')[:2]) for name in os.listdir(f'{directory}/out')}
        tap.equal(written & {(point, 'cached') for point in batched}, set())
        tap.equal(len(written), 16 - len(batched))
        tap.contains(result.stderr, f'{len(batched)} histograms are left out: reads were timed in batches')
        result = tap.run('export', '--format', 'hgrm', run, '--backend', 'cached', '--point', batched.pop())
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, 'there is no distribution')


def _history(directory, days, **changes):
    os.makedirs(directory)
    for day in days:
        run = _make(directory, 'sweep', f'run-{day}')
        def change(result, day=day):
            result.update(started_at=f'2026-11-{day:02}T10:00:00Z', **changes)
        _change(run, r'\.json$', change)
    return directory


def otava_csv_has_a_row_for_each_run_by_time_and_a_column_for_each_series():
    with tap.directory() as directory:
        history = _history(f'{directory}/history', [9, 3, 27])
        rows = list(csv.DictReader(io.StringIO(_export('--format', 'otava-csv', history))))
        tap.equal([row['time'] for row in rows],
                  [f'2026-11-{day:02}T10:00:00Z' for day in (3, 9, 27)])
        tap.expect('branch' not in rows[0], 'a column means something else to Otava')
        tap.equal({row['build_id'] for row in rows}, {'test'})
        medians = [result['latency']['median_ns'] for (point, _), result
                   in _results(f'{history}/run-3', 'walk').items()
                   if result['point']['parameters']['tree.memcgs'] == 1000
                   and result['point']['parameters']['read.cache'] == 'hot']
        name = 'read/walk/memcgs:1000/nodes:2/cpus:72/p50_ns'
        tap.equal(float(rows[0][name]), statistics.median(medians))
        for row in rows:
            for column, value in row.items():
                if column.startswith('read/'):
                    float(value)
        one = list(csv.DictReader(io.StringIO(_export('-f', 'otava-csv', f'{history}/run-9', '-b', 'walk'))))
        tap.equal(len(one), 1)
        tap.expect(not [column for column in one[0] if 'cached' in column], one[0])


def otava_csv_says_gaps_and_leaves_out_runs_without_a_time():
    with tap.directory() as directory:
        history = _history(f'{directory}/history', [3, 4])
        _make(history, 'sweep', 'untimed')
        for name in os.listdir(f'{history}/run-4'):
            if '.cached.' in name:
                os.remove(f'{history}/run-4/{name}')
        result = tap.run('export', '--format', 'otava-csv', history)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, f'memcgbench: {history}/untimed: does not say when')
        result = tap.run('export', '--format', 'otava-csv', '--keep-going', history)
        tap.equal(result.returncode, 0, result.stderr)
        tap.contains(result.stderr, f'memcgbench: {history}/untimed: does not say when')
        tap.contains(result.stderr, 'without a value in some rows')
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        tap.equal(len(rows), 2)
        tap.equal(rows[1]['read/cached/memcgs:10/nodes:2/cpus:72/p50_ns'], '')
        result = tap.run('export', '--format', 'otava-csv', f'{history}/untimed')
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, 'no run says when it was measured')


def otava_csv_keeps_hosts_and_scenarios_apart():
    with tap.directory() as directory:
        runs = _history(f'{directory}/runs', [3, 4])
        kept = f'{directory}/kept'
        tap.equal(tap.run('history', kept, '--add', f'{runs}/run-3', '--add', f'{runs}/run-4').returncode, 0)
        first, second = sorted(os.listdir(kept))
        tap.equal(_export('-f', 'otava-csv', kept).count('\n'), 3, 'lines of a history of records')
        tap.equal(_export('-f', 'otava-csv', f'{kept}/{first}').count('\n'), 2, 'lines of a record')
        for key, option in (('host_class', '--host-class'), ('scenario', '--scenario')):
            with open(f'{kept}/{second}', encoding='utf-8') as file:
                text = file.read()
            record = json.loads(text)
            record[key] = 'Another'
            with open(f'{kept}/{second}', 'w', encoding='utf-8') as file:
                json.dump(record, file)
            result = tap.run('export', '-f', 'otava-csv', kept)
            tap.equal((result.returncode, result.stdout), (2, ''), key)
            tap.contains(result.stderr, f'(choose one with {option})')
            rows = list(csv.DictReader(io.StringIO(_export('-f', 'otava-csv', kept, option, 'Another'))))
            tap.equal([row['time'] for row in rows], ['2026-11-04T10:00:00Z'])
            result = tap.run('export', '-f', 'otava-csv', kept, option, 'none')
            tap.equal(result.returncode, 2)
            tap.contains(result.stderr, 'no run is of that scenario and host class')
            with open(f'{kept}/{second}', 'w', encoding='utf-8') as file:
                file.write(text)


def _tree(directory):
    found = {}
    for path, _, names in os.walk(directory):
        for name in names:
            with open(f'{path}/{name}', 'rb') as file:
                found[f'{path}/{name}'] = (hashlib.sha256(file.read()).hexdigest(),
                                           os.stat(f'{path}/{name}').st_mtime_ns)
    return found


def nothing_in_the_run_is_modified():
    with tap.directory() as directory:
        history = _history(f'{directory}/history', [3])
        run = f'{history}/run-3'
        before = _tree(history)
        for arguments in (['gb-json', run], ['csv', run], ['hgrm', run, '-o', f'{directory}/out'],
                          ['otava-csv', history], ['otava-csv', run]):
            _export('--format', *arguments)
        tap.equal(_tree(history), before)


def output_is_written_at_once_or_not_at_all():
    with tap.directory() as directory:
        run = _make(directory, 'single')
        out = f'{directory}/out.json'
        with open(out, 'w', encoding='ascii') as file:
            file.write('old\n')
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        for name in ('gb-json', 'csv'):
            child = tap.start('export', '--format', name, run, '-o', out, before=limit)
            _, stderr = child.communicate(timeout=60)
            tap.equal(child.returncode, 2, name)
            tap.contains(stderr, f'memcgbench: {out}: cannot write: File too large')
            with open(out, encoding='ascii') as file:
                tap.equal(file.read(), 'old\n')
        tap.equal(sorted(os.listdir(directory)), ['out.json', 'single'], 'left behind')
        _export('--format', 'csv', run, '-o', out)
        with open(out, encoding='ascii') as file:
            tap.expect(file.read().startswith('scenario,'))


def a_full_disk_is_trouble():
    with tap.directory() as directory:
        run = _make(directory, 'single')
        for name in ('gb-json', 'csv'):
            with open('/dev/full', 'w', encoding='ascii') as full:
                result = tap.run('export', '--format', name, run, stdout=full)
            tap.equal(result.returncode, 2, name)
            tap.contains(result.stderr, 'No space left on device')


def wrong_usage_and_what_is_no_run_are_trouble():
    with tap.directory() as directory:
        run = _make(directory, 'single')
        empty = _make(directory, 'empty')
        for arguments, message in (
                ([], '--format is missing (gb-json, csv, hgrm, otava-csv)'),
                (['--format', 'xml', run], "--format: 'xml' is not known (gb-json, csv, hgrm, otava-csv)"),
                (['--format', 'csv'], 'the directory of a run is missing'),
                (['--format', 'csv', run, run], 'is too many'),
                (['--format', 'csv', '--scenario', 'x', run], '--scenario is of --format otava-csv only'),
                (['--format', 'csv', directory], f'{directory}'),
                (['--format', 'gb-json', f'{directory}/none'], f'{directory}/none'),
                (['--format', 'hgrm', f'{directory}/none'], f'{directory}/none'),
                (['--format', 'otava-csv', f'{directory}/none'], f'{directory}/none'),
                (['--format', 'gb-json', empty], 'nothing was measured'),
                (['--format', 'csv', '--point', '12', run], "the run has no point '12'"),
                (['--format', 'hgrm', '--backend', 'wlak', run], "the run has no back end 'wlak'"),
                (['--format', 'csv', run, '-o', f'{directory}/none/x'], f'{directory}/none/x: cannot create')):
            result = tap.run('export', *arguments)
            tap.equal((result.returncode, result.stdout), (2, ''), arguments)
            tap.contains(result.stderr, message)


def a_file_of_a_newer_program_ends_it():
    with tap.directory() as directory:
        run = _make(directory, 'single')
        _change(run, r'\.walk\.2\.json', lambda result: result['schema'].update(version=99))
        for name in ('gb-json', 'csv', 'hgrm'):
            result = tap.run('export', '--format', name, run)
            tap.equal((result.returncode, result.stdout), (2, ''), name)
            tap.contains(result.stderr, '.walk.2.json')


tap.main(globals())
