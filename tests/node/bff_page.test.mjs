// SPDX-License-Identifier: MIT
// tests/node/bff_page.test.mjs - the example BFF's chat page in Chromium, through nginx with compression:
// logged in, a question typed, its answer streamed, stopped, heard to its end after a reload.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { nginxPath, startBff, startNginx } from './lib/bff.mjs';
import { startAskd } from './lib/harness.mjs';
import { Page } from './lib/page.mjs';
import { PageModel } from './lib/page_model.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const words = (name, count) => Array.from({ length: count }, (_, i) => `${name}${i}`).join(' ');
const LONG = words('word', 60);
const model = await new PageModel([
  { ...line('general', LONG, { user: 'long' }), hold: 20 }, { ...line('general', LONG, { user: 'stopped' }), hold: 20 },
  line('classify', 'SQL', { user: 'orders' }), line('tables', '["workOrder"]'),
  line('generate', '```sql\nSELECT COUNT(*) AS orders FROM workOrder\n```'), line('answer', 'There are some.'),
  line('classify', 'GENERAL'), line('general', 'The sky is blue.'),
]).start();
after(() => model.stop());
const askd = await startAskd({ mock: model, env: { ASKD_API_KEYS: 'key-of-the-bff' } });
const bff = await startBff(askd);
if (!nginxPath) {
  console.log('no nginx');
  process.exit(77);
}
const url = await startNginx(bff.url);

const open = async () => {
  const page = await Page.open(url, { greeted: false });
  await page.page.getByLabel('Name').fill('ana');
  await page.page.getByLabel('Password').fill('ana');
  await page.page.getByRole('button', { name: 'Log in' }).click();
  await page.page.getByLabel('Your question').waitFor();
  return page;
};
const ask = async (page, text) => {
  await page.page.getByLabel('Your question').fill(text);
  await page.page.keyboard.press('Enter');
};
const answer = page => page.find('#messages li.answer:last-child');
const says = (page, text) => answer(page).filter({ hasText: text }).waitFor();
const isReady = page => page.page.locator('#send:not([disabled])').waitFor();

test('a typed question, its answer, the statement', async () => {
  const page = await open();
  assert.equal(await page.find('#who').innerText(), 'ana, acme');
  await ask(page, 'how many orders are there?');
  await says(page, 'There are some.');
  await isReady(page);
  assert.match(await answer(page).locator('pre').innerText(), /COUNT\(\*\)/);
  await ask(page, 'why is the sky blue?');
  await says(page, 'The sky is blue.');
  assert.equal(await page.find('#messages li').count(), 4);
  await page.close();
});

test('words come while the model still speaks, through compression; a reload goes on by EventSource', async () => {
  const page = await open();
  await ask(page, 'a long story');
  await says(page, 'word19');
  await until('the model holds', () => model.held.length > 0);
  assert.ok(!(await answer(page).innerText()).includes('word20 '));
  await page.page.reload();
  await says(page, 'word19');
  model.release();
  await says(page, 'word59');
  await isReady(page);
  assert.ok((await answer(page).innerText()).includes(LONG), 'nothing lost, nothing twice');
  await page.close();
});

test('stopped: the model is left, the words stay', async () => {
  const page = await open();
  await ask(page, 'to be stopped');
  await says(page, 'word19');
  await until('the model holds', () => model.held.length > 0);
  await page.page.getByRole('button', { name: 'Stop' }).click();
  await isReady(page);
  assert.match(await answer(page).innerText(), /word19/);
  assert.ok(await answer(page).evaluate(item => item.classList.contains('failed')));
  await page.close();
});

test('a wrong password is told, and nobody is in', async () => {
  const page = await Page.open(url, { greeted: false });
  await page.page.getByLabel('Name').fill('ana');
  await page.page.getByLabel('Password').fill('wrong');
  await page.page.getByRole('button', { name: 'Log in' }).click();
  await page.find('#refused:not(:empty)').waitFor();
  assert.ok(!await page.page.getByLabel('Your question').isVisible());
  page.complaints.length = 0; // the browser notes the 401
  await page.close();
});
