// SPDX-License-Identifier: MIT
// tests/node/semantic_query.test.mjs - a model fills in metric, dimensions, filters and period; askd writes the
// statement. What is wrong with a query goes back to the model with its place.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { newConversation, sourceDir, startAskd, startMock } from './lib/harness.mjs';
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
const env = { ASKD_SEMANTIC: join(sourceDir, 'samples/semantic.json'), SQL_SAMPLE_ROWS: '0' };
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
