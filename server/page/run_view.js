// SPDX-License-Identifier: MIT
// run_view.js - the panel beside the conversation: the graph of a turn's run, its steps, retries and figures.
import { byId, el, icon, ICONS } from './dom.js';
import { duration, nodeTitle, plural, stateWord } from './format.js';
import { GraphView } from './graph_view.js';
import { getJson } from './api.js';
import { isOver } from './turn.js';
import { t } from './words.js';

const definitions = new Map(); // name -> promise

const definitionOf = name => {
  if (!definitions.has(name)) {
    const asked = getJson(`/internal/graphs/${encodeURIComponent(name)}`);
    asked.catch(() => definitions.delete(name)); // next time it may be there
    definitions.set(name, asked);
  }
  return definitions.get(name);
};


const figures = ({ stats }) => [
  stats?.model && [t('Model'), stats.model],
  stats?.duration_ms !== undefined && [t('Time'), duration(stats.duration_ms)],
  stats?.ttft_ms !== undefined && [t('First word after'), duration(stats.ttft_ms)],
  stats?.llm_calls !== undefined && [t('Model calls'), stats.llm_calls],
  stats?.sql_attempts > 0 && [t('SQL attempts'), stats.sql_attempts],
  stats?.tokens !== undefined && [t('Tokens'), stats.estimated ? t('{n} (estimated)', { n: stats.tokens }) : stats.tokens],
].filter(Boolean);

export class RunView {
  // onClose: somebody closes the panel. graphOf(turn): the name of its graph; of none, of the next.
  constructor(onClose, graphOf) {
    Object.assign(this, { graphOf, turn: null, graphs: new Map(), open: new Set() });
    this.parts = el('div', { class: 'graph-parts' });
    this.retries = el('ul', { class: 'retries', 'aria-label': t('Retries') });
    this.steps = el('ol', { class: 'steps', 'aria-label': t('Steps') });
    this.figures = el('dl', { class: 'figures' });
    this.nothing = el('p', { class: 'nothing' }, t('This graph answers. Ask something, and it lights up node by node.'));
    byId('run').replaceChildren(
      el('div', { class: 'run-head' }, el('h2', {}, t('Run')),
        el('button', { type: 'button', class: 'icon', 'aria-label': t('Close the run'), onclick: onClose }, icon(...ICONS.close))),
      el('div', { class: 'run-body', tabindex: '0', role: 'region', 'aria-label': t('Graph, steps and figures of the run') },
        this.nothing, this.parts, this.retries, this.steps, this.figures));
  }

  // Show the run of turn (null: of none), now and whenever it changes.
  show(turn) {
    if (turn?.id !== this.turn?.id || this.graphOf(turn) !== this.graph) {
      this.graph = this.graphOf(turn);
      this.graphs.clear();
      this.open.clear();
      this.parts.replaceChildren();
      this.steps.replaceChildren();
    }
    this.turn = turn;
    this.nothing.hidden = Boolean(turn);
    this.drawGraphs();
    this.drawSteps();
    this.drawFigures();
  }

  // The graph itself, then each sub-graph that was entered.
  drawGraphs() {
    if (!this.graph)
      return; // not known yet
    this.want('', this.graph);
    for (const [prefix, view] of this.graphs) {
      if (!view.element)
        continue;
      view.show(this.turn, Boolean(this.turn) && isOver(this.turn));
      for (const node of view.definition.nodes)
        if (node.graph && this.turn?.steps.some(step => step.node.startsWith(`${prefix}${node.name}/`)))
          this.want(`${prefix}${node.name}/`, node.graph);
    }
  }

  async want(prefix, name) {
    if (this.graphs.has(prefix))
      return;
    const place = {};
    this.graphs.set(prefix, place);
    try {
      const definition = await definitionOf(name);
      if (this.graphs.get(prefix) !== place)
        return; // another turn is shown by now
      const view = new GraphView(definition, prefix, node => this.pick(node));
      this.graphs.set(prefix, view);
      this.parts.append(view.element);
      this.drawGraphs();
    } catch {
      if (this.graphs.get(prefix) === place)
        this.graphs.delete(prefix);
    }
  }

  pick(node) {
    const step = [...this.steps.children].findLast(one => one.dataset.node === node);
    if (!step)
      return;
    step.querySelector('details')?.setAttribute('open', '');
    step.scrollIntoView({ block: 'nearest' });
    step.querySelector('summary')?.focus();
  }

  drawStep(step, row, longest) {
    row.dataset.node = step.node;
    row.dataset.state = step.state;
    const depth = step.node.split('/').length - 1;
    row.style.setProperty('--depth', depth);
    row.style.setProperty('--share', step.ms === undefined ? 0 : step.ms / longest);
    const line = [el('span', { class: 'step-name' }, nodeTitle(step.node)), el('span', { class: 'unseen' }, `, ${stateWord(step.state)}`),
      el('span', { class: 'step-time' }, step.ms === undefined ? '' : duration(step.ms))];
    if (!step.wrote) {
      row.replaceChildren(el('div', { class: 'step-line' }, line));
    } else if (row.dataset.wrote !== 'yes' || row.querySelector('.step-time').textContent !== line[2].textContent) {
      row.dataset.wrote = 'yes';
      row.replaceChildren(el('details', {}, el('summary', { class: 'step-line' }, line),
        el('pre', { tabindex: '0', 'aria-label': t('What {node} wrote', { node: nodeTitle(step.node) }) }, step.wrote)));
    }
  }

  drawSteps() {
    const steps = this.turn?.steps ?? [], longest = Math.max(1, ...steps.map(step => step.ms ?? 0));
    while (this.steps.children.length > steps.length)
      this.steps.lastChild.remove();
    steps.forEach((step, i) => {
      if (!this.steps.children[i])
        this.steps.append(el('li'));
      this.drawStep(step, this.steps.children[i], longest);
    });
  }

  drawFigures() {
    this.retries.replaceChildren(...(this.turn?.retries ?? []).map(({ budget, used, reason }) => el('li', {},
      el('strong', {}, `${nodeTitle(budget)}, ${plural(used, '{n} retry', '{n} retries')}`), reason ? el('span', {}, reason) : null)));
    this.figures.replaceChildren(...(this.turn ? figures(this.turn) : []).map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, String(value)))));
  }
}
