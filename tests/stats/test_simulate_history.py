#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is promised of `history` holds on simulated series, and docs/statistics.md says what the
simulation says. In full with MEMCGBENCH_TEST_LONG=1, otherwise on a part of it.

Usage: test_simulate_history.py PROGRAM DOCS"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import tap  # noqa: E402

PROGRAM, DOCS = sys.argv[1:3]
LONG = os.environ.get('MEMCGBENCH_TEST_LONG') == '1'
PART = ['--seeds', '1', '--series', '25']
NUMBER = re.compile(r'\d+(?:\.\d+)?')


def _simulate(*args):
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True, encoding='utf-8',
                          timeout=1200, check=False)


def scores(document, watched_by, kind):
    return [score for score in document['scores']
            if score['watched_by'].startswith(watched_by) and score['kind'] == kind]


def _documented():
    """The table as the page has it, and the command above it."""
    with open(DOCS, encoding='utf-8') as file:
        text = file.read()
    return re.search(r'```\n\$ [^\n]*simulate_history\n(.*?)```', text, re.S).group(1)


def change_points_keep_what_is_promised_and_common_gates_do_not():
    done = _simulate(*([] if LONG else PART), '--format', 'json')
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    document = json.loads(done.stdout)
    promised = document['promised']
    # The speed is promised of an optimised program, not of one that a sanitizer watches.
    in_time = document['worst']['search_seconds'] < promised['search_seconds']
    assert in_time or tap.sanitized(), document['worst']
    assert done.returncode == (0 if in_time else 1), (done.returncode, document['worst'])
    assert promised['false_alarms_per_100_runs'] == 0.2 and promised['share_found'] == 0.85

    for kind in ('level', 'step of 10 %'):
        ours = scores(document, 'change points', kind)
        assert len(ours) == (36 if LONG else 12), len(ours)
        for score in ours:
            assert score['runs'] == 100 * score['series'], score
            assert 100 * score['false_alarms'] <= 0.2 * score['runs'], score
    for score in scores(document, 'change points', 'step of 10 %'):
        assert score['found'] >= 0.85 * score['series'], score

    # Each of the others fails somewhere: too many alarms, or steps that it does not see.
    for gate in {score['watched_by'] for score in document['scores']}:
        if gate.startswith('change points'):
            continue
        assert any(score['false_alarms_per_100_runs'] > 1
                   for score in scores(document, gate, 'level')), gate


def the_same_seed_gives_the_same_figures():
    first, second = (json.loads(_simulate('--seeds', '7', '--series', '5', '--format',
                                         'json').stdout)['scores'] for _ in range(2))
    other = json.loads(_simulate('--seeds', '8', '--series', '5', '--format',
                                'json').stdout)['scores']
    assert first == second
    assert [s['found'] for s in first] != [s['found'] for s in other]


def a_figure_that_misses_is_exit_code_1():
    # In series this short no step can be shown within ten runs.
    done = _simulate('--seeds', '1', '--series', '5', '--runs', '20')
    assert done.returncode == 1, done.returncode
    assert 'of 10 % steps found' in ' '.join(done.stdout.split()), done.stdout


def wrong_usage_is_exit_code_2():
    for args in (['--seeds', '1,'], ['--seeds', 'x'], ['--series', '0'], ['--runs', '19'],
                 ['--seeds', ','.join(['1'] * 17)], ['--format', 'tsv'], ['more']):
        done = _simulate(*args)
        assert done.returncode == 2 and done.stderr and not done.stdout, (args, done)


def the_table_fits_a_terminal_and_is_that_of_the_page():
    table = _simulate(*([] if LONG else ['--seeds', '1', '--series', '2'])).stdout
    assert max(map(len, table.splitlines())) <= 80
    page = _documented()
    blank = [NUMBER.sub('#', text).split() for text in (table, page)]
    if not LONG:
        # What is counted differs; the rules, the rows and the columns may not.
        names = [re.findall(r'[a-z][a-z-]+', text) for text in (table, page)]
        assert names[0] == names[1]
        assert table.splitlines()[1] == page.splitlines()[1]
        return
    assert blank[0] == blank[1]
    # Other mathematical libraries round other last digits, which can tip a verdict here or there.
    pairs = zip(NUMBER.findall(table), NUMBER.findall(page))
    assert all(abs(float(a) - float(b)) <= 0.5 for a, b in pairs)


tap.main(globals())
