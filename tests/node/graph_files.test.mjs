// SPDX-License-Identifier: MIT
// tests/node/graph_files.test.mjs - graphs in files (examples/graphs): the one that docs/adding-a-graph.md writes in
// C says the same as a file; people in the loop, statements past the guard, every list, SIGHUP.
import Ajv2020 from 'ajv/dist/2020.js';
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { askdCommand, newConversation, ofUser1, question, sampleDatabase, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { untilMarked } from './lib/marks.mjs';
import { until } from './lib/process.mjs';
import { general } from './lib/scripts.mjs';
import { readStream } from './lib/sse.mjs';

const EXAMPLES = join(sourceDir, 'examples/graphs');
const SQL = 'SELECT COUNT(*) AS n FROM employee';
const mock = await startMock([
  { system: 'You write headlines', user: 'endless', reply: 'One two three four five six seven eight nine' },
  { system: 'You write headlines', user: 'more than eight words', reply: 'C Daemon Streams Answers' },
  { system: 'You write headlines', user: 'daemon', reply: 'A Very Long Headline About A Daemon In The Language C' },
  { system: 'You sort requests', user: 'roof', reply: 'URGENT' },
  { system: 'You sort requests', reply: 'NORMAL' },
  { system: 'Answer from the passages alone', reply: 'Overtime is paid one and a half times.' },
  { system: 'Write one SELECT', user: 'missingColumn', reply: `\`\`\`sql\n${SQL}\n\`\`\`` },
  { system: 'Write one SELECT', user: 'employees', reply: '```sql\nSELECT missingColumn FROM employee\n```' },
  { system: 'Write one SELECT', user: 'delete', reply: '```sql\nDELETE FROM employee\n```' },
  { system: 'Write one paragraph', reply: 'There are 22.' },
  { system: 'You inspect a', user: 'How many employees', result: '"statement":"s2"', reply: 'There are 22 employees [s2].' },
  { system: 'You inspect a', user: 'How many employees', result: 'employee', calls: [{ name: 'run_sql', arguments: { sql: SQL } }] },
  { system: 'You inspect a', user: 'How many employees', calls: [{ name: 'list_tables', arguments: {} }] },
  { system: 'You inspect a', user: 'out of thin air', reply: 'There are a thousand.' },
  { system: 'You inspect a', user: 'Which year', calls: [{ name: 'ask_user', arguments: { question: 'Which year?', options: ['2024', '2025'] } }] },
  { user: 'No more tools can be called', reply: 'So far: there are 22 employees [s1].' },
  { system: 'You inspect a', user: 'slow, endless', fault: 'slow-first-1100', calls: [{ name: 'run_sql', arguments: { sql: SQL } }] },
  { system: 'You inspect a', user: 'endless', calls: [{ name: 'run_sql', arguments: { sql: SQL } }] },
  { system: 'You inspect a', user: 'draw', result: 'There is no tool', reply: 'I may not draw.' },
  { system: 'You inspect a', user: 'draw', calls: [{ name: 'draw_chart', arguments: { type: 'bar' } }] },
  ...general,
]);
const whose = conversation => `company_id=${conversation.company_id}&user_id=${conversation.user_id}`;
const ask = async (askd, graph, message, conversation = newConversation(), options = {}) =>
  (await readStream((await askd.post(`/internal/graphs/${graph}/stream`, question(message, conversation, options))).body)).events;
const plain = events => events.map(({ run_id, conversation_id, ts, stats, duration_ms, ...rest }) => JSON.stringify(rest)
  .replace(/"(duration_ms|first_token_ms|took_ms|ms)":\d+/g, '"$1":0').replace(/run_[\w-]+|conv-[\w-]+/g, 'ID'));

test('headline as a file says what headline in C says', { skip: !process.env.ASKD_HEADLINE_BIN }, async () => {
  const inFile = await startAskd({ mock, env: { ASKD_GRAPHS: EXAMPLES } });
  const saved = process.env.ASKD_BIN;
  process.env.ASKD_BIN = process.env.ASKD_HEADLINE_BIN;
  const inC = await startAskd({ mock, env: { ASKD_PROMPT_DIR: join(process.env.DOCS_FOLDER, 'headline/prompts') } })
    .finally(() => { process.env.ASKD_BIN = saved; });
  for (const message of ['A daemon', 'An endless one']) {
    const [a, b] = [await ask(inC, 'headline', message, undefined, { detail: 'debug' }), await ask(inFile, 'headline', message, undefined, { detail: 'debug' })];
    assert.ok(a.length > 8);
    assert.deepEqual(plain(b), plain(a));
  }
});

test('a person in the loop, on the way of the answer', async () => {
  const askd = await startAskd({ mock, env: { ASKD_GRAPHS: EXAMPLES, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('triage.db')}` } });
  const conversation = newConversation();
  const paused = (await ask(askd, 'triage', 'Rain comes through the roof', conversation)).at(-1);
  assert.deepEqual(paused.interrupts[0].options, ['yes', 'no']);
  assert.match(paused.interrupts[0].text, /Rain comes through the roof/);
  const resume = async (run, answer) =>
    (await readStream((await askd.post(`/internal/runs/${run}/resume?${whose(conversation)}`, { resume: answer })).body)).events.at(-1);
  const again = await resume(paused.run_id, 'perhaps');
  assert.match(again.interrupts[0].error, /none of the options/);
  const done = await resume(again.run_id, 'yes');
  assert.equal(done.decision, 'yes');
  assert.equal(done.urgency, 'URGENT');
  const events = await ask(askd, 'triage', 'How is overtime paid?', conversation);
  assert.equal(events.at(-1).urgency, 'NORMAL');
  assert.match(events.filter(event => event.event === 'token').map(event => event.content).join(''), /one and a half/);
});

test('a statement of a file goes past the guard, and only so', async () => {
  const askd = await startAskd({ mock, env: { ASKD_GRAPHS: EXAMPLES } });
  const events = await ask(askd, 'monthly_report', 'How many employees?', undefined, { detail: 'nodes' });
  assert.equal(events.at(-1).event, 'complete', JSON.stringify(events.at(-1)));
  assert.deepEqual(events.at(-1).data.rows, [[22]]);
  assert.match(events.at(-1).sql, /company_id/, 'the rows are the company’s');
  const refused = (await ask(askd, 'monthly_report', 'delete all')).at(-1);
  assert.equal(refused.event, 'error');
  assert.equal(refused.code, 'sql_failed');
});

test('an agent of a file: its tools, its budgets, and a check of what it says', async () => {
  const askd = await startAskd({ mock, env: { ASKD_GRAPHS: EXAMPLES } });
  const said = events => events.filter(event => event.event === 'token').map(event => event.content).join('');
  const counted = await ask(askd, 'inspector', 'How many employees are there?', undefined, { detail: 'nodes' });
  assert.equal(said(counted), 'There are 22 employees [s2].', 'its words are a draft until they are checked');
  assert.deepEqual(counted.filter(event => event.event === 'tool_start').map(event => event.tool), ['list_tables', 'run_sql']);
  assert.deepEqual(counted.at(-1).data.rows, [[22]]);
  assert.match(counted.at(-1).sql, /company_id/i, 'the rows are the company’s');
  assert.match(said(await ask(askd, 'inspector', 'Say a number out of thin air')), /^No statement was run/);
  const back = await ask(askd, 'inspector', 'Which year was the best?');
  assert.deepEqual(back.at(-1).clarify.options.length, 2);
  assert.match(said(back), /Which year\?/);
  const endless = await ask(askd, 'inspector', 'an endless one');
  assert.match(endless.at(-1).spent, /all 8 turns are used/);
  assert.equal(said(endless), 'So far: there are 22 employees [s1].');
  const other = await ask(askd, 'inspector', 'draw me something', undefined, { detail: 'nodes' });
  assert.match(other.find(event => event.event === 'tool_end').result, /There is no tool 'draw_chart'\. There are: list_tables/);
  const none = await startAskd({ env: { ASKD_GRAPHS: EXAMPLES } });
  const failed = (await ask(none, 'inspector', 'How many employees are there?')).at(-1);
  assert.equal(failed.code, 'model_unavailable');
});

test('budgets of tokens and of seconds end an agent, which answers with what it has', async () => {
  const folder = tempPath('limits');
  mkdirSync(folder);
  const inspector = JSON.parse(readFileSync(join(EXAMPLES, 'inspector.json'), 'utf8'));
  for (const [name, limit] of [['few', { tokens: 100 }], ['short', { seconds: 1 }]])
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...inspector, name, nodes: { ...inspector.nodes, inspect: { ...inspector.nodes.inspect, ...limit } } }));
  const askd = await startAskd({ mock, env: { ASKD_GRAPHS: folder } });
  for (const [name, message, spent] of [['few', 'an endless one', /^\d+ tokens are used, of at most 100$/], ['short', 'a slow, endless one', /^it took [12] seconds, of at most 1$/]]) {
    const events = await ask(askd, name, message);
    assert.match(events.at(-1).spent, spent, name);
    assert.equal(events.filter(event => event.event === 'token').map(event => event.content).join(''), 'So far: there are 22 employees [s1].');
  }
});

test('a budget of money ends an agent, and needs a model with prices', async () => {
  const folder = tempPath('money'), models = tempPath('money.json');
  mkdirSync(folder);
  const inspector = JSON.parse(readFileSync(join(EXAMPLES, 'inspector.json'), 'utf8'));
  inspector.nodes.inspect.cost = 0.0004;
  writeFileSync(join(folder, 'inspector.json'), JSON.stringify(inspector));
  const start = prices => {
    writeFileSync(models, JSON.stringify({ models: { one: { url: `${mock.url}/v1`, model: 'mock', key: 'SOME_KEY', prices } } }));
    return startAskd({ env: { ASKD_GRAPHS: folder, ASKD_MODEL: 'openai', ASKD_MODELS: models, SOME_KEY: 'sk', OPENAI_API_KEY: undefined } });
  };
  const spent = (await ask(await start({ input: 1000, output: 1000 }), 'inspector', 'an endless one')).at(-1);
  assert.match(spent.spent, /^it cost [\d.e-]+, of at most 0\.0004$/, JSON.stringify(spent));
  const none = (await ask(await start(undefined), 'inspector', 'an endless one')).at(-1);
  assert.equal(none.event, 'error');
  assert.match(none.message, /has no prices/);
});

test('files are in every list, and read again on SIGHUP', async () => {
  const folder = tempPath('graphs');
  mkdirSync(folder);
  copyFileSync(join(EXAMPLES, 'headline.json'), join(folder, 'headline.json'));
  const askd = await startAskd({ mock, env: { ASKD_GRAPHS: folder } });
  const names = async () => (await (await askd.fetch('/internal/graphs')).json()).graphs.map(graph => graph.name);
  assert.ok((await names()).includes('headline'));
  assert.ok((await (await askd.fetch('/v1/models')).json()).data.some(model => model.id.endsWith('headline')));
  assert.match(await (await askd.fetch('/internal/graphs/headline?format=mermaid')).text(), /check -->\|too_long\| write/);
  assert.match(await (await askd.fetch('/metrics')).text(), /askd_runs_total\{graph="headline"/);
  const text = readFileSync(join(EXAMPLES, 'headline.json'), 'utf8');
  writeFileSync(join(folder, 'second.json'), text.replace('"name": "headline"', '"name": "second"').replace('"text": "{draft}"', '"text": "It is: {draft}"'));
  askd.child.child.kill('SIGHUP');
  await until(() => 'the second graph', async () => (await names()).includes('second'));
  const events = await ask(askd, 'second', 'A daemon');
  assert.equal(events.filter(event => event.event === 'token').map(event => event.content).join(''), 'It is: C Daemon Streams Answers');
  writeFileSync(join(folder, 'third.json'), '{"name":"third"}');
  askd.child.child.kill('SIGHUP');
  await until(() => 'the mistake in the log', () => /graphs\.kept.*third\.json: \/purpose: expected a text/.test(askd.child.stderr));
  assert.ok((await names()).includes('second'), 'a mistake changes nothing');
  rmSync(join(folder, 'third.json'));
  rmSync(join(folder, 'second.json'));
  askd.child.child.kill('SIGHUP');
  await until(() => 'the second graph is gone', async () => !(await names()).includes('second'));
});

test('a run keeps its definition: on SIGHUP, paused and over a restart, or ends with one error', async () => {
  const folder = tempPath('kept_graphs'), file = join(folder, 'gate.json');
  const write = (path, word) => writeFileSync(path, JSON.stringify({ name: 'gate', purpose: 'Asks.', state: { q: 'text', ok: 'text', said: 'text' }, question: 'q',
    nodes: { think: { type: 'ask', prompt: { system: 'You think at the gate.', user: '{q}' }, output: 'said' },
      ask: { type: 'interrupt', text: 'May it?', options: ['yes', 'no'], output: 'ok' }, say: { type: 'answer', text: `${word}: {ok}` } },
    edges: [{ from: 'START', to: 'think' }, { from: 'think', to: 'ask' }, { from: 'ask', to: 'say' }, { from: 'say', to: 'END' }] }));
  const slow = await startMock([{ system: 'You think at the gate', user: 'wait', reply: 'one two three four five', fault: 'hold' }, { system: 'You think', reply: 'Well.' }]);
  mkdirSync(folder);
  write(file, 'first');
  const env = { ASKD_GRAPHS: folder, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}`, ASKD_LEASE_SECONDS: '2', ASKD_DURABILITY: 'sync' };
  const before = await startAskd({ mock: slow, env });
  const said = transcript => transcript.events.filter(event => event.event === 'token').map(event => event.content).join('');
  const paused = [];
  for (let i = 0; i < 3; i++) {
    const conversation = newConversation();
    paused.push({ conversation, run: (await ask(before, 'gate', 'Go', conversation)).at(-1).run_id });
  }
  const resume = (server, { conversation, run }) => server.post(`/internal/runs/${run}/resume?${whose(conversation)}`, { resume: 'yes' });
  const conversation = newConversation();
  const flying = ask(before, 'gate', 'wait', conversation); // in its first node while the file changes
  await until(() => 'the model is asked', async () => (await slow.stats()).requests >= 4);
  write(file, 'second');
  before.child.child.kill('SIGHUP');
  await until(() => 'the change in the log', () => /graphs\.(read|loaded|changed)/.test(before.child.stderr));
  await slow.release(flying);
  const flown = (await flying).at(-1);
  assert.equal(said(await readStream((await resume(before, { conversation, run: flown.run_id })).body)), 'first: yes', 'it was in flight');
  assert.equal(said(await readStream((await resume(before, paused[0])).body)), 'first: yes', 'it was paused');
  const fresh = newConversation();
  const anew = (await ask(before, 'gate', 'Go', fresh)).at(-1).run_id;
  assert.equal(said(await readStream((await resume(before, { conversation: fresh, run: anew })).body)), 'second: yes');
  await before.stop();
  const after = await startAskd({ mock: slow, env });
  const gone = await resume(after, paused[1]);
  assert.equal(gone.status, 410);
  assert.match(await gone.text(), /the definition of graph 'gate' that the run began with is gone/);
  mkdirSync(join(folder, 'kept'));
  write(join(folder, 'kept', 'gate-1.json'), 'first');
  after.child.child.kill('SIGHUP');
  const kept = await until(() => 'its definition is kept', async () => { const response = await resume(after, paused[1]); return response.status === 200 ? response : undefined; });
  assert.equal(said(await readStream(kept.body)), 'first: yes', 'its definition is among those that are kept');
  const listed = (await (await after.fetch('/internal/graphs')).json()).graphs.filter(graph => graph.name === 'gate');
  assert.equal(listed.length, 1, 'kept ones are in no list');
  // One in flight whose server dies, and whose definition the next server lacks.
  const lost = await startAskd({ mock: slow, env: { ...env, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('lost.db')}` } });
  const response = await lost.post('/internal/graphs/gate/stream', question('wait', newConversation(), { detail: 'nodes' }));
  const begun = await readStream(response.body, transcript => transcript.of('node_start').length > 0);
  await untilMarked(tempPath('lost.db'), begun.runId);
  lost.kill();
  write(file, 'third');
  const next = await startAskd({ mock: slow, env: { ...env, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('lost.db')}` } });
  const rejoined = await readStream((await next.fetch(`/internal/runs/${begun.runId}/stream?${ofUser1}`, { headers: { 'last-event-id': begun.frames.at(-1).id } })).body);
  assert.equal(rejoined.last.event, 'error', rejoined.raw);
  assert.equal(rejoined.events.filter(event => event.event === 'error').length, 1);
});

test('a start with a mistake says where', async () => {
  const file = tempPath('wrong.json');
  writeFileSync(file, '{"name":"w","purpose":"p","state":{"q":"text"},"question":"q","nodes":{"a":{"type":"answer","text":"{x}"}},"edges":[]}');
  const result = await askdCommand(['graph', 'check', file]);
  assert.equal(result.code, 1);
  assert.match(result.stderr, /wrong\.json: \/nodes\/a\/text: \{x\} is no field of \/state/);
  const headline = readFileSync(join(EXAMPLES, 'headline.json'), 'utf8');
  for (const [from, to, where] of [
    [', "budget": "retry"', '', /wrong\.json: \/nodes\/\w+: leads to a cycle without a budget/],
    [/"say"/g, '"end"', /wrong\.json: \/nodes\/end: this is not a name for a node, .* neither start nor end/],
    [', "label": "settled" }', ' }', /wrong\.json: \/nodes\/check: label 'settled' has 0 edges, expected one/],
    ['{ "from": "START", "to": "write" },', '', /wrong\.json: \/nodes\/write: not reachable from START/],
    ['{ "from": "START", "to": "write" },', '{ "from": "START", "to": "write" }, { "from": "START", "to": "write" },', /wrong\.json: \/edges: two edges to 'write'/],
  ]) {
    writeFileSync(file, headline.replaceAll(from, to));
    const checked = await askdCommand(['graph', 'check', file]);
    assert.equal(checked.code, 1);
    assert.match(checked.stderr, where);
  }
});

test('a file whose graph runs another of its folder is checked, drawn and asked by its own name', async () => {
  const folder = tempPath('pair');
  mkdirSync(folder);
  const write = (name, node) => writeFileSync(join(folder, `${name}.json`), JSON.stringify({ name, purpose: 'p', state: { q: 'text' }, question: 'q',
    nodes: { a: node }, edges: [{ from: 'START', to: 'a' }, { from: 'a', to: 'END' }] }));
  write('inner', { type: 'answer', text: 'inside: {q}' });
  write('outer', { type: 'graph', graph: 'inner', in: { q: 'q' }, out: {} });
  const outer = join(folder, 'outer.json');
  for (const words of [['check', outer], ['show', outer]]) {
    const { code, stderr } = await askdCommand(['graph', ...words]);
    assert.equal(code, 0, stderr);
  }
  const asked = await askdCommand(['graph', 'run', outer, 'hello'], { env: { ASKD_MODEL: 'offline', ASKD_TENANCY: 'off', ASKD_DATABASE_URL: `sqlite:${await sampleDatabase()}` } });
  assert.equal(asked.code, 0, asked.stderr);
  assert.match(asked.stdout, /inside: hello/);
  write('other', { type: 'graph', graph: 'nowhere', in: {}, out: {} });
  const wrong = await askdCommand(['graph', 'check', join(folder, 'other.json')]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /other\.json: \/nodes\/a\/graph: there is no graph 'nowhere'/);
  write('other', { type: 'graph', graph: 'inner', in: { nothing: 'q' }, out: {} });
  const among = await askdCommand(['graph', 'check', join(folder, 'other.json')]); // what is wrong is known only with the others
  assert.match(among.stderr, /other\.json: \/nodes\/a\/in/);
});

test('the schema for editors has each member that askd knows, and no other', async () => {
  const schema = JSON.parse(readFileSync(join(EXAMPLES, 'graph.schema.json'), 'utf8'));
  const base = () => ({ name: 'probe', purpose: 'p', state: { q: 'text', j: 'json' }, question: 'q', budgets: {},
    nodes: { a: { type: 'answer', text: 'x' } }, edges: [{ from: 'START', to: 'a' }, { from: 'a', to: 'END' }] });
  let files = 0;
  const tools = tempPath('probe-tools.json');
  writeFileSync(tools, JSON.stringify({ allow: ['https://a.test/'], http: { probe: { description: 'd', url: 'https://a.test/x' } } }));
  const known = async spoil => { // the members that the refusal of one names
    const graph = base(), file = tempPath(`probe-${files++}.json`);
    spoil(graph);
    writeFileSync(file, JSON.stringify(graph));
    const { stderr } = await askdCommand(['graph', 'check', file], { env: { ASKD_TOOLS: tools } });
    const found = /there (?:is no member|is no type) '[^']*'; there are: ([^\n]*)/.exec(stderr);
    assert.ok(found, stderr);
    return found[1].split(', ').map(name => name.trim()).sort();
  };
  const seen = new Set();
  const same = async (where, object, spoil) => {
    seen.add(object);
    assert.deepEqual(Object.keys(object.properties).sort(), await known(spoil), where);
  };
  const types = await known(graph => { graph.nodes.a.type = 'no_such'; });
  const nodes = new Map(schema.properties.nodes.additionalProperties.oneOf
    .flatMap(node => (node.properties.type.enum ?? [node.properties.type.const]).map(type => [type, node])));
  assert.deepEqual([...nodes.keys()].sort(), types);
  for (const type of types)
    await same(type, nodes.get(type), graph => { graph.nodes.a = { type, no_such: 1 }; });
  const { properties: of, $defs: defs } = schema;
  const wrong = { no_such: 1 }, holds = { field: 'q', is: 'set' };
  await same('a graph', schema, graph => { graph.no_such = 1; });
  await same('a field', of.state.additionalProperties.anyOf[1], graph => { graph.state.q = { type: 'text', ...wrong }; });
  await same('a start', of.state.additionalProperties.anyOf[1].properties.start.anyOf[1], graph => { graph.state.q = { type: 'text', start: wrong }; });
  await same('a budget', of.budgets.additionalProperties, graph => { graph.budgets.b = wrong; });
  await same('an edge', of.edges.items, graph => { graph.edges[0].no_such = 1; });
  await same('what is reported', of.report.additionalProperties.anyOf[1], graph => { graph.report = { x: wrong }; });
  await same('a failure', of.failure, graph => { graph.failure = wrong; });
  await same('another code', defs.code, graph => { graph.failure = { field: 'q', code: 'invalid', if: holds, else: wrong }; });
  await same('a choice', defs.route.items, graph => { graph.nodes.a.route = [wrong]; });
  await same('a condition', defs.condition, graph => { graph.nodes.a.route = [{ label: 'x', if: { all: [wrong] } }, { label: 'y' }]; });
  const set = value => graph => { graph.nodes.a = { type: 'set', values: { q: value } }; };
  await same('a value', defs.value.anyOf[1], set(wrong));
  await same('a value by a condition', defs.value.anyOf[2], set({ if: holds, ...wrong }));
  const agent = more => graph => { graph.nodes.a = { type: 'agent', question: 'q', output: 'q', prompt: { user: '{q}' }, tools: ['calculate'], ...more }; };
  await same('a prompt', defs.prompt, agent({ prompt: wrong }));
  const [other, marked] = nodes.get('agent').properties.tools.items.anyOf.filter(one => one.type === 'object');
  await same('a graph as a tool', other, agent({ tools: [wrong] }));
  await same('a tool with more', marked, agent({ tools: [{ tool: 'calculate', ...wrong }] }));
  const ask = more => graph => { graph.nodes.a = { type: 'ask', prompt: { user: '{x}' }, fields: { x: { text: '' } }, output: 'q', warnings: 'j', ...more }; };
  const parts = nodes.get('ask').properties;
  await same('an output', parts.outputs.items, ask({ output: undefined, outputs: [wrong] }));
  await same('what is held', parts.hold, ask({ hold: wrong }));
  await same('what is said instead', parts.instead, ask({ instead: wrong }));
  await same('what is remembered', parts.remember, ask({ remember: wrong }));
  await same('what is mended', parts.mend, ask({ mend: wrong }));
  await same('what a placeholder is', defs.fields.additionalProperties, ask({ fields: { x: wrong } }));
  assert.deepEqual(await known(ask({ fields: { x: { text: '', ...wrong } } })), Object.keys(defs.fields.additionalProperties.properties).sort());
  await same('an argument', nodes.get('http').properties.arguments.additionalProperties.anyOf[1],
    graph => { graph.nodes.a = { type: 'http', call: 'probe', arguments: { x: wrong }, output: 'q' }; });
  await same('a part of an answer', nodes.get('http').properties.outputs.items,
    graph => { graph.nodes.a = { type: 'http', call: 'probe', outputs: [wrong] }; });
  const closed = value => Object.values(value ?? {}).filter(one => typeof one === 'object' && one !== null)
    .flatMap(one => [...(one.additionalProperties === false ? [one] : []), ...closed(one)]);
  for (const object of closed(schema))
    assert.ok(seen.has(object), `nothing looks at ${JSON.stringify(object).slice(0, 200)}`);
});

test('the schema for editors takes what askd takes, and refuses what it refuses', () => {
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(join(EXAMPLES, 'graph.schema.json'), 'utf8')));
  const read = name => JSON.parse(readFileSync(join(EXAMPLES, `${name}.json`), 'utf8'));
  for (const name of readdirSync(EXAMPLES).filter(name => /^[a-z_]+\.json$/.test(name)).map(name => name.slice(0, -5)))
    assert.ok(validate(read(name)), JSON.stringify(validate.errors));
  for (const spoil of [graph => { delete graph.purpose; }, graph => { graph.nodes.say.type = 'python'; }, graph => { graph.state.draft = 'string'; },
    graph => { graph.nodes.check.route[0].if.all[0].is = 'big'; }, graph => { graph.nodes.write.colour = 'red'; }]) {
    const graph = read('headline');
    spoil(graph);
    assert.equal(validate(graph), false);
  }
});
