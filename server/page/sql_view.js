// SPDX-License-Identifier: MIT
// sql_view.js - a statement in colours and, when it is long, in lines. Only blanks between its words change.
import { el } from './dom.js';

export const SQL_WORDS = new Set(`all and any as asc between by case cast collate cross current_date current_timestamp desc distinct else end
  escape except exists extract false fetch filter first following for from full group having ilike in inner intersect interval into is
  join lateral left like limit natural not null nulls offset on or order outer over partition preceding range recursive right row rows
  select some then true union using values when where window with`.split(/\s+/));
const BREAKS = new Set(['select', 'from', 'where', 'group', 'having', 'order', 'limit', 'union', 'intersect', 'except', 'window',
  'left', 'right', 'full', 'inner', 'cross', 'natural', 'join']);
const SIDES = new Set(['left', 'right', 'full', 'inner', 'cross', 'natural', 'outer']);
const LONG = 64;

const TOKEN = /(?<blank>\s+)|(?<comment>--[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<text>[eEnN]?'(?:[^']|'')*(?:'|$))|(?<quoted>"(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$)|\[[^\]\n]*\])|(?<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|(?<word>[\p{L}_@:$][\p{L}\p{N}_$]*)|(?<sign>[^])/gyu;

export const sqlTokens = sql => Array.from(sql.matchAll(TOKEN), found => {
  const [kind, text] = Object.entries(found.groups).find(([, value]) => value !== undefined);
  return { kind, text };
});

const classOf = (token, next) => {
  if (token.kind === 'word')
    return SQL_WORDS.has(token.text.toLowerCase()) ? 'sql-word' : next?.text === '(' ? 'sql-call' : null;
  return { text: 'sql-text', quoted: 'sql-name', number: 'sql-number', comment: 'sql-comment' }[token.kind] ?? null;
};

export const highlightSql = sql => {
  const tokens = sqlTokens(sql);
  return tokens.map((token, i) => {
    const name = classOf(token, tokens[i + 1]);
    return name ? el('span', { class: name }, token.text) : token.text;
  });
};

// Whether a clause begins at words[i], and not the second word of "LEFT JOIN".
const beginsClause = (words, i) => {
  const word = words[i].text.toLowerCase(), before = words[i - 1]?.text.toLowerCase();
  if (words[i].kind !== 'word' || !BREAKS.has(word) || words[i + 1]?.text === '(' && SIDES.has(word))
    return false;
  return !(word === 'join' && SIDES.has(before)) && !(SIDES.has(word) && SIDES.has(before));
};

// Clauses on lines of their own, the inside of a nested query indented.
export const layOutSql = sql => {
  const tokens = sqlTokens(sql);
  if (sql.length <= LONG || tokens.some(token => token.kind === 'comment'))
    return sql.trim();
  const words = tokens.filter(token => token.kind !== 'blank');
  const queries = [true]; // for each open bracket: is its inside a query?
  let out = '', spaced = false, at = 0;
  const line = () => { out = `${out.trimEnd()}\n${'  '.repeat(queries.filter(Boolean).length - 1)}`; };
  for (const token of tokens) {
    if (token.kind === 'blank') {
      spaced = true;
      continue;
    }
    const i = at++;
    if (token.text === ')' && queries.length > 1 && queries.pop())
      line();
    else if (queries.at(-1) && beginsClause(words, i) && out)
      line();
    else if (spaced && out)
      out += ' ';
    out += token.text;
    spaced = false;
    if (token.text === '(')
      queries.push(/^(?:select|with)$/i.test(words[i + 1]?.text ?? ''));
  }
  return out;
};
