// SPDX-License-Identifier: MIT
// tests/node/page_results.test.mjs - what people do with a result on the page at /: search, turn pages, copy a cell, load
// all, download; read a chart by mouse and keys, draw it otherwise, leave series out, look at it large, keep it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { askdCommand, sourceDir, startAskd, tempPath } from './lib/harness.mjs';
import { assertLooks, assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';
import { until } from './lib/process.mjs';
import { readZip } from './lib/zip.mjs';

const askd = await startAskd({ env: { ASKD_PAGE_COMPANY_ID: 'acme' } });
const cells = (page, i) => page.turn.locator(`tbody tr td:nth-child(${i})`).allInnerTexts();
const rows = page => page.turn.locator('tbody tr').count();
const count = page => page.turn.locator('.rows .count').innerText();
const downloaded = async (page, click) => {
  const [file] = await Promise.all([page.page.waitForEvent('download'), click()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
};

test('a cut result is loaded whole, searched, turned over, sorted across pages', async () => {
  const page = await Page.open(askd.url);
  await page.ask('list all work orders');
  assert.equal(await rows(page), 100);
  assert.equal(await count(page), 'The first 100 of 760 rows');
  await page.turn.getByRole('button', { name: 'Load all' }).click();
  await page.turn.locator('.rows .count', { hasText: '760 rows' }).waitFor();
  assert.equal(await rows(page), 100);
  await page.turn.getByRole('button', { name: 'Next page' }).click();
  assert.equal((await cells(page, 1))[0], 'WO-1101');
  await page.turn.locator('th[data-column="number"] .sort').click();
  await page.turn.locator('th[data-column="number"] .sort').click();
  assert.equal((await cells(page, 1))[0], 'WO-1760');
  await page.turn.getByLabel('Search these rows').fill('boiler');
  const titles = await cells(page, 2);
  assert.ok(titles.length > 10 && titles.every(title => /boiler/i.test(title)), titles.join());
  assert.match(await count(page), /^\d+ of 760 rows$/);
  await assertLooksEverywhere(page, 'searched rows');
  await page.close();
});

test('columns have titles, keys the names of what they refer to, days and numbers the reader’s form', async () => {
  const page = await Page.open(askd.url, { locale: 'de-AT' });
  await page.page.evaluate(() => localStorage.setItem('askd.language', 'en'));
  await page.page.reload();
  await page.greeted();
  await page.ask('list all work orders');
  await until('customers have names', async () => /\D+ \d+$/.test((await cells(page, 4))[0]));
  const heads = await page.turn.locator('th').allInnerTexts();
  assert.deepEqual(heads.slice(0, 6).map(text => text.trim()), ['Number', 'Title', 'Id', 'Customer', 'Customer location', 'Status']);
  assert.match((await cells(page, 9))[0], /Feb 12, 2025|12 Feb 2025/);
  await page.close();
});

test('a cell is chosen by click and by keys, and copied', async () => {
  const page = await Page.open(askd.url);
  await page.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: askd.url });
  await page.ask('list all work orders');
  const clip = () => page.page.evaluate(() => navigator.clipboard.readText());
  await page.turn.locator('tbody tr').nth(1).locator('td').first().click();
  await page.turn.getByRole('button', { name: 'Copy cell' }).click();
  await until('the cell is copied', async () => await clip() === 'WO-1002');
  await page.turn.locator('.table-scroll').focus();
  await page.page.keyboard.press('ArrowDown');
  await page.page.keyboard.press('Enter');
  await until('the cell below is copied', async () => await clip() === 'WO-1003');
  await assertLooksEverywhere(page, 'a chosen cell');
  await page.close();
});

test('names that come late take neither the chosen cell nor an open menu away', async () => {
  const page = await Page.open(askd.url);
  let release;
  const held = new Promise(resolve => {
    release = resolve;
  });
  await page.page.route('**/internal/tables?*', async route => {
    await held;
    await route.continue();
  });
  await page.ask('list all work orders');
  await page.turn.locator('tbody tr').nth(1).locator('td').nth(3).click();
  await page.turn.getByRole('button', { name: 'Copy cell' }).waitFor();
  await page.turn.getByRole('button', { name: 'Download' }).click();
  await page.turn.getByRole('menuitem', { name: 'CSV' }).waitFor();
  release();
  await until('customers have names', async () => /\D+ \d+$/.test((await cells(page, 4))[1]));
  assert.equal(await page.turn.locator('td.selected').innerText(), (await cells(page, 4))[1]);
  assert.ok(await page.turn.getByRole('button', { name: 'Copy cell' }).isVisible());
  assert.ok(await page.turn.getByRole('menuitem', { name: 'CSV' }).isVisible());
  await page.close();
});

test('the whole result as CSV, a workbook and JSON', async () => {
  const page = await Page.open(askd.url);
  await page.ask('list all work orders');
  const save = async kind => downloaded(page, async () => {
    await page.turn.getByRole('button', { name: 'Download' }).click();
    await page.turn.getByRole('menuitem', { name: kind }).click();
  });
  const csv = await save('CSV');
  assert.equal(csv.name, 'list-all-work-orders.csv');
  assert.equal(csv.bytes.toString().trim().split('\r\n').length, 761);
  const workbook = await save('Excel');
  assert.equal(readZip(workbook.bytes).get('xl/worksheets/sheet1.xml').toString().match(/<row>/g).length, 761);
  assert.equal(JSON.parse((await save('JSON')).bytes).rows.length, 760);
  await page.turn.getByRole('button', { name: 'Download' }).click();
  await assertLooksEverywhere(page, 'the menu');
  await page.page.keyboard.press('ArrowDown');
  assert.match(await page.page.evaluate(() => document.activeElement.textContent), /Excel/);
  await page.page.keyboard.press('Escape');
  assert.equal(await page.page.evaluate(() => document.activeElement.textContent), 'Download');
  await page.close();
});

test('a list of things is a table', async () => {
  const page = await Page.open(askd.url);
  await page.ask('Show the 10 newest accounts');
  assert.deepEqual(await page.turn.getByRole('tab').allInnerTexts(), ['Rows', 'SQL']);
  await page.close();
});

test('a chart is read by mouse and by keys, drawn otherwise, looked at large, kept as a picture', async () => {
  const page = await Page.open(askd.url);
  await page.ask('Total hours of work time per month');
  const stage = page.turn.locator('.stage'), tip = page.turn.locator('.tip');
  await page.turn.locator('.drawing svg').waitFor();
  const box = await stage.boundingBox();
  await page.page.mouse.move(box.x + box.width / 2, box.y + 40);
  await tip.waitFor();
  assert.match(await tip.innerText(), /^20\d\d-\d\d\s+Total hours · [\d.,]+$/);
  await page.page.mouse.move(5, 5);
  await stage.focus();
  await page.page.keyboard.press('Home');
  assert.match(await tip.innerText(), /^2023-07/);
  await page.page.keyboard.press('ArrowRight');
  assert.match(await page.find('#status').innerText(), /^2023-08, Total hours, /);
  assert.equal(await page.turn.locator('.tiles div').count(), 2);
  for (const [kind, mark] of [['bar', 'rect.mark'], ['area', 'path.area'], ['histogram', 'rect.mark'], ['line', 'path.line']]) {
    await page.turn.getByLabel('Kind of chart').selectOption(kind);
    await page.turn.locator(`.drawing ${mark}`).first().waitFor();
    assert.equal(await page.turn.locator(`figure.chart-${kind}`).count(), 1);
  }
  const picture = await downloaded(page, () => page.turn.getByRole('button', { name: 'Save as a picture' }).click());
  assert.match(picture.name, /\.png$/);
  assert.equal(picture.bytes.toString('latin1', 1, 4), 'PNG');
  assert.ok(picture.bytes.length > 8000, `${picture.bytes.length}`);
  await page.turn.getByRole('button', { name: 'Look at it large' }).click();
  await page.find('#passage[open] .drawing svg').waitFor();
  assert.ok((await page.find('#passage .drawing svg').boundingBox()).width > box.width * 1.3);
  await assertLooksEverywhere(page, 'a large chart');
  await page.page.keyboard.press('Escape');
  await page.close();
});

test('an analyst’s answer: its chart is drawn, its formula typeset, its sources numbered as they are read', async () => {
  const store = `sqlite:${tempPath('reports.db')}`, documents = { ASKD_VECTOR_URL: store, ASKD_KEYWORD_URL: store };
  assert.equal((await askdCommand(['docs', 'add', '--kind', 'financial', `${sourceDir}/samples/financial`], { env: { ...documents, ASKD_MODEL: 'offline' } })).code, 0);
  const reports = await startAskd({ env: { ...documents, ASKD_PAGE_COMPANY_ID: 'acme' } }), page = await Page.open(reports.url);
  await page.find('#graph').selectOption('analyst');
  await page.ask("How did Northbeam's revenue grow from 2022 to 2024?");
  await page.turn.locator('figure.chart-line path.line').waitFor();
  assert.match(await page.turn.locator('figcaption').innerText(), /^Revenue of Northbeam Instruments, 2022 to 2024$/);
  assert.ok(await page.turn.locator('math[display="block"] mfrac').count() > 0);
  assert.ok(!(await page.answer()).includes('\\frac'));
  const cites = await page.turn.locator('.markdown .cite').allInnerTexts(), sources = await page.turn.locator('.sources .cite-number').allInnerTexts();
  assert.deepEqual([...new Set(cites)], sources.slice(0, new Set(cites).size), 'in the order of the text');
  assert.deepEqual(sources, sources.map((_, i) => String(i + 1)));
  for (const part of ['analyst_retrieval', 'analyst_analysis', 'analyst_generation'])
    await page.find('#run').getByText(part, { exact: true }).waitFor(); // the graphs that it is made of, each drawn
  await assertLooksEverywhere(page, 'a formula');
  await page.close();
});

test('a series is left out by its name', async () => {
  const page = await Page.open(askd.url);
  await page.ask('How many work orders are there by status and priority?');
  await page.turn.locator('.drawing svg').waitFor();
  const series = page.turn.locator('.legend button');
  assert.ok(await series.count() > 2);
  const all = await page.turn.locator('.drawing .mark').count();
  await series.first().click();
  assert.equal(await series.first().getAttribute('aria-pressed'), 'false');
  const left = await page.turn.locator('.drawing .mark').count();
  assert.ok(left > 0 && left < all, `${left} of ${all}`);
  assert.equal(await page.turn.locator('.drawing .mark.series-0').count(), 0, 'others keep their colours');
  await series.first().click();
  assert.equal(await page.turn.locator('.drawing .mark').count(), all);
  await page.close();
});

for (const [name, options] of Object.entries({ telephone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, tablet: { viewport: { width: 768, height: 1024 } } }))
  test(`nothing lies beside the screen: ${name}`, async () => {
    const page = await Page.open(askd.url, options);
    await page.ask('Total hours of work time per month');
    await page.turn.locator('.drawing svg').waitFor();
    await page.tab('Rows').click();
    await page.turn.getByRole('button', { name: 'Download' }).click();
    assert.ok(await page.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.getElementById('scroll').scrollWidth <= innerWidth));
    const menu = await page.turn.locator('.menu').boundingBox();
    assert.ok(menu.x >= 0 && menu.x + menu.width <= options.viewport.width, JSON.stringify(menu));
    await assertLooks(page, name);
    await page.close();
  });
