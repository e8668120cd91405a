// SPDX-License-Identifier: MIT
// conversations_view.js - the list of earlier conversations: those that are pinned, then by day.
import { byId, el, ICONS } from './dom.js';
import { day, plural } from './format.js';
import { menuButton } from './menu.js';
import { t } from './words.js';

// How long the server keeps what nobody touches.
const keptText = hours => hours >= 48 ? plural(Math.round(hours / 24), 'Kept for {n} day after the last question.', 'Kept for {n} days after the last question.')
  : plural(hours, 'Kept for {n} hour after the last question.', 'Kept for {n} hours after the last question.');

// conversations: [{ id, title, at, pinned }]. on: { open(id), rename, pin, share, save(conversation, format), remove }; share is
// absent where nothing is shared. liveIds: those that are being answered. keptHours: 0 for good, undefined: not kept.
export const showConversations = (conversations, currentId, liveIds, on, keptHours) => {
  const groups = new Map();
  for (const one of conversations) {
    const name = one.pinned ? t('Pinned') : day(one.at);
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  const pinned = groups.get(t('Pinned'));
  groups.delete(t('Pinned'));
  const choices = one => [
    { label: t('Rename'), onchoose: () => on.rename(one) },
    { label: one.pinned ? t('Unpin') : t('Pin'), onchoose: () => on.pin(one) },
    ...on.share ? [{ label: t('Share'), onchoose: () => on.share(one) }] : [],
    { label: t('Save as Markdown'), onchoose: () => on.save(one, 'md') },
    { label: t('Save as JSON'), onchoose: () => on.save(one, 'json') },
    { label: t('Remove'), isDanger: true, onchoose: () => on.remove(one) }];
  const item = one => {
    const isCurrent = one.id === currentId;
    return el('li', { class: isCurrent ? 'current' : undefined },
      el('button', { type: 'button', class: 'conversation', 'aria-current': isCurrent ? 'true' : undefined, onclick: () => on.open(one.id) },
        liveIds.has(one.id) ? el('span', { class: 'spinner', role: 'img', 'aria-label': t('is being answered') }) : null, el('span', {}, one.title)),
      menuButton(t('More for {title}', { title: one.title }), ICONS.more, () => choices(one), { isQuiet: true }));
  };
  const section = ([name, list]) => el('section', {}, el('h2', {}, name), el('ul', {}, list.map(item)));
  byId('conversations').replaceChildren(...(pinned ? [section([t('Pinned'), pinned])] : []), ...[...groups].map(section),
    conversations.length === 0 ? el('p', { class: 'nothing' }, t('What you ask is kept here.')) : '',
    conversations.length > 0 && keptHours > 0 ? el('p', { class: 'nothing kept' }, keptText(keptHours)) : '');
};

// found: [{ id, title, text }], turns that a search has found.
export const showFound = (found, open) => byId('conversations').replaceChildren(el('h2', {}, found.length ? t('Found') : t('Nothing found')),
  el('ul', {}, found.map(one => el('li', {}, el('button', { type: 'button', class: 'conversation found', onclick: () => open(one.id) },
    el('span', {}, one.title), el('small', {}, one.text))))));
