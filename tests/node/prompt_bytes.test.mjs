// SPDX-License-Identifier: MIT
// tests/node/prompt_bytes.test.mjs - calls of a model and bytes of its prompts for a question, on the sample and on a
// schema of 122 tables, against what they were before prompts were made shorter.
//
// The former figures are those of a review at commit 42b29b3, which answered each prompt by hand: 8,000 tokens and 4.2
// calls a question on a schema of 122 tables whose list of tables, with the first 12 columns of each, took 13.4 KB and
// was sent twice; 3.8 calls on the sample. Tokens are bytes / 4. The tables made here are as that schema's were: a
// key, a company, four columns that say who touched a row and when, references, and a few columns of their own; their
// list is of the same size, which is what makes the figures comparable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCounted } from './lib/counted.mjs';
import { newConversation, startAskd, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';

const FORMER = { tokens: 8000, calls: 4.2, list: 13400 };

const nouns = 'customer branch vendor invoice payment contract asset vehicle tool permit'.split(' ');
const parts = 'Note Line Log Type State Audit Place Contact Photo Rate Plan'.split(' ');
const own = ['name TEXT', 'amount NUMERIC', 'due DATE', 'kind TEXT'];
const tables = [...nouns, ...nouns.flatMap(noun => parts.map(part => noun + part)), 'site', 'region'].map((name, i) => {
  const owner = nouns.find(noun => name !== noun && name.startsWith(noun)), other = nouns[(i * 7) % nouns.length];
  const references = [...new Set([owner, other])].filter(one => one && one !== name).map(one => `${one}Id INTEGER REFERENCES "${one}" (id)`);
  return { name, columns: ['id INTEGER PRIMARY KEY', 'companyId INTEGER', ...references, ...own.slice(0, 3 + i % 2),
    ...['createdBy', 'updatedBy'].map(by => `${by} INTEGER REFERENCES "branch" (id)`), 'createdAt TIMESTAMP', 'updatedAt TIMESTAMP'] };
});
const asked = ['customer', 'invoice', 'vehicleLog', 'contractLine', 'permitLine', 'toolRate', 'vendorContact', 'paymentPlan']
  .map(table => ({ question: `What is the total amount of each ${table}?`, tables: [table], sql: `SELECT name, SUM(amount) AS total FROM "${table}" GROUP BY name` }));
const joined = { question: 'What is the total amount of invoice lines for each invoice?', tables: ['invoiceLine', 'invoice'],
  sql: 'SELECT i.name, SUM(l.amount) AS total FROM invoice i JOIN "invoiceLine" l ON l.invoiceId = i.id GROUP BY i.id, i.name' };

const onSample = [
  { question: 'How many technicians are active?', tables: ['employee'], sql: "SELECT COUNT(*) FROM employee WHERE role = 'technician' AND isActive = 1" },
  { question: 'Which 5 customers have the most work orders?', tables: ['customer', 'workOrder'], sql: 'SELECT c.name, COUNT(*) AS n FROM customer c JOIN workOrder o ON o.customerId = c.id GROUP BY c.id, c.name ORDER BY n DESC LIMIT 5' },
  { question: 'How many work orders are on hold?', tables: ['workOrder'], sql: "SELECT COUNT(*) FROM workOrder WHERE status = 'on hold'" },
  { question: 'What is the average balance of accounts?', tables: ['accounts'], sql: 'SELECT AVG(balance) FROM accounts' },
];

// Calls and tokens a question of a graph, or through another door.
const measure = async ({ model, askd, questions }, { graph, door } = {}) => {
  Object.assign(model, { calls: 0, bytes: 0 });
  for (const { question } of questions) {
    if (door) {
      const response = await askd.post(door.path, door.body(question), { headers: { 'x-askd-company-id': 'acme', 'x-askd-user-id': 'user-1' } });
      assert.equal(response.status, 200, response.status === 200 ? '' : await response.text());
      assert.match(await response.text(), /Here it is\./);
      continue;
    }
    const { sql, data } = (await askd.ask(question, { conversation: newConversation(), ...(graph && { options: { graph } }) })).complete();
    assert.ok(sql && data, `${graph}: ${question}`);
  }
  return { calls: model.calls / questions.length, tokens: model.bytes / 4 / questions.length };
};
const serve = async (questions, database, env = {}) => {
  const model = await startCounted(questions);
  return { model, questions, askd: await startAskd({ database, env: { ...model.env, ...env } }) };
};

const path = tempPath('large.db');
const made = await run('sqlite3', [path], { cwd: '/tmp', input: tables.map(({ name, columns }) => `CREATE TABLE "${name}" (${columns.join(', ')});`).join('\n') });
assert.equal(made.code, 0, made.stderr);
const large = { ...await serve([...asked, joined], path, { ASKD_SECURE_VIEWS: undefined, ASKD_SHARED_TABLES: undefined, ASKD_TENANT_COLUMN: '' }), questions: asked };
const sample = await serve(onSample);

test('122 tables: at most 40 % of the former tokens, in three calls', async t => {
  assert.equal(tables.length, 122);
  const list = tables.map(({ name, columns }) => `- ${name} (${columns.slice(0, 12).map(column => column.split(' ')[0]).join(', ')})\n`).join('');
  assert.ok(Math.abs(list.length - FORMER.list) < 0.1 * FORMER.list, `the former list of these tables has ${list.length} bytes`);
  const now = await measure(large);
  t.diagnostic(JSON.stringify(now));
  assert.ok(now.tokens <= 0.4 * FORMER.tokens, `${now.tokens} tokens a question`);
  assert.equal(now.calls, 3);
});

test('the sample: two calls a question, which were four', async t => {
  const now = await measure(sample);
  t.diagnostic(JSON.stringify(now));
  assert.equal(now.calls, 2);
  assert.ok(now.tokens <= 2500, `${now.tokens} tokens a question`);
});

// docs/models.md has this table.
for (const [graph, small, many] of [['orchestrator', 2, 3], ['sql_agent', 2, 3], ['text_to_sql', 2, 2]])
  test(`calls of ${graph}`, async t => {
    const counted = [await measure(sample, { graph }), await measure(large, { graph })];
    t.diagnostic(JSON.stringify(counted));
    assert.deepEqual(counted.map(({ calls }) => calls), [small, many]);
    assert.ok(counted[1].tokens <= 0.4 * FORMER.tokens, `${counted[1].tokens} tokens a question`);
  });

const doors = {
  'chat completions': { path: '/v1/chat/completions', body: content => ({ model: 'orchestrator', messages: [{ role: 'user', content }] }) },
  responses: { path: '/v1/responses', body: input => ({ model: 'orchestrator', input }) },
};
for (const [name, door] of Object.entries(doors))
  test(`the door makes no call more: ${name}`, async () => {
    assert.equal((await measure(sample, { door })).calls, 2);
    assert.equal((await measure(large, { door })).calls, 3);
  });

test('a prompt has relations among its own tables alone', async () => {
  large.model.bodies.length = 0;
  await measure({ ...large, questions: [joined] }, { graph: 'sql_agent' });
  const [{ messages }] = large.model.bodies.filter(({ messages: [system] }) => /^You write one/.test(system.content));
  const text = messages.map(({ content }) => content).join('\n'), [, relations] = text.match(/Relationships:\n([^]*?)\n(?!-)/);
  const listed = [...text.matchAll(/^## (\w+)$/gm)].map(([, table]) => table);
  const related = [...relations.matchAll(/(\w+)\.\w+/g)].map(([, table]) => table);
  assert.ok(related.includes('invoiceLine') && related.includes('invoice'), relations);
  assert.deepEqual(related.filter(table => !listed.includes(table)), [], relations);
});
