// SPDX-License-Identifier: MIT
// format.js - names, times and numbers as people read them.

// "sql_agent/table_selector" -> "Table selector"
export const nodeTitle = path => {
  const words = path.slice(path.lastIndexOf('/') + 1).replaceAll('_', ' ').replace(/\b(sql|rag)\b/g, word => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const duration = ms => {
  if (ms < 1)
    return '< 1 ms';
  if (ms < 1000)
    return `${Math.round(ms)} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(ms < 10000 ? 1 : 0)} s` : `${Math.floor(ms / 60000)} min ${Math.round(ms % 60000 / 1000)} s`;
};

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

// For axes and metrics: at most so many decimals as tell the numbers apart.
export const number = value => {
  if (typeof value !== 'number')
    return String(value ?? '');
  const size = Math.abs(value);
  return value.toLocaleString('en', { maximumFractionDigits: size >= 1000 ? 0 : size >= 1 ? 2 : 4 });
};

export const shortNumber = value =>
  Math.abs(value) >= 10000 ? value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 }) : number(value);

// "Today", "Yesterday", else the day.
export const day = at => {
  const start = new Date().setHours(0, 0, 0, 0);
  if (at >= start)
    return 'Today';
  if (at >= start - 86400000)
    return 'Yesterday';
  return new Date(at).toLocaleDateString('en', { day: 'numeric', month: 'long', year: 'numeric' });
};
