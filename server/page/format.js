// SPDX-License-Identifier: MIT
// format.js - names, times and numbers as people read them, in their language.
import { locale, t } from './words.js';

// A node, agent, tool or code of the server: "sql_agent/table_selector" -> "Table selector", in the reader's language where
// the words have it.
export const nodeTitle = path => {
  const words = path.slice(path.lastIndexOf('/') + 1).replaceAll('_', ' ').replace(/\b(sql|rag)\b/g, word => word.toUpperCase());
  return t(words.charAt(0).toUpperCase() + words.slice(1));
};

const STATES = { running: t('running'), done: t('done'), failed: t('failed'), stopped: t('stopped'), waiting: t('waits for you') };

// How a step or a call is.
export const stateWord = state => STATES[state] ?? state;

// "customerLocationId" -> "Customer location id"; "COUNT(*)" stays.
export const columnTitle = name => {
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name))
    return name;
  const words = name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ').trim();
  const lower = words.replace(/\p{Lu}\p{Ll}+/gu, word => word.toLowerCase());
  return lower.charAt(0).toUpperCase() + lower.slice(1);
};

export const duration = ms => {
  if (ms < 1)
    return '< 1 ms';
  if (ms < 1000)
    return `${Math.round(ms)} ms`;
  const digits = ms < 10000 ? 1 : 0;
  return ms < 60000 ? `${(ms / 1000).toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })} s`
    : `${Math.floor(ms / 60000)} min ${Math.round(ms % 60000 / 1000)} s`;
};

export const count = value => value.toLocaleString(locale);

// plural(2, '{n} row', '{n} rows'): sentences of words.js.
export const plural = (n, one, many) => t(n === 1 ? one : many, { n: count(n) });

// For axes and metrics: at most so many decimals as tell the numbers apart.
export const number = value => {
  if (typeof value !== 'number')
    return String(value ?? '');
  const size = Math.abs(value);
  return value.toLocaleString(locale, { maximumFractionDigits: size >= 1000 ? 0 : size >= 1 ? 2 : 4 });
};

export const shortNumber = value =>
  Math.abs(value) >= 10000 ? value.toLocaleString(locale, { notation: 'compact', maximumFractionDigits: 1 }) : number(value);

// "Today", "Yesterday", else the day.
export const day = at => {
  const start = new Date().setHours(0, 0, 0, 0);
  if (at >= start)
    return t('Today');
  if (at >= start - 86400000)
    return t('Yesterday');
  return new Date(at).toLocaleDateString(locale, { day: 'numeric', month: 'long', year: 'numeric' });
};

const DAY = { day: 'numeric', month: 'short', year: 'numeric' };
const MINUTE = { hour: '2-digit', minute: '2-digit' };
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?$/;

// A value of a column that is a day or a moment, without a zone; null: it is neither.
export const moment = text => {
  const found = typeof text === 'string' ? MOMENT.exec(text) : null;
  if (!found)
    return null;
  const [year, month, date, hour, minute, second] = found.slice(1).map(part => part === undefined ? undefined : Number(part));
  const time = new Date(year, month - 1, date, hour ?? 0, minute ?? 0, second ?? 0);
  if (time.getMonth() !== month - 1 || time.getDate() !== date)
    return null;
  return hour === undefined ? time.toLocaleDateString(locale, DAY)
    : time.toLocaleString(locale, { ...DAY, ...MINUTE, ...(second ? { second: '2-digit' } : {}) });
};

// A number in a table: all its digits, in groups.
export const cellNumber = value => value.toLocaleString(locale, { maximumFractionDigits: 20 });
