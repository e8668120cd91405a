// SPDX-License-Identifier: MIT
// tests/node/mcp_modern.test.mjs - askd calls the tools of a server that speaks MCP 2026-07-28 and nothing else: npm's own
// server, which refuses the revisions before it; headers of arguments; what a server changes meanwhile.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { newConversation, question, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { readStream } from './lib/sse.mjs';

let left = 0;
const makeServer = () => {
  const server = new McpServer({ name: 'modern', version: '1' }), text = value => ({ content: [{ type: 'text', text: value }] });
  server.registerTool('look_up', { description: 'Looks a customer up', inputSchema: z.object({ name: z.string() }) }, async ({ name }) => text(`${name} has 3 orders`));
  server.registerTool('fails', { description: 'Fails', inputSchema: z.object({}) }, async () => ({ ...text('no such customer'), isError: true }));
  server.registerTool('region', { description: 'Tells a region', inputSchema: z.object({ where: z.string().meta({ 'x-mcp-header': 'Region' }), row: z.number().int().optional().meta({ 'x-mcp-header': 'Row' }) }) },
    async ({ where, row }) => text(`${where} ${row ?? 'every row'}`));
  server.registerTool('steps', { description: 'Takes steps', inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    for (const progress of [1, 2])
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: mcpReq._meta.progressToken, progress, message: `step ${progress}` } });
    return text('took two steps');
  });
  server.registerTool('waits', { description: 'Waits', inputSchema: z.object({}) },
    (_, { mcpReq }) => new Promise(done => mcpReq.signal.addEventListener('abort', () => { left++; done(text('never')); })));
  return server;
};
const seen = [];
const serve = async responseMode => {
  const handler = createMcpHandler(makeServer, { legacy: 'reject', responseMode });
  const server = createServer(async (request, response) => {
    const leaves = new AbortController();
    response.on('close', () => leaves.abort());
    let body = '';
    for await (const piece of request) body += piece;
    seen.push({ method: request.method, headers: request.headers, rpc: body === '' ? undefined : JSON.parse(body) });
    const answer = await handler.fetch(new Request(`http://x${request.url}`, { method: request.method, headers: request.headers, body: body || undefined, signal: leaves.signal }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null)
      return response.end();
    Readable.fromWeb(answer.body).on('error', () => response.destroy()).pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => { server.closeAllConnections(); server.close(); });
  return `http://127.0.0.1:${server.address().port}`;
};
const [auto, stream] = [await serve('auto'), await serve('sse')];
const call = (name, args = {}) => ({ name, arguments: args });
const mock = await startMock([
  { user: 'the customer', result: 'orders', reply: 'They have three.' },
  { user: 'the customer', calls: [call('auto_look_up', { name: 'Anna' }), call('stream_look_up', { name: 'Berta' }), call('auto_steps'), call('auto_fails'), call('auto_look_up', { name: 7 })] },
  { user: 'the region', result: 'every row', reply: 'Told.' },
  { user: 'the region', calls: [call('auto_region', { where: 'St. Gällen', row: 3 }), call('auto_region', { where: 'north', row: null })] },
  { user: 'the moved', result: 'here', reply: 'Found.' }, { user: 'the moved', calls: [call('moved_find', { place: 'x' })] },
  { user: 'waiting', calls: [call('auto_waits')] },
  { match: '', reply: 'Nobody expected this.' },
]);
// A server whose tool wants a header since it was listed, and that has another revision since it was discovered.
const moved = { rpcs: [], revision: 0 };
const mover = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  const { id, method } = JSON.parse(body), { headers } = request, tell = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...value }));
  const known = moved.rpcs.filter(one => one.method === 'tools/list').length, calls = moved.rpcs.filter(one => one.method === 'tools/call').length;
  moved.rpcs.push({ method, place: headers['mcp-param-place'] });
  if (method === 'server/discover') tell(200, { result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo: { name: 'm', version: '1' } } });
  else if (method === 'tools/list') tell(200, { result: { tools: [{ name: 'find', inputSchema: { type: 'object', properties: { place: { type: 'string', ...(known > 0 && { 'x-mcp-header': 'Place' }) } } } },
    { name: 'bad', inputSchema: { type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } } }] } });
  else if (calls === 2) tell(400, { error: { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } } });
  else if (headers['mcp-param-place'] === undefined) tell(400, { error: { code: -32020, message: 'Mcp-Param-Place is missing' } });
  else tell(200, { result: { content: [{ type: 'text', text: 'here' }] } });
});
mover.listen(0, '127.0.0.1');
await once(mover, 'listening');
after(() => { mover.closeAllConnections(); mover.close(); });
const movedAt = `http://127.0.0.1:${mover.address().port}`;
const file = tempPath('tools.json');
writeFileSync(file, JSON.stringify({ allow: [`${auto}/`, `${stream}/`, `${movedAt}/`], mcp: {
  moved: { url: `${movedAt}/`, private: true, graphs: ['data_agent'] },
  auto: { url: `${auto}/`, private: true, graphs: ['data_agent'], headers: { Authorization: 'Bearer ${CRM_KEY}' } },
  stream: { url: `${stream}/`, private: true, graphs: ['data_agent'], headers: { Authorization: 'Bearer ${CRM_KEY}' } } } }));
const askd = await startAskd({ mock, env: { ASKD_TOOLS: file, CRM_KEY: 'c-secret' } });

test('tools by JSON and by stream, progress, errors; every request says its revision, and there is no session', async () => {
  const transcript = await readStream((await askd.post('/internal/graphs/data_agent/stream', question('the customer', newConversation(), { detail: 'nodes' }))).body);
  assert.equal(transcript.text, 'They have three.', transcript.raw);
  const ends = transcript.of('tool_end'), result = tool => ends.find(event => event.tool === tool);
  const looked = ends.filter(event => event.tool === 'auto_look_up').map(event => event.result).sort();
  assert.equal(looked[0], 'Anna has 3 orders');
  assert.match(looked[1], /^The arguments do not fit/);
  assert.equal(result('stream_look_up').result, 'Berta has 3 orders');
  assert.equal(result('auto_steps').result, 'took two steps');
  assert.deepEqual([result('auto_fails').result, result('auto_fails').failed], ['no such customer', true]);
  assert.deepEqual(transcript.of('tool_progress').map(event => event.message), ['step 1', 'step 2']);
  const calls = seen.filter(one => one.rpc?.method === 'tools/call');
  assert.equal(calls.length, 4);
  for (const { headers, rpc } of calls) {
    assert.equal(headers['mcp-protocol-version'], '2026-07-28');
    assert.equal(headers['mcp-method'], 'tools/call');
    assert.equal(headers['mcp-name'], rpc.params.name);
    assert.equal(headers['mcp-session-id'], undefined);
    assert.equal(headers.authorization, 'Bearer c-secret');
    assert.equal(rpc.params._meta['io.modelcontextprotocol/protocolVersion'], '2026-07-28');
  }
});

test('a run that is cancelled ends its call: the stream is closed', async () => {
  const leaving = new AbortController(), waits = () => seen.filter(one => one.rpc?.params?.name === 'waits').length;
  await askd.post('/internal/graphs/data_agent/stream', question('waiting', newConversation(), { on_disconnect: 'cancel' }), { signal: leaving.signal });
  await until('the tool is called', () => waits() === 1);
  leaving.abort();
  await until('the server hears of it', () => left === 1);
});

test('it is discovered, never initialized; arguments that are headers are sent as both', async () => {
  const transcript = await readStream((await askd.post('/internal/graphs/data_agent/stream', question('the region', newConversation(), { detail: 'nodes' }))).body);
  assert.equal(transcript.text, 'Told.', transcript.raw);
  assert.deepEqual(transcript.of('tool_end').map(event => event.result).sort(), ['St. Gällen 3', 'north every row']);
  const calls = seen.filter(one => one.rpc?.params?.name === 'region').sort((a, b) => a.headers['mcp-param-region'] < b.headers['mcp-param-region'] ? -1 : 1);
  assert.deepEqual(calls.map(one => [one.headers['mcp-param-region'], one.headers['mcp-param-row']]),
    [[`=?base64?${Buffer.from('St. Gällen').toString('base64')}?=`, '3'], ['north', undefined]]);
  assert.equal(seen.filter(one => one.rpc?.method === 'initialize').length, 0);
  assert.equal(seen.filter(one => one.rpc?.method === 'server/discover').length, 2, 'once of each server');
});

test('a call that is refused for its headers or its revision is made once what changed is known', async () => {
  const ask = async () => readStream((await askd.post('/internal/graphs/data_agent/stream', question('the moved', newConversation(), { detail: 'nodes' }))).body);
  const methods = from => moved.rpcs.slice(from).map(one => one.method);
  await until('it is logged', () => /mcp\.tool_left_out server=moved tool="bad" error="x-mcp-header is of an argument that is no string, integer or boolean"/.test(askd.child.stderr));
  const before = moved.rpcs.length;
  assert.equal((await ask()).text, 'Found.');
  assert.deepEqual(methods(before), ['tools/call', 'tools/list', 'tools/call']);
  assert.deepEqual(moved.rpcs.slice(before).map(one => one.place), [undefined, undefined, 'x']);
  const then = moved.rpcs.length;
  assert.equal((await ask()).text, 'Found.');
  assert.deepEqual(methods(then), ['tools/call', 'server/discover', 'tools/list', 'tools/call']);
});
