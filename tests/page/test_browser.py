# SPDX-License-Identifier: MIT
"""memcgbench report -o: what a page promises in a browser, held against Chromium without a screen."""
import atexit
import contextlib
import os
import signal
import sys

import pages
from pages import tap
import webdriver

_STATE = {}

# Whatever has text of its own and can be seen: where it is, its colours, and its size on the screen.
_TEXTS = r'''
const paint = (text) => {
  const [red, green, blue, alpha] = text.match(/[0-9.]+/g).map(Number);
  if (!text.startsWith('rgb')) throw new Error('a colour that is not rgb: ' + text);
  return [red, green, blue, alpha === undefined ? 255 : 255 * alpha];
};
const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    if (e instanceof SVGElement) continue;
    const colour = paint(getComputedStyle(e).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
};
const found = [];
for (const element of document.body.querySelectorAll('*')) {
  const own = Array.from(element.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
  if (!own || element.closest('script, style, title, desc, option, [hidden]')) continue;
  const box = element.getBoundingClientRect();
  if (!box.width || !box.height) continue;
  const style = getComputedStyle(element);
  const svg = element instanceof SVGElement;
  const scale = svg ? Math.hypot(element.getScreenCTM().a, element.getScreenCTM().b) : 1;
  found.push({
    text: element.textContent.trim().slice(0, 60), name: element.tagName,
    ink: paint(svg ? style.fill : style.color), paper: behind(element),
    size: parseFloat(style.fontSize) * scale, left: box.left, right: box.right,
    boxed: Boolean(element.closest('.box')),
  });
}
return found;
'''


def _browser():
    if 'reason' in _STATE:
        raise _STATE['reason']
    if 'browser' not in _STATE:
        try:
            _STATE['browser'] = webdriver.Browser()
        except (tap.Skip, webdriver.Failure) as reason: # once for all tests: trying takes a minute
            _STATE['reason'] = reason
            raise
        atexit.register(_STATE['browser'].close)
    return _STATE['browser']


@contextlib.contextmanager
def _opened(kind, history=False):
    """A page of that kind of run in the browser."""
    browser = _browser()
    with tap.directory() as directory:
        options = ['--history', pages.make_history(directory)] if history else []
        page = pages.make_page(directory, kind, *options)
        browser.width(0)
        browser.prefer('light')
        browser.open(page)
        browser.run('try { localStorage.clear(); } catch {} delete document.documentElement.dataset.theme;')
        yield browser, page


def _column(browser, table, column):
    """Text and value of each row that is shown."""
    return browser.run('''return Array.from(document.querySelector(arguments[0]).tBodies[0].rows)
        .filter((row) => row.getClientRects().length).map((row) => {
          const cell = row.cells[arguments[1]];
          return [cell.textContent, cell.dataset.v === undefined ? null : Number(cell.dataset.v)];
        });''', table, column)


def _titles(browser, table):
    return browser.run('''return Array.from(document.querySelector(arguments[0]).tHead.rows[0].cells,
        (head) => head.textContent);''', table)


def _luminance(colour):
    parts = [c / 255 for c in colour[:3]]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(text):
    light, dark = sorted((_luminance(text['ink']), _luminance(text['paper'])), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _expect_contrast(browser, what):
    texts = browser.run(_TEXTS)
    tap.expect(len(texts) > 100, what, 'has but', len(texts), 'texts')
    poor = [(t['text'], round(_contrast(t), 2)) for t in texts if _contrast(t) < 4.5]
    tap.equal(poor, [], f'{what}: contrast below 4.5')


def what_is_not_installed_is_skipped_and_what_cannot_start_fails():
    path = os.environ['PATH']
    with tap.directory() as directory:
        os.environ['PATH'] = directory
        try:
            for programs, reason in (((), tap.Skip), (('chromium', 'chromedriver'), webdriver.Failure)):
                for name in programs:
                    with open(f'{directory}/{name}', 'w', encoding='ascii') as file:
                        os.chmod(file.fileno(), 0o755)
                        file.write('#!/bin/sh\nexit 1\n')
                try:
                    webdriver.Browser()
                except reason:
                    continue
                raise AssertionError(f'{reason.__name__} was expected')
        finally:
            os.environ['PATH'] = path


def a_page_renders_without_a_complaint_and_asks_for_nothing():
    for kind, history in (('sweep', True), ('many', False), ('large', False), ('failed', False),
                          ('empty', False), ('single', False)):
        with _opened(kind, history) as (browser, page):
            asked = browser.requests()
            tap.equal(asked, ['file://' + page], f'{kind}: asked for')
            tap.equal(browser.log('browser'), [], f'{kind}: console')
            tap.equal(browser.run('return document.compatMode'), 'CSS1Compat', kind)


def every_chart_can_be_seen():
    with _opened('sweep', history=True) as (browser, _):
        for width, shape in ((0, 'wide'), (360, 'narrow')):
            browser.width(width)
            charts = browser.run('''return Array.from(document.querySelectorAll('figure'), (figure) =>
                Array.from(figure.querySelectorAll('svg')).map((svg) => {
                  const box = svg.getBoundingClientRect();
                  const lines = Array.from(svg.querySelectorAll('path')).filter((path) =>
                    !path.closest('defs') && path.getBoundingClientRect().width > 0);
                  return [svg.classList.contains(arguments[0]), box.width, box.height, lines.length];
                }));''', shape)
            tap.expect(len(charts) >= 5, len(charts), 'charts')
            for figure in charts:
                tap.equal(sorted(wanted for wanted, *_ in figure), [False, True], shape)
                for wanted, across, down, lines in figure:
                    if wanted:
                        tap.expect(across > 300 and down > 200 and lines > 5, figure)
                    else:
                        tap.equal((across, down), (0, 0), 'the other shape')


def a_column_is_sorted_by_what_it_stands_for_both_ways():
    with _opened('sparse') as (browser, _):
        table = '#t-part-1'
        for title in ('p50', 'p99', 'memcgs'):
            column = _titles(browser, table).index(title)
            button = f'{table} th:nth-child({column + 1}) button'
            for order, sign in (('ascending', 1), ('descending', -1)):
                browser.click(button)
                tap.equal(browser.run('return document.querySelector(arguments[0]).parentElement'
                                      '.getAttribute("aria-sort")', button), order, title)
                values = [value for _, value in _column(browser, table, column)]
                known = [value for value in values if value is not None]
                tap.equal(values, sorted(known, key=lambda v: sign * v) +
                          [None] * (len(values) - len(known)), f'{title}, {order}')
    with _opened('sweep') as (browser, _):
        column = _titles(browser, '#t-part-1').index('p50')
        browser.click(f'#t-part-1 th:nth-child({column + 1}) button')
        texts = [text for text, _ in _column(browser, '#t-part-1', column)]
        tap.expect(texts[0].endswith(' us') and texts[-1].endswith(' ms'), 'as text:', texts)
        tap.equal(browser.run('return document.querySelectorAll("#t-part-1 [aria-sort]").length'), 1)


def what_is_not_known_comes_last_whichever_way():
    with _opened('batched') as (browser, _):
        column = _titles(browser, '#t-part-1').index('p99')
        for _ in range(2):
            browser.click(f'#t-part-1 th:nth-child({column + 1}) button')
            texts = [text for text, _ in _column(browser, '#t-part-1', column)]
            unknown = [text == '-' for text in texts]
            tap.equal(unknown, sorted(unknown), 'not known')
            tap.equal(set(unknown), {False, True}, 'there are both')


def sorting_works_by_keyboard():
    with _opened('sweep') as (browser, _):
        column = _titles(browser, '#t-part-1').index('median')
        button = f'#t-part-1 th:nth-child({column + 1}) button'
        tap.expect(browser.run('return document.querySelector(arguments[0]).tabIndex >= 0', button))
        for sign in (1, -1):
            browser.type(button, webdriver.ENTER)
            values = [value for _, value in _column(browser, '#t-part-1', column)]
            tap.equal(values, sorted(values, key=lambda v: sign * v))


def rows_are_chosen_by_words_and_by_values():
    with _opened('sweep') as (browser, _):
        names = _titles(browser, '#t-part-1').index('back end')
        all_rows = len(_column(browser, '#t-part-1', names))
        choose = '''const select = document.querySelector(`#filter [name="${arguments[0]}"]`);
            select.value = arguments[1];
            select.dispatchEvent(new Event('input', { bubbles: true }));'''
        browser.run(choose, 'back end', 'cached')
        tap.equal({text for text, _ in _column(browser, '#t-part-1', names)}, {'cached'})
        browser.run(choose, 'memcgs', '10k')
        tap.equal(len(_column(browser, '#t-part-1', names)), 2)
        tap.equal(len(_column(browser, '#t-sampling', names)), 2, 'the other tables')
        tap.expect(' rows' in browser.run('return document.querySelector("#filter output").value'))
        browser.run(choose, 'back end', '')
        browser.run(choose, 'memcgs', '')
        tap.equal(len(_column(browser, '#t-part-1', names)), all_rows)
        browser.type('#filter [name="text"]', 'COLD')
        tap.equal(len(_column(browser, '#t-part-1', names)), all_rows // 2)


def rows_are_copied_as_tab_separated_values_in_base_units():
    with _opened('batched') as (browser, _):
        browser.run('''Object.defineProperty(navigator, 'clipboard', {
            value: { writeText: (text) => { window.copied = text; return Promise.resolve(); } } });''')
        browser.run('document.querySelector("#part-1").parentElement.querySelector(".copy").click()')
        lines = browser.run('return window.copied').splitlines()
        titles = lines[0].split('\t')
        tap.expect('p50 [ns]' in titles and 'memcgs' in titles, titles)
        rows = [dict(zip(titles, line.split('\t'))) for line in lines[1:]]
        tap.equal(len(rows), 16)
        tap.equal([row['memcgs'] for row in rows[-2:]], ['10000', '10000'])
        tap.expect(float(rows[-2]['p50 [ns]']) > 1e6, rows[-2])
        shown = [text for text, _ in _column(browser, '#t-part-1', titles.index('p99 [ns]'))]
        tap.expect('-' in shown, shown)
        tap.equal([row['p99 [ns]'] == '' for row in rows], [text == '-' for text in shown])


def text_stands_out_in_the_light_and_in_the_dark():
    with _opened('sweep', history=True) as (browser, _):
        for scheme in ('light', 'dark'):
            browser.prefer(scheme)
            paper = browser.run('return getComputedStyle(document.body).backgroundColor')
            tap.equal(paper == 'rgb(255, 255, 255)', scheme == 'light', scheme)
            _expect_contrast(browser, scheme)


def the_theme_is_switched_and_remembered():
    with _opened('single') as (browser, page):
        look = 'return getComputedStyle(document.body).backgroundColor'
        light = browser.run(look)
        browser.click('#theme')
        dark = browser.run(look)
        tap.expect(light != dark, light)
        _expect_contrast(browser, 'switched to dark')
        browser.open(page)
        tap.equal(browser.run(look), dark, 'after it was opened again')
        browser.prefer('dark')
        browser.click('#theme')
        tap.equal(browser.run(look), light, 'light on a dark system')


def a_telephone_shows_all_of_it_and_text_that_can_be_read():
    for kind, history in (('sweep', True), ('many', False), ('markup', False), ('failed', False)):
        with _opened(kind, history) as (browser, _):
            browser.width(360)
            across = browser.run('return [document.documentElement.scrollWidth, innerWidth]')
            tap.equal(across, [360, 360], f'{kind}: across')
            texts = browser.run(_TEXTS)
            small = [(t['text'], round(t['size'], 1)) for t in texts if t['size'] < 12]
            tap.equal(small, [], f'{kind}: below 12 pixels')
            beyond = [t['text'] for t in texts
                      if not t['boxed'] and (t['right'] > 360.5 or t['left'] < -0.5)]
            tap.equal(beyond, [], f'{kind}: beyond the edges')


def markup_in_a_title_does_nothing():
    for kind in ('markup', 'failed'):
        with _opened(kind) as (browser, page):
            tap.equal(browser.log('browser'), [], kind)
            tap.equal(browser.run('return [document.scripts.length, document.images.length]'), [1, 0])
            tap.equal(browser.requests(), ['file://' + page])
    with _opened('markup') as (browser, _):
        title = browser.run('return document.querySelector("h1").textContent')
        tap.expect(title.startswith('</title></script><script>alert(1)</script>'), title)


def the_policy_stops_what_is_not_the_pages_own():
    with _opened('single') as (browser, page):
        browser.run('''const script = document.createElement('script');
            script.textContent = 'window.ran = true';
            document.body.append(script);
            const image = document.createElement('img');
            image.src = 'http://127.0.0.1:9/x.png';
            document.body.append(image);''')
        tap.equal(browser.run('return window.ran === undefined'), True, 'a script of somebody else ran')
        tap.expect(any('Content Security Policy' in entry['message'] for entry in browser.log('browser')),
                   'nothing was refused')


# A time limit that ends this shall end the browser, too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
tap.main(globals())
