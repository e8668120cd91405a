// SPDX-License-Identifier: MIT
// tests/node/mcp_oauth.test.mjs - tokens for MCP servers, as a client without a browser gets them: found by the metadata,
// got with a secret or a signature, kept, got anew when they end or do not suffice; who never gets a secret; and what
// needs somebody to sign in, refused by name.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newConversation, question, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { PATIENCE_MS, run, until } from './lib/process.mjs';
import { readStream } from './lib/sse.mjs';

const body = async request => { let text = ''; for await (const piece of request) text += piece; return text; };
const listen = async handler => {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => { server.closeAllConnections(); server.close(); });
  return `http://127.0.0.1:${server.address().port}`;
};

// An authorization server: each path is one of its tenants, which may differ.
const asked = [], tenants = {}, held = [];
let tokens = 0, valid = new Set();
const login = await listen(async (request, response) => {
  const text = await body(request), tell = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  asked.push({ url: request.url, headers: request.headers, body: Object.fromEntries(new URLSearchParams(text)) });
  const [, name] = /^\/token\/(\w+)$/.exec(request.url) ?? [];
  if (name !== undefined) {
    if (tenants[name]?.holds) return void held.push(response);
    if (tenants[name]?.token) return tell(tenants[name].status ?? 200, tenants[name].token);
    const token = `token-${++tokens}`;
    valid.add(token);
    return tell(200, { access_token: token, token_type: 'Bearer', expires_in: tenants[name]?.seconds ?? 3600 });
  }
  const [, tenant] = /^\/\.well-known\/oauth-authorization-server\/(\w+)$/.exec(request.url) ?? [];
  if (tenant === undefined || tenants[tenant]?.hidden) return tell(404, {});
  return tell(200, { issuer: `${login}/${tenant}`, token_endpoint: `${login}/token/${tenant}`, grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'], ...tenants[tenant]?.metadata });
});

// An MCP server that takes tokens; its paths are servers, by the name of their tenant.
const calls = [], places = {};
let begun; // the id of the call whose answer comes in another stream
const mcp = await listen(async (request, response) => {
  const place = /(\w+)$/.exec(request.url)[1], text = await body(request);
  const tell = value => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(text).id, result: value }));
  if (request.url.startsWith('/.well-known/'))
    return places[place]?.metadata === null || place === 'resource' ? response.writeHead(404).end()
      : response.writeHead(200).end(JSON.stringify({ resource: `${mcp}/${place}`, authorization_servers: [`${login}/${place}`], scopes_supported: ['read'], ...places[place]?.metadata }));
  if (text === '' && place !== 'again') return response.writeHead(405).end();
  const { method, id } = text === '' ? { method: request.method } : JSON.parse(text), token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  calls.push({ place, method, token, status: 0 });
  const refuse = (status, more) => {
    calls.at(-1).status = status;
    response.writeHead(status, { 'www-authenticate': `Bearer ${more}resource_metadata="${places[place]?.at ?? `${mcp}/.well-known/oauth-protected-resource/${place}`}"` }).end();
  };
  if (!valid.has(token)) return refuse(401, '');
  if (method === 'tools/call' && places[place]?.scope && asked.at(-1).body.scope !== places[place].scope)
    return refuse(403, `error="insufficient_scope", scope="${places[place].scope}", `);
  calls.at(-1).status = 200;
  const stream = more => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`retry: 1\nid: e1\n${more}\n\n`);
  if (place === 'again' && method === 'tools/call') { // the answer comes later, and its token has ended by then
    begun = id;
    valid = new Set();
    return stream('data: ');
  }
  if (place === 'again' && method === 'GET')
    return stream(`data: ${JSON.stringify({ jsonrpc: '2.0', id: begun, result: { content: [{ type: 'text', text: 'said by again' }] } })}`);
  if (method === 'initialize') return tell({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'm', version: '1' } });
  if (method === 'tools/list') return tell({ tools: [{ name: 'say', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call') return tell({ content: [{ type: 'text', text: `said by ${place}` }] });
  response.writeHead(method === 'server/discover' ? 400 : 202).end();
});

const call = name => ({ name, arguments: {} });
const names = ['plain', 'anew', 'more', 'bare', 'post', 'other', 'away', 'theirs', 'person', 'refused', 'dpop', 'slow', 'far', 'again'];
const mock = await startMock([...names.flatMap(name => [{ user: `ask ${name} now`, result: 'said by', reply: `It was ${name}.` },
  { user: `ask ${name} now`, result: 'There is no tool', reply: `No ${name}.` }, { user: `ask ${name} now`, calls: [call(`${name}_say`)] }]), { match: '', reply: 'Nobody expected this.' }]);
// An askd of its own for each, as a server that failed is not asked again at once.
const start = async (name, oauth = {}) => {
  const file = tempPath(`${name}.json`);
  writeFileSync(file, JSON.stringify({ allow: [`${mcp}/${name}`, `${login}/${name}`], mcp: { [name]: { url: `${mcp}/${name}`, private: true, graphs: ['data_agent'],
    oauth: { issuer: `${login}/${name}`, client_id: 'askd', client_secret: '${SOME_SECRET}', ...oauth } } } }));
  return startAskd({ mock, env: { ASKD_TOOLS: file, SOME_SECRET: 'top-secret' } });
};
const ask = async (server, name) => (await readStream((await server.post('/internal/graphs/data_agent/stream', question(`ask ${name} now`, newConversation(), { detail: 'nodes' }),
  { headers: { authorization: 'Bearer key-of-a-caller' } })).body)).text;
const requests = name => asked.filter(one => one.url === `/token/${name}`);

test('a token is found, got with the secret, kept, and shown to the server alone', async () => {
  const server = await start('plain');
  assert.equal(await ask(server, 'plain'), 'It was plain.');
  assert.equal(await ask(server, 'plain'), 'It was plain.');
  const [one, ...more] = requests('plain');
  assert.equal(more.length, 0, 'one token for all');
  assert.equal(one.headers.authorization, `Basic ${Buffer.from('askd:top-secret').toString('base64')}`);
  assert.deepEqual(one.body, { grant_type: 'client_credentials', scope: 'read', resource: `${mcp}/plain` });
  const ours = calls.filter(({ place }) => place === 'plain');
  assert.deepEqual([...new Set(ours.map(({ status }) => status))], [401, 200], 'refused once, then never');
  assert.equal(ours.filter(({ method }) => method === 'tools/call').length, 2);
  assert.ok(![...asked, ...ours].some(one => JSON.stringify(one).includes('key-of-a-caller')), "a caller's key goes nowhere");
  assert.ok(!ours.some(one => JSON.stringify(one).includes('top-secret')));
  assert.match(server.child.stderr, /mcp\.token server=plain issuer=\S+ seconds=3600/);
  assert.doesNotMatch(server.child.stderr, /top-secret|token-\d/);
});

test('a token that ends, or that the server forgets, is got anew; the message is sent once more', async () => {
  tenants.anew = { seconds: 1 };
  const server = await start('anew');
  assert.equal(await ask(server, 'anew'), 'It was anew.');
  valid = new Set();
  assert.equal(await ask(server, 'anew'), 'It was anew.');
  assert.ok(requests('anew').length >= 2);
  const documents = asked.filter(one => one.url.endsWith('/oauth-authorization-server/anew'));
  assert.equal(documents.length, 1, 'what is known is not asked again');
  assert.equal(calls.filter(one => one.place === 'anew' && one.method === 'tools/call' && one.status === 200).length, 2);
});

test('a token that ends before the answer is got anew for the answer alone: the call is made once', async () => {
  const server = await start('again');
  assert.equal(await ask(server, 'again'), 'It was again.');
  const ours = calls.filter(one => one.place === 'again').map(one => [one.method, one.status]);
  assert.deepEqual(ours.slice(ours.findIndex(([method]) => method === 'tools/call')), [['tools/call', 200], ['GET', 401], ['GET', 200]]);
});

test('a call that needs more rights is made with a token that has them', async () => {
  places.more = { scope: 'read write' };
  const server = await start('more');
  assert.equal(await ask(server, 'more'), 'It was more.');
  assert.deepEqual(requests('more').map(one => one.body.scope), ['read', 'read write']);
});

test('a server without metadata gets the token of its issuer; an issuer that wants the secret in the body gets it there', async () => {
  places.bare = { metadata: null };
  assert.equal(await ask(await start('bare', { scope: 'all' }), 'bare'), 'It was bare.');
  assert.deepEqual(requests('bare')[0].body, { grant_type: 'client_credentials', scope: 'all', resource: `${mcp}/bare` });
  tenants.post = { metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] } };
  assert.equal(await ask(await start('post'), 'post'), 'It was post.');
  assert.equal(requests('post')[0].headers.authorization, undefined);
  assert.deepEqual([requests('post')[0].body.client_id, requests('post')[0].body.client_secret], ['askd', 'top-secret']);
});

for (const [name, what, prepare, why] of [
  ['other', 'an issuer that the file does not name', () => { places.other = { metadata: { authorization_servers: ['https://evil.example'] } }; }, /the server: it takes tokens of https:\/\/evil\.example, not of the issuer of the file/],
  ['away', 'metadata at another place than the server', () => { places.away = { at: `${login}/.well-known/oauth-protected-resource/away` }; }, /the server: its metadata would be at another place than the server/],
  ['theirs', 'metadata of another issuer', () => { tenants.theirs = { metadata: { issuer: 'https://evil.example' } }; }, /\/theirs: its metadata are those of another issuer \(https:\/\/evil\.example\)/],
  ['far', 'a token endpoint that the file does not allow', () => { tenants.far = { metadata: { token_endpoint: 'http://127.0.0.2:1/token' } }; }, /\/far: its token_endpoint \(http:\/\/127\.0\.0\.2:1\/token\) is below none of \/allow/],
  ['person', 'tokens for those who sign in', () => { tenants.person = { metadata: { grant_types_supported: ['authorization_code'] } }; }, /\/person: it gives tokens only to somebody who signs in \(authorization_code\), for which there is no browser here/],
  ['refused', 'a refusal', () => { tenants.refused = { status: 401, token: { error: 'invalid_client', error_description: 'who is it?' } }; }, /\/refused: it gives no token: invalid_client, who is it\?/],
  ['dpop', 'a token of another kind', () => { tenants.dpop = { token: { access_token: 'x', token_type: 'DPoP' } }; }, /\/dpop: its token is of the kind DPoP, not Bearer/],
]) test(`refused by name: ${what}`, async () => {
  prepare();
  const server = await start(name);
  assert.equal(await ask(server, name), `No ${name}.`);
  await until(() => `the log says why; it says ${server.child.stderr}`, () => why.test(server.child.stderr));
  assert.match(server.child.stderr, new RegExp(`mcp\\.failed server=${name} error=`));
  assert.equal(requests(name).length, ['refused', 'dpop'].includes(name) ? 1 : 0, 'no secret is sent');
});

test('a run that waits for a token can be cancelled', async () => {
  tenants.slow = { holds: true };
  const server = await start('slow'), conversation = newConversation(), leaving = new AbortController();
  const { body: stream } = await server.post('/internal/graphs/data_agent/stream', question('ask slow now', conversation, { on_disconnect: 'cancel' }), { signal: leaving.signal });
  await until('the token is asked for', () => held.length > 0);
  leaving.abort();
  await stream.cancel().catch(() => {});
  await server.stop(); // gives the request up, and ends well
});

const suite = join(sourceDir, 'tests/node/node_modules/@modelcontextprotocol/conformance/dist/index.js');
const conform = (scenario, more = [], log = tempPath('client.log')) => {
  const programs = [...['ASKD_BIN', 'MOCKLLM_BIN', 'MAKE_SAMPLES_BIN', 'PATH'].map(name => `${name}=${process.env[name]}`), `MCP_CLIENT_LOG=${log}`].join(' ');
  return run(process.execPath, [suite, 'client', '--command', `env ${programs} ${process.execPath} ${join(sourceDir, 'tests/node/lib/mcp_client.mjs')}`,
    '--scenario', scenario, ...more, '--timeout', String(PATIENCE_MS)], { cwd: tempPath('.'), ms: 2 * PATIENCE_MS });
};
for (const [scenario, ...more] of [['auth/client-credentials-basic'], ['auth/client-credentials-jwt'], ['auth/resource-mismatch', '--spec-version', '2026-07-28'],
  ['auth/metadata-issuer-mismatch', '--spec-version', '2026-07-28']])
  test(`the conformance suite of clients: ${scenario}`, async () => {
    const result = await conform(scenario, more);
    assert.equal(result.code, 0, `${scenario}: ${result.stdout}${result.stderr}`);
  });

test('the conformance suite of clients: a scenario of somebody who signs in is refused by name, behind its metadata', async () => {
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const log = tempPath(`client-${revision}.log`), { code, stdout, stderr } = await conform('auth/metadata-default', ['--spec-version', revision], log), said = stdout + stderr;
    assert.notEqual(code, 0, 'when it passes, docs/tools.md has to say so');
    assert.match(readFileSync(log, 'utf8'), /mcp\.failed server=it error="\S+: it gives tokens only to somebody who signs in/);
    assert.match(said, /prm-pathbased-requested[^\n]*SUCCESS/);
    assert.match(said, /authorization-server-metadata[^\n]*SUCCESS/);
  }
});
