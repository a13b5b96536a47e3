#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_oracles.py: the stored figures of R and of ministat are what both say today, where installed."""
import json
import math
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'cli'))
import tap  # noqa: E402


def _stored(name):
    with open(os.path.join(HERE, name), encoding='utf-8') as file:
        return file.read()


def _printed(*command):
    return subprocess.run(command, cwd=HERE, env=tap.environment(), check=True, text=True,
                          stdout=subprocess.PIPE, timeout=100).stdout


def _same(stored, fresh, where=''):
    """Equal but for the last digits of numbers, which are the mathematical library's."""
    if isinstance(stored, float) and isinstance(fresh, (int, float)):
        tap.expect(math.isclose(stored, fresh, rel_tol=1e-9), where, stored, fresh)
    elif isinstance(stored, list):
        tap.equal(len(fresh), len(stored), where)
        for i, (one, other) in enumerate(zip(stored, fresh)):
            _same(one, other, f'{where}[{i}]')
    elif isinstance(stored, dict):
        tap.equal(sorted(fresh), sorted(stored), where)
        for key, value in stored.items():
            _same(value, fresh[key], f'{where}.{key}')
    else:
        tap.equal(fresh, stored, where)


def _vectors(text):
    vectors = json.loads(text, parse_int=float)
    tap.expect(vectors.pop('made_by').startswith('R version'), 'no version of R')
    return vectors


def r_still_says_what_is_stored():
    if not shutil.which('Rscript'):
        raise tap.Skip('Rscript is not installed')
    _same(_vectors(_stored('vectors.json')),
          _vectors(_printed('Rscript', '--vanilla', 'make_vectors.R')))


def ministat_still_says_what_is_stored():
    if not shutil.which('ministat'):
        raise tap.Skip('ministat is not installed')
    tap.equal(_printed('./make_ministat.sh'), _stored('ministat.txt'), 'ministat')


def a_figure_that_differs_is_noticed():
    vectors = _vectors(_stored('vectors.json'))
    changed = _vectors(_stored('vectors.json'))
    changed['rank_tests'][0]['p'] *= 1 + 1e-8
    try:
        _same(vectors, changed)
    except AssertionError:
        return
    raise AssertionError('it was not')


tap.main(globals())
