// SPDX-License-Identifier: MIT
// store.js - conversations of this browser, one entry each in localStorage.
//
// Failure: when there is no room, the oldest conversations go; without storage, all is forgotten
// with the page.
import { turnToKeep } from './turn.js';
import { t } from './words.js';

const PREFIX = 'askd.conversation.';
const MOST = 60;

const parse = text => {
  try {
    const value = JSON.parse(text);
    return typeof value?.id === 'string' && Array.isArray(value.turns) ? value : null;
  } catch {
    return null;
  }
};

const entries = () => {
  try {
    return Object.keys(localStorage).filter(key => key.startsWith(PREFIX))
      .map(key => parse(localStorage.getItem(key))).filter(Boolean).sort((a, b) => b.at - a.at);
  } catch {
    return [];
  }
};

const belongs = (conversation, { company_id, user_id }) =>
  conversation.company_id === company_id && conversation.user_id === user_id;

export const createConversation = ({ company_id, user_id }) =>
  ({ id: `web-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`, company_id, user_id, at: Date.now(), turns: [] });

export const conversationTitle = conversation => conversation.title ?? conversation.turns[0]?.question ?? t('New conversation');

export const listConversations = caller => entries().filter(one => belongs(one, caller));

// NULL: there is none, or it is somebody else's.
export const findConversation = (id, caller) => {
  try {
    const found = parse(localStorage.getItem(PREFIX + id));
    return found && belongs(found, caller) ? found : null;
  } catch {
    return null;
  }
};

export const forgetConversation = id => {
  try {
    localStorage.removeItem(PREFIX + id);
  } catch { /* there is nothing then */ }
};

export const keepConversation = conversation => {
  const text = JSON.stringify({ ...conversation, turns: conversation.turns.map(turnToKeep) });
  const others = entries().filter(one => one.id !== conversation.id);
  for (const old of others.splice(MOST - 1))
    forgetConversation(old.id);
  for (;;) {
    try {
      localStorage.setItem(PREFIX + conversation.id, text);
      return;
    } catch {
      const oldest = others.pop();
      if (!oldest)
        return;
      forgetConversation(oldest.id);
    }
  }
};
