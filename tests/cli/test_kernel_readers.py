# SPDX-License-Identifier: MIT
"""Real cgroups, read in every way: by the kernel's file, by a walk of all files, and by models."""
import json
import os

import tap

MEMCGS, DYING, PAGES = 120, 12, 10
SCENARIO = f'''name: readers
tree: {{shape: flat, memcgs: {MEMCGS}, dying: 10%}}
machine: {{nodes: here, cpus: here}}
counters: {{pages: {PAGES}, batch: 0}}
read: {{version: here, time: 50ms, samples: 20}}
backends: [cached, kernel, kernel-userwalk, kernel-floor]
repetitions: 1
'''
KERNEL = ('kernel', 'kernel-userwalk', 'kernel-floor')


def _results(*sets):
    """Of each point, its results by back end: what the processes wrote."""
    with tap.directory() as directory:
        with open(os.path.join(directory, 's.yaml'), 'w', encoding='utf-8') as file:
            file.write(SCENARIO)
        arguments = [part for text in sets for part in ('--set', text)]
        run = tap.run('run', 's.yaml', '--no-lock', '--out', 'run', *arguments, cwd=directory)
        if run.returncode == 3:
            raise tap.Skip(run.stderr.strip().splitlines()[0])
        tap.equal(run.returncode, 0, run.stderr)
        points = {}
        for name in os.listdir(f'{directory}/run'):
            if name.count('.') != 3:
                continue
            with open(f'{directory}/run/{name}', encoding='utf-8') as file:
                result = json.load(file)
            tap.equal(result['status'], 'ok', result.get('reason'))
            parameters = result['point']['parameters']
            key = (parameters['read.cgroup'], parameters['read.buffer'])
            points.setdefault(key, {})[result['backend']] = result
        return points


def _expect_within(result):
    """A sanitizer's own pages are charged with those of the task that it looks after."""
    if tap.sanitized():
        return
    for key in ('error', 'local_error'):
        if result[key]:
            tap.equal(result[key]['cells_beyond_bound'], 0, (result['backend'], result[key]))


def _is_exact(result):
    return result['error']['pages'] == 0 and result['local_error']['pages'] == 0


def all_agree_on_every_target_by_either_descriptor():
    points = _results('read.cgroup=[root,middle,leaf,all]', 'read.buffer=[reopened,kept]')
    tap.equal(len(points), 8)
    for (cgroup, buffer), results in points.items():
        visible = 1 + MEMCGS - DYING
        files = {'root': 1, 'middle': 1, 'leaf': 1, 'all': visible}[cgroup]
        below = {'root': visible, 'middle': visible, 'leaf': 1, 'all': 2 * visible - 1}[cgroup]
        reads = 2 if buffer == 'reopened' else 1
        for name in KERNEL:
            live = results[name]['live']
            walked = below if name == 'kernel-userwalk' else files
            tap.equal((live['descriptor'], live['files'], live['reads']),
                      (buffer, walked, walked * reads), (name, cgroup))
            _expect_within(results[name])
        tap.equal(results['kernel-floor']['error'], None)
        tap.equal(results['kernel-floor']['closure'], None)
        tap.equal(results['kernel-userwalk']['counts']['memcgs_visited'], below)
        tap.equal(results['kernel']['counts']['memcgs_visited'], None)
        # Nothing is held back in the model's batches: where CPUs hold back nothing either, both
        # print as many digits.
        if _is_exact(results['kernel']):
            tap.equal(results['cached']['counts']['text_bytes'],
                      results['kernel']['counts']['text_bytes'], (cgroup, buffer))


def what_the_dying_hold_is_missing_in_a_walk_of_files():
    if tap.sanitized():
        raise tap.Skip("a sanitizer's own pages are charged, too")
    results = _results()['root', 'reopened']
    fixture = results['kernel']['live']['fixture']
    tap.equal((fixture['pages'], fixture['dying_asked']), ((MEMCGS + 1) * PAGES, DYING))
    if fixture['dying_found'] is None or fixture['dying_found'] < DYING:
        raise tap.Skip('this kernel does not keep what is removed')
    truth = fixture['truth']
    missing = truth['hierarchical_pages'] - truth['local_pages_sum']
    tap.expect(abs(missing - DYING * PAGES) <= truth['bound_pages'], truth)
    tap.expect(abs(truth['hierarchical_pages'] - truth['charged_pages']) <= truth['bound_pages'],
               truth)
    tap.expect(results['kernel-userwalk']['error']['pages'] > results['kernel']['error']['pages'],
               results['kernel-userwalk']['error'])


def memory_stat_is_read_by_two_readers_at_a_time():
    results = _results('read.file=memory.stat', 'read.readers=2')['root', 'reopened']
    for name in KERNEL:
        tap.equal(results[name]['live']['fixture']['version'], 1)
        _expect_within(results[name])
    tap.equal(results['kernel']['error']['cell'], 'total_unevictable')
    tap.equal(results['kernel-userwalk']['error']['cell'], 'total_unevictable')


def what_no_kernel_can_do_is_said_beforehand():
    with tap.directory() as directory:
        with open(os.path.join(directory, 's.yaml'), 'w', encoding='utf-8') as file:
            file.write(SCENARIO)
        run = tap.run('run', 's.yaml', '--no-lock', '--out', 'run', '--set', 'read.buffer=large',
                      '--set', 'read.rows=hierarchical', cwd=directory)
        tap.equal(run.returncode, 3)
        text = ' '.join((run.stdout + run.stderr).split())
        tap.contains(text, 'read.buffer: large is of models')
        tap.contains(text, 'read.rows: hierarchical is of models')
        tap.expect(not os.path.exists(f'{directory}/run/run.json'))


if __name__ == '__main__':
    tap.main(globals())
