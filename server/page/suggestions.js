// SPDX-License-Identifier: MIT
// suggestions.js - questions that may follow an answer: of its first row, verified ones, such as its tables allow.
import { getJson, whose } from './api.js';
import { el } from './dom.js';
import { moment } from './format.js';
import { t } from './words.js';

const MOST = 4, NAME_CHARS = 60;

const asked = new Map(); // what is asked about -> promise

// What names the first row: a column and a word there; nothing where none does.
const firstName = ({ columns = [], rows = [] }) => {
  const at = (rows[0] ?? []).findIndex(value => typeof value === 'string' && value.length <= NAME_CHARS && moment(value) === null);
  return at < 0 ? {} : { column: columns[at], value: rows[0][at] };
};

const load = turn => {
  const key = String(new URLSearchParams({ tables: turn.tables.join(','), ...firstName(turn.data ?? {}) }));
  if (!asked.has(key)) {
    const promise = getJson(`/internal/suggestions?${whose()}&${key}`);
    promise.catch(() => asked.delete(key));
    asked.set(key, promise);
  }
  return asked.get(key);
};

// Fills place with questions other than those that were asked; nothing where there are none.
export const showSuggestions = async (place, turn, questions, onAsk) => {
  try {
    const { suggestions } = await load(turn);
    const known = new Set(questions.map(text => text.trim().toLowerCase()));
    const left = suggestions.filter(text => !known.has(text.toLowerCase())).slice(0, MOST);
    if (left.length > 0)
      place.replaceChildren(el('ul', { class: 'suggestions', 'aria-label': t('What may be asked next') }, left.map(text =>
        el('li', {}, el('button', { type: 'button', class: 'suggestion', onclick: () => onAsk(text) }, text)))));
  } catch { /* none then */ }
};
