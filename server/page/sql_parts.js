// SPDX-License-Identifier: MIT
// sql_parts.js - a statement as the queries it is made of: those that have a name (WITH, a query in FROM), and those that
// are put together (UNION, INTERSECT, EXCEPT). What is no such form is one query.
import { sqlTokens } from './sql_view.js';

const SETS = new Set(['union', 'intersect', 'except']);
const wordOf = token => token?.kind === 'word' ? token.text.toLowerCase() : '';
const textOf = tokens => tokens.map(({ text }) => text).join('').trim();
const plainName = text => text.replace(/["`[\]]/g, '');

// Where what opens at tokens[at] is closed.
const closeOf = (tokens, at) => {
  for (let i = at, depth = 0; i < tokens.length; i++) {
    depth += tokens[i].text === '(' ? 1 : tokens[i].text === ')' ? -1 : 0;
    if (depth === 0)
      return i;
  }
  return tokens.length;
};

// WITH name [(columns)] AS [[NOT] MATERIALIZED] (query), ... and where the rest begins.
const readWith = tokens => {
  const made = [];
  let at = wordOf(tokens[2]) === 'recursive' ? 4 : 2; // behind it and a blank
  while (at < tokens.length) {
    const name = plainName(tokens[at]?.text ?? '');
    let open = at + 1;
    while (open < tokens.length && wordOf(tokens[open]) !== 'as')
      open = tokens[open].text === '(' ? closeOf(tokens, open) + 1 : open + 1;
    while (open < tokens.length && tokens[open].text !== '(')
      open++;
    const close = closeOf(tokens, open);
    made.push({ name, sql: textOf(tokens.slice(open + 1, close)) });
    at = close + 1;
    while (tokens[at]?.kind === 'blank' || tokens[at]?.text === ',')
      if (tokens[at++].text === ',' && tokens[at]?.kind !== 'blank')
        break;
    if (wordOf(tokens[at]) === 'select' || tokens[at]?.text === '(')
      break;
  }
  return { made, rest: tokens.slice(at) };
};

// A query that all of tokens are, in brackets or not.
const unwrap = tokens => tokens[0]?.text === '(' && closeOf(tokens, 0) === tokens.length - 1 ? unwrap(sqlTokens(textOf(tokens.slice(1, -1)))) : tokens;

// { made: [{ name, sql }], parts: [{ by: 'union', 'intersect', 'except' or '', sql }] }
export const sqlParts = sql => {
  const tokens = unwrap(sqlTokens(sql.trim()).filter(({ kind }) => kind !== 'comment'));
  const { made, rest } = wordOf(tokens[0]) === 'with' ? readWith(tokens) : { made: [], rest: tokens };
  const parts = [{ by: '', tokens: [] }];
  for (let i = 0, depth = 0; i < rest.length; i++) {
    depth += rest[i].text === '(' ? 1 : rest[i].text === ')' ? -1 : 0;
    const word = wordOf(rest[i]);
    if (depth === 0 && SETS.has(word))
      parts.push({ by: word, tokens: [] });
    else if (!(depth === 0 && (word === 'all' || word === 'distinct') && textOf(parts.at(-1).tokens) === ''))
      parts.at(-1).tokens.push(rest[i]);
  }
  return { made, parts: parts.map(({ by, tokens: own }) => ({ by, sql: textOf(unwrap(sqlTokens(textOf(own)))) })) };
};
