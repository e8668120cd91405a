// SPDX-License-Identifier: MIT
// table_view.js - rows as a table that sorts by any column and copies as CSV.
import { announce, copyButton, el } from './dom.js';
import { plural } from './format.js';

const AT_ONCE = 100; // rows drawn before somebody asks for all
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

const isNumber = value => typeof value === 'number' || (typeof value === 'string' && /^-?\d{16,}$/.test(value));

const showValue = value => {
  if (value === null || value === undefined)
    return el('span', { class: 'null' }, 'null');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const compare = (a, b) => {
  if (typeof a === 'number' && typeof b === 'number')
    return a - b;
  return collator.compare(String(a), String(b));
};

// Rows ordered by a column; what is missing comes last in both directions, equal ones stay as they were.
export const sortRows = (rows, column, direction) => {
  if (direction === 0)
    return rows;
  return [...rows].sort((x, y) => {
    const a = x[column] ?? null, b = y[column] ?? null;
    if (a === null || b === null)
      return (a === null) - (b === null);
    return direction * compare(a, b);
  });
};

// RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe before it.
const csvCell = value => {
  if (value === null || value === undefined)
    return '';
  let text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d\s.()/-]+$/.test(text))
    text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const toCsv = (columns, rows) =>
  [columns, ...rows].map(row => row.map(csvCell).join(',')).join('\r\n') + '\r\n';

const NEXT = { 0: 1, 1: -1, '-1': 0 };
const ARIA = { 0: 'none', 1: 'ascending', '-1': 'descending' };
const SAID = { 0: 'as the database gave them', 1: 'smallest first', '-1': 'largest first' };

// data: { columns, rows, row_count, truncated }.
export const tableView = data => {
  const { columns = [], rows = [] } = data;
  const numeric = columns.map((_, i) => rows.some(row => isNumber(row[i])) && rows.every(row => row[i] === null || isNumber(row[i])));
  const sort = { column: 0, direction: 0 };
  let showsAll = rows.length <= AT_ONCE;
  const body = el('tbody');
  const sorted = () => sortRows(rows, sort.column, sort.direction);

  const draw = () => body.replaceChildren(...(showsAll ? sorted() : sorted().slice(0, AT_ONCE)).map(row =>
    el('tr', {}, columns.map((_, i) => el('td', { class: numeric[i] ? 'number' : undefined }, showValue(row[i]))))));

  const heads = columns.map((name, i) => {
    const button = el('button', { type: 'button', class: 'sort' }, el('span', {}, name), el('span', { class: 'arrow', 'aria-hidden': 'true' }));
    const head = el('th', { scope: 'col', 'aria-sort': 'none', class: numeric[i] ? 'number' : undefined }, button);
    button.addEventListener('click', () => {
      sort.direction = sort.column === i ? NEXT[sort.direction] : 1;
      sort.column = i;
      heads.forEach((other, j) => other.setAttribute('aria-sort', ARIA[j === i ? sort.direction : 0]));
      draw();
      announce(`Rows by ${name}, ${SAID[sort.direction]}`);
    });
    return head;
  });
  draw();

  const total = data.row_count ?? rows.length;
  const count = el('span', { class: 'count' }, data.truncated ? `The first ${plural(rows.length, 'row')}; there are more`
    : rows.length < total ? `${rows.length.toLocaleString('en')} of ${plural(total, 'row')} kept` : plural(total, 'row'));
  const all = el('button', { type: 'button', class: 'small' }, `Show all ${rows.length}`);
  all.addEventListener('click', () => {
    showsAll = true;
    all.remove();
    draw();
  });
  return el('div', { class: 'rows' },
    el('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': `Rows: ${columns.join(', ')}` },
      el('table', { class: 'data' }, el('thead', {}, el('tr', {}, heads)), body)),
    el('div', { class: 'rows-foot' }, count, showsAll ? null : all, copyButton('Copy CSV', () => toCsv(columns, sorted()))));
};
