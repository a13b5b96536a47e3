# SPDX-License-Identifier: MIT
"""memcgbench report: the charts of runs that were never measured (made by make_run)."""
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

import tap

MAKE_RUN = os.path.abspath(sys.argv[2])
SVG = '{http://www.w3.org/2000/svg}'


def _make(directory, kind):
    run = os.path.join(directory, kind)
    subprocess.run([MAKE_RUN, run, kind], check=True, stdin=subprocess.DEVNULL)
    return run


def _need_gnuplot():
    if not shutil.which('gnuplot'):
        raise tap.Skip('gnuplot is not installed')


def _texts(path):
    """The words of an SVG, which must be well-formed."""
    root = xml.parse(path).getroot()
    tap.equal(root.tag, SVG + 'svg', path)
    return [''.join(text.itertext()).strip() for text in root.iter(SVG + 'text')]


def _kind_is_drawn(kind, names):
    _need_gnuplot()
    with tap.directory() as directory:
        run = _make(directory, kind)
        result = tap.run('report', run)
        tap.equal((result.returncode, result.stderr), (0, ''), kind)
        wanted = [f'{run}/charts/{name}.{ending}' for name in names
                  for ending in ('tsv', 'gp', 'svg', 'png')]
        tap.equal(result.stdout.split('\n'), wanted + [''], 'files named')
        tap.equal(sorted(os.listdir(f'{run}/charts')), sorted(os.path.basename(f) for f in wanted),
                  'files written')
        for name in names:
            _texts(f'{run}/charts/{name}.svg')
            with open(f'{run}/charts/{name}.png', 'rb') as png:
                tap.equal(png.read(8), b'\x89PNG\r\n\x1a\n', name)


def a_sweep_is_drawn_as_latency_ratio_and_spectrum():
    _kind_is_drawn('sweep', ['latency-tree-memcgs', 'ratio-tree-memcgs', 'spectrum'])


def what_errors_buy_is_drawn_for_each_facet_with_names_at_points():
    names = ['latency-tree-memcgs', 'ratio-tree-memcgs', 'spectrum', 'tradeoff-1', 'tradeoff-2']
    _kind_is_drawn('errors', names)
    with tap.directory() as directory:
        run = _make(directory, 'errors')
        tap.equal(tap.run('report', run).returncode, 0)
        for number, cache in ((1, 'hot'), (2, 'cold')):
            words = _texts(f'{run}/charts/tradeoff-{number}.svg')
            for name in ('walk, update 10.0 ns', 'cached, update 12.5 ns', 'exact', '0'):
                tap.expect(name in words, (name, words))
            tap.expect(any(cache in text for text in words), words)
        result = tap.run('report', run, '-o', f'{directory}/page.html')
        tap.equal(result.returncode, 0, result.stderr)
        with open(f'{directory}/page.html', encoding='utf-8') as page:
            tap.contains(page.read(), 'cached, update 12.5 ns')


def a_single_point_is_drawn_as_back_ends_side_by_side():
    _kind_is_drawn('single', ['backends', 'spectrum'])


def a_run_with_missing_back_ends_and_one_process_is_drawn():
    _kind_is_drawn('sparse', ['latency-tree-memcgs', 'spectrum'])


def twenty_back_ends_are_drawn_and_named():
    _need_gnuplot()
    with tap.directory() as directory:
        run = _make(directory, 'many')
        tap.equal(tap.run('report', run, '--format', 'svg').returncode, 0)
        words = _texts(f'{run}/charts/latency-tree-memcgs.svg')
        for name in ['walk', 'cached'] + [f'design-{i:02}' for i in range(3, 21)]:
            tap.expect(name in words, name, 'is not in the legend')


def a_range_from_a_nanosecond_to_an_hour_is_drawn():
    _kind_is_drawn('wide', ['latency-tree-memcgs', 'ratio-tree-memcgs', 'spectrum'])


def a_chart_names_lines_units_floor_cache_and_published_figures():
    _need_gnuplot()
    with tap.directory() as directory:
        run = _make(directory, 'sweep')
        tap.equal(tap.run('report', run, '--format', 'svg').returncode, 0)
        words = _texts(f'{run}/charts/latency-tree-memcgs.svg')
        for word in ['walk, hot', 'walk, cold', 'cached, hot', 'cached, cold', '10', '100', '1k',
                     '10k', '10 ns', '10 us', '100 ms', 'time per read', 'timer floor 21.3 ns',
                     'walk published: 700 ms', 'cached published: at most 1.00 ms',
                     'walk touches more than the last-level cache (32.0 MiB)',
                     'Root memory.numa_stat in the presence of 10 000 memcgs']:
            tap.expect(word in words, repr(word), 'is not in', words)
        words = _texts(f'{run}/charts/spectrum.svg')
        for word in ['0%', '50%', '90%', '99%', '99.9%']:
            tap.expect(word in words, repr(word), 'is not in', words)


def titles_are_text_and_nothing_else():
    _need_gnuplot()
    with tap.directory() as directory:
        run = _make(directory, 'hostile')
        result = tap.run('report', run, '--format', 'svg', '--dumb')
        tap.equal((result.returncode, result.stderr), (0, ''))
        title = 'It\'s a "title": <b>_x^2</b> & `echo no` @x \\n 50 % \u00e9'
        tap.expect(title in _texts(f'{run}/charts/backends.svg'), 'the title was changed')
        tap.expect(result.stdout.isascii(), 'the terminal got more than ASCII')


def a_terminal_gets_both_back_ends_in_79_columns_of_ascii():
    _need_gnuplot()
    with tap.directory() as directory:
        run = _make(directory, 'sweep')
        result = tap.run('report', run, '--format', 'svg', '--dumb')
        tap.equal((result.returncode, result.stderr), (0, ''))
        lines = [line for line in result.stdout.split('\n') if not line.startswith(directory)]
        tap.expect(max(map(len, lines)) <= 79, 'a line is longer than 79 columns')
        tap.expect(result.stdout.isascii() and '\f' not in result.stdout, 'control characters')
        for word in ['walk, hot', 'cached, cold', '100 ms', '10k', 'published', 'a patch of 2020',
                     '90%', 'ratio', 'timer floor 21.3 ns']:
            tap.contains(result.stdout, word)


def what_lies_beside_the_pictures_draws_them_again():
    _need_gnuplot()
    with tap.directory() as directory:
        run = _make(directory, 'sweep')
        tap.equal(tap.run('report', run, '--format', 'svg').returncode, 0)
        for name in ['latency-tree-memcgs', 'ratio-tree-memcgs', 'spectrum']:
            again = subprocess.run(['gnuplot', '-d', f'{name}.gp'], cwd=f'{run}/charts',
                                   stdin=subprocess.DEVNULL, capture_output=True, check=True)
            with open(f'{run}/charts/{name}.svg', 'rb') as svg:
                tap.expect(again.stdout == svg.read(), name, 'differs')


def another_directory_and_other_scripts_can_be_named():
    _need_gnuplot()
    with tap.directory() as directory:
        run = _make(directory, 'single')
        scripts = os.path.join(directory, 'scripts')
        os.mkdir(scripts)
        with open(f'{scripts}/backends.gp', 'w', encoding='ascii') as script:
            script.write("unset key\nset title 'drawn by another script'\nplot data using 1:2\n")
        result = tap.run('report', run, '--charts', f'{directory}/far/here', '--scripts', scripts,
                         '--format', 'svg')
        tap.equal((result.returncode, result.stderr), (0, ''))
        tap.expect('drawn by another script' in _texts(f'{directory}/far/here/backends.svg'))
        tap.expect(not os.path.exists(f'{run}/charts'), 'the default directory was made')


def a_bad_script_is_shown_in_the_words_of_gnuplot_and_leaves_no_picture():
    _need_gnuplot()
    with tap.directory() as directory:
        run = _make(directory, 'single')
        scripts = os.path.join(directory, 'scripts')
        os.mkdir(scripts)
        with open(f'{scripts}/backends.gp', 'w', encoding='ascii') as script:
            script.write('plot nonsense(x)\n')
        for started in tap.run, tap.run_ignoring_children:
            result = started('report', run, '--scripts', scripts)
            tap.equal(result.returncode, 2, 'exit code')
            tap.contains(result.stderr, 'memcgbench: backends.gp: gnuplot failed: ')
            tap.contains(result.stderr, 'nonsense')
            tap.equal(result.stderr.count('\n'), 1, 'lines of the message')
            tap.equal(sorted(os.listdir(f'{run}/charts')), ['backends.gp', 'backends.tsv'])


def a_directory_without_scripts_is_a_mistake():
    with tap.directory() as directory:
        run = _make(directory, 'single')
        result = tap.run('report', run, '--scripts', directory)
        tap.equal(result.returncode, 2, 'exit code')
        tap.contains(result.stderr, 'holds none of the scripts (backends.gp, ')


def without_gnuplot_the_message_names_its_package():
    with tap.directory() as directory:
        run = _make(directory, 'single')
        result = tap.run('report', run, env=tap.environment(PATH='/nowhere'))
        tap.equal(result.returncode, 2, 'exit code')
        tap.contains(result.stderr, 'gnuplot-nox')


def what_is_no_picture_is_not_kept_as_one():
    with tap.directory() as directory:
        run = _make(directory, 'single')
        os.mkdir(f'{directory}/bin')
        with open(f'{directory}/bin/gnuplot', 'w', encoding='ascii') as file:
            file.write('#!/bin/sh\necho drawn\n')
        os.chmod(f'{directory}/bin/gnuplot', 0o755)
        path = f'{directory}/bin:{os.environ["PATH"]}'
        for picture in ('svg', 'png'):
            result = tap.run('report', run, '--format', picture, env=tap.environment(PATH=path))
            tap.equal(result.returncode, 2, picture)
            tap.contains(result.stderr, f'is no {picture} picture')
            tap.expect(not [n for n in os.listdir(f'{run}/charts') if n.endswith(picture)])


def what_is_not_a_run_is_refused():
    with tap.directory() as directory:
        for path in (directory, os.path.join(directory, 'nothing'), MAKE_RUN):
            result = tap.run('report', path)
            tap.equal((result.returncode, result.stdout), (2, ''), path)
            tap.contains(result.stderr, f'memcgbench: {path}')
        tap.equal(os.listdir(directory), [], 'files left behind')


def what_failed_is_said_though_no_chart_shows_it():
    _need_gnuplot()
    with tap.directory() as directory:
        run = _make(directory, 'sweep')
        broken = sorted(name for name in os.listdir(run) if '.walk.' in name)[0]
        with open(f'{run}/{broken}', 'w', encoding='ascii') as file:
            file.write('{')
        result = tap.run('report', run)
        tap.equal(result.returncode, 0, result.stderr)
        tap.contains(result.stderr, f'memcgbench: {run}: ')
        tap.contains(result.stderr, f'unreadable: {broken}:1:')


def a_run_without_results_has_nothing_to_draw():
    with tap.directory() as directory:
        run = _make(directory, 'empty')
        result = tap.run('report', run)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, 'nothing to draw')
        tap.expect(not os.path.exists(f'{run}/charts'), 'a directory was made for nothing')


def wrong_usage_is_trouble():
    for args in ([], ['a', 'b'], ['--format', 'gif', 'a'], ['--format', '', 'a'],
                 ['--format', 'svg,', 'a'], ['--nonsense']):
        result = tap.run('report', *args)
        tap.equal((result.returncode, result.stdout), (2, ''), args)
        tap.expect(result.stderr, args, 'says nothing')


def an_interrupt_leaves_neither_half_files_nor_gnuplot_behind():
    _need_gnuplot()
    with tap.directory() as directory:
        run = _make(directory, 'single')
        scripts = os.path.join(directory, 'scripts')
        os.mkdir(scripts)
        with open(f'{scripts}/backends.gp', 'w', encoding='ascii') as script:
            script.write("set print 'started'\nprint system('echo $PPID')\n"
                         'set print\nwhile (1) { x = 1 }\n')
        child = tap.start('report', run, '--scripts', scripts)
        started = f'{run}/charts/started'
        deadline = time.monotonic() + 30
        while not (os.path.exists(started) and os.path.getsize(started)):
            tap.expect(time.monotonic() < deadline, 'gnuplot was not started')
            time.sleep(0.01)
        with open(started, encoding='ascii') as file:
            gnuplot = int(file.read())
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=30)
        tap.equal(child.returncode, -signal.SIGTERM, 'exit code')
        tap.equal(sorted(os.listdir(f'{run}/charts')), ['backends.gp', 'backends.tsv', 'started'])
        while os.path.exists(f'/proc/{gnuplot}/stat'):
            with open(f'/proc/{gnuplot}/stat', encoding='ascii') as stat:
                if stat.read().rsplit(')', 1)[1].split()[0] == 'Z':
                    break
            tap.expect(time.monotonic() < deadline, 'gnuplot still runs')
            time.sleep(0.01)


tap.main(globals())
