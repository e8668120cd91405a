// SPDX-License-Identifier: MIT
// why.js - an answer's statement in a sentence: which words of the question it took for what, what it read, how tables
// were joined, which rows, in which groups and order; of a statement of several queries, of each of them.
//
// Made of the statement's own clauses. Null: it has no form that can be told so.
import { sqlParts } from './sql_parts.js';
import { SQL_WORDS, sqlTokens } from './sql_view.js';
import { t } from './words.js';

const JOINS = new Set(['join', 'inner', 'left', 'right', 'full', 'cross', 'outer', 'natural']);

// The clauses of the outermost query: { select, from, where, group, having, order, limit } -> text.
const clausesOf = sql => {
  const found = {};
  let depth = 0, at = null;
  for (const { text, kind } of sqlTokens(sql)) {
    const word = kind === 'word' ? text.toLowerCase() : '';
    if (text === '(')
      depth++;
    if (text === ')')
      depth--;
    if (depth === 0 && ['select', 'from', 'where', 'group', 'having', 'order', 'limit'].includes(word)) {
      at = word;
      found[at] = [];
    } else if (at) {
      found[at].push({ text, kind, word, depth });
    }
  }
  return found;
};

const textOf = tokens => tokens.map(({ text }) => text).join('').replace(/\s+/g, ' ').trim();
const withoutBy = tokens => tokens[tokens.findIndex(one => one.word === 'by')] ? tokens.slice(tokens.findIndex(one => one.word === 'by') + 1) : tokens;

// FROM as tables and what joins them; a query in brackets is a table of its alias, made by within.
const readFrom = tokens => {
  const parts = [[]];
  for (const token of tokens)
    if (token.depth === 0 && JOINS.has(token.word)) {
      if (parts.at(-1).length > 0)
        parts.push([]);
    } else if (token.depth > 0 || token.kind !== 'blank' || parts.at(-1).length > 0) {
      parts.at(-1).push(token);
    }
  return parts.filter(part => part.length > 0).map(part => {
    const on = part.findIndex(token => token.depth === 0 && (token.word === 'on' || token.word === 'using'));
    const before = on < 0 ? part : part.slice(0, on), within = before[0].text === '(' ? textOf(before.filter(token => token.depth > 0).slice(1)) : '';
    const names = (within ? before.slice(before.findIndex((token, i) => i > 0 && token.depth === 0) + 1) : before).filter(token => token.kind !== 'blank' && token.word !== 'as');
    return { table: names[0]?.text.replace(/["`]/g, ''), alias: within ? undefined : names[1]?.text, within, on: on < 0 ? '' : textOf(part.slice(on + 1)) };
  });
};

// Aliases become what they stand for.
const spell = (text, parts) => parts.reduce((said, { table, alias }) => alias ? said.replace(new RegExp(`\\b${alias.replace(/\W/g, '')}\\.`, 'g'), `${table}.`) : said, text);

const stem = word => word.toLowerCase().replace(/ies$/, 'y').replace(/(?<=\w\w)s$/, '');
const stemsOf = name => name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').split(/[\s_.]+/).filter(Boolean).map(stem);

// What of a statement words of a question can name: tables first, then columns, then values; each once.
const namesOf = (sql, parts) => {
  const tokens = sqlTokens(sql).filter(({ kind }) => kind !== 'blank'), aliases = new Set(parts.map(({ alias }) => alias));
  const columns = tokens.filter(({ kind, text }, i) => (kind === 'word' || kind === 'quoted') && !SQL_WORDS.has(text.toLowerCase()) && !aliases.has(text) &&
    tokens[i + 1]?.text !== '(' && tokens[i + 1]?.text !== '.' && tokens[i - 1]?.text.toLowerCase() !== 'as').map(({ text }) => text.replace(/["`]/g, ''));
  const values = tokens.filter(({ kind, text }) => kind === 'text' && text.length > 3).map(({ text }) => text.replace(/^'|'$/g, ''));
  return [...new Set([...parts.map(({ table }) => table), ...columns, ...values])];
};

// [{ said, name }]: words of the question, in its order, and what of the statement they are.
export const understood = (question, sql, parts) => {
  const words = [...question.matchAll(/[\p{L}\p{N}_]+/gu)].map(([text]) => text), stems = words.map(stem), taken = new Set(), found = [];
  for (const [name, wanted] of namesOf(sql, parts).map(one => [one, stemsOf(one)]).sort((a, b) => b[1].length - a[1].length)) {
    const at = stems.findIndex((_, i) => wanted.every((one, k) => stems[i + k] === one && !taken.has(i + k)));
    if (at < 0 || wanted.length === 0)
      continue;
    wanted.forEach((_, k) => taken.add(at + k));
    found.push({ at, said: words.slice(at, at + wanted.length).join(' '), name });
  }
  return found.sort((a, b) => a.at - b.at);
};

const lower = text => text.charAt(0).toLowerCase() + text.slice(1);
const forName = (name, sql) => ({ name, said: tell(sql) });

const BY = {
  union: what => t('Together with that, {what}', { what }),
  intersect: what => t('Of these only what is in this, too: {what}', { what }),
  except: what => t('Without what is in this: {what}', { what }),
};

// Sentences of one query. Null: it has no form that can be told so.
const tellOne = sql => {
  const clauses = clausesOf(sql);
  if (!clauses.from)
    return null;
  const parts = readFrom(clauses.from), say = tokens => spell(textOf(tokens), parts);
  const [first, ...others] = parts, inner = parts.filter(({ within }) => within).map(({ table, within }) => forName(table, within));
  if (parts.length === 0 || parts.some(({ table }) => !table) || inner.some(({ said }) => !said))
    return null;
  return [...inner.flatMap(sayFor), [t('It read {table}', { table: first.table }) + others.map(({ table, on }) => on ? t(', joined with {table} where {on}', { table, on: spell(on, parts) }) : t(', with {table}', { table })).join(''),
    clauses.where && t('only rows where {condition}', { condition: say(clauses.where) }),
    clauses.group && t('in groups by {columns}', { columns: say(withoutBy(clauses.group)) }),
    clauses.having && t('only groups where {condition}', { condition: say(clauses.having) }),
    clauses.order && t('ordered by {columns}', { columns: say(withoutBy(clauses.order)) }),
    clauses.limit && t('at most {n} of them', { n: textOf(clauses.limit) }),
  ].filter(Boolean).join('; ') + '.'];
};

const sayFor = ({ name, said: [first, ...more] }) => [t('For “{name}” {what}', { name, what: lower(first) }), ...more];

// Sentences of a statement.
const tell = sql => {
  const { made, parts } = sqlParts(sql), named = made.map(one => forName(one.name, one.sql)), told = parts.map(one => tellOne(one.sql));
  if (named.some(({ said }) => !said) || told.some(said => !said))
    return null;
  return [...named.flatMap(sayFor), ...told.flatMap(([first, ...more], i) => i === 0 ? [first, ...more] : [BY[parts[i].by](lower(first)), ...more])];
};

// The tables of all its queries, with their aliases.
const tablesOf = sql => {
  const { made, parts } = sqlParts(sql);
  return [...made.flatMap(one => tablesOf(one.sql)), ...parts.flatMap(one => readFrom(clausesOf(one.sql).from ?? []).flatMap(part => part.within ? tablesOf(part.within) : [part]))]
    .filter(({ table }) => !made.some(({ name }) => name === table));
};

export const whyText = (sql, question = '') => {
  const said = tell(sql);
  if (!said)
    return null;
  const words = understood(question, sql, tablesOf(sql)).map(one => t('“{said}” as {name}', one));
  return [words.length > 0 && `${t('It understood {words}', { words: words.join(', ') })}.`, ...said].filter(Boolean).join(' ');
};
