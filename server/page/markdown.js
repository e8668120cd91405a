// SPDX-License-Identifier: MIT
// markdown.js - Markdown text -> a tree of plain objects. HTML in it is text; formulas stay as written.
//
// Blocks: paragraph, heading, code, math, list, quote, table, rule; each says where its text begins.
// The last block of a text may still change when more comes, those before it not. Linear in the text.
import { parseInline } from './markdown_inline.js';

const DEPTH = 10; // lists and quotes in one another; deeper ones are paragraphs

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+|$)(.*)$/;
const QUOTE = /^ {0,3}>\s?/;
const TABLE_RULE = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const MATH_OPEN = /^\s*(\$\$|\\\[)/;
const blank = line => line.trim() === '';
const indentOf = line => line.length - line.trimStart().length;

// A cursor over lines; from[i] is where line i begins in the text.
const read = (lines, from, depth) => {
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    if (blank(lines[at])) {
      at++;
      continue;
    }
    const [block, next] = readBlock(lines, at, depth);
    block.from = from?.[at] ?? 0;
    blocks.push(block);
    at = next;
  }
  return blocks;
};

const readBlock = (lines, at, depth) => {
  const line = lines[at];
  let found;
  if ((found = FENCE.exec(line)))
    return readCode(lines, at, found);
  if (MATH_OPEN.test(line))
    return readMath(lines, at);
  if ((found = HEADING.exec(line)))
    return [{ type: 'heading', level: found[1].length, inline: parseInline(found[2] ?? '') }, at + 1];
  if (RULE.test(line))
    return [{ type: 'rule' }, at + 1];
  if (depth < DEPTH && QUOTE.test(line))
    return readQuote(lines, at, depth);
  if (depth < DEPTH && ITEM.test(line))
    return readList(lines, at, depth);
  if (line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '') && lines[at + 1].includes('-'))
    return readTable(lines, at);
  return readParagraph(lines, at, depth);
};

const readCode = (lines, at, [, fence, language]) => {
  const close = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !close.test(lines[end]))
    end++;
  return [{ type: 'code', language, text: lines.slice(at + 1, end).join('\n') }, end + 1];
};

const readMath = (lines, at) => {
  const open = MATH_OPEN.exec(lines[at])[1], close = open === '$$' ? '$$' : '\\]';
  const first = lines[at].trim().slice(2), text = [];
  for (let end = at, rest = first; end < lines.length; rest = lines[++end]) {
    const stop = rest.indexOf(close);
    if (stop >= 0) {
      text.push(rest.slice(0, stop));
      const after = rest.slice(stop + 2).trim();
      return after ? readParagraph(lines, at, DEPTH) : [{ type: 'math', text: text.join('\n').trim() }, end + 1];
    }
    text.push(rest);
  }
  return [{ type: 'math', text: text.join('\n').trim() }, lines.length];
};

const readQuote = (lines, at, depth) => {
  let end = at;
  const inner = [];
  while (end < lines.length && !blank(lines[end]) && (QUOTE.test(lines[end]) || !startsBlock(lines[end])))
    inner.push(lines[end++].replace(QUOTE, ''));
  return [{ type: 'quote', blocks: read(inner, null, depth + 1) }, end];
};

// The lines of one item: those indented under it, and those that lazily go on.
const readItem = (lines, at, found) => {
  const [, pad, marker, gap, text] = found;
  const width = pad.length + marker.length + (gap.length > 4 ? 1 : Math.max(gap.length, 1));
  const inner = [text];
  let end = at + 1, isLoose = false;
  for (; end < lines.length; end++) {
    if (blank(lines[end])) {
      if (blank(lines[end + 1] ?? '') || indentOf(lines[end + 1]) < width)
        break;
      isLoose = true;
      inner.push('');
    } else if (indentOf(lines[end]) >= width) {
      inner.push(lines[end].slice(width));
    } else if (blank(lines[end - 1]) || startsBlock(lines[end])) {
      break;
    } else {
      inner.push(lines[end].trim());
    }
  }
  return { inner, end, isLoose };
};

const readList = (lines, at, depth) => {
  const first = ITEM.exec(lines[at]), isOrdered = /\d/.test(first[2]);
  const items = [];
  let end = at;
  for (let next = at, found = first; found && /\d/.test(found[2]) === isOrdered;) {
    const item = readItem(lines, next, found);
    const task = /^\[([ xX])\]\s+/.exec(item.inner[0]);
    if (task)
      item.inner[0] = item.inner[0].slice(task[0].length);
    items.push({ blocks: read(item.inner, null, depth + 1), checked: task ? task[1] !== ' ' : null });
    end = next = item.end;
    while (next < lines.length && blank(lines[next]))
      next++;
    found = RULE.test(lines[next] ?? '') ? null : ITEM.exec(lines[next] ?? '');
  }
  return [{ type: 'list', start: isOrdered ? parseInt(first[2], 10) : null, items }, end];
};

const splitCells = line => {
  const cells = [];
  let cell = '', inCode = false;
  const text = line.trim().replace(/^\|/, '').replace(/(^|[^\\])\|$/, '$1');
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\' && text[i + 1] === '|') {
      cell += '|';
      i++;
    } else if (text[i] === '|' && !inCode) {
      cells.push(cell.trim());
      cell = '';
    } else {
      if (text[i] === '`')
        inCode = !inCode;
      cell += text[i];
    }
  }
  return [...cells, cell.trim()];
};

const readTable = (lines, at) => {
  const align = splitCells(lines[at + 1]).map(cell =>
    cell.endsWith(':') ? (cell.startsWith(':') ? 'center' : 'end') : null);
  const head = splitCells(lines[at]).map(parseInline), rows = [];
  let end = at + 2;
  for (; end < lines.length && !blank(lines[end]) && lines[end].includes('|'); end++)
    rows.push(splitCells(lines[end]).slice(0, head.length).map(parseInline));
  return [{ type: 'table', align, head, rows }, end];
};

const startsBlock = line =>
  FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line) || MATH_OPEN.test(line);

const readParagraph = (lines, at, depth) => {
  let end = at + 1;
  while (end < lines.length && !blank(lines[end]) && !(depth < DEPTH && startsBlock(lines[end])))
    end++;
  const text = lines.slice(at, end).map(line => line.trimStart()).join('\n').trimEnd();
  return [{ type: 'paragraph', inline: parseInline(text) }, end];
};

// The blocks of a text.
export const parseMarkdown = text => {
  const lines = text.split('\n').map(line => line.replace(/\r$/, '').replaceAll('\t', '    '));
  const from = [];
  let at = 0;
  for (const line of text.split('\n')) {
    from.push(at);
    at += line.length + 1;
  }
  return read(lines, from, 0);
};
