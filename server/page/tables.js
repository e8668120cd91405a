// SPDX-License-Identifier: MIT
// tables.js - what the database has: tables, columns, references; and what columns of a result mean by them.
//
// Asked for once for each caller. Where it cannot be had, columns have the names that they came with.
import { caller, getJson, whose } from './api.js';
import { columnTitle } from './format.js';
import { fetchRows } from './results.js';

const MOST_NAMES = 200; // rows of another table that are asked for their names

let asked = '', promise = null;

// { dialect, tables }
export const loadTables = () => {
  const who = `${whose()} ${caller.key}`;
  if (asked !== who) {
    asked = who;
    promise = getJson(`/internal/tables?${whose()}`);
    promise.catch(() => { asked = ''; });
  }
  return promise;
};

const quote = (name, dialect) => dialect === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`;
export const quoteName = (name, dialect) => name.split('.').map(part => quote(part, dialect)).join('.');
const literal = value => typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;

const sentence = label => label.charAt(0).toUpperCase() + label.slice(1);

// The one value that all of found have; undefined: there is none.
const agreed = found => new Set(found).size === 1 ? found[0] : undefined;

// What a column of a result is, by its name in the tables that were read: { title, isKey, to }.
// to: the table that it refers to.
export const describeColumn = (name, { tables }, read) => {
  const from = tables.filter(table => read.includes(table.name));
  const columns = from.flatMap(table => table.columns.filter(column => column.name === name));
  const to = agreed(from.flatMap(table => table.references.filter(one => one.columns.length === 1 && one.columns[0] === name).map(one => one.to_table)));
  const label = agreed(columns.map(column => column.label));
  const isKey = to !== undefined || columns.some(column => column.primary_key) ||
    tables.some(table => table.references.some(one => read.includes(one.to_table) && one.to_columns.includes(name)));
  return { title: label ? sentence(label).replace(/ id$/, '') || columnTitle(name) : columnTitle(name), isKey, to: tables.find(table => table.name === to) };
};

// The names of rows of a table by its key: a map of key -> text. Empty where they have none.
export const loadNames = async (table, keys, { dialect, tables }) => {
  const key = tables.flatMap(one => one.references).find(one => one.to_table === table.name && one.to_columns.length === 1)?.to_columns[0];
  const wanted = [...new Set(keys.filter(value => value !== null && value !== undefined))].slice(0, MOST_NAMES);
  const named = table.names?.filter(name => name !== key) ?? [];
  if (!key || named.length === 0 || wanted.length === 0)
    return new Map();
  const columns = [key, ...named].map(name => quote(name, dialect));
  const { rows } = await fetchRows(`SELECT ${columns.join(', ')} FROM ${quoteName(table.name, dialect)} WHERE ${columns[0]} IN (${wanted.map(literal).join(', ')})`, wanted.length);
  return new Map(rows.map(([value, ...names]) => [String(value), names.filter(part => part !== null).join(' ')]));
};
