// SPDX-License-Identifier: MIT
// conversations_view.js - the list of earlier conversations, by day.
import { byId, el, icon, ICONS } from './dom.js';
import { day } from './format.js';
import { t } from './words.js';

// conversations: [{ id, title, at }]. on: { open(id), remove(conversation) }. liveIds: those that are being answered.
export const showConversations = (conversations, currentId, liveIds, on) => {
  const days = new Map();
  for (const one of conversations) {
    const name = day(one.at);
    days.set(name, [...(days.get(name) ?? []), one]);
  }
  const item = one => {
    const { title } = one, isCurrent = one.id === currentId;
    return el('li', { class: isCurrent ? 'current' : undefined },
      el('button', { type: 'button', class: 'conversation', 'aria-current': isCurrent ? 'true' : undefined, onclick: () => on.open(one.id) },
        liveIds.has(one.id) ? el('span', { class: 'spinner', role: 'img', 'aria-label': t('is being answered') }) : null, el('span', {}, title)),
      el('button', { type: 'button', class: 'icon remove', 'aria-label': t('Remove {title}', { title }), onclick: () => on.remove(one) }, icon(...ICONS.remove)));
  };
  byId('conversations').replaceChildren(...[...days].map(([name, list]) => el('section', {}, el('h2', {}, name), el('ul', {}, list.map(item)))),
    conversations.length === 0 ? el('p', { class: 'nothing' }, t('What you ask is kept here.')) : '');
};

// found: [{ id, title, text }], turns that a search has found.
export const showFound = (found, open) => byId('conversations').replaceChildren(el('h2', {}, found.length ? t('Found') : t('Nothing found')),
  el('ul', {}, found.map(one => el('li', {}, el('button', { type: 'button', class: 'conversation found', onclick: () => open(one.id) },
    el('span', {}, one.title), el('small', {}, one.text))))));
