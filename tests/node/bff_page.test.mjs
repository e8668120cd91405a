// SPDX-License-Identifier: MIT
// tests/node/bff_page.test.mjs - the example BFF's page in Chromium: logged in, <askd-chat> behind the BFF and through an
// nginx that compresses, and at askd's own address with tokens of the BFF; charts, rows, sources, options, approvals,
// history; stopped, heard to its end after a reload.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { nginxPath, startBff, startNginx } from './lib/bff.mjs';
import { askdCommand, startAskd, tempPath } from './lib/harness.mjs';
import { assertLooks, assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';
import { PageModel } from './lib/page_model.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const words = (name, count) => Array.from({ length: count }, (_, i) => `${name}${i}`).join(' ');
const LONG = words('word', 60);
const STATUS = '```sql\nSELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status\n```';
const model = await new PageModel([
  { ...line('general', LONG, { user: 'long' }), hold: 20 }, { ...line('general', LONG, { user: 'stopped' }), hold: 20 },
  line('classify', 'RAG', { user: 'how is overtime paid' }), line('rag', 'At one and a half times the rate. [1]'), // before what it may be asked after
  line('classify', 'SQL', { user: 'orders' }), line('tables', '["workOrder"]'), line('generate', STATUS), line('answer', 'There are some.'),
  line('classify', 'GENERAL'), line('general', 'The sky is blue.'),
]).start();
after(() => model.stop());

const store = `sqlite:${tempPath('documents.db')}`, documents = { ASKD_VECTOR_URL: store, ASKD_KEYWORD_URL: store };
mkdirSync(tempPath('docs'));
writeFileSync(tempPath('docs/manual.md'), '# Manual\n\n## Overtime\n\nOvertime is paid at one and a half times the hourly rate.\n');
assert.equal((await askdCommand(['docs', 'add', tempPath('docs/manual.md')], { env: { ...documents, ASKD_MODEL: 'offline' } })).code, 0);
const kept = name => ({ ...documents, ASKD_CHECKPOINT_URL: `sqlite:${tempPath(`${name}.db`)}` });

const askd = await startAskd({ mock: model, env: { ASKD_API_KEYS: 'key-of-the-bff', ...kept('plain') } });
const bff = await startBff(askd);

const open = async (url, options) => {
  const page = await Page.open(url, { greeted: false, ...options });
  await page.page.getByLabel('Name').fill('ana');
  await page.page.getByLabel('Password').fill('ana');
  await page.page.getByRole('button', { name: 'Log in' }).click();
  await page.find('askd-chat .suggestion, askd-chat article').first().waitFor();
  return page;
};
const ask = async (page, text) => {
  await page.page.getByLabel('Your question').fill(text);
  await page.page.keyboard.press('Enter');
};
const turn = page => page.find('askd-chat article').last();
const comesTo = (page, state, count) => until(`${count} turns, the last ${state}`, async () =>
  await page.find('askd-chat article').count() === count && await turn(page).getAttribute('data-state') === state);
const says = (page, text) => turn(page).locator('.markdown', { hasText: text }).waitFor();

const assertWhole = async page => {
  await ask(page, 'orders by status');
  await comesTo(page, 'done', 1);
  await turn(page).locator('.chart .drawing svg').waitFor();
  await turn(page).getByRole('tab', { name: 'Rows' }).click();
  assert.ok(await turn(page).locator('tbody tr').count() > 2);
  await ask(page, 'how is overtime paid?');
  await comesTo(page, 'done', 2);
  await turn(page).locator('.cite').click();
  await page.find('askd-chat dialog[open]', { hasText: 'one and a half times' }).waitFor();
  await page.page.keyboard.press('Escape');
  await page.page.reload();
  await comesTo(page, 'done', 2);
  await page.find('askd-chat article').first().locator('.chart .drawing svg').waitFor();
  await page.page.getByRole('button', { name: 'New conversation' }).click();
  await until('it is empty', async () => await page.find('askd-chat article').count() === 0);
  await page.page.getByRole('button', { name: 'Earlier conversations' }).click();
  await page.page.getByRole('menuitem', { name: 'orders by status' }).click();
  await comesTo(page, 'done', 2);
};

test('behind the BFF: chart, rows, source, history', async () => {
  const page = await open(bff.url);
  assert.equal(await page.find('#who').innerText(), 'ana, acme');
  await assertLooksEverywhere(page, 'the page of the BFF');
  await assertWhole(page);
  await assertLooksEverywhere(page, 'a conversation in the page of the BFF');
  const asked = await page.page.evaluate(() => performance.getEntriesByType('resource').map(one => new URL(one.name).origin));
  assert.deepEqual([...new Set(asked)], [bff.url], 'the browser knows of no askd');
  await page.close();
});

test('through nginx, compressed: words while the model speaks; a reload goes on', { skip: !nginxPath && 'no nginx' }, async () => {
  const page = await open(await startNginx(bff.url));
  await ask(page, 'a long story');
  await says(page, 'word19');
  await until('the model holds', () => model.held.length > 0);
  assert.ok(!(await turn(page).innerText()).includes('word20 '));
  await page.page.reload();
  await says(page, 'word19');
  model.release();
  await comesTo(page, 'done', 1);
  assert.ok((await turn(page).innerText()).includes(LONG), 'nothing lost, nothing twice');
  await page.close();
});

test('stopped: the model is left, the words stay', async () => {
  const page = await open(bff.url);
  await page.page.getByRole('button', { name: 'New conversation' }).click();
  await ask(page, 'to be stopped');
  await says(page, 'word19');
  await until('the model holds', () => model.held.length > 0);
  await page.page.getByRole('button', { name: 'Stop' }).click();
  await comesTo(page, 'stopped', 1);
  assert.match(await turn(page).innerText(), /word19/);
  model.release();
  await page.close();
});

test('a statement that waits is allowed, also after a reload; options are chosen from', async () => {
  const careful = await startAskd({ mock: model, env: { ASKD_API_KEYS: 'key-of-the-bff', ASKD_SQL_APPROVAL: 'always', ...kept('careful') } });
  const page = await open((await startBff(careful)).url);
  await ask(page, 'orders by status');
  await comesTo(page, 'waiting', 1);
  await page.page.reload();
  await turn(page).getByRole('button', { name: 'Run it' }).click();
  await comesTo(page, 'done', 1);
  await turn(page).locator('.chart .drawing svg').waitFor();
  await page.close();
  const offline = await startAskd({ env: { ASKD_API_KEYS: 'key-of-the-bff', ASKD_MODEL: 'offline', ...kept('offline') } });
  const other = await open((await startBff(offline)).url, { viewport: { width: 390, height: 844 } });
  await ask(other, 'Show the names of clients');
  await comesTo(other, 'done', 1);
  await turn(other).locator('.option').nth(1).click();
  await comesTo(other, 'done', 2);
  assert.ok(await turn(other).locator('tbody tr').count() > 2);
  assert.ok(await other.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await assertLooks(other, 'on a telephone');
  await other.close();
});

const tokenOf = async one => {
  await one.logIn();
  return (await (await one.post('/api/token', {})).json()).token;
};

test('askd at an address of its own, with tokens of the BFF', async () => {
  const port = await new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(tempPath('auth.json'), JSON.stringify({ issuers: [{ issuer: url, audience: 'askd', jwks_url: `${url}/jwks.json`, claims: { company: '/org', user: '/sub' } }] }));
  const settings = { BFF_ISSUER: url, BFF_PORT: String(port), BFF_TOKEN_KEY_FILE: tempPath('bff.pem') };
  const first = await startBff({ url }, { ...settings, ASKD_PUBLIC_URL: url }); // askd asks it for its keys
  const direct = await startAskd({ mock: model, env: { ASKD_AUTH_FILE: tempPath('auth.json'), ASKD_CORS_ORIGINS: url, ...kept('direct') } });
  await until('askd has the keys', async () => (await direct.fetch('/internal/about', { headers: { authorization: `Bearer ${await tokenOf(first)}` } })).status === 200);
  await first.stop();
  await startBff(direct, { ...settings, ASKD_PUBLIC_URL: direct.url }); // its tokens are as good: the key is in the file
  const page = await open(url);
  await assertWhole(page);
  const asked = await page.page.evaluate(() => performance.getEntriesByType('resource').filter(one => one.name.includes('/internal/')).map(one => new URL(one.name).origin));
  assert.deepEqual([...new Set(asked)], [direct.url]);
  await page.close();
});

test('a wrong password is told, and nobody is in', async () => {
  const page = await Page.open(bff.url, { greeted: false });
  await page.page.getByLabel('Name').fill('ana');
  await page.page.getByLabel('Password').fill('wrong');
  await page.page.getByRole('button', { name: 'Log in' }).click();
  await page.find('#refused:not(:empty)').waitFor();
  assert.equal(await page.page.getByLabel('Your question').count(), 0);
  page.forgive(/401/);
  await page.close();
});
