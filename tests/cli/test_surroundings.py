# SPDX-License-Identifier: MIT
"""What a parent, a file system or another sweep may do to `memcgbench`: said, and never damage."""
import json
import os
import signal
import subprocess
import time

import tap
from tap import contains, directory, equal, expect, run

SCENARIO = '''\
name: small
tree: {memcgs: [10, 20]}
read: {samples: 20, time: 200ms}
repetitions: 2
'''
SLOW = '''\
name: slow
tree: {memcgs: 20}
read: {samples: 40, pacing: 20ms}
backends: [cached]
repetitions: 3
'''


def _write(folder, text=SCENARIO, name='scenario.yaml'):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def _env(folder, **changes):
    return tap.environment(MEMCGBENCH_LOCK=os.path.join(folder, 'lock'), **changes)


def _shell(folder, line, **changes):
    """Run a line of shell; "$P" is the program."""
    return subprocess.run(['sh', '-c', line], env=_env(folder, P=tap.PROGRAM, **changes), cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, text=True)


def _names(out):
    return sorted(os.listdir(out))


def closed_descriptors_are_not_taken_by_files():
    for closed, wanted in (('<&-', 0), ('>&-', 2), ('<&- >&-', 2), ('2>&-', 0), ('>&- 2>&-', 2),
                           ('<&- >&- 2>&-', 2)):
        with directory() as d:
            _write(d)
            r = _shell(d, f'exec "$P" run scenario.yaml --out out {closed}')
            equal(r.returncode, wanted, closed)
            equal(len(_names(f'{d}/out')), 2 * 2 * 2 + 1, closed)
            for name in _names(f'{d}/out'):
                with open(f'{d}/out/{name}') as file:
                    json.load(file)
            with open(f'{d}/lock') as file:
                expect(file.read().strip().isdigit(), closed, 'the lock holds a number only')


def children_are_waited_for_where_a_parent_ignores_them():
    def ignore():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with directory() as d:
        r = subprocess.run([tap.PROGRAM, 'run', _write(d), '--out', f'{d}/out'], env=_env(d),
                           preexec_fn=ignore, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=60, text=True)
        equal(r.returncode, 0, r.stderr)


def a_limit_of_file_size_is_an_error_that_is_said():
    with directory() as d:
        _write(d)
        r = _shell(d, 'ulimit -f 1; exec "$P" run scenario.yaml --no-lock --out out')
        equal(r.returncode, 2, r.stderr)
        contains(r.stderr, 'run.json: cannot write: File too large')
        equal(_names(f'{d}/out'), [], 'left behind')


def too_few_descriptors_are_named():
    with directory() as d:
        _write(d)
        r = _shell(d, 'ulimit -n 9; exec "$P" run scenario.yaml --no-lock --out out --quick')
        equal(r.returncode, 2, r.stderr)
        contains(r.stderr, 'descriptors')


def a_fifo_in_a_run_is_refused_at_once():
    with directory() as d:
        scenario, out = _write(d), f'{d}/out'
        equal(run('run', scenario, '--out', out, env=_env(d)).returncode, 0)
        name = next(n for n in _names(out) if n != 'run.json')
        os.unlink(f'{out}/{name}')
        os.mkfifo(f'{out}/{name}')
        r = run('run', scenario, '--out', out, env=_env(d), timeout=60)
        equal(r.returncode, 0, r.stderr)
        expect(os.path.isfile(f'{out}/{name}'), 'measured again')
        os.unlink(f'{out}/run.json')
        os.mkfifo(f'{out}/run.json')
        for command in (['run', scenario, '--out', out], ['report', out, '--charts', f'{d}/c']):
            r = run(*command, env=_env(d), timeout=60)
            equal(r.returncode, 2, command)
            contains(r.stderr, 'run.json: is not a regular file')


def a_run_that_no_scenario_can_be_is_refused_at_once():
    for key, value in (('repetitions', 2 ** 31), ('backends', ['walk'] * 1000)):
        with directory() as d:
            out = f'{d}/out'
            equal(run('run', _write(d), '--out', out, '--quick', env=_env(d)).returncode, 0)
            with open(f'{out}/run.json') as file:
                document = json.load(file)
            document['identity'][key] = value
            with open(f'{out}/run.json', 'w') as file:
                json.dump(document, file)
            r = run('report', out, '--charts', f'{d}/c', timeout=60)
            equal(r.returncode, 2, key)
            contains(r.stderr, f'identity.{key}')


def two_sweeps_do_not_share_a_directory():
    with directory() as d:
        scenario, out = _write(d, SLOW), f'{d}/out'
        first = tap.start('run', scenario, '--no-lock', '--out', out, env=_env(d))
        end = time.monotonic() + 60
        while not os.path.isdir(out) or len(_names(out)) < 2:
            expect(time.monotonic() < end, 'nothing was measured')
            time.sleep(0.01)
        # A file that is being written has a name of its own until it is whole.
        before = {name for name in _names(out) if name.endswith('.json')}
        second = run('run', scenario, '--no-lock', '--out', out, env=_env(d))
        equal(second.returncode, 2, second.stderr)
        contains(second.stderr, f'{out}: another sweep is measuring into it')
        equal(first.poll(), None, 'the first goes on')
        stderr = first.communicate(timeout=60)[1]
        equal(first.returncode, 0, stderr)
        expect(before <= set(_names(out)), before)
        equal(run('run', scenario, scenario, '--no-lock', env=_env(d), cwd=d).returncode, 0,
              'one sweep may name a scenario twice')


def what_cannot_be_written_is_said_with_its_reason():
    if os.getuid() != 0 or not os.path.exists('/usr/bin/setpriv'):
        raise tap.Skip('needs root and setpriv')
    with directory() as d:
        scenario, out = _write(d), f'{d}/out'
        equal(run('run', scenario, '--out', out, env=_env(d)).returncode, 0)
        os.unlink(f'{out}/{_names(out)[0]}')
        os.chmod(d, 0o755)
        program = f'{d}/memcgbench'  # where everybody may read it
        with open(tap.PROGRAM, 'rb') as source, open(program, 'wb') as copy:
            copy.write(source.read())
        os.chmod(program, 0o755)
        r = subprocess.run(['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', program,
                            'run', scenario, '--no-lock', '--out', out], env=_env(d),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, text=True)
        equal(r.returncode, 2, r.stderr)
        contains(r.stderr, 'cannot write results there: Permission denied')


def labels_are_printable_text():
    with directory() as d:
        for label in (b'\xff', b'\x1b[31m', b'a\nb', b'x' * 201):
            r = subprocess.run([tap.PROGRAM, 'run', _write(d), '--out', f'{d}/out', '--label', label],
                               env=_env(d), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            equal(r.returncode, 2, label)
            contains(r.stderr.decode('utf-8', 'replace'), '--label')
        expect(not os.path.exists(f'{d}/out'))


def an_empty_name_is_shown_as_one():
    for command in (['run'], ['plan'], ['check'], ['parse'], ['topo', '--topology']):
        r = run(*command, '')
        equal(r.returncode, 2, command)
        contains(r.stderr, "''")


def a_gnuplot_that_closes_its_output_and_stays_is_ended():
    with directory() as d:
        out = f'{d}/out'
        equal(run('run', _write(d), '--out', out, '--quick', env=_env(d)).returncode, 0)
        os.mkdir(f'{d}/bin')
        with open(f'{d}/bin/gnuplot', 'w') as file:
            file.write('#!/bin/sh\nexec >&- 2>&-\nexec sleep 300\n')
        os.chmod(f'{d}/bin/gnuplot', 0o755)
        env = _env(d, PATH=f'{d}/bin:{os.environ["PATH"]}')
        r = run('report', out, '--charts', f'{d}/c', env=env, timeout=60)
        equal(r.returncode, 2, r.stderr)
        contains(r.stderr, 'gnuplot')


if __name__ == '__main__':
    tap.main(globals())
