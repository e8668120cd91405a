// SPDX-License-Identifier: MIT
// tests/node/data_event.test.mjs - rows before the answer about them, for clients that ask for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, startAskd, startMock } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';

const SQL = 'SELECT role, COUNT(*) AS n FROM employee GROUP BY role ORDER BY role';
const mock = await startMock([
  line('classify', JSON.stringify({ route: 'SQL', sql: SQL, cannot: null, search: null }), { user: 'roles' }),
  line('classify', 'GENERAL'), line('general', 'Hello.'), line('generate', `\`\`\`sql\n${SQL}\n\`\`\``),
  line('translate', `\`\`\`sql\n${SQL}\n\`\`\``), line('answer', 'Here they are.'), line('respond', 'Here they are.'),
  line('intent', 'Count them.'), line('bankingSql', '```sql\nSELECT type, COUNT(*) AS n FROM transactions GROUP BY type\n```'), line('insight', 'SUMMARY: Here they are.\nCHART: table'),
]);
const askd = await startAskd({ mock });
const ask = (message, options) => askd.ask(message, { conversation: newConversation(), options });
const names = ({ events }) => [...new Set(events.map(({ event }) => event))];

for (const graph of ['orchestrator', 'sql_agent', 'text_to_sql'])
  test(`${graph}: the rows come first, and complete has them, too`, async () => {
    const transcript = await ask('Which roles are there?', { graph, data: 'first' });
    const [data, ...more] = transcript.of('data');
    assert.equal(more.length, 0);
    assert.deepEqual(data.data, transcript.complete().data);
    assert.ok(data.data.rows.length > 1);
    const order = transcript.events.map(({ event }) => event);
    assert.ok(order.indexOf('data') < order.indexOf('token'), order.join());
  });

test('banking: the rows come before the summary is written', async () => {
  const transcript = await ask('How many transactions of each type?', { graph: 'banking', data: 'first', detail: 'nodes' });
  assert.deepEqual(transcript.of('data').map(({ data }) => data), [transcript.complete().data]);
  const order = transcript.events.map(({ event, node }) => event === 'data' ? event : node);
  assert.ok(order.includes('insight_agent') && order.indexOf('data') < order.indexOf('insight_agent'), order.join());
});

test('nobody else is told: not by default, not with more detail', async () => {
  for (const options of [{}, { data: 'complete' }, { detail: 'debug' }])
    assert.ok(!names(await ask('Which roles are there?', options)).includes('data'), JSON.stringify(options));
  assert.deepEqual(names(await ask('Which roles are there?', { data: 'first' })), ['route_decision', 'tool_start', 'data', 'token', 'complete']);
  assert.ok(!names(await ask('Hi', { data: 'first' })).includes('data'));
});

test('what is no such word is refused by its name', async () => {
  const response = await askd.post('/internal/chat/stream', { input: { message: 'Hi' }, conversation: newConversation(), options: { data: true } });
  assert.equal(response.status, 422);
  assert.match(await response.text(), /\/options\/data/);
});
