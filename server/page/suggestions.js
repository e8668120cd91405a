// SPDX-License-Identifier: MIT
// suggestions.js - questions that may follow an answer: verified ones, and such as its tables and rows allow.
import { getJson, whose } from './api.js';
import { el } from './dom.js';
import { t } from './words.js';

const MOST = 3;

const asked = new Map(); // tables -> promise

const load = tables => {
  const key = tables.join(',');
  if (!asked.has(key)) {
    const promise = getJson(`/internal/suggestions?${whose()}&${new URLSearchParams({ tables: key })}`);
    promise.catch(() => asked.delete(key));
    asked.set(key, promise);
  }
  return asked.get(key);
};

// Fills place with questions other than those that were asked; nothing where there are none.
export const showSuggestions = async (place, turn, questions, onAsk) => {
  try {
    const { suggestions } = await load(turn.tables);
    const known = new Set(questions.map(text => text.trim().toLowerCase()));
    const left = suggestions.filter(text => !known.has(text.toLowerCase())).slice(0, MOST);
    if (left.length > 0)
      place.replaceChildren(el('ul', { class: 'suggestions', 'aria-label': t('What may be asked next') }, left.map(text =>
        el('li', {}, el('button', { type: 'button', class: 'suggestion', onclick: () => onAsk(text) }, text)))));
  } catch { /* none then */ }
};
