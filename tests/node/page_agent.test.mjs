// SPDX-License-Identifier: MIT
// tests/node/page_agent.test.mjs - what an agent does on its way, on the page at /: its calls as they come, the statement
// and the rows folded into each, a call that fails, a stop that stops, a statement that somebody has to allow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAskd, startMock, tempPath } from './lib/harness.mjs';
import { assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';
import { until } from './lib/process.mjs';

const call = (name, args) => ({ name, arguments: args });
const COUNT = 'SELECT role, COUNT(*) AS people FROM employee GROUP BY role';
const SLOW = 'SELECT COUNT(*) FROM workOrder a JOIN workOrder b ON a.id <> b.id JOIN workOrder c ON b.id <> c.id JOIN workOrder d ON c.id <> d.id';
const mock = await startMock([
  { user: 'looks around', result: '"statement":"s2"', reply: 'Most are technicians [s2].' },
  { user: 'looks around', calls: [call('list_tables', {}), call('run_sql', { sql: COUNT }), call('run_sql', { sql: 'SELECT nothing FROM employee' })] },
  { user: 'slow thing', calls: [call('run_sql', { sql: SLOW })] },
  { match: '', reply: 'Nobody expected this.' },
]);
const askd = await startAskd({ mock, env: { ASKD_SQL_MAX_COST: '0', ASKD_PAGE_COMPANY_ID: 'acme', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const open = async (server = askd) => {
  const page = await Page.open(server.url);
  await page.find('#graph').selectOption('data_agent');
  return page;
};

test('each call with its statement and its rows', async () => {
  const page = await open();
  await page.type('looks around');
  await page.find('#turns article:last-child:is([data-state="done"], [data-state="failed"])').waitFor();
  const calls = page.turn.locator('.tools li');
  assert.deepEqual(await calls.locator('strong').allInnerTexts(), ['List tables', 'Run SQL', 'Run SQL']);
  assert.deepEqual(await calls.evaluateAll(list => list.map(item => item.dataset.state)), ['done', 'done', 'failed']);
  await page.turn.getByRole('button', { name: 'Statement s2', exact: true }).click(); // [s2] in the answer
  assert.ok(await calls.nth(1).locator('summary').evaluate(one => one === document.activeElement), 'the cited call has the focus');
  assert.match(await calls.nth(1).locator('pre.sql').innerText(), /SELECT role, COUNT\(\*\) AS people/);
  assert.ok(await calls.nth(1).locator('tbody tr').count() > 1);
  await page.page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.ok(await calls.nth(1).locator('summary').evaluate(one => one.getBoundingClientRect().top >= document.getElementById('scroll').getBoundingClientRect().top), 'its head is in view');
  await calls.nth(2).locator('summary').click();
  assert.match(await calls.nth(2).innerText(), /nothing/);
  await assertLooksEverywhere(page, 'an agent’s calls');
  const hash = new URL(page.page.url()).hash, other = await Page.open('about:blank', { greeted: false });
  await until('it is kept', async () => (await askd.fetch(`/internal/conversations/${hash.slice(1)}?company_id=acme&user_id=guest`)).status === 200);
  await other.visit(`${askd.url}/${hash}`); // another browser
  const old = other.turn.locator('.tools li');
  await old.nth(2).waitFor();
  assert.deepEqual(await old.evaluateAll(list => list.map(item => item.dataset.state)), ['done', 'done', 'failed']);
  await other.turn.getByRole('button', { name: 'Statement s2', exact: true }).click();
  assert.match(await old.nth(1).locator('pre.sql').innerText(), /SELECT role, COUNT\(\*\) AS people/);
  assert.equal(await old.nth(1).locator('tbody tr').count(), await calls.nth(1).locator('tbody tr').count());
  await other.close();
  await page.close();
});

test('a call that goes on is shown, and a stop ends it', async () => {
  const page = await open();
  await page.type('slow thing');
  const running = page.turn.locator('.tools li[data-state="running"]');
  await running.waitFor();
  assert.match(await running.innerText(), /Run SQL/);
  await page.find('#stop').click();
  await page.comesTo('stopped');
  assert.equal(await page.turn.locator('.tools li').getAttribute('data-state'), 'stopped');
  await until('nothing runs', async () => (await (await askd.fetch('/internal/runs?company_id=acme&user_id=guest')).json()).runs.every(run => run.state !== 'active'));
  await page.close();
});

test('a statement that somebody has to allow', async () => {
  const careful = await startAskd({ mock, env: { ASKD_SQL_APPROVAL: 'always', ASKD_PAGE_COMPANY_ID: 'acme', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('careful.db')}` } });
  const page = await open(careful);
  await page.ask('looks around', 'waiting');
  await page.turn.getByRole('button', { name: 'Run it' }).waitFor();
  await assertLooksEverywhere(page, 'a call that waits');
  await page.close();
});

test('a call of a tool: allowed, changed, refused', async () => {
  const page = await Page.open(askd.url, { greeted: true });
  const [, path] = /"(\/page\/[^/]+\/)main\.js"/.exec(await (await askd.fetch('/')).text());
  const said = await page.page.evaluate(async folder => {
    const { approvalView } = await import(`${folder}approval_view.js`);
    const answers = [], asked = { type: 'tool_approval', id: 'c1', tool: 'send_mail', arguments: { to: 'ann' } };
    const press = (view, name) => [...view.querySelectorAll('button')].find(button => button.textContent === name).click();
    for (const name of ['Do it', 'Refuse'])
      press(approvalView(asked, value => answers.push(value)), name);
    const view = approvalView(asked, value => answers.push(value));
    document.body.append(view);
    press(view, 'Edit');
    view.querySelector('textarea').value = '{"to":"bob"}';
    press(view, 'Do it so');
    const question = approvalView({ node: 'ask_user', question: 'Which year?', options: ['2024', '2025'] }, value => answers.push(value));
    press(question, '2025');
    return answers;
  }, path);
  assert.deepEqual(said, [{ action: 'approve' }, { action: 'refuse' }, { action: 'edit', arguments: { to: 'bob' } }, '2025']);
  await page.close();
});
