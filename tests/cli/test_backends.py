# SPDX-License-Identifier: MIT
"""memcgbench backends: what it lists, in each format."""
import json

import tap

WALK = ('walk', 'walks the subtree for every cell and sums each possible CPU (Linux 5.3 to 5.7)')
CACHED = ('cached', 'reads counters that updates maintain in every ancestor (Linux 5.8 to 5.12)')


def _listed():
    return json.loads(tap.run('backends', '-f', 'json').stdout)['backends']


def _yes(entry):
    return 'yes' if entry['updates'] else 'no'


def _files(entry):
    return {4: 'all', 2: 'some', 1: 'numa_stat'}[len(entry['files'])]


def json_has_the_back_ends_before_and_after_the_patch():
    listed = _listed()
    tap.equal([(entry['name'], entry['description']) for entry in listed[:2]], [WALK, CACHED])
    tap.equal([entry['updates'] for entry in listed[:2]], [True, True])


def json_has_the_files_that_each_can_read():
    files = {entry['name']: entry['files'] for entry in _listed()}
    everything = ['v1-numa_stat', 'v2-numa_stat', 'v1-memory.stat', 'v2-memory.stat']
    for name in ('walk', 'walk-415', 'walk-once', 'cached', 'rstat'):
        tap.equal(files[name], everything, name)
    tap.equal(files['cached-fnptr'], everything[:1])
    tap.equal(files['packed'], everything[:1])


def the_table_has_the_same_words_within_80_columns():
    result = tap.run('backends')
    tap.equal(result.returncode, 0)
    tap.equal(result.stderr, '')
    words = ['back end kind updates files what it does']
    words += [f"{entry['name']} {entry['kind']} {_yes(entry)} {_files(entry)} {entry['description']}"
              for entry in _listed()]
    tap.equal(' '.join(result.stdout.split()), ' '.join(words))
    tap.expect(max(map(len, result.stdout.splitlines())) <= 80, result.stdout)


def tsv_has_the_same_cells():
    rows = [line.split('\t') for line in tap.run('backends', '--format=tsv').stdout.splitlines()]
    tap.equal(rows[0][0], 'name')
    tap.equal(rows[1:], [[entry['name'], _yes(entry), entry['description'], _files(entry), entry['kind']]
                         for entry in _listed()])


def wrong_usage_is_exit_code_2():
    for arguments in (['--format=xml'], ['--format=json,table'], ['walk'], ['--frobnicate']):
        result = tap.run('backends', *arguments)
        tap.equal(result.returncode, 2, arguments)
        tap.equal(result.stdout, '', arguments)
        tap.contains(result.stderr, 'memcgbench backends: ')


def a_full_disk_is_exit_code_2():
    with open('/dev/full', 'w') as full:
        result = tap.run('backends', stdout=full)
    tap.equal(result.returncode, 2)
    tap.contains(result.stderr, 'cannot write to standard output')


if __name__ == '__main__':
    tap.main(globals())
