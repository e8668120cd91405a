// SPDX-License-Identifier: MIT
// tests/node/graph_maps.test.mjs - graphs that a node runs as operations: "map" over a list, and a graph as a tool of an
// agent: order, limits, failures, people asked from inside, and a server that is killed in the middle.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { askdCommand, newConversation, ofUser1, question, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { untilMarked } from './lib/marks.mjs';
import { readStream } from './lib/sse.mjs';

const folder = tempPath('maps');
mkdirSync(folder);
const put = graph => writeFileSync(join(folder, `${graph.name}.json`), JSON.stringify(graph));
const one = (name, nodes, more = {}) => put({ name, purpose: `Does ${name}.`, state: { word: 'text', said: 'text', ...more.state }, question: 'word', nodes,
  edges: more.edges ?? [{ from: 'START', to: Object.keys(nodes)[0] }, ...Object.keys(nodes).map((node, i, all) => ({ from: node, to: all[i + 1] ?? 'END' }))],
  report: more.report ?? {} });
const map = (name, inner, words, more = {}) => put({ name, purpose: `Does ${inner} for each word.`,
  state: { question: 'text', words: 'json', said: 'list', failed: 'list', why: 'text' }, question: 'question',
  nodes: { words: { type: 'set', values: { words: JSON.stringify(words).replace(/[{}]/g, '$&$&') } },
    each: { type: 'map', over: 'words', graph: inner, output: 'said', failed: 'failed', ...more },
    say: { type: 'answer', text: '{said}' } },
  edges: [{ from: 'START', to: 'words' }, { from: 'words', to: 'each' }, { from: 'each', to: 'say' }, { from: 'say', to: 'END' }],
  report: { said: 'said', failed: 'failed' } });
const WORDS = ['ash', 'birch', 'cedar', 'date', 'elder', 'fir'];
const tell = { type: 'ask', answer: true, prompt: { system: 'You tell about trees.', user: 'tree {word}' }, output: 'said' };
one('tree', { tell });
one('asked_tree', { ask: { type: 'interrupt', text: 'May {word} be told?', options: ['yes', 'no'], output: 'said' }, tell: { type: 'answer', text: '{word}: {said}' } });
one('counter', { write: { type: 'set', values: { sql: 'SELECT COUNT(*) AS n FROM employee' } }, count: { type: 'sql', statement: 'sql', result: 'result', error: 'error' },
  tell: { type: 'answer', text: 'Counted as {unit}.' } }, { state: { unit: { type: 'text', input: true }, sql: 'text', result: 'json', error: 'text' }, report: { sql: 'sql', data: 'result' } });
map('trees', 'tree', WORDS, { at_once: 2 });
map('taken', 'tree', WORDS.map(word => `taken ${word}`), { at_once: 3, take: 'said' });
map('bad_fail', 'tree', ['ash', 'bad', 'fir']);
map('bad_skip', 'tree', ['ash', 'bad', 'fir'], { on_error: 'skip' });
map('bad_keep', 'tree', ['ash', 'bad', 'fir'], { on_error: 'keep', at_once: 1 });
map('too_many', 'tree', WORDS, { most: 5 });
map('none', 'tree', []);
map('picked', 'tree', [{ name: 'ash' }, { name: 'fir' }], { pick: '/name' });
map('asks', 'asked_tree', ['ash', 'birch', 'cedar']);
map('slow', 'tree', ['ash', 'slow'], { seconds: 1, on_error: 'keep' });
put({ name: 'chief', purpose: 'Asks other graphs.', state: { question: 'text', answer: 'text', statements: { type: 'list', reduce: 'append' }, data: 'json' }, question: 'question',
  nodes: { work: { type: 'agent', prompt: { system: 'You are the chief.', user: '{question}' }, question: 'question', answer: true,
    tools: ['calculate', { graph: 'counter', as: 'count_people', description: 'Counts people.', runs: 3, seconds: 30 }, { graph: 'asked_tree' }],
    output: 'answer', statements: 'statements', data: 'data' } },
  edges: [{ from: 'START', to: 'work' }, { from: 'work', to: 'END' }], report: { statements: 'statements', data: 'data' } });

const call = (name, args) => ({ name, arguments: args });
const mock = await startMock([
  { user: 'tree bad', reply: 'no', fault: '401' },
  { user: 'tree slow', reply: 'no', fault: 'silent' },
  { user: 'tree taken cedar', reply: 'no', times: 1, fault: 'silent' },
  ...WORDS.map(word => ({ user: `tree taken ${word}`, reply: `${word} was told`, times: 1 })),
  { user: 'tree taken', reply: 'told once more' },
  ...WORDS.map(word => ({ user: `tree ${word}`, reply: `The ${word} is a tree.` })),
  { system: 'You are the chief', user: 'How many people', result: 'all that it may be', reply: 'There are 22 people [s1].' },
  { system: 'You are the chief', user: 'How many people', result: '"answer":"Counted as heads."', calls: [call('count_people', { question: 'Once more', unit: 'heads' }), call('count_people', { question: 'And again' })] },
  { system: 'You are the chief', user: 'How many people', result: 'The arguments do not fit', calls: [call('count_people', { question: 'How many people?', unit: 'heads' })] },
  { system: 'You are the chief', user: 'How many people', calls: [call('count_people', { unit: 7 }), call('counter', { question: 'x' })] },
  { system: 'You are the chief', user: 'ask for two', result: 'fir: no', reply: 'One may be told.' },
  { system: 'You are the chief', user: 'ask for two', calls: [call('asked_tree', { question: 'ash' }), call('calculate', { expression: '1 + 1' }), call('asked_tree', { question: 'fir' })] },
  { match: '', reply: 'Nobody expected this.' },
]);
const askd = await startAskd({ mock, env: { ASKD_GRAPHS: folder, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('maps.db')}` } });
const ask = async (graph, message = 'Go on', options = {}, conversation = newConversation(), server = askd) =>
  readStream((await server.post(`/internal/graphs/${graph}/stream`, question(message, conversation, options))).body);
const whose = conversation => `company_id=${conversation.company_id}&user_id=${conversation.user_id}`;
const resume = async (conversation, run, answer, server = askd) =>
  readStream((await server.post(`/internal/runs/${run}/resume?${whose(conversation)}`, { resume: answer })).body);

test('a map answers in the order of its list, and only its own answer is read', async () => {
  const transcript = await ask('trees', undefined, { detail: 'nodes' });
  assert.deepEqual(transcript.last.said, WORDS.map(word => `The ${word} is a tree.`), transcript.raw);
  assert.deepEqual(JSON.parse(transcript.text), transcript.last.said, 'what the six said is the map’s, not the reader’s');
  assert.equal(transcript.of('tool_progress').at(-1).message, '6 of 6');
  const starts = transcript.of('node_start').map(event => event.node);
  assert.ok(starts.includes('each/tree:5/tell'), starts.join(' '));
  let running = 0, most = 0;
  for (const event of transcript.events) {
    running += /^each\/tree:\d\/tell$/.test(event.node ?? '') ? { node_start: 1, node_end: -1 }[event.event] ?? 0 : 0;
    most = Math.max(most, running);
  }
  assert.equal(most, 2, 'two at once');
  assert.equal(transcript.last.stats.llm_calls, 6);
  assert.deepEqual((await ask('picked')).last.said, ['The ash is a tree.', 'The fir is a tree.']);
  assert.deepEqual((await ask('none')).last.said ?? [], []);
});

test('an item that fails: by the policy of the file', async () => {
  const fails = await ask('bad_fail');
  assert.equal(fails.last.event, 'error', fails.raw);
  assert.equal(fails.last.code, 'model_rejected', 'as the item failed');
  const skips = (await ask('bad_skip')).last;
  assert.deepEqual(skips.said, ['The ash is a tree.', 'The fir is a tree.']);
  assert.equal(JSON.parse(skips.failed[0]).item, 2);
  const keeps = (await ask('bad_keep')).last;
  assert.equal(keeps.said.length, 3);
  assert.ok(JSON.parse(keeps.said[1]).error);
  assert.match((await ask('too_many')).last.message, /'words' has too many items \(6, at most 5\)/);
  const slow = (await ask('slow')).last;
  assert.match(JSON.parse(slow.said[1]).error, /longer than 1000 ms/);
});

test('people asked from inside of a map, one after the other', async () => {
  const conversation = newConversation();
  let last = (await ask('asks', undefined, {}, conversation)).last;
  assert.equal(last.interrupts.length, 3);
  assert.equal(last.interrupts[0].node, 'each/asked_tree:0/ask');
  for (const answer of ['yes', 'no', 'yes'])
    last = (await resume(conversation, last.run_id, answer)).last;
  assert.deepEqual(last.said, ['ash: yes', 'birch: no', 'cedar: yes'], JSON.stringify(last));
});

test('a server is killed in the middle of a map: what had ended is not made again', async () => {
  const store = tempPath('taken.db');
  const env = { ASKD_GRAPHS: folder, ASKD_LEASE_SECONDS: '2', ASKD_DURABILITY: 'sync', ASKD_CHECKPOINT_URL: `sqlite:${store}` };
  const [first, other] = await Promise.all([startAskd({ mock, env }), startAskd({ mock, env })]);
  const response = await first.post('/internal/graphs/taken/stream', question('Go on', newConversation(), { detail: 'nodes' }));
  const before = await readStream(response.body, transcript => transcript.of('tool_progress').length === 5);
  await untilMarked(store, before.runId, ...WORDS.filter(word => word !== 'cedar').map(word => `${word} was told`));
  first.kill();
  const rejoined = await other.fetch(`/internal/runs/${before.runId}/stream?${ofUser1}`, { headers: { 'last-event-id': before.frames.at(-1).id } });
  const after = await readStream(rejoined.body);
  assert.deepEqual(after.last.said, WORDS.map(word => `${word} was told`), after.raw);
  assert.deepEqual(after.of('node_start').map(event => event.node).filter(node => /tell$/.test(node)), ['each/tree:2/tell']);
});

test('a graph as a tool: its arguments, its answer and its rows, its number of calls', async () => {
  const transcript = await ask('chief', 'How many people are there?', { detail: 'nodes' });
  assert.equal(transcript.text, 'There are 22 people [s1].', transcript.raw);
  const results = transcript.of('tool_end').map(event => event.result ?? '');
  assert.ok(results.some(text => /\/unit: expected a string/.test(text) || /question: expected/.test(text)), results.join('\n'));
  assert.ok(results.some(text => /There is no tool 'counter'\. There are: count_people, asked_tree, calculate/.test(text)), results.join('\n'));
  assert.ok(results.some(text => /Counted as heads\./.test(text) && /"data"/.test(text)));
  assert.equal(results.filter(text => /all that it may be/.test(text)).length, 1);
  assert.deepEqual(transcript.last.data.rows, [[22]]);
  assert.ok(transcript.last.statements.length >= 1);
  assert.ok(transcript.of('node_start').some(event => event.node.endsWith('/count')), 'its nodes are in the events');
});

test('graphs as tools that ask a person: the others are not made again', async () => {
  const conversation = newConversation();
  const paused = (await ask('chief', 'ask for two', { detail: 'nodes' }, conversation)).last;
  assert.equal(paused.interrupts.length, 2, JSON.stringify(paused));
  const again = await resume(conversation, paused.run_id, 'yes');
  assert.equal(again.last.interrupts.length, 1, again.raw);
  assert.ok(!again.of('tool_start').some(event => event.tool === 'calculate'));
  const done = await resume(conversation, again.last.run_id, 'no');
  assert.equal(done.text, 'One may be told.', done.raw);
});

test('the example: a sentence about each customer', async () => {
  const server = await startAskd({ mock: await startMock([{ system: 'You write one sentence about a customer', reply: 'Much was done.' }]),
    env: { ASKD_GRAPHS: join(sourceDir, 'examples/graphs') } });
  const { last } = await ask('portraits', 'All of them', {}, newConversation(), server);
  assert.deepEqual(last.said ?? last.sentences, Array(6).fill('Much was done.'), JSON.stringify(last));
  assert.deepEqual(last.failed ?? [], []);
});

test('mistakes of the file are told with their place', async () => {
  const base = { name: 'wrong', purpose: 'p', state: { q: 'text', words: 'json', said: 'list', n: 'int' }, question: 'q',
    edges: [{ from: 'START', to: 'a' }, { from: 'a', to: 'END' }] };
  for (const [node, where] of [
    [{ type: 'map', over: 'q', graph: 'statement', output: 'said' }, /nodes\/a\/over/],
    [{ type: 'map', over: 'words', graph: 'nowhere', output: 'said' }, /nodes\/a\/graph: there is no graph 'nowhere'/],
    [{ type: 'map', over: 'words', graph: 'statement', item: 'result', output: 'said' }, /nodes\/a\/item: field 'result' of graph 'statement' is no text/],
    [{ type: 'map', over: 'words', graph: 'statement', item: 'sqll', output: 'said' }, /nodes\/a\/item: graph 'statement' has no field 'sqll'/],
    [{ type: 'map', over: 'words', graph: 'statement', output: 'q' }, /nodes\/a\/output/],
    [{ type: 'map', over: 'words', graph: 'statement', output: 'said', on_error: 'ignore' }, /nodes\/a\/on_error: expected fail, skip or keep/],
    [{ type: 'map', over: 'words', graph: 'statement', in: { sql: 'n' }, output: 'said' }, /nodes\/a\/in: field 'sql' of graph 'statement' is of another type/],
    [{ type: 'agent', prompt: { user: '{q}' }, question: 'q', output: 'q', tools: [{ graph: 'data_agent', as: 'a b' }] }, /nodes\/a\/tools\/0\/as: 'a b' is no name/],
    [{ type: 'agent', prompt: { user: '{q}' }, question: 'q', output: 'q', tools: ['calculate', { graph: 'data_agent', as: 'calculate' }] }, /nodes\/a\/tools\/1: 'calculate' is named twice/],
    [{ type: 'map', over: 'words', graph: 'wrong', output: 'said' }, /would run itself/],
  ]) {
    const file = tempPath('wrong.json');
    writeFileSync(file, JSON.stringify({ ...base, nodes: { a: node } }));
    const result = await askdCommand(['graph', 'check', file]);
    assert.equal(result.code, 1, JSON.stringify(node));
    assert.match(result.stderr, where);
  }
});
