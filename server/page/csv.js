// SPDX-License-Identifier: MIT
// csv.js - rows as CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe before it.

const cell = value => {
  if (value === null || value === undefined)
    return '';
  let text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (typeof value === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^[+-]?[\d\s.()/-]+$/.test(text))
    text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const toCsv = (columns, rows) => [columns, ...rows].map(row => row.map(cell).join(',')).join('\r\n') + '\r\n';
