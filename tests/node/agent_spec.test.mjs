// SPDX-License-Identifier: MIT
// tests/node/agent_spec.test.mjs - Open Agent Spec in and out: a flow for each type of node and tool runs, what has no
// place is refused with its JSON pointer, and a graph that was exported and imported says what it said.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Ajv2020 from 'ajv/dist/2020.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { askdCommand, newConversation, question, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { readStream } from './lib/sse.mjs';

const seen = [];
const service = createServer((request, response) => {
  let body = '';
  request.on('data', chunk => { body += chunk; });
  request.on('end', () => {
    seen.push({ url: request.url, method: request.method, body, key: request.headers['x-desk'] });
    response.setHeader('content-type', 'text/plain');
    response.end(request.url === '/v1/parts' ? '{"sky":"blue","degrees":7,"a/b":["x"]}' : `sunny at ${request.url}`);
  });
});
await new Promise(resolve => service.listen(0, '127.0.0.1', resolve));
after(() => service.close());
const at = `http://127.0.0.1:${service.address().port}`;

// An MCP server of npm's SDK, without sessions.
const mcpCalls = [];
const mcp = createServer(async (request, response) => {
  const server = new McpServer({ name: 'desk', version: '1' }), text = value => ({ content: [{ type: 'text', text: value }] });
  server.registerTool('look-up', { description: 'Looks a customer up', inputSchema: { name: z.string() } }, async ({ name }) => { mcpCalls.push(`look-up ${name}`); return text(`${name} has 3 orders`); });
  server.registerTool('delete', { description: 'Deletes', inputSchema: { name: z.string() } }, async ({ name }) => { mcpCalls.push(`delete ${name}`); return text(`${name} deleted`); });
  server.registerTool('hidden', { description: 'Not for this agent', inputSchema: {} }, async () => { mcpCalls.push('hidden'); return text('secret'); });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on('close', () => transport.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
});
await new Promise(resolve => mcp.listen(0, '127.0.0.1', resolve));
after(() => { mcp.closeAllConnections(); mcp.close(); });
const transport = { component_type: 'StreamableHTTPTransport', id: 't', name: 'the desk of everybody, with a long name', url: `http://127.0.0.1:${mcp.address().port}/mcp`, headers: { 'x-desk': 'yes' } };
const DESK = 'the_desk_of_everybody__with_a_l';

const mock = await startMock([
  { user: 'Write about', reply: 'A line about it.' },
  { user: 'Sort: angry', reply: 'ANGRY' }, { user: 'Sort:', reply: 'CALM' },
  { user: 'Take apart', reply: 'Here: {"city":"Bern","days":3,"wet":true,"list":["a","b"]}' },
  { user: 'one word', reply: 'word' },
  { user: 'Names: 3', reply: '{"a b":"1","a-b":"2","a_b":"3","said":"4","loop_count":"5"}' },
  { system: 'You sort requests', user: 'letter', reply: 'LETTER' }, { system: 'You sort requests', user: 'who', reply: 'PERSON' },
  { system: 'You sort requests', reply: 'TALK' }, { system: 'You write letters', reply: 'Dear all.' }, { user: 'Talk:', reply: 'Nice weather.' },
  { user: 'First: rain', reply: 'one' }, { user: 'Second: rain', reply: 'two' },
  { system: 'You keep the desk', user: 'Anna', result: 'Anna has 3 orders', reply: 'She has 3.' },
  { system: 'You keep the desk', user: 'Anna', calls: [{ name: `${DESK}_look-up`, arguments: { name: 'Anna' } }, { name: `${DESK}_hidden`, arguments: {} }] },
  { system: 'You keep the desk', user: 'Berta', result: 'Berta deleted', reply: 'She is gone.' },
  { system: 'You keep the desk', user: 'Berta', calls: [{ name: `${DESK}_delete`, arguments: { name: 'Berta' } }] },
  { system: 'You judge in Rome', user: 'this', reply: '{"mark":3,"why":"short"}' }, { system: 'You speak in Rome', user: 'this', reply: 'Ave.' },
  { system: 'You are a clerk in Bern', user: 'sum', result: '4', reply: 'It is 4.' },
  { system: 'You are a clerk in Bern', user: 'sum', calls: [{ name: 'calculate', arguments: { expression: '2+2' } }] },
]);

const ref = id => ({ $component_ref: id });
const llm = { component_type: 'OpenAiCompatibleConfig', id: 'm', name: 'm', model_id: 'x', url: 'http://localhost/v1' };
const text = (title, more) => ({ title, type: 'string', ...more });
// A flow whose nodes follow one another, or as control says ([from, to, branch]); data: [from, output, to, input], or null.
const flow = (name, { inputs = [text('topic')], outputs = [], nodes, control, data = null, more = {}, refs = {} }) => {
  const all = { start: { component_type: 'StartNode', inputs }, ...nodes, end: { component_type: 'EndNode', outputs } };
  const ids = Object.keys(all);
  const components = Object.fromEntries(ids.map(id => [`${name}.${id}`, { id: `${name}.${id}`, name: id, ...all[id] }]));
  const edge = ([from, to, branch]) => ({ component_type: 'ControlFlowEdge', name: `${from}-${to}`, from_node: ref(`${name}.${from}`),
    from_branch: branch ?? null, to_node: ref(`${name}.${to}`) });
  const wire = ([from, output, to, input]) => ({ component_type: 'DataFlowEdge', name: `${from}-${to}`, source_node: ref(`${name}.${from}`),
    source_output: output, destination_node: ref(`${name}.${to}`), destination_input: input });
  return { component_type: 'Flow', agentspec_version: '26.1.2', id: name, name, inputs, outputs, start_node: ref(`${name}.start`), nodes: ids.map(id => ref(`${name}.${id}`)),
    control_flow_connections: (control ?? ids.slice(1).map((id, i) => [ids[i], id])).map(edge), data_flow_connections: data && data.map(wire),
    $referenced_components: { m: llm, ...components, ...refs }, ...more };
};
const inner = (outer, sub) => { // a flow within another: its components move to the root
  const { $referenced_components: more, agentspec_version, ...rest } = sub;
  Object.assign(outer.$referenced_components, more, { [sub.name]: rest });
  return outer;
};
const LLM = (prompt, outputs) => ({ component_type: 'LlmNode', llm_config: ref('m'), prompt_template: prompt, ...(outputs && { outputs }) });
const SAY = message => ({ component_type: 'OutputMessageNode', message });

let count = 0;
const convert = async (document, spoil = value => value) => {
  const file = tempPath(`flow-${count++}.json`), folder = `${file}.out`;
  writeFileSync(file, JSON.stringify(spoil(document)));
  const result = await askdCommand(['graph', 'import', '--format', 'agentspec', file, folder]);
  return { ...result, folder };
};
const serve = async (folder, env = {}) => {
  const checked = await askdCommand(['graph', 'check', join(folder, 'graphs')], { env });
  assert.equal(checked.code, 0, checked.stderr);
  return startAskd({ mock, env: { ASKD_GRAPHS: join(folder, 'graphs'), ...env } });
};
const said = events => events.filter(event => event.event === 'token' && event.channel === 'final').map(event => event.content).join('');
const ask = async (askd, graph, message, conversation = newConversation(), options = {}) => {
  const response = await askd.post(`/internal/graphs/${graph}/stream`, question(message, conversation, options));
  return (await readStream(response.body)).events;
};
const run = async (document, message, env) => {
  const { code, stderr, folder } = await convert(document);
  assert.equal(code, 0, stderr);
  const askd = await serve(folder, env?.(folder));
  const events = await ask(askd, document.name, message);
  return { events, last: events.at(-1), text: said(events), askd };
};

test('StartNode, LlmNode, OutputMessageNode, EndNode; values by name', async () => {
  const { text: answer, last } = await run(flow('plain', { outputs: [text('generated_text')],
    nodes: { write: LLM('Write about {{ topic }}; {"a": {}}'), say: SAY('Said {it}: {{generated_text}}') } }), 'rain');
  assert.equal(answer, 'Said {it}: A line about it.');
  assert.equal(last.generated_text, 'A line about it.');
});

test('LlmNode with a form: outputs of every type', async () => {
  const outputs = [text('city'), { title: 'days', type: 'integer' }, { title: 'wet', type: 'boolean' }, { title: 'list', type: 'array', items: { type: 'string' } }];
  const { text: answer, last } = await run(flow('apart', { outputs, nodes: { take: LLM('Take apart {{topic}}', outputs), say: SAY('{{city}} {{days}} {{wet}}') } }), 'x');
  assert.equal(answer, 'Bern 3 true');
  assert.deepEqual(last.list, ['a', 'b']);
});

test('BranchingNode, with edges of data, and a default of an input', async () => {
  const document = flow('sorting', { inputs: [text('topic'), text('tone', { default: 'polite' })],
    nodes: { sort: LLM('Sort: {{request}}', [text('mood')]), which: { component_type: 'BranchingNode', mapping: { ANGRY: 'hot', CALM: 'cold' }, inputs: [text('key')] },
      calm: SAY('Be {{how}}'), go: SAY('Go on, {{how}}') },
    control: [['start', 'sort'], ['sort', 'which'], ['which', 'calm', 'hot'], ['which', 'go', 'cold'], ['which', 'end', 'default'], ['calm', 'end'], ['go', 'end']],
    data: [['start', 'topic', 'sort', 'request'], ['sort', 'mood', 'which', 'key'], ['start', 'tone', 'calm', 'how'], ['start', 'tone', 'go', 'how']] });
  const { askd, text: answer } = await run(document, 'angry words');
  assert.equal(answer, 'Be polite');
  assert.equal(said(await ask(askd, 'sorting', 'quiet words')), 'Go on, polite');
});

test('FlowNode, CatchExceptionNode, and a loop with a budget', async () => {
  const sub = () => flow('line', { outputs: [text('generated_text')], nodes: { write: LLM('Write about {{topic}}') } });
  const nested = inner(flow('outer', { nodes: { part: { component_type: 'FlowNode', subflow: ref('line') }, say: SAY('It: {{generated_text}}') } }), sub());
  assert.equal((await run(nested, 'rain')).text, 'It: A line about it.');
  const failing = flow('failing', { outputs: [text('tool_output', { default: 'nothing' })], nodes: { call: { component_type: 'ToolNode', tool: { component_type: 'RemoteTool', id: 'r', name: 'dead',
    url: 'http://127.0.0.1:9/x', http_method: 'GET', inputs: [], outputs: [text('tool_output')] } } } });
  const caught = inner(flow('catching', { nodes: { part: { component_type: 'CatchExceptionNode', subflow: ref('failing'),
      outputs: [text('tool_output', { default: 'nothing' }), text('caught_exception_info', { default: '' })] }, say: SAY('fine'), sorry: SAY('Caught: {{caught_exception_info}}') },
    control: [['start', 'part'], ['part', 'say', 'next'], ['part', 'sorry', 'caught_exception_branch'], ['say', 'end'], ['sorry', 'end']] }), failing);
  assert.match((await run(caught, 'x', folder => ({ ASKD_TOOLS: join(folder, 'tools.json') }))).text, /^Caught: .+/);
  const loop = flow('loop', { nodes: { sort: LLM('Sort: {{topic}}', [text('mood')]), which: { component_type: 'BranchingNode', mapping: { ANGRY: 'again' }, inputs: [text('mood')] }, say: SAY('{{mood}}') },
    control: [['start', 'sort'], ['sort', 'which'], ['which', 'sort', 'again'], ['which', 'say', 'default'], ['say', 'end']] });
  const { askd, text: calm } = await run(loop, 'quiet');
  assert.equal(calm, 'CALM');
  const endless = (await ask(askd, 'loop', 'angry')).at(-1);
  assert.equal(endless.event, 'error', 'a loop has an end here');
});

test('MapNode and ParallelMapNode', async () => {
  for (const type of ['MapNode', 'ParallelMapNode']) {
    const sub = flow('each', { inputs: [text('item'), text('style')], outputs: [text('generated_text')], nodes: { write: LLM('one word for {{item}} in {{style}}') } });
    const document = inner(flow('mapping', { inputs: [text('topic'), text('style', { default: 'prose' })], outputs: [{ title: 'collected_generated_text', type: 'array' }],
      nodes: { take: LLM('Take apart {{topic}}', [{ title: 'list', type: 'array' }]), each: { component_type: type, subflow: ref('each'), reducers: { generated_text: 'append' } }, say: SAY('done') },
      data: [['start', 'topic', 'take', 'topic'], ['take', 'list', 'each', 'iterated_item'], ['start', 'style', 'each', 'iterated_style'],
        ['each', 'collected_generated_text', 'end', 'collected_generated_text']] }), sub);
    const { last } = await run(document, 'x');
    assert.deepEqual(last.collected_generated_text, ['word', 'word'], `${type}: ${JSON.stringify(last)}`);
  }
});

test('ApiNode and RemoteTool become tools of ASKD_TOOLS; ServerTool is one that is there', async () => {
  const remote = { component_type: 'RemoteTool', id: 'rt', name: 'weather', description: 'The weather.', url: `${at}/v1/{{city}}`, http_method: 'POST', data: { days: '{{days}}' },
    headers: { 'x-desk': 'yes' }, inputs: [text('city'), { title: 'days', type: 'integer' }], outputs: [text('report')] };
  const document = flow('calling', { outputs: [text('report')], nodes: {
    take: LLM('Take apart {{topic}}', [text('city'), { title: 'days', type: 'integer' }]), call: { component_type: 'ToolNode', tool: remote },
    api: { component_type: 'ApiNode', url: `${at}/v2/{{city}}`, http_method: 'GET', query_params: { n: '{{days}}' }, outputs: [text('other')] },
    again: { component_type: 'ToolNode', tool: { component_type: 'ServerTool', id: 'st', name: 'api', inputs: [text('city'), { title: 'days', type: 'integer' }], outputs: [text('third')] } },
    say: SAY('{{report}} {{other}} {{third}}') } });
  const { text: answer, last } = await run(document, 'x', folder => {
    const file = join(folder, 'tools.json'), tools = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual(tools.allow, [`${at}/v1/`, `${at}/v2/`]);
    for (const tool of Object.values(tools.http))
      tool.private = true; // the service of this test is on this machine
    writeFileSync(file, JSON.stringify(tools));
    return { ASKD_TOOLS: file };
  });
  assert.equal(answer, 'sunny at /v1/Bern sunny at /v2/Bern?n=3 sunny at /v2/Bern?n=3', JSON.stringify(last));
  assert.deepEqual(seen.map(request => [request.method, request.body, request.key]), [['POST', '{"days":3}', 'yes'], ['GET', '', undefined], ['GET', '', undefined]]);
});

test('AgentNode and Agent: tools, a client’s tool, a toolbox, a person', async () => {
  const agent = { component_type: 'Agent', id: 'a', name: 'clerk', llm_config: ref('m'), system_prompt: 'You are a clerk in {{place}}.', human_in_the_loop: false,
    tools: [{ component_type: 'ServerTool', id: 's', name: 'calculate' }], inputs: [text('place')], outputs: [text('answer')] };
  const document = flow('office', { inputs: [text('topic'), text('place', { default: 'Bern' })], outputs: [text('answer')], nodes: { clerk: { component_type: 'AgentNode', agent }, say: SAY('{{answer}}') } });
  const { text: answer, events } = await run(document, 'the sum');
  assert.equal(answer, 'It is 4.');
  assert.deepEqual(events.filter(event => event.event === 'tool_start').map(event => event.tool), ['calculate']);
  const transport = { component_type: 'StreamableHTTPTransport', id: 't', name: 'crm', url: 'https://crm.example.com/mcp', headers: { a: 'b' } };
  const alone = { agentspec_version: '25.4.1', component_type: 'Agent', id: 'b', name: 'Alone one', llm_config: llm, system_prompt: 'Help.',
    tools: [{ component_type: 'ClientTool', id: 'c', name: 'pick_colour' }, { component_type: 'MCPTool', id: 'd', name: 'find', client_transport: transport }],
    toolboxes: [{ component_type: 'MCPToolBox', id: 'e', name: 'box', client_transport: { ...transport, id: 'u', name: 'desk', url: 'https://desk.example.com/mcp' } }] };
  const { code, stderr, folder } = await convert(alone);
  assert.equal(code, 0, stderr);
  const graph = JSON.parse(readFileSync(join(folder, 'graphs/Alone_one.json'), 'utf8')).nodes.Alone_one;
  assert.deepEqual(graph.tools, ['crm_find', 'desk_*', 'ask_user']);
  assert.equal(graph.client_tools, true);
  const checked = await askdCommand(['graph', 'check', join(folder, 'graphs')], { env: { ASKD_TOOLS: join(folder, 'tools.json') } });
  assert.equal(checked.code, 0, checked.stderr);
});

test('InputMessageNode asks a person', async () => {
  const { last } = await run(flow('asking', { nodes: { who: { component_type: 'InputMessageNode', message: 'Who, for {{topic}}?', outputs: [text('person')] }, say: SAY('For {{person}}') } }), 'a gift');
  assert.match(last.interrupts[0].text, /^Who, for a gift\?$/);
});

// What a run needs to reach the servers of this test, which are on this machine.
const reachable = folder => {
  const file = join(folder, 'tools.json'), tools = JSON.parse(readFileSync(file, 'utf8'));
  for (const tool of [...Object.values(tools.http), ...Object.values(tools.mcp)])
    tool.private = true;
  writeFileSync(file, JSON.stringify(tools));
  return { ASKD_TOOLS: file };
};

const END = (branch_name, outputs = []) => ({ component_type: 'EndNode', branch_name, outputs });
test('EndNodes with names of branches: the flow outside goes on by them, also behind a failure', async () => {
  const sub = () => flow('sorting', { outputs: [text('kind')], nodes: { sort: LLM('Sort: {{topic}}', [text('kind')]), which: { component_type: 'BranchingNode', mapping: { ANGRY: 'bad' }, inputs: [text('kind')] },
      shout: END('shouting', [text('kind')]) }, control: [['start', 'sort'], ['sort', 'which'], ['which', 'shout', 'bad'], ['which', 'end', 'default']] });
  for (const [name, component_type] of [['outside', 'FlowNode'], ['guarded', 'CatchExceptionNode']]) {
    const caught = component_type === 'FlowNode' ? [] : [['part', 'sorry', 'caught_exception_branch'], ['sorry', 'end']];
    const document = inner(flow(name, { nodes: { part: { component_type, subflow: ref('sorting'), outputs: [text('kind'), ...(caught.length ? [text('caught_exception_info', { default: '' })] : [])] },
        loud: SAY('Do not shout: {{kind}}'), calm: SAY('Good: {{kind}}'), ...(caught.length && { sorry: SAY('sorry') }) },
      control: [['start', 'part'], ['part', 'loud', 'shouting'], ['part', 'calm', 'next'], ['loud', 'end'], ['calm', 'end'], ...caught] }), sub());
    const { askd, text: answer } = await run(document, 'angry');
    assert.equal(answer, 'Do not shout: ANGRY', name);
    assert.equal(said(await ask(askd, name, 'mild')), 'Good: CALM', name);
    const short = structuredClone(document);
    short.control_flow_connections = short.control_flow_connections.filter(edge => edge.from_branch !== 'shouting');
    assert.match((await convert(short)).stderr, /\.part: 0 edges lead from branch 'shouting', expected one/);
    // and out again, and in again
    const folder = (await convert(document)).folder, out = await exported(join(folder, `graphs/${name}.json`));
    assert.equal(out.code, 0, out.stderr);
    const back = JSON.parse(out.stdout), parts = back.$referenced_components;
    assert.ok(holds(back), JSON.stringify(holds.errors?.slice(0, 3)));
    assert.deepEqual(strays(back), []);
    assert.deepEqual(Object.values(parts).filter(part => part.component_type === 'EndNode' && part.id.startsWith('sorting')).map(part => part.branch_name).sort(), ['next', 'shouting']);
    assert.deepEqual(back.control_flow_connections.filter(edge => edge.from_node.$component_ref === `${name}.part`).map(edge => edge.from_branch).sort(),
      ['next', 'shouting', ...(caught.length ? ['caught_exception_branch'] : [])].sort());
    assert.equal((await run(back, 'angry')).text, 'Do not shout: ANGRY');
  }
});

test('several ends give out one value each, whichever node wrote it', async () => {
  const document = flow('ends', { outputs: [text('line')], nodes: { sort: LLM('Sort: {{topic}}', [text('kind')]), which: { component_type: 'BranchingNode', mapping: { ANGRY: 'bad' }, inputs: [text('kind')] },
      one: LLM('First: {{topic}}', [text('a')]), two: LLM('Write about {{topic}}', [text('b')]), second: END(undefined, [text('line')]) },
    control: [['start', 'sort'], ['sort', 'which'], ['which', 'one', 'bad'], ['which', 'two', 'default'], ['one', 'second'], ['two', 'end']],
    data: [['start', 'topic', 'sort', 'topic'], ['start', 'topic', 'one', 'topic'], ['start', 'topic', 'two', 'topic'], ['sort', 'kind', 'which', 'kind'], ['one', 'a', 'second', 'line'], ['two', 'b', 'end', 'line']] });
  assert.equal((await run(document, 'rain')).last.line, 'A line about it.');
  document.data_flow_connections.push({ component_type: 'DataFlowEdge', name: 'x', source_node: ref('ends.one'), source_output: 'a', destination_node: ref('ends.two'), destination_input: 'topic' });
  document.data_flow_connections.splice(2, 1);
  assert.match((await convert(document)).stderr, /hears of other outputs than/, 'one field cannot be two values');
});

test('nodes side by side are a ParallelFlowNode: graphs as their flows, others in a flow of their own', async () => {
  const line = { name: 'line', purpose: 'p', question: 'q', state: { q: 'text', t: 'text' }, nodes: { write: { type: 'ask', prompt: { user: 'Write about {q}' }, output: 't' } },
    edges: [{ from: 'START', to: 'write' }, { from: 'write', to: 'END' }], report: { words: 't' } };
  const graph = { name: 'sides', purpose: 'p', question: 'q', state: { q: 'text', a: 'text', b: 'text', c: 'text' },
    nodes: { one: { type: 'graph', graph: 'line', in: { q: 'q' }, out: { a: 't' } }, two: { type: 'ask', prompt: { user: 'Second: {q}' }, output: 'b' },
      three: { type: 'graph', graph: 'line', in: { q: 'q' }, out: { c: 't' } }, say: { type: 'answer', text: '{a} {b} {c}' } },
    edges: [...['one', 'two', 'three'].flatMap(name => [{ from: 'START', to: name }, { from: name, to: 'say' }]), { from: 'say', to: 'END' }], report: { a: 'a', b: 'b', c: 'c' } };
  const out = await exported(join(written(graph, line), 'sides.json'));
  assert.equal(out.code, 0, out.stderr);
  const document = JSON.parse(out.stdout), parts = document.$referenced_components;
  assert.ok(holds(document), JSON.stringify(holds.errors?.slice(0, 3)));
  assert.deepEqual(strays(document), []);
  const side = Object.values(parts).find(part => part.component_type === 'ParallelFlowNode');
  assert.deepEqual(side.subflows.map(one => one.$component_ref), ['line', 'sides.two.flow', 'sides.three.flow'], 'two values of one name need a flow around them');
  assert.deepEqual([side.inputs.map(one => one.title), side.outputs.map(one => one.title)], [['q'], ['words', 'b', 'c']]);
  const { text: answer, last, askd } = await run(document, 'rain');
  assert.equal(answer, 'A line about it. two A line about it.');
  assert.deepEqual([last.a, last.b, last.c], ['A line about it.', 'two', 'A line about it.']);
  // what an import makes of it goes out again as the same node
  const folder = (await convert(document)).folder, again = JSON.parse((await exported(join(folder, 'graphs/sides.json'))).stdout);
  assert.deepEqual(strays(again), []);
  const other = Object.values(again.$referenced_components).find(part => part.component_type === 'ParallelFlowNode');
  assert.deepEqual(other.subflows.map(one => one.$component_ref), ['line', 'sides_two', 'sides_three']);
  assert.equal((await run(again, 'rain')).text, answer);
  for (const [spoil, wanted] of [[one => { one.edges[1].to = 'END'; }, /: \/edges\/0: nodes side by side cannot be mapped unless/],
    [one => { one.nodes.two = { type: 'ask', prompt: { user: 'x' }, output: 'a' }; }, /: \/nodes\/two: two nodes side by side that write one field/]]) {
    const wrong = structuredClone(graph);
    spoil(wrong);
    assert.match((await exported(join(written(wrong, line), 'sides.json'))).stderr, wanted);
  }
});

test('a ServerTool that a person has to allow: of an agent, and of a node; in and out', async () => {
  const tool = { component_type: 'ServerTool', id: 's', name: 'calculate', requires_confirmation: true };
  const clerk = { component_type: 'Agent', agentspec_version: '26.1.2', id: 'clerk2', name: 'clerk2', llm_config: llm, system_prompt: 'You are a clerk in Bern.', human_in_the_loop: false, tools: [tool], inputs: [], outputs: [text('answer')] };
  const { code, stderr, folder } = await convert(clerk);
  assert.equal(code, 0, stderr);
  const askd = await serve(folder, { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('allowed.db')}` }), conversation = newConversation();
  const paused = (await ask(askd, 'clerk2', 'the sum', conversation)).at(-1);
  assert.deepEqual([paused.interrupts?.[0]?.type, paused.interrupts?.[0]?.tool], ['tool_approval', 'calculate']);
  const done = await readStream((await askd.post(`/internal/runs/${paused.run_id}/resume?company_id=${conversation.company_id}&user_id=${conversation.user_id}`, { resume: 'approve' })).body);
  assert.equal(done.text, 'It is 4.');
  const graph = { name: 'asks', purpose: 'p', question: 'q', state: { q: 'text', a: 'text' }, nodes: { clerk: { type: 'agent', question: 'q', tools: [{ tool: 'calculate', confirm: true }], prompt: { user: '{q}' }, output: 'a' },
    call: { type: 'http', call: 'weather', confirm: true, output: 'a' } }, edges: [{ from: 'START', to: 'clerk' }, { from: 'clerk', to: 'call' }, { from: 'call', to: 'END' }] };
  const document = JSON.parse((await exported(join(written(graph), 'asks.json'))).stdout), parts = document.$referenced_components;
  assert.deepEqual([parts['asks.clerk'].agent.tools[0].requires_confirmation, parts['asks.call'].tool.requires_confirmation], [true, true]);
  const back = JSON.parse(readFileSync(join((await convert(document)).folder, 'graphs/asks.json'), 'utf8')).nodes;
  assert.deepEqual([back.clerk.tools, back.call.confirm], [[{ tool: 'calculate', confirm: true }], true]);
});

test('ParallelFlowNode: its flows side by side, their inputs and outputs together', async () => {
  const part = (name, word, output) => flow(name, { outputs: [text(output)], nodes: { write: LLM(`${word}: {{topic}}`, [text(output)]) } });
  const both = document => inner(inner(document, part('first', 'First', 'a')), part('second', 'Second', 'b'));
  const document = both(flow('both', { outputs: [text('a'), text('b')],
    nodes: { node: { component_type: 'ParallelFlowNode', subflows: [ref('first'), ref('second')] }, node_2: SAY('{{a}} and {{b}}') } }));
  const { text: answer, last, events } = await run(document, 'rain');
  assert.equal(answer, 'one and two');
  assert.deepEqual([last.a, last.b], ['one', 'two']);
  const { folder } = await convert(document);
  const { nodes, edges } = JSON.parse(readFileSync(join(folder, 'graphs/both.json'), 'utf8'));
  assert.deepEqual(Object.keys(nodes), ['node', 'node_3', 'node_4', 'node_5', 'node_2']);
  assert.equal(edges.filter(edge => edge.from === 'node').length, 2, 'both begin at once');
  assert.equal(events.filter(event => event.event === 'error').length, 0);
  const twice = both(flow('twice', { nodes: { node: { component_type: 'ParallelFlowNode', subflows: [ref('first'), ref('first')] } } }));
  assert.match((await convert(twice)).stderr, /\/twice\.node: output 'a' is of several of the flows/);
  const none = both(flow('none', { nodes: { node: { component_type: 'ParallelFlowNode', subflows: [ref('first')], inputs: [text('other')] } } }));
  assert.match((await convert(none)).stderr, /\/none\.node: input 'other' is of none of the flows/);
});

test('MCPTool and MCPToolBox call a server: by name, through a filter, past a person', async () => {
  const tool = { component_type: 'MCPTool', id: 'm1', name: 'look-up', client_transport: transport, inputs: [text('name')], outputs: [text('found')] };
  const called = await run(flow('asks', { outputs: [text('found')], nodes: { call: { component_type: 'ToolNode', tool }, say: SAY('{{found}}!') }, inputs: [text('name')] }), 'Carla', reachable);
  assert.equal(called.text, 'Carla has 3 orders!', JSON.stringify(called.last));
  assert.deepEqual(mcpCalls.splice(0), ['look-up Carla']);
  const box = { component_type: 'MCPToolBox', id: 'b', name: 'box', client_transport: transport,
    tool_filter: ['look-up', { component_type: 'MCPToolSpec', id: 's', name: 'delete', requires_confirmation: true, inputs: [text('name')] }] };
  const agent = { component_type: 'Agent', agentspec_version: '26.1.2', id: 'keeper', name: 'keeper', llm_config: llm, system_prompt: 'You keep the desk.', toolboxes: [box] };
  const { folder, code, stderr } = await convert(agent);
  assert.equal(code, 0, stderr);
  const made = JSON.parse(readFileSync(join(folder, 'graphs/keeper.json'), 'utf8'));
  assert.deepEqual(made.nodes.keeper.tools, [`${DESK}_look-up`, `${DESK}_delete`, 'ask_user']);
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'tools.json'), 'utf8')).mcp[DESK], { url: transport.url, headers: transport.headers, confirm: ['delete'] });
  const askd = await serve(folder, { ...reachable(folder), ASKD_CHECKPOINT_URL: `sqlite:${tempPath('keeper.db')}` });
  const events = await ask(askd, 'keeper', 'Anna', undefined, { detail: 'nodes' });
  assert.equal(said(events), 'She has 3.');
  assert.match(events.find(event => event.event === 'tool_end' && event.tool === `${DESK}_hidden`).result, /There is no tool/);
  assert.deepEqual(mcpCalls.splice(0), ['look-up Anna'], 'the filter holds');
  const who = newConversation(), paused = (await ask(askd, 'keeper', 'Berta', who)).at(-1);
  assert.equal(paused.interrupted, true);
  assert.deepEqual(mcpCalls, [], 'nothing is deleted before a person says so');
  const answer = await askd.post(`/internal/runs/${paused.run_id}/resume?company_id=${who.company_id}&user_id=${who.user_id}`, { resume: { action: 'approve' } });
  assert.equal(said((await readStream(answer.body)).events), 'She is gone.');
  assert.deepEqual(mcpCalls.splice(0), ['delete Berta']);
  const all = { ...agent, toolboxes: [{ ...box, requires_confirmation: true }] };
  assert.equal(JSON.parse(readFileSync(join((await convert(all)).folder, 'tools.json'), 'utf8')).mcp[DESK].confirm, true);
  const two = { ...agent, toolboxes: [box, { ...box, id: 'c', client_transport: { ...transport, id: 'u', url: 'https://other.example.com/' } }] };
  assert.match((await convert(two)).stderr, /\/toolboxes\/1\/client_transport: another server is called/);
});

test('a tool of several outputs says an object; one of none says nothing that is kept', async () => {
  const remote = { component_type: 'RemoteTool', id: 'rp', name: 'parts', url: `${at}/v1/parts`, http_method: 'GET', api_spec_uri: `${at}/openapi.json`, inputs: [],
    outputs: [text('sky'), { title: 'degrees', type: 'integer' }, { title: 'a/b', type: 'array', items: { type: 'string' } }] };
  const quiet = { ...remote, id: 'rq', name: 'quiet', outputs: [] };
  const document = flow('parted', { outputs: [{ title: 'a/b', type: 'array' }], nodes: { no: { component_type: 'ToolNode', tool: quiet }, call: { component_type: 'ToolNode', tool: remote }, say: SAY('{{sky}}, {{degrees}}') } });
  const { text: answer, last } = await run(document, 'x', reachable);
  assert.equal(answer, 'blue, 7', JSON.stringify(last));
  assert.deepEqual(last['a/b'], ['x']);
});

test('an Agent alone: inputs with defaults, no tools, a form', async () => {
  const agent = { component_type: 'Agent', agentspec_version: '26.3.1', id: 'a', name: 'speaker', llm_config: llm, system_prompt: 'You speak in {{place}}.', human_in_the_loop: false,
    inputs: [text('place', { default: 'Rome' })] };
  assert.equal((await run(agent, 'say this')).text, 'Ave.');
  const judge = { ...agent, name: 'judge', system_prompt: 'You judge in {{place}}.', outputs: [{ title: 'mark', type: 'integer' }, text('why')] };
  const { last } = await run(judge, 'judge this');
  assert.deepEqual([last.mark, last.why], [3, 'short']);
  assert.match((await convert({ ...agent, inputs: [text('place')] })).stderr, /: \/inputs\/0: a run has one question, a text: input 'place' has no default/);
  assert.match((await convert({ ...agent, transforms: [{}] })).stderr, /: \/transforms: transforms of messages cannot be mapped/);
});

test('components of components: named from anywhere, and once', async () => {
  const sub = flow('line', { outputs: [text('generated_text')], nodes: { write: LLM('Write about {{topic}}') } });
  const { agentspec_version, ...nested } = sub;
  const document = flow('outer', { nodes: { part: { component_type: 'FlowNode', subflow: nested }, say: SAY('It: {{generated_text}}') } });
  delete nested.$referenced_components.m;
  assert.equal((await run(document, 'rain')).text, 'It: A line about it.');
  nested.$referenced_components.m = llm;
  assert.match((await convert(document)).stderr, /two components are called 'm'/);
});

test('a branch leads to one node, and no flow runs itself', async () => {
  const plain = () => flow('plain', { nodes: { a: SAY('a'), b: SAY('b') } });
  const open = plain();
  open.control_flow_connections.splice(1, 1);
  assert.match((await convert(open)).stderr, /\/plain\.a: 0 edges lead from branch 'next', expected one/);
  const forked = plain();
  forked.control_flow_connections.push({ ...forked.control_flow_connections[1], to_node: ref('plain.end') });
  assert.match((await convert(forked)).stderr, /\/plain\.a: 2 edges lead from branch 'next'/);
  const choice = flow('choice', { nodes: { which: { component_type: 'BranchingNode', mapping: { X: 'left' }, inputs: [text('topic')] }, go: SAY('go') },
    control: [['start', 'which'], ['which', 'go', 'left'], ['go', 'end']] });
  assert.match((await convert(choice)).stderr, /\/choice\.which: 0 edges lead from branch 'default'/);
  const one = flow('one', { nodes: { part: { component_type: 'FlowNode', subflow: ref('two') } } });
  const circle = inner(one, flow('two', { nodes: { part: { component_type: 'FlowNode', subflow: ref('one') } } }));
  assert.match((await convert(circle)).stderr, /flow '(one|two)' runs itself/);
});

test('each component of Agent Spec without a place here is refused by its name', async () => {
  const named = (component_type, more = {}) => ({ component_type, id: `of-${component_type}`, name: 'n', ...more });
  const roots = ['A2AAgent', 'LlmNode', 'ManagerWorkers', 'OciAgent', 'OpenAiAgent', 'RemoteAgent', 'SpecializedAgent', 'Swarm'];
  for (const type of roots)
    assert.match((await convert({ ...named(type), agentspec_version: '26.3.1' })).stderr, new RegExp(`: : a ${type} cannot be mapped: expected a Flow or an Agent`), type);
  const agents = roots.filter(type => type !== 'LlmNode').map(type => [{ component_type: 'AgentNode', agent: named(type) }, `/x.node/agent: a ${type} cannot be mapped`]);
  const tools = ['BuiltinTool', 'ClientTool'].map(type => [{ component_type: 'ToolNode', tool: named(type) }, `/x.node/tool: a ${type} cannot be mapped`]);
  const transports = ['StdioTransport', 'SSETransport', 'SSEmTLSTransport', 'StreamableHTTPmTLSTransport'].map(type =>
    [{ component_type: 'ToolNode', tool: named('MCPTool', { client_transport: named(type) }) }, `/x.node/tool/client_transport: a ${type} cannot be mapped`]);
  const agent = more => ({ component_type: 'AgentNode', agent: named('Agent', { llm_config: ref('m'), system_prompt: 'x', ...more }) });
  const server = more => ({ component_type: 'ToolNode', tool: named('MCPTool', { client_transport: transport, ...more }) });
  const boxed = box => agent({ toolboxes: [named('MCPToolBox', { client_transport: transport, ...box })] });
  const more = [
    [agent({ toolboxes: [named('OtherToolBox')] }), '/x.node/agent/toolboxes/0: a OtherToolBox cannot be mapped'],
    [agent({ transforms: [named('MessageSummarizationTransform')] }), '/x.node/agent/transforms: transforms of messages cannot be mapped'],
    [server({ retry_policy: { max_attempts: 2 } }), "/x.node/tool/retry_policy: 'retry_policy' cannot be mapped"],
    [server({ client_transport: { ...transport, auth: named('OAuthConfig') } }), "/x.node/tool/client_transport/auth: 'auth' cannot be mapped"],
    [boxed({ retry_policy: { max_attempts: 2 } }), "/toolboxes/0/retry_policy: 'retry_policy' cannot be mapped"],
    [boxed({ tool_filter: [named('ServerTool')] }), '/toolboxes/0/tool_filter/0: expected the name of a tool, or an MCPToolSpec'],
    [{ component_type: 'ApiNode', url: `${at}/x`, http_method: 'GET', api_spec_uri: `${at}/openapi.json` }, "/x.node/api_spec_uri: an API's own description cannot be mapped"],
    [{ component_type: 'PluginNode' }, '/x.node: a PluginNode cannot be mapped'],
    ...[[{ title: 'found', type: 'array', items: { type: 'string' } }], [text('one'), text('two')]].map(outputs =>
      [agent({ tools: [named('ServerTool')], outputs }), '/x.node: what an agent with tools says is one text here']),
  ];
  for (const [node, wanted] of [...agents, ...tools, ...transports, ...more]) {
    const { code, stderr } = await convert(flow('x', { nodes: { node } }));
    assert.equal(code, 1, wanted);
    assert.ok(stderr.includes(wanted), `${wanted}: ${stderr}`);
  }
});

test('what cannot be mapped is refused by name, at its pointer', async () => {
  const refs = document => document.$referenced_components;
  const base = () => flow('base', { nodes: { write: LLM('Write about {{topic}}'), say: SAY('{{generated_text}}') } });
  const cases = [
    [d => { d.agentspec_version = '24.1.0'; }, /: \/agentspec_version: expected 25\.4\.1/],
    [d => { delete d.agentspec_version; }, /: expected a member 'agentspec_version'/],
    [d => { d.nodes[1] = ref('nobody'); }, /\/nodes\/1: there is no component 'nobody'/],
    [d => { d.$referenced_components['base.write'] = ref('base.write'); }, /expected a component/],
    [d => { refs(d)['base.write'].colour = 'red'; }, /\/\$referenced_components\/base\.write\/colour: 'colour' cannot be mapped/],
    [d => { refs(d)['base.say'].inputs = [text('other')]; }, /\/base\.say\/message: a placeholder of the text is no input of 'say'/],
    [d => { refs(d)['base.end'].branch_name = '{{x}}'; }, /\/base\.end\/branch_name: a placeholder of the text/],
    [d => { d.inputs.push(text('second')); refs(d)['base.start'].inputs = d.inputs; }, /a run has one question, a text: input 'second' has no default/],
    [d => { d.control_flow_connections[1].from_branch = 'left'; }, /\/control_flow_connections\/1\/from_branch: node 'write' has one branch/],
    [d => { d.data_flow_connections = [{ component_type: 'DataFlowEdge', name: 'x', source_node: ref('base.start'), source_output: 'nothing', destination_node: ref('base.write'), destination_input: 'topic' }]; },
      /\/data_flow_connections\/0\/source_output: node 'START' has no output 'nothing'/],
    [d => { refs(d)['base.write'] = { ...refs(d)['base.write'], ...{ component_type: 'ToolNode', prompt_template: null, llm_config: null, tool: { component_type: 'ClientTool', id: 'c', name: 'c' } } }; },
      /\/base\.write\/tool: a ClientTool cannot be mapped: only an agent/],
    [d => { refs(d)['base.write'] = { ...refs(d)['base.write'], ...{ component_type: 'ToolNode', prompt_template: null, llm_config: null, tool: { component_type: 'BuiltinTool', id: 'c', name: 'c', tool_type: 'x' } } }; },
      /a BuiltinTool cannot be mapped/],
    [d => { refs(d)['base.write'] = { ...refs(d)['base.write'], ...{ component_type: 'ToolNode', prompt_template: null, llm_config: null, tool: { component_type: 'MCPTool', id: 'c', name: 'c',
      client_transport: { component_type: 'StdioTransport', id: 's', name: 's', command: 'x' } } } }; }, /\/client_transport: a StdioTransport cannot be mapped/],
    [d => { refs(d)['base.write'] = { ...refs(d)['base.write'], component_type: 'ApiNode', prompt_template: null, llm_config: null, url: '{{topic}}', http_method: 'GET' }; },
      /\/url: expected an address whose host is no placeholder/],
    [d => { refs(d)['base.write'] = { ...refs(d)['base.write'], component_type: 'ApiNode', prompt_template: null, llm_config: null, url: 'https://a.test/x', http_method: 'GET', sensitive_headers: { k: 'v' } }; },
      /\/sensitive_headers: a secret is not written/],
    [d => { refs(d)['base.write'] = { ...refs(d)['base.write'], component_type: 'ApiNode', prompt_template: null, llm_config: null, url: 'https://a.test/x', http_method: 'GET',
      query_params: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`p${i}`, `{{v${i}}}`])) }; }, /\/base\.write: more than 32 inputs/],
  ];
  for (const [spoil, wanted] of cases) {
    const document = base();
    spoil(document);
    const { code, stderr } = await convert(document);
    assert.equal(code, 1, String(spoil));
    assert.match(stderr, wanted, String(spoil));
  }
  const shared = flow('shared', { inputs: [text('topic')], nodes: { a: LLM('Write about {{x}}', [text('o')]), b: LLM('Write about {{y}}', [text('o')]) },
    data: [['start', 'topic', 'a', 'x'], ['start', 'topic', 'b', 'y'], ['a', 'o', 'b', 'y']] });
  assert.match((await convert(shared)).stderr, /\/data_flow_connections\/1: input 'y' of 'b' hears of other outputs than 'x' of 'a'/);
});

test('names that would be one are several, and the importer’s own are none of the flow’s', async () => {
  const agent = { component_type: 'Agent', id: 'a', name: 'clerk', llm_config: ref('m'), system_prompt: 'You are a clerk in Bern.', tools: [{ component_type: 'ServerTool', id: 's', name: 'calculate' }] };
  const names = ['a b', 'a-b', 'a_b', 'said', 'loop_count'];
  const document = flow('names', { inputs: [{ title: 'question', type: 'integer', default: 3 }], outputs: names.map(name => text(name)),
    nodes: { take: LLM('Names: {{question}}', names.map(name => text(name))), clerk: { component_type: 'AgentNode', agent },
      which: { component_type: 'BranchingNode', mapping: { again: 'back' }, inputs: [text('said')] } },
    control: [['start', 'take'], ['take', 'clerk'], ['clerk', 'which'], ['which', 'take', 'back'], ['which', 'end', 'default']] });
  const { code, stderr, folder } = await convert(document);
  assert.equal(code, 0, stderr);
  const askd = await serve(folder);
  const events = await ask(askd, 'names', 'the sum'), last = events.at(-1);
  assert.equal(said(events), 'It is 4.');
  assert.deepEqual(names.map(name => last[name]), ['1', '2', '3', '4', '5'], JSON.stringify(last));
});

test('words that are not the command’s, and folders that cannot be', async () => {
  const { folder } = await convert(flow('there', { nodes: { say: SAY('x') } }));
  const file = tempPath('there.json');
  writeFileSync(file, JSON.stringify(flow('there', { nodes: { say: SAY('x') } })));
  const graph = (...words) => askdCommand(['graph', ...words]);
  for (const words of [['import', file, folder], ['import', '--format', 'yaml', file, folder], ['import', '--format', 'agentspec', file], ['export', '--format', 'agentspec'],
    ['export', '--format', 'agentspec', file, '--port', '1'], ['import', '--format', 'agentspec', file, folder, 'more']]) {
    const { code, stderr } = await graph(...words);
    assert.equal(code, 2, words.join(' '));
    assert.match(stderr, /^usage: askd graph check/, words.join(' '));
  }
  assert.match((await graph('export', '--no-such', file)).stderr, /no-such/);
  assert.match((await graph('import', '--format', 'agentspec', file, folder)).stderr, /there\.json: File exists/);
  assert.match((await graph('import', '--format', 'agentspec', file, 'x'.repeat(1100))).stderr, /File name too long/);
  assert.match((await graph('import', '--format', 'agentspec', file, join(file, 'below'))).stderr, /Not a directory/);
});

// The example: a graph that can be a flow, with one that it runs.
const example = name => JSON.parse(readFileSync(join(sourceDir, `examples/agent_spec/${name}.json`), 'utf8'));
const desk = example('desk'), letter = example('letter');
const written = (...graphs) => {
  const folder = tempPath(`graphs-${count++}`);
  mkdirSync(folder);
  for (const graph of graphs)
    writeFileSync(join(folder, `${graph.name}.json`), JSON.stringify(graph));
  return folder;
};
const exported = file => askdCommand(['graph', 'export', '--format=agentspec', file]);

test('a graph that was exported and imported says what it said', async () => {
  const folder = written(desk, letter);
  const { code, stdout, stderr } = await exported(join(folder, 'desk.json'));
  assert.equal(code, 0, stderr);
  const document = JSON.parse(stdout);
  assert.equal(document.agentspec_version, '26.1.2');
  assert.deepEqual(document.$referenced_components['desk.write'].outputs[0].default, '', 'a flow that was caught has a value for each output');
  const back = await convert(document);
  assert.equal(back.code, 0, back.stderr);
  const [first, second] = [await startAskd({ mock, env: { ASKD_GRAPHS: folder } }), await serve(back.folder)];
  const plain = events => events.map(({ run_id, conversation_id, stats, ...rest }) => JSON.stringify(rest).replace(/"(ms|duration_ms|took_ms)":\d+/g, '"$1":0').replace(/run_[\w-]+|conv-[\w-]+/g, 'ID'));
  for (const message of ['a letter please', 'say who it is', 'the weather']) {
    const [a, b] = [await ask(first, 'desk', message, undefined, { detail: 'debug' }), await ask(second, 'desk', message, undefined, { detail: 'debug' })];
    assert.ok(a.length > 6);
    assert.deepEqual(plain(b), plain(a));
  }
  const once = JSON.parse((await exported(join(back.folder, 'graphs/desk.json'))).stdout);
  assert.deepEqual(once.$referenced_components['desk.sort'], document.$referenced_components['desk.sort']);
});

test('an agent, a tool and a map as flows', async () => {
  const graph = { name: 'more', purpose: 'p', question: 'q', state: { q: 'text', a: 'text', n: 'int', j: 'json', l: { type: 'list', reduce: 'append' }, place: { type: 'text', start: 'Bern' } },
    nodes: { clerk: { type: 'agent', question: 'q', tools: ['calculate', 'ask_user'], prompt: { system: 'In {place}.', user: '{q}' }, turns: 5, output: 'a' },
      quiet: { type: 'http', call: 'weather', arguments: { city: { field: 'a' } } },
      parts: { type: 'http', call: 'weather', arguments: { city: { field: 'a' } }, outputs: [{ field: 'a', at: '/city' }, { field: 'n', at: '/days' }] },
      call: { type: 'http', call: 'weather', arguments: { city: { field: 'a' } }, output: 'j' },
      each: { type: 'map', over: 'j', at: '', graph: 'letter', in: { place: 'place' }, take: 'text', output: 'l' } },
    edges: [{ from: 'START', to: 'clerk' }, { from: 'clerk', to: 'quiet' }, { from: 'quiet', to: 'parts' }, { from: 'parts', to: 'call' }, { from: 'call', to: 'each' }, { from: 'each', to: 'END' }], report: { l: 'l' } };
  const { code, stdout, stderr } = await exported(join(written(graph, letter), 'more.json'));
  assert.equal(code, 0, stderr);
  const parts = JSON.parse(stdout).$referenced_components;
  assert.ok(holds(JSON.parse(stdout)), JSON.stringify(holds.errors?.slice(0, 3)));
  assert.deepEqual(strays(JSON.parse(stdout)), []);
  assert.equal(parts['more.clerk'].agent.human_in_the_loop, true);
  assert.deepEqual(parts['more.clerk'].agent.tools.map(tool => tool.name), ['calculate']);
  assert.equal(parts['more.call'].tool.component_type, 'ServerTool');
  assert.equal(parts['more.each'].component_type, 'ParallelMapNode');
  const back = await convert(JSON.parse(stdout));
  assert.equal(back.code, 0, back.stderr);
  const nodes = JSON.parse(readFileSync(join(back.folder, 'graphs/more.json'), 'utf8')).nodes;
  for (const [name, node] of Object.entries(graph.nodes))
    for (const [member, value] of Object.entries(node))
      assert.deepEqual([name, member, member === 'tools' ? [...nodes[name][member]].sort() : nodes[name][member]], [name, member, member === 'tools' ? [...value].sort() : value]);
});

// What the language's text says of the components that export writes, in our words: members it must have, those it may
// have, nothing else. The project's own JSON Schema is not in this tree.
const component = (type, must, may = {}) => ({ type: 'object', required: ['component_type', 'name', ...Object.keys(must)], additionalProperties: false, properties: {
  component_type: { const: type }, id: { type: 'string' }, name: { type: 'string', minLength: 1 }, description: { type: 'string' }, metadata: { type: 'object' },
  inputs: { $ref: '#/$defs/properties' }, outputs: { $ref: '#/$defs/properties' }, ...must, ...may } });
const a = type => ({ anyOf: [{ $ref: '#/$defs/reference' }, ...[type].flat().map(name => ({ $ref: `#/$defs/${name}` }))] }), list = items => ({ type: 'array', items });
const someText = { type: 'string' }, NODES = ['StartNode', 'EndNode', 'LlmNode', 'AgentNode', 'ToolNode', 'BranchingNode', 'FlowNode', 'CatchExceptionNode', 'ParallelFlowNode', 'MapNode', 'ParallelMapNode', 'InputMessageNode', 'OutputMessageNode'];
const node = (type, must = {}, may = {}) => component(type, must, { branches: list(someText), ...may });
const reducers = { reducers: { type: 'object', additionalProperties: { enum: ['append', 'sum', 'avg', 'max', 'min'] } } };
const language = { $defs: {
  reference: { type: 'object', required: ['$component_ref'], properties: { $component_ref: someText }, additionalProperties: false },
  properties: list({ type: 'object', required: ['title'], properties: { title: { type: 'string', minLength: 1 } } }),
  OpenAiCompatibleConfig: component('OpenAiCompatibleConfig', { model_id: someText, url: someText }, { default_generation_parameters: { type: 'object' } }),
  Agent: component('Agent', { llm_config: a('OpenAiCompatibleConfig'), system_prompt: someText }, { tools: list(a(['ServerTool', 'ClientTool'])), human_in_the_loop: { type: 'boolean' } }),
  ServerTool: component('ServerTool', {}, { requires_confirmation: { type: 'boolean' } }), ClientTool: component('ClientTool', {}, { requires_confirmation: { type: 'boolean' } }),
  StartNode: node('StartNode'), EndNode: node('EndNode', {}, { branch_name: someText }), LlmNode: node('LlmNode', { llm_config: a('OpenAiCompatibleConfig'), prompt_template: someText }),
  AgentNode: node('AgentNode', { agent: a('Agent') }), ToolNode: node('ToolNode', { tool: a(['ServerTool', 'ClientTool']) }),
  BranchingNode: node('BranchingNode', { mapping: { type: 'object', additionalProperties: someText } }),
  FlowNode: node('FlowNode', { subflow: a('Flow') }), CatchExceptionNode: node('CatchExceptionNode', { subflow: a('Flow') }),
  ParallelFlowNode: node('ParallelFlowNode', { subflows: list(a('Flow')) }),
  MapNode: node('MapNode', { subflow: a('Flow') }, reducers), ParallelMapNode: node('ParallelMapNode', { subflow: a('Flow') }, reducers),
  InputMessageNode: node('InputMessageNode', {}, { message: someText }), OutputMessageNode: node('OutputMessageNode', { message: someText }),
  ControlFlowEdge: component('ControlFlowEdge', { from_node: a(NODES), to_node: a(NODES) }, { from_branch: { type: ['string', 'null'] } }),
  DataFlowEdge: component('DataFlowEdge', { source_node: a(NODES), source_output: someText, destination_node: a(NODES), destination_input: someText }),
  Flow: component('Flow', { start_node: a('StartNode'), nodes: list(a(NODES)), control_flow_connections: list({ $ref: '#/$defs/ControlFlowEdge' }) },
    { data_flow_connections: { anyOf: [list({ $ref: '#/$defs/DataFlowEdge' }), { type: 'null' }] }, agentspec_version: { const: '26.1.2' },
      $referenced_components: { type: 'object', additionalProperties: { anyOf: ['OpenAiCompatibleConfig', 'Agent', 'ServerTool', 'ClientTool', 'Flow', ...NODES].map(name => ({ $ref: `#/$defs/${name}` })) } } }),
}, $ref: '#/$defs/Flow' };
const holds = new Ajv2020({ strict: false }).compile(language);
// And what no schema says: a reference is to a component of the document, an edge between nodes of one flow, a branch one that its node has.
const strays = document => {
  const parts = document.$referenced_components, found = [], flows = [document, ...Object.values(parts).filter(part => part.component_type === 'Flow')];
  const walk = value => {
    if (value?.$component_ref !== undefined && parts[value.$component_ref] === undefined) found.push(value.$component_ref);
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  walk(document);
  const ends = ({ $component_ref: id }) => parts[id].nodes.map(one => parts[one.$component_ref]).filter(one => one.component_type === 'EndNode').map(one => one.branch_name ?? 'next');
  for (const [id, part] of Object.entries(parts)) if (part.id !== id) found.push(`id ${id}`);
  for (const { nodes, start_node, control_flow_connections, data_flow_connections } of flows) {
    const ids = nodes.map(one => one.$component_ref);
    for (const one of [start_node, ...control_flow_connections.flatMap(edge => [edge.from_node, edge.to_node]), ...(data_flow_connections ?? []).flatMap(edge => [edge.source_node, edge.destination_node])])
      if (!ids.includes(one.$component_ref)) found.push(`not of its flow: ${one.$component_ref}`);
    for (const { from_node, from_branch } of control_flow_connections) {
      const { component_type, mapping } = parts[from_node.$component_ref];
      if (component_type === 'FlowNode' && from_branch != null && !ends(parts[from_node.$component_ref].subflow).includes(from_branch)) found.push(`no end ${from_branch}`);
      if (component_type === 'BranchingNode' && ![...Object.values(mapping), 'default'].includes(from_branch)) found.push(`no branch ${from_branch}`);
    }
    for (const { source_node, source_output, destination_node, destination_input } of data_flow_connections ?? []) {
      if (!parts[source_node.$component_ref].outputs?.some(one => one.title === source_output)) found.push(`no output ${source_output}`);
      if (!parts[destination_node.$component_ref].inputs?.some(one => one.title === destination_input)) found.push(`no input ${destination_input}`);
    }
  }
  return found;
};

test('what is exported is as the language has it', async () => {
  const folder = written(desk, letter);
  for (const name of ['desk', 'letter']) {
    const document = JSON.parse((await exported(join(folder, `${name}.json`))).stdout);
    assert.ok(holds(document), JSON.stringify(holds.errors?.slice(0, 3)));
    assert.deepEqual(strays(document), []);
    for (const spoil of [one => { delete one.start_node; }, one => { one.colour = 'red'; }, one => { one.nodes[0] = 'a'; }, one => { delete one.control_flow_connections[0].to_node; },
      one => { one.$referenced_components[`${name}.START`].inputs[0] = { type: 'string' }; }, one => { one.$referenced_components.llm.component_type = 'Model'; }]) {
      const wrong = structuredClone(document);
      spoil(wrong);
      assert.equal(holds(wrong), false, String(spoil));
    }
    const stray = structuredClone(document);
    stray.data_flow_connections[0].source_output = 'nothing';
    stray.nodes.pop();
    assert.ok(strays(stray).length >= 2);
  }
});

test('each example is a flow, or says what of it cannot be one', async () => {
  const refused = { banking_file: '/budgets', headline: '/budgets', inspector: '/nodes/recall', monthly_report: '/budgets', portrait: '/failure', portraits: '/failure', rain: '/nodes/fetch/failed', text_to_sql_file: '/budgets', triage: '/nodes/recall' };
  const found = {};
  for (const folder of ['graphs', 'agent_spec', 'tools/graphs'])
    for (const file of readdirSync(join(sourceDir, 'examples', folder)).filter(name => /^[a-z_]+\.json$/.test(name))) {
      const path = join(sourceDir, 'examples', folder, file), { name } = JSON.parse(readFileSync(path, 'utf8'));
      const { code, stderr, stdout } = await exported(path);
      if (code !== 0)
        found[name] = /json: (\/\S*): .* cannot be mapped/.exec(stderr)?.[1] ?? stderr;
      else
        assert.equal((await convert(JSON.parse(stdout))).code, 0, name);
    }
  assert.deepEqual(found, refused);
});

test('what Agent Spec has no place for is refused with its pointer', async () => {
  const cases = [
    [graph => { graph.failure = { field: 'why', code: 'invalid' }; }, /: \/failure: 'failure' cannot be mapped/],
    [graph => { graph.nodes.chat.fields = {}; }, /: \/nodes\/chat\/fields: 'fields' cannot be mapped/],
    [graph => { graph.nodes.chat.prompt.user = '{today}'; }, /: \/nodes\/chat\/prompt\/user: a placeholder that is no field/],
    [graph => { graph.nodes.which.route[0].if = { field: 'kind', contains: 'L' }; }, /: \/nodes\/which\/route\/0\/if\/contains: 'contains' cannot be mapped/],
    [graph => { graph.nodes.which.route[0].if.field = 'draft'; }, /: \/nodes\/which\/route\/1\/if: a choice by anything but texts of one field/],
    [graph => { graph.nodes.chat = { type: 'recall', question: 'question', messages: 'l' }; }, /: \/nodes\/chat: a node of type 'recall' cannot be mapped/],
    [graph => { graph.nodes.write.graph = 'general_agent'; }, /: \/nodes\/write\/graph: graph 'general_agent' stands in no file/],
    [graph => { graph.nodes.write.route[0].if = { field: 'kind', is: 'set' }; }, /: \/nodes\/write\/catch: a failure that is caught cannot be mapped/],
    [graph => { graph.nodes.write.route.splice(1, 0, { label: 'x', if: { field: 'kind', equals: 'x' } }); }, /: \/nodes\/write\/route\/1\/if: a route by anything but the ends of graph 'letter' cannot be mapped/],
    [graph => { graph.state.place.start = { caller: 'user' }; }, /: \/state\/place\/start: what the caller is cannot be mapped/],
    [graph => { graph.nodes.chat = { type: 'http', call: 'x', outputs: [{ field: 'draft', at: '/a' }] }; }, /: \/nodes\/chat\/outputs: one part of what a tool says cannot be mapped/],
    [graph => { graph.nodes.chat = { type: 'http', call: 'x', outputs: [{ field: 'draft', at: '/a' }, { field: 'kind', at: '' }] }; }, /: \/nodes\/chat\/outputs\/1\/at: a part that is no member/],
    [graph => { graph.edges.push({ from: 'START', to: 'chat' }); }, /: \/edges\/0: nodes side by side cannot be mapped/],
  ];
  for (const [spoil, wanted] of cases) {
    const graph = structuredClone(desk);
    spoil(graph);
    const { code, stderr } = await exported(join(written(graph, letter), 'desk.json'));
    assert.equal(code, 1, String(spoil));
    assert.match(stderr, wanted);
  }
});
