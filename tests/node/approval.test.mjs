// SPDX-License-Identifier: MIT
// tests/node/approval.test.mjs - statements that wait for a person (ASKD_SQL_APPROVAL): which ones do, and that
// what was approved, edited or refused is what everything says afterwards, on another server of the same store,
// after both were started anew.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, question, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';
import { readStream } from './lib/sse.mjs';

const EMPLOYEES = 'SELECT COUNT(*) AS n FROM employee', ORDERS = 'SELECT COUNT(*) AS n FROM workOrder';
const ACCOUNTS = 'SELECT COUNT(*) AS n FROM accounts', CUSTOMERS = 'SELECT COUNT(*) AS n FROM customers';
const sqlOf = (user, sql) => ['generate', 'bankingSql', 'translate'].map(task => line(task, `\`\`\`sql\n${sql}\n\`\`\`\nExplanation: as asked.`, { user }));
const mock = await startMock([
  line('classify', 'SQL'), line('tables', '["employee","workOrder"]'), line('intent', '{"intent":"count"}'),
  ...sqlOf('orders', ORDERS), ...sqlOf('delete', 'DELETE FROM employee'), ...sqlOf('accounts', ACCOUNTS),
  ...sqlOf('', EMPLOYEES),
  line('correct', 'DELETE FROM employee', { user: 'delete' }),
  line('answer', 'The orders were counted.', { user: 'workOrder' }), line('answer', 'The employees were counted.'),
  line('respond', 'The orders were counted.', { user: 'workOrder' }), line('insight', 'The customers were counted.', { user: 'customers' }),
]);

let stores = 0;
const store = () => `sqlite:${tempPath(`approval-${++stores}.db`)}`;
const start = (approval, checkpoints) => startAskd({ mock, env: { ASKD_SQL_APPROVAL: approval, ASKD_CHECKPOINT_URL: checkpoints } });
const whose = conversation => `company_id=${conversation.company_id}&user_id=${conversation.user_id}`;
const ask = async (askd, graph, message, conversation = newConversation()) =>
  (await readStream((await askd.post(`/internal/graphs/${graph}/stream`, question(message, conversation))).body)).events.at(-1);
const answer = async (askd, conversation, run, resume) => {
  const response = await askd.post(`/internal/runs/${run}/resume?${whose(conversation)}`, { resume });
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.text());
  return readStream(response.body);
};
const said = transcript => transcript.events.filter(event => event.event === 'token').map(event => event.content).join('');

test('cost>N asks about what costs more, and about nothing else', async () => {
  const askd = await start('cost>100', store());
  assert.deepEqual((await ask(askd, 'orchestrator', 'How many employees?')).data.rows, [[22]]);
  const conversation = newConversation();
  const { interrupts: [asked], run_id } = await ask(askd, 'orchestrator', 'How many orders?', conversation);
  assert.equal(asked.sql, ORDERS);
  assert.match(asked.runs, /secure_workorder .*company_id/);
  assert.deepEqual(asked.tables, ['workOrder']);
  assert.ok(!('cost' in asked), 'no figure that counts rows of others');
  assert.deepEqual((await answer(askd, conversation, run_id, { action: 'approve' })).events.at(-1).data.rows, [[760]]);
});

test('writes-none asks about nothing: what writes is refused', async () => {
  const askd = await start('writes-none', store());
  assert.deepEqual((await ask(askd, 'orchestrator', 'How many orders?')).data.rows, [[760]]);
  assert.equal((await ask(askd, 'orchestrator', 'delete all')).code, 'sql_rejected');
});

// A graph, what is asked, and what its statement is, then becomes, what is sent, its rows and its answer.
const company = [EMPLOYEES, ORDERS, /^SELECT COUNT\(\*\) AS n FROM \(SELECT \* FROM secure_workorder/, 760, 'The orders were counted.'];
const bank = [ACCOUNTS, CUSTOMERS, /^SELECT COUNT\(\*\) AS n FROM customers/, 180, 'The customers were counted.'];
for (const [graph, what, written, edited, sent, counted, told] of [['orchestrator', 'employees', ...company],
  ['sql_agent', 'employees', ...company], ['banking', 'accounts', ...bank], ['text_to_sql', 'employees', ...company]])
  test(`${graph}: what was edited is what is told, on another server, started anew`, async () => {
    const checkpoints = store(), conversation = newConversation();
    let askd = await start('always', checkpoints);
    const { interrupts: [asked], run_id } = await ask(askd, graph, `How many ${what}?`, conversation);
    assert.equal(asked.sql, written);
    await askd.stop();
    askd = await start('always', checkpoints);
    const other = await start('always', checkpoints);
    const again = (await answer(other, conversation, run_id, { action: 'edit', sql: 'DROP TABLE employee' })).events.at(-1);
    assert.equal(again.interrupted, true);
    const { error, ...still } = again.interrupts[0];
    assert.deepEqual(still, { ...asked, edited: 'DROP TABLE employee' });
    assert.match(error, /SELECT/);
    assert.equal((await askd.post(`/internal/runs/${run_id}/resume?${whose(conversation)}`, { resume: 'approve' })).status, 409);
    const transcript = await answer(askd, conversation, again.run_id, { action: 'edit', sql: edited });
    const end = transcript.events.at(-1);
    assert.equal(end.event, 'complete', JSON.stringify(end));
    assert.match(end.sql, sent);
    assert.deepEqual(end.data.rows, [[counted]]);
    if (graph !== 'banking')
      assert.deepEqual([end.tables, end.warnings], [['workOrder'], []]);
    assert.equal(end.explanation, undefined, 'it was of the first');
    assert.equal(said(transcript), told, 'the model was told what ran');
    const messages = await until('the turn is kept', async () => {
      const kept = await (await other.fetch(`/internal/conversations/${conversation.id}?${whose(conversation)}`)).json();
      return kept.messages?.length === 2 && kept.messages;
    });
    assert.ok(messages[1].details.sql.includes(edited.split(' ').at(-1)));
  });

test('an edit that finds nothing is an answer; one that is refused leaves the first to be approved', async () => {
  const askd = await start('always', store());
  const conversation = newConversation();
  const first = await ask(askd, 'orchestrator', 'How many employees?', conversation);
  const strange = (await answer(askd, conversation, first.run_id, { action: 'maybe' })).events.at(-1);
  assert.match(strange.interrupts[0].error, /^expected/);
  const refused = (await answer(askd, conversation, strange.run_id, { action: 'edit', sql: 'SELECT nosuch FROM employee' })).events.at(-1);
  assert.match(refused.interrupts[0].error, /nosuch/);
  const approved = (await answer(askd, conversation, refused.run_id, { action: 'approve' })).events.at(-1);
  assert.deepEqual([approved.tables, approved.data.rows], [['employee'], [[22]]]);
  const second = await ask(askd, 'orchestrator', 'How many employees are left?', conversation);
  const empty = (await answer(askd, conversation, second.run_id, { action: 'edit', sql: 'SELECT id FROM workOrder WHERE status = \'nosuch\'' })).events.at(-1);
  assert.deepEqual([empty.interrupted, empty.tables, empty.data.rows], [undefined, ['workOrder'], []]);
  const third = await ask(askd, 'orchestrator', 'How many employees, please?', conversation);
  assert.match(said(await answer(askd, conversation, third.run_id, { action: 'refuse' })), /was not run/);
});
