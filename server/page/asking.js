// SPDX-License-Identifier: MIT
// asking.js - a question becomes a turn, its run's stream changes the turn, its end is kept.
//
// What is being answered is kept from its start, so that a page loaded again hears the rest.
import { caller, getJson, whose } from './api.js';
import { app, liveTurn } from './app.js';
import { announce } from './dom.js';
import { addView, clearNext, drawState, redraw, select, shell } from './drawing.js';
import { loadKept } from './history.js';
import { keepConversation } from './store.js';
import { RunStream } from './stream.js';
import { applyEvent, createTurn, failTurn, isOver, restartTurn, resumeTurn } from './turn.js';
import { t } from './words.js';

let waiting = null;       // what was asked before it was known who asks, and in which conversation
let onLocked = () => {};  // the server wants a key
let onNobody = () => {};  // whose rows are meant is not known

export const setOnLocked = fn => {
  onLocked = fn;
};
export const setOnNobody = fn => {
  onNobody = fn;
};

const say = turn => {
  if (turn.state === 'done')
    announce(t('Answered. {text}', { text: turn.text.slice(0, 300) }));
  else if (turn.state === 'waiting')
    announce(t('It waits for your answer'));
  else
    announce(turn.state === 'stopped' ? t('Stopped') : t('Not answered: {why}', { why: turn.error.message }));
};

const finish = (conversation, turn) => {
  app.live.delete(turn.id);
  turn.link = 'closed';
  keepConversation(conversation);
  redraw(turn);
  if (conversation === app.current)
    say(turn);
  drawState();
};

const refused = (turn, problem) => {
  failTurn(turn, problem);
  if (problem.status === 401)
    onLocked(problem.message);
};

// The answer is there already, though this page has not heard of it: the run that goes on with it, what
// that one said, or what it asks by now. Whether there is a run to be followed.
const findResumed = async (conversation, turn) => {
  const { runs } = await getJson(`/internal/runs?${whose(conversation)}`);
  const active = runs.find(one => one.conversation_id === conversation.id && (one.state === 'active' || one.state === 'waiting'));
  const last = (await loadKept(conversation, conversation.id)).turns.at(-1);
  const run = last && !isOver(last) ? last.runId : active?.run_id;
  if (run)
    turn.runId = run;
  else if (last && !conversation.turns.some(one => one.runId === last.runId))
    Object.assign(turn, { ...last, id: turn.id });
  return Boolean(run) || isOver(turn);
};

// As it is known elsewhere, or, when nothing is, refused. Whether it is to be followed again.
const settleConflict = async (conversation, turn, problem) => {
  const isFound = await findResumed(conversation, turn).catch(() => false);
  if (!isFound)
    refused(turn, problem);
  return isFound && !isOver(turn);
};

// How a turn's run is begun: with its question, or with what a person said where it waited.
const orderOf = (conversation, turn) => {
  const asker = { company_id: conversation.company_id, user_id: conversation.user_id };
  const common = { runId: turn.runId, caller: asker };
  if (turn.answer)
    return { ...common, key: `${turn.id}-${turn.answer.run}`, body: { resume: turn.answer.value },
      path: `/internal/runs/${encodeURIComponent(turn.answer.run)}/resume?${whose(asker)}` };
  return { ...common, key: turn.id,
    path: turn.graph ? `/internal/graphs/${encodeURIComponent(turn.graph)}/stream` : '/internal/chat/stream',
    body: { input: { message: turn.question }, conversation: { id: conversation.id, ...asker },
      options: { detail: 'nodes', on_disconnect: 'continue' } } };
};

// Hear a turn's run from where it is; a new one is begun. Resolves when it is over.
export const follow = (conversation, turn) => {
  const order = orderOf(conversation, turn);
  if (!turn.answer || turn.runId)
    restartTurn(turn);
  let conflict = null; // with an answer that was given before
  const stream = new RunStream(order, {
    run: runId => {
      turn.runId = runId;
      keepConversation(conversation);
    },
    event: (event, seq) => {
      applyEvent(turn, event, seq);
      redraw(turn);
    },
    state: state => {
      turn.link = state;
      redraw(turn);
    },
    refused: problem => {
      if (problem.status === 409 && turn.answer && !turn.runId)
        conflict = problem;
      else
        refused(turn, problem);
    },
  }, Math.max(app.about.heartbeat_seconds * 3000, 10000));
  const goesOn = async () => conflict !== null && await settleConflict(conversation, turn, conflict);
  const ended = stream.follow().then(goesOn).then(again => again ? follow(conversation, turn) : finish(conversation, turn));
  app.live.set(turn.id, { conversation, turn, stream, ended });
  return ended;
};

export const ask = (question, graph = '') => {
  const { current } = app;
  if (!app.isGreeted) {
    waiting = () => ask(question, graph);
    if (app.about.name && !caller.company_id)
      onNobody();
    return;
  }
  const live = liveTurn(current);
  if (live) {
    if (isOver(live)) // only its stream is to close yet
      app.live.get(live.id).ended.then(() => app.current === current && ask(question, graph));
    return;
  }
  const turn = createTurn({ question, graph });
  clearNext();
  current.turns.push(turn);
  current.at = Date.now();
  keepConversation(current);
  history.replaceState(null, '', `#${current.id}`);
  addView(turn);
  select(turn);
  follow(current, turn);
  drawState();
  shell.toEnd();
  announce(t('Asking'));
};

// What a turn's run waits for is said.
export const answer = (conversation, turn, value) => {
  const live = liveTurn(conversation);
  if (live) {
    if (live === turn && turn.state === 'waiting') // likewise
      app.live.get(turn.id).ended.then(() => turn.state === 'waiting' && answer(conversation, turn, value));
    return;
  }
  resumeTurn(turn, value);
  keepConversation(conversation);
  redraw(turn);
  follow(conversation, turn);
  drawState();
  announce(t('Going on'));
};

// Who asks is known, and the conversation is open: what waited for that is asked.
export const askWaiting = () => {
  if (!app.isGreeted)
    return;
  waiting?.();
  waiting = null;
};

export const stop = () => app.live.get(liveTurn(app.current)?.id)?.stream.cancel();

export const keepAll = () => new Set([...app.live.values()].map(one => one.conversation)).forEach(keepConversation);
