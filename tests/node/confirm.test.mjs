// SPDX-License-Identifier: MIT
// tests/node/confirm.test.mjs - a person allows each call of a tool that a file says so of: askd's own, a statement,
// a verified statement, a graph that asks by itself too, a tool outside, and a node.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { askdCommand, newConversation, question, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { readStream } from './lib/sse.mjs';

let requests = 0;
const service = createServer((request, response) => { requests++; response.end('it rains'); });
await new Promise(resolve => service.listen(0, '127.0.0.1', resolve));
after(() => service.close());
const at = `http://127.0.0.1:${service.address().port}/`;
const call = (name, args = {}) => ({ name, arguments: args });
const COUNT = 'SELECT COUNT(*) AS n FROM employee';
const mock = await startMock([
  { user: 'sum', result: '4', reply: 'It is 4.' }, { user: 'sum', result: 'refused', reply: 'Nobody allowed it.' },
  { user: 'sum', calls: [call('calculate', { expression: '1+1' })] },
  { user: 'count', result: '"statement":"s1"', reply: 'Counted [s1].' }, { user: 'count', calls: [call('run_sql', { sql: COUNT })] },
  { user: 'roles', result: '"statement":"s1"', reply: 'Roles [s1].' }, { user: 'roles', calls: [call('count_role', { role: 'technician' })] },
  { user: 'letter', result: 'Dear Ann', reply: 'It is written.' }, { user: 'letter', calls: [call('letters', { question: 'to Ann' })] },
  { user: 'weather', result: 'it rains', reply: 'Rain.' }, { user: 'weather', calls: [call('sky_now')] },
  { match: '', reply: 'Nobody expected this.' },
]);
const folder = tempPath('confirm_graphs');
mkdirSync(folder);
const file = (name, value) => { const path = join(folder, `${name}.json`); writeFileSync(path, JSON.stringify({ name, purpose: name, ...value })); return path; };
const line = (...names) => names.slice(1).map((to, i) => ({ from: names[i], to }));
file('letters', { state: { q: 'text', name: 'text' }, question: 'q', nodes: { who: { type: 'interrupt', text: 'Who signs?', output: 'name' }, say: { type: 'answer', text: 'Dear Ann, {name}' } },
  edges: line('START', 'who', 'say', 'END') });
const agent = tools => ({ state: { q: 'text', said: 'text' }, question: 'q', nodes: { clerk: { type: 'agent', prompt: { system: 'You are a clerk', user: '{q}' }, question: 'q', tools, answer: true, output: 'said' } },
  edges: line('START', 'clerk', 'END') });
file('clerk', agent([{ tool: 'calculate', confirm: true }, { tool: 'run_sql', confirm: true }, { graph: 'letters', confirm: true }, { tool: 'sky_now', confirm: true }]));
file('node', { state: { q: 'text', said: 'text' }, question: 'q', nodes: { sky: { type: 'http', call: 'sky_now', confirm: true, output: 'said' }, say: { type: 'answer', text: 'So: {said}' } },
  edges: line('START', 'sky', 'say', 'END') });
file('free', agent([{ tool: 'calculate' }, 'run_sql']));
const tools = tempPath('confirm_tools.json'), semantic = tempPath('confirm_semantic.json');
writeFileSync(tools, JSON.stringify({ allow: [at], http: { sky_now: { description: 'The sky', url: `${at}now`, private: true } } }));
writeFileSync(semantic, JSON.stringify({ version: 1, verified_queries: [{ question: 'How many have a role?', name: 'count_role', confirm: true,
  sql: 'SELECT COUNT(*) AS n FROM employee WHERE role = {role}', parameters: { type: 'object', properties: { role: { type: 'string' } }, required: ['role'] } }] }));
const env = { ASKD_GRAPHS: folder, ASKD_TOOLS: tools, ASKD_SEMANTIC: semantic, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('confirm.db')}` };
const askd = await startAskd({ mock, env });
const ask = async (message, conversation, graph = 'clerk') => (await readStream((await askd.post(`/internal/graphs/${graph}/stream`, question(message, conversation))).body)).complete();
const resume = async (paused, conversation, answer) => readStream((await askd.post(
  `/internal/runs/${paused.run_id}/resume?company_id=${conversation.company_id}&user_id=${conversation.user_id}`, { resume: answer })).body);
const allowed = async (message, type, graph = 'clerk') => {
  const conversation = newConversation(), paused = await ask(message, conversation, graph);
  assert.equal(paused.interrupts?.[0]?.type, type, JSON.stringify(paused));
  return { asked: paused.interrupts[0], done: await resume(paused, conversation, { action: 'approve' }), conversation };
};

test("askd's own tool: allowed with other arguments, or refused", async () => {
  const conversation = newConversation(), paused = await ask('sum', conversation);
  assert.deepEqual([paused.interrupts[0].type, paused.interrupts[0].tool, paused.interrupts[0].arguments], ['tool_approval', 'calculate', { expression: '1+1' }]);
  assert.equal((await resume(paused, conversation, { action: 'edit', arguments: { expression: '2+2' } })).text, 'It is 4.');
  const other = newConversation();
  assert.equal((await resume(await ask('sum', other), other, { action: 'refuse' })).text, 'Nobody allowed it.');
});

test('a statement, and a verified one, are shown as statements', async () => {
  const plain = await allowed('count', 'sql_approval'), verified = await allowed('roles', 'sql_approval');
  assert.equal(plain.asked.sql, COUNT);
  assert.equal(plain.done.text, 'Counted [s1].');
  assert.match(verified.asked.sql, /role = 'technician'/);
  assert.equal(verified.done.text, 'Roles [s1].');
});

test('a graph is allowed once, and asks by itself behind that', async () => {
  const { done, conversation } = await allowed('letter', 'tool_approval');
  const inside = done.complete();
  assert.match(JSON.stringify(inside.interrupts), /Who signs\?/);
  assert.equal((await resume(inside, conversation, 'Bob')).text, 'It is written.');
});

test('a tool outside, of an agent and of a node', async () => {
  const { done } = await allowed('weather', 'tool_approval');
  assert.equal(done.text, 'Rain.');
  assert.equal(requests, 1, 'nothing is sent before it is allowed');
  assert.equal((await allowed('x', 'tool_approval', 'node')).done.text, 'So: it rains');
  assert.equal(requests, 2);
});

test('without "confirm" nobody is asked; mistakes are told with their place', async () => {
  const free = await ask('count', newConversation(), 'free');
  assert.deepEqual(free.interrupts ?? [], []);
  for (const [wrong, expected] of [[{ tool: 'no_such' }, /\/nodes\/clerk\/tools\/0: there is no tool 'no_such'/], [{ tool: 'calculate', confirm: 1 }, /\/nodes\/clerk\/tools\/0\/confirm: /],
    [{ confirm: true }, /\/nodes\/clerk\/tools\/0/]]) {
    const path = tempPath('wrong.json');
    writeFileSync(path, JSON.stringify({ name: 'wrong', purpose: 'w', ...agent([wrong]) }));
    assert.match((await askdCommand(['graph', 'check', path], { env: {} })).stderr, expected);
  }
});
