// SPDX-License-Identifier: MIT
// tests/node/agent_reach.test.mjs - how far an agent reaches: what of its results a prompt holds, and that a cancel
// ends each of its calls, whatever that waits for; and a file's graph that is looked at while it runs and afterwards.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startCollector } from './lib/collector.mjs';
import { askdCommand, newConversation, ofUser1, question, startAskd, startMock, stopAtEnd, tempPath } from './lib/harness.mjs';
import { untilMarked } from './lib/marks.mjs';
import { Process, until } from './lib/process.mjs';
import { startWatched } from './lib/watched.mjs';
import { createSamples, running } from './lib/servers.mjs';
import { readStream } from './lib/sse.mjs';

const call = (name, args = {}) => ({ name, arguments: args });
const COUNT = 'SELECT COUNT(*) AS n FROM employee';
const WAITING = ['search_docs', 'explain_sql', 'run_sql', 'count_staff', 'ask_tree', 'held'];
const AT_ONCE = ['list_tables', 'describe_tables', 'find_values', 'join_path', 'calculate', 'draw_chart'];
const every = [...AT_ONCE.map(name => call(name, { describe_tables: { tables: ['employee'] }, find_values: { text: 'electrician' },
  join_path: { tables: ['workOrder', 'employee'] }, calculate: { expression: '1 + 1' }, draw_chart: { type: 'bar' } }[name])),
call('search_docs', { query: 'ladders' }), call('explain_sql', { sql: 'SELECT COUNT(*) AS explained FROM employee' }),
call('run_sql', { sql: 'SELECT COUNT(*) AS ran FROM employee' }), call('count_staff'), call('ask_tree', { question: 'ash' }), call('held')];
const mock = await startMock([
  { user: 'a long one', result: 'cut: the whole', reply: 'It was long.' }, { user: 'a long one', calls: [call('long')] },
  { user: 'many', result: '"page":5', reply: 'They were many.' },
  ...[4, 3, 2, 1, 0].map(page => ({ user: 'many', result: `"page":${page}`, calls: [call('page', { page: page + 1 })] })),
  { user: 'many', calls: [call('page', { page: 0 })] },
  { user: 'tree ash', reply: 'no', fault: 'silent' },
  { user: 'everything', calls: every },
  { system: 'You begin', reply: 'It has begun.' }, { system: 'You end', reply: 'And so it ends.', fault: 'hold-1' },
  { match: '', reply: 'Nobody expected this.' }]);

// A service whose answers are as long as they are asked to be, or do not come.
const left = [];
const service = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://x');
  if (pathname === '/held')
    return void response.on('close', () => left.push(pathname));
  response.setHeader('content-type', 'application/json');
  response.end(pathname === '/long' ? JSON.stringify({ text: '\u00e9'.repeat(50000) })
    : JSON.stringify({ page: Number(searchParams.get('page')), text: 'x'.repeat(2000) }));
});
service.listen(0, '127.0.0.1');
await once(service, 'listening');
after(() => { service.closeAllConnections(); service.close(); });
const place = `http://127.0.0.1:${service.address().port}/`;
const tool = (name, more) => ({ description: name, url: place + name, private: true, graphs: ['data_agent'], ...more });
const tools = tempPath('tools.json');
writeFileSync(tools, JSON.stringify({ allow: [place], http: { long: tool('long'), held: tool('held'),
  page: tool('page', { parameters: { type: 'object', properties: { page: { type: 'integer' } } }, query: { page: '{page}' } }) } }));

// Graphs in files.
const graphs = tempPath('graphs'), steps = tempPath('steps');
const put = (graph, folder = graphs) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${graph.name}.json`), JSON.stringify({ purpose: 'p', question: 'question', ...graph }));
};
put({ name: 'tree', state: { question: 'text', said: 'text' },
  nodes: { tell: { type: 'ask', prompt: { system: 'You tell.', user: 'tree {question}' }, output: 'said', answer: true } },
  edges: [{ from: 'START', to: 'tell' }, { from: 'tell', to: 'END' }] });
put({ name: 'chief', state: { question: 'text', answer: 'text' },
  nodes: { work: { type: 'agent', prompt: { system: 'You work.', user: '{question}' }, question: 'question', output: 'answer', answer: true,
    tools: [...AT_ONCE, ...WAITING.filter(name => !['ask_tree', 'count_staff'].includes(name)), { graph: 'tree', as: 'ask_tree' }] } },
  edges: [{ from: 'START', to: 'work' }, { from: 'work', to: 'END' }] });
put({ name: 'two_steps', state: { question: 'text', first: 'text', second: 'text', messages: { type: 'list', reduce: 'append', passing: true } },
  nodes: { recall: { type: 'recall', question: 'question', messages: 'messages' },
    begin: { type: 'ask', prompt: { system: 'You begin.', user: '{question}' }, output: 'first' },
    finish: { type: 'ask', prompt: { system: 'You end.', user: '{first}' }, output: 'second', answer: true },
    remember: { type: 'remember', question: 'question', answer: 'second' } },
  edges: ['START', 'recall', 'begin', 'finish', 'remember'].map((from, i, all) => ({ from, to: all[i + 1] ?? 'END' })), report: { first: 'first' } }, steps);

const ask = async (server, graph, message, options = { detail: 'nodes' }, conversation = newConversation()) =>
  readStream((await server.post(`/internal/graphs/${graph}/stream`, question(message, conversation, options))).body);
// Texts of tools' results in the last prompt.
const shown = recorded => recorded.requests.at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

test('the result of a tool is cut, between two characters, and the model is told of how much', async () => {
  const recorded = await startWatched(mock), askd = await startAskd({ mock: recorded, env: { ASKD_TOOLS: tools } });
  assert.equal((await ask(askd, 'data_agent', 'a long one')).text, 'It was long.');
  const [text] = shown(recorded), whole = Buffer.byteLength(JSON.stringify({ text: '\u00e9'.repeat(50000) }));
  assert.match(text, new RegExp(`^<data>\\n\\{"text":"\u00e9+\\n\\.\\.\\. \\(cut: the whole result has ${whole} bytes\\)\\n</data>$`));
  const kept = Buffer.byteLength(/^<data>\n(.*)\n\.\.\. \(cut/s.exec(text)[1]);
  assert.ok(kept === 32 * 1024 || kept === 32 * 1024 - 1, `${kept} bytes`);
});

test('results count as bytes of the prompt: where there are too many the oldest are left out', async () => {
  const recorded = await startWatched(mock);
  const askd = await startAskd({ mock: recorded, env: { ASKD_TOOLS: tools, MAX_CONTEXT_TOKENS: '6000' } }); // half of it, three bytes each
  assert.equal((await ask(askd, 'data_agent', 'many')).text, 'They were many.');
  const texts = shown(recorded), isOut = text => /^\(left out: call the tool again/.test(text);
  assert.equal(texts.length, 6);
  assert.deepEqual(texts.map(isOut), [true, true, false, false, false, false], 'four of some 2,000 bytes fit into 9,000');
  assert.match(texts[5], /^<data>\n\{"page":5,"text":"x{2000}"\}\n<\/data>$/, 'what is shown is whole');
});

test('a cancel reaches each call, whatever it waits for: a model, a service, a vector, a plan, rows', async () => {
  const recorded = await startWatched(mock, ({ path }) => path.endsWith('/embeddings')); // vectors never come
  const database = 'node_agent_reach', url = await createSamples('postgres', database);
  const docs = tempPath('reach.db'), semantic = tempPath('semantic.json');
  const env = { ASKD_TOOLS: tools, ASKD_GRAPHS: graphs, ASKD_DATABASE_URL: url, ASKD_SEMANTIC: semantic, ASKD_EMBEDDINGS: 'openai:mock',
    ASKD_VECTOR_URL: `sqlite:${docs}`, ASKD_SQL_MAX_COST: '0', ASKD_SQL_TIMEOUT_SECONDS: '600', ASKD_RUN_TIMEOUT_SECONDS: '600' };
  writeFileSync(semantic, JSON.stringify({ version: 1, verified_queries: [{ question: 'How many are there?', name: 'count_staff', sql: 'SELECT COUNT(*) AS verified FROM employee' }] }));
  const page = tempPath('ladders.md');
  writeFileSync(page, '# Ladders\n\nEach ladder is held by two people.\n');
  const added = await askdCommand(['docs', 'add', page], { env: { ASKD_MODEL: 'openai', OPENAI_API_KEY: 'k', OPENAI_MODEL: 'mock', OPENAI_BASE_URL: `${mock.url}/v1`,
    ASKD_EMBEDDINGS: env.ASKD_EMBEDDINGS, ASKD_VECTOR_URL: env.ASKD_VECTOR_URL, ASKD_KEYWORD_URL: 'none' } });
  assert.equal(added.code, 0, added.stderr);
  const askd = await startAskd({ mock: recorded, env: { ...env, ASKD_KEYWORD_URL: 'none' } });
  // Nobody reads the table until the run is cancelled.
  const lock = new Process('psql', ['-X', '-q', url], { cwd: '/tmp', input: null });
  stopAtEnd({ child: lock, stop: () => lock.child.kill('SIGKILL') });
  lock.child.stdin.write('BEGIN; LOCK TABLE employee IN ACCESS EXCLUSIVE MODE;\n\\echo locked\n');
  await lock.said(/locked/);

  const conversation = newConversation();
  const { body } = await askd.post('/internal/graphs/chief/stream', question('everything', conversation, { detail: 'nodes' }));
  const statements = ['explained', 'ran', 'verified'];
  const ended = transcript => transcript.of('tool_end').filter(event => event.id).map(event => event.tool).toSorted();
  const begun = await readStream(body, transcript => ended(transcript).length === AT_ONCE.length);
  assert.deepEqual(ended(begun), AT_ONCE.toSorted(), 'what waits for nothing has ended');
  assert.deepEqual(begun.of('tool_start').filter(event => event.id).map(event => event.tool).toSorted(), [...AT_ONCE, ...WAITING].toSorted());
  for (const text of statements)
    await until(`the statement '${text}' waits`, async () => await running('postgres', database, text) > 0);
  const waiting = path => recorded.requests.filter(one => one.path.endsWith(path)).at(-1);
  await until('a vector and a model are waited for', () => waiting('/embeddings') && waiting('/chat/completions').body.messages.at(-1).content === 'tree ash');
  const cancelled = await askd.post(`/internal/runs/${begun.runId}/cancel?${ofUser1}`, {});
  assert.ok(cancelled.status < 300, String(cancelled.status));
  const whole = await readStream(body, undefined, begun);
  whole.error('cancelled');
  assert.deepEqual(ended(whole), AT_ONCE.toSorted(), 'no call ended otherwise');
  for (const text of statements)
    await until(`the statement '${text}' is gone`, async () => await running('postgres', database, text) === 0);
  await until('nothing outside is waited for', () => waiting('/embeddings').left && waiting('/chat/completions').left && left.length === 1);
  lock.child.kill('SIGKILL');
});

test("a file's graph has the spans and the checkpoints of a built-in one, and another run goes on from each of them", async () => {
  const store = tempPath('steps.db'), collector = await startCollector();
  const askd = await startAskd({ mock, env: { ASKD_GRAPHS: steps, ASKD_CHECKPOINT_URL: `sqlite:${store}`, ASKD_DURABILITY: 'sync', OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` } });
  const conversation = newConversation(), whose = `company_id=${conversation.company_id}&user_id=${conversation.user_id}`;
  const response = await askd.post('/internal/graphs/two_steps/stream', question('Go on', conversation, { detail: 'nodes' }));
  const runId = response.headers.get('x-run-id'), trace = response.headers.get('traceparent').split('-')[1];
  // Checkpoints are written behind the run: it is held at its second question until the store has one.
  await untilMarked(store, runId, 'It has begun.');
  const transcript = await mock.release(readStream(response.body));
  assert.deepEqual([transcript.text, transcript.complete().first], ['And so it ends.', 'It has begun.']);

  await until("the run's span", () => collector.of(trace, 'invoke_workflow')[0]);
  assert.equal(collector.of(trace, 'invoke_workflow')[0].attributes['gen_ai.workflow.name'], 'two_steps');
  assert.deepEqual(collector.of(trace, 'invoke_agent').map(span => span.attributes['gen_ai.agent.name']).toSorted(), ['begin', 'finish', 'recall', 'remember']);
  assert.equal(collector.of(trace, 'chat ').length, 2);

  const get = async (id, path) => (await askd.fetch(`/internal/conversations/${id}${path}${path.includes('?') ? '&' : '?'}${whose}`)).json();
  await until('the turn is kept', async () => (await get(conversation.id, '')).turns === 1);
  const { supersteps } = await get(conversation.id, '/checkpoints');
  const states = await Promise.all(supersteps.map(async one => ({ ...one, ...await get(conversation.id, `/checkpoints?run_id=${runId}&version=${one.version}`) })));
  const at = states.find(({ next }) => next.includes('finish'));
  assert.ok(at, JSON.stringify(states));
  assert.deepEqual([at.graph, at.values.question, at.values.first], ['two_steps', 'Go on', 'It has begun.']);
  const before = (await mock.stats()).requests, to = `${conversation.id}-b`;
  const forked = await (await askd.fetch(`/internal/conversations/${conversation.id}/fork?${whose}&to=${to}&run_id=${runId}&version=${at.version}`, { method: 'POST' })).json();
  const again = await mock.release(askd.fetch(`/internal/runs/${forked.run_id}/stream?${ofUser1}`).then(({ body }) => readStream(body)));
  assert.equal(again.last.event, 'complete', again.raw);
  assert.deepEqual([again.text, again.last.first], ['And so it ends.', 'It has begun.']);
  assert.equal((await mock.stats()).requests - before, 1, 'what was done is not done again');
});
