# SPDX-License-Identifier: MIT
"""memcgbench history: of runs that were never measured (made by make_history and make_run)."""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

import tap

MAKE_HISTORY, MAKE_RUN = map(os.path.abspath, sys.argv[2:4])
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'history')
SVG = '{http://www.w3.org/2000/svg}'
OTHER = 'host_class=another CPU, 2 sockets, 2 nodes, 64 CPUs, cgroup v2'
NOISE = {
    'schema': {'name': 'memcgbench-noise', 'version': 1}, 'scenario': 'made', 'build_id': 'b',
    'host_class': 'made CPU, 1 socket, 1 node, 2 CPUs, virtual, cgroup v1',
    'started_at': '2026-01-01T00:00:00Z', 'context': None, 'processes': 10,
    'points': [{'id': '0aace85e49e4813c', 'parameters': {}, 'results': [
        {'backend': 'cached', 'metrics': {'p50': {'noise': 0.021, 'change': 1.0, 'p': 0.5}}}]}],
}


def _make(path, runs, *settings):
    subprocess.run([MAKE_HISTORY, path, str(runs), *settings], check=True, stdin=subprocess.DEVNULL)
    return path


def _mix(directory, *histories):
    """One directory of several made ones."""
    mixed = os.path.join(directory, 'h')
    os.mkdir(mixed)
    for number, (runs, *settings) in enumerate(histories):
        made = _make(os.path.join(directory, f'part{number}'), runs, *settings)
        for name in os.listdir(made):
            os.rename(f'{made}/{name}', f'{mixed}/{number}-{name}')
    return mixed


def _noise(path):
    with open(f'{path}/noise.json', 'w', encoding='utf-8') as file:
        json.dump(NOISE, file)


def _content(path):
    """All files, with what is in them."""
    found = {}
    for root, _, names in os.walk(path):
        for name in names:
            with open(os.path.join(root, name), 'rb') as file:
                found[os.path.join(root, name)] = file.read()
    return found


def _history(*args, code=0, stderr=''):
    result = tap.run('history', *args)
    tap.equal((result.returncode, result.stderr), (code, stderr), args)
    return result.stdout


def _golden(name, found):
    path = os.path.join(GOLDEN, name)
    if os.environ.get('MEMCGBENCH_UPDATE_GOLDEN'):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(found)
    with open(path, encoding='utf-8') as file:
        wanted = file.read()
    if found != wanted:
        raise AssertionError(f'{name} differs; found:\n{found}')


def _need_gnuplot():
    if not shutil.which('gnuplot'):
        raise tap.Skip('gnuplot is not installed')


def _fits(text, columns=80):
    for line in text.splitlines():
        tap.expect(len(line) <= columns, repr(line), 'is too long')


def a_regression_is_said_in_full_and_is_exit_code_1():
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 30, 'step_at=16', 'step=1.123')
        _noise(made)
        for name, format_ in (('worse.txt', 'table'), ('worse.md', 'markdown'), ('worse.tsv', 'tsv')):
            found = _history(made, '--format', format_, code=1)
            _golden(name, found)
        _fits(_history(made, code=1))


def an_improvement_and_no_change_are_exit_code_0():
    with tap.directory() as directory:
        _golden('better.txt', _history(_make(f'{directory}/a', 30, 'step_at=16', 'step=0.9')))
        _golden('quiet.txt', _history(_make(f'{directory}/b', 20)))
        _golden('short.txt', _history(_make(f'{directory}/c', 5, 'step_at=2', 'step=3')))


def two_host_classes_are_two_histories():
    with tap.directory() as directory:
        mixed = _mix(directory, (24, 'step_at=12', 'step=1.2'),
                     (18, OTHER, 'step_at=9', 'step=0.7', 'backend=walk', 'every=43200'),
                     (3, 'points=1', 'processes=1', 'every=3600', 'seed=9'))
        found = _history(mixed, code=1)
        _golden('classes.txt', found)
        _fits(found)
        _golden('classes.md', _history(mixed, '--format', 'markdown', code=1))


def json_holds_every_value_and_every_change():
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 30, 'step_at=16', 'step=1.123')
        _noise(made)
        document = json.loads(_history(made, '--format', 'json', code=1))
        tap.equal(document['schema'], {'name': 'memcgbench-history', 'version': 1})
        tap.equal((document['records'], document['older'], document['since'], document['verdict'],
                   document['min_effect'], len(document['series'])), (30, 0, None, 'worse', 0.03, 8))
        for series in document['series']:
            stepped = (series['backend'], series['metric']) == ('cached', 'p50')
            tap.equal(len(series['values']), 30)
            tap.equal(sorted(v['started_at'] for v in series['values']),
                      [v['started_at'] for v in series['values']])
            tap.equal([c['at'] for c in series['changes']], [16] if stepped else [])
            tap.equal(series['worse'], stepped)
            noisy = stepped and series['id'] == NOISE['points'][0]['id']
            tap.equal((series['noise'], round(series['min_effect'], 9)),
                      (0.021, 0.042) if noisy else (None, 0.03))
            for change in series['changes']:
                before = sorted(v['median'] for v in series['values'][:16])
                tap.expect(abs(change['before'] - (before[7] + before[8]) / 2) < 1e-6, change)
                tap.equal((change['runs_before'], change['runs_after'], change['direction']),
                          (16, 14, 'worse'))


def a_wanted_regression_is_accepted_by_since():
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 40, 'step_at=16', 'step=1.2')
        _history(made, code=1)
        for since in ('2026-01-21', '2026-01-21T03:00:00Z'):
            found = _history(made, '--since', since)
            tap.contains(found, '16 runs from before')
            tap.contains(found, '8 series of 24 runs: no change')
        result = tap.run('history', made, '--since', '2030-01-01')
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, 'none of its 40 records is from 2030-01-01T00:00:00Z or later')


def metric_and_effect_can_be_chosen():
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 30, 'step_at=16', 'step=1.1')
        tap.contains(_history(made, '--min-effect', '15%'), 'no change of 15 % or more is shown')
        tap.contains(_history(made, '--metric', 'rate,max', code=1), 'cached rate')
        tap.expect('p50' not in _history(made, '-m', 'update'), 'another metric is shown')
        found = _history(made, '--metric', 'p999,p50', code=1,
                         stderr=f'memcgbench: {made}: no run has a value of p999\n')
        tap.contains(found, '4 series')


def a_run_is_kept_once():
    with tap.directory() as directory:
        run, kept = f'{directory}/run', f'{directory}/new/h'
        subprocess.run([MAKE_RUN, run, 'sweep'], check=True, stdin=subprocess.DEVNULL)
        _set_times(run, None)  # a run of a version that did not say when
        result = tap.run('history', kept, '--add', run)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, f'{run}: does not say when it was measured')
        tap.expect(not os.path.exists(f'{directory}/new'), 'a directory was made for nothing')
        _set_times(run, '2026-03-01T10:00:00Z')
        before = _content(run)
        result = tap.run('history', kept, '--add', run)
        tap.equal(result.returncode, 0, result.stderr)
        name, = os.listdir(kept)
        tap.equal(result.stderr, f'memcgbench: {run} is kept as {kept}/{name}\n')
        tap.expect(name.startswith('20260301T100000Z-') and name.endswith('.json'), name)
        tap.contains(result.stdout, 'No verdict')
        again = tap.run('history', kept, '--add', run, '--add', f'{kept}/{name}')
        tap.equal((again.returncode, again.stdout), (0, result.stdout))
        tap.equal(again.stderr, f'memcgbench: {run} is kept already, as {kept}/{name}\n'
                                f'memcgbench: {kept}/{name} is kept already, as {kept}/{name}\n')
        tap.equal(os.listdir(kept), [name])
        tap.equal(_content(run), before, 'the run was changed')


def what_lies_in_the_directory_is_kept_already():
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 2)
        run = f'{made}/../h/made-0001.json'
        tap.contains(_history(made, '--add', run, stderr=f'memcgbench: {run} is kept already, as '
                                                         f'{run}\n'), '2 runs from')
        tap.equal(sorted(os.listdir(made)), ['made-0000.json', 'made-0001.json'])


def _set_times(run, when):
    for name in os.listdir(run):
        if name == 'run.json' or not name.endswith('.json'):
            continue
        with open(f'{run}/{name}', encoding='utf-8') as file:
            result = json.load(file)
        result.pop('started_at', None)
        if when:
            result['started_at'] = when
        with open(f'{run}/{name}', 'w', encoding='utf-8') as file:
            json.dump(result, file)


def runs_beside_records_are_read_and_other_things_are_not():
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 2)
        subprocess.run([MAKE_RUN, f'{made}/run', 'single'], check=True, stdin=subprocess.DEVNULL)
        _set_times(f'{made}/run', '2026-03-01T10:00:00Z')
        os.mkdir(f'{made}/charts')
        with open(f'{made}/README.md', 'w', encoding='ascii') as file:
            file.write('What is kept here.\n')
        before = _content(made)
        tap.contains(_history(made), '3 runs from')
        tap.equal(_content(made), before, 'something was changed')
        result = tap.run('history', f'{made}/run')
        tap.equal(result.returncode, 2)
        tap.contains(result.stderr, 'is a single run, not a history')


def faults_are_named_and_the_rest_is_shown_when_asked_for():
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 20)
        for name, text in (('a.json', '{'), ('b.json', '{"schema": {"name": "other"}}'),
                           ('made-0003.json', None)):
            if text is None:
                with open(f'{made}/{name}', encoding='utf-8') as file:
                    text = file.read()[:900]
            with open(f'{made}/{name}', 'w', encoding='utf-8') as file:
                file.write(text)
        before = _content(made)
        result = tap.run('history', made)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.equal(result.stderr.count('\n'), 3, result.stderr)
        for name, text in (('a.json', ':1:'), ('b.json', "schema 'other' is not read here"),
                           ('made-0003.json', 'not JSON')):
            tap.expect(any(f'/{name}:' in line and text in line
                           for line in result.stderr.splitlines()), name, result.stderr)
        going = tap.run('history', made, '--keep-going')
        tap.equal((going.returncode, going.stderr), (0, result.stderr))
        tap.contains(going.stdout, '19 runs from')
        tap.equal(_content(made), before, 'something was changed')


def a_run_that_cannot_be_read_is_not_kept_nor_are_those_beside_it():
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 2)
        with open(f'{directory}/bad.json', 'w', encoding='ascii') as file:
            file.write('{}')
        result = tap.run('history', f'{directory}/new', '--add', f'{made}/made-0000.json',
                         '--add', f'{directory}/bad.json')
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, f'{directory}/bad.json:')
        tap.expect(not os.path.exists(f'{directory}/new'), 'something was kept')


def an_add_that_is_ended_leaves_a_whole_record_or_none():
    with tap.directory() as directory:
        run = _make(f'{directory}/h', 1, 'points=60') + '/made-0000.json'
        began, kept = time.monotonic(), 0
        tap.equal(tap.run('history', f'{directory}/whole', '--add', run).returncode, 0)
        took = time.monotonic() - began
        for attempt in range(20):
            new = f'{directory}/new{attempt}'
            child = tap.start('history', new, '--add', run)
            time.sleep(took * attempt / 16)
            child.send_signal(signal.SIGTERM)
            child.communicate(timeout=60)
            names = os.listdir(new) if os.path.exists(new) else []
            tap.expect(len(names) <= 1 and all(n.endswith('.json') for n in names), names)
            for name in names:
                kept += 1
                with open(f'{new}/{name}', encoding='utf-8') as file:
                    tap.equal(len(json.load(file)['points']), 60)
        print(f'# ended 20 times, {kept} of them after the record was there')


def a_full_disk_leaves_nothing_behind():
    with tap.directory() as directory:
        run = _make(f'{directory}/h', 1) + '/made-0000.json'
        child = tap.start('history', f'{directory}/new', '--add', run,
                          before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        _, words = child.communicate(timeout=60)
        tap.equal(child.returncode, 2)
        tap.contains(words, 'cannot write')
        tap.equal(os.listdir(f'{directory}/new'), [])


def charts_show_every_series_with_its_changes():
    _need_gnuplot()
    for runs in (1, 3, 30, 300):
        with tap.directory() as directory:
            made = _make(f'{directory}/h', runs, 'step_at=16', 'step=1.25', 'points=1')
            _noise(made)
            result = tap.run('history', made, '--charts', f'{directory}/c/d')
            tap.equal((result.returncode, result.stderr), (1 if runs > 14 else 0, ''), runs)
            names = sorted(os.listdir(f'{directory}/c/d'))
            tap.equal(len(names), 12, names)
            for name in names:
                tap.contains(result.stdout, f'{directory}/c/d/{name}\n')
                if not name.endswith('.svg'):
                    continue
                root = xml.parse(f'{directory}/c/d/{name}').getroot()
                words = [''.join(text.itertext()).strip() for text in root.iter(SVG + 'text')]
                tap.expect('runs, in order of time' in words, name, words)
                marked = [word for word in words if word.endswith(('% worse', '% better'))]
                tap.equal(len(marked), int(runs > 14 and '-cached-p50-' in name), name)


def many_series_are_bounded_and_said_to_be():
    _need_gnuplot()
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 20, 'points=8', 'step_at=10', 'step=1.3')
        result = tap.run('history', made, '--charts', f'{directory}/c')
        tap.equal((result.returncode, result.stderr), (1, ''))
        tap.contains(result.stdout, '12 of 32 series are drawn, those with changes first; of the '
                                    'others 0 have a change.\n')
        names = [name for name in os.listdir(f'{directory}/c') if name.endswith('.svg')]
        tap.equal(len(names), 12)
        tap.equal(len([name for name in names if '-cached-p50-' in name]), 8)


def the_log_of_a_job_gets_charts_of_79_columns_of_ascii():
    _need_gnuplot()
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 30, 'step_at=16', 'step=1.25', 'points=1')
        for format_ in ('table', 'markdown'):
            found = _history(made, '--charts', f'{directory}/c', '--dumb', '--format', format_,
                             code=1)
            start = found.index(f'{directory}/c')
            charts = [line for line in found[start:].splitlines() if directory not in line]
            tap.expect(found.isascii() and max(map(len, charts)) <= 79, 'wide or not ASCII')
            for word in ('cached, p50: median of a read', '+25 %', '2026-01-05', '12.0 us'):
                tap.contains(found[start:], word)
            tap.equal(found.count('```\n'), 2 if format_ == 'markdown' else 0)


def what_lies_beside_a_picture_draws_it_again():
    _need_gnuplot()
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 30, 'step_at=16', 'step=1.25', 'points=1')
        _history(made, '--charts', f'{directory}/c', code=1)
        for name in os.listdir(f'{directory}/c'):
            if not name.endswith('.gp'):
                continue
            again = subprocess.run(['gnuplot', '-d', name], cwd=f'{directory}/c', check=True,
                                   stdin=subprocess.DEVNULL, capture_output=True)
            with open(f'{directory}/c/{name[:-3]}.svg', 'rb') as svg:
                tap.expect(again.stdout == svg.read(), name, 'differs')


def what_has_no_values_above_zero_is_drawn_and_not_searched():
    _need_gnuplot()
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 20, 'points=1')
        for name in os.listdir(made):
            with open(f'{made}/{name}', encoding='utf-8') as file:
                record = json.load(file)
            for result in record['points'][0]['results']:
                result['values']['error'] = [0] * len(result['values']['error'])
                result['error'] = {**result['error'], 'pages': 0, 'value': 25000, 'truth': 25000}
            with open(f'{made}/{name}', 'w', encoding='utf-8') as file:
                json.dump(record, file)
        found = _history(made, '--metric', 'error', '--charts', f'{directory}/c')
        tap.contains(found, '2 series of 20 runs: not searched, there are values of 0')
        tap.contains(found, 'No verdict')


def without_gnuplot_all_but_the_charts_is_there():
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 20)
        result = tap.run('history', made, '--charts', f'{directory}/c',
                         env=tap.environment(PATH='/nowhere'))
        tap.equal(result.returncode, 2)
        tap.contains(result.stderr, 'gnuplot-nox')
        tap.contains(result.stdout, '8 series of 20 runs: no change')


def help_says_how_to_accept_a_regression():
    words = ' '.join(tap.run('history', '--help').stdout.split())
    tap.contains(words, 'A regression that is wanted is accepted by --since with the time of its '
                        'first run')


def how_many_runs_it_takes_is_said_and_true():
    with tap.directory() as directory:
        made = _make(f'{directory}/h', 1)
        least = json.loads(_history(made, '--format', 'json'))['least_values']
        tap.contains(_history(made), f'(a change shows in {least} or more)')
        step = f'step_at={least // 2}'
        tap.contains(_history(_make(f'{directory}/few', least - 1, step, 'step=2')), 'too short')
        _history(_make(f'{directory}/enough', least, step, 'step=2'), code=1)


def wrong_usage_is_trouble():
    for args, message in (([], 'the directory of a history is missing'),
                          (['a', 'b'], "'b' is too many"),
                          (['a', '--metric', 'p51'], "--metric: 'p51' is not known (all, p50, p90, "),
                          (['a', '--metric', 'p50,'], "--metric: '' is not known"),
                          (['a', '--min-effect', '3'], "--min-effect: '3'"),
                          (['a', '--min-effect', '300%'], "--min-effect: '300%'"),
                          (['a', '--since', 'yesterday'], "--since: 'yesterday'"),
                          (['a', '--since', '2026-02-30'], "--since: '2026-02-30'"),
                          (['a', '--format', 'svg'], "--format: 'svg' is not known"),
                          (['a', '--dumb'], '--dumb and --scripts need --charts DIR'),
                          (['a', '--dumb', '--charts', 'c', '--format', 'tsv'],
                           '--dumb goes with --format table or markdown')):
        result = tap.run('history', *args)
        tap.equal((result.returncode, result.stdout), (2, ''), args)
        tap.contains(result.stderr, message)
    with tap.directory() as directory:
        result = tap.run('history', f'{directory}/none')
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, f'{directory}/none: cannot read the directory: ')
        result = tap.run('history', directory)
        tap.contains(result.stderr, 'holds no records of runs (keep one with --add RUN)')
        result = tap.run('history', directory, '--add', '')
        tap.contains(result.stderr, "memcgbench: '': cannot open: ")


def a_pipe_among_the_records_keeps_nobody_waiting():
    with tap.directory() as directory:
        path = _make(f'{directory}/h', 3)
        os.mkfifo(f'{path}/noise.json')
        fault = f'memcgbench: {path}/noise.json: is not a regular file\n'
        _history(path, code=2, stderr=fault)
        tap.contains(_history(path, '--keep-going', stderr=fault), '3 runs')


tap.main(globals())
