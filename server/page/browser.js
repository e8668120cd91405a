// SPDX-License-Identifier: MIT
// browser.js - the tables and columns that there are, with some of their rows, and a question about them.
import { Problem } from './api.js';
import { openDialog } from './dialogs.js';
import { byId, el } from './dom.js';
import { columnTitle, plural } from './format.js';
import { fetchRows } from './results.js';
import { tableView } from './table_view.js';
import { loadTables, quoteName } from './tables.js';
import { t } from './words.js';

const SAMPLE = 8;

const titleOf = table => table.label ? table.label.charAt(0).toUpperCase() + table.label.slice(1) : columnTitle(table.name);

const columnRow = (column, table) => {
  const to = table.references.find(one => one.columns.length === 1 && one.columns[0] === column.name)?.to_table;
  return el('li', {}, el('span', { class: 'column-name' }, column.label ? column.label.charAt(0).toUpperCase() + column.label.slice(1) : columnTitle(column.name)),
    el('code', {}, column.name), el('span', { class: 'column-type' }, [column.type?.toLowerCase(), column.primary_key && t('key'), to && `→ ${to}`].filter(Boolean).join(' · ')),
    column.comment ? el('p', {}, column.comment) : null);
};

const tableItem = (table, known, onAsk) => {
  const rows = el('div', { class: 'sample' });
  const look = async event => {
    event.currentTarget.disabled = true;
    try {
      const columns = table.columns.map(column => quoteName(column.name, known.dialect)).join(', ');
      rows.replaceChildren(tableView(await fetchRows(`SELECT ${columns} FROM ${quoteName(table.name, known.dialect)}`, SAMPLE), { title: table.name, tables: [table.name] }));
    } catch (error) {
      rows.replaceChildren(el('p', { class: 'error' }, error instanceof Problem ? error.message : t('The server cannot be reached.')));
    }
  };
  return el('details', { class: 'known-table', 'data-name': `${table.name} ${table.label ?? ''} ${table.columns.map(one => `${one.name} ${one.label ?? ''}`).join(' ')}`.toLowerCase() },
    el('summary', {}, el('strong', {}, titleOf(table)), el('code', {}, table.name), el('span', { class: 'column-type' }, plural(table.columns.length, '{n} column', '{n} columns'))),
    table.comment ? el('p', {}, table.comment) : null,
    el('ul', { class: 'columns' }, table.columns.map(column => columnRow(column, table))),
    el('div', { class: 'approval-foot' }, el('button', { type: 'button', class: 'plain-button', onclick: look }, t('Some rows')),
      el('button', { type: 'button', class: 'plain-button', onclick: () => onAsk(table) }, t('Ask about it'))), rows);
};

export const openBrowser = async () => {
  const place = el('div', { class: 'known-tables' }, el('p', { class: 'progress' }, el('span', { class: 'spinner', 'aria-hidden': 'true' }), t('Reading the tables')));
  const search = el('input', { type: 'search', class: 'table-search', placeholder: t('Search tables and columns'), 'aria-label': t('Search tables and columns') });
  const dialog = openDialog('passage', t('What can be asked about'), search, place);
  search.focus();
  search.addEventListener('input', () => {
    const wanted = search.value.trim().toLowerCase();
    for (const item of place.querySelectorAll('details'))
      item.hidden = !item.dataset.name.includes(wanted);
  });
  try {
    const known = await loadTables();
    place.replaceChildren(...known.tables.map(table => tableItem(table, known, ({ label, name }) => {
      dialog.close();
      byId('question').value = t('How many {things} are there?', { things: label ?? name }); // the server reads it in each language
      byId('question').dispatchEvent(new Event('input'));
      byId('question').focus();
    })));
  } catch (error) {
    place.replaceChildren(el('p', { class: 'why' }, error instanceof Problem ? error.message : t('The server cannot be reached.')));
  }
};
