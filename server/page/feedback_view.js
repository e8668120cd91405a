// SPDX-License-Identifier: MIT
// feedback_view.js - what somebody says of an answer: right, wrong, why, and what would have been right.
//
// It goes to whoever keeps the verified questions (askd semantic review). Failure: said in the form.
import { caller, Problem, request, whose } from './api.js';
import { openDialog } from './dialogs.js';
import { announce, el, icon, ICONS } from './dom.js';
import { layOutSql } from './sql_view.js';
import { t } from './words.js';

const send = (turn, body) => request(`/internal/runs/${encodeURIComponent(turn.runId)}/feedback?${whose(caller)}`, {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
});

// onSent(score): it is kept.
const openForm = (turn, onSent) => {
  const why = el('textarea', { class: 'form-text', rows: '3', maxlength: '1000', 'aria-label': t('What is wrong?'), placeholder: t('What is wrong?') });
  const sql = el('textarea', { class: 'sql-editor', spellcheck: 'false', rows: '6', 'aria-label': t('The statement that is right') });
  const before = layOutSql(turn.data?.written ?? turn.sql ?? '');
  sql.value = before;
  const said = el('p', { class: 'why', hidden: true });
  const submit = async event => {
    event.preventDefault();
    const statement = sql.value.trim();
    try {
      await send(turn, { score: -1, ...(why.value.trim() && { reason: why.value.trim() }), ...(statement && statement !== before && { sql: statement }) });
      dialog.close();
      onSent(-1);
    } catch (error) {
      said.hidden = false;
      said.textContent = error instanceof Problem ? error.message : t('The server cannot be reached.');
    }
  };
  const dialog = openDialog('confirm', t('What would have been right?'), el('p', {}, t('People who keep this database’s verified questions look at it.')),
    el('form', { onsubmit: submit }, why, turn.sql ? el('label', { class: 'field' }, el('span', {}, t('The statement that is right')), sql) : null, said,
      el('div', { class: 'dialog-foot' }, el('button', { type: 'submit', class: 'filled-button' }, t('Send')))));
  why.focus();
};

export const feedbackView = turn => {
  const button = (label, drawing, score) => el('button', { type: 'button', class: 'icon thumb', 'aria-label': label, title: label, 'aria-pressed': String(turn.feedback === score), onclick: () => judge(score) }, icon(...drawing));
  const up = button(t('This is right'), ICONS.up, 1), down = button(t('This is wrong'), ICONS.down, -1);
  const show = score => {
    turn.feedback = score;
    up.setAttribute('aria-pressed', String(score === 1));
    down.setAttribute('aria-pressed', String(score === -1));
    announce(score === 0 ? t('Taken back') : t('Thank you'));
  };
  const judge = async score => {
    if (score === -1 && turn.feedback !== -1) {
      openForm(turn, show);
      return;
    }
    try {
      const next = turn.feedback === score ? 0 : score;
      await send(turn, { score: next });
      show(next);
    } catch (error) {
      announce(error.message);
    }
  };
  return el('span', { class: 'thumbs', role: 'group', 'aria-label': t('Judge this answer') }, up, down);
};
