// SPDX-License-Identifier: MIT
// tests/node/page_history.test.mjs - the page at / with what the server keeps of conversations: seen from another
// browser, searched, forked, erased; and not offered where nothing is kept.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { askdCommand, sourceDir, startAskd, tempPath } from './lib/harness.mjs';
import { assertLooksEverywhere } from './lib/looks.mjs';
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
  const done = one => one.find('.graph .node[data-state="done"]').count();
  await until('the graph is lit as here', async () => await done(other) > 0 && await done(other) === await done(page));
  assert.equal(idOf(other), idOf(page));
  await other.ask('Why is the sky blue?');
  await isKept(idOf(page), 2);
  await page.page.reload();
  await page.says('scattering');
  assert.equal(await page.find('#turns article').count(), 2);
  await other.close();
  await page.close();
});

test('old turns are what new ones are, in another browser: chart, rows, options, citations, steps, what was judged', async () => {
  const store = `sqlite:${tempPath('documents.db')}`, documents = { ASKD_VECTOR_URL: store, ASKD_KEYWORD_URL: store };
  assert.equal((await askdCommand(['docs', 'add', `${sourceDir}/samples/manual`], { env: { ...documents, ASKD_MODEL: 'offline' } })).code, 0);
  const offline = await startAskd({ env: { ...documents, ASKD_PAGE_COMPANY_ID: 'acme', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('offline.db')}` } });
  const page = await Page.open(offline.url);
  for (const question of ['Who are our top customers?', 'How is overtime paid?', 'list all work orders', 'How many work orders are there by status and priority?'])
    await page.ask(question);
  await page.turn.getByRole('button', { name: 'This is right' }).click();
  await page.turn.locator('.thumb[aria-pressed="true"]').waitFor();
  const other = await Page.open(page.page.url());
  await until('all are there', async () => await other.find('#turns article[data-state="done"]').count() === 4);
  const look = one => one.find('#turns article').evaluateAll(list => list.map(turn => turn.outerHTML.replace(/\b(tabs|menu)-\d+/g, '$1')));
  const run = one => one.find('#run').innerText();
  for (const what of ['.option', '.cite', '.drawing svg', 'tbody tr', '.thumb[aria-pressed="true"]'])
    assert.ok(await other.find(`#turns ${what}`).count() > 0, what);
  await until('they are the same', async () => JSON.stringify(await look(other)) === JSON.stringify(await look(page)))
    .catch(async () => assert.deepEqual(await look(other), await look(page)));
  await until('so is what the run did', async () => await run(other) === await run(page)).catch(async () => assert.equal(await run(other), await run(page)));
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

test('a drawer that is opened while the first conversation is still fetched stays open, and goes when one is chosen', async () => {
  const page = await Page.open('about:blank', { greeted: false, viewport: { width: 390, height: 844 } }), drawer = page.find('#drawer.open');
  let fetched;
  const held = new Promise(resolve => { fetched = resolve; });
  await page.page.route('**/internal/conversations?*', async route => {
    await held;
    await route.continue();
  });
  await page.visit(askd.url);
  await page.find('#open-drawer').click();
  fetched();
  const some = page.find('#conversations .conversation').first();
  await some.waitFor();
  await page.page.evaluate(() => new Promise(resolve => setTimeout(resolve))); // what follows from the list is done
  assert.equal(await drawer.count(), 1);
  await some.click();
  await page.find('#turns article').first().waitFor();
  assert.equal(await drawer.count(), 0);
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
  await until('it is open', async () => idOf(page) !== first && await page.find('#turns article').count() === 1);
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
  await page.chooseFor('Why is the sky blue, once more?', 'Remove');
  await page.find('#confirm').getByRole('button', { name: 'Remove', exact: true }).click();
  await until('it is gone', async () => !(await titles(page)).includes('Why is the sky blue, once more?'));
  assert.equal(await serverKnows(id), 404);
  assert.equal(await page.find('#turns article').count(), 0);
  await page.close();
});

test('renamed and pinned, in every browser', async () => {
  const page = await Page.open(askd.url);
  await page.ask('What do marmots do?');
  await isKept(idOf(page), 1);
  await page.find('#new-conversation').click();
  await page.ask('Why is the sky blue?');
  await isKept(idOf(page), 1);
  await page.page.locator('li.current').getByRole('button', { name: /^More for/ }).click();
  await page.page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.find('#confirm[open] input').fill('About the sky');
  await assertLooksEverywhere(page, 'renaming');
  await page.page.keyboard.press('Enter');
  await until('it has the name', async () => await page.find('#title').innerText() === 'About the sky');
  await page.chooseFor('About the sky', 'Pin');
  await page.find('#conversations h2:text-is("Pinned")').waitFor();
  const other = await Page.open(askd.url);
  await other.find('#conversations h2:text-is("Pinned")').waitFor();
  assert.equal((await titles(other))[0], 'About the sky');
  assert.match(await other.find('#conversations .kept').innerText(), /Kept for 30 days/);
  await other.chooseFor('About the sky', 'Unpin');
  await until('it is not', async () => await other.find('#conversations h2:text-is("Pinned")').count() === 0);
  await other.close();
  await page.close();
});

test('a conversation is saved as Markdown and as JSON', async () => {
  const page = await Page.open(askd.url);
  await page.ask('Orders by status');
  await isKept(idOf(page), 1);
  const save = async choice => {
    const [file] = await Promise.all([page.page.waitForEvent('download'), (async () => {
      await page.page.locator('li.current').getByRole('button', { name: /^More for/ }).click();
      await page.page.getByRole('menuitem', { name: choice }).click();
    })()]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };
  const markdown = await save('Save as Markdown');
  assert.equal(markdown.name, 'orders-by-status.md');
  assert.match(markdown.text, /^# Orders by status\n\n## Orders by status\n\nMost are completed\.\n\n\| status \| orders \|\n\| --- \| --- \|\n/);
  assert.match(markdown.text, /```sql\nSELECT status/);
  const { turns } = JSON.parse((await save('Save as JSON')).text);
  assert.equal(turns[0].question, 'Orders by status');
  assert.deepEqual(turns[0].data.columns, ['status', 'orders']);
  await page.close();
});

test('a link shows what was said so far to whoever has it, and no more once it is taken back', async () => {
  const page = await Page.open(askd.url);
  await page.ask('Orders by status');
  await isKept(idOf(page), 1);
  const openDialog = async () => {
    await page.page.locator('li.current').getByRole('button', { name: /^More for/ }).click();
    await page.page.getByRole('menuitem', { name: 'Share' }).click();
  };
  await openDialog();
  await page.page.getByRole('button', { name: 'Make a link' }).click();
  const link = await page.page.getByLabel('The link', { exact: true }).inputValue();
  await assertLooksEverywhere(page, 'sharing');
  await page.page.keyboard.press('Escape');
  await page.ask('Why is the sky blue?');
  await isKept(idOf(page), 2);
  const reader = await Page.open(link, { greeted: false });
  await reader.says('Most are completed.');
  assert.equal(await reader.find('#turns article').count(), 1, 'not what was said later');
  await reader.tab('Rows').click();
  assert.ok(await reader.turn.locator('tbody tr').count() > 2);
  assert.equal(await reader.find('#question').isVisible(), false);
  for (const name of ['Ask again', 'Fork', 'Ask otherwise', 'Load all'])
    assert.equal(await reader.page.getByRole('button', { name }).count(), 0, name);
  await assertLooksEverywhere(reader, 'shared');
  await openDialog();
  await page.page.getByRole('button', { name: 'Take all links back' }).click();
  await page.find('.share-link', { hasText: 'No link' }).waitFor();
  await reader.page.reload();
  await reader.find('#notice', { hasText: 'no such link' }).waitFor();
  reader.forgive(/404/);
  await reader.close();
  await page.close();
});

test('a question is asked otherwise in a branch; the first conversation stays', async () => {
  const page = await Page.open(askd.url);
  await page.ask('What do marmots do?');
  await page.ask('Why is the sky blue?');
  const first = idOf(page);
  await isKept(first, 2);
  await page.turn.locator('.question').hover();
  await page.turn.getByRole('button', { name: 'Ask otherwise' }).click();
  await page.turn.getByLabel('Your question').fill('Why is the sky blue at noon?');
  await page.page.keyboard.press('Enter');
  await until('it is another conversation', () => idOf(page) !== first);
  await page.comesTo('done');
  assert.deepEqual(await page.find('#turns .question h2').allInnerTexts(), ['What do marmots do?', 'Why is the sky blue at noon?']);
  await until('it is told apart', async () => (await titles(page)).includes('Why is the sky blue at noon?'));
  assert.equal(await serverKnows(first), 200);
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
  await page.chooseFor('Why is the sky blue?', 'Remove');
  await page.find('#confirm', { hasText: 'from this browser' }).getByRole('button', { name: 'Remove', exact: true }).click();
  await until('it is gone', async () => (await titles(page)).length === 0);
  await page.close();
});
