// SPDX-License-Identifier: MIT
// tests/node/semantic_query.test.mjs - a model fills in metric, dimensions, filters and period; askd writes the
// statement. What is wrong with a query goes back to the model with its place.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newConversation, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';

// [name, query, SQL that it comes to, rows]
const written = [
  ['a metric alone', { metric: 'net flow', period: { from: '2025-04-01', to: '2025-04-30' } },
    /^SELECT \(SUM\(CASE WHEN.*2025-04-01.*2025-05-01/s],
  ['by its synonym, by month, in order', { metric: 'billable hours', dimensions: [{ column: 'workTime.startTime', by: 'month' }, { column: 'employee' }], order: 'desc', limit: 3 },
    /type" <> 'travel'.*GROUP BY.*ORDER BY.*DESC.*LIMIT 3/s],
  ['by rows of another table, with a condition on a third', { metric: { count: 'workOrder' }, dimensions: ['customer'],
    filters: [{ column: 'workOrder.priority', op: '=', value: 'urgent' }] }, /COUNT\(.*priority = 'urgent'.*GROUP BY/s],
  ['several values, and a named condition', { metric: { count: 'workOrder' }, filters: [{ column: 'workOrder.status', value: ['open', 'on hold'] }] },
    /IN \('open', 'on hold'\)/],
  ['a condition that other rows have, too, of the rows counted', { metric: { count: 'employee' }, filters: [{ named: 'waiting' }] }, /isActive"? = 0/],
  ['the same, of rows that are told', { metric: { count: 'workOrder' }, dimensions: ['customer'], filters: [{ named: 'customer.waiting' }] }, /isActive"? = 1/],
  ['a number', { metric: { count: 'employee' }, filters: [{ column: 'employee.hourlyRate', op: '>', value: 40 }] }, /hourlyRate > 40/],
];
// [name, query, what the model is told]
const wrong = [
  ['a metric that is none', { metric: 'happiness' }, "/metric: there is no metric 'happiness'; there are: "],
  ['a column of nothing', { metric: { count: 'workOrder' }, dimensions: [{ column: 'workOrder.colour' }] }, '/dimensions/0: expected a listed column'],
  ['an operator that is none', { metric: { count: 'workOrder' }, filters: [{ column: 'workOrder.status', op: 'like', value: 'x' }] }, '/filters/0/op: expected =, '],
  ['a day that is none', { metric: { count: 'workOrder' }, period: { column: 'workOrder.createdAt', from: 'May' } }, '/period/from: expected a day'],
  ['a member that is none', { metric: { count: 'workOrder' }, where: [] }, '/where: a query has no such member'],
  ['a limit that is none', { metric: { count: 'workOrder' }, limit: 0 }, '/limit: expected a number from 1 to 1000'],
  ['hidden columns', { metric: { count: 'employee' }, dimensions: [{ column: 'employee.ssn' }] }, '/dimensions/0: expected a listed column'],
];
const unclear = ['a condition of several tables', { metric: { count: 'workTime' }, filters: [{ named: 'waiting' }] }, "/filters/0/named: 'waiting' is a condition of several tables; write "];
wrong.push(unclear);
const FALLBACK = 'SELECT COUNT(*) AS n FROM workOrder';
const fenced = query => `\`\`\`json\n${JSON.stringify(query)}\n\`\`\``;
const routed = sql => JSON.stringify({ route: 'SQL', sql, cannot: null, search: null });
const mock = await startMock([
  ...wrong.flatMap(([user, query, told]) => [line('classify', routed(JSON.stringify(query)), { user: `(${user})` }),
    line('generate', fenced(query), { user: `(${user})` }), { ...line('correct', `\`\`\`sql\n${FALLBACK}\n\`\`\``, { user: `(${user})` }), match: told }]),
  ...written.flatMap(([user, query], i) => [
    line('classify', routed(i % 2 ? query : JSON.stringify(query)), { user: `(${user})` }), line('generate', fenced(query), { user: `(${user})` }),
    line('translate', `It is a metric.\n${fenced(query)}`, { user: `(${user})` })]),
  line('answer', 'Here it is.'), line('respond', 'Here it is.'), line('tables', '["workOrder", "employee", "workTime"]'),
  line('correct', 'CANNOT: nobody told me what is wrong'), line('classify', 'GENERAL'), line('general', 'Hello.'),
]);
const semantic = JSON.parse(readFileSync(join(sourceDir, 'samples/semantic.json'), 'utf8'));
semantic.filters.push({ name: 'waiting', table: 'employee', expression: 'isActive = 0' }, { name: 'waiting', table: 'customer', expression: 'isActive = 1' });
writeFileSync(tempPath('semantic.json'), JSON.stringify(semantic));
const env = { ASKD_SEMANTIC: tempPath('semantic.json'), SQL_SAMPLE_ROWS: '0' };
const askd = await startAskd({ mock, env });
const askAll = async (name, graph) => {
  const transcript = await askd.ask(`A wizard's question (${name})`, { conversation: newConversation(), options: { ...(graph && { graph }), detail: 'nodes' } });
  return { complete: transcript.events.at(-1), retries: transcript.of('retry').map(({ reason }) => reason) };
};
const ask = async (name, graph) => (await askAll(name, graph)).complete;

for (const graph of [undefined, 'sql_agent', 'text_to_sql'])
  for (const [name, , sql] of written)
    test(`${graph ?? 'orchestrator'}: ${name}`, async () => {
      const complete = await ask(name, graph);
      assert.equal(complete.event, 'complete', JSON.stringify(complete));
      assert.match(complete.sql, sql);
      assert.equal(complete.stats.llm_calls, 2, JSON.stringify(complete));
      assert.ok(complete.data.row_count > 0);
    });

for (const graph of [undefined, 'sql_agent'])
  for (const [name] of wrong)
    test(`${graph ?? 'orchestrator'}: told of ${name}`, async () => {
      const { complete, retries } = await askAll(name, graph);
      assert.equal(complete.event, 'complete', JSON.stringify(complete));
      assert.match(complete.sql ?? `${complete.abstained} ${retries}`, /COUNT\(\*\) AS n/);
    });

// A question that names a metric, answered by SQL of the model's own.
const says = sql => `\`\`\`sql\n${sql}\n\`\`\``;
const NAMED = 'What was the net inflow in April 2025?';
const APRIL = "created_at >= '2025-04-01' AND created_at < '2025-05-01'";
const own = `SELECT SUM(amount) AS flow FROM transactions WHERE type = 'credit' AND ${APRIL}`;
const defined = `SELECT SUM(CASE WHEN t.type = 'credit' THEN t.amount ELSE -t.amount END) AS flow FROM transactions t WHERE ${APRIL}`;
const form = { metric: 'net flow', period: { from: '2025-04-01', to: '2025-04-30' } };
const advice = "'net flow' is a metric: SUM(CASE WHEN type = 'credit' THEN amount ELSE -amount END) of transactions";
const others = [line('intent', 'Net flow.'), line('insight', 'SUMMARY: Here it is.\nCHART: metric'), line('tables', '["transactions"]'),
  line('answer', 'Here it is.'), line('respond', 'Here it is.')];
const tasks = { sql_agent: ['generate', 'correct', 2], text_to_sql: ['translate', 'translate', 2], banking: ['bankingSql', 'bankingSql', 3] };
const askOne = async (graph, script) => {
  const one = await startAskd({ mock: await startMock([...script, ...others]), env });
  const transcript = await one.ask(NAMED, { conversation: newConversation(), options: { graph, detail: 'nodes' } });
  return { ...transcript.complete(), retries: transcript.of('retry').map(({ reason }) => reason) };
};

for (const [graph, [first, again, calls]] of Object.entries(tasks))
  test(`${graph}: own SQL for a metric is answered by the query's form, once`, async () => {
    const right = await askOne(graph, [line(first, says(defined))]);
    assert.equal(right.stats.llm_calls, calls, JSON.stringify(right.retries) + 'the definition in SQL is no guess');
    const told = await askOne(graph, [line(first, says(own), { times: 1 }), { ...line(again, fenced(form)), match: advice }]);
    assert.equal(told.stats.llm_calls, calls + 1);
    assert.match(told.sql, /CASE WHEN/);
    assert.ok(Math.abs(told.data.rows[0][0] - right.data.rows[0][0]) < 0.01);
    const insists = await askOne(graph, [line(first, says(own)), line(again, says(own))]);
    assert.ok(insists.warnings.some(text => /'net flow' was computed in another way/.test(text)), JSON.stringify(insists));
    assert.ok(insists.stats.llm_calls <= calls + 1);
  });

test('data_agent: run_sql says the form, and takes it', async () => {
  const call = sql => ({ name: 'run_sql', arguments: { sql } });
  const one = await startAskd({ env, mock: await startMock([
    { user: 'net inflow', result: 'CASE WHEN', reply: 'Nothing told me the form.', times: 0 },
    { user: 'net inflow', result: '"statement":"s3"', reply: 'It is in the rows [s3].' },
    { user: 'net inflow', result: 'there is no metric', calls: [call(JSON.stringify(form))] },
    { user: 'net inflow', result: "'net flow' is a metric", calls: [call('{"metric": "happiness"}')] },
    { user: 'net inflow', calls: [call(own)] }]) });
  const transcript = await one.ask(NAMED, { conversation: newConversation(), options: { graph: 'data_agent' } });
  const done = transcript.complete();
  assert.equal(transcript.text, 'It is in the rows [s3].');
  assert.match(done.sql, /CASE WHEN/);
});
