#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_errors.py PROGRAM ERRORS.txt: what a scenario must not say is told to the letter, at its place."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import tap  # noqa: E402

HEAD = b'name: a\ntree: {memcgs: 10}\n'


def _backends():
    rows = tap.run('backends', '--format=tsv').stdout.splitlines()[1:]
    return ', '.join(row.split('\t')[0] for row in rows)


def _groups():
    groups = {}
    backends = _backends()
    with open(sys.argv[2], encoding='utf-8') as file:
        for line in file.read().splitlines():
            if line.startswith('## '):
                cases = groups[line[3:]] = []
            elif line.startswith('> ') or line == '>':
                text = line[2:].encode().decode('unicode_escape').encode('latin-1')
                cases.append((HEAD + text[1:] if text.startswith(b'@') else text, []))
            elif line and not line.startswith('#'):
                cases[-1][1].append('memcgbench: f:' + line.replace('BACKENDS', backends))
    return groups


def _check(cases):
    with tap.directory() as directory:
        for text, wanted in cases:
            with open(os.path.join(directory, 'f'), 'wb') as file:
                file.write(text)
            result = tap.run('plan', 'f', cwd=directory)
            tap.equal(result.stderr.splitlines(), wanted, text)
            tap.equal(result.returncode, 2, text)
            tap.equal(result.stdout, '', text)


def standard_input_is_named():
    result = tap.run('plan', '-', stdin='name: A')
    tap.equal(result.returncode, 2)
    tap.contains(result.stderr, "memcgbench: <stdin>:1:7: name: 'A'")


def the_head_that_cases_share_is_right():
    result = tap.run('plan', '-', stdin=HEAD.decode())
    tap.equal(result.returncode, 0, result.stderr)


def a_file_may_be_of_a_mebibyte_and_not_larger():
    with tap.directory() as directory:
        for size, code in ((1024 * 1024, 0), (1024 * 1024 + 1, 2)):
            with open(os.path.join(directory, 'f'), 'wb') as file:
                file.write(HEAD + b'#' * (size - len(HEAD)))
            result = tap.run('plan', 'f', cwd=directory)
            tap.equal(result.returncode, code, result.stderr)
        tap.contains(result.stderr, 'memcgbench: f: ')


def what_cannot_be_read_is_an_error():
    with tap.directory() as directory:
        for path in ('missing.yaml', directory):
            result = tap.run('plan', path, cwd=directory)
            tap.equal(result.returncode, 2)
            tap.contains(result.stderr, f'memcgbench: {path}: ')


def hostile_nesting_and_lists_end_soon():
    for text in ('[' * 500000, '{a: ' * 200000, '- ' * 400000, '? ' * 400000,
                 'a: ' + '&a ' * 300000, 'tree: {memcgs: [' + '1,' * 500000 + ']}',
                 '\n'.join(f'k{i}: 1' for i in range(80000)),
                 'a: "' + '\\0' * 500000 + '"', "x: !<" + 'y' * 900000):
        result = tap.run('plan', '-', stdin=text, timeout=20)
        tap.equal(result.returncode, 2, text[:20])
        tap.expect(len(result.stderr) < 20000, text[:20])


def a_hundred_thousand_points_are_planned():
    if not os.environ.get('MEMCGBENCH_TEST_LONG'):
        raise tap.Skip('MEMCGBENCH_TEST_LONG is not set')
    numbers = [str(i) for i in range(1, 1001)]
    text = f'name: a\ntree: {{memcgs: [{",".join(numbers)}], seed: [{",".join(numbers[:100])}]}}\n'
    for format, points in (('tsv', lambda out: out.count('\n') - 1),
                           ('json', lambda out: len(json.loads(out)['points']))):
        result = tap.run('plan', '-', '--format', format, '--backend', 'cached', stdin=text)
        tap.equal(result.returncode, 0, result.stderr)
        tap.equal(points(result.stdout), 100000, format)


def _test(cases):
    return lambda: _check(cases)


for _title, _cases in _groups().items():
    globals()[_title.replace(' ', '_')] = _test(_cases)

tap.main(globals())
