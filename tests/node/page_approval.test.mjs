// SPDX-License-Identifier: MIT
// tests/node/page_approval.test.mjs - the page in Chromium when a run waits for a person: the statement is
// approved, edited or refused, also after a reload, in another browser, or when the answer to that is lost;
// nothing runs before.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startAskd, tempPath } from './lib/harness.mjs';
import { assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';
import { PageModel } from './lib/page_model.mjs';
import { line } from './lib/scripts.mjs';

const STATUS = 'SELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status';
const model = await new PageModel([
  line('classify', 'SQL'), line('tables', '["workOrder"]'), line('generate', `\`\`\`sql\n${STATUS}\n\`\`\``),
  line('correct', `\`\`\`sql\n${STATUS}\n\`\`\``), line('answer', 'That is **what** there is.'),
]).start();
after(() => model.stop());
const askd = await startAskd({ mock: model, env: {
  ASKD_PAGE_COMPANY_ID: 'acme', ASKD_SQL_APPROVAL: 'always', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('approvals.db')}`,
} });

const statements = () => askd.metric('askd_sql_queries_total');
const approval = page => page.turn.locator('.approval');
const press = (page, name) => approval(page).getByRole('button', { name, exact: true }).click();

test('approved: it runs, and only then', async () => {
  const page = await Page.open(askd.url);
  await page.ask('How many orders by status?', 'waiting');
  assert.match(await approval(page).getByLabel('The statement that waits').innerText(), /COUNT\(\*\) AS orders/);
  assert.match(await page.find('#status').innerText(), /waits for your answer/);
  assert.equal(await page.tab('Rows').count(), 0);
  assert.ok(await page.find('.graph .node[data-state="waiting"]').count() > 0);
  await assertLooksEverywhere(page, 'a statement that waits');
  await press(page, 'Run it');
  await page.comesTo('done');
  assert.equal(await page.answer(), 'That is what there is.');
  await page.tab('Rows').click();
  assert.ok(await page.turn.locator('tbody tr').count() > 1);
  assert.equal(await approval(page).count(), 0);
  await page.close();
});

test('edited: the other statement runs, past the guard like any other', async () => {
  const page = await Page.open(askd.url);
  await page.ask('How many orders by status?', 'waiting');
  await press(page, 'Edit');
  const shown = await approval(page).locator('textarea').inputValue(); // what is begun with passes again
  await approval(page).locator('textarea').fill(shown.replace('AS orders', 'AS all_orders'));
  await assertLooksEverywhere(page, 'a statement that is edited');
  await press(page, 'Run this instead');
  await page.comesTo('done');
  await page.tab('SQL').click();
  assert.match(await page.turn.locator('pre.sql').innerText(), /all_orders/);
  await page.close();
});

test('edited into something that the guard refuses: it is asked again, saying why', async () => {
  const page = await Page.open(askd.url);
  await page.ask('How many orders by status?', 'waiting');
  await press(page, 'Edit');
  await approval(page).locator('textarea').fill('DELETE FROM workOrder');
  await press(page, 'Run this instead');
  await approval(page).locator('.error').waitFor();
  assert.ok((await approval(page).locator('.error').innerText()).length > 10);
  await press(page, 'Refuse');
  await page.comesTo('done');
  assert.match(await page.answer(), /not run/);
  await page.close();
});

test('refused after a reload: it says so, and nothing ran', async () => {
  const before = await statements();
  const page = await Page.open(askd.url);
  await page.ask('How many orders by status?', 'waiting');
  await page.page.reload();
  await page.greeted();
  await approval(page).waitFor();
  await press(page, 'Refuse');
  await page.comesTo('done');
  assert.match(await page.answer(), /not run/);
  assert.equal(await page.tab('Rows').count(), 0);
  assert.ok(await statements() - before <= 1, 'at most its plan was asked for');
  await page.close();
});

test('another browser shows what is asked and answers it; this one then hears of that', async () => {
  const page = await Page.open(askd.url);
  await page.ask('Which orders wait elsewhere?', 'waiting');
  await press(page, 'Run it');
  await page.comesTo('done');
  await page.ask('And once more?', 'waiting');
  const other = await Page.open(askd.url);
  await other.page.getByRole('button', { name: 'Which orders wait elsewhere?', exact: true }).click();
  await other.comesTo('waiting');
  assert.equal(await other.find('#turns article').count(), 2);
  assert.match(await approval(other).getByLabel('The statement that waits').innerText(), /COUNT\(\*\) AS orders/);
  await press(other, 'Run it');
  await other.comesTo('done');
  assert.equal(await other.answer(), 'That is what there is.');
  await other.close();
  await press(page, 'Refuse'); // too late
  await page.comesTo('done');
  assert.equal(await page.answer(), 'That is what there is.');
  assert.equal(await page.find('#turns .error').count(), 0);
  await page.complains(/409/);
  await page.close();
});

test('the connection is lost before the first byte of what was approved: its end is shown all the same', async () => {
  const page = await Page.open(askd.url);
  await page.ask('How many orders by status?', 'waiting');
  await page.page.route(/\/resume\?/, async route => {
    await route.fetch();
    await route.abort('connectionreset');
  }, { times: 1 });
  await press(page, 'Run it');
  await page.comesTo('done');
  assert.equal(await page.answer(), 'That is what there is.');
  assert.equal(await page.find('#turns .error').count(), 0);
  await page.complains(/ERR_CONNECTION_RESET|409/);
  await page.close();
});
