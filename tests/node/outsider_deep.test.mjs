// SPDX-License-Identifier: MIT
// tests/node/outsider_deep.test.mjs - somebody from outside tries what lies behind the doors: frames of
// HTTP/2 that no client sends, tokens that are nearly the issuer's, addresses that mean this machine,
// documents made to break their readers, cells that are formulas, names that are markup.
//
// askd answers each with an error of its caller's, or by closing; it stays well, reaches nothing that it
// should not, and tells nothing of another's.
import assert from 'node:assert/strict';
import { createHash, createHmac, createSign, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import net from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { askdCommand, startAskd, tempPath } from './lib/harness.mjs';
import { makeDocx, makePdf, makeXlsx, makeZip } from './lib/office.mjs';
import { PATIENCE_MS, until } from './lib/process.mjs';
import { readZip } from './lib/zip.mjs';

const CANARY = 'CANARY-of-the-file';
const secretFile = tempPath('secret.txt');
writeFileSync(secretFile, CANARY);
const reached = []; // whoever reaches this machine's own
const inner = createServer((request, response) => {
  reached.push(request.url);
  response.end(CANARY);
}).listen(0, '127.0.0.1');
await once(inner, 'listening');
inner.unref();
const PORT = inner.address().port;

// ---- the issuer, and keys ----

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }), thief = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }), ed = generateKeyPairSync('ed25519');
const jwk = (pair, kid, alg) => ({ ...pair.publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' });
const jwksFile = tempPath('jwks.json');
writeFileSync(jwksFile, JSON.stringify({ keys: [jwk(rsa, 'r1', 'RS256'), jwk(ec, 'e1', 'ES256'), jwk(ed, 'd1', 'EdDSA')] }));
const digest = key => createHash('sha256').update(key).digest('hex');
const authFile = tempPath('deep-auth.json');
const ISSUER = 'https://login.example.com/';
writeFileSync(authFile, JSON.stringify({ keys: [{ name: 'acme', sha256: digest('k-acme'), companies: ['acme'], scopes: ['ask'] }],
  issuers: [{ issuer: ISSUER, audience: 'askd', jwks_file: jwksFile, claims: { company: 'org', user: 'sub', role: 'role' } }] }));

const database = tempPath('deep.db');
const rows = new DatabaseSync(database);
rows.exec('CREATE TABLE note (id INTEGER PRIMARY KEY, companyId TEXT, text TEXT)');
const insert = rows.prepare("INSERT INTO note (companyId, text) VALUES ('acme', ?)");
const FORMULAS = ['=1+1', '=HYPERLINK("http://evil.example","x")', "=cmd|'/c calc'!A1", '+1+1', '-1+cmd|x', '@SUM(A1)', '\t=1+1', '\r=1+1', '\n=1+1', ' =1+1', '＝1+1', '"=1+1', "'=1+1",
  ';=1+1', ',=1+1', '=1+1\u0000', '<c t="f"><f>1+1</f></c>', ']]>', '&#x3D;1+1', '\u202e=1+1'];
for (const text of FORMULAS)
  insert.run(text);
rows.close();
const store = `sqlite:${tempPath('deep-documents.db')}`;
const askd = await startAskd({ database, env: { ASKD_SHARED_TABLES: undefined, ASKD_SECURE_VIEWS: undefined, ASKD_AUTH_FILE: authFile, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('deep-store.db')}`,
  ASKD_VECTOR_URL: store, ASKD_KEYWORD_URL: store, ASKD_UPLOAD_BYTES: '2m', ASKD_WEBHOOKS: `http://127.0.0.1:${PORT}/, http://hooks.example.com/in/, https://hooks.example.com/in/` } });
const KEY = { authorization: 'Bearer k-acme', 'x-askd-company-id': 'acme', 'x-askd-user-id': 'ann' };
const call = (method, path, body, headers = KEY) => askd.fetch(path, { method, redirect: 'manual', headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  body: body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) });
const isWell = async () => assert.equal((await askd.fetch('/healthz')).status, 200);

// ---- HTTP/2 on the open port ----

const frame = (type, flags, stream, payload = Buffer.alloc(0), length = payload.length) => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
};
const [DATA, HEADERS, PRIORITY, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION] = Array.from({ length: 10 }, (_, i) => i);
const END = 1, DONE = 4, PADDED = 8; // END_STREAM (or ACK), END_HEADERS
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const u32 = value => { const bytes = Buffer.alloc(4); bytes.writeUInt32BE(value >>> 0); return bytes; };
const literal = (name, value) => { // without indexing, lengths under 127
  const [n, v] = [Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1')];
  return Buffer.concat([Buffer.from([0, n.length]), n, Buffer.from([v.length]), v]);
};
const list = fields => Buffer.concat(fields.map(([name, value]) => literal(name, value)));
const head = (more = [], { method = 'GET', path = '/internal/conversations', scheme = 'http', authority = '127.0.0.1' } = {}) =>
  list([[':method', method], [':scheme', scheme], [':path', path], [':authority', authority], ...more]);
const asked = [['authorization', 'Bearer k-acme'], ['x-askd-company-id', 'acme'], ['x-askd-user-id', 'ann']];
const get = (stream, block = head(asked), flags = END | DONE) => frame(HEADERS, flags, stream, block);
const many = (count, make) => Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));
const setting = (id, value) => Buffer.concat([Buffer.from([id >> 8, id & 255]), u32(value)]);

/** Send after the preface and an empty SETTINGS; the frames that come until the end, or until done says that they are all. */
const h2 = (bytes, { preface = PREFACE, settings = frame(SETTINGS, 0, 0), linger = 300, done = () => false } = {}) => new Promise(resolve => {
  const socket = net.connect(new URL(askd.url).port, '127.0.0.1'), parts = [];
  const read = () => {
    const all = Buffer.concat(parts), frames = [];
    for (let at = 0; at + 9 <= all.length;) {
      const length = all.readUIntBE(at, 3);
      frames.push({ type: all[at + 3], flags: all[at + 4], stream: all.readUInt32BE(at + 5), payload: all.subarray(at + 9, at + 9 + length) });
      at += 9 + length;
    }
    return { all, frames };
  };
  socket.on('data', part => parts.push(part) && done(read()) && socket.destroy()).on('error', () => {}).on('close', () => resolve(read()));
  socket.write(Buffer.concat([preface, settings, bytes]));
  setTimeout(() => socket.destroy(), linger).unref();
});
const long = 'x'.repeat(120);
const attacks = {
  'a preface cut short': [Buffer.alloc(0), { preface: PREFACE.subarray(0, 10), settings: Buffer.from('xxxxxxxxxxxxxxxx') }],
  'a preface of HTTP/1 behind it': [Buffer.from('GET /internal/conversations HTTP/1.1\r\n\r\n')],
  'no SETTINGS first': [get(1), { settings: Buffer.alloc(0) }],
  'SETTINGS on a stream': [frame(SETTINGS, 0, 1)],
  'SETTINGS of five bytes': [frame(SETTINGS, 0, 0, Buffer.alloc(5))],
  'an acknowledged SETTINGS with bytes': [frame(SETTINGS, 1, 0, setting(1, 1))],
  'a window of 2^31': [frame(SETTINGS, 0, 0, setting(4, 0x80000000))],
  'a frame size of 1': [frame(SETTINGS, 0, 0, setting(5, 1))],
  'push switched to 7': [frame(SETTINGS, 0, 0, setting(2, 7))],
  'a table of 4 GiB': [Buffer.concat([frame(SETTINGS, 0, 0, setting(1, 0xffffffff)), get(1)]), { isFine: true }],
  '500 SETTINGS': [many(500, i => frame(SETTINGS, 0, 0, setting(3, i)))],
  '5,000 PINGs': [many(5000, i => frame(PING, 0, 0, Buffer.alloc(8, i)))],
  'a PING of four bytes': [frame(PING, 0, 0, Buffer.alloc(4))],
  'a PING on a stream': [frame(PING, 0, 3, Buffer.alloc(8))],
  'HEADERS on stream 0': [get(0)],
  'HEADERS on an even stream': [get(2)],
  'streams that go back': [Buffer.concat([get(5), get(3)]), { isFine: true }],
  'HEADERS twice': [Buffer.concat([get(1, head([...asked, ['content-type', 'application/json']], { method: 'POST', path: '/internal/chat/stream' }), DONE), get(1, head(asked), DONE)])],
  'CONTINUATION from nowhere': [frame(CONTINUATION, DONE, 1, head(asked))],
  'CONTINUATION of another stream': [Buffer.concat([frame(HEADERS, END, 1, head(asked)), frame(CONTINUATION, DONE, 3, list([['a', 'b']]))])],
  'another frame between HEADERS and CONTINUATION': [Buffer.concat([frame(HEADERS, END, 1, head(asked)), frame(PING, 0, 0, Buffer.alloc(8))])],
  '20,000 CONTINUATIONs without an end': [Buffer.concat([frame(HEADERS, END, 1, head(asked)), many(20000, () => frame(CONTINUATION, 0, 1))])],
  'CONTINUATIONs of a megabyte': [Buffer.concat([frame(HEADERS, END, 1, head(asked)), many(1000, i => frame(CONTINUATION, 0, 1, many(8, () => literal(`x-${i}`, long))))])],
  'HEADERS that never end': [frame(HEADERS, END, 1, head(asked))],
  'DATA before HEADERS': [frame(DATA, END, 1, Buffer.from('{}'))],
  'DATA on stream 0': [frame(DATA, 0, 0, Buffer.from('x'))],
  '10,000 empty DATA': [Buffer.concat([get(1, head([...asked, ['content-type', 'application/json']], { method: 'POST', path: '/ask' }), DONE), many(10000, () => frame(DATA, 0, 1))])],
  'DATA after the end': [Buffer.concat([get(1), frame(DATA, END, 1, Buffer.from('more'))])],
  'DATA over the window': [Buffer.concat([get(1, head([...asked, ['content-type', 'application/json']], { method: 'POST', path: '/ask' }), DONE), many(40, () => frame(DATA, 0, 1, Buffer.alloc(16384)))])],
  'padding longer than its frame': [frame(DATA | 0, PADDED, 1, Buffer.from([255, 1]))],
  'HEADERS with padding over all': [frame(HEADERS, END | DONE | PADDED, 1, Buffer.concat([Buffer.from([255]), head(asked)]))],
  'a frame of 16 MiB announced': [frame(DATA, 0, 1, Buffer.alloc(100), 0xffffff)],
  'a stream that depends on itself': [frame(HEADERS, END | DONE | 32, 1, Buffer.concat([u32(1), Buffer.from([0]), head(asked)]))],
  'PRIORITY of itself': [frame(PRIORITY, 0, 1, Buffer.concat([u32(1), Buffer.from([0])]))],
  'PRIORITY of four bytes': [frame(PRIORITY, 0, 1, Buffer.alloc(4))],
  '20,000 PRIORITYs': [many(20000, i => frame(PRIORITY, 0, 2 * i + 1, Buffer.concat([u32(0), Buffer.from([1])])))],
  'RST of an idle stream': [frame(RST, 0, 9, u32(8))],
  'RST of three bytes': [Buffer.concat([get(1), frame(RST, 0, 1, Buffer.alloc(3))])],
  '3,000 streams, each reset at once': [many(3000, i => Buffer.concat([get(2 * i + 1, head([...asked, ['content-type', 'application/json']], { method: 'POST', path: '/internal/chat/stream' }), DONE), frame(RST, 0, 2 * i + 1, u32(8))]))],
  '3,000 requests at once': [many(3000, i => get(2 * i + 1)), { isFine: true }],
  'a window that grows by nothing': [frame(WINDOW, 0, 0, u32(0))],
  'a window over 2^31': [many(3, () => frame(WINDOW, 0, 0, u32(0x7fffffff)))],
  '20,000 WINDOW_UPDATEs': [many(20000, () => frame(WINDOW, 0, 0, u32(1)))],
  'PUSH_PROMISE from a client': [frame(PUSH, DONE, 1, Buffer.concat([u32(2), head(asked)]))],
  'GOAWAY, then a request': [Buffer.concat([frame(GOAWAY, 0, 0, Buffer.concat([u32(0), u32(0)])), get(1)]), { isFine: true }],
  '2,000 frames of a type nobody knows': [many(2000, i => frame(0xfa, i & 255, 0, Buffer.alloc(20)))],
  'HPACK: index 0': [get(1, Buffer.from([0x80]))],
  'HPACK: an index that is not there': [get(1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x07]))],
  'HPACK: an integer without an end': [get(1, Buffer.alloc(100, 0xff))],
  'HPACK: a table larger than allowed': [get(1, Buffer.concat([Buffer.from([0x3f, 0xff, 0xff, 0x7f]), head(asked)]))],
  'HPACK: a table size in the middle': [get(1, Buffer.concat([head(asked), Buffer.from([0x20])]))],
  'HPACK: a text longer than the block': [get(1, Buffer.from([0, 1, 97, 0x7e, 98]))],
  'HPACK: Huffman with a wrong end': [get(1, Buffer.concat([head(asked), Buffer.from([0, 1, 97, 0x81, 0x00])]))],
  'HPACK: one field said 4,000 times': [Buffer.concat([get(1, Buffer.concat([head(asked), Buffer.from([0x40, 1, 120, 0x7f, 0x80, 0x1e]), Buffer.alloc(4095, 120), many(4000, () => Buffer.from([0xbe]))]).subarray(0, 16384))])],
};
const heads = {
  'a name in capitals': list([[':method', 'GET'], [':scheme', 'http'], [':path', '/internal/conversations'], [':authority', 'a'], ['Authorization', 'Bearer k-acme']]),
  'no path': list([[':method', 'GET'], [':scheme', 'http'], [':authority', 'a'], ...asked]),
  'an empty path': head(asked, { path: '' }),
  'a path that is none': head(asked, { path: 'internal/conversations' }),
  'a path with a blank': head(asked, { path: '/internal/conversations HTTP/1.1' }),
  'a path with a line feed': head(asked, { path: '/internal/conversations\r\nHost: b' }),
  'a method with a blank': head(asked, { method: 'GET /internal' }),
  'two paths': list([[':method', 'GET'], [':scheme', 'http'], [':path', '/healthz'], [':path', '/internal/conversations'], [':authority', 'a'], ...asked]),
  'two authorities': list([[':method', 'GET'], [':scheme', 'http'], [':path', '/internal/conversations'], [':authority', 'a'], [':authority', 'b'], ...asked]),
  'a pseudo field behind others': list([[':method', 'GET'], ['a', 'b'], [':scheme', 'http'], [':path', '/internal/conversations'], ...asked]),
  'a pseudo field that is none': head([[':protocol', 'websocket'], ...asked]),
  'an answer\'s pseudo field': head([[':status', '200'], ...asked]),
  'Connection': head([['connection', 'close'], ...asked]),
  'Transfer-Encoding': head([['transfer-encoding', 'chunked'], ...asked]),
  'Upgrade': head([['upgrade', 'h2c'], ...asked]),
  'TE of something else': head([['te', 'gzip'], ...asked]),
  'another host than the authority': head([['host', 'evil.example'], ...asked]),
  'a value with a line feed': head([['x-a', 'b\r\nx-askd-user-id: bob'], ...asked]),
  'a value with a NUL': head([['x-a', 'b\0c'], ...asked]),
  'a name with a colon': head([['x-a:', 'b'], ...asked]),
  'a name with a blank': head([['x a', 'b'], ...asked]),
  'an empty name': head([['', 'b'], ...asked]),
  'the user twice': head([...asked, ['x-askd-user-id', 'bob']]),
  'the company twice': head([...asked, ['x-askd-company-id', 'globex']]),
  'two keys': head([...asked, ['authorization', 'Bearer k-other']]),
  'no key': head(),
  'a key in a cookie': head([['cookie', 'authorization=Bearer k-acme']]),
  'two lengths': head([['content-length', '2'], ['content-length', '3'], ['content-type', 'application/json'], ...asked], { method: 'POST', path: '/ask' }),
  'a length below what comes': head([['content-length', '1'], ['content-type', 'application/json'], ...asked], { method: 'POST', path: '/ask' }),
  'CONNECT': list([[':method', 'CONNECT'], [':authority', `127.0.0.1:${PORT}`], ...asked]),
};
const status200 = ({ frames }) => frames.filter(one => one.type === HEADERS && one.payload[0] === 0x88).length;
for (const [name, [bytes, { isFine = false, ...options } = {}]] of Object.entries(attacks))
  test(`HTTP/2: ${name}`, async () => {
    const { all, frames } = await h2(bytes, options);
    assert.doesNotMatch(all.toString('latin1'), /CANARY/);
    assert.ok(isFine || frames.every(one => one.type !== DATA) || frames.some(one => one.type === GOAWAY || one.type === RST), 'nothing but errors is answered');
    assert.ok(all.length < 8 << 20, `${all.length} bytes of answers`);
    await isWell();
  });
for (const [name, block] of Object.entries(heads))
  test(`HTTP/2: a head with ${name}`, async () => {
    const answer = await h2(Buffer.concat([get(1, block, name.includes('length') ? DONE : END | DONE), ...(name.includes('length') ? [frame(DATA, END, 1, Buffer.from('{}'))] : [])]));
    assert.equal(status200(answer), 0);
    await isWell();
  });
test('HTTP/2: a plain request is answered all the same', async () => assert.equal(status200(await h2(get(1), { linger: PATIENCE_MS, done: answer => status200(answer) > 0 })), 1));

// ---- tokens that are nearly the issuer's ----

const b64 = value => Buffer.from(typeof value === 'string' || value instanceof Uint8Array ? value : JSON.stringify(value)).toString('base64url');
const now = Math.floor(Date.now() / 1000);
const CLAIMS = { iss: ISSUER, aud: 'askd', sub: 'ann', org: 'acme', role: 'user', exp: now + 600, iat: now };
const signed = (header, claims, key, algorithm = 'RSA-SHA256') => {
  const text = `${b64(header)}.${b64(claims)}`;
  return `${text}.${b64(createSign(algorithm).update(text).sign(key))}`;
};
const good = (claims = CLAIMS, header = {}) => signed({ alg: 'RS256', kid: 'r1', ...header }, claims, rsa.privateKey);
const hmac = (header, secret) => {
  const text = `${b64(header)}.${b64(CLAIMS)}`;
  return `${text}.${b64(createHmac('sha256', secret).update(text).digest())}`;
};
const es = (bytes, header = { alg: 'ES256', kid: 'e1' }) => `${b64(header)}.${b64(CLAIMS)}.${b64(bytes)}`;
const { exp: _, ...withoutEnd } = CLAIMS;
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }), [h0, c0, s0] = good().split('.');
const tokens = {
  'alg none': `${b64({ alg: 'none' })}.${b64(CLAIMS)}.`, 'alg None': `${b64({ alg: 'None', kid: 'r1' })}.${b64(CLAIMS)}.`, 'alg NONE, signed': `${b64({ alg: 'NONE', kid: 'r1' })}.${c0}.${s0}`,
  'no alg': signed({ kid: 'r1' }, CLAIMS, rsa.privateKey), 'alg is null': signed({ alg: null, kid: 'r1' }, CLAIMS, rsa.privateKey), 'alg is a list': signed({ alg: ['RS256'], kid: 'r1' }, CLAIMS, rsa.privateKey),
  'alg twice': `${b64('{"alg":"none","alg":"RS256","kid":"r1"}')}.${c0}.${s0}`, 'the end twice': signed('{"alg":"RS256","kid":"r1"}', `{"iss":"${ISSUER}","aud":"askd","sub":"ann","org":"acme","role":"user","exp":1,"exp":${now + 600}}`, rsa.privateKey),
  'HS256 by the public key': hmac({ alg: 'HS256', kid: 'r1' }, pem), 'HS256 by its modulus': hmac({ alg: 'HS256', kid: 'r1' }, Buffer.from(jwk(rsa).n, 'base64url')),
  'HS256 called RS256': hmac({ alg: 'RS256', kid: 'r1' }, pem), 'HS256 by nothing': hmac({ alg: 'HS256' }, ''),
  'RS384': signed({ alg: 'RS384', kid: 'r1' }, CLAIMS, rsa.privateKey, 'RSA-SHA384'), 'RS512': signed({ alg: 'RS512', kid: 'r1' }, CLAIMS, rsa.privateKey, 'RSA-SHA512'),
  'RS384 called RS256': signed({ alg: 'RS256', kid: 'r1' }, CLAIMS, rsa.privateKey, 'RSA-SHA384'), 'RS1': signed({ alg: 'RS256', kid: 'r1' }, CLAIMS, rsa.privateKey, 'RSA-SHA1'),
  'PS256': (() => { const text = `${b64({ alg: 'PS256', kid: 'r1' })}.${c0}`; return `${text}.${b64(sign('sha256', Buffer.from(text), { key: rsa.privateKey, padding: 6 }))}`; })(),
  'ES256 of zeros': es(Buffer.alloc(64)), 'ES256 of ones': es(Buffer.alloc(64, 255)), 'ES256 in DER': es(sign('sha256', Buffer.from(`${b64({ alg: 'ES256', kid: 'e1' })}.${c0}`), ec.privateKey)),
  'ES256 by the RSA key': es(Buffer.alloc(64, 1), { alg: 'ES256', kid: 'r1' }), 'EdDSA of zeros': es(Buffer.alloc(64), { alg: 'EdDSA', kid: 'd1' }), 'EdDSA by the P-256 key': es(Buffer.alloc(64, 1), { alg: 'EdDSA', kid: 'e1' }),
  'another\'s key': signed({ alg: 'RS256', kid: 'r1' }, CLAIMS, thief.privateKey), 'another\'s key, another kid': signed({ alg: 'RS256', kid: 'x' }, CLAIMS, thief.privateKey),
  'its own key in jwk': signed({ alg: 'RS256', jwk: jwk(thief, 'r1', 'RS256') }, CLAIMS, thief.privateKey), 'its own keys at jku': signed({ alg: 'RS256', kid: 'r1', jku: `http://127.0.0.1:${PORT}/jwks` }, CLAIMS, thief.privateKey),
  'its own certificate at x5u': signed({ alg: 'RS256', kid: 'r1', x5u: `http://127.0.0.1:${PORT}/x5u` }, CLAIMS, thief.privateKey), 'x5c': signed({ alg: 'RS256', x5c: [pem] }, CLAIMS, thief.privateKey),
  'kid is a file': hmac({ alg: 'HS256', kid: '../../../../dev/null' }, ''), 'kid is SQL': hmac({ alg: 'HS256', kid: "x' UNION SELECT 'k" }, 'k'), 'kid is a number': signed({ alg: 'RS256', kid: 1 }, CLAIMS, thief.privateKey), 'kid is long': signed({ alg: 'RS256', kid: 'k'.repeat(5000) }, CLAIMS, thief.privateKey),
  'crit': good(CLAIMS, { crit: ['b64'], b64: false }), 'crit of nothing': good(CLAIMS, { crit: [] }), 'a token in a token': `${b64({ alg: 'RS256', kid: 'r1', cty: 'JWT' })}.${b64(good())}.${s0}`,
  'ended': good({ ...CLAIMS, exp: now - 3600 }), 'no end': good(withoutEnd), 'an end in words': good({ ...CLAIMS, exp: String(now + 600) }), 'an end beyond numbers': signed({ alg: 'RS256', kid: 'r1' }, `{"iss":"${ISSUER}","aud":"askd","sub":"ann","org":"acme","role":"user","exp":1e400}`, rsa.privateKey),
  'a negative end': good({ ...CLAIMS, exp: -1 }), 'not yet': good({ ...CLAIMS, nbf: now + 3600 }),
  'another issuer': good({ ...CLAIMS, iss: 'https://evil.example/' }), 'the issuer without its slash': good({ ...CLAIMS, iss: ISSUER.slice(0, -1) }), 'the issuer in capitals': good({ ...CLAIMS, iss: ISSUER.toUpperCase() }), 'issuers': good({ ...CLAIMS, iss: [ISSUER] }), 'no issuer': good({ ...CLAIMS, iss: undefined }),
  'another audience': good({ ...CLAIMS, aud: 'other' }), 'a longer audience': good({ ...CLAIMS, aud: 'askd2' }), 'no audience': good({ ...CLAIMS, aud: undefined }), 'an empty audience': good({ ...CLAIMS, aud: [] }), 'an audience inside another': good({ ...CLAIMS, aud: [['askd']] }),
  'a claim changed': `${h0}.${b64({ ...CLAIMS, org: 'globex' })}.${s0}`, 'no signature': `${h0}.${c0}.`, 'no third part': `${h0}.${c0}`, 'four parts': `${good()}.x`, 'five parts': `${h0}.a.b.c.d`, 'padding': `${h0}.${c0}=.${s0}=`, 'other letters': `${h0}.${c0}.${s0.replace(/[-_]/g, one => one === '-' ? '+' : '/')}!`,
  'a blank inside': `${h0}. ${c0}.${s0}`, 'a line feed inside (as %0A)': `${h0}.${c0}%0A.${s0}`, 'claims that are a list': signed({ alg: 'RS256', kid: 'r1' }, [CLAIMS], rsa.privateKey), 'claims that are no JSON': signed({ alg: 'RS256', kid: 'r1' }, 'x', rsa.privateKey),
  'claims 1,000 deep': signed({ alg: 'RS256', kid: 'r1' }, `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`, rsa.privateKey), 'a company that is a list': good({ ...CLAIMS, org: ['acme', 'globex'] }), 'a company that is a number': good({ ...CLAIMS, org: 7 }), 'an empty company': good({ ...CLAIMS, org: '' }), 'no company': good({ ...CLAIMS, org: undefined }),
  'a company with a NUL': good({ ...CLAIMS, org: 'acme\0x' }), 'a user that is an object': good({ ...CLAIMS, sub: { a: 1 } }), 'no user': good({ ...CLAIMS, sub: undefined }), 'two roles': good({ ...CLAIMS, role: ['user', 'admin'] }),
};
for (const [name, token] of Object.entries(tokens))
  test(`a token: ${name}`, async () => {
    const answer = await call('GET', '/internal/conversations', undefined, { authorization: `Bearer ${token}` });
    assert.ok([400, 401, 403, 431, 503].includes(answer.status), `${answer.status} ${await answer.text()}`);
  });
test('a token that is right is let in, and for itself alone', async () => {
  const right = { authorization: `Bearer ${good()}` };
  const let_in = await call('GET', '/internal/conversations', undefined, right);
  assert.equal(let_in.status, 200, await let_in.text());
  for (const more of [{ 'x-askd-company-id': 'globex' }, { 'x-askd-user-id': 'bob' }, { 'x-askd-role': 'admin' }])
    assert.equal((await call('GET', '/internal/conversations', undefined, { ...right, ...more })).status, 403, JSON.stringify(more));
  for (const path of ['/admin/runs', '/metrics'])
    assert.equal((await call('GET', path, undefined, right)).status, 403, path);
});

// ---- addresses that mean this machine, or go elsewhere than they say ----

const own = [`http://127.0.0.1:${PORT}/x`, `http://localhost:${PORT}/x`, `http://127.1:${PORT}/`, `http://2130706433:${PORT}/`, `http://0x7f000001:${PORT}/`, `http://0177.0.0.1:${PORT}/`, `http://0:${PORT}/`, `http://0.0.0.0:${PORT}/`, `http://[::1]:${PORT}/`,
  `http://[::]:${PORT}/`, `http://[::ffff:127.0.0.1]:${PORT}/`, `http://[::ffff:7f00:1]:${PORT}/`, `http://[64:ff9b::7f00:1]/`, `http://[fe80::1]/`, `http://[fd00::1]/`, 'http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/', 'http://192.168.0.1/',
  'http://172.16.0.1/', 'http://100.64.0.1/', `http://LOCALHOST:${PORT}/`, `http://localhost.:${PORT}/`, `http://①②⑦.0.0.1:${PORT}/`, `http://127。0。0。1:${PORT}/`];
const crooked = ['file:///etc/passwd', 'gopher://hooks.example.com/in/', 'ftp://hooks.example.com/in/', 'javascript:alert(1)', 'data:text/plain,x', '//hooks.example.com/in/', 'hooks.example.com/in/', 'http://hooks.example.com@evil.example/in/',
  'http://evil.example/in/', 'http://hooks.example.com.evil.example/in/', 'http://hooks.example.com:81/in/', 'http://hooks.example.com/out/', 'http://hooks.example.com/in/../out/', 'http://hooks.example.com/in/%2e%2e/out/', 'http://hooks.example.com/in/..%2fout/',
  'http://hooks.example.com\\@evil.example/in/', 'http://hooks.example.com#@evil.example/in/', 'http://hooks.example.com/in', 'http://user:pw@hooks.example.com/in/', 'http://hooks.example.com/in/\r\nX-A: b', 'http://hooks.example.com /in/', 'http:///in/', 'http://', 'x'.repeat(9000)];
for (const url of crooked)
  test(`a webhook to ${JSON.stringify(url.slice(0, 60))}`, async () => {
    const answer = await call('POST', '/internal/schedules', { cron: '@daily', input: { message: 'How many notes?' }, conversation: { company_id: 'acme', user_id: 'ann' }, webhook: url });
    assert.equal(answer.status, 422, await answer.text());
  });
for (const url of own)
  test(`a webhook to ${url}`, async () => {
    const answer = await call('POST', '/internal/schedules', { cron: '@daily', input: { message: 'How many notes?' }, conversation: { company_id: 'acme', user_id: 'ann' }, webhook: url });
    if (answer.status === 201) { // a name is looked up when it is sent to: refused then
      const { schedule_id: id } = await answer.json();
      assert.equal((await call('POST', `/internal/schedules/${id}/run`)).status, 202);
      await until('its result is to be sent', async () => (await (await call('GET', `/internal/schedules/${id}`)).json()).runs.some(one => one.run_id));
      assert.equal((await call('DELETE', `/internal/schedules/${id}`)).status, 204);
    } else {
      assert.equal(answer.status, 422, await answer.text());
    }
  });
test('what tools may reach: a file that allows no more than it says', async () => {
  const tool = (url, allow = ['http://api.example.com/v1/']) => ({ allow, http: { t: { description: 'A tool.', parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, url } } });
  const files = [...crooked.map(url => tool(url)), tool('http://api.example.com/v1/../x'), tool('http://{a}.example.com/v1/'), tool('http://api.example.com{a}/v1/'), tool('http://api.example.com:{a}/v1/'), tool('{a}'),
    tool('http://api.example.com/v1/', ['*']), tool('http://api.example.com/v1/', ['http://']), tool('http://api.example.com/v1/', ['http://*.example.com/']), tool('http://api.example.com/v1/', [])];
  for (const content of files) {
    const path = tempPath('tools.json');
    writeFileSync(path, JSON.stringify(content));
    const { code, stderr } = await askdCommand(['config', 'check'], { env: { ASKD_MODEL: 'offline', ASKD_TOOLS: path } });
    assert.equal(code, 78, `${JSON.stringify(content.http.t.url).slice(0, 80)} ${JSON.stringify(content.allow)}: ${stderr}`);
  }
});

// ---- documents that break their readers ----

const deflated = (name, plain, claimed = plain.length) => { // an archive of one packed file, said to be so large
  const bytes = deflateRawSync(plain), raw = makeZip([[name, bytes]]);
  for (const [signature, method, size] of [['PK\x03\x04', 8, 22], ['PK\x01\x02', 10, 24]]) {
    const at = raw.indexOf(Buffer.from(signature, 'latin1'));
    raw.writeUInt16LE(8, at + method);
    raw.writeUInt32LE(claimed >>> 0, at + size);
  }
  return raw;
};
const entity = '<!DOCTYPE x [<!ENTITY e SYSTEM "file://FILE">]>'.replace('FILE', secretFile);
const laughs = `<!DOCTYPE x [<!ENTITY a0 "lol">${Array.from({ length: 12 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join('')}]>`;
const word = (doctype, text) => makeZip([['word/document.xml', `${doctype}<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`]]);
const sheet = (doctype, text) => makeZip([['xl/workbook.xml', `${doctype}<workbook xmlns:r="r"><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>`],
  ['xl/_rels/workbook.xml.rels', '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>'],
  ['xl/worksheets/sheet1.xml', `${doctype}<worksheet><sheetData><row><c t="inlineStr"><is><t>${text}</t></is></c></row></sheetData></worksheet>`]]);
const documents = {
  'XXE.docx': word(entity, 'said &e; here'), 'XXE.xlsx': sheet(entity, 'said &e; here'), 'remote.docx': word(`<!DOCTYPE x SYSTEM "http://127.0.0.1:${PORT}/dtd">`, 'said'), 'parameter.docx': word(`<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:${PORT}/p"> %p;]>`, 'said'),
  'laughs.docx': word(laughs, '&a12;'), 'laughs.xlsx': sheet(laughs, '&a12;'), 'XInclude.docx': word('', `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file://${secretFile}" parse="text"/>`),
  'outside.xlsx': makeZip([['xl/workbook.xml', '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>'], ['xl/_rels/workbook.xml.rels', `<Relationships><Relationship Id="rId1" Target="../../../../../..${secretFile}"/></Relationships>`]]),
  'linked.xlsx': makeZip([['xl/workbook.xml', '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>'], ['xl/_rels/workbook.xml.rels', `<Relationships><Relationship Id="rId1" TargetMode="External" Target="http://127.0.0.1:${PORT}/sheet"/></Relationships>`]]),
  'picture.docx': makeZip([['word/_rels/document.xml.rels', `<Relationships><Relationship Id="a" TargetMode="External" Target="http://127.0.0.1:${PORT}/picture"/></Relationships>`], ['word/document.xml', '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>said</w:t></w:r></w:p></w:body></w:document>']]),
  'bomb.docx': deflated('word/document.xml', Buffer.alloc(400 << 20, 32)), 'bomb.xlsx': deflated('xl/workbook.xml', Buffer.alloc(400 << 20, 32)), 'lies.docx': deflated('word/document.xml', Buffer.alloc(64 << 20, 32), 10),
  'deep.docx': word('', `${'<w:a>'.repeat(100000)}x`), 'names.docx': makeZip([['../../word/document.xml', '<a/>'], ['/etc/passwd', 'x'], ['word\\document.xml', 'x']]), 'twice.docx': makeZip([['word/document.xml', '<a/>'], ['word/document.xml', '<b/>']]),
  'many.docx': makeZip(Array.from({ length: 20000 }, (_, i) => [`f${i}`, ''])), 'cut.docx': makeDocx([['', 'said']]).subarray(0, 200), 'cut.xlsx': makeXlsx([['a']]).subarray(0, 100), 'none.docx': Buffer.from('PK\x05\x06' + '\0'.repeat(18), 'latin1'), 'program.docx': Buffer.from('\x7fELF' + '\0'.repeat(200), 'latin1'),
  'page.pdf': Buffer.from('<html><script>alert(1)</script></html>'), 'both.pdf': Buffer.concat([makeDocx([['', 'said']]), makePdf(['said'])]), 'cut.pdf': makePdf(['said']).subarray(0, 120), 'loop.pdf': Buffer.from('%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 1 0 R /Kids [1 0 R] >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF'),
  'xref.pdf': Buffer.from('%PDF-1.4\nxref\n0 4294967295\ntrailer << /Size 4294967295 /Root 1 0 R /Prev 9 >>\nstartxref\n9\n%%EOF'), 'deep.json': Buffer.from('['.repeat(100000)), 'wide.json': Buffer.from(`[${'{"a":1},'.repeat(50000)}0`), 'number.json': Buffer.from(`{"a":1e999999999}`),
  'long.csv': Buffer.from(`a,${'b,'.repeat(200000)}\n1`), 'quote.csv': Buffer.from(`a,b\n"${'x'.repeat(500000)}`), 'nul.md': Buffer.from('# A\0B\n\n\0'), 'bytes.md': Buffer.alloc(1000, 0xff), 'tags.html': Buffer.from('<div>'.repeat(100000)), 'script.html': Buffer.from(`<h1>Said</h1><script src="http://127.0.0.1:${PORT}/s"></script><img src="http://127.0.0.1:${PORT}/i">`),
  'include.html': Buffer.from(`<iframe src="file://${secretFile}"></iframe><object data="file://${secretFile}"></object>x`), 'bom.txt': Buffer.from([0xff, 0xfe, 0x41, 0xd8]),
};
for (const [name, bytes] of Object.entries(documents))
  test(`a document: ${name}`, async () => {
    const answer = await call('PUT', `/internal/documents/${name}`, new Uint8Array(bytes), { ...KEY, 'content-type': 'application/octet-stream' });
    const text = await answer.text();
    assert.ok([200, 201, 400, 413, 415, 422].includes(answer.status), `${answer.status} ${text}`);
    assert.doesNotMatch(text, /CANARY|secret\.txt|\/tmp\//);
    await isWell();
  });
for (const name of ['..', '../x.md', '%2e%2e%2fx.md', '..%2f..%2fetc%2fpasswd.md', '%00.md', 'a%00.md', 'a%0d%0ab.md', '%ff%fe.md', `${'n'.repeat(200)}.md`, '.md%2f..', 'con:.md%7f'])
  test(`a document called ${name}`, async () => {
    const answer = await call('PUT', `/internal/documents/${name}?for=user`, '# A\n\nB.', { ...KEY, 'content-type': 'text/markdown' });
    assert.ok(answer.status >= 200 && answer.status < 500, String(answer.status));
    assert.equal(answer.headers.get('b.md'), null);
  });
test('what documents held and pointed to was neither read nor fetched', async () => {
  for (const question of ['What is said here?', 'CANARY', 'What does the secret file say?']) {
    const { raw } = await askd.ask(question, { headers: KEY, conversation: { id: `d${question.length}`, company_id: 'acme', user_id: 'ann' } });
    assert.doesNotMatch(raw, /CANARY-of-the-file/);
  }
});

// ---- cells ----

for (const [format, suffix] of [['csv', 'csv'], ['xlsx', 'xlsx']])
  test(`no cell of ${format} is a formula`, async () => {
    const answer = await call('POST', '/internal/results', { sql: 'SELECT id, text, text AS "=1+1" FROM note ORDER BY id', format });
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.status, 200, bytes.toString());
    if (suffix === 'csv') {
      const cells = [...bytes.toString().matchAll(/(?:^|,|\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(([, quoted, plain]) => quoted ?? plain);
      assert.ok(cells.length > 2 * FORMULAS.length);
      for (const cell of cells)
        assert.doesNotMatch(cell, /^[=+@\t\r\n＝-]/, cell);
    } else {
      const sheets = [...readZip(bytes)].filter(([name]) => /sheet|strings/i.test(name)).map(([, text]) => text.toString()).join();
      assert.doesNotMatch(sheets, /<f[ >]|t="str"/);
      assert.match(sheets, /=1\+1/, 'it is a text');
    }
  });

// ---- names ----

const MARKUP = '</title><script>alert(1)</script>';
for (const title of [MARKUP, 'x'.repeat(100000), 'a\0b', 'a\r\nSet-Cookie: a=b', '\u202eabc', '', ' ', '{{7*7}}', '${7*7}', '../../etc/passwd', null, 7, ['a'], { a: 1 }])
  test(`a title: ${JSON.stringify(title).slice(0, 40)}`, async () => {
    await askd.ask('How many notes are there?', { headers: KEY, conversation: { id: 'titled', company_id: 'acme', user_id: 'ann' } });
    const answer = await call('PATCH', '/internal/conversations/titled', { title });
    assert.ok(answer.status < 500, String(answer.status));
    const listed = await call('GET', '/internal/conversations');
    assert.match(listed.headers.get('content-type'), /^application\/json/);
    assert.equal(listed.headers.get('set-cookie'), null);
    JSON.parse(await listed.text());
  });
test('nothing on this machine was reached, and askd is well', async () => {
  assert.deepEqual(reached, []);
  await isWell();
});
