// SPDX-License-Identifier: MIT
// tools_view.js - what an agent did on its way to an answer: each tool as it is called, with what it was given and what
// came back, folded.
import { el } from './dom.js';
import { duration, nodeTitle, stateWord } from './format.js';
import { highlightSql, layOutSql } from './sql_view.js';
import { tableView } from './table_view.js';
import { t } from './words.js';

const SHOWN = 6000; // characters of what came back

const parse = text => {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return null;
  }
};

const code = (content, label) => el('pre', { class: 'sql', tabindex: '0', 'aria-label': label }, el('code', {}, content));

const givenView = given => {
  const value = parse(given), sql = value?.sql;
  if (typeof sql === 'string')
    return code(highlightSql(layOutSql(sql)), t('What it was given'));
  const text = value ? JSON.stringify(value, null, 2) : String(given ?? '');
  return text && text !== '{}' ? code(text, t('What it was given')) : null;
};

// Rows as a table, all else as it came.
const resultView = (result, title) => {
  const value = parse(result), rows = value?.result?.rows ?? value?.rows;
  if (Array.isArray(value?.columns) && Array.isArray(rows) && rows.every(Array.isArray))
    return tableView({ columns: value.columns, rows }, { title });
  const text = value ? JSON.stringify(value, null, 2) : String(result ?? '');
  return text ? code(text.length > SHOWN ? `${text.slice(0, SHOWN)}\n…` : text, t('What came back')) : null;
};

// What a call is about, on its line.
const gist = given => {
  const value = parse(given);
  const text = value?.sql ?? value?.query ?? value?.text ?? value?.expression ?? value?.question ?? (Array.isArray(value?.tables) ? value.tables.join(', ') : '');
  return typeof text === 'string' ? text.replace(/\s+/g, ' ') : '';
};

// The mark by which the answer cites the statement of a call: "s2"; undefined: it ran none.
const markOf = tool => parse(tool.result)?.statement;

export class ToolsView {
  constructor() {
    this.list = el('ol', { class: 'tools', 'aria-label': t('Tools it used') });
    this.element = this.list;
    this.drawn = [];
  }

  update(tools) {
    this.tools = tools;
    this.element.hidden = tools.length === 0;
    while (this.list.children.length > tools.length)
      this.list.lastChild.remove();
    this.drawn.length = Math.min(this.drawn.length, tools.length);
    tools.forEach((tool, i) => {
      const said = `${tool.id} ${tool.state} ${tool.progress ?? ''}`;
      if (this.drawn[i] === said)
        return;
      this.drawn[i] = said;
      const isOpen = this.list.children[i]?.querySelector('details')?.open, item = this.draw(tool);
      if (isOpen)
        item.querySelector('details').open = true;
      if (this.list.children[i])
        this.list.children[i].replaceWith(item);
      else
        this.list.append(item);
    });
  }

  // What opens the call whose statement has the mark; null: there is none.
  opener(mark) {
    const at = (this.tools ?? []).findIndex(tool => markOf(tool) === mark);
    return at < 0 ? null : () => {
      const details = this.list.children[at].querySelector('details');
      details.open = true;
      details.scrollIntoView({ block: 'nearest' });
      details.querySelector('summary').focus();
    };
  }

  draw(tool) {
    const details = el('details', {}, el('summary', {},
      tool.state === 'running' ? el('span', { class: 'spinner', 'aria-hidden': 'true' }) : el('span', { class: `dot-${tool.state}`, 'aria-hidden': 'true' }),
      el('strong', {}, nodeTitle(tool.tool)), el('span', { class: 'gist' }, tool.progress ?? gist(tool.given)),
      el('span', { class: 'unseen' }, `, ${stateWord(tool.state)}`), el('span', { class: 'tool-time' }, tool.ms === undefined ? '' : duration(tool.ms))));
    details.addEventListener('toggle', () => { // made when it is looked at
      if (details.open && details.children.length === 1)
        details.append(...[givenView(tool.given), resultView(tool.result, tool.tool)].filter(Boolean));
    });
    return el('li', { 'data-state': tool.state }, details);
  }
}
