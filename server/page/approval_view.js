// SPDX-License-Identifier: MIT
// approval_view.js - what a run that waits for a person asks, and the ways to answer it.
//
// A statement is run, changed and run, or refused; what another node asks is shown as it is, with room
// for an answer.
import { el } from './dom.js';
import { highlightSql, layOutSql } from './sql_view.js';
import { plural } from './format.js';
import { t } from './words.js';

const button = (label, look, onclick) => el('button', { type: 'button', class: look, onclick }, label);

const costOf = ({ cost, tables }) => [
  tables?.length > 0 && t('reads {tables}', { tables: tables.join(', ') }),
  cost?.rows !== undefined && plural(Math.round(cost.rows), 'about {n} row to look at', 'about {n} rows to look at'),
].filter(Boolean).join(' · ');

// The statement to be changed, in the place of the one that is shown.
const editor = (sql, onRun, onLeave) => {
  const input = el('textarea', { class: 'sql-editor', 'aria-label': t('The statement to run instead'), spellcheck: 'false' });
  input.value = layOutSql(sql);
  input.rows = Math.min(Math.max(input.value.split('\n').length + 1, 4), 16);
  const run = button(t('Run this instead'), 'filled-button', () => input.value.trim() && onRun(input.value.trim()));
  return { input, element: el('div', { class: 'approval-edit' }, input, el('div', { class: 'approval-foot' }, run, button(t('Leave it'), 'plain-button', onLeave))) };
};

const sqlView = (sql, label) =>
  el('pre', { class: 'sql', tabindex: '0', 'aria-label': label }, el('code', {}, highlightSql(layOutSql(sql))));

const statementView = (asked, answer) => {
  const place = el('div');
  const choose = () => place.replaceChildren(
    sqlView(asked.sql, t('The statement that waits')),
    ...asked.runs ? [el('details', {}, el('summary', {}, t('What is sent for it')), sqlView(asked.runs, t('What is sent for it')))] : [],
    el('p', { class: 'approval-cost' }, costOf(asked)),
    el('div', { class: 'approval-foot' },
      button(t('Run it'), 'filled-button', () => answer({ action: 'approve' })),
      button(t('Edit'), 'plain-button', edit),
      button(t('Refuse'), 'plain-button', () => answer({ action: 'refuse' }))));
  const edit = () => {
    const { element, input } = editor(asked.edited ?? asked.sql, sql => answer({ action: 'edit', sql }), choose);
    place.replaceChildren(element);
    input.focus();
  };
  choose();
  return place;
};

const openView = (asked, answer) => {
  const { node, ...rest } = asked;
  const input = el('textarea', { class: 'sql-editor', rows: '3', 'aria-label': t('Your answer') });
  return el('div', {}, el('pre', { class: 'sql', tabindex: '0' }, el('code', {}, JSON.stringify(rest, null, 2))), input,
    el('div', { class: 'approval-foot' }, button(t('Answer'), 'filled-button', () => input.value.trim() && answer(input.value.trim()))));
};

// asked: an interrupt event's members; answer(value): said once.
export const approvalView = (asked, answer) => {
  const element = el('section', { class: 'approval', 'aria-label': t('Waits for you') });
  const once = value => {
    element.inert = true;
    answer(value);
  };
  element.append(...[
    el('h3', {}, asked.type === 'sql_approval' ? t('Shall this statement run?') : t('This run waits for your answer')),
    asked.error && el('p', { class: 'error' }, asked.error),
    asked.type === 'sql_approval' ? statementView(asked, once) : openView(asked, once),
  ].filter(Boolean));
  return element;
};
