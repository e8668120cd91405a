// SPDX-License-Identifier: MIT
// tests/node/page.test.mjs - the page at / in Chromium: a question typed, its answer streamed, stopped, and
// heard to its end through reloads and lost connections. The model holds until a test lets it go on.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startAskd } from './lib/harness.mjs';
import { Page } from './lib/page.mjs';
import { PageModel } from './lib/page_model.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const words = (name, count) => Array.from({ length: count }, (_, i) => `${name}${i}`).join(' ');
const LONG = words('word', 60);
const held = (user, reply = LONG) => ({ ...line('general', reply, { user }), hold: 20 });
const sql = (user, statement, extra = {}) => [line('classify', 'SQL', { user }), { ...line('generate', `\`\`\`sql\n${statement}\n\`\`\``, { user }), ...extra }];

const STATUS = 'SELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status';
const model = await new PageModel([
  ...['a', 'b', 'c', 'd', 'e', 'f'].map(name => held(`slow ${name}`)),
  ...sql('by status', STATUS),
  ...sql('mistaken', 'SELECT nonsense FROM workOrder'),
  line('correct', `\`\`\`sql\n${STATUS}\n\`\`\``),
  line('tables', '["workOrder"]'),
  line('answer', 'That is **what** there is.'),
  line('classify', 'GENERAL'),
  line('general', 'The sky is blue because of *scattering*.'),
]).start();
after(() => model.stop());

const askd = await startAskd({ mock: model, env: { ASKD_PAGE_COMPANY_ID: 'acme' } });

const isHeld = () => until('the model holds', () => model.held.length > 0);
const firstWords = words('word', 20);

test('a typed question, its answer, the row of conversations', async () => {
  const page = await Page.open(askd.url);
  assert.equal(await page.find('#examples button').count(), 4);
  await page.ask('Why is the sky blue?');
  assert.equal(await page.answer(), 'The sky is blue because of scattering.');
  assert.equal(await page.turn.locator('em').innerText(), 'scattering');
  assert.equal(await page.page.title(), 'Why is the sky blue? - askd');
  assert.equal(await page.find('#conversations li').count(), 1);
  assert.match(await page.find('#status').innerText(), /^Answered\. The sky/);
  await page.find('#new-conversation').click();
  assert.equal(await page.find('#turns article').count(), 0);
  await page.find('#conversations .conversation').click();
  assert.equal(await page.answer(), 'The sky is blue because of scattering.');
  await page.chooseFor('Why is the sky blue?', 'Remove');
  await page.find('#confirm').getByRole('button', { name: 'Remove', exact: true }).click();
  await until('it is gone', async () => await page.find('#conversations li').count() === 0);
  await page.close();
});

test('text comes while the model still speaks', async () => {
  const page = await Page.open(askd.url);
  await page.type('slow a');
  await page.says('word19');
  await isHeld();
  assert.equal(await page.answer(), firstWords);
  assert.equal(await page.turn.locator('.answer').getAttribute('aria-busy'), 'true');
  assert.ok(await page.find('#stop').isVisible() && !await page.find('#send').isVisible());
  assert.equal(await page.find('.graph .node[data-state="running"] .node-name').first().textContent(), 'General agent');
  model.release();
  await page.comesTo('done');
  assert.equal(await page.answer(), LONG);
  assert.equal(await page.turn.locator('.answer').getAttribute('aria-busy'), 'false');
  await page.close();
});

test('a reload in mid-stream: nothing lost, nothing twice, the graph too', async () => {
  const page = await Page.open(askd.url);
  await page.type('slow b');
  await page.says('word19');
  await isHeld();
  await page.page.reload();
  await page.says('word19');
  assert.equal(await page.find('#turns article').count(), 1);
  model.release();
  await page.comesTo('done');
  assert.equal(await page.answer(), LONG);
  const nodes = await page.find('.steps li').evaluateAll(steps => steps.map(step => step.dataset.node));
  assert.deepEqual(nodes, ['load_checkpoint', 'classify', 'general_agent', 'general_agent/general_agent', 'finalize', 'save_checkpoint']);
  await page.page.reload();
  await page.comesTo('done');
  assert.equal(await page.answer(), LONG, 'kept');
  await page.close();
});

test('a reload before the first word', async () => {
  const page = await Page.open(askd.url);
  await page.page.route('**/internal/chat/stream', route => route.abort());
  await page.type('slow c');
  await page.turn.locator('.progress', { hasText: 'The connection was lost' }).waitFor();
  await page.page.unroute('**/internal/chat/stream');
  await page.page.reload();
  await page.says('word19');
  model.release();
  await page.comesTo('done');
  assert.equal(await page.answer(), LONG);
  page.forgive(/net::ERR_FAILED/);
  await page.close();
});

test('stop: the text so far stays, the model is left', async () => {
  const page = await Page.open(askd.url);
  const gone = model.gone;
  await page.type('slow d');
  await page.says('word19');
  await isHeld();
  await page.page.keyboard.press('Escape');
  await page.comesTo('stopped');
  assert.equal(await page.answer(), firstWords);
  assert.match(await page.turn.innerText(), /Stopped\./);
  await until('the model is left', () => model.gone > gone);
  model.release();
  await page.ask('Why is the sky blue?');
  assert.equal(await page.find('#turns article').count(), 2);
  await page.close();
});

test('offline and online again', async () => {
  const page = await Page.open(askd.url);
  await page.type('slow e');
  await page.says('word19');
  await isHeld();
  await page.context.setOffline(true);
  await page.turn.locator('.progress', { hasText: 'You are offline' }).waitFor();
  model.release();
  assert.equal(await page.answer(), firstWords);
  await page.context.setOffline(false);
  await page.comesTo('done');
  assert.equal(await page.answer(), LONG);
  page.forgive(/ERR_INTERNET_DISCONNECTED/);
  await page.close();
});

test('two tabs hear one run, each all of it', async () => {
  const page = await Page.open(askd.url);
  await page.type('slow f');
  await page.says('word19');
  await isHeld();
  const other = new Page(page.context, await page.context.newPage());
  await other.visit(page.page.url());
  await other.says('word19');
  model.release();
  await page.comesTo('done');
  await other.comesTo('done');
  assert.equal(await page.answer(), LONG);
  assert.equal(await other.answer(), LONG);
  await page.close();
  assert.deepEqual(other.complaints, []);
});

test('the graph lights up, with its sub-graph, times and a retry', async () => {
  const page = await Page.open(askd.url);
  await page.find('.graph[aria-label^="Graph orchestrator"]').waitFor();
  assert.equal(await page.find('.node[data-state="done"]').count(), 0);
  await page.ask('something mistaken');
  const state = (graph, node) => page.find(`.graph-part:has(h3:text-is("${graph}")) .node:has(.node-name:text-is("${node}"))`).getAttribute('data-state');
  for (const node of ['start', 'Classify', 'SQL agent', 'Finalize', 'end'])
    assert.equal(await state('orchestrator', node), 'done', node);
  assert.equal(await state('orchestrator', 'RAG agent'), 'idle');
  for (const node of ['SQL generator', 'Correction agent', 'Executor'])
    assert.equal(await state('sql_agent', node), 'done', node);
  assert.match(await page.find('.retries').innerText(), /Correction, 1 retry/);
  assert.match(await page.turn.locator('.facts').innerText(), /1 retry/);
  assert.match(await page.find('.node:has(.node-name:text-is("SQL agent")) .node-time').textContent(), /ms| s/);
  assert.equal(await page.find('.node:has(.node-name:text-is("Pre validation")) .node-visits').textContent(), '×2');
  await page.find('.node:has(.node-name:text-is("Executor"))').click();
  assert.match(await page.find('.steps details[open] pre').innerText(), /structured_result/);
  await page.close();
});

test('what the server refuses is said, and can be asked again', async () => {
  const page = await Page.open(askd.url);
  await page.page.route('**/internal/chat/stream', route => route.fulfill({
    status: 503, contentType: 'application/problem+json', body: JSON.stringify({ title: 'Overloaded', detail: 'no place is free', code: 'overloaded' }),
  }));
  await page.ask('Why is the sky blue?', 'failed');
  assert.match(await page.turn.locator('.error').innerText(), /Overloaded\s+no place is free/);
  await page.page.unroute('**/internal/chat/stream');
  await page.turn.getByRole('button', { name: 'Ask again' }).click();
  await page.comesTo('done');
  page.forgive(/503/);
  await page.close();
});

test('rows of companies, and nothing says whose are meant: it is asked before anything is', async () => {
  const nobody = await startAskd({ mock: model });
  const page = await Page.open(nobody.url), dialog = page.find('#settings[open]');
  await dialog.getByText('say whose you ask about').waitFor();
  await page.page.keyboard.press('Escape');
  await page.type('Orders by status');
  await dialog.getByLabel('Company').fill('acme');
  await page.page.keyboard.press('Enter');
  await page.comesTo('done');
  assert.match(await page.find('#caller').innerText(), /guest at acme/);
  await page.close();
});

test('a key is asked for where the server has some, and used', async () => {
  const locked = await startAskd({ mock: model, env: { ASKD_PAGE_COMPANY_ID: 'acme', ASKD_API_KEYS: 'k-1234567890' } });
  const page = await Page.open(locked.url, { greeted: false });
  await page.find('#settings[open]').waitFor();
  await page.page.getByLabel('Key').fill('k-1234567890');
  await page.page.keyboard.press('Enter');
  await page.greeted();
  await page.ask('Why is the sky blue?');
  page.forgive(/401/);
  await page.close();
});
