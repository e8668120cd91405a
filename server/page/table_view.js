// SPDX-License-Identifier: MIT
// table_view.js - rows as a table: sorted by any column, searched, in pages, cells copied, the whole result fetched
// or saved.
//
// Columns have the titles, and keys the names, that the database's tables give them once those are known.
import { Problem } from './api.js';
import { toCsv } from './csv.js';
import { announce, copyButton, copyText, el, icon, ICONS } from './dom.js';
import { cellNumber, columnTitle, count, moment, plural } from './format.js';
import { menuButton } from './menu.js';
import { fetchRows, fileName, saveFile, saveResult } from './results.js';
import { describeColumn, loadNames, loadTables } from './tables.js';
import { locale, t } from './words.js';

const PAGE = 100, SEARCHABLE = 12; // rows on a page; rows from which on a search is worth its room
const MOST_LOADED = 20000;
const collator = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });

const isNumber = value => typeof value === 'number' || (typeof value === 'string' && /^-?\d{16,}$/.test(value));
// Numbers that name something are not written in groups.
const NAMES = /(^|[_\s])(id|no|nr|year|code|zip|number|jahr)$|(?:Id|No|Year|Code|Zip|Number)$/i;

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

const plain = value => value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

const NEXT = { 0: 1, 1: -1, '-1': 0 };
const ARIA = { 0: 'none', 1: 'ascending', '-1': 'descending' };
const SAID = () => ({ 0: t('as the database gave them'), 1: t('smallest first'), '-1': t('largest first') });

class Table {
  // data: { columns, rows, row_count, truncated, total_rows, written }. about: { title, tables } of its turn.
  constructor(data, about) {
    this.columns = data.columns ?? [];
    this.about = about;
    this.written = data.written;
    this.sort = { column: 0, direction: 0 };
    this.page = 0;
    this.filter = '';
    this.selected = null; // [row on the page, column]
    this.onPage = [];
    this.titles = this.columns.map(columnTitle);
    this.names = this.columns.map(() => null); // column -> map of key -> name
    this.take(data);
    this.body = el('tbody');
    this.heads = this.columns.map((_, i) => this.makeHead(i));
    this.scroll = el('div', { class: 'table-scroll', tabindex: '0', role: 'group', 'aria-label': t('Rows: {columns}', { columns: this.columns.join(', ') }) },
      el('table', { class: 'data' }, el('thead', {}, el('tr', {}, this.heads)), this.body));
    this.scroll.addEventListener('keydown', event => this.onKey(event));
    this.body.addEventListener('click', event => this.onClick(event));
    this.foot = el('div', { class: 'rows-foot' });
    this.search = el('input', { type: 'search', class: 'table-search', placeholder: t('Search these rows'), 'aria-label': t('Search these rows'), autocomplete: 'off' });
    this.search.addEventListener('input', () => {
      this.filter = this.search.value.trim().toLowerCase();
      this.page = 0;
      this.draw();
    });
    this.element = el('div', { class: 'rows' }, this.rows.length >= SEARCHABLE || this.more ? el('div', { class: 'rows-head' }, this.search) : null, this.scroll, this.foot);
    this.draw();
    this.describe();
  }

  take({ rows = [], row_count: total = rows.length, truncated, total_rows: all }) {
    this.rows = rows;
    this.total = all ?? total;
    this.more = Boolean(truncated) || rows.length < total;
    this.isCounted = !truncated || all !== undefined;
    this.numeric = this.columns.map((_, i) => rows.some(row => isNumber(row[i])) && rows.every(row => row[i] === null || isNumber(row[i])));
    this.grouped = this.columns.map((name, i) => this.numeric[i] && !NAMES.test(name));
  }

  makeHead(i) {
    const button = el('button', { type: 'button', class: 'sort', title: this.columns[i] === this.titles[i] ? undefined : this.columns[i] }, el('span', {}, this.titles[i]), el('span', { class: 'arrow', 'aria-hidden': 'true' }));
    const head = el('th', { scope: 'col', 'aria-sort': 'none', 'data-column': this.columns[i], class: this.numeric[i] ? 'number' : undefined }, button);
    button.addEventListener('click', () => {
      this.sort = { column: i, direction: this.sort.column === i ? NEXT[this.sort.direction] : 1 };
      this.heads.forEach((other, j) => other.setAttribute('aria-sort', ARIA[j === i ? this.sort.direction : 0]));
      this.page = 0;
      this.draw();
      announce(t('Rows by {column}, {order}', { column: this.titles[i], order: SAID()[this.sort.direction] }));
    });
    return head;
  }

  // What columns are called, and whom keys mean, once that is known.
  async describe() {
    if (!this.written)
      return; // an old answer, or a shared one
    try {
      const known = await loadTables();
      const columns = this.columns.map(name => describeColumn(name, known, this.about.tables ?? []));
      columns.forEach(({ title, isKey }, i) => {
        this.titles[i] = title;
        this.grouped[i] &&= !isKey;
        this.heads[i].querySelector('.sort span').textContent = title;
      });
      this.draw();
      await Promise.all(columns.map(async ({ to }, i) => {
        if (to)
          this.names[i] = await loadNames(to, this.rows.map(row => row[i]), known);
      }));
      this.draw();
    } catch { /* as they came */ }
  }

  show(value, i) {
    if (value === null || value === undefined)
      return el('span', { class: 'null', 'aria-label': t('nothing') }, '–');
    const name = this.names[i]?.get(String(value));
    if (name)
      return [name, ' ', el('span', { class: 'key' }, String(value))];
    if (this.grouped[i] && typeof value === 'number')
      return cellNumber(value);
    return moment(value) ?? plain(value);
  }

  isRight(i) {
    return this.numeric[i] && !this.names[i]?.size;
  }

  found() {
    const rows = sortRows(this.rows, this.sort.column, this.sort.direction);
    if (!this.filter)
      return rows;
    const holds = (value, i) => plain(value).toLowerCase().includes(this.filter) || this.names[i]?.get(String(value))?.toLowerCase().includes(this.filter) || moment(value)?.toLowerCase().includes(this.filter);
    return rows.filter(row => this.columns.some((_, i) => holds(row[i], i)));
  }

  draw() {
    this.shown = this.found();
    const pages = Math.max(1, Math.ceil(this.shown.length / PAGE));
    this.page = Math.min(this.page, pages - 1);
    const rows = this.shown.slice(this.page * PAGE, (this.page + 1) * PAGE);
    if (rows.length !== this.onPage.length || rows.some((row, i) => row !== this.onPage[i])) {
      this.onPage = rows;
      this.selected = null;
      this.body.replaceChildren(...rows.map(() => el('tr', {}, this.columns.map(() => el('td')))));
    }
    this.fill();
    this.drawFoot(pages);
  }

  // Write the rows into the cells there are: a cell that is chosen, or about to be clicked, stays the one it is.
  fill() {
    const right = this.columns.map((_, i) => this.isRight(i));
    this.heads.forEach((head, i) => head.classList.toggle('number', right[i]));
    this.onPage.forEach((row, n) => [...this.body.children[n].children].forEach((cell, i) => {
      cell.classList.toggle('number', right[i]);
      cell.replaceChildren(...[this.show(row[i], i)].flat());
    }));
  }

  countText() {
    if (this.filter)
      return t('{n} of {all} rows', { n: count(this.shown.length), all: count(this.rows.length) });
    if (!this.more)
      return plural(this.rows.length, '{n} row', '{n} rows');
    return this.isCounted ? t('The first {n} of {all} rows', { n: count(this.rows.length), all: count(this.total) })
      : t('The first {n} rows; there are more', { n: count(this.rows.length) });
  }

  // The foot is made anew only when it says something else: a menu that is open in it stays open.
  drawFoot(pages) {
    const says = JSON.stringify([this.countText(), this.page, pages, this.more]);
    if (says === this.footSays) {
      this.offerCell();
      return;
    }
    this.footSays = says;
    const step = (label, by, drawing, disabled) => el('button', { type: 'button', class: 'icon', 'aria-label': label, disabled, onclick: () => {
      this.page += by;
      this.draw();
      this.scroll.scrollTop = 0;
      announce(t('Page {n} of {all}', { n: this.page + 1, all: pages }));
    } }, icon(drawing));
    const pager = pages > 1 && el('span', { class: 'pager' }, step(t('Page before'), -1, 'M15 6l-6 6 6 6', this.page === 0),
      el('span', {}, t('{n} of {all}', { n: this.page + 1, all: pages })), step(t('Next page'), 1, 'M9 6l6 6-6 6', this.page === pages - 1));
    this.cellPlace = el('span', { class: 'cell-place' });
    this.offerCell();
    this.foot.replaceChildren(...[el('span', { class: 'count' }, this.countText()), this.cellPlace, pager,
      this.more && this.written && el('button', { type: 'button', class: 'small', onclick: event => this.loadAll(event.currentTarget) }, t('Load all')),
      copyButton(t('Copy CSV'), () => toCsv(this.columns, this.shown)), this.saveMenu()].filter(Boolean));
  }

  saveMenu() {
    const name = fileName(this.about.title), whole = this.written ? t('the whole result') : plural(this.rows.length, '{n} row', '{n} rows');
    const save = async format => {
      try {
        if (this.written) {
          const { rows, truncated } = await saveResult(this.written, format, name);
          announce(truncated ? t('Saved the first {n} rows; there are more', { n: count(rows) }) : plural(rows, 'Saved {n} row', 'Saved {n} rows'));
          return;
        }
        saveFile(`${name}.${format}`, format === 'csv' ? 'text/csv' : 'application/json',
          format === 'csv' ? toCsv(this.columns, this.rows) : JSON.stringify({ columns: this.columns, rows: this.rows }));
      } catch (error) {
        this.fail(error);
      }
    };
    return menuButton(t('Download'), ICONS.save, [
      { label: 'CSV', hint: whole, onchoose: () => save('csv') },
      ...this.written ? [{ label: 'Excel (XLSX)', hint: whole, onchoose: () => save('xlsx') }] : [],
      { label: 'JSON', hint: whole, onchoose: () => save('json') }]);
  }

  fail(error) {
    const said = error instanceof Problem ? error.message : t('The server cannot be reached.');
    this.foot.querySelector('.count').textContent = said;
    this.footSays = said;
    announce(said);
  }

  async loadAll(button) {
    button.disabled = true;
    button.textContent = t('Loading');
    try {
      this.take(await fetchRows(this.written, MOST_LOADED));
      this.search.parentElement ?? this.element.prepend(el('div', { class: 'rows-head' }, this.search));
      this.draw();
      this.describe();
      announce(this.countText());
    } catch (error) {
      button.remove();
      this.fail(error);
    }
  }

  // ---- cells ----

  select(row, column) {
    this.body.querySelector('.selected')?.classList.remove('selected');
    const cell = this.body.children[row]?.children[column];
    if (!cell)
      return;
    this.selected = [row, column];
    cell.classList.add('selected');
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.offerCell();
    announce(`${this.titles[column]}: ${cell.textContent}`);
  }

  // The button that copies the chosen cell, or none.
  offerCell() {
    const [row, column] = this.selected ?? [], value = this.onPage[row]?.[column];
    this.cellPlace.replaceChildren(...this.selected ? [copyButton(t('Copy cell'), () => plain(value))] : []);
  }

  onClick(event) {
    const cell = event.target.closest('td');
    if (cell && String(getSelection()) === '')
      this.select(cell.parentElement.rowIndex - 1, cell.cellIndex);
  }

  async onKey(event) {
    if (event.target !== this.scroll)
      return;
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (move && this.onPage.length > 0) {
      event.preventDefault();
      const [row, column] = this.selected ?? [-Math.max(move[0], 0), -Math.max(move[1], 0)];
      this.select(Math.min(Math.max(row + move[0], 0), this.onPage.length - 1), Math.min(Math.max(column + move[1], 0), this.columns.length - 1));
    } else if (this.selected && (event.key === 'Enter' || (event.key === 'c' && (event.ctrlKey || event.metaKey) && String(getSelection()) === ''))) {
      event.preventDefault();
      const [row, column] = this.selected;
      if (await copyText(plain(this.onPage[row][column])))
        announce(t('Copied'));
    }
  }
}

export const tableView = (data, about = {}) => new Table(data, about).element;
