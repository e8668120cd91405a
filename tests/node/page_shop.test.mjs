// SPDX-License-Identifier: MIT
// tests/node/page_shop.test.mjs - the page at / on a database that is not the sample: what people do with answers, results,
// charts, tables and history there; and at three widths, light and dark, nothing cut, nothing on another thing, axe.
// ASKD_TEST_PICTURES names a folder that gets the pictures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAskd, tempPath } from './lib/harness.mjs';
import { assertLooks } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';
import { until } from './lib/process.mjs';
import { makeShop, shopSettings } from './lib/shop.mjs';

const askd = await startAskd({ database: makeShop('shop.db'), env: { ...shopSettings, ASKD_PAGE_COMPANY_ID: 'shop', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const TOP = 'Which 5 customers have the most orders?', MONTHS = 'Total freight of orders per month', LIST = 'list all orders', KINDS = 'How many orders are there by ship status?';

test('the questions that it begins with are answered', async () => {
  const page = await Page.open(askd.url);
  const offered = await page.find('#examples button').allInnerTexts();
  assert.ok(offered.length >= 3, offered.join());
  for (const question of offered) {
    await page.ask(question);
    await page.tab('Rows').click();
    assert.ok(await page.turn.locator('tbody tr').count() > 0, question);
    assert.deepEqual(await page.turn.locator('.note:visible').allInnerTexts(), [], question);
  }
  await page.close();
});

test('rows: keys have names, days the reader’s form; whole, searched, sorted', async () => {
  const page = await Page.open(askd.url, { locale: 'de-DE' });
  await page.page.evaluate(() => localStorage.setItem('askd.language', 'en'));
  await page.page.reload();
  await page.greeted();
  await page.ask(LIST);
  const column = async name => {
    const at = await page.turn.locator('th').evaluateAll((heads, wanted) => heads.findIndex(head => head.dataset.column === wanted), name);
    return page.turn.locator(`tbody td:nth-child(${at + 1})`).allInnerTexts();
  };
  await until('customers have names', async () => /^[A-Z][a-zè]+.* [A-Z]{5}$/.test((await column('customer_id'))[0]));
  assert.match((await column('order_date'))[0], /^(\d+ )?[A-Z][a-z]{2}( \d+,)? 20\d\d$/);
  assert.equal((await column('order_id'))[0].length, 5, 'a key is not written in groups');
  await page.turn.getByRole('button', { name: 'Load all' }).click();
  await page.turn.locator('.rows .count', { hasText: '400 rows' }).waitFor();
  await page.turn.getByLabel('Search these rows').fill('drachenblut');
  assert.match(await page.turn.locator('.rows .count').innerText(), /^\d+ of 400 rows$/, 'by the name of the key');
  await page.close();
});

test('a chart by touch: what a tap shows stays; other kinds; why', async () => {
  const page = await Page.open(askd.url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.ask(MONTHS);
  await page.turn.locator('.drawing svg').waitFor();
  await page.turn.locator('.stage').scrollIntoViewIfNeeded();
  const box = await page.turn.locator('.stage').boundingBox();
  await page.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  await page.turn.locator('.tip').waitFor();
  assert.match(await page.turn.locator('.tip').innerText(), /^20\d\d-\d\d\s+Total freight · [\d.,]+$/);
  for (const kind of ['bar', 'area', 'histogram'])
    await page.turn.getByLabel('Kind of chart').selectOption(kind);
  await page.turn.locator('figure.chart-histogram rect.mark').first().waitFor();
  await page.turn.getByRole('button', { name: 'Why' }).click();
  assert.match(await page.turn.locator('.why-note').innerText(), /^It understood “freight” as freight, “orders” as orders\. It read orders;/);
  await page.close();
});

test('options are cards, each once, and one is chosen', async () => {
  const page = await Page.open(askd.url);
  await page.ask('Who are our top customers?');
  const texts = await page.turn.locator('.option').allInnerTexts();
  assert.ok(texts.length > 1, texts.join());
  for (const text of texts)
    assert.equal((await page.turn.innerText()).split(text).length - 1, 1, `once: ${text}`);
  await page.turn.locator('.option').first().click();
  await until('it is answered', async () => await page.find('#turns article').count() === 2);
  await page.comesTo('done');
  await page.tab('Rows').waitFor();
  await page.close();
});

test('what is refused is said once; what is sent while an answer comes is not lost, and that is said', async () => {
  const page = await Page.open(askd.url);
  await page.ask('Delete all orders');
  assert.equal((await page.turn.locator('.answer').innerText()).match(/only reads data/g).length, 1);
  await page.page.route('**/internal/chat/stream', async route => {
    await until('the second was sent', async () => /still comes/.test(await page.find('#hint').innerText()));
    await route.continue();
  });
  await page.type(KINDS);
  await page.type('How many customers are there?');
  await page.find('#hint', { hasText: 'An answer still comes' }).waitFor();
  assert.equal(await page.find('#question').inputValue(), 'How many customers are there?');
  await page.comesTo('done');
  await page.find('#hint', { hasText: 'Enter asks' }).waitFor();
  await page.close();
});

test('history: an old turn looks as it did; branches have numbers', async () => {
  const page = await Page.open(askd.url);
  await page.ask(TOP);
  const id = new URL(page.page.url()).hash.slice(1), look = async one => {
    const said = {};
    for (const name of ['Chart', 'Rows', 'SQL']) {
      await one.tab(name).click();
      said[name] = await one.turn.locator('.results').innerText();
    }
    return said;
  };
  const kept = async () => (await (await askd.fetch('/internal/conversations?company_id=shop&user_id=guest')).json()).conversations;
  await until('it is kept', async () => (await kept()).some(one => one.conversation_id === id));
  const other = await Page.open(`${askd.url}/#${id}`);
  await other.comesTo('done');
  await until('the same', async () => JSON.stringify(await look(other)) === JSON.stringify(await look(page)));
  await other.close();
  for (let times = 0; times < 2; times++) {
    await page.turn.getByRole('button', { name: 'Fork' }).click();
    await until('it is another', async () => new URL(page.page.url()).hash.slice(1) !== id);
    await page.page.getByRole('button', { name: TOP, exact: true }).first().click();
    await until('back', async () => new URL(page.page.url()).hash.slice(1) === id);
  }
  await until('both branches are listed', async () => {
    const titles = await page.find('#conversations .conversation').allInnerTexts();
    return [`${TOP} (branch)`, `${TOP} (branch 2)`].every(title => titles.includes(title));
  });
  await page.close();
});

const STATES = {
  chart: page => page.ask(TOP), line: page => page.ask(MONTHS),
  rows: async page => {
    await page.ask(LIST);
    await until('names are there', async () => /[a-z] [A-Z]{5}/.test(await page.turn.locator('tbody').innerText()));
  },
  edited: async page => {
    await page.tab('SQL').click();
    await page.turn.getByRole('button', { name: 'Edit' }).click();
    await page.turn.locator('.sql-edit').getByRole('button', { name: 'Run' }).click();
    await page.turn.locator('.edited-result tbody tr').first().waitFor();
  },
  options: page => page.ask('Who are our top customers?'), refused: page => page.ask('Delete all orders'),
  tables: async page => {
    await page.clickInDrawer('#open-browser');
    await page.find('.known-table summary', { hasText: 'orders' }).click();
    await page.find('.known-table[open]').getByRole('button', { name: 'Some rows' }).click();
    await page.find('.known-table[open] tbody tr').first().waitFor();
  },
};

for (const [width, colorScheme] of [[390, 'light'], [390, 'dark'], [768, 'light'], [768, 'dark'], [1440, 'light'], [1440, 'dark']])
  test(`${width} px, ${colorScheme}: nothing is cut, nothing lies on another thing`, async () => {
    const page = await Page.open(askd.url, { viewport: { width, height: 900 }, colorScheme, ...width < 500 && { hasTouch: true, isMobile: true } });
    await page.find('#examples button').first().waitFor();
    await assertLooks(page, `empty ${width} ${colorScheme}`);
    for (const [name, show] of Object.entries(STATES)) {
      await show(page);
      await assertLooks(page, `${name} ${width} ${colorScheme}`);
    }
    await page.close();
  });
