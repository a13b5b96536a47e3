# SPDX-License-Identifier: MIT
"""memcgbench parse: what it prints, what it refuses, and how it exits.

The inputs in tests/memcg/data were made after the formats of the kernels they are named for; they
hold invented numbers. Each has its output in tests/cli/parse. `test_parse.py PROGRAM --update` writes the
outputs anew: look at the difference before you keep it.
"""
import json
import os
import sys

import tap

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, '..', 'memcg', 'data')
GOLDEN = os.path.join(HERE, 'parse')
INPUTS = sorted(os.listdir(DATA))
V1 = 'total=7062 N0=0 N1=7115\n'


def _golden(name):
    with open(os.path.join(GOLDEN, name), encoding='utf-8') as file:
        return file.read()


def _run_on(content, *args):
    """Parse `content` from a file whose name is in messages as `stat`."""
    if isinstance(content, str):
        content = content.encode()
    with tap.directory() as directory:
        with open(os.path.join(directory, 'stat'), 'wb') as file:
            file.write(content)
        return tap.run('parse', 'stat', *args, cwd=directory)


def _number(value):
    """Numbers above 2^63-1 are strings."""
    if isinstance(value, str):
        tap.expect(not -2**63 <= int(value) < 2**63, 'a string for no need:', value)
    return None if value is None else int(value)


def _read_naively(name):
    """The values of an input by nothing but splitting: {name: [sum or value or None, {node: n}]}."""
    rows = {}
    with open(os.path.join(DATA, name), encoding='ascii') as file:
        for line in file.read().splitlines():
            first, *columns = line.split(' ')
            if line.startswith(('numa_locality', 'numa_exectime', 'vendor_', 'whatever')):
                continue
            nodes = {c.split('=')[0][1:]: int(c.split('=')[1]) for c in columns if '=' in c}
            if '=' in first:
                rows[first.split('=')[0]] = [int(first.split('=')[1]), nodes]
            else:
                rows[first] = [None if nodes else int(columns[0]), nodes]
    return rows


def every_input_gives_its_golden_output():
    tap.expect(len(INPUTS) >= 12)
    for name in INPUTS:
        result = tap.run('parse', name, cwd=DATA)
        tap.equal(result.returncode, 0, name)
        tap.equal(result.stdout, _golden(name + '.json'), name)


def the_numbers_are_those_of_the_file():
    for name in INPUTS:
        naive = _read_naively(name)
        found = json.loads(tap.run('parse', name, cwd=DATA).stdout)
        tap.equal(found['type'], '-'.join(name.split('-')[:2]), name)
        tap.equal(found['unit'], 'pages' if found['type'] == 'v1-numa_stat' else 'bytes', name)
        tap.expect(found['rows'])
        for row in found['rows']:
            value, nodes = naive[row['name']]
            if 'numa' not in found['type']:
                tap.equal(_number(row['value']), value, name)
                continue
            tap.equal({k: _number(v) for k, v in row['nodes'].items()}, nodes, name)
            tap.equal(_number(row['sum']), value, name)
            tap.equal(_number(row['sum_minus_nodes']),
                      None if value is None else value - sum(nodes.values()), name)


def unknown_lines_are_kept_and_said_in_one_line():
    result = tap.run('parse', 'v1-numa_stat-vendor', cwd=DATA)
    tap.equal(json.loads(result.stdout)['unknown'], [
        {'line': 9, 'text': 'numa_locality 0 0 0 0 0 0 0 0 0 0'},
        {'line': 10, 'text': 'numa_exectime 0'},
        {'line': 11, 'text': 'whatever=100 N0=0'}])
    tap.equal(result.stderr,
              'memcgbench: v1-numa_stat-vendor: 3 unknown lines kept as text: 9, 10, 11\n')
    result = _run_on('cache 1\n' + 'x\n' * 11)
    tap.equal(result.stderr, 'memcgbench: stat: 11 unknown lines kept as text: '
              + ', '.join(str(n) for n in range(2, 12)) + ', ...\n')
    tap.equal(len(json.loads(result.stdout)['unknown']), 11)
    result = _run_on('cache 1\nx "\\\n')
    tap.equal(json.loads(result.stdout)['unknown'], [{'line': 2, 'text': 'x "\\'}])
    tap.equal(result.stderr, 'memcgbench: stat: 1 unknown line kept as text: 2\n')


def a_clean_file_says_nothing():
    result = tap.run('parse', 'v1-numa_stat-linux-5.6', cwd=DATA)
    tap.equal(result.stderr, '')


def fewer_rows_than_any_kernel_prints_are_said():
    result = _run_on(V1)
    tap.equal(result.returncode, 0)
    tap.equal(result.stderr, 'memcgbench: stat: 1 of the 4 rows that every kernel prints are here\n')
    tap.equal(json.loads(result.stdout)['rows'], [{
        'name': 'total', 'line': 1, 'unit': 'pages', 'sum': 7062, 'nodes': {'0': 0, '1': 7115},
        'sum_minus_nodes': -53}])


def numbers_beyond_a_signed_64_bit_integer_are_strings():
    for value in (2**63 - 1, 2**63, 2**64 - 1):
        want = value if value < 2**63 else str(value)
        row = json.loads(_run_on(f'total={value} N0=0\n').stdout)['rows'][0]
        tap.equal((row['sum'], row['sum_minus_nodes']), (want, want))
        row = json.loads(_run_on(f'writeback {value}\n').stdout)['rows'][0]
        tap.equal(row['value'], want)
        row = json.loads(_run_on(f'anon N0={value}\n').stdout)['rows'][0]
        tap.equal(row['nodes'], {'0': want})
    for columns in (1, 2, 1024):
        text = 'total=0' + ''.join(f' N{n}={2**63 + 1}' for n in range(columns)) + '\n'
        row = json.loads(_run_on(text).stdout)['rows'][0]
        tap.equal(row['sum_minus_nodes'], str(-(2**63 + 1) * columns))
    row = json.loads(_run_on(f'total=0 N0={2**63}\n').stdout)['rows'][0]
    tap.equal(row['sum_minus_nodes'], -2**63)


def standard_input_is_read():
    result = tap.run('parse', '-', stdin=V1)
    tap.equal(result.returncode, 0)
    tap.equal(json.loads(result.stdout)['rows'][0]['sum'], 7062)
    result = tap.run('parse', '-', stdin='')
    tap.equal((result.returncode, result.stdout), (2, ''))
    tap.equal(result.stderr, 'memcgbench: <stdin>:1:1: the file is empty\n')


def a_last_line_needs_no_newline():
    tap.equal(_run_on(V1.rstrip('\n')).stdout, _run_on(V1).stdout)


def the_type_given_overrides():
    tap.equal(_run_on('pgfault 5\n').returncode, 2)
    for kind in ('v1-memory.stat', 'v2-memory.stat'):
        result = _run_on('pgfault 5\n', '--type', kind)
        tap.equal(json.loads(result.stdout), {
            'type': kind, 'unit': 'bytes', 'unknown': [],
            'rows': [{'name': 'pgfault', 'line': 1, 'unit': 'count', 'value': 5}]})
    result = _run_on('anon N0=4096\n', '--type=v1-numa_stat')
    tap.equal((result.returncode, result.stdout), (2, ''))
    tap.equal(result.stderr, "memcgbench: stat:1:5: ' ' where '=' should be\n")
    result = _run_on('anon N0=4096\n', '--type=v2-numa_stat')
    tap.equal(result.returncode, 0)


# content, then the place and message on standard error
ERRORS = [
    ('', "1:1: the file is empty"),
    ('hello world\n',
     "1:1: not a memory.numa_stat or memory.stat: no known row up to line 1"),
    ('shmem 1\npgfault 1\n',
     "1:1: memory.stat of v1 or of v2? Both have these rows; --type tells"),
    ('total=x N0=1\n', "1:7: 'x' where a number should be"),
    ('total=-1 N0=1\n', "1:7: '-' where a number should be"),
    (V1 + 'file=1e3 N0=0 N1=1\n', "2:7: 'e' in a number (decimal digits only)"),
    (V1 + 'file=007 N0=0 N1=1\n', "2:6: a number with leading zeros"),
    (V1 + 'file=1 N0=18446744073709551616 N1=0\n', "2:11: a number that does not fit 64 bits"),
    (V1 + V1, "2:1: the row 'total' is there twice (first in line 1)"),
    (V1 + 'file=1 N0=1 N0=1\n', "2:13: node N0 is twice in this row"),
    ('total=1 N1024=1\n', "1:10: a node id above 1023"),
    (V1 + 'file=1 N0=', "2:11: the row is cut: a number should follow"),
    (V1 + 'file=1 N0=1\n', "2:12: the row is cut: N1 is missing, which line 1 has"),
    (V1 + 'hierarchical_un', "2:16: the row is cut in its name"),
    (V1 + 'file=1 N0=1 N1=0\nhierarchical_total=1 N0=1 N1=0\n',
     "3:31: the file is cut: no row 'hierarchical_file', but line 2 has 'file'"),
    ('anon N0=1 N1=1\nfile N0=1 N', "2:12: the row is cut: a number should follow"),
    ('anon N0=1\nfile\n', "2:5: the row is cut: ' N' should follow"),
    ('anon 1\nfile 1 2\n', "2:7: more than one number in the row"),
    (V1 + ' file=1 N0=1 N1=1\n', "2:1: blanks before the row 'file'"),
    (V1.replace('\n', '\r\n'), "1:24: a carriage return (a kernel ends lines with newline alone)"),
    (V1 + 'x\0y\n', "2:2: byte 0x00 (a kernel prints ASCII text)"),
    (b'\xff\xfet\0', "1:1: byte 0xff (a kernel prints ASCII text)"),
    ('cache 1\n' + 'x\n' * 1001, "1002:1: more than 1000 lines are not known: not a v1-memory.stat"),
]


def every_error_has_its_place_and_exit_code_2():
    for content, message in ERRORS:
        result = _run_on(content)
        tap.equal(result.stderr, f'memcgbench: stat:{message}\n')
        tap.equal((result.returncode, result.stdout), (2, ''), repr(content))


def files_that_cannot_be_read_are_exit_code_2():
    with tap.directory() as directory:
        result = tap.run('parse', 'missing', cwd=directory)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.equal(result.stderr, 'memcgbench: missing: cannot open: No such file or directory\n')
        result = tap.run('parse', '.', cwd=directory)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, 'memcgbench: .: cannot read: Is a directory')
        with open(os.path.join(directory, 'huge'), 'wb') as file:
            file.truncate((16 << 20) + 1)
        result = tap.run('parse', 'huge', cwd=directory)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, 'memcgbench: huge: longer than 16777216 bytes')


def wrong_usage_is_exit_code_2():
    for args, message in [((), 'FILE is missing'), (('a', 'b'), 'more than one FILE'),
                          (('--type', 'v3', 'a'), "--type: 'v3' is not one of v1-numa_stat "
                           'v2-numa_stat v1-memory.stat v2-memory.stat'),
                          (('--nonsense', 'a'), "unrecognized option '--nonsense'")]:
        result = tap.run('parse', *args)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, 'memcgbench parse: ' + message)


def help_is_printed_as_it_was():
    result = tap.run('parse', '--help')
    tap.equal((result.returncode, result.stderr), (0, ''))
    tap.equal(result.stdout, _golden('help.txt'))


def a_full_disk_is_exit_code_2():
    with open('/dev/full', 'w', encoding='ascii') as full:
        for name in ('v1-numa_stat-linux-3.2', 'v2-numa_stat-grace-hopper'):
            result = tap.run('parse', os.path.join(DATA, name), stdout=full)
            tap.equal(result.returncode, 2)
            tap.contains(result.stderr, 'cannot write to standard output: No space left on device')


def _update():
    for name in INPUTS:
        with open(os.path.join(GOLDEN, name + '.json'), 'w', encoding='utf-8') as file:
            file.write(tap.run('parse', name, cwd=DATA).stdout)
    with open(os.path.join(GOLDEN, 'help.txt'), 'w', encoding='utf-8') as file:
        file.write(tap.run('parse', '--help').stdout)


if '--update' in sys.argv:
    _update()
else:
    tap.main(globals())
