// SPDX-License-Identifier: MIT
// sql_panel.js - the statement of an answer: looked at, copied, changed and run, past the guard as every other one.
import { Problem } from './api.js';
import { announce, copyButton, el, icon, ICONS } from './dom.js';
import { fetchRows } from './results.js';
import { highlightSql, layOutSql } from './sql_view.js';
import { tableView } from './table_view.js';
import { t } from './words.js';

const MOST_ROWS = 1000;

export const sqlPanel = ({ sql, data, tables, question }) => {
  const pre = el('pre', { class: 'sql', tabindex: '0', 'aria-label': t('The statement that ran') }, el('code', {}, highlightSql(layOutSql(sql))));
  const place = el('div'), written = data?.written;
  const show = () => place.replaceChildren(pre, el('div', { class: 'rows-foot' }, el('span', { class: 'count' }, t('The statement that ran')),
    written && el('button', { type: 'button', class: 'small', onclick: edit }, icon(...ICONS.edit), el('span', {}, t('Edit'))), copyButton(t('Copy SQL'), () => sql)));
  const edit = () => {
    const input = el('textarea', { class: 'sql-editor', 'aria-label': t('The statement'), spellcheck: 'false' }), result = el('div', { class: 'edited-result' });
    input.value = layOutSql(written);
    input.rows = Math.min(Math.max(input.value.split('\n').length + 1, 5), 18);
    const run = async () => {
      result.replaceChildren(el('p', { class: 'progress' }, el('span', { class: 'spinner', 'aria-hidden': 'true' }), t('Asking the database')));
      const statement = input.value.trim().replace(/;$/, '');
      try {
        const found = await fetchRows(statement, MOST_ROWS);
        result.replaceChildren(tableView({ ...found, written: statement }, { title: question, tables }));
        announce(t('Rows of the changed statement'));
      } catch (error) {
        const said = error instanceof Problem ? error.message.replace(/^\/sql: /, '') : t('The server cannot be reached.');
        result.replaceChildren(el('p', { class: 'error', role: 'alert' }, said));
      }
    };
    input.addEventListener('keydown', event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        run();
      }
    });
    place.replaceChildren(el('div', { class: 'sql-edit' }, input, el('div', { class: 'approval-foot' },
      el('button', { type: 'button', class: 'filled-button', onclick: run }, t('Run')), el('button', { type: 'button', class: 'plain-button', onclick: show }, t('Leave it'))), result));
    input.focus();
  };
  show();
  return place;
};
