// SPDX-License-Identifier: MIT
// sharing.js - the dialog in which a conversation gets a link, and what is shown to who comes with one.
import { caller, Problem } from './api.js';
import { app } from './app.js';
import { openDialog } from './dialogs.js';
import { announce, byId, copyButton, el } from './dom.js';
import { drawState, drawTurns, showFailure, showNotice } from './drawing.js';
import { loadShared, shareKept, unshareKept } from './history.js';
import { count } from './format.js';
import { locale, t } from './words.js';

const PREFIX = '#shared=';
export const sharedToken = () => location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : null;

export const openSharing = ({ id, title }) => {
  const days = el('select', { 'aria-label': t('How long the link is good') }, [1, 7, 30, 90].map(n => el('option', { value: n, selected: n === 7 }, n === 1 ? t('a day') : t('{n} days', { n: count(n) }))));
  const place = el('div', { class: 'share-link' });
  const tell = text => {
    place.replaceChildren(el('p', { class: 'why' }, text));
    announce(text);
  };
  const begin = async () => {
    try {
      const { token, expires_ms: until } = await shareKept(caller, id, Number(days.value));
      const address = `${location.origin}${location.pathname}${PREFIX}${token}`;
      place.replaceChildren(el('input', { readonly: true, value: address, 'aria-label': t('The link') }), copyButton(t('Copy'), () => address),
        el('p', {}, t('Good until {day}.', { day: new Date(until).toLocaleDateString(locale, { dateStyle: 'long' }) })));
      place.querySelector('input').select();
    } catch (error) {
      tell(error instanceof Problem ? error.message : t('The server cannot be reached.'));
    }
  };
  const end = async () => {
    try {
      await unshareKept(caller, id);
      tell(t('No link to it is good any more.'));
    } catch (error) {
      tell(error instanceof Problem ? error.message : t('The server cannot be reached.'));
    }
  };
  openDialog('confirm', t('Share “{title}”', { title }),
    el('p', {}, t('Whoever has the link reads what was said so far, without a key. What is said later is not shown.')),
    el('label', { class: 'share-days' }, el('span', {}, t('Good for')), days), place,
    el('div', { class: 'dialog-foot' }, el('button', { type: 'button', class: 'plain-button', onclick: end }, t('Take all links back')),
      el('button', { type: 'button', class: 'filled-button', onclick: begin }, t('Make a link'))));
};

// The page shows what a link shares, and nothing is asked here.
export const showShared = async token => {
  document.body.classList.add('shared');
  byId('composer').hidden = true;
  byId('drawer').hidden = true;
  byId('toggle-run').hidden = true;
  byId('run').hidden = true;
  app.isShared = true;
  try {
    app.current = await loadShared(token);
    drawTurns(app.current.turns);
    drawState();
    showNotice(t('Somebody shared this with you. It can be read, not gone on with.'));
  } catch (error) {
    showFailure(error);
  }
};
