// SPDX-License-Identifier: MIT
// tests/node/page_judging.test.mjs - an answer on the page at / is judged, corrected, told in a sentence; its statement is
// changed and run; tables are looked at; what may be asked next is offered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, sourceDir, startAskd, tempPath } from './lib/harness.mjs';
import { assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';
import { until } from './lib/process.mjs';

const askd = await startAskd({ env: { ASKD_PAGE_COMPANY_ID: 'acme', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const TOP = 'Which 5 customers have the most work orders?';

test('thumbs and a correction reach the server', async () => {
  const page = await Page.open(askd.url), sent = [];
  page.page.on('response', answer => answer.url().includes('/feedback') && sent.push([answer.status(), JSON.parse(answer.request().postData())]));
  await page.ask(TOP);
  const up = page.turn.getByRole('button', { name: 'This is right' }), down = page.turn.getByRole('button', { name: 'This is wrong' });
  await up.click();
  await until('it is kept', async () => await up.getAttribute('aria-pressed') === 'true');
  await up.click();
  await until('it is taken back', async () => await up.getAttribute('aria-pressed') === 'false');
  await down.click();
  await page.page.getByLabel('What is wrong?').fill('cancelled ones count, too');
  await page.page.getByLabel('The statement that is right').fill("SELECT COUNT(*) FROM workOrder WHERE status <> 'cancelled'");
  await assertLooksEverywhere(page, 'a correction');
  await page.page.getByRole('button', { name: 'Send' }).click();
  await until('it is kept', async () => await down.getAttribute('aria-pressed') === 'true');
  await until('all three were heard of', () => sent.length >= 3);
  assert.deepEqual(sent, [[200, { score: 1 }], [200, { score: 0 }],
    [200, { score: -1, reason: 'cancelled ones count, too', sql: "SELECT COUNT(*) FROM workOrder WHERE status <> 'cancelled'" }]]);
  const other = await Page.open(page.page.url()); // another browser
  await until('it was judged there, too', async () => await other.turn.getByRole('button', { name: 'This is wrong' }).getAttribute('aria-pressed') === 'true');
  await other.close();
  await page.close();
});

test('why: what the statement did, in a sentence', async () => {
  const page = await Page.open(askd.url);
  await page.ask(TOP);
  const why = page.turn.getByRole('button', { name: 'Why' });
  await why.click();
  assert.equal(await why.getAttribute('aria-expanded'), 'true');
  const said = await page.turn.locator('.why-note').innerText();
  assert.match(said, /^It understood “customers” as customer, “work orders” as workOrder\. It read workOrder, joined with customer where customer\.id = workOrder\.customerId; in groups by customer\.name, customer\.id; ordered by .*; at most 5 of them\.$/);
  await why.click();
  assert.equal(await page.turn.locator('.why-note').isVisible(), false);
  await page.close();
});

test('a statement is changed and run; what the guard refuses is said', async () => {
  const page = await Page.open(askd.url);
  await page.ask(TOP);
  await page.tab('SQL').click();
  await page.turn.getByRole('button', { name: 'Edit' }).click();
  const input = page.turn.getByLabel('The statement', { exact: true }), run = page.turn.locator('.sql-edit').getByRole('button', { name: 'Run' });
  assert.match(await input.inputValue(), /^SELECT t2\.name, t2\.id, COUNT\(\*\) AS workOrder_count\nFROM workOrder AS t1/, 'as it was written, without what the guard added');
  await input.fill('SELECT number FROM workOrder ORDER BY id LIMIT 3');
  await run.click();
  await page.turn.locator('.edited-result tbody tr').first().waitFor();
  assert.deepEqual(await page.turn.locator('.edited-result tbody td').allInnerTexts(), ['WO-1001', 'WO-1002', 'WO-1003']);
  await assertLooksEverywhere(page, 'a changed statement');
  await input.fill('DELETE FROM workOrder');
  await run.click();
  await page.turn.locator('.edited-result .error', { hasText: 'only a SELECT' }).waitFor();
  page.forgive(/422/);
  await page.close();
});

test('tables and columns, some rows, a question about them', async () => {
  const page = await Page.open(askd.url);
  await page.page.getByRole('button', { name: 'Tables and columns' }).click();
  const tables = page.find('.known-table');
  await until('they are there', async () => await tables.count() === 15);
  await page.page.getByLabel('Search tables and columns').fill('estimated');
  assert.deepEqual(await page.find('.known-table:visible summary code').allInnerTexts(), ['workOrder']);
  const orders = page.find('.known-table:visible');
  await orders.locator('summary').click();
  assert.match(await orders.locator('.columns').innerText(), /Customer id\s+customerId\s+integer · → customer/);
  await orders.getByRole('button', { name: 'Some rows' }).click();
  await orders.locator('tbody tr').first().waitFor();
  assert.equal(await orders.locator('tbody tr').count(), 8);
  await assertLooksEverywhere(page, 'tables');
  assert.ok(await page.find('#passage').evaluate(dialog => dialog.scrollWidth <= dialog.clientWidth));
  await orders.getByRole('button', { name: 'Ask about it' }).click();
  assert.equal(await page.find('#question').inputValue(), 'How many work orders are there?');
  await page.page.keyboard.press('Enter');
  await page.comesTo('done');
  await page.close();
});

test('what may be asked next is offered, and answered', async () => {
  const page = await Page.open(askd.url);
  await page.ask('How many work orders are there?');
  const offered = page.turn.locator('.suggestion');
  await offered.first().waitFor();
  const texts = await offered.allInnerTexts();
  assert.ok(texts.length >= 2 && texts.every(text => /work orders/.test(text)), texts.join());
  await assertLooksEverywhere(page, 'suggestions');
  await offered.first().click();
  await page.comesTo('done');
  assert.equal(await page.find('#turns article').count(), 2);
  await page.turn.locator('.suggestion').first().waitFor();
  assert.ok(!(await page.turn.locator('.suggestion').allInnerTexts()).includes(texts[0]), 'not what was asked');
  assert.equal(await page.find('#turns article:first-child .suggestion').count(), 0, 'of the newest answer alone');
  await page.close();
});

test('what may be asked next: of the first row, and of the semantic file', async () => {
  const page = await Page.open(askd.url);
  await page.ask(TOP);
  await page.tab('Rows').click();
  const name = await page.turn.locator('tbody tr').first().locator('td').first().innerText(), question = `How many work orders of ${name} are there by status?`;
  await page.turn.locator('.suggestion', { hasText: question }).click();
  await until('it is asked', async () => await page.find('#turns article').count() === 2);
  await page.comesTo('done');
  await page.tab('SQL').click();
  assert.ok((await page.turn.locator('pre.sql').innerText()).includes(`= '${name}'`));
  await page.close();

  const knowing = await startAskd({ env: { ASKD_SEMANTIC: `${sourceDir}/samples/semantic.json` } });
  const suggest = async query => (await (await knowing.fetch(`/internal/suggestions?company_id=acme&user_id=u&${new URLSearchParams(query)}`)).json()).suggestions;
  assert.ok((await suggest({ tables: 'workTime' })).includes('Show billable hours per month'));
  const all = await suggest({ tables: 'workOrder,customer', column: 'name', value: name });
  assert.deepEqual(all.slice(0, 3), [question, 'Which 5 work orders overran most?', 'Show backlog per month']);
  for (const message of all)
    assert.ok((await knowing.ask(message, { conversation: newConversation() })).complete().data.rows.length > 0, message);
  for (const none of [{ tables: 'workOrder', column: 'name', value: name }, { tables: 'customer', column: 'passwordHash', value: name }, { tables: 'customer', column: 'name', value: 'x'.repeat(81) }, { tables: 'customer', column: 'name', value: '' }])
    assert.ok(!(await suggest(none)).some(text => / of .* are there/.test(text)), JSON.stringify(none));
});

test('the last question comes back with ArrowUp', async () => {
  const page = await Page.open(askd.url);
  await page.ask('How many work orders are there?');
  await page.find('#question').focus();
  await page.page.keyboard.press('ArrowUp');
  assert.equal(await page.find('#question').inputValue(), 'How many work orders are there?');
  await page.close();
});
