# SPDX-License-Identifier: MIT
"""Pages of runs that were never measured, for the tests of this directory."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))

import tap  # noqa: E402

MAKE_RUN, MAKE_HISTORY = (os.path.abspath(path) for path in sys.argv[2:4])


def need_gnuplot():
    if not shutil.which('gnuplot'):
        raise tap.Skip('gnuplot is not installed')


def make_run(directory, kind):
    run = os.path.join(directory, kind)
    subprocess.run([MAKE_RUN, run, kind], check=True, stdin=subprocess.DEVNULL)
    return run


def make_history(directory):
    """Forty runs; walk takes 15 % longer from the 26th on."""
    history = os.path.join(directory, 'history')
    os.makedirs(history, exist_ok=True)
    subprocess.run([MAKE_HISTORY, history, '40', 'step_at=25', 'step=1.15', 'backend=walk'],
                   check=True, stdin=subprocess.DEVNULL)
    return history


def make_page(directory, kind, *options):
    """The path of a page of that kind of run."""
    need_gnuplot()
    page = os.path.join(directory, f'{kind}.html')
    result = tap.run('report', make_run(directory, kind), '-o', page, *options)
    tap.equal((result.returncode, result.stdout), (0, page + '\n'), result.stderr)
    return page
