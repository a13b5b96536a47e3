// SPDX-License-Identifier: MIT
// What makes the page's tables sortable and their rows selectable, and its theme switchable. Without it
// all of the page is there, as plain tables.
'use strict';
(() => {
  const root = document.documentElement;
  const KEY = 'memcgbench-theme';

  // A page that was opened from a file may have no storage.
  const remembered = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const remember = (theme) => { try { localStorage.setItem(KEY, theme); } catch { /* for this visit only */ } };
  const theme = remembered();
  if (theme === 'dark' || theme === 'light') root.dataset.theme = theme;

  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  function themeButton() {
    const button = document.getElementById('theme');
    const system = matchMedia('(prefers-color-scheme: dark)');
    const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);
    const show = () => { button.textContent = isDark() ? 'Light' : 'Dark'; };
    button.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      remember(root.dataset.theme);
      show();
    });
    system.addEventListener('change', show);
    button.hidden = false;
    show();
  }

  // Numbers by what they stand for, words by themselves; what is not known comes last, whichever way.
  function sortBy(table, column, descending) {
    const numeric = table.tHead.rows[0].cells[column].hasAttribute('data-unit');
    const value = (row) => {
      const cell = row.cells[column];
      if (!numeric) return cell.textContent;
      return cell.dataset.v === undefined ? NaN : Number(cell.dataset.v);
    };
    const compare = (a, b) => {
      if (!numeric) return descending ? b.key.localeCompare(a.key) : a.key.localeCompare(b.key);
      if (Number.isNaN(a.key) || Number.isNaN(b.key)) return Number.isNaN(a.key) - Number.isNaN(b.key);
      return descending ? b.key - a.key : a.key - b.key;
    };
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, key: value(row) }));
    rows.sort(compare);
    body.append(...rows.map(({ row }) => row));
  }

  function sortable(table) {
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, column) => {
      const button = element('button', { type: 'button' }, ...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const descending = head.getAttribute('aria-sort') === 'ascending';
        for (const other of heads) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
        sortBy(table, column, descending);
      });
    });
  }

  // Base units and all digits, as programs want them; the rows that are shown, in their order.
  function asTsv(table) {
    const heads = Array.from(table.tHead.rows[0].cells);
    const title = (head) => (head.dataset.unit ? `${head.textContent} [${head.dataset.unit}]` : head.textContent);
    const cell = (item, column) => {
      if (item.dataset.v !== undefined) return item.dataset.v;
      return heads[column].hasAttribute('data-unit') && item.textContent === '-' ? '' : item.textContent;
    };
    const lines = [heads.map(title)];
    for (const row of table.tBodies[0].rows) {
      if (!row.hidden) lines.push(Array.from(row.cells, cell));
    }
    return lines.map((line) => line.join('\t')).join('\n') + '\n';
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = element('textarea', { value: text });
      document.body.append(area);
      area.select();
      const done = document.execCommand('copy');
      area.remove();
      return done;
    }
  }

  function copyable(section, table) {
    const button = element('button', { type: 'button', className: 'copy' }, 'Copy as TSV');
    const title = section.querySelector('h3');
    const bar = element('div', { className: 'bar' });
    title.before(bar);
    bar.append(title, button);
    button.addEventListener('click', async () => {
      button.textContent = (await copy(asTsv(table))) ? 'Copied' : 'Not allowed';
      setTimeout(() => { button.textContent = 'Copy as TSV'; }, 2000);
    });
  }

  // The values of the columns that say what a row is about: "walk*" is walk.
  const plain = (text) => text.replace(/[*!]+$/, '');
  const keysOf = (table) => Array.from(table.tHead.rows[0].cells)
    .map((head, column) => ({ head, column }))
    .filter(({ head }) => head.hasAttribute('data-key'));

  function facets(tables) {
    const found = new Map();
    for (const table of tables) {
      for (const { head, column } of keysOf(table)) {
        const name = head.textContent;
        if (!found.has(name)) found.set(name, new Set());
        for (const row of table.tBodies[0].rows) found.get(name).add(plain(row.cells[column].textContent));
      }
    }
    return found;
  }

  function filterable(tables) {
    const form = document.getElementById('filter');
    const text = element('input', { type: 'search', name: 'text' });
    const count = element('output', {});
    const chosen = new Map();
    form.append(element('label', {}, 'Rows with', text));
    for (const [name, values] of facets(tables)) {
      if (values.size < 2) continue;
      const select = element('select', { name });
      select.append(element('option', { value: '' }, 'all'));
      for (const value of values) select.append(element('option', { value }, value));
      form.append(element('label', {}, name, select));
      chosen.set(name, select);
    }
    form.append(count);
    count.setAttribute('aria-live', 'polite');

    const apply = () => {
      const wanted = text.value.trim().toLowerCase();
      let shown = 0;
      let all = 0;
      for (const table of tables) {
        const keys = keysOf(table).map(({ head, column }) => ({ select: chosen.get(head.textContent), column }));
        for (const row of table.tBodies[0].rows) {
          const fits = keys.every(({ select, column }) => !select || !select.value
            || plain(row.cells[column].textContent) === select.value);
          row.hidden = !(fits && row.textContent.toLowerCase().includes(wanted));
          all += 1;
          shown += !row.hidden;
        }
      }
      count.textContent = shown === all ? '' : `${shown} of ${all} rows`;
    };
    form.addEventListener('input', apply);
    form.addEventListener('submit', (event) => event.preventDefault());
    form.hidden = false;
  }

  document.addEventListener('DOMContentLoaded', () => {
    themeButton();
    const chosen = [];
    for (const section of document.querySelectorAll('section.data')) {
      const table = section.querySelector('table');
      if (keysOf(table).length && section.closest('#figures')) chosen.push(table);
      copyable(section, table);
    }
    if (chosen.length) filterable(chosen);
    for (const section of document.querySelectorAll('section.data')) sortable(section.querySelector('table'));
  });
})();
