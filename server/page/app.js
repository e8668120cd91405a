// SPDX-License-Identifier: MIT
// app.js - what the page is about at this moment, for all its parts, and what follows from it.
import { caller } from './api.js';
import { conversationTitle, listConversations } from './store.js';

export const app = {
  about: { heartbeat_seconds: 15, examples: [], features: [] }, // what the server says about itself
  kept: [],        // conversations the server keeps: { id, title, at, count }
  graphs: [],
  current: null,   // the conversation that is shown
  selected: null,  // the turn whose run is shown
  composer: null,
  live: new Map(), // turn id -> { conversation, turn, stream, ended }
};

// What the list calls it.
export const titleOf = conversation => allConversations().find(one => one.id === conversation.id)?.title ?? conversationTitle(conversation);

export const hasHistory = () => app.about.features.includes('conversations');

export const liveTurn = conversation => conversation?.turns.find(turn => app.live.has(turn.id));

export const findLive = id => [...app.live.values()].find(one => one.conversation.id === id)?.conversation;

// The graph of a turn's run; of none, the one that is chosen for the next.
export const graphOf = turn => (turn ? turn.graph : app.composer?.graph.value) || app.graphs[0]?.name;

// Those of this browser and those of the server, each once, the newest first.
export const allConversations = () => {
  const kept = new Map(app.kept.map(one => [one.id, one]));
  const mine = listConversations(caller).map(one => ({ id: one.id, at: one.at, title: kept.get(one.id)?.title ?? conversationTitle(one), pinned: kept.get(one.id)?.pinned ?? one.pinned }));
  const ids = new Set(mine.map(one => one.id));
  return [...mine, ...app.kept.filter(one => !ids.has(one.id))].sort((a, b) => b.at - a.at);
};
