# SPDX-License-Identifier: MIT
"""memcgbench report -o: what a page promises that can be seen without a browser."""
import base64
import hashlib
import html.parser
import os
import re

import pages
from pages import tap

KINDS = ['sweep', 'single', 'sparse', 'many', 'pairs', 'batched', 'wide', 'hostile', 'markup',
         'empty', 'failed', 'large']
VOID = {'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr'}


class _Reader(html.parser.HTMLParser):
    """Holds a page to what every page must be: balanced, with ids that are there once, and with
    nothing from outside."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.tags = [], [], [], {}
        self.texts, self.meta, self.attributes = {}, {}, []
        self.feed(text)
        self.close()
        tap.equal(self.open, [], 'elements left open')
        tap.equal(sorted(self.ids), sorted(set(self.ids)), 'ids')
        for link in self.links:
            tap.expect(link in self.ids, f'#{link} is not in the page')

    def handle_startendtag(self, tag, attrs):
        self._note(tag, attrs)

    def handle_starttag(self, tag, attrs):
        self._note(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        tap.expect(self.open and self.open[-1] == tag, f'</{tag}> ends', self.open[-3:],
                   'at line', self.getpos()[0])
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def _note(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attrs:
            tap.expect(not name.startswith('on') and name != 'style', tag, name)
            self.attributes.append((tag, name, value))
            if name == 'id':
                self.ids.append(value)
            elif name in ('href', 'src', 'xlink:href', 'action'):
                tap.expect(value.startswith('#'), f'<{tag} {name}={value!r}> leaves the page')
                self.links.append(value[1:])
            elif name == 'aria-labelledby':
                self.links += value.split()
            self.links += re.findall(r'url\(#([^)]*)\)', value or '')
        found = dict(attrs)
        if tag == 'meta' and 'content' in found:
            self.meta[found.get('name') or found.get('http-equiv')] = found['content']


def _read(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    return text, _Reader(text)


_PAGES = {}


def _page(kind):
    """The page of a kind of run, made once."""
    if kind not in _PAGES:
        with tap.directory() as directory:
            _PAGES[kind] = _read(pages.make_page(directory, kind))
    return _PAGES[kind]


def _digest(text):
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def every_kind_of_run_has_a_page_that_is_well_formed():
    for kind in KINDS:
        text, page = _page(kind)
        tap.equal((page.tags['script'], page.tags['style'], page.tags['title'] > 0),
                  (1, 1, True), kind)
        tap.expect('img' not in page.tags, kind)
        tap.expect(not re.search(r'>-?(nan|inf)[ <]', text), kind)
        if kind not in ('empty', 'failed'):
            tap.expect(page.tags['figure'] >= 2, kind, 'has no charts')
            tap.equal(page.tags['svg'], 2 * page.tags['figure'], f'{kind}: wide and narrow')


def the_policy_names_the_pages_own_style_and_script_and_nothing_else():
    text, page = _page('single')
    style = re.search(r'<style>(.*?)</style>', text, re.S).group(1)
    script = re.search(r'<script>(.*?)</script>', text, re.S).group(1)
    tap.equal(page.meta['Content-Security-Policy'].split('; '),
              ["default-src 'none'", f"style-src '{_digest(style)}'",
               f"script-src '{_digest(script)}'", "base-uri 'none'", "form-action 'none'"])
    tap.expect('http:' not in text and 'https:' not in text and '@import' not in text)


def markup_in_titles_and_reasons_is_text():
    _, page = _page('markup')
    title = ('</title></script><script>alert(1)</script><img src=x onerror=alert(2)> '
             '{{style}} ]]> \u2028 &amp;')
    tap.equal(''.join(page.texts['h1']), title)
    tap.equal(page.texts['title'][0], title)
    text, page = _page('failed')
    tap.contains(''.join(page.texts['li']),
                 'walk, repetitions 1, 2, 3, 4, 5, 6, 7, 8, 9, 10: '
                 'it said </li><script>alert(3)</script> and ended')


def all_points_and_back_ends_are_in_the_tables_without_a_script():
    text, _ = _page('large')
    body = re.search(r'<table id="t-part-1">.*?<tbody>(.*?)</tbody>', text, re.S).group(1)
    tap.equal(body.count('<tr>'), 400, 'rows')
    text, _ = _page('many')
    for name in ['walk', 'cached'] + [f'design-{i:02}' for i in range(3, 21)]:
        tap.expect(re.search(f'<td>{name}[*!]*</td>', text), name, 'is not in the table')


def what_to_be_wary_of_stands_above_the_figures():
    for kind, sentences in {
        'sweep': ['This is a model in user space', 'Placement is fold'],
        'sparse': ['fewer than 6 processes', 'The run is not complete: 10 of 16'],
        'batched': ['too short for the clock'],
        'failed': ['160 of 160 repetitions failed'],
        'large': ['Samples are too few for p99 in 400 of 400 rows'],
    }.items():
        text, _ = _page(kind)
        above = text[:text.index('<nav')]
        for sentence in sentences:
            tap.contains(above, sentence)


def the_answer_says_times_ratio_and_growth_at_the_largest_point():
    _, page = _page('sweep')
    answer = ''.join(page.texts['p'])
    for part in ['At tree.memcgs 10k, read.cache hot, a read takes ', ' ms with walk and ',
                 ' us with cached. ', 'That of walk takes ', ' times as long as that of cached',
                 'over 10 pairs of processes', 'Time grows as tree.memcgs to the power of ']:
        tap.contains(answer, part)
    for kind in ('empty', 'failed'):
        _, page = _page(kind)
        tap.contains(''.join(page.texts['p']), 'Nothing was measured: there is no answer.')


def a_history_is_shown_where_one_is_named_or_lies_in_the_run():
    with tap.directory() as directory:
        text, _ = _page('single')
        tap.expect('<h2>History</h2>' not in text)
        text, page = _read(pages.make_page(directory, 'single', '--history',
                                           pages.make_history(directory)))
        tap.contains(text, '<h2>History</h2>')
        tap.contains(text, 'for the worse')
        tap.expect(page.tags['figure'] > 4, 'no charts of the history')
        pages.make_history(os.path.join(directory, 'single'))
        text, _ = _read(pages.make_page(directory, 'single'))
        tap.contains(text, '<h2>History</h2>')


def a_history_that_cannot_be_read_is_an_error_that_names_the_file():
    with tap.directory() as directory:
        history = pages.make_history(directory)
        broken = os.path.join(history, 'broken.json')
        with open(broken, 'w', encoding='ascii') as file:
            file.write('{')
        result = tap.run('report', pages.make_run(directory, 'single'), '-o', f'{directory}/p.html',
                         '--history', history)
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, broken)
        tap.expect(not os.path.exists(f'{directory}/p.html'))


def a_page_names_no_place_on_the_machine_that_made_it():
    with tap.directory() as directory:
        os.mkdir(f'{directory}/somebody')
        text, _ = _read(pages.make_page(f'{directory}/somebody', 'sparse'))
        tap.expect('somebody' not in text and directory not in text)


def charts_are_drawn_beside_the_page_only_where_they_are_asked_for():
    with tap.directory() as directory:
        page = pages.make_page(directory, 'single')
        tap.expect(not os.path.exists(f'{directory}/single/charts'))
        result = tap.run('report', f'{directory}/single', '-o', page, '--charts',
                         f'{directory}/charts', '--format', 'svg')
        tap.equal((result.returncode, result.stdout.count('\n')), (0, 7), result.stderr)
        tap.expect(os.path.exists(f'{directory}/charts/spectrum.svg'))


def a_page_stays_below_a_megabyte():
    with tap.directory() as directory:
        page = pages.make_page(directory, 'sweep', '--history', pages.make_history(directory))
        tap.expect(os.path.getsize(page) < 1000000, os.path.getsize(page))


def trouble_leaves_an_old_page_as_it_was():
    with tap.directory() as directory:
        run = pages.make_run(directory, 'single')
        page = f'{directory}/page.html'
        with open(page, 'w', encoding='ascii') as file:
            file.write('old')
        result = tap.run('report', run, '-o', page, env=tap.environment(PATH='/nowhere'))
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, 'gnuplot-nox')
        with open(page, encoding='ascii') as file:
            tap.equal(file.read(), 'old')
        tap.equal(sorted(os.listdir(directory)), ['page.html', 'single'])


def a_place_that_cannot_be_written_is_said():
    with tap.directory() as directory:
        pages.need_gnuplot()
        result = tap.run('report', pages.make_run(directory, 'single'), '-o',
                         f'{directory}/nowhere/page.html')
        tap.equal((result.returncode, result.stdout), (2, ''))
        tap.contains(result.stderr, 'nowhere')


def a_history_without_a_page_is_wrong_usage():
    result = tap.run('report', 'run', '--history', 'history')
    tap.equal((result.returncode, result.stdout), (2, ''))
    tap.contains(result.stderr, '-o FILE.html is missing')


tap.main(globals())
