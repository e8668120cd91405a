// SPDX-License-Identifier: MIT
// turn_view.js - one question and its answer as they are now; update() after every change.
import { approvalView } from './approval_view.js';
import { chartView } from './chart_view.js';
import { copyButton, el, icon, ICONS } from './dom.js';
import { openPassage } from './dialogs.js';
import { duration, nodeTitle, plural } from './format.js';
import { MarkdownView } from './markdown_view.js';
import { highlightSql, layOutSql } from './sql_view.js';
import { tableView } from './table_view.js';
import { tabs } from './tabs.js';
import { isOver } from './turn.js';

const ROUTES = { sql: 'from the database', rag: 'from documents', general: 'from the model' };

const LINKS = { reconnecting: 'The connection was lost; trying again', offline: 'You are offline; it goes on when you are back' };

const progress = turn => {
  if (LINKS[turn.link])
    return LINKS[turn.link];
  if (turn.place)
    return `Waiting for a place, number ${turn.place.position}`;
  const step = turn.steps.findLast(one => one.state === 'running');
  if (!step)
    return 'Asking';
  const retry = turn.retries.at(-1);
  return retry && retry.after <= turn.steps.length && turn.steps.length - retry.after < 4
    ? `${nodeTitle(step.node)}, once more: ${retry.reason || nodeTitle(retry.budget)}` : nodeTitle(step.node);
};

const sqlPanel = sql => {
  const pre = el('pre', { class: 'sql', tabindex: '0', 'aria-label': 'The statement that ran' }, el('code', {}, highlightSql(layOutSql(sql))));
  return el('div', {}, pre, el('div', { class: 'rows-foot' }, el('span', { class: 'count' }, 'The statement that ran'), copyButton('Copy SQL', () => sql)));
};

const resultPanels = turn => {
  const { chart, charts = [], data, sql } = turn;
  const drawn = [data && chart, ...charts].map(one => one && chartView({ type: one.chartjs?.type, ...one }, data ?? {})).filter(Boolean);
  return [
    drawn.length > 0 && { label: drawn.length > 1 ? 'Charts' : 'Chart', content: drawn.length > 1 ? el('div', { class: 'charts' }, drawn) : drawn[0] },
    data?.columns?.length > 0 && { label: 'Rows', content: tableView(data) },
    sql && { label: 'SQL', content: sqlPanel(sql) },
  ].filter(Boolean);
};

const sourceList = citations => el('div', { class: 'sources' }, el('h3', {}, 'Sources'), el('ul', {}, citations.map(one =>
  el('li', {}, el('button', { type: 'button', class: 'chip', onclick: () => openPassage(one) },
    el('span', { class: 'cite-number', 'aria-hidden': 'true' }, one.number),
    el('span', { class: 'unseen' }, `Source ${one.number}: `), el('span', {}, one.heading || one.title || one.document))))));

const unsupportedNote = list => list.length === 0 ? null
  : `${plural(list.length, 'sentence')} of this answer ${list.length === 1 ? 'is' : 'are'} not in the sources: ${list.map(one => typeof one === 'string' ? `“${one}”` : `“${one.text ?? one.sentence ?? ''}”`).join(', ')}`;

export class TurnView {
  // on: { again(turn), show(turn), answer(value, turn), fork(turn), choose(option, turn) }; without fork or choose there is no such thing.
  constructor(turn, on) {
    Object.assign(this, { turn, on, isWhole: false });
    this.answer = new MarkdownView();
    this.progress = el('p', { class: 'progress' }, el('span', { class: 'spinner', 'aria-hidden': 'true' }), el('span'));
    this.results = el('div', { class: 'results' });
    this.notes = el('div', { class: 'notes' });
    this.foot = el('div', { class: 'turn-foot' });
    this.body = el('div', { class: 'answer' }, this.answer.element, this.progress, this.results, this.notes, this.foot);
    this.element = el('article', { class: 'turn', 'aria-label': `Question: ${turn.question}` },
      el('div', { class: 'question' }, el('h2', {}, turn.question)), this.body);
    this.update();
  }

  update() {
    const { turn } = this, over = isOver(turn);
    this.element.dataset.state = turn.state;
    this.body.setAttribute('aria-busy', String(!over));
    this.body.classList.toggle('writing', turn.state === 'answering' && turn.link === 'streaming');
    this.answer.update(turn.text);
    this.progress.hidden = over || (turn.state === 'answering' && !LINKS[turn.link]);
    const said = progress(turn);
    if (this.progress.lastChild.textContent !== said)
      this.progress.lastChild.textContent = said;
    if (over !== this.isWhole)
      this.drawWhole(over);
  }

  drawWhole(over) {
    this.isWhole = over;
    const { turn } = this;
    if (!over) {
      for (const part of [this.results, this.notes, this.foot])
        part.replaceChildren();
      return;
    }
    const byNumber = new Map(turn.citations.map(one => [one.number, one]));
    this.answer.update(turn.text, number => byNumber.has(number) ? this.citeButton(byNumber.get(number)) : null);
    const panels = resultPanels(turn);
    this.results.replaceChildren(...[panels.length > 0 && tabs(panels, 'Results'), turn.citations.length > 0 && sourceList(turn.citations)].filter(Boolean));
    this.drawNotes();
    this.drawFoot();
  }

  citeButton(citation) {
    return el('button', { type: 'button', class: 'cite', 'aria-label': `Source ${citation.number}: ${citation.heading || citation.document}`, onclick: () => openPassage(citation) }, citation.number);
  }

  drawNotes() {
    const { turn } = this, notes = [...turn.warnings, unsupportedNote(turn.unsupported)].filter(Boolean)
      .map(text => el('p', { class: 'note' }, text));
    if (turn.clarify?.options?.length > 1 && this.on.choose)
      notes.push(el('div', { class: 'options', role: 'group', 'aria-label': 'What is meant' }, turn.clarify.options.map(option =>
        el('button', { type: 'button', class: 'option', onclick: () => this.on.choose(option, turn) }, option))));
    else if (turn.abstained && turn.abstained !== turn.text)
      notes.push(el('p', { class: 'note' }, `Not answered: ${turn.abstained}`));
    if (turn.state === 'waiting' && turn.waits)
      notes.push(approvalView(turn.waits, value => this.on.answer(value, turn)));
    else if (turn.state === 'stopped')
      notes.push(el('p', { class: 'note' }, 'Stopped.'));
    else if (turn.state === 'failed')
      notes.push(el('div', { class: 'error', role: 'group', 'aria-label': 'Error' }, el('strong', {}, nodeTitle(turn.error.code)), el('p', {}, turn.error.message)));
    this.notes.replaceChildren(...notes);
  }

  drawFoot() {
    const { turn } = this, { stats } = turn;
    const facts = [turn.state === 'done' && ROUTES[turn.route], stats?.duration_ms !== undefined && duration(stats.duration_ms), turn.retries.length > 0 && plural(turn.retries.length, 'retry', 'retries')];
    const button = (label, drawing, onclick) => el('button', { type: 'button', class: 'small', onclick }, icon(...drawing), el('span', {}, label));
    this.foot.replaceChildren(...[turn.text && copyButton('Copy', () => turn.text),
      button('Ask again', ICONS.again, () => this.on.again(turn)),
      this.on.fork && turn.state === 'done' && button('Fork', ICONS.fork, () => this.on.fork(turn)),
      turn.steps.length > 0 && button('Run', ICONS.run, () => this.on.show(turn)),
      el('span', { class: 'facts' }, facts.filter(Boolean).join(' · '))].filter(Boolean));
  }
}
