# SPDX-License-Identifier: MIT
"""`memcgbench run`: measures, resumes, survives what kills it, and says how to go on."""
import glob
import json
import os
import resource
import signal
import subprocess
import time

import tap
from tap import contains, directory, equal, expect, run

SCENARIO = '''\
name: small
tree:    {shape: balanced, memcgs: [10, 100], fanout: 10}
machine: {nodes: 2, cpus: 4, placement: fold}
read:    {samples: 40, time: 500ms}
backends: [walk, cached]
repetitions: 3
'''
# Long enough to be caught in the act: 3 processes of about half a second and more.
SLOW = '''\
name: slow
tree:    {memcgs: 20}
machine: {cpus: 2}
read:    {samples: 40, pacing: 20ms}
backends: [cached]
repetitions: 3
'''


def _write(folder, text, name='scenario.yaml'):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def _env(folder, **changes):
    """A lock of the test's own: other tests run at the same time."""
    return tap.environment(MEMCGBENCH_LOCK=os.path.join(folder, 'lock'), **changes)


def _results(out):
    return sorted(p for p in glob.glob(os.path.join(out, '*.json'))
                  if os.path.basename(p) != 'run.json')


def _load(path):
    with open(path) as file:
        return json.load(file)


def _fingerprint(out):
    return {p: (os.stat(p).st_ino, os.stat(p).st_mtime_ns) for p in _results(out)}


def writes_a_file_per_process_and_prints_the_document():
    with directory() as d:
        out = os.path.join(d, 'out')
        r = run('run', _write(d, SCENARIO), '--out', out, '--format', 'json', env=_env(d))
        equal(r.returncode, 0, r.stderr)
        document = json.loads(r.stdout)
        equal(len(_results(out)), 2 * 2 * 3, 'files')
        equal(len(document['points']), 2, 'points')
        equal(document['failed'], [])
        equal(document['left_out'], [])
        for point in document['points']:
            for backend in ('walk', 'cached'):
                for repetition in (1, 2, 3):
                    expect(os.path.exists(f'{out}/{point["id"]}.{backend}.{repetition}.json'))
            m, n, c = point['parameters']['tree.memcgs'] + 1, 2, 4
            walk, cached = point['results']
            equal(walk['loads_hierarchical'], 10 * (1 + n) * c * m)
            equal(walk['memcgs_visited'], 4 * (1 + n) * m)
            equal(walk['css_gets'], 4 * (1 + n) * (m - 1))
            equal(cached['loads_hierarchical'], 0)
            equal(cached['memcgs_visited'], 0)
            for result in (walk, cached):
                equal(result['processes'], 3)
                equal(result['loads_local'], 10 * (1 + n) * c)
                expect(result['error_pages'] <= result['error_bound_pages'])
                expect(result['p50_ns'] > 0)
                equal(result['placement'], 'fold')
                expect(0 < result['update_ns'] < result['p50_ns'], result)
                equal(result['ci_low_ns'], None, 'an interval of three medians')
            # Both print the same rows; only the digits of batched cells can differ.
            expect(abs(walk['text_bytes'] - cached['text_bytes']) < 24)


# Of each result, in the order of the contract; "?" may be null.
KEYS = {
    'backend': str, 'processes': int, 'samples': int, 'reads': int, 'reads_per_sample': int,
    'p50_ns': '?', 'p90_ns': '?', 'p99_ns': '?', 'p999_ns': '?', 'max_ns': '?', 'median_ns': '?',
    'ci_low_ns': '?', 'ci_high_ns': '?', 'ci_level': '?', 'hierarchical_ns': '?', 'local_ns': '?',
    'format_ns': '?', 'update_ns': float, 'update_ci_low_ns': '?', 'text_bytes': int, 'memcgs_visited': int, 'loads_hierarchical': int,
    'loads_local': int, 'css_gets': int, 'error_pages': int, 'error_bound_pages': int,
    'bytes_touched': int, 'placement': str, 'placement_found': dict}


def _document(folder, *args):
    r = run('run', _write(folder, SCENARIO), '--format', 'json', '--out', os.path.join(folder, 'o'),
            *args, env=_env(folder), cwd=folder)
    equal(r.returncode, 0, r.stderr)
    return json.loads(r.stdout)


def _has_the_keys(document):
    equal(document['schema'], {'name': 'memcgbench-summary', 'version': 1})
    equal(document['scenario'], 'small')
    for point in document['points']:
        expect(len(point['id']) == 16 and int(point['id'], 16) >= 0, point['id'])
        for result in point['results']:
            for key, kind in KEYS.items():
                value = result[key]
                if kind == '?':
                    expect(value is None or isinstance(value, (int, float)), key, value)
                else:
                    expect(isinstance(value, kind), key, value)


def percentiles_and_intervals_are_null_where_too_little_was_measured():
    with directory() as d:  # 3 processes of at most 40 samples
        document = _document(d)
        _has_the_keys(document)
        for result in (r for point in document['points'] for r in point['results']):
            equal(result['p99_ns'] or result['p999_ns'], None, 'percentiles')
            for key in ('median_ns', 'ci_low_ns', 'ci_high_ns', 'ci_level'):
                equal(result[key], None, key)


def six_processes_give_an_interval_of_the_median():
    with directory() as d:
        document = _document(d, '--repetitions', '6', '--set', 'tree.memcgs=100')
        _has_the_keys(document)
        for result in document['points'][0]['results']:
            expect(result['ci_low_ns'] <= result['median_ns'] <= result['ci_high_ns'], result)
            equal(result['ci_level'], 0.96875)


def samples_of_many_reads_have_no_percentile_above_the_median():
    with directory() as d:
        document = _document(d, '--backend', 'cached', '--set', 'read.form=counts',
                             '--set', 'read.rows=hierarchical', '--set', 'tree.memcgs=10')
        _has_the_keys(document)
        result = document['points'][0]['results'][0]
        expect(result['reads_per_sample'] > 1, result)
        equal(result['reads'], result['samples'] * result['reads_per_sample'])
        for key in ('p90_ns', 'p99_ns', 'p999_ns', 'max_ns', 'local_ns', 'format_ns'):
            equal(result[key], None, key)


def stores_what_the_pilot_chose_and_keeps_to_it():
    with directory() as d:
        out = os.path.join(d, 'out')
        equal(run('run', _write(d, SCENARIO), '--out', out, env=_env(d)).returncode, 0)
        chosen = {}
        for path in _results(out):
            result = _load(path)
            equal(result['seed'], 1)
            key = (result['point']['id'], result['backend'])
            sampling = result['sampling']
            chosen.setdefault(key, []).append(
                (sampling['samples'], sampling['reads_per_sample'], sampling['pilot']))
            expect(sampling['samples'] >= 5)
            mean = sampling['histogram_mean_ns'] / sampling['benchmark_mean_ns']
            expect(abs(mean - 1) <= 0.005, 'two clocks', mean)
        for key, values in chosen.items():
            equal(len({v[:2] for v in values}), 1, f'sampling of {key}')
            equal(sum(v[2] for v in values), 1, f'pilots of {key}')


def measures_nothing_the_second_time():
    with directory() as d:
        out, scenario = os.path.join(d, 'out'), _write(d, SCENARIO)
        first = run('run', scenario, '--out', out, '--format', 'tsv', env=_env(d))
        before = _fingerprint(out)
        second = run('run', scenario, '--out', out, '--format', 'tsv', env=_env(d))
        equal(second.returncode, 0, second.stderr)
        equal(_fingerprint(out), before, 'files')
        equal(second.stdout, first.stdout, 'tables')
        contains(second.stderr, f'memcgbench: nothing is left to measure in {out}\n')


def refuses_a_directory_of_another_run_and_names_the_difference():
    with directory() as d:
        out, scenario = os.path.join(d, 'out'), _write(d, SCENARIO)
        equal(run('run', scenario, '--out', out, env=_env(d)).returncode, 0)
        before = _fingerprint(out)
        r = run('run', scenario, '--out', out, '--repetitions', '4', env=_env(d))
        equal(r.returncode, 2)
        contains(r.stderr, 'repetitions')
        equal(_fingerprint(out), before, 'files')


def neither_measures_over_nor_passes_over_what_a_newer_program_wrote():
    with directory() as folder:
        scenario, out = _write(folder, SCENARIO), os.path.join(folder, 'out')
        equal(run('run', scenario, '--out', out, '--quick', env=_env(folder)).returncode, 0)
        newer = _results(out)[-1]
        document = _load(newer)
        document['schema']['version'] = 99
        _write(out, json.dumps(document), os.path.basename(newer))
        before = _fingerprint(out)
        for command in (['run', scenario, '--out', out, '--quick'], ['report', out]):
            result = run(*command, env=_env(folder))
            equal((result.returncode, result.stdout), (2, ''), command)
            contains(result.stderr, f'memcgbench: {newer}:1:')
            contains(result.stderr, 'version 99 was written by a newer program')
        equal(_fingerprint(out), before)


def goes_on_after_kill_9_without_losing_or_repeating():
    with directory() as d:
        out, scenario = os.path.join(d, 'out'), _write(d, SLOW)
        sweep = tap.start('run', scenario, '--out', out, env=_env(d))
        tap.wait_for(lambda: len(_results(out)) >= 1 and tap.measuring_child(sweep.pid))
        child = tap.measuring_child(sweep.pid)
        sweep.kill()
        sweep.communicate()
        if child:  # it dies with its parent
            tap.wait_for(lambda: not os.path.exists(f'/proc/{child}') or
                      open(f'/proc/{child}/stat').read().split()[2] == 'Z', 10)
        before = _fingerprint(out)
        expect(0 < len(before) < 3, 'killed too late', len(before))
        r = run('run', scenario, '--out', out, env=_env(d))
        equal(r.returncode, 0, r.stderr)
        after = _fingerprint(out)
        equal(len(after), 3)
        equal({p: after[p] for p in before}, before, 'finished files are untouched')


def _ends_by(number):
    with directory() as d:
        out, scenario = os.path.join(d, 'out'), _write(d, SLOW)
        sweep = tap.start('run', scenario, '--out', out, env=_env(d))
        tap.wait_for(lambda: len(_results(out)) >= 1 and tap.measuring_child(sweep.pid))
        sent = time.monotonic()
        sweep.send_signal(number)
        _, stderr = sweep.communicate(timeout=20)
        expect(time.monotonic() - sent < 5, 'ended too late')
        equal(sweep.returncode, -number, 'dies of the signal')
        contains(stderr, 'the same command goes on')
        before = _fingerprint(out)
        contains(stderr, f'[{len(before)}/3] stopped\n')
        for path in before:
            equal(_load(path)['status'], 'ok')
        r = run('run', scenario, '--out', out, env=_env(d))
        equal(r.returncode, 0, r.stderr)
        contains(r.stderr, f'memcgbench: going on in {out}\n')
        after = _fingerprint(out)
        equal({p: after[p] for p in before}, before, 'finished files are untouched')


def ends_by_sigint_and_goes_on():
    _ends_by(signal.SIGINT)


def ends_by_sigterm_and_goes_on():
    _ends_by(signal.SIGTERM)


def leaves_an_ignored_signal_ignored():
    """As behind nohup or `&`."""
    with directory() as d:
        out = os.path.join(d, 'out')
        sweep = tap.start('run', _write(d, SLOW), '--out', out, '--repetitions', '1',
                          env=_env(d), before=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        tap.wait_for(lambda: tap.measuring_child(sweep.pid))
        sweep.send_signal(signal.SIGINT)
        _, stderr = sweep.communicate(timeout=60)
        equal(sweep.returncode, 0, stderr)
        equal(len(_results(out)), 1)


def counts_a_killed_process_as_one_failed_repetition():
    with directory() as d:
        out, scenario = os.path.join(d, 'out'), _write(d, SLOW)
        sweep = tap.start('run', scenario, '--out', out, '--format', 'json', env=_env(d))
        child = tap.wait_for(lambda: tap.measuring_child(sweep.pid))
        os.kill(child, signal.SIGKILL)
        stdout, stderr = sweep.communicate(timeout=60)
        equal(sweep.returncode, 2, stderr)
        document = json.loads(stdout)
        equal(len(document['failed']), 1)
        contains(document['failed'][0]['reason'], 'killed by signal 9')
        equal(document['points'][0]['results'][0]['processes'], 2)
        failed = [p for p in _results(out) if _load(p)['status'] == 'failed']
        equal(len(failed), 1)
        before = _fingerprint(out)
        r = run('run', scenario, '--out', out, '--format', 'json', env=_env(d))
        equal(r.returncode, 0, r.stderr)
        equal(json.loads(r.stdout)['failed'], [])
        after = _fingerprint(out)
        changed = [p for p in after if after[p] != before[p]]
        equal(changed, failed, 'only the failed one is measured again')


def ends_by_sigterm_when_nobody_reads_its_table():
    with directory() as d:
        out, scenario = os.path.join(d, 'out'), _write(d, SCENARIO)
        equal(run('run', scenario, '--out', out, env=_env(d)).returncode, 0)
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, bytes(4096))
        except BlockingIOError:
            os.set_blocking(writer, True)
        sweep = subprocess.Popen([tap.PROGRAM, 'run', scenario, '--out', out], stdout=writer,
                                 stderr=subprocess.DEVNULL, env=_env(d))
        try:
            time.sleep(1)
            equal(sweep.poll(), None, 'waits for its reader')
            sweep.terminate()
            equal(sweep.wait(5), -signal.SIGTERM)
        finally:
            sweep.kill()
            os.close(reader)
            os.close(writer)


def an_ignored_sigchld_changes_nothing():
    with directory() as d:
        r = tap.run_ignoring_children('run', _write(d, SCENARIO), '--quick', '--format', 'json',
                                      '--out', os.path.join(d, 'out'), env=_env(d))
        equal(r.returncode, 0, r.stderr)
        equal(json.loads(r.stdout)['failed'], [])


def ends_a_process_at_its_time_limit():
    with directory() as d:
        out = os.path.join(d, 'out')
        r = run('run', _write(d, SLOW), '--out', out, '--repetitions', '1', '--time-limit', '100ms',
                '--format', 'json', env=_env(d))
        equal(r.returncode, 2)
        contains(json.loads(r.stdout)['failed'][0]['reason'], 'time limit')


def fails_a_repetition_that_runs_out_of_memory():
    """The limit comes when the sweep is under way: what is known before is not even begun."""
    if tap.sanitized():
        raise tap.Skip('a sanitizer does not live with a limit of address space')
    with directory() as d:
        out = os.path.join(d, 'out')
        big = SLOW.replace('memcgs: 20', 'memcgs: 20k').replace('cpus: 2', 'cpus: 64')
        sweep = tap.start('run', _write(d, big), '--out', out, '--repetitions', '2',
                          '--set', 'read.pacing=closed', '--format', 'json', env=_env(d))
        tap.wait_for(lambda: tap.measuring_child(sweep.pid))
        # The next child inherits it from its parent.
        resource.prlimit(sweep.pid, resource.RLIMIT_AS, (256 << 20, 256 << 20))
        stdout, stderr = sweep.communicate(timeout=120)
        equal(sweep.returncode, 2, stderr)
        failed = json.loads(stdout)['failed']
        equal([f['repetition'] for f in failed], [2])
        expect('memory' in failed[0]['reason'].lower(), failed[0]['reason'])


def says_all_that_is_impossible_before_it_measures():
    with directory() as d:
        out = os.path.join(d, 'out')
        text = SCENARIO.replace('nodes: 2, cpus: 4, placement: fold',
                                'nodes: [1, 1000], cpus: 4, placement: real')
        r = run('run', _write(d, text), '--out', out, env=_env(d))
        equal(r.returncode, 3, r.stderr)
        contains(r.stderr, ', walk, and 3 more: placement: real needs 1000 NUMA nodes')
        equal(r.stderr.count('placement: real needs'), 1, 'each reason once')
        expect(not os.path.exists(out), 'nothing is made')
        r = run('run', _write(d, text), '--out', out, '--skip-impossible', '--format', 'json',
                env=_env(d))
        equal(r.returncode, 0, r.stderr)
        document = json.loads(r.stdout)
        equal(len(document['left_out']), 4, 'left out')
        expect(all(entry['reasons'] for entry in document['left_out']))


def refuses_to_measure_a_machine_that_hwloc_was_told_to_invent():
    for variable in ('HWLOC_XMLFILE', 'HWLOC_SYNTHETIC', 'HWLOC_FSROOT', 'HWLOC_CPUID_PATH',
                     'HWLOC_THISSYSTEM'):
        with directory() as d:
            out = os.path.join(d, 'out')
            r = run('run', _write(d, SCENARIO), '--out', out,
                    env=_env(d, **{variable: 'node:2 pu:2'}))
            equal(r.returncode, 3, variable)
            contains(r.stderr, variable)
            expect(not os.path.exists(out))


def waits_for_another_sweep():
    with directory() as d:
        slow = tap.start('run', _write(d, SLOW), '--out', f'{d}/slow', env=_env(d))
        tap.wait_for(lambda: tap.measuring_child(slow.pid))
        second = tap.start('run', _write(d, SCENARIO, 'second.yaml'), '--out', f'{d}/second',
                           env=_env(d))
        line = second.stderr.readline()
        while 'warning' in line:
            line = second.stderr.readline()
        contains(line, 'another sweep')
        contains(line, str(slow.pid))
        equal(len(_results(f'{d}/second')), 0, 'measured while the other one did')
        slow.communicate(timeout=60)
        second.communicate(timeout=60)
        equal((slow.returncode, second.returncode), (0, 0))
        newest = max(os.stat(p).st_mtime_ns for p in _results(f'{d}/slow'))
        oldest = min(os.stat(p).st_mtime_ns for p in _results(f'{d}/second'))
        expect(newest < oldest, 'they overlapped')


def does_not_wait_with_no_lock():
    with directory() as d:
        slow = tap.start('run', _write(d, SLOW), '--out', f'{d}/slow', env=_env(d))
        tap.wait_for(lambda: tap.measuring_child(slow.pid))
        r = run('run', _write(d, SCENARIO, 'second.yaml'), '--out', f'{d}/second', '--no-lock',
                '--quick', env=_env(d))
        equal(r.returncode, 0, r.stderr)
        slow.terminate()
        slow.communicate()


def an_interrupt_ends_the_wait_for_the_lock():
    with directory() as d:
        slow = tap.start('run', _write(d, SLOW), '--out', f'{d}/slow', env=_env(d))
        tap.wait_for(lambda: tap.measuring_child(slow.pid))
        second = tap.start('run', _write(d, SCENARIO, 'second.yaml'), '--out', f'{d}/second',
                           env=_env(d))
        line = second.stderr.readline()
        while line and 'another sweep' not in line:
            line = second.stderr.readline()
        second.send_signal(signal.SIGINT)
        second.communicate(timeout=10)
        equal(second.returncode, -signal.SIGINT)
        slow.terminate()
        slow.communicate()


def says_that_output_was_lost():
    with directory() as d, open('/dev/full', 'w') as full:
        r = run('run', _write(d, SCENARIO), '--out', f'{d}/out', '--quick', env=_env(d), stdout=full)
        equal(r.returncode, 2)
        contains(r.stderr, 'standard output')
        expect(len(_results(f'{d}/out')) > 0, 'results are kept all the same')


def wrong_usage_is_exit_code_2():
    with directory() as d:
        scenario = _write(d, SCENARIO)
        for args in (['run'], ['run', scenario, '--no-such'], ['run', f'{d}/none.yaml'],
                     ['run', scenario, '--repetitions', '0'],
                     ['run', scenario, '--repetitions', '1.5'],
                     ['run', scenario, '--format', 'xml'], ['run', scenario, '--format', 'json,'],
                     ['run', scenario, '--label', '\udcff'], ['run', scenario, '--seed', '18G99'],
                     ['run', scenario, '--seed', '9223372036854775808'],
                     ['measure'], ['measure', 'x'], ['run', scenario, '--seed', '-1'],
                     ['run', scenario, '--time-limit', '5'],
                     ['run', scenario, '--set', 'tree.memcg=3'],
                     ['run', scenario, '--backend', 'wlak'],
                     ['run', scenario, scenario, '--out', f'{d}/out']):
            r = run(*args, env=_env(d), cwd=d)
            equal(r.returncode, 2, args)
            expect(r.stderr.strip(), args)
            equal(r.stdout, '', args)
        equal(sorted(os.listdir(d)), ['scenario.yaml'], 'left behind')


def numbers_runs_below_results_local_by_default():
    with directory() as d:
        scenario = _write(d, SCENARIO)
        for arguments, wanted in (([], '001'), (['--seed', '2'], '002'), (['--reuse'], '001'),
                                  ([], '003'), (['--reuse'], '003')):
            r = run('run', scenario, '--quick', '--dir-file', f'{d}/where', *arguments, cwd=d,
                    env=_env(d))
            equal(r.returncode, 0, r.stderr)
            equal(open(f'{d}/where').read(), f'results/local/small/{wanted}\n')


def cold_and_paced_and_several_readers_are_sampled_as_asked():
    with directory() as d:
        text = SCENARIO.replace('{samples: 40, time: 500ms}',
                                '{samples: 10, cache: cold, pacing: 1ms, readers: 2}')
        out = os.path.join(d, 'out')
        equal(run('run', _write(d, text), '--out', out, '--repetitions', '1',
                  env=_env(d)).returncode, 0)
        for path in _results(out):
            result = _load(path)
            sampling = result['sampling']
            equal(sampling['readers'], 2)
            equal(sampling['reads_per_sample'], 1, 'a cold batch would be hot')
            equal(sampling['reads'], 2 * sampling['samples'])
            equal(sampling['clock'], 'manual')
            expect(sampling['cold_method'])
            equal(len(result['placement']['reader_cpus']), 2)


def stores_no_host_or_user_name():
    with directory() as d:
        out = os.path.join(d, 'out')
        equal(run('run', _write(d, SCENARIO), '--out', out, '--quick', '--label', 'mine',
                  env=_env(d)).returncode, 0)
        names = {os.uname().nodename} - {'localhost', 'debian', ''}
        for path in [*_results(out), f'{out}/run.json']:
            text = open(path).read()
            for name in names:
                expect(f'"{name}"' not in text, name, 'in', path)
            equal(_load(path).get('label'), 'mine', path)


if __name__ == '__main__':
    tap.main(globals())
