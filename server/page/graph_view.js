// SPDX-License-Identifier: MIT
// graph_view.js - a graph drawn from its definition, and lit by the steps of a run.
import { el, svg } from './dom.js';
import { duration, nodeTitle, stateWord } from './format.js';
import { isEnd, layOutGraph, NODE } from './graph_layout.js';
import { t } from './words.js';

// Steps directly in the graph at prefix ("" or "sql_agent/"), with their bare names.
const stepsAt = (steps, prefix) => steps
  .filter(step => step.node.startsWith(prefix) && !step.node.slice(prefix.length).includes('/'))
  .map(step => ({ ...step, name: step.node.slice(prefix.length) }));

// For each node how it is; for each edge how often it was gone.
export const litBy = (all, prefix, edges, isOver) => {
  const steps = stepsAt(all, prefix), nodes = new Map(), gone = new Set();
  const has = (from, to) => edges.find(edge => edge.from === from && edge.to === to);
  steps.forEach((step, i) => {
    const known = nodes.get(step.name);
    nodes.set(step.name, { state: step.state, visits: (known?.visits ?? 0) + 1, ms: (known?.ms ?? 0) + (step.ms ?? 0) });
    const before = steps.slice(0, i).findLast(one => has(one.name, step.name));
    const edge = has(before?.name ?? 'START', step.name);
    if (edge)
      gone.add(edge);
  });
  if (steps.length > 0)
    nodes.set('START', { state: 'done' });
  const last = steps.at(-1), end = last?.state === 'done' && isOver && has(last.name, 'END');
  if (end) {
    gone.add(end);
    nodes.set('END', { state: 'done' });
  }
  return { nodes, gone };
};

const END_TITLES = { START: t('start'), END: t('end') };
const titleOf = name => END_TITLES[name] ?? nodeTitle(name);

let drawings = 0;

export class GraphView {
  // onPick(name): somebody points at a node.
  constructor(definition, prefix, onPick) {
    Object.assign(this, { definition, prefix, nodes: new Map(), edges: [] });
    this.layout = layOutGraph(definition, titleOf);
    const arrow = `arrow-${++drawings}`, { width, height } = this.layout, room = 8;
    this.drawing = svg('svg', { class: 'graph', viewBox: `${-room} ${-room} ${width + 2 * room} ${height + 2 * room}`, role: 'img' },
      svg('defs', {}, ['', '-gone'].map(kind => svg('marker', { id: arrow + kind, class: `arrow${kind}`, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: 'userSpaceOnUse', orient: 'auto' }, svg('path', { d: 'M0 0.8L7 4L0 7.2z' })))),
      this.layout.edges.map(edge => this.drawEdge(edge, arrow)),
      this.layout.nodes.filter(node => node.name).map(node => this.drawNode(node, onPick)));
    this.drawing.style.maxWidth = `${width + 2 * room}px`;
    this.element = el('section', { class: 'graph-part' }, el('h3', {}, definition.name), this.drawing);
  }

  drawEdge(edge, arrow) {
    const path = svg('path', { d: edge.path, class: edge.isBack ? 'edge back' : 'edge', 'marker-end': `url(#${arrow})` });
    this.edges.push({ edge, path, arrow });
    const label = edge.label && !edge.isBack ? svg('text', { class: 'edge-label', x: edge.middle[0], y: edge.middle[1] + 3, 'text-anchor': 'middle' }, edge.label) : null;
    return svg('g', {}, path, label);
  }

  drawNode(node, onPick) {
    const time = svg('text', { class: 'node-time', x: node.x, y: node.y + 12, 'text-anchor': 'middle' });
    const visits = svg('text', { class: 'node-visits', x: node.x + node.width / 2 - 6, y: node.y - NODE.height / 2 - 3, 'text-anchor': 'end' });
    const title = svg('title');
    const height = isEnd(node.name) ? NODE.smallHeight : NODE.height;
    const group = svg('g', { class: isEnd(node.name) ? 'node end' : 'node' }, title,
      svg('rect', { x: node.x - node.width / 2, y: node.y - height / 2, width: node.width, height, rx: isEnd(node.name) ? 12 : 7 }),
      svg('text', { class: 'node-name', x: node.x, y: node.y + 4, 'text-anchor': 'middle' }, titleOf(node.name)), time, visits);
    if (!isEnd(node.name))
      group.addEventListener('click', () => onPick(this.prefix + node.name));
    this.nodes.set(node.name, { group, time, visits, title });
    return group;
  }

  // turn: null, or the one whose run lights it.
  show(turn, isOver) {
    const lit = litBy(turn?.steps ?? [], this.prefix, this.definition.edges, isOver), said = [];
    for (const [name, { group, time, visits, title }] of this.nodes) {
      const is = lit.nodes.get(name);
      group.dataset.state = is?.state ?? 'idle';
      group.classList.toggle('timed', is?.ms !== undefined && is.state !== 'running');
      time.textContent = is?.ms !== undefined && is.state !== 'running' ? duration(is.ms) : '';
      visits.textContent = is?.visits > 1 ? `×${is.visits}` : '';
      title.textContent = `${titleOf(name)}: ${is ? stateWord(is.state) : t('not reached')}`;
      if (is && !isEnd(name))
        said.push(`${titleOf(name)} ${stateWord(is.state)}`);
    }
    for (const { edge, path, arrow } of this.edges) {
      const isGone = [...lit.gone].some(one => one.from === edge.from && one.to === edge.to);
      path.classList.toggle('gone', isGone);
      path.setAttribute('marker-end', `url(#${arrow}${isGone ? '-gone' : ''})`);
    }
    this.drawing.setAttribute('aria-label', t('Graph {name}. {said}.', { name: this.definition.name, said: said.join(', ') || t('Nothing has run yet') }));
  }
}
