// SPDX-License-Identifier: MIT
// drawing.js - the page follows what app holds: turns once a frame, titles and lists when they change.
import { Problem } from './api.js';
import { allConversations, app, graphOf, hasHistory, liveTurn, titleOf } from './app.js';
import { showConversations } from './conversations_view.js';
import { byId } from './dom.js';
import { RunView } from './run_view.js';
import { setUpShell } from './shell.js';
import { showSuggestions } from './suggestions.js';
import { TurnView } from './turn_view.js';
import { t } from './words.js';

export const shell = setUpShell();
export const runView = new RunView(() => shell.showRun(false), graphOf);

// What somebody may do to a turn or a conversation: { ask, answer, fork, askInstead, open, rename, pin, share, save, remove }.
let on = {};
export const setActions = actions => {
  on = actions;
};

const views = new Map(); // turn id -> TurnView, of the current conversation
const changed = new Set();
let frame = 0;

const drawChanged = () => {
  frame = 0;
  for (const turn of changed) {
    views.get(turn.id)?.update();
    if (turn === app.selected)
      runView.show(turn);
  }
  changed.clear();
};

// Once a frame; where there are no frames (a tab in the background), soon.
export const redraw = turn => {
  changed.add(turn);
  if (!frame)
    frame = document.hidden ? setTimeout(drawChanged, 200) : requestAnimationFrame(drawChanged);
};

export const drawList = () => byId('search').value.trim() ||
  showConversations(allConversations(), app.current?.id, new Set([...app.live.values()].map(one => one.conversation.id)),
    { ...on, share: app.about.features.includes('shares') && on.share }, hasHistory() ? app.about.kept_hours : 0);

export const drawState = () => {
  const { composer, current } = app;
  composer.setBusy(Boolean(liveTurn(current)));
  const title = current.turns.length ? titleOf(current) : t('New conversation');
  byId('title').textContent = title;
  document.title = current.turns.length ? `${title} - askd` : 'askd';
  byId('empty').hidden = current.turns.length > 0;
  drawList();
};

export const select = turn => {
  app.selected = turn ?? null;
  runView.show(app.selected);
};

export const addView = turn => {
  const view = new TurnView(turn, {
    again: app.isShared ? null : one => on.ask(one.question, one.graph),
    edit: app.isShared || !(hasHistory() || turn === app.current.turns[0]) ? null : (text, one) => on.askInstead(app.current, one, text),
    answer: (value, one) => on.answer(app.current, one, value),
    choose: (option, one) => on.ask(option, one.graph),
    fork: hasHistory() && !app.isShared && (one => on.fork(app.current, one)),
    next: app.isShared ? null : (place, one) => one === app.current.turns.at(-1) && showSuggestions(place, one, app.current.turns.map(other => other.question), text => on.ask(text, '')),
    show: app.isShared ? null : one => {
      select(one);
      shell.showRun(true);
    },
  });
  views.set(turn.id, view);
  byId('turns').append(view.element);
};

// Suggestions are for the newest answer only.
export const clearNext = () => views.forEach(view => view.next.replaceChildren());

export const drawTurns = turns => {
  views.clear();
  byId('turns').replaceChildren();
  turns.forEach(addView);
  select(turns.at(-1));
};

export const showNotice = text => {
  byId('notice').textContent = text;
  byId('notice').hidden = !text;
};

export const showFailure = error =>
  showNotice(error instanceof Problem ? error.message : t('The server cannot be reached.'));
