// SPDX-License-Identifier: MIT
// turn_view.js - one question and its answer as they are now; update() after every change.
import { approvalView } from './approval_view.js';
import { chartView } from './chart_view.js';
import { copyButton, el, icon, ICONS } from './dom.js';
import { feedbackView } from './feedback_view.js';
import { openPassage } from './dialogs.js';
import { duration, nodeTitle, plural } from './format.js';
import { stepTitle } from './step_titles.js';
import { MarkdownView } from './markdown_view.js';
import { inOrder } from './sources.js';
import { sqlPanel } from './sql_panel.js';
import { tableView } from './table_view.js';
import { tabs } from './tabs.js';
import { isOver } from './turn.js';
import { ToolsView } from './tools_view.js';
import { whyText } from './why.js';
import { t } from './words.js';

const ROUTES = () => ({ sql: t('from the database'), rag: t('from documents'), general: t('from the model') });

const LINKS = { reconnecting: t('The connection was lost; trying again'), offline: t('You are offline; it goes on when you are back') };

const progress = turn => {
  if (LINKS[turn.link])
    return LINKS[turn.link];
  if (turn.place)
    return t('Waiting for a place, number {n}', { n: turn.place.position });
  const step = turn.steps.findLast(one => one.state === 'running');
  if (!step)
    return t('Asking');
  const retry = turn.retries.at(-1);
  return retry && retry.after <= turn.steps.length && turn.steps.length - retry.after < 4
    ? t('{step}, once more: {why}', { step: stepTitle(step.node), why: retry.reason || nodeTitle(retry.budget) }) : stepTitle(step.node);
};

const resultPanels = turn => {
  const { chart, charts = [], data, sql } = turn;
  const drawn = [data && chart, ...charts].map(one => one && chartView({ type: one.chartjs?.type, ...one }, data ?? {})).filter(Boolean);
  return [
    drawn.length > 0 && { label: drawn.length > 1 ? t('Charts') : t('Chart'), content: drawn.length > 1 ? el('div', { class: 'charts' }, drawn) : drawn[0] },
    data?.columns?.length > 0 && { label: t('Rows'), content: tableView(data, { title: turn.question, tables: turn.tables }) },
    sql && { label: 'SQL', content: sqlPanel(turn) },
  ].filter(Boolean);
};

// A source as it is told apart by the reader.
const opened = one => () => openPassage({ ...one, number: one.shown });

const sourceList = sources => el('div', { class: 'sources' }, el('h3', {}, t('Sources')), el('ul', {}, sources.map(one =>
  el('li', {}, el('button', { type: 'button', class: 'chip', onclick: opened(one) },
    el('span', { class: 'cite-number', 'aria-hidden': 'true' }, one.shown),
    el('span', { class: 'unseen' }, t('Source {n}: ', { n: one.shown })), el('span', {}, one.heading || one.title || one.document))))));

const unsupportedNote = list => list.length === 0 ? null
  : `${plural(list.length, '{n} sentence of this answer is not in the sources:', '{n} sentences of this answer are not in the sources:')} ${list.map(one => `“${typeof one === 'string' ? one : one.text ?? one.sentence ?? ''}”`).join(', ')}`;

// The text without the options that are cards below it: lines of a list that say one.
const withoutOptions = ({ text, clarify }) => {
  const options = new Set(clarify?.options?.length > 1 ? clarify.options : []);
  return options.size === 0 ? text : text.split('\n').filter(line => !options.has(line.replace(/^\s*(?:\d+[.)]|[-*])\s+/, '').trim())).join('\n').trim();
};

export class TurnView {
  // on: { again(turn), edit(text, turn), show(turn), answer(value, turn), fork(turn), choose(option, turn) }; what is absent there is not.
  // next(place, turn): fills place with what may follow.
  constructor(turn, on) {
    Object.assign(this, { turn, on, isWhole: false });
    this.answer = new MarkdownView();
    this.tools = new ToolsView();
    this.progress = el('p', { class: 'progress' }, el('span', { class: 'spinner', 'aria-hidden': 'true' }), el('span'));
    this.results = el('div', { class: 'results' });
    this.notes = el('div', { class: 'notes' });
    this.foot = el('div', { class: 'turn-foot' });
    this.next = el('div', { class: 'next' });
    this.body = el('div', { class: 'answer' }, this.tools.element, this.answer.element, this.progress, this.results, this.notes, this.foot, this.next);
    this.element = el('article', { class: 'turn', 'aria-label': t('Question: {question}', { question: turn.question }) },
      this.question = el('div', { class: 'question' }), this.body);
    this.drawQuestion();
    this.update();
  }

  drawQuestion() {
    const { turn } = this;
    this.question.replaceChildren(...[this.on.edit && el('button', { type: 'button', class: 'icon edit', 'aria-label': t('Ask otherwise'), title: t('Ask otherwise'), onclick: () => this.editQuestion() }, icon(...ICONS.edit)),
      el('h2', {}, turn.question)].filter(Boolean));
  }

  // The question in a field; what comes of it is another conversation, so this one stays.
  editQuestion() {
    const input = el('textarea', { class: 'question-editor', 'aria-label': t('Your question'), rows: '3' });
    input.value = this.turn.question;
    const leave = () => {
      this.drawQuestion();
      this.question.querySelector('.edit').focus();
    };
    const send = () => input.value.trim() && this.on.edit(input.value.trim(), this.turn);
    input.addEventListener('keydown', event => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        send();
      } else if (event.key === 'Escape') {
        event.stopPropagation();
        leave();
      }
    });
    this.question.replaceChildren(el('div', { class: 'question-edit' }, input, el('div', { class: 'approval-foot' },
      el('button', { type: 'button', class: 'filled-button', onclick: send }, t('Ask')), el('button', { type: 'button', class: 'plain-button', onclick: leave }, t('Leave it')))));
    input.focus();
    input.setSelectionRange(input.value.length, input.value.length);
  }

  update() {
    const { turn } = this, over = isOver(turn);
    this.element.dataset.state = turn.state;
    this.body.setAttribute('aria-busy', String(!over));
    this.body.classList.toggle('writing', turn.state === 'answering' && turn.link === 'streaming');
    this.tools.update(turn.tools ?? []);
    if (!over)
      this.answer.update(turn.text); // drawWhole writes it with its sources and without what are cards
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
      for (const part of [this.results, this.notes, this.foot, this.next])
        part.replaceChildren();
      return;
    }
    const sources = inOrder(turn.text, turn.citations), byMark = new Map(sources.map(one => [String(one.number), one]));
    this.answer.update(this.on.choose ? withoutOptions(turn) : turn.text, mark => this.citeButton(mark, byMark));
    const panels = resultPanels(turn);
    this.results.replaceChildren(...[panels.length > 0 && tabs(panels, t('Results')), sources.length > 0 && sourceList(sources)].filter(Boolean));
    this.drawNotes();
    this.drawFoot();
    if (this.on.next && turn.state === 'done' && turn.tables.length > 0)
      this.on.next(this.next, turn);
  }

  // What a mark of the text opens: a source, or the statement of an agent; null: nothing has it.
  citeButton(mark, sources) {
    const source = sources.get(mark), open = this.tools.opener(mark);
    if (!source)
      return open && el('button', { type: 'button', class: 'cite', 'aria-label': t('Statement {n}', { n: mark }), onclick: open }, mark);
    return el('button', { type: 'button', class: 'cite', 'aria-label': t('Source {n}: ', { n: source.shown }) + (source.heading || source.document), onclick: opened(source) }, source.shown);
  }

  drawNotes() {
    const { turn } = this, notes = [...turn.warnings, unsupportedNote(turn.unsupported)].filter(Boolean)
      .map(text => el('p', { class: 'note' }, text));
    if (turn.clarify?.options?.length > 1 && this.on.choose)
      notes.push(el('div', { class: 'options', role: 'group', 'aria-label': t('What is meant') }, turn.clarify.options.map(option =>
        el('button', { type: 'button', class: 'option', onclick: () => this.on.choose(option, turn) }, option))));
    else if (turn.abstained && !turn.text.includes(turn.abstained)) // else the answer says it
      notes.push(el('p', { class: 'note' }, t('Not answered: {why}', { why: turn.abstained })));
    if (turn.state === 'waiting' && turn.waits)
      notes.push(approvalView(turn.waits, value => this.on.answer(value, turn)));
    else if (turn.state === 'stopped')
      notes.push(el('p', { class: 'note' }, t('Stopped.')));
    else if (turn.state === 'failed')
      notes.push(el('div', { class: 'error', role: 'group', 'aria-label': t('Error') }, el('strong', {}, nodeTitle(turn.error.code)), el('p', {}, turn.error.message)));
    this.notes.replaceChildren(...notes);
  }

  // What the statement does, in a sentence, below the answer when it is asked for.
  whyButton() {
    const { turn } = this, text = whyText(turn.data?.written ?? turn.sql, turn.question);
    if (!text)
      return null;
    const said = el('p', { class: 'note why-note', hidden: true }, text);
    const toggle = el('button', { type: 'button', class: 'small', 'aria-expanded': 'false', onclick: () => {
      said.hidden = !said.hidden;
      toggle.setAttribute('aria-expanded', String(!said.hidden));
    } }, icon(...ICONS.why), el('span', {}, t('Why')));
    this.notes.append(said);
    return toggle;
  }

  drawFoot() {
    const { turn } = this, { stats } = turn;
    const facts = [turn.state === 'done' && ROUTES()[turn.route], stats?.duration_ms !== undefined && duration(stats.duration_ms), turn.retries.length > 0 && plural(turn.retries.length, '{n} retry', '{n} retries')];
    const button = (label, drawing, onclick) => el('button', { type: 'button', class: 'small', onclick }, icon(...drawing), el('span', {}, label));
    this.foot.replaceChildren(...[turn.text && copyButton(t('Copy'), () => turn.text),
      this.on.again && button(t('Ask again'), ICONS.again, () => this.on.again(turn)),
      turn.state === 'done' && turn.sql && this.whyButton(),
      this.on.fork && turn.state === 'done' && button(t('Fork'), ICONS.fork, () => this.on.fork(turn)),
      turn.steps.length > 0 && this.on.show && button(t('Run'), ICONS.run, () => this.on.show(turn)),
      this.on.again && turn.state === 'done' && turn.runId && feedbackView(turn),
      el('span', { class: 'facts' }, facts.filter(Boolean).join(' · '))].filter(Boolean));
  }
}
