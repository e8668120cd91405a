// SPDX-License-Identifier: MIT
// conversations.js - a conversation is opened, forked, removed, searched for: here and on the server.
import { caller } from './api.js';
import { allConversations, app, findLive, hasHistory, titleOf } from './app.js';
import { ask, follow } from './asking.js';
import { showFound } from './conversations_view.js';
import { askText, confirmLoss } from './dialogs.js';
import { announce, byId } from './dom.js';
import { drawList, drawState, drawTurns, shell, showFailure } from './drawing.js';
import { toJson, toMarkdown } from './export.js';
import { eraseKept, forkKept, labelKept, listKept, loadKept, searchKept } from './history.js';
import { fileName, saveFile } from './results.js';
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

let readings = 0;

// The last reading counts: one before it may be of somebody else, and be answered later.
export const readKept = async () => {
  if (!hasHistory())
    return;
  const own = ++readings;
  try {
    const kept = await listKept(caller);
    if (own !== readings)
      return;
    app.kept = kept;
    drawList();
  } catch { /* those of this browser are there */ }
};

// A new conversation of the first so many turns of another, called title; it is open then.
const branch = async (conversation, turns, title) => {
  if (turns.length === 0) {
    openConversation(null);
    return;
  }
  const id = await forkKept(conversation, turns.at(-1));
  keepConversation({ ...conversation, id, title, at: Date.now(), turns: turns.map(one => ({ ...one, id: crypto.getRandomValues(new Uint32Array(2)).join('-') })) });
  labelKept(caller, id, { title: title.slice(0, 100) }).then(readKept, () => {});
  openConversation(findConversation(id, caller));
};

// Branches of one conversation are numbered.
const branchTitle = title => {
  const taken = new Set(allConversations().map(one => one.title)), first = t('{title} (branch)', { title });
  for (let n = 2; ; n++)
    if (!taken.has(n === 2 ? first : t('{title} (branch {n})', { title, n: n - 1 })))
      return n === 2 ? first : t('{title} (branch {n})', { title, n: n - 1 });
};

export const fork = async (conversation, turn) => {
  try {
    const turns = conversation.turns.slice(0, conversation.turns.indexOf(turn) + 1);
    await branch(conversation, turns, branchTitle(titleOf(conversation)));
    announce(t('A new conversation that begins like this one'));
  } catch (error) {
    showFailure(error);
  }
};

// The question of turn is asked otherwise, in a conversation that is this one up to it; what was said stays there.
export const askInstead = async (conversation, turn, question) => {
  try {
    await branch(conversation, conversation.turns.slice(0, conversation.turns.indexOf(turn)), question);
    ask(question, turn.graph);
  } catch (error) {
    showFailure(error);
  }
};

const relabel = async ({ id }, label) => {
  const here = findConversation(id, caller);
  try {
    if (hasHistory())
      await labelKept(caller, id, label);
    if (here)
      keepConversation({ ...here, ...label });
    if (app.current.id === id)
      Object.assign(app.current, label);
    app.kept = app.kept.map(one => one.id === id ? { ...one, ...label } : one);
    drawState();
  } catch (error) {
    showFailure(error);
  }
};

export const renameConversation = async one => {
  const title = await askText(t('Rename'), one.title, t('Save'));
  if (title)
    relabel(one, { title });
};

export const pinConversation = one => relabel(one, { pinned: !one.pinned });

// All of it as a file, also what only the server has.
export const saveConversation = async (one, format) => {
  try {
    const whole = findLive(one.id) ?? (app.kept.some(kept => kept.id === one.id) ? await loadKept(caller, one.id) : findConversation(one.id, caller));
    saveFile(`${fileName(one.title)}.${format}`, format === 'md' ? 'text/markdown' : 'application/json', (format === 'md' ? toMarkdown : toJson)(one.title, whole));
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
