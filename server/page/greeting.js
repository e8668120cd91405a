// SPDX-License-Identifier: MIT
// greeting.js - what the server says about itself, asked for when the page is there, until it answers.
import { caller, getJson, loadCaller, Problem } from './api.js';
import { app, hasHistory } from './app.js';
import { ask, askWaiting } from './asking.js';
import { openById, readKept } from './conversations.js';
import { askWhose, openSettings } from './dialogs.js';
import { byId, el, icon } from './dom.js';
import { runView, showNotice } from './drawing.js';
import { plural } from './format.js';
import { t } from './words.js';

const AGAIN_MS = 3000;
const ENGINES = { sqlite: 'SQLite', postgresql: 'PostgreSQL', postgres: 'PostgreSQL', mysql: 'MySQL', mariadb: 'MariaDB' };

const showExamples = examples => byId('examples').replaceChildren(...examples.slice(0, 4).map(text =>
  el('li', {}, el('button', { type: 'button', onclick: () => ask(text) }, el('span', {}, text), icon('M5 12h14', 'M13 6l6 6-6 6')))));

const showSource = ({ database, model, model_name: name }) => {
  const parts = [database && `${ENGINES[database.kind] ?? database.kind}${database.tables ? `, ${plural(database.tables, '{n} table', '{n} tables')}` : ''}`,
    model === 'offline' ? t('offline engine') : name || model];
  byId('source').textContent = parts.filter(Boolean).join(' · ');
};

const showReadiness = async () => {
  const { backends = {} } = await (await fetch('/readyz', { cache: 'no-store' })).json();
  showNotice(Object.entries(backends).filter(([, one]) => one.status !== 'ok').map(([name, one]) => t('The {part} is not ready: {why}', { part: name, why: one.detail })).join(' '));
};

// Who asks is known from now on.
const showCaller = () => {
  byId('caller').textContent = caller.user_id ? t('{user} at {company}', { user: caller.user_id, company: caller.company_id }) : t('Who asks');
};

const readServer = async () => {
  const [said, list] = await Promise.all([getJson('/internal/about'), getJson('/internal/graphs')]);
  app.about = said;
  app.graphs = list.graphs;
  loadCaller(said.caller);
  showCaller();
  showSource(said);
  showExamples(said.examples);
  app.composer.setGraphs(app.graphs);
  byId('search').hidden = !hasHistory();
  byId('open-browser').hidden = !said.database;
  for (const name of ['documents', 'schedules'])
    byId(`open-${name}`).hidden = !said.features.includes(name);
  runView.show(app.selected);
};

export async function greet() {
  let again = null;
  app.isGreeted = false;
  try {
    await readServer();
    await showReadiness();
    if (!caller.company_id)
      askWhose(greet);
  } catch (error) {
    if (error instanceof Problem && error.status === 401)
      openSettings(greet, caller.key ? t('The server refused this key.') : t('This server asks for a key.'));
    else
      again = error instanceof Problem ? error.message : t('The server cannot be reached; trying again.');
  }
  if (again) {
    showNotice(again);
    setTimeout(greet, AGAIN_MS);
  }
  await readKept();
  const isMine = app.current.company_id === caller.company_id && app.current.user_id === caller.user_id;
  if (!isMine || app.current.turns.length === 0)
    await openById(location.hash.slice(1));
  app.isGreeted = Boolean(caller.company_id);
  askWaiting();
}
