# SPDX-License-Identifier: MIT
"""`memcgbench aa`: measures the same thing twice, interleaved, and keeps how much that differs."""
import glob
import json
import os
import re
import signal

import tap
from tap import contains, directory, equal, expect, run

SCENARIO = '''\
name: small
tree:    {memcgs: [10, 100]}
machine: {cpus: 2}
read:    {samples: 20, time: 10ms}
backends: [walk, cached]
repetitions: 4
'''
# Long enough to be caught in the act: 4 processes of about half a second and more.
SLOW = '''\
name: slow
tree:    {memcgs: 20}
machine: {cpus: 2}
read:    {samples: 25, pacing: 20ms}
backends: [cached]
repetitions: 2
'''
METRICS = ('p50', 'p90', 'p99', 'p999', 'max', 'mean', 'rate', 'hierarchical', 'local', 'format',
           'update', 'update_p99', 'update_huge', 'update_lru', 'update_migrate', 'writer',
           'throughput', 'create', 'remove', 'late', 'charges', 'error', 'memory')


def _write(folder, text):
    path = os.path.join(folder, 'scenario.yaml')
    with open(path, 'w') as file:
        file.write(text)
    return path


def _start_or_run(do, folder, text, *args):
    return do('aa', _write(folder, text), '--no-lock', '--store', f'{folder}/store', *args,
              cwd=folder)


def _aa(folder, text, *args, code=0):
    r = _start_or_run(run, folder, text, *args)
    equal(r.returncode, code, r.stderr)
    return r


def _stored(folder):
    return sorted(glob.glob(f'{folder}/store/*'))


def _load(path):
    with open(path) as file:
        return json.load(file)


def prints_a_table_that_fits_a_terminal_and_says_what_is_expected():
    with directory() as d:
        lines = _aa(d, SCENARIO).stdout.splitlines()
    equal([line for line in lines if len(line) > 80], [])
    at = lines.index('Noise of p50: median of a read')
    equal(lines[at + 1].split(),
          ['memcgs', 'back', 'end', 'n', 'median', 'noise', 'change', 'p'])
    rows = [line.split() for line in lines[at + 2:at + 6]]
    equal([row[:3] for row in rows], [[memcgs, backend, '4+4'] for memcgs in ('10', '100')
                                      for backend in ('walk', 'cached')])
    for row in rows:
        expect(re.fullmatch(r'\d+\.\d\d%', row[5]), row)
        expect(re.fullmatch(r'[+-]\d+\.\d\d%', row[6]), row)
        expect(re.fullmatch(r'[01]\.\d{3}\*?', row[7]), row)
    called = sum(row[7].endswith('*') for row in rows)
    verb = 'is' if called == 1 else 'are'
    equal(' '.join(lines[at + 6:at + 8]),
          f'{called} of 4 pairs of the same thing {verb} called different at p < 0.05; '
          'up to 5 % is expected.')


def keeps_all_metrics_of_all_pairs():
    with directory() as d:
        _aa(d, SCENARIO)
        (path,) = _stored(d)
        document = _load(path)
    expect(re.fullmatch(r'noise-small-[0-9a-f]{16}\.json', os.path.basename(path)), path)
    equal(document['schema'], {'name': 'memcgbench-noise', 'version': 1})
    equal((document['scenario'], document['processes']), ('small', 4))
    for key in ('build_id', 'host_class'):
        expect(document[key], key)
    equal([point['parameters']['tree.memcgs'] for point in document['points']], [10, 100])
    for point in document['points']:
        equal([result['backend'] for result in point['results']], ['walk', 'cached'])
        for result in point['results']:
            expect({'p50', 'update', 'error', 'memory'} <= set(result['metrics']) <= set(METRICS),
                   result['metrics'])
            for metric in result['metrics'].values():
                equal(set(metric), {'noise', 'change', 'p'})
                expect(metric['noise'] >= 0 and 0 < metric['p'] <= 1, metric)
            equal(result['metrics']['memory'], {'noise': 0, 'change': 1, 'p': 1})


def a_second_one_takes_the_place_of_the_first():
    with directory() as d:
        _aa(d, SCENARIO, '--quick')
        (first,) = _stored(d)
        before = os.stat(first).st_ino, _load(first)
        _aa(d, SCENARIO, '--quick')
        (second,) = _stored(d)
        equal(first, second)
        expect(os.stat(second).st_ino != before[0], 'it is the old file')
        expect(_load(second)['points'] != before[1]['points'], 'it holds the old figures')
        _aa(d, SCENARIO, '--quick', '--backend', 'cached')
        equal(len(_stored(d)), 2, 'other back ends are another thing')


def measures_twice_the_repetitions_in_a_directory_of_its_own():
    with directory() as d:
        scenario = _write(d, SCENARIO)
        r = run('aa', scenario, '--no-lock', '--repetitions', '2', cwd=d)
        equal(r.returncode, 0, r.stderr)
        out = f'{d}/results/local/aa/small/001'
        equal(_load(f'{out}/run.json')['identity']['repetitions'], 4)
        equal(len(glob.glob(f'{out}/*.cached.*.json')), 8)
        equal(len(glob.glob(f'{d}/results/history/noise-small-*.json')), 1)
        contains(r.stderr, 'the noise is in results/history/noise-small-')


def too_few_processes_are_said_to_be():
    with directory() as d:
        text = _aa(d, SCENARIO, '--quick').stdout
    contains(text, '2+2')
    contains(' '.join(text.split()), '4 pairs have too few processes to be called different')
    expect('pairs of the same thing' not in text, text)


def goes_on_after_an_interrupt():
    with directory() as d:
        aa = _start_or_run(tap.start, d, SLOW, '--out', 'out')
        tap.wait_for(lambda: glob.glob(f'{d}/out/*.cached.*.json') and tap.measuring_child(aa.pid))
        aa.send_signal(signal.SIGINT)
        _, stderr = aa.communicate(timeout=20)
        equal(aa.returncode, -signal.SIGINT, stderr)
        contains(stderr, 'the same command goes on')
        done = {path: os.stat(path).st_ino for path in glob.glob(f'{d}/out/*.cached.*.json')}
        expect(0 < len(done) < 4, done)
        equal(_stored(d), [])
        r = _aa(d, SLOW, '--out', 'out')
        contains(r.stderr, 'going on in out')
        equal({path: os.stat(path).st_ino for path in done}, done)
        equal(len(_stored(d)), 1)


def a_failed_repetition_is_trouble_and_keeps_no_noise():
    with directory() as d:
        aa = _start_or_run(tap.start, d, SLOW, '--out', 'out')
        os.kill(tap.wait_for(lambda: tap.measuring_child(aa.pid)), signal.SIGKILL)
        stdout, stderr = aa.communicate(timeout=60)
        equal(aa.returncode, 2, stderr)
        contains(stdout, 'killed by signal 9')
        contains(stderr, 'no noise is kept of a run with failed repetitions')
        equal(_stored(d), [])
        _aa(d, SLOW, '--out', 'out')
        equal(len(_stored(d)), 1)


def a_place_that_keeps_nothing_is_said_before_anything_is_measured():
    with directory() as d:
        with open(f'{d}/store', 'w'):
            pass
        r = _aa(d, SCENARIO, '--out', 'out', code=2)
        equal(r.stderr, f'memcgbench: {d}/store: cannot keep the noise there: Not a directory\n')
        expect(not os.path.exists(f'{d}/out'), 'measured all the same')


def json_is_what_is_kept_and_how_many_are_called_different():
    with directory() as d:
        document = json.loads(_aa(d, SCENARIO, '--format', 'json', '-m', 'p50,update').stdout)
        different = document.pop('called_different')
        equal(document, _load(_stored(d)[0]))
    equal([set(item) for item in different], 2 * [{'metric', 'alpha', 'pairs', 'different'}])
    equal([(item['metric'], item['alpha'], item['pairs']) for item in different],
          [('p50', 0.05, 4), ('update', 0.05, 4)])


def tsv_has_a_line_for_each_metric_of_each_pair():
    with directory() as d:
        text = _aa(d, SCENARIO, '--quick', '--format', 'tsv', '--metric', 'all').stdout
    lines = [line.split('\t') for line in text.splitlines()]
    equal(lines[0], ['id', 'backend', 'metric', 'unit', 'odd', 'even', 'median', 'noise', 'change',
                     'p'])
    equal({len(line) for line in lines}, {10})
    equal([line[2] for line in lines[1:]], [name for name in METRICS for _ in range(4)])
    for line in lines[1:]:
        if line[2] in ('p50', 'update'):
            expect(float(line[6]) > 0 and float(line[7]) >= 0 and 0 < float(line[9]) <= 1, line)
        if line[2] == 'p999':
            equal(line[4:], ['0', '0', '', '', '', ''], 'of 20 samples')


def several_metrics_share_their_notes():
    with directory() as d:
        text = _aa(d, SCENARIO, '--quick', '--metric', 'update,p50,update').stdout
    equal(re.findall(r'^Noise of (\w+):', text, re.MULTILINE), ['update', 'p50'])
    equal(text.count('how far apart the medians'), 1)


def a_history_asks_for_twice_the_noise():
    with directory() as d:
        _aa(d, SCENARIO, '--out', 'out')
        stored = _load(_stored(d)[0])
        r = run('history', 'store', '--add', 'out', '--metric', 'p50', '--format', 'json', cwd=d)
        equal(r.returncode, 0, r.stderr)
        series = {(s['id'], s['backend']): s for s in json.loads(r.stdout)['series']}
    equal(len(series), 4)
    for point in stored['points']:
        for result in point['results']:
            one = series[point['id'], result['backend']]
            noise = result['metrics']['p50']['noise']
            expect(abs(one['noise'] - noise) < 1e-9, one, noise)
            expect(abs(one['min_effect'] - max(0.03, 2 * noise)) < 1e-9, one, noise)


def what_cannot_be_halved_is_refused_before_anything_is_measured():
    with directory() as d:
        for repetitions in ('1', '5001'):
            r = _aa(d, SCENARIO, '--repetitions', repetitions, code=2)
            contains(r.stderr, f'repetitions: {repetitions} is not possible for two halves')
        equal(sorted(os.listdir(d)), ['scenario.yaml'])


def what_is_not_possible_here_is_exit_code_3():
    with directory() as d:
        r = _aa(d, SCENARIO, '--set', 'read.cgroup=machine', code=3)
        contains(r.stderr, 'needs a live back end')
        equal(sorted(os.listdir(d)), ['scenario.yaml'])


def wrong_usage_is_exit_code_2():
    with directory() as d:
        path = _write(d, SCENARIO)
        for args in ((), (path, path), (path, '--metric', 'p51'), (path, '--metric', 'p50,'),
                     (path, '--metric', ''), (path, '--reuse'), (path, '--format', 'svg'),
                     (f'{d}/none.yaml',)):
            r = run('aa', *args, '--no-lock', cwd=d)
            equal((r.returncode, r.stdout), (2, ''), args)
            contains(r.stderr, 'memcgbench')
        r = run('aa', path, '--metric', 'p51', cwd=d)
        contains(r.stderr, f"'p51' is not known (all, {', '.join(METRICS)})")
        equal(sorted(os.listdir(d)), ['scenario.yaml'])


tap.main(globals())
