// SPDX-License-Identifier: MIT
// conversations.js - a conversation is opened, forked, removed, searched for: here and on the server.
import { caller } from './api.js';
import { app, findLive, hasHistory } from './app.js';
import { follow } from './asking.js';
import { showFound } from './conversations_view.js';
import { confirmLoss } from './dialogs.js';
import { announce, byId } from './dom.js';
import { drawList, drawState, drawTurns, shell, showFailure } from './drawing.js';
import { eraseKept, forkKept, listKept, loadKept, searchKept } from './history.js';
import { createConversation, findConversation, forgetConversation, keepConversation } from './store.js';
import { isOver } from './turn.js';
import { t } from './words.js';

const END_MS = 3000; // that a cancelled run may take to say its last word

export const openConversation = conversation => {
  const current = app.current = conversation ?? createConversation(caller);
  for (const turn of current.turns)
    if (!isOver(turn) && !app.live.has(turn.id))
      follow(current, turn);
  drawTurns(current.turns);
  history.replaceState(null, '', current.turns.length ? `#${current.id}` : location.pathname);
  drawState();
  shell.closeDrawer();
  shell.toEnd();
};

// What is here, unless the server has heard more of it elsewhere.
export const openById = async id => {
  const here = findLive(id) ?? findConversation(id, caller), there = app.kept.find(one => one.id === id);
  if (findLive(id) || !there || (here && here.turns.length >= there.count)) {
    openConversation(here);
    return;
  }
  try {
    const found = await loadKept(caller, id);
    keepConversation(found);
    openConversation(found);
  } catch (error) {
    showFailure(error);
  }
};

export const readKept = async () => {
  if (!hasHistory())
    return;
  try {
    app.kept = await listKept(caller);
    drawList();
  } catch { /* those of this browser are there */ }
};

export const fork = async (conversation, turn) => {
  try {
    const id = await forkKept(conversation, turn);
    const upTo = conversation.turns.slice(0, conversation.turns.indexOf(turn) + 1).map(one => ({ ...one, id: crypto.getRandomValues(new Uint32Array(2)).join('-') }));
    keepConversation({ ...conversation, id, turns: upTo, at: Date.now() });
    openConversation(findConversation(id, caller));
    announce(t('A new conversation that begins like this one'));
  } catch (error) {
    showFailure(error);
  }
};

const stopAll = async running => {
  await Promise.all(running.map(one => one.stream.cancel()));
  await Promise.race([Promise.all(running.map(one => one.ended)), new Promise(resolve => setTimeout(resolve, END_MS))]);
  running.forEach(one => one.stream.close());
};

export const removeConversation = async ({ id, title }) => {
  if (!await confirmLoss(t('Remove this conversation?'), hasHistory() ? t('“{title}” is removed, also from the server.', { title }) : t('“{title}” is removed from this browser.', { title }), t('Remove')))
    return;
  await stopAll([...app.live.values()].filter(one => one.conversation.id === id));
  try {
    if (hasHistory())
      await eraseKept(caller, id);
  } catch (error) {
    showFailure(error);
    return;
  }
  forgetConversation(id);
  app.kept = app.kept.filter(one => one.id !== id);
  if (id === app.current.id)
    openConversation(null);
  else
    drawList();
};

let searches = 0;
export const search = async () => {
  const text = byId('search').value.trim(), number = ++searches;
  if (!text) {
    drawList();
    return;
  }
  try {
    const found = await searchKept(caller, text);
    if (number === searches)
      showFound(found, openById);
  } catch (error) {
    showFailure(error);
  }
};
