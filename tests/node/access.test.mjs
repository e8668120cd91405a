// SPDX-License-Identifier: MIT
// tests/node/access.test.mjs - who may ask, as an operator sets it: the file of keys and issuers, its
// reload, tokens whose keys are fetched; and a log that nobody reads.
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import http from 'node:http';
import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { askdCommand, question, startAskd, stopAtEnd, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';

const digest = key => createHash('sha256').update(key).digest('hex');
const bearer = key => ({ headers: { authorization: `Bearer ${key}` } });
const fileOf = content => {
  const path = tempPath(`auth-${Math.random()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const keysOf = (...keys) => ({ keys: keys.map(key => ({ name: key, sha256: digest(key) })) });

test('a wrong file: the start says where, and is exit status 78', async () => {
  for (const [content, where] of [
    ['{', /auth-[\d.]+\.json: /],
    [{ keys: [{ name: 'a', sha256: 'secret' }] }, /\/keys\/0\/sha256: expected/],
    [{ keys: [{ name: 'a', sha256: digest('a'), scope: 'ask' }] }, /\/keys\/0\/scope: there is no such member/],
    [{ issuers: [{ issuer: 'i', audience: 'a', company: 'c', jwks_file: '/nowhere' }] }, /\/nowhere/],
  ]) {
    const { code, stderr } = await askdCommand(['serve'], { env: { ASKD_AUTH_FILE: fileOf(content), ASKD_PORT: '0', ASKD_MODEL: 'offline' } });
    assert.equal(code, 78, stderr);
    assert.match(stderr, where);
    assert.doesNotMatch(stderr, /secret/);
    const checked = await askdCommand(['config', 'check'], { env: { ASKD_AUTH_FILE: fileOf(content), ASKD_MODEL: 'offline' } });
    assert.equal(checked.code, 78, checked.stderr);
    assert.match(checked.stderr, where);
  }
});

test('SIGHUP: new keys are let in, old ones are not; a wrong file changes nothing', async () => {
  const path = fileOf(keysOf('one'));
  const askd = await startAskd({ env: { ASKD_AUTH_FILE: path, ASKD_WORKERS: '2' } });
  const status = async key => (await askd.fetch('/internal/graphs', bearer(key))).status;
  const reload = content => {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    askd.child.child.kill('SIGHUP');
  };
  assert.deepEqual([await status('one'), await status('two')], [200, 401]);
  reload({ keys: [{ name: 'both', sha256: [digest('one'), digest('two')] }] });
  await until('both are valid', async () => await status('one') === 200 && await status('two') === 200);
  reload(keysOf('two'));
  for (let i = 0; i < 10; i++) // on either worker
    await until('the old one is over', async () => await status('one') === 401);
  reload('{"keys":[{"name":"x","sha256":"y"}]}');
  await until('it is said', () => /server\.reload keys=kept error="[^"]*\/keys\/0\/sha256: expected/.test(askd.child.stderr));
  assert.deepEqual([await status('one'), await status('two')], [401, 200]);
});

test('tokens: the issuer\'s keys are fetched, also when it changes them', async () => {
  const make = kid => ({ kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) });
  const first = make('first');
  let asked = 0;
  const issuer = http.createServer((request, response) => {
    asked++;
    response.end(JSON.stringify({ keys: [{ ...first.publicKey.export({ format: 'jwk' }), kid: first.kid, use: 'sig' }] }));
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => issuer.on('listening', resolve));
  stopAtEnd({ child: { child: { kill: () => issuer.close() } }, stop: async () => issuer.closeAllConnections() || issuer.close() });
  const name = `http://127.0.0.1:${issuer.address().port}`;
  const askd = await startAskd({ env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('said.db')}`, ASKD_AUTH_FILE: fileOf({
    resource: 'https://askd.example.com',
    issuers: [{ issuer: name, audience: 'askd', jwks_url: `${name}/jwks`, claims: { company: 'org', user: 'sub' } }],
  }) } });
  const part = value => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = (key, claims) => {
    const text = `${part({ alg: 'ES256', kid: key.kid })}.${part({ iss: name, aud: 'askd', exp: 4e9, sub: 'ann', org: 'acme', ...claims })}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const status = async (key, claims, path = '/internal/runs') => (await askd.fetch(path, bearer(token(key, claims)))).status;
  await until('the keys are there', async () => await status(first) === 200);
  assert.equal(await status(first, { exp: 1000 }), 401);
  assert.equal(await status(first, { aud: 'other' }), 401);
  assert.equal(await status(first, {}, '/internal/runs?user_id=bob'), 403);
  assert.equal(await status(first, {}, '/admin/runs'), 403);
  for (let i = 0; i < 20; i++)
    assert.equal(await status(make(`strange-${i}`)), 401);
  assert.ok(asked < 10, `strangers do not make askd ask each time: ${asked}`);
  const mine = { id: 'c1' };
  const answer = await askd.post('/internal/chat/stream', question('How many customers are there?', mine), bearer(token(first)));
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /"event":"complete"/);
  await until('it is kept, and is of the token\'s user', async () => {
    const { conversations } = await (await askd.fetch('/internal/conversations', bearer(token(first)))).json();
    return conversations?.length === 1 && conversations[0].conversation_id === 'c1';
  });
  const refused = await askd.post('/mcp', {});
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get('www-authenticate'),
    'Bearer resource_metadata="https://askd.example.com/.well-known/oauth-protected-resource/mcp"');
});

test('a log that nobody reads: everything goes on, and what was lost is said', async () => {
  const askd = await startAskd({ env: { ASKD_LOG_LEVEL: 'debug' } });
  const { stderr } = askd.child.child;
  stderr.pause();
  for (let i = 0; i < 1500; i++)
    assert.equal((await askd.fetch('/healthz')).status, 200, `after ${i}`);
  stderr.resume();
  await until('it is said', async () => {
    await askd.fetch('/healthz');
    return /log\.lost lines=\d+/.test(askd.child.stderr);
  });
});
