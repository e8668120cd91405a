// SPDX-License-Identifier: MIT
// results.js - whole results: fetched as rows, or saved as a file.
//
// The server runs the statement again, past the guard; where an answer names none (an old one), the rows at hand
// are all there is. Failure: a Problem, or fetch's TypeError.
import { request, whose } from './api.js';
import { el } from './dom.js';

const ask = (sql, rest) => request(`/internal/results?${whose()}`, {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ sql, ...rest }),
});

// { columns, rows, row_count, truncated }
export const fetchRows = async (sql, rows) => (await ask(sql, { format: 'json', ...(rows && { rows }) })).json();

// Save what parts are as a file called name.
export const saveFile = (name, type, ...parts) => {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = el('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
};

// Save the whole result as a file. Resolves to { rows, truncated }.
export const saveResult = async (sql, format, name) => {
  const response = await ask(sql, { format });
  saveFile(`${name}.${format}`, response.headers.get('content-type'), await response.blob());
  return { rows: Number(response.headers.get('x-askd-rows')), truncated: response.headers.get('x-askd-truncated') === 'true' };
};

// A question as the name of a file.
export const fileName = text => (text ?? '').normalize('NFKD').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 60).toLowerCase() || 'rows';
