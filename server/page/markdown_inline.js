// SPDX-License-Identifier: MIT
// markdown_inline.js - the inside of a paragraph -> text, code, strong, em, del, link, math, cite, break.
//
// A mark without its other half is text. Only http, https and mailto are linked; an image is a link to
// it, since this page loads nothing from elsewhere.

const DEPTH = 8;
const SAFE = /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i;
const BARE = /https?:\/\/[^\s<>"'`)\]}]+/y;
const CITE = /\[(s?\d{1,3}(?:\s*,\s*s?\d{1,3})*)\]/y; // passages by number, an agent's statements as s2
const MARKS = ['***', '**', '__', '~~', '*', '_'];
const TYPES = { '**': 'strong', __: 'strong', '~~': 'del', '*': 'em', _: 'em' };
const isWord = c => c !== undefined && /[\p{L}\p{N}]/u.test(c);
const isBlank = c => c === undefined || /\s/.test(c);

class Reader {
  constructor(text, depth) {
    Object.assign(this, { text, depth, at: 0, nodes: [], plain: '', without: new Set() });
  }

  push(node) {
    if (this.plain)
      this.nodes.push({ type: 'text', text: this.plain });
    this.plain = '';
    this.nodes.push(node);
    return true;
  }

  // Where needle comes from start on; that it does not come is remembered, so that many openers cost one look.
  find(needle, start) {
    if (this.without.has(needle))
      return -1;
    const found = this.text.indexOf(needle, start);
    if (found < 0)
      this.without.add(needle);
    return found;
  }

  read() {
    while (this.at < this.text.length) {
      if (!this.readSpecial())
        this.plain += this.text[this.at++];
    }
    if (this.plain)
      this.nodes.push({ type: 'text', text: this.plain });
    return this.nodes;
  }

  readSpecial() {
    switch (this.text[this.at]) {
      case '\\': return this.readEscape();
      case '`': return this.readCode();
      case '$': return this.readDollar();
      case '[': return this.readCite() || this.readLink(this.at);
      case '!': return this.text[this.at + 1] === '[' && this.readLink(this.at + 1);
      case '<': return this.readAngle();
      case 'h': return this.readBare();
      case '\n': return this.readBreak();
      case '*': case '_': case '~': return this.readMark();
      default: return false;
    }
  }

  readEscape() {
    const next = this.text[this.at + 1];
    if (next === '(') {
      const end = this.find('\\)', this.at + 2);
      if (end > 0) {
        this.push({ type: 'math', text: this.text.slice(this.at + 2, end).trim() });
        this.at = end + 2;
        return true;
      }
    }
    if (next === '\n') {
      this.at += 2;
      return this.push({ type: 'break' });
    }
    if (!next || !/[!-/:-@[-`{-~]/.test(next))
      return false;
    this.plain += next;
    this.at += 2;
    return true;
  }

  readCode() {
    let ticks = 1;
    while (this.text[this.at + ticks] === '`')
      ticks++;
    const fence = '`'.repeat(ticks);
    let end = this.find(fence, this.at + ticks);
    while (end >= 0 && this.text[end + ticks] === '`') {
      while (this.text[end] === '`')
        end++;
      end = this.find(fence, end);
    }
    if (end < 0) {
      this.plain += fence;
      this.at += ticks;
      return true;
    }
    const inner = this.text.slice(this.at + ticks, end).replaceAll('\n', ' ');
    this.at = end + ticks;
    return this.push({ type: 'code', text: /^ .*\S.* $/.test(inner) ? inner.slice(1, -1) : inner });
  }

  // $x$ but not "$5 and $10".
  readDollar() {
    if (this.text[this.at + 1] === '$') {
      const end = this.find('$$', this.at + 2);
      if (end < 0)
        return false;
      this.push({ type: 'math', text: this.text.slice(this.at + 2, end).trim() });
      this.at = end + 2;
      return true;
    }
    if (isBlank(this.text[this.at + 1]))
      return false;
    const end = this.find('$', this.at + 1);
    if (end < 0 || isBlank(this.text[end - 1]) || /\d/.test(this.text[end + 1] ?? '') || this.text.slice(this.at, end).includes('\n'))
      return false;
    this.push({ type: 'math', text: this.text.slice(this.at + 1, end) });
    this.at = end + 1;
    return true;
  }

  readCite() {
    CITE.lastIndex = this.at;
    const found = CITE.exec(this.text);
    if (!found || this.text[CITE.lastIndex] === '(')
      return false;
    this.at = CITE.lastIndex;
    return this.push({ type: 'cite', text: found[0], marks: found[1].split(',').map(mark => mark.trim()) });
  }

  // [label](address "title"); open is where the bracket is.
  readLink(open) {
    if (this.find('](', open) < 0)
      return false;
    let depth = 0, close = open;
    const most = Math.min(this.text.length, open + 1000);
    for (; close < most; close++) {
      if (this.text[close] === '\\')
        close++;
      else if (this.text[close] === '[')
        depth++;
      else if (this.text[close] === ']' && --depth === 0)
        break;
    }
    const target = this.text[close + 1] === '(' && /^\(\s*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"[^"]*")?\s*\)/.exec(this.text.slice(close + 1, close + 2500));
    if (depth !== 0 || !target)
      return false;
    const label = this.text.slice(open + 1, close);
    const children = this.inner(label || target[1]);
    this.at = close + 1 + target[0].length;
    return this.push(SAFE.test(target[1]) ? { type: 'link', href: target[1], children } : { type: 'group', children });
  }

  readAngle() {
    const found = /^<((?:https?:\/\/|mailto:)[^\s<>"]+)>/i.exec(this.text.slice(this.at, this.at + 2100));
    if (!found)
      return false;
    this.at += found[0].length;
    return this.push({ type: 'link', href: found[1], children: [{ type: 'text', text: found[1] }] });
  }

  readBare() {
    BARE.lastIndex = this.at;
    if (isWord(this.text[this.at - 1]) || !BARE.test(this.text))
      return false;
    const href = this.text.slice(this.at, BARE.lastIndex).replace(/[.,;:!?*_~]+$/, '');
    this.at += href.length;
    return this.push({ type: 'link', href, children: [{ type: 'text', text: href }] });
  }

  readBreak() {
    const hard = /( {2,})$/.test(this.plain);
    this.plain = this.plain.trimEnd();
    this.at++;
    if (hard)
      return this.push({ type: 'break' });
    this.plain += ' ';
    return true;
  }

  // The closing mark: not after a blank, for _ at a word's end, and not part of a longer run.
  findClose(mark) {
    const c = mark[0];
    for (let end = this.find(mark, this.at + mark.length); end >= 0; end = this.text.indexOf(mark, end)) {
      let run = end;
      while (this.text[run] === c)
        run++;
      const before = this.text[end - 1], length = run - end;
      if (end > this.at + mark.length && !isBlank(before) && before !== '\\' && (length === mark.length || length === 3) && (c !== '_' || !isWord(this.text[run])))
        return length === 3 && mark.length < 3 ? run - mark.length : end;
      end = run;
    }
    return -1;
  }

  readMark() {
    const { text, at } = this;
    const mark = MARKS.find(one => text.startsWith(one, at));
    if (!mark || this.depth >= DEPTH || isBlank(text[at + mark.length]) || (mark[0] === '_' && isWord(text[at - 1])) || this.without.has(`close ${mark}`)) {
      return false;
    }
    const end = this.findClose(mark);
    if (end < 0) {
      this.without.add(`close ${mark}`);
      let run = at;
      while (text[run] === mark[0])
        run++;
      this.plain += text.slice(at, run);
      this.at = run;
      return true;
    }
    const children = this.inner(text.slice(at + mark.length, end));
    this.at = end + mark.length;
    return this.push(mark === '***' ? { type: 'strong', children: [{ type: 'em', children }] } : { type: TYPES[mark], children });
  }

  inner(text) {
    return this.depth >= DEPTH ? [{ type: 'text', text }] : new Reader(text, this.depth + 1).read();
  }
}

export const parseInline = text => new Reader(text, 0).read();
