# SPDX-License-Identifier: MIT
"""memcgbench backends: what it lists, in each format."""
import json

import tap

TABLE = """\
back end  updates  what it does
walk      yes      walks the subtree for every cell and sums each possible CPU
                   (Linux 5.3 to 5.7)
cached    yes      reads counters that updates maintain in every ancestor (Linux
                   5.8 to 5.12)
"""


WORDS = ' '.join(TABLE.split())


def both_back_ends_are_listed():
    result = tap.run('backends')
    tap.equal(result.returncode, 0)
    tap.equal(result.stdout, TABLE)
    tap.equal(result.stderr, '')


def tsv_has_the_same_cells():
    rows = [line.split('\t') for line in tap.run('backends', '--format=tsv').stdout.splitlines()]
    tap.equal([row[0] for row in rows], ['name', 'walk', 'cached'])
    for row in rows[1:]:
        tap.contains(WORDS, ' '.join(row))


def json_has_the_same_back_ends():
    listed = json.loads(tap.run('backends', '--format', 'json').stdout)['backends']
    tap.equal([entry['name'] for entry in listed], ['walk', 'cached'])
    for entry in listed:
        tap.equal(entry['updates'], True)
        tap.contains(WORDS, f"{entry['name']} yes {entry['description']}")


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
