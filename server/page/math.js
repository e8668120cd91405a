// SPDX-License-Identifier: MIT
// math.js - what models write of LaTeX as MathML: fractions, powers, roots, signs, words. Null: it is more than that.

const NS = 'http://www.w3.org/1998/Math/MathML';
const SIGNS = { times: '×', cdot: '·', div: '÷', pm: '±', approx: '≈', neq: '≠', ne: '≠', leq: '≤', le: '≤', geq: '≥', ge: '≥', sum: '∑', to: '→', rightarrow: '→', infty: '∞', Delta: 'Δ', '%': '%', $: '$', '#': '#', '&': '&', _: '_', '{': '{', '}': '}' };
const LETTERS = { alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', mu: 'μ', sigma: 'σ', pi: 'π', lambda: 'λ' };
const BLANKS = new Set([',', ';', ':', ' ', '!', 'quad', 'qquad', 'left', 'right', 'displaystyle']);
const WORDS = new Set(['text', 'mathrm', 'textbf', 'mathbf', 'operatorname']);
const TOKEN = /\\([a-zA-Z]+|[^a-zA-Z])|(\d+(?:[.,]\d+)*)|([a-zA-Z])|([{}^_])|\s+|([^\\])/guy;

const make = (name, ...children) => {
  const element = document.createElementNS(NS, name);
  element.append(...children);
  return element;
};

class Reader {
  constructor(text) {
    this.tokens = [...text.matchAll(TOKEN)].map(([all, command, number, letter, sign, other]) => ({ all, command, number, letter, sign, other })).filter(({ all }) => all.trim() !== '' || all === '\\ ');
    this.isWhole = this.tokens.map(({ all }) => all).join('').length >= text.replace(/\s+/g, '').length;
    this.at = 0;
    this.text = text;
  }

  fail() {
    throw new SyntaxError('more than this reads');
  }

  // {...} or one thing.
  group() {
    const next = this.tokens[this.at];
    if (!next)
      this.fail();
    if (next.all !== '{')
      return this.one();
    this.at++;
    const row = this.row('}');
    this.at++;
    return row;
  }

  words() {
    if (this.tokens[this.at]?.all !== '{')
      this.fail();
    this.at++;
    const parts = [];
    while (this.tokens[this.at] && this.tokens[this.at].all !== '}')
      parts.push(this.tokens[this.at++].all);
    this.at++;
    return parts;
  }

  one() {
    const { command, number, letter, sign, other } = this.tokens[this.at++];
    if (number)
      return make('mn', number);
    if (letter)
      return make('mi', letter);
    if (other)
      return make('mo', other);
    if (sign)
      this.fail();
    if (command === 'frac' || command === 'dfrac' || command === 'tfrac')
      return make('mfrac', this.group(), this.group());
    if (command === 'sqrt')
      return make('msqrt', this.group());
    if (command in SIGNS)
      return make('mo', SIGNS[command]);
    if (command in LETTERS)
      return make('mi', LETTERS[command]);
    if (BLANKS.has(command))
      return make('mspace');
    return this.fail();
  }

  row(end) {
    const row = make('mrow');
    while (this.at < this.tokens.length && this.tokens[this.at].all !== end) {
      const { command, all } = this.tokens[this.at];
      if (all === '^' || all === '_') {
        const base = row.lastChild;
        if (!base)
          this.fail();
        this.at++;
        base.remove();
        row.append(make(all === '^' ? 'msup' : 'msub', base, this.group()));
      } else if (WORDS.has(command)) {
        this.at++;
        row.append(make('mtext', this.words().join('')));
      } else if (all === '{') {
        row.append(this.group());
      } else {
        row.append(this.one());
      }
    }
    if (end && this.at >= this.tokens.length)
      this.fail();
    return row;
  }
}

export const mathView = (text, isBlock) => {
  try {
    // Words keep their blanks, which tokens lose.
    const kept = text.replace(/\\(text|mathrm|textbf)\{([^{}]*)\}/g, (all, name, said) => `\\${name}{${said.replaceAll(' ', '\u00a0')}}`);
    const reader = new Reader(kept), row = reader.row(undefined);
    if (reader.at < reader.tokens.length || /[<>&]/.test(text))
      return null;
    const math = make('math', row);
    if (isBlock)
      math.setAttribute('display', 'block');
    return math;
  } catch {
    return null;
  }
};
