// SPDX-License-Identifier: MIT
// approval_view.js - what a run that waits for a person asks, and the ways to answer it.
//
// A statement is run, changed and run, or refused; what another node asks is shown as it is, with room
// for an answer.
import { el } from './dom.js';
import { highlightSql, layOutSql } from './sql_view.js';
import { nodeTitle, plural } from './format.js';
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

// A call of a tool that a person has to allow: made, made otherwise, or not.
const toolView = (asked, answer) => {
  const place = el('div'), given = JSON.stringify(asked.arguments ?? {}, null, 2);
  const choose = () => place.replaceChildren(
    el('p', { class: 'approval-cost' }, el('strong', {}, nodeTitle(asked.tool ?? ''))),
    el('pre', { class: 'sql', tabindex: '0', 'aria-label': t('What it is given') }, el('code', {}, given)),
    el('div', { class: 'approval-foot' },
      button(t('Do it'), 'filled-button', () => answer({ action: 'approve' })),
      button(t('Edit'), 'plain-button', edit),
      button(t('Refuse'), 'plain-button', () => answer({ action: 'refuse' }))));
  const edit = () => {
    const input = el('textarea', { class: 'sql-editor', rows: '6', 'aria-label': t('What it is given'), spellcheck: 'false' }), said = el('p', { class: 'error', hidden: true }, t('This is no JSON object.'));
    input.value = given;
    const send = () => {
      try {
        answer({ action: 'edit', arguments: JSON.parse(input.value) });
      } catch {
        said.hidden = false;
      }
    };
    place.replaceChildren(el('div', { class: 'approval-edit' }, input, said, el('div', { class: 'approval-foot' }, button(t('Do it so'), 'filled-button', send), button(t('Leave it'), 'plain-button', choose))));
    input.focus();
  };
  choose();
  return place;
};

// A question of the agent's own, with what may be answered.
const questionView = (asked, answer) => {
  const input = el('textarea', { class: 'sql-editor', rows: '2', 'aria-label': t('Your answer') });
  return el('div', {}, el('p', {}, asked.question), (asked.options ?? []).length > 0 && el('div', { class: 'options', role: 'group', 'aria-label': t('What is meant') }, asked.options.map(option =>
    el('button', { type: 'button', class: 'option', onclick: () => answer(option) }, option))),
    input, el('div', { class: 'approval-foot' }, button(t('Answer'), 'filled-button', () => input.value.trim() && answer(input.value.trim()))));
};

const openView = (asked, answer) => {
  const { node, ...rest } = asked;
  const input = el('textarea', { class: 'sql-editor', rows: '3', 'aria-label': t('Your answer') });
  return el('div', {}, el('pre', { class: 'sql', tabindex: '0' }, el('code', {}, JSON.stringify(rest, null, 2))), input,
    el('div', { class: 'approval-foot' }, button(t('Answer'), 'filled-button', () => input.value.trim() && answer(input.value.trim()))));
};

const viewOf = ({ type, question }) => ({ sql_approval: statementView, tool_approval: toolView })[type] ?? (typeof question === 'string' ? questionView : openView);

// asked: an interrupt event's members; answer(value): said once.
export const approvalView = (asked, answer) => {
  const element = el('section', { class: 'approval', 'aria-label': t('Waits for you') });
  const once = value => {
    element.inert = true;
    answer(value);
  };
  element.append(...[
    el('h3', {}, { sql_approval: t('Shall this statement run?'), tool_approval: t('Shall this be done?') }[asked.type] ?? t('This run waits for your answer')),
    asked.error && el('p', { class: 'error' }, asked.error),
    viewOf(asked)(asked, once),
  ].filter(Boolean));
  return element;
};
