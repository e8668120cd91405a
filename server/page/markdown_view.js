// SPDX-License-Identifier: MIT
// markdown_view.js - the tree of markdown.js as elements, also while its text still grows.
//
// Blocks before the last one are drawn once; only the last is drawn again when more text comes.
import { copyButton, el } from './dom.js';
import { parseMarkdown } from './markdown.js';
import { highlightSql } from './sql_view.js';
import { t } from './words.js';
import { mathView } from './math.js';

const mathBlock = text => {
  const math = mathView(text, true);
  return math && el('div', { class: 'formula' }, math);
};

// cite(mark): a button for a citation there is, else null.
const inlineNodes = (nodes, cite) => nodes.map(node => {
  switch (node.type) {
    case 'text': return node.text;
    case 'code': return el('code', {}, node.text);
    case 'math': return mathView(node.text, false) ?? el('code', { class: 'math' }, node.text);
    case 'break': return el('br');
    case 'group': return el('span', {}, inlineNodes(node.children, cite));
    case 'link': return el('a', { href: node.href, target: '_blank', rel: 'noopener noreferrer nofollow' }, inlineNodes(node.children, cite));
    case 'cite': {
      const buttons = node.marks.map(cite);
      return buttons.every(Boolean) ? el('span', { class: 'cites' }, buttons) : node.text;
    }
    default: return el(node.type, {}, inlineNodes(node.children, cite));
  }
});

const codeBlock = ({ language, text }) => el('div', { class: 'code' },
  el('div', { class: 'code-head' }, el('span', {}, language || 'text'), copyButton(t('Copy'), () => text)),
  el('pre', { tabindex: '0', 'aria-label': [t('Code'), language].filter(Boolean).join(', ') },
    el('code', {}, /^sql$/i.test(language) ? highlightSql(text) : text)));

const tableBlock = ({ align, head, rows }, cite) => {
  const cell = (tag, inline, i) => el(tag, { class: align[i] ? `align-${align[i]}` : undefined, scope: tag === 'th' ? 'col' : undefined }, inlineNodes(inline, cite));
  return el('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': t('Table') }, el('table', {},
    el('thead', {}, el('tr', {}, head.map((one, i) => cell('th', one, i)))),
    el('tbody', {}, rows.map(row => el('tr', {}, head.map((_, i) => cell('td', row[i] ?? [], i)))))));
};

const listBlock = ({ start, items }, cite) => el(start === null ? 'ul' : 'ol', { start: start > 1 ? start : undefined },
  items.map(({ blocks, checked }) => el('li', { class: checked === null ? undefined : 'task' },
    checked === null ? null : el('span', { role: 'img', 'aria-label': checked ? t('done') : t('not done'), class: checked ? 'box checked' : 'box' }),
    blocks.map((block, i) => i === 0 && block.type === 'paragraph' ? inlineNodes(block.inline, cite) : blockNode(block, cite)))));

const blockNode = (block, cite) => {
  switch (block.type) {
    case 'heading': return el(`h${Math.min((block.shown ?? 1) + 2, 6)}`, {}, inlineNodes(block.inline, cite));
    case 'code': return codeBlock(block);
    case 'math': return mathBlock(block.text) ?? el('pre', { class: 'math', tabindex: '0', 'aria-label': t('Formula') }, el('code', {}, block.text));
    case 'rule': return el('hr');
    case 'quote': return el('blockquote', {}, block.blocks.map(one => blockNode(one, cite)));
    case 'list': return listBlock(block, cite);
    case 'table': return tableBlock(block, cite);
    default: return el('p', {}, inlineNodes(block.inline, cite));
  }
};

export class MarkdownView {
  constructor() {
    this.element = el('div', { class: 'markdown' });
    this.clear(() => null);
  }

  clear(cite) {
    Object.assign(this, { text: '', settled: 0, last: [], level: 0, cite });
    this.element.replaceChildren();
  }

  // No level of headings is passed over, whatever the text does. Returns the level before the last block.
  levelHeadings(blocks) {
    let level = this.level, before = level;
    for (const block of blocks) {
      before = level;
      if (block.type === 'heading')
        block.shown = level = Math.min(block.level, level + 1);
    }
    return before;
  }

  // Show text; a text that only grew costs what grew.
  update(text, cite = this.cite) {
    if (text === this.text && cite === this.cite)
      return;
    if (!text.startsWith(this.text) || cite !== this.cite)
      this.clear(cite);
    this.text = text;
    const blocks = parseMarkdown(text.slice(this.settled));
    const level = this.levelHeadings(blocks);
    for (const node of this.last)
      node.remove();
    this.last = blocks.map(block => blockNode(block, this.cite));
    this.element.append(...this.last);
    if (blocks.length > 1) {
      this.settled += blocks.at(-1).from;
      this.level = level;
      this.last = this.last.slice(-1);
    }
  }
}
