// SPDX-License-Identifier: MIT
// history.js - conversations as the server keeps them: listed, searched, loaded, forked, erased.
//
// Used only where the server says that it keeps them. Failure: a Problem, or fetch's TypeError.
import { getJson, Problem, request, whose } from './api.js';
import { createConversation } from './store.js';
import { applyEvent, createTurn } from './turn.js';
import { t } from './words.js';

const MOST = 200; // turns of one conversation that are loaded

const path = (caller, id, rest = '', query = {}) =>
  `/internal/conversations${id ? `/${encodeURIComponent(id)}` : ''}${rest}?${whose(caller)}&${new URLSearchParams(query)}`;

// [{ id, title, at, count }]
export const listKept = async caller => (await getJson(path(caller, '', '', { limit: 100 }))).conversations
  .map(one => ({ id: one.conversation_id, title: one.title, pinned: one.pinned === true, at: one.changed_ms, count: one.turns }));

// [{ id, title, text }] of turns that hold text.
export const searchKept = async (caller, text) => (await getJson(path(caller, '', '', { search: text, limit: 30 }))).found
  .map(one => ({ id: one.conversation_id, title: one.question, text: one.answer, at: one.time_ms }));

// As it was when its last event had come.
const turnOf = (question, answer) => {
  const { sql = null, graph, route = null, steps = [], tools = [], result = {}, error } = answer.details ?? {};
  const turn = {
    ...createTurn({ question: question.content, graph: route && route !== graph ? '' : graph ?? '' }),
    id: answer.run_id, runId: answer.run_id, at: answer.time_ms, link: 'closed', text: answer.content, route, feedback: answer.feedback,
    tools: tools.map(({ id, tool, arguments: given, ms, failed, result: back }) => ({ id, tool, given, ms, result: back, state: ms === undefined ? 'stopped' : failed ? 'failed' : 'done' })),
    steps: steps.map(({ node, ms }) => ({ node, ms, state: ms === undefined ? 'stopped' : 'done' })),
  };
  if (error)
    applyEvent(turn, { event: 'error', ...error, stats: result.stats }, 0);
  else
    applyEvent(turn, { event: 'complete', ...result, sql, route }, 0);
  return answer.partial && !error ? { ...turn, state: 'stopped' } : turn;
};

// Its run is heard again, from where it asks.
const waitingTurn = ({ run_id, graph, question, time_ms }) => ({ ...createTurn({ question, graph }), id: run_id, runId: run_id, at: time_ms });

const loadOne = (caller, id) => getJson(path(caller, id, '', { limit: MOST }));

const turnsOf = ({ messages }) => messages.flatMap((one, i) => one.role === 'assistant' ? [turnOf(messages[i - 1], one)] : []);

// As createConversation makes them, with what the server knows of its turns; the last one may have to be
// followed to where it waits.
export const loadKept = async (caller, id) => {
  const found = await loadOne(caller, id), turns = turnsOf(found);
  if (found.waits)
    turns.push(waitingTurn(found.waits));
  return { ...createConversation(caller), id, turns, at: turns.at(-1)?.at ?? Date.now() };
};

// What a link shows. Its rows are those that were kept: a reader has nobody for whom more could be asked.
export const loadShared = async token => {
  const found = await getJson(`/internal/shared/${encodeURIComponent(token)}`), turns = turnsOf(found);
  for (const { data } of turns)
    delete data?.written;
  return { ...createConversation({ company_id: '', user_id: '' }), id: found.conversation_id, turns, at: turns.at(-1)?.at ?? Date.now() };
};

const send = (url, method, body) => request(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

// label: { title, pinned }, or one of them. The server must have the conversation.
export const labelKept = async (caller, id, label) => (await send(path(caller, id), 'PATCH', label)).json();

// { token, expires_ms }
export const shareKept = async (caller, id, days) => (await send(path(caller, id, '/share'), 'POST', { days })).json();
export const unshareKept = (caller, id) => request(path(caller, id, '/share'), { method: 'DELETE' });

// A new conversation that is this one up to turn; its id.
export const forkKept = async (conversation, turn) => {
  const answer = (await loadOne(conversation, conversation.id)).messages.find(one => one.run_id === turn.runId);
  if (!answer)
    throw new Problem(404, { detail: t('The server has not kept this turn.') });
  const { id } = createConversation(conversation);
  await request(path(conversation, conversation.id, '/fork', { to: id, version: answer.version }), { method: 'POST' });
  return id;
};

// It is erased there, too; that it was not there is fine.
export const eraseKept = async (caller, id) => {
  try {
    await request(path(caller, id), { method: 'DELETE' });
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404)
      throw error;
  }
};
