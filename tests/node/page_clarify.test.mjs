// SPDX-License-Identifier: MIT
// tests/node/page_clarify.test.mjs - the page at / in Chromium: a question that can be read in two ways comes
// back with a button for each; one is pressed, and the answer is of that reading. No model is needed for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAskd } from './lib/harness.mjs';
import { assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';

const OPEN = 'Show the names of clients';
const askd = await startAskd({ env: { ASKD_MODEL: 'offline', ASKD_PAGE_COMPANY_ID: 'acme' } });

const options = page => page.turn.getByRole('group', { name: 'What is meant' }).getByRole('button');

const statement = async page => {
  await page.tab('SQL').click();
  return page.turn.getByRole('tabpanel', { name: 'SQL' }).innerText();
};

test('each reading has a button, and the one pressed is asked and answered', async () => {
  const page = await Page.open(askd.url);
  await page.ask(OPEN);
  const texts = await options(page).allInnerTexts();
  assert.deepEqual(texts, ['The name of customers (table customers)', 'The name of customers (table customer)']);
  assert.equal(await page.turn.getByRole('tab').count(), 0, 'nothing was answered');
  assert.equal(await page.turn.locator('.note').count(), 0, 'the answer says it already');
  await assertLooksEverywhere(page, 'readings');
  await options(page).nth(1).click();
  await page.find('#turns article').nth(1).waitFor();
  await page.comesTo('done');
  assert.equal(await page.turn.locator('.question').innerText(), texts[1]);
  assert.match(await statement(page), /FROM secure_customer\b/);
  assert.equal(await options(page).count(), 0);
  await page.close();
});

test('each is a card that holds its text, on a telephone too', async () => {
  const page = await Page.open(askd.url, { viewport: { width: 390, height: 844 } });
  await page.ask(OPEN);
  const boxes = await Promise.all((await options(page).all()).map(async one => ({ ...await one.boundingBox(),
    isWhole: await one.evaluate(card => card.scrollHeight <= card.clientHeight && card.scrollWidth <= card.clientWidth) })));
  for (const [i, box] of boxes.entries()) {
    assert.ok(box.isWhole && box.height >= 44 && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    assert.ok(i === 0 || box.y >= boxes[i - 1].y + boxes[i - 1].height, 'one under the other');
  }
  await page.close();
});

test('buttons are reached and pressed by keyboard', async () => {
  const page = await Page.open(askd.url);
  await page.ask(OPEN);
  await options(page).first().focus();
  await page.page.keyboard.press('Enter');
  await page.find('#turns article').nth(1).waitFor();
  await page.comesTo('done');
  assert.match(await statement(page), /FROM customers\b/);
  await page.close();
});

test('after a reload they are still there, and still choose', async () => {
  const page = await Page.open(askd.url);
  await page.ask(OPEN);
  await page.page.reload();
  await page.comesTo('done');
  assert.equal(await options(page).count(), 2);
  await options(page).nth(1).click();
  await page.find('#turns article').nth(1).waitFor();
  await page.comesTo('done');
  assert.match(await statement(page), /FROM secure_customer\b/);
  await page.close();
});

test('an answer by number is as good', async () => {
  const page = await Page.open(askd.url);
  await page.ask(OPEN);
  await page.ask('1');
  await page.find('#turns article').nth(1).waitFor();
  await page.comesTo('done');
  assert.match(await statement(page), /FROM customers\b/);
  await page.close();
});
