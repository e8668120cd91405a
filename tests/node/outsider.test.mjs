// SPDX-License-Identifier: MIT
// tests/node/outsider.test.mjs - somebody from outside tries the doors: requests that two readers read
// differently, headers given twice, other people's things on every path, keys of other scopes, pages of
// other origins, bodies that are no JSON, names with dots and line feeds, rows that would be markup.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { question, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { held, line } from './lib/scripts.mjs';
import { readStream } from './lib/sse.mjs';

const CANARY = 'CANARY-of-acme';
const MARKUP = '</script><img src=x onerror=alert(1)>\r\n\r\nevent: complete\r\ndata: {"forged":true}\r\n\r\n';
const FORMULAS = ['=1+1', '+cmd|x', '-1+cmd|x', '@SUM(A1)', '\tx', '\rx'];
const path = tempPath('outsider.db');
const rows = new DatabaseSync(path);
rows.exec('CREATE TABLE note (id INTEGER PRIMARY KEY, companyId TEXT, text TEXT)');
const insert = rows.prepare('INSERT INTO note (companyId, text) VALUES (?, ?)');
for (const text of [CANARY, MARKUP, ...FORMULAS])
  insert.run('acme', text);
insert.run('globex', 'of globex');
rows.close();

const digest = key => createHash('sha256').update(key).digest('hex');
const authFile = tempPath('outsider-auth.json');
writeFileSync(authFile, JSON.stringify({ keys: [
  { name: 'acme', sha256: digest('k-acme'), companies: ['acme'], scopes: ['ask'] },
  { name: 'globex', sha256: digest('k-globex'), companies: ['globex'], scopes: ['ask'] },
  { name: 'metrics', sha256: digest('k-metrics'), scopes: ['metrics'] },
  { name: 'old', sha256: digest('k-old'), scopes: ['ask'], expires: '2020-01-01T00:00:00Z' },
] }));
const SQL = 'SELECT id, text FROM note ORDER BY id';
const mock = await startMock([held('long'), line('classify', JSON.stringify({ route: 'SQL', sql: SQL, cannot: null, search: null }), { user: 'all notes' }),
  line('answer', `Here: ${MARKUP}`), line('classify', 'GENERAL'), line('general', 'Hello.')]);
const env = { ASKD_SHARED_TABLES: undefined, ASKD_SECURE_VIEWS: undefined, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('outsider-store.db')}` };
const askd = await startAskd({ mock, database: path, env: { ...env, ASKD_AUTH_FILE: authFile } });
const open = await startAskd({ mock, database: path, env: { ...env, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('outsider-open.db')}` } });

const bearer = key => ({ authorization: `Bearer ${key}` });
const as = (key, company, user) => ({ ...bearer(key), 'x-askd-company-id': company, 'x-askd-user-id': user });
const ann = as('k-acme', 'acme', 'ann'), bob = as('k-acme', 'acme', 'bob'), eve = as('k-globex', 'globex', 'ann');
const call = (method, target, headers, body) => askd.fetch(target, { method, redirect: 'manual',
  headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body) });

// Bytes as they are, to the connection's end.
const raw = (server, text) => new Promise((resolve, reject) => {
  const socket = net.connect(new URL(server.url).port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', part => { answer += part; }).on('error', reject).on('close', () => resolve(answer));
  socket.write(text, 'latin1');
  setTimeout(() => socket.end(), 300).unref(); // what waits for more is told that there is none
});
const statuses = answer => (answer.match(/^HTTP\/1\.1 \d+/gm) ?? []).map(text => Number(text.slice(9)));

const conversation = { id: 'c-1', user_id: 'ann', company_id: 'acme' };
const asked = await call('POST', '/internal/chat/stream', ann, question('all notes', conversation));
assert.equal(asked.status, 200);
const transcript = await readStream(asked.body);
const runId = transcript.runId;
const alive = await call('POST', '/internal/chat/stream', ann, question('long', { ...conversation, id: 'c-2' }));
const before = await readStream(alive.body, ({ frames }) => frames.length >= 3);

// ---- one request, not two ----

const HEAD = `Host: 127.0.0.1\r\nAuthorization: Bearer k-acme\r\nX-Askd-Company-Id: acme\r\nX-Askd-User-Id: ann\r\nContent-Type: application/json\r\n`;
const HIDDEN = 'GET /version HTTP/1.1\r\nHost: a\r\n\r\n';
const smuggled = {
  'a length and chunks': `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'chunks and a length': `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'two lengths': `Content-Length: 0\r\nContent-Length: 38\r\n\r\n${HIDDEN}`,
  'two equal lengths in one': `Content-Length: 2, 2\r\n\r\n{}${HIDDEN}`,
  'a length with a sign': `Content-Length: +2\r\n\r\n{}${HIDDEN}`,
  'a negative length': `Content-Length: -1\r\n\r\n${HIDDEN}`,
  'a length in hex': `Content-Length: 0x2\r\n\r\n{}${HIDDEN}`,
  'a length over all bounds': `Content-Length: 99999999999999999999999\r\n\r\n${HIDDEN}`,
  'a blank before the colon': `Content-Length : 0\r\n\r\n${HIDDEN}`,
  'a coding that is none': `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'two codings': `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'two lines of codings': `Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'a coding with a tab': `Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'a folded line': `X-A: b\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'a bare line feed': `X-A: b\nContent-Length: 0\r\n\r\n${HIDDEN}`,
  'a bare carriage return': `X-A: b\rContent-Length: 0\r\n\r\n${HIDDEN}`,
  'a NUL in a value': `X-A: b\0c\r\nContent-Length: 0\r\n\r\n${HIDDEN}`,
  'a chunk size with a sign': `Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n${HIDDEN}`,
  'a chunk size over all bounds': `Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n${HIDDEN}`,
  'a chunk without its end': `Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n${HIDDEN}`,
  'a name with a blank': `X A: b\r\nContent-Length: 0\r\n\r\n${HIDDEN}`,
  'no name': `: b\r\nContent-Length: 0\r\n\r\n${HIDDEN}`,
};
for (const [what, rest] of Object.entries(smuggled))
  test(`one request, not two: ${what}`, async () => {
    const answer = await raw(askd, `POST /ask HTTP/1.1\r\n${HEAD}${rest}`);
    assert.ok(statuses(answer).length <= 1, answer);
    assert.ok(statuses(answer).every(status => status >= 400 && status < 500), answer);
  });

const firstLines = ['GET  /version HTTP/1.1', 'GET /version  HTTP/1.1', 'GET /version HTTP/1.2', 'GET /version HTTP/2.0', 'GET /version', 'get /version HTTP/1.1',
  'GET\t/version HTTP/1.1', 'GET version HTTP/1.1', 'CONNECT evil.example:443 HTTP/1.1', 'TRACE /version HTTP/1.1', 'GET /ver\x00sion HTTP/1.1', 'GET /\xff HTTP/1.1', '\x16\x03\x01\x02\x00'];
for (const first of firstLines)
  test(`no first line: ${JSON.stringify(first)}`, async () => {
    const answer = await raw(open, `${first}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    assert.ok(statuses(answer).every(status => status >= 400), answer);
    assert.doesNotMatch(answer, /"version"/);
  });

// ---- headers twice ----

for (const [name, ...values] of [['Authorization', 'Bearer k-acme', 'Bearer k-globex'], ['X-Askd-Company-Id', 'acme', 'globex'], ['X-Askd-Company-Id', 'acme', 'acme'],
  ['X-Askd-User-Id', 'ann', 'bob'], ['X-Askd-Role', 'a', 'b'], ['Host', 'a', 'b'], ['Content-Type', 'application/json', 'text/plain'], ['Origin', 'http://a', 'http://b'],
  ['Idempotency-Key', 'a', 'b'], ['Last-Event-ID', 'a', 'b']])
  test(`twice: ${name} ${values}`, async () => {
    const kept = HEAD.split('\r\n').filter(text => text && !text.toLowerCase().startsWith(`${name.toLowerCase()}:`));
    const answer = await raw(askd, `POST /internal/chat/stream HTTP/1.1\r\n${[...kept, ...values.map(value => `${name}: ${value}`)].join('\r\n')}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`);
    assert.ok(statuses(answer).length === 1 && statuses(answer)[0] >= 400 && statuses(answer)[0] < 500, answer);
  });

// ---- other people's things ----

test('its owner has them', async () => {
  assert.ok(JSON.stringify(transcript.events).includes(CANARY), JSON.stringify(transcript.events));
  for (const target of ['/internal/conversations/c-1', `/internal/runs/${runId}/stream`, '/threads/c-1', '/internal/conversations/c-1/checkpoints'])
    assert.ok((await call('GET', target, ann)).status < 300, target);
});

const crossings = id => [
  ['GET', `/internal/runs/${id}/stream`], ['POST', `/internal/runs/${id}/cancel`], ['POST', `/internal/runs/${id}/resume`, { decision: 'approve' }],
  ['POST', `/internal/runs/${id}/feedback`, { score: 1 }], ['GET', `/runs/${id}/stream`], ['GET', `/threads/c-1/runs/${id}`], ['GET', `/threads/c-1/runs/${id}/join`],
  ['GET', `/threads/c-1/runs/${id}/stream`], ['POST', `/threads/c-1/runs/${id}/cancel`], ['GET', `/v1/responses/${id}`], ['GET', `/v1/responses/resp_${id}`], ['GET', '/api/chat/c-1/stream'],
];
const things = [
  ['GET', '/internal/conversations/c-1'], ['DELETE', '/internal/conversations/c-1'], ['PATCH', '/internal/conversations/c-1', { title: 'x' }],
  ['POST', '/internal/conversations/c-1/share', {}], ['DELETE', '/internal/conversations/c-1/share'], ['GET', '/internal/conversations/c-1/checkpoints'],
  ['POST', '/internal/conversations/c-1/fork', { version: 1 }], ['GET', '/threads/c-1'], ['GET', '/threads/c-1/state'], ['GET', '/threads/c-1/state/1'],
  ['POST', '/threads/c-1/history', {}], ['POST', '/threads/c-1/copy', {}], ['GET', '/threads/c-1/runs'], ['DELETE', '/threads/c-1'],
];
const strangers = { 'another user': bob, 'another company': eve, 'the company alone': { ...bearer('k-acme'), 'x-askd-company-id': 'acme' },
  'nobody': { ...bearer('k-globex') }, 'no key': { 'x-askd-company-id': 'acme', 'x-askd-user-id': 'ann' }, 'a key of metrics': as('k-metrics', 'acme', 'ann'),
  'an old key': as('k-old', 'acme', 'ann'), 'another company\'s key': as('k-globex', 'acme', 'ann'), 'a key in the query': 'query' };
for (const [who, headers] of Object.entries(strangers))
  for (const [method, target, body] of [...things, ...crossings(runId), ...crossings(before.runId)])
    test(`${who}: ${method} ${target.replace(/run_\w+/, 'RUN')}`, async () => {
      const answer = headers === 'query' ? await call(method, `${target}?company_id=acme&user_id=ann&key=k-acme&access_token=k-acme`, {}, body)
        : await call(method, target, headers, body);
      const text = await answer.text();
      assert.ok((answer.status >= 400 && answer.status < 500) || text === '[]' || answer.status === 204, `${answer.status} ${text}`);
      assert.ok(!text.includes('CANARY') && !text.includes('all notes'), text);
    });

test('lists are one\'s own', async () => {
  for (const headers of [bob, eve])
    for (const [method, target, body] of [['GET', '/internal/conversations'], ['GET', '/internal/conversations?search=notes'], ['GET', '/internal/runs'], ['POST', '/threads/search', {}],
      ['GET', '/internal/conversations?company_id=acme&user_id=ann'], ['GET', '/internal/runs?company_id=acme&user_id=ann']]) {
      const text = await (await call(method, target, headers, body)).text();
      assert.ok(!text.includes('c-1') && !text.includes(runId), `${target}: ${text}`);
    }
});

test('what strangers did has changed nothing', async () => {
  assert.equal((await (await call('GET', '/internal/conversations/c-1', ann)).json()).turns, 1);
  const after = await mock.release(call('GET', `/internal/runs/${before.runId}/stream`, { ...ann, 'last-event-id': `${before.runId}:${before.frames.length}` })
    .then(({ body }) => readStream(body)));
  assert.equal(after.last.event, 'complete', 'a run that they wanted to cancel');
});

for (const [target, body] of [['/internal/results', { sql: SQL }], ['/internal/results', { sql: "SELECT text FROM note WHERE companyId='acme'" }]])
  test(`rows of another company: ${body.sql}`, async () => {
    for (const headers of [eve, bearer('k-globex'), as('k-globex', 'acme', 'ann')])
      assert.doesNotMatch(await (await call('POST', target, headers, body)).text(), /CANARY/);
  });

test('tools of /mcp ask for the caller', async () => {
  const tool = (name, args) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
  for (const [headers, args] of [[eve, { sql: SQL }], [eve, { sql: SQL, company_id: 'acme', user_id: 'ann' }], [bearer('k-globex'), { sql: SQL }]])
    assert.doesNotMatch(await (await call('POST', '/mcp', { ...headers, accept: 'application/json, text/event-stream' }, tool('run_sql', args))).text(), /CANARY/);
});

// ---- scopes, tokens that are none ----

const b64 = value => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const credentials = ['Bearer ', 'Bearer', 'Basic azp3', 'bearer k-acme, k-globex', 'Bearer k-acme k-globex', 'Bearer k-acm', 'Bearer k-acmee', 'Bearer K-ACME',
  `Bearer ${b64({ alg: 'none' })}.${b64({ sub: 'ann', company: 'acme' })}.`, `Bearer ${b64({ alg: 'HS256' })}.${b64({ sub: 'ann' })}.${b64('x')}`,
  `Bearer ${'a'.repeat(8000)}`, 'Bearer ..', 'Bearer a.b.c', `Bearer ${digest('k-acme')}`, 'Digest username="ann"', 'Bearer undefined', 'Bearer null'];
for (const authorization of credentials)
  test(`no key: ${authorization.slice(0, 40)}`, async () => {
    for (const target of ['/internal/graphs', '/internal/conversations', '/metrics', '/admin/runs', '/v1/models', '/internal/tables']) {
      const answer = await call('GET', target, { authorization });
      assert.ok([401, 403].includes(answer.status), `${target}: ${answer.status} ${await answer.text()}`);
    }
  });
for (const [method, target, key, status] of [['GET', '/admin/runs', 'k-acme', 403], ['POST', `/admin/runs/${runId}/cancel`, 'k-acme', 403], ['GET', '/metrics', 'k-acme', 403],
  ['GET', '/internal/graphs', 'k-metrics', 403], ['GET', '/metrics', 'k-metrics', 200], ['GET', '/admin/runs', 'k-metrics', 403], ['GET', '/internal/graphs', 'k-old', 401]])
  test(`scope: ${key} ${target.replace(/run_\w+/, 'RUN')}`, async () => assert.equal((await call(method, target, bearer(key))).status, status));

// ---- pages of others, and names of this machine that are none ----

for (const headers of [{ origin: 'http://evil.example' }, { origin: 'null' }, { origin: open.url.replace(/\d+$/, '1') }, { host: 'evil.example' }, { host: 'evil.example:80' },
  { 'x-forwarded-for': '203.0.113.9' }, { forwarded: 'for=203.0.113.9' }, { via: '1.1 proxy' }, { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' }])
  for (const [method, target] of [['POST', '/internal/chat/stream'], ['GET', '/internal/conversations'], ['POST', '/mcp'], ['GET', '/internal/tables']])
    test(`from afar: ${JSON.stringify(headers)} ${method} ${target}`, async () => {
      const head = Object.entries({ host: '127.0.0.1', 'content-type': 'application/json', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const answer = await raw(open, `${method} ${target} HTTP/1.1\r\n${head}Connection: close\r\nContent-Length: 2\r\n\r\n{}`);
      assert.deepEqual(statuses(answer), [403], answer);
      assert.doesNotMatch(answer, /access-control-allow/i);
    });
for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json-seq', 'text/json', '', 'application/jsonx', 'text/plain; application/json'])
  for (const target of ['/internal/chat/stream', '/ask', '/mcp', '/v1/chat/completions', '/internal/results', '/api/chat', '/ag-ui', '/threads'])
    test(`a body of ${type || 'nothing said'}: ${target}`, async () => {
      const answer = await raw(open, `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${type && `Content-Type: ${type}\r\n`}Connection: close\r\nContent-Length: 2\r\n\r\n{}`);
      assert.deepEqual(statuses(answer), [415], answer);
    });

// ---- names with dots, slashes and line feeds ----

for (const target of ['/page/../../etc/passwd', '/page/%2e%2e/%2e%2e/etc/passwd', '/page/x/..%2f..%2fetc%2fpasswd', '/page/x/....//etc/passwd', '/page//etc/passwd', '/page/x/%00', '//etc/passwd',
  '/internal/graphs/..%2f..%2fetc%2fpasswd', '/internal/shared/..%2f..%2fetc', '/assistants/%2e%2e/graph', '/%2e%2e/%2e%2e/etc/passwd', '/page/x/index.html%0d%0aSet-Cookie:%20a=b', '/embed.js/..', '/embed.js%00.png'])
  test(`path: ${target}`, async () => {
    const answer = await raw(open, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    assert.ok(statuses(answer)[0] >= 400 && statuses(answer)[0] < 500, answer);
    assert.doesNotMatch(answer, /root:|set-cookie/i);
  });
for (const id of ['../../x', "'; DROP TABLE runs; --", 'a\r\nX-Injected: 1', '%00', 'ü'.repeat(60), '*', '_', '%'])
  test(`a conversation named ${JSON.stringify(id)}`, async () => {
    const answer = await call('GET', `/internal/conversations/${encodeURIComponent(id)}`, ann);
    assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status));
    assert.equal(answer.headers.get('x-injected'), null);
  });
for (const token of ['', 'x', 'AAAA', b64('0'.repeat(32) + '\nacme\nann\nc-1'), b64(`${'%'.repeat(32)}\nacme\nann\nc-1`), b64('\n\n\n'), b64('[]\nacme\nann\nc-1'), 'a'.repeat(4000)])
  test(`a link that is none: ${token.slice(0, 30)}`, async () => {
    const answer = await open.fetch(`/internal/shared/${token}`);
    assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status));
  });

// ---- rows that would be something else ----

test('rows and answers forge no event', async () => {
  assert.equal(transcript.events.filter(({ event }) => event === 'complete').length, 1);
  assert.ok(!transcript.frames.some(({ data }) => data.forged));
  assert.ok(JSON.stringify(transcript.events).includes('onerror'), 'and arrive as they are, as JSON');
});
test('a row is no formula in CSV', async () => {
  const text = await (await call('POST', '/internal/results', ann, { sql: SQL, format: 'csv' })).text();
  for (const formula of FORMULAS)
    assert.ok(!new RegExp(`(^|,)"?${formula.replace(/[+|()]/g, '\\$&')}`, 'm').test(text.replaceAll(MARKUP, '')), `${JSON.stringify(formula)} in ${text}`);
});
test('what is an answer to a browser is no page', async () => {
  for (const [method, target, body] of [['GET', '/internal/conversations/c-1'], ['POST', '/internal/results', { sql: SQL }], ['GET', '/nothing<script>']]) {
    const answer = await call(method, target, ann, body);
    assert.match(answer.headers.get('content-type'), /^application\/(problem\+)?json/, target);
  }
});

// ---- what an answer is taken for ----

test('no answer is guessed at: each says its type, and that it is that', async () => {
  const chat = { input: { message: 'all notes' }, conversation: { id: 'sniff' } };
  const asked = { 'the page': ['GET', '/'], 'JSON': ['GET', '/version', ann], 'text': ['GET', '/healthz'], 'metrics': ['GET', '/metrics', bearer('k-metrics')],
    'a refusal': ['GET', '/internal/runs'], 'nothing there': ['GET', '/none', ann], 'no body': ['DELETE', '/internal/conversations/sniff', ann],
    'a preflight': ['OPTIONS', '/version'], 'events': ['POST', '/internal/chat/stream', ann, chat], 'rows': ['POST', '/internal/results', ann, { sql: 'SELECT 1' }] };
  for (const [name, [method, target, headers, body]] of Object.entries(asked)) {
    const response = await call(method, target, headers, body);
    await response.text();
    assert.deepEqual([response.headers.get('x-content-type-options')], ['nosniff'], `${name}: ${response.status}`);
  }
  assert.match(await raw(askd, 'GET /version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'), /^HTTP\/1\.1 400 [^]*\r\nX-Content-Type-Options: nosniff\r\n/);
});
