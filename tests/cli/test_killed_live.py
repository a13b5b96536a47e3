# SPDX-License-Identifier: MIT
"""Runs on real cgroups that are killed or interrupted at random moments: nothing of them is left
after the next start, and what only looks like theirs is never touched. MEMCGBENCH_TEST_LONG=1: 200
rounds instead of 20."""
import os
import random
import signal
import time

import tap
from tap import equal, expect

LONG = os.environ.get('MEMCGBENCH_TEST_LONG') == '1'
ROUNDS = 200 if LONG else 20
# Making cgroups, charging pages, waiting for the kernel's flusher: of that, or of a whole run.
SPAN = 5.0 if LONG else 0.4
NOTES = '/run/memcgbench'
SCENARIO = """\
name: killed
tree: {shape: kubernetes, memcgs: 400}
machine: {nodes: here, cpus: here}
counters: {pages: 4}
read: {samples: 20, time: 200ms}
backends: [kernel]
repetitions: 1
"""
BOOT = open('/proc/sys/kernel/random/boot_id').read().strip()


def _hierarchy():
    """Where memory cgroups are made; skips where they cannot be."""
    if os.geteuid():
        raise tap.Skip('only root is sure to be allowed to make cgroups')
    for line in open('/proc/self/mountinfo'):
        fields, _, rest = line.partition(' - ')
        kind, _, options = rest.split()[:3]
        point = fields.split()[4]
        if kind == 'cgroup' and 'memory' in options.split(','):
            return point
    raise tap.Skip('no memory hierarchy of cgroup v1 is mounted')


def _start(folder, number):
    path = f'{folder}/killed.yaml'
    with open(path, 'w') as file:
        file.write(SCENARIO)
    return tap.start('run', path, '--no-lock', '--out', f'{folder}/{number}')


def _left(top, pid):
    """Directories and notes of that process."""
    return [f'{where}/{name}' for where in (top, NOTES) if os.path.isdir(where)
            for name in os.listdir(where) if name.startswith(f'memcgbench-{pid}-')]


def _end(process, number):
    process.send_signal(number)
    process.communicate(timeout=60)
    return process.returncode


class Decoys:
    """Cgroups with names as ours, some with all that could be copied of one; removed in the end."""
    def __init__(self, top):
        names = [f'memcgbench-999999999-1-{BOOT}', f'memcgbench-1-1-{BOOT}', 'memcgbench',
                 f'memcgbench-{os.getpid()}-test']
        self.paths = []
        for name in names:
            for path in (f'{top}/{name}', f'{top}/{name}/tree', f'{top}/{name}/tree/m1'):
                os.mkdir(path)
                self.paths.append(path)
            try:
                os.setxattr(f'{top}/{name}', 'user.memcgbench', name.encode())
            except OSError:
                pass

    def inodes(self):
        return [os.stat(path).st_ino for path in self.paths]

    def __enter__(self):
        self.before = self.inodes()
        return self

    def __exit__(self, *_):
        for path in reversed(self.paths):
            os.rmdir(path)


def killed_runs_leave_nothing_after_the_next_start():
    top = _hierarchy()
    pids, left, chance = [], 0, random.Random(time.time_ns())
    with tap.directory() as folder, Decoys(top) as decoys:
        for number in range(ROUNDS):
            process = _start(folder, number)
            pids.append(process.pid)
            # How soon it makes its first cgroup depends on what else the machine does.
            if number % 4:
                tap.wait_for(lambda pid=process.pid: _left(top, pid))
            time.sleep(chance.uniform(0, SPAN))
            expect(_end(process, signal.SIGKILL) in (-signal.SIGKILL, 0))
            left += bool(_left(top, process.pid))
            # Every other round the next run cleans up by itself.
            if number % 2 == 0:
                done = tap.run('cleanup')
                equal(done.returncode, 0, done.stderr)
                equal(_left(top, process.pid), [])
        done = tap.run('cleanup')
        equal(done.returncode, 0, done.stderr)
        equal([path for pid in pids for path in _left(top, pid)], [])
        expect('only its name says so' in done.stderr, done.stderr)
        equal(decoys.inodes(), decoys.before)
    expect(left > 0, 'no round left anything: they were killed too early')


def the_next_run_removes_what_a_killed_one_left():
    top = _hierarchy()
    with tap.directory() as folder:
        first = _start(folder, 1)
        tap.wait_for(lambda: _left(top, first.pid))
        _end(first, signal.SIGKILL)
        expect(_left(top, first.pid), 'it was killed before it made anything')
        second = _start(folder, 2)
        tap.wait_for(lambda: not _left(top, first.pid))
        equal(_end(second, signal.SIGTERM), -signal.SIGTERM)
        equal(_left(top, second.pid), [])


def interrupted_runs_remove_everything_themselves():
    top = _hierarchy()
    delays = [0.1, 0.3, 0.5, 1.0] + ([0.25 * i for i in range(1, 25)] if LONG else [])
    with tap.directory() as folder:
        for number, delay in enumerate(delays):
            for sent in (signal.SIGINT, signal.SIGTERM):
                process = _start(folder, f'{number}-{sent}')
                time.sleep(delay)
                equal(_end(process, sent), -sent)
                equal(_left(top, process.pid), [])


def one_that_is_interrupted_while_it_measures_does_so_too():
    top = _hierarchy()
    with tap.directory() as folder:
        process = _start(folder, 1)
        tap.wait_for(lambda: tap.measuring_child(process.pid))
        equal(_end(process, signal.SIGINT), -signal.SIGINT)
        equal(_left(top, process.pid), [])


def a_terminal_that_goes_away_leaves_nothing():
    top = _hierarchy()
    with tap.directory() as folder:
        for sent in (signal.SIGHUP, signal.SIGQUIT):
            process = _start(folder, sent)
            tap.wait_for(lambda pid=process.pid: _left(top, pid))
            equal(_end(process, sent), -sent)
            equal(_left(top, process.pid), [])


def progress_that_nobody_reads_any_more_leaves_nothing():
    top = _hierarchy()
    with tap.directory() as folder:
        process = _start(folder, 1)
        tap.wait_for(lambda: _left(top, process.pid))
        process.stderr.close()
        equal(process.wait(60), -signal.SIGPIPE)
        equal(_left(top, process.pid), [])


def limits_are_told_before_anything_is_made():
    top = _hierarchy()
    with tap.directory() as folder:
        with open(f'{folder}/killed.yaml', 'w') as file:
            file.write(SCENARIO)
        done = tap.run('run', f'{folder}/killed.yaml', '--no-lock', '--out', f'{folder}/out',
                       '--set', 'tree.memcgs=65535', '--set', 'counters.pages=1M')
        equal(done.returncode, 3, done.stderr)
        expect('65,535 ids' in done.stderr and 'what is available' in done.stderr, done.stderr)
    expect(os.path.isdir(top))


tap.main(globals())
