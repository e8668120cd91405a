// SPDX-License-Identifier: MIT
// main.js - the page: what is open, what is being answered, and who is told when something changes.
//
// Happy path: the page is there before anything is asked of the server; a question makes a turn, its
// stream changes the turn, the views follow once a frame. What is being answered is kept, so that a
// page loaded again hears the rest.
import { caller, getJson, loadCaller, loadKey, Problem } from './api.js';
import { Composer } from './composer.js';
import { showConversations, showFound } from './conversations_view.js';
import { confirmLoss, openSettings } from './dialogs.js';
import { announce, byId, el, icon } from './dom.js';
import { plural } from './format.js';
import { eraseKept, forkKept, listKept, loadKept, searchKept } from './history.js';
import { RunView } from './run_view.js';
import { setUpShell } from './shell.js';
import { conversationTitle, createConversation, findConversation, forgetConversation, keepConversation, listConversations } from './store.js';
import { RunStream } from './stream.js';
import { applyEvent, createTurn, failTurn, isOver, restartTurn } from './turn.js';
import { TurnView } from './turn_view.js';

const ENGINES = { sqlite: 'SQLite', postgresql: 'PostgreSQL', postgres: 'PostgreSQL', mysql: 'MySQL', mariadb: 'MariaDB' };

const END_MS = 3000; // that a cancelled run may take to say its last word

let about = { heartbeat_seconds: 15, examples: [], features: [] };
let kept = [];           // conversations the server keeps: { id, title, at, count }
let graphs = [];
let current = null;      // the conversation that is shown
let selected = null;     // the turn whose run is shown
let waiting = null;      // what was asked before the server said who asks
let composer = null;
const live = new Map();  // turn id -> { conversation, turn, stream }
const views = new Map(); // turn id -> TurnView, of the current conversation

// ---- drawing ----

const shell = setUpShell();
const graphOf = turn => (turn ? turn.graph : composer?.graph.value) || graphs[0]?.name;
const runView = new RunView(() => shell.showRun(false), graphOf);

const changed = new Set();
let frame = 0;

const drawChanged = () => {
  frame = 0;
  for (const turn of changed) {
    views.get(turn.id)?.update();
    if (turn === selected)
      runView.show(turn);
  }
  changed.clear();
};

// Once a frame; where there are no frames (a tab in the background), soon.
const redraw = turn => {
  changed.add(turn);
  if (!frame)
    frame = document.hidden ? setTimeout(drawChanged, 200) : requestAnimationFrame(drawChanged);
};

const liveTurn = conversation => conversation?.turns.find(turn => live.has(turn.id));

// Those of this browser and those of the server, each once, the newest first.
const allConversations = () => {
  const mine = listConversations(caller).map(one => ({ id: one.id, at: one.at, title: conversationTitle(one) }));
  const ids = new Set(mine.map(one => one.id));
  return [...mine, ...kept.filter(one => !ids.has(one.id))].sort((a, b) => b.at - a.at);
};

const drawList = () => byId('search').value.trim() || showConversations(allConversations(), current?.id, new Set([...live.values()].map(one => one.conversation.id)), {
  open: openById,
  remove: removeConversation,
});

const drawState = () => {
  composer.setBusy(Boolean(liveTurn(current)));
  byId('title').textContent = conversationTitle(current);
  document.title = current.turns.length ? `${conversationTitle(current)} - askd` : 'askd';
  byId('empty').hidden = current.turns.length > 0;
  drawList();
};

const select = turn => {
  selected = turn ?? null;
  runView.show(selected);
};

const addView = turn => {
  const view = new TurnView(turn, {
    again: one => ask(one.question, one.graph),
    choose: (option, one) => ask(option, one.graph),
    fork: hasHistory() && (one => fork(current, one)),
    show: one => {
      select(one);
      shell.showRun(true);
    },
  });
  views.set(turn.id, view);
  byId('turns').append(view.element);
};

// ---- conversations ----

const findLive = id => [...live.values()].find(one => one.conversation.id === id)?.conversation;

const openConversation = conversation => {
  current = conversation ?? createConversation(caller);
  for (const turn of current.turns)
    if (!isOver(turn) && !live.has(turn.id))
      follow(current, turn);
  views.clear();
  byId('turns').replaceChildren();
  current.turns.forEach(addView);
  select(current.turns.at(-1));
  history.replaceState(null, '', current.turns.length ? `#${current.id}` : location.pathname);
  drawState();
  shell.closeDrawer();
  shell.toEnd();
};

const hasHistory = () => about.features.includes('conversations');

const showFailure = error => showNotice(error instanceof Problem ? error.message : 'The server cannot be reached.');

// What is here, unless the server has heard more of it elsewhere.
const openById = async id => {
  const here = findLive(id) ?? findConversation(id, caller), there = kept.find(one => one.id === id);
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

const readKept = async () => {
  if (!hasHistory())
    return;
  try {
    kept = await listKept(caller);
    drawList();
  } catch { /* those of this browser are there */ }
};

const fork = async (conversation, turn) => {
  try {
    const id = await forkKept(conversation, turn);
    const upTo = conversation.turns.slice(0, conversation.turns.indexOf(turn) + 1).map(one => ({ ...one, id: crypto.getRandomValues(new Uint32Array(2)).join('-') }));
    keepConversation({ ...conversation, id, turns: upTo, at: Date.now() });
    openConversation(findConversation(id, caller));
    announce('A new conversation that begins like this one');
  } catch (error) {
    showFailure(error);
  }
};

const removeConversation = async ({ id, title }) => {
  if (!await confirmLoss('Remove this conversation?', `“${title}” is removed${hasHistory() ? ', also from the server' : ' from this browser'}.`, 'Remove'))
    return;
  const running = [...live.values()].filter(one => one.conversation.id === id);
  await Promise.all(running.map(one => one.stream.cancel()));
  await Promise.race([Promise.all(running.map(one => one.ended)), new Promise(resolve => setTimeout(resolve, END_MS))]);
  running.forEach(one => one.stream.close());
  try {
    if (hasHistory())
      await eraseKept(caller, id);
  } catch (error) {
    showFailure(error);
    return;
  }
  forgetConversation(id);
  kept = kept.filter(one => one.id !== id);
  if (id === current.id)
    openConversation(null);
  else
    drawList();
};

let searches = 0;
const search = async () => {
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
byId('search').addEventListener('input', search);

// ---- asking ----

const say = turn => {
  if (turn.state === 'done')
    announce(`Answered. ${turn.text.slice(0, 300)}`);
  else
    announce(turn.state === 'stopped' ? 'Stopped' : `Not answered: ${turn.error.message}`);
};

const finish = (conversation, turn) => {
  live.delete(turn.id);
  turn.link = 'closed';
  keepConversation(conversation);
  redraw(turn);
  if (conversation === current)
    say(turn);
  drawState();
};

const refused = (turn, problem) => {
  failTurn(turn, problem);
  if (problem.status === 401)
    openSettings(greet, problem.message);
};

// Hear a turn's run from where it is; a new one is begun.
const follow = (conversation, turn) => {
  const order = {
    key: turn.id, runId: turn.runId, path: turn.graph ? `/internal/graphs/${encodeURIComponent(turn.graph)}/stream` : '/internal/chat/stream',
    caller: { company_id: conversation.company_id, user_id: conversation.user_id },
    body: {
      input: { message: turn.question },
      conversation: { id: conversation.id, company_id: conversation.company_id, user_id: conversation.user_id },
      options: { detail: 'nodes', on_disconnect: 'continue' },
    },
  };
  restartTurn(turn);
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
    refused: problem => refused(turn, problem),
  }, Math.max(about.heartbeat_seconds * 3000, 10000));
  const ended = stream.follow().finally(() => finish(conversation, turn));
  live.set(turn.id, { conversation, turn, stream, ended });
};

const ask = (question, graph = '') => {
  if (!caller.company_id) {
    waiting = () => ask(question, graph);
    return;
  }
  if (liveTurn(current))
    return;
  const turn = createTurn({ question, graph });
  current.turns.push(turn);
  current.at = Date.now();
  keepConversation(current);
  history.replaceState(null, '', `#${current.id}`);
  addView(turn);
  select(turn);
  follow(current, turn);
  drawState();
  shell.toEnd();
  announce('Asking');
};

composer = new Composer({
  ask,
  choose: () => selected ?? runView.show(null),
  stop: () => live.get(liveTurn(current)?.id)?.stream.cancel(),
});

// What was said so far is kept when the page is left; the rest is heard when it is back.
addEventListener('pagehide', () => new Set([...live.values()].map(one => one.conversation)).forEach(keepConversation));

// ---- what the server says about itself ----

const showExamples = examples => byId('examples').replaceChildren(...examples.slice(0, 4).map(text =>
  el('li', {}, el('button', { type: 'button', onclick: () => ask(text) }, el('span', {}, text), icon('M5 12h14', 'M13 6l6 6-6 6')))));

const showSource = ({ database, model, model_name: name }) => {
  const parts = [database && `${ENGINES[database.kind] ?? database.kind}${database.tables ? `, ${plural(database.tables, 'table')}` : ''}`,
    model === 'offline' ? 'offline engine' : name || model];
  byId('source').textContent = parts.filter(Boolean).join(' · ');
};

const showNotice = text => {
  byId('notice').textContent = text;
  byId('notice').hidden = !text;
};

const showReadiness = async () => {
  const { backends = {} } = await (await fetch('/readyz', { cache: 'no-store' })).json();
  showNotice(Object.entries(backends).filter(([, one]) => one.status !== 'ok').map(([name, one]) => `The ${name} is not ready: ${one.detail}`).join(' '));
};

// Who asks is known from now on.
const showCaller = () => {
  byId('caller').textContent = caller.user_id ? `${caller.user_id} at ${caller.company_id}` : 'Who asks';
};

const readServer = async () => {
  const [said, list] = await Promise.all([getJson('/internal/about'), getJson('/internal/graphs')]);
  about = said;
  graphs = list.graphs;
  loadCaller(about.caller);
  showCaller();
  showSource(about);
  showExamples(about.examples);
  composer.setGraphs(graphs);
  byId('search').hidden = !hasHistory();
  runView.show(selected);
};

async function greet() {
  let again = null;
  try {
    await readServer();
    await showReadiness();
  } catch (error) {
    if (error instanceof Problem && error.status === 401)
      openSettings(greet, 'This server asks for a key.');
    else
      again = error instanceof Problem ? error.message : 'The server cannot be reached; trying again.';
  }
  if (again) {
    showNotice(again);
    setTimeout(greet, 3000);
  }
  await readKept();
  const isMine = current.company_id === caller.company_id && current.user_id === caller.user_id;
  if (!isMine || current.turns.length === 0)
    await openById(location.hash.slice(1));
  if (caller.company_id)
    waiting?.();
  waiting = null;
}

byId('new-conversation').addEventListener('click', () => {
  openConversation(null);
  byId('question').focus();
});
byId('open-settings').addEventListener('click', () => openSettings(greet));

loadKey();
loadCaller({});
current = createConversation(caller);
drawState();
greet();
