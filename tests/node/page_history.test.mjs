// SPDX-License-Identifier: MIT
// tests/node/page_history.test.mjs - the page at / with what the server keeps of conversations: seen from another
// browser, searched, forked, erased; and not offered where nothing is kept.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startAskd, tempPath } from './lib/harness.mjs';
import { Page } from './lib/page.mjs';
import { PageModel } from './lib/page_model.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const model = await new PageModel([
  line('classify', 'SQL', { user: 'by status' }),
  line('tables', '["workOrder"]'),
  line('generate', '```sql\nSELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status\n```'),
  line('answer', 'Most are completed.'),
  line('classify', 'GENERAL'),
  line('general', 'Marmots sleep in winter.', { user: 'marmots' }),
  line('general', 'The sky is blue because of scattering.'),
]).start();
after(() => model.stop());

const askd = await startAskd({ mock: model, env: { ASKD_PAGE_COMPANY_ID: 'acme', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });

const titles = page => page.find('#conversations .conversation').allInnerTexts();
const idOf = page => new URL(page.page.url()).hash.slice(1);
const serverKnows = async id => (await askd.fetch(`/internal/conversations/${id}?company_id=acme&user_id=guest`)).status;
const isKept = (id, turns) => until('the server has kept it', async () => {
  const answer = await askd.fetch(`/internal/conversations/${id}?company_id=acme&user_id=guest`);
  return answer.status === 200 && (await answer.json()).turns === turns;
});

test('another browser lists it, opens it, goes on with it; this one then hears of that', async () => {
  const page = await Page.open(askd.url);
  await page.ask('Orders by status');
  await isKept(idOf(page), 1);
  const other = await Page.open(askd.url);
  await until('it is listed', async () => (await titles(other)).includes('Orders by status'));
  await other.page.getByRole('button', { name: 'Orders by status', exact: true }).click();
  await other.says('Most are completed.');
  await other.tab('SQL').waitFor();
  for (const name of ['Chart', 'Rows']) { // as where it was asked
    await other.tab(name).click();
    const [here, there] = await Promise.all([page, other].map(async one => {
      await one.tab(name).click();
      return one.turn.locator('.results').innerText();
    }));
    assert.equal(there, here);
  }
  assert.equal(await other.find('.graph .node[data-state="done"]').count(), await page.find('.graph .node[data-state="done"]').count());
  assert.equal(idOf(other), idOf(page));
  await other.ask('Why is the sky blue?');
  await isKept(idOf(page), 2);
  await page.page.reload();
  await page.says('scattering');
  assert.equal(await page.find('#turns article').count(), 2);
  await other.close();
  await page.close();
});

test('all charts of an answer are drawn', async () => {
  const page = await Page.open(askd.url);
  await page.ask('Why is the sky blue?');
  const id = idOf(page);
  await isKept(id, 1);
  const other = await Page.open(askd.url, { greeted: false });
  const drawn = title => ({ title, chartjs: { type: 'line', data: { labels: ['2023', '2024'], datasets: [{ label: 'Revenue', data: [908, 1044] }] } } });
  await other.page.route(`**/internal/conversations/${id}?*`, async route => {
    const answer = await (await route.fetch()).json();
    answer.messages.at(-1).details.result.charts = [drawn('One'), drawn('Another')];
    await route.fulfill({ json: answer });
  });
  await other.page.reload();
  await other.greeted();
  await other.page.getByRole('button', { name: 'Why is the sky blue?', exact: true }).first().click();
  await other.tab('Charts').waitFor();
  assert.deepEqual(await other.turn.locator('figure.chart figcaption').allInnerTexts(), ['One', 'Another']);
  assert.equal(await other.turn.locator('figure.chart svg path.line').count(), 2);
  await other.close();
  await page.close();
});

test('search finds what was said', async () => {
  const page = await Page.open(askd.url);
  await page.ask('What do marmots do?');
  await isKept(idOf(page), 1);
  await page.find('#new-conversation').click();
  await page.find('#search').fill('winter');
  await page.find('#conversations .found', { hasText: 'What do marmots do?' }).click();
  await page.says('Marmots sleep in winter.');
  await page.find('#search').fill('nobody said this');
  await page.find('#conversations', { hasText: 'Nothing found' }).waitFor();
  await page.find('#search').fill('');
  await until('the list is back', async () => (await titles(page)).length > 1);
  await page.close();
});

test('a fork is a conversation of its own from one turn on', async () => {
  const page = await Page.open(askd.url);
  await page.ask('What do marmots do?');
  await page.ask('Why is the sky blue?');
  const first = idOf(page);
  await isKept(first, 2);
  await page.find('#turns article:first-child').getByRole('button', { name: 'Fork' }).click();
  await until('it is open', () => idOf(page) !== first);
  assert.equal(await page.find('#turns article').count(), 1);
  assert.equal(await page.answer(), 'Marmots sleep in winter.');
  await page.ask('Why is the sky blue?');
  await isKept(idOf(page), 2);
  assert.equal(await serverKnows(first), 200);
  await page.close();
});

test('a question that is there before the page knows what is open is asked then', async () => {
  const page = await Page.open('about:blank', { greeted: false });
  let goOn;
  const held = new Promise(resolve => goOn = resolve);
  await page.page.route('**/readyz', async route => {
    await held;
    await route.continue();
  });
  await page.visit(askd.url);
  await page.type('What do marmots do?');
  goOn();
  await page.comesTo('done');
  assert.equal(await page.answer(), 'Marmots sleep in winter.');
  await isKept(idOf(page), 1);
  await page.close();
});

test('what is removed here is erased there', async () => {
  const page = await Page.open(askd.url);
  await page.ask('Why is the sky blue, once more?');
  const id = idOf(page);
  await isKept(id, 1);
  await page.page.getByRole('button', { name: 'Remove Why is the sky blue, once more?' }).click();
  await page.find('#confirm').getByRole('button', { name: 'Remove', exact: true }).click();
  await until('it is gone', async () => !(await titles(page)).includes('Why is the sky blue, once more?'));
  assert.equal(await serverKnows(id), 404);
  assert.equal(await page.find('#turns article').count(), 0);
  await page.close();
});

test('somebody else sees none of it', async () => {
  const page = await Page.open(askd.url);
  await page.find('#open-settings').click();
  await page.page.getByLabel('User').fill('somebody-else');
  await page.page.keyboard.press('Enter');
  await page.find('#caller', { hasText: 'somebody-else' }).waitFor();
  await page.find('#conversations', { hasText: 'What you ask is kept here' }).waitFor();
  await page.close();
});

test('where nothing is kept, nothing of it is offered', async () => {
  const forgetful = await startAskd({ mock: model, env: { ASKD_PAGE_COMPANY_ID: 'acme' } });
  const page = await Page.open(forgetful.url);
  await page.ask('Why is the sky blue?');
  assert.equal(await page.turn.getByRole('button', { name: 'Fork' }).count(), 0);
  assert.equal(await page.find('#search').isVisible(), false);
  await page.page.getByRole('button', { name: 'Remove Why is the sky blue?' }).click();
  await page.find('#confirm', { hasText: 'from this browser' }).getByRole('button', { name: 'Remove', exact: true }).click();
  await until('it is gone', async () => (await titles(page)).length === 0);
  await page.close();
});
