// SPDX-License-Identifier: MIT
// tests/node/page_schedules.test.mjs - schedules on the page at /: made, told in words, run at once with the answer beside
// them, paused, removed; an expression that is none is said; nothing of them where there are none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAskd, tempPath } from './lib/harness.mjs';
import { assertLooks, assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';

const askd = await startAskd({ env: { ASKD_PAGE_COMPANY_ID: 'acme', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const QUESTION = 'How many work orders are there?';
const listed = async () => (await (await askd.fetch('/internal/schedules?company_id=acme&user_id=guest')).json()).schedules;
const open = async options => {
  const page = await Page.open(askd.url, options);
  await page.clickInDrawer('#open-schedules');
  await page.find('.schedules :is(.nothing, .schedule)').first().waitFor();
  return page;
};

test('made, run at once, looked at, paused, gone on with, removed', async () => {
  const page = await open(), dialog = page.find('#passage'), one = dialog.locator('.schedule');
  await assertLooksEverywhere(page, 'no schedules');
  await dialog.getByLabel('The question', { exact: true }).fill(QUESTION);
  await dialog.getByLabel('At what time').fill('06:30');
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await one.waitFor();
  const [made] = await listed();
  assert.deepEqual([made.message, made.cron, made.timezone], [QUESTION, '30 6 * * mon-fri', Intl.DateTimeFormat().resolvedOptions().timeZone]);
  assert.match(await one.locator('.schedule-when').innerText(), /^on weekdays at 0?6:30 AM \([^)]+\) · Next: .*20\d\d/);
  await one.getByRole('button', { name: 'Run now' }).click();
  await one.locator('.last-answer').waitFor();
  assert.match(await one.locator('.last-answer').innerText(), /760/);
  await assertLooksEverywhere(page, 'a schedule with its answer');
  await one.getByRole('button', { name: 'Pause' }).click();
  await one.getByText('Paused').waitFor();
  assert.equal((await listed())[0].paused, true);
  await one.getByRole('button', { name: 'Go on' }).click();
  await one.getByText(/Next: /).waitFor();
  await one.locator('.last-answer').click();
  await page.comesTo('done');
  assert.match(await page.answer(), /760/);
  assert.deepEqual(await page.find('#turns .question h2').allInnerTexts(), [QUESTION]);
  await page.find('#open-schedules').click();
  assert.equal(await dialog.getByLabel('The question', { exact: true }).inputValue(), QUESTION, 'the last question is offered');
  await one.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByText('Nothing is scheduled yet.').waitFor();
  assert.deepEqual(await listed(), []);
  page.forgive(/404 .*\/internal\/conversations\/sch_/); // looked for before it was kept
  await page.close();
});

test('each way to say when, in words; what is no expression is said', async () => {
  const page = await open(), dialog = page.find('#passage');
  const make = async (kind, fill, said) => {
    await dialog.getByLabel('The question', { exact: true }).fill(QUESTION);
    await dialog.getByLabel('How often').selectOption(kind);
    await fill();
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
    await dialog.locator('.schedule-when', { hasText: said }).waitFor();
  };
  const nothing = async () => {};
  await make('hour', nothing, /^every hour \(/);
  await make('day', nothing, /^every day at/);
  await make('week', () => dialog.getByLabel('On which day', { exact: true }).selectOption('2'), /^every Tuesday at/);
  await make('month', () => dialog.getByLabel('On which day of the month').fill('15'), /^on day 15 of each month at/);
  const expression = dialog.getByLabel('Expression', { exact: false });
  await make('cron', () => expression.fill('*/10 8-17 * jan mon,fri'), '*/10 8-17 * jan mon,fri (');
  await dialog.getByLabel('The question', { exact: true }).fill(QUESTION);
  await expression.fill('61 * * * *');
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await dialog.locator('.schedule-form .error').waitFor();
  assert.match(await dialog.locator('.schedule-form .error').innerText(), /cron.*61/);
  assert.equal((await listed()).length, 5);
  page.forgive(/422/);
  await page.close();
});

for (const [width, colorScheme] of [[390, 'dark'], [768, 'light'], [1440, 'dark']])
  test(`${width} px, ${colorScheme}: nothing overflows`, async () => {
    const page = await open({ viewport: { width, height: 800 }, colorScheme });
    for (const kind of ['week', 'month', 'cron']) {
      await page.find('#passage').getByLabel('How often').selectOption(kind);
      assert.ok(await page.find('#passage').evaluate(dialog => dialog.scrollWidth <= dialog.clientWidth), kind);
    }
    await assertLooks(page, `schedules at ${width}`);
    await page.close();
  });

test('where there are none, and no documents are added, no button is', async () => {
  const store = `sqlite:${tempPath('documents.db')}`;
  const plain = await startAskd({ env: { ASKD_PAGE_COMPANY_ID: 'acme', ASKD_SCHEDULES: '0', ASKD_UPLOADS: 'off', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('plain.db')}`, ASKD_KEYWORD_URL: store } });
  const page = await Page.open(plain.url);
  await page.find('#open-browser').waitFor();
  for (const id of ['#open-schedules', '#open-documents'])
    assert.equal(await page.find(id).isVisible(), false, id);
  await page.close();
});
