// SPDX-License-Identifier: MIT
// tests/node/qdrant.test.mjs - our Qdrant speaks Qdrant's wire: the official client understands it, and
// what Qdrant's schemas refuse it refuses; then `askd docs` on it, up, without its key, and down.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { QdrantClient } from '@qdrant/js-client-rest';
import { askdCommand, sourceDir, tempPath } from './lib/harness.mjs';
import { Process } from './lib/process.mjs';

const KEY = 'a:key@';
const server = new Process('node', [join(sourceDir, 'tests/node/qdrant/server.mjs'), '0', KEY, tempPath('qdrant.pid')]);
const stop = () => server.result ?? (server.child.kill('SIGTERM') && server.wait());
after(stop);
const [url] = await server.said(/^http:\S+/);

const A = '00000000-0000-8000-8000-00000000000a', B = '00000000-0000-8000-8000-00000000000b';

test('the official client', async () => {
  const client = new QdrantClient({ url, apiKey: KEY, checkCompatibility: false });
  await client.api().createCollection({ collection_name: 'docs', vectors: { size: 3, distance: 'Cosine' }, metadata: { model: 'm' } });
  await assert.rejects(client.createCollection('docs', { vectors: { size: 3, distance: 'Cosine' } }), { status: 409 });
  await client.createPayloadIndex('docs', { field_name: 'fields.kind', field_schema: { type: 'keyword', is_tenant: true }, wait: true });
  const info = await client.getCollection('docs');
  assert.deepEqual(info.config.metadata, { model: 'm' });
  assert.deepEqual(Object.keys(info.payload_schema), ['fields.kind']);

  await client.upsert('docs', { wait: true, points: [
    { id: A, vector: [2, 0, 0], payload: { fields: { kind: 'x' } } },
    { id: B, vector: [1, 1, 0], payload: { fields: { kind: '' } } },
    { id: 7, vector: [0, 0, 0], payload: {} }] });
  const find = async filter => (await client.query('docs', { query: [1, 0, 0], filter, limit: 5, with_payload: true }))
    .points.map(each => [each.id, Number(each.score.toFixed(4))]);
  assert.deepEqual(await find(), [[A, 1], [B, 0.7071], [7, 0]]);
  assert.deepEqual(await find({ must: [{ is_empty: { key: 'fields.kind' } }] }), [[7, 0]]);
  assert.deepEqual(await find({ must: [{ key: 'fields.kind', match: { any: ['', 'x'] } }] }), [[A, 1], [B, 0.7071]]);
  assert.deepEqual(await find({ must_not: [{ key: 'fields.kind', match: { value: 'x' } }] }), [[B, 0.7071], [7, 0]]);

  await client.batchUpdate('docs', { wait: true, operations: [
    { delete: { points: [A] } },
    { delete: { filter: { must: [{ key: 'fields.kind', match: { any: [''] } }] } } },
    { upsert: { points: [{ id: A, vector: [3, 4, 0], payload: {} }] } }] });
  assert.deepEqual(await find(), [[A, 0.6], [7, 0]]);
  assert.equal((await client.count('docs', { exact: true })).count, 2);
  await assert.rejects(client.upsert('docs', { wait: true, points: [{ id: 'x', vector: [1, 0, 0] }] }), { status: 400 });
  await assert.rejects(client.upsert('docs', { wait: true, points: [{ id: 1, vector: [1, 0] }] }), error =>
    error.status === 400 && /expected dim: 3, got 2/.test(error.data.status.error));
  await assert.rejects(client.query('other', { query: [1, 0, 0] }), { status: 404 });
  await client.deleteCollection('docs');
  assert.deepEqual((await client.getCollections()).collections, []);
  await assert.rejects(new QdrantClient({ url, checkCompatibility: false }).getCollections(), { status: 401 });
});

test('what the schemas refuse', async () => {
  const ask = (method, path, body) => fetch(`${url}/collections/docs${path}`, {
    method, body: JSON.stringify(body), headers: { 'api-key': KEY, 'content-type': 'application/json' },
  });
  const status = async (...args) => (await ask(...args)).status;
  assert.equal(await status('PUT', '', { vectors: { size: 1, distance: 'Cosine' } }), 200);
  const filter = condition => ({ query: [1], filter: { must: [condition] } });
  for (const [method, path, body] of [
    ['PUT', '', { vectors: { size: '1', distance: 'Cosine' } }],
    ['PUT', '', { vectors: { size: 1, distance: 'cosine' } }],
    ['PUT', '', { vectors: { size: 1, distance: 'Cosine' }, metdata: {} }],
    ['PUT', '/index', { field_schema: 'keyword' }],
    ['PUT', '/index', { field_name: 'x', field_schema: 'word' }],
    ['POST', '/points/query', { query: ['1'] }],
    ['POST', '/points/query', { query: [1], limit: -1 }],
    ['POST', '/points/query', { query: [1], top: 3 }],
    ['POST', '/points/query', { query: [1], with_payload: 'yes' }],
    ['POST', '/points/query', filter({ key: 'a', match: { all: ['x'] } })],
    ['POST', '/points/query', filter({ match: { any: ['x'] } })],
    ['POST', '/points/query', filter({ key: 'a', match: { any: ['x', 1] } })],
    ['POST', '/points/query', filter({ is_empty: 'a' })],
    ['POST', '/points/count', { exact: 1 }],
    ['POST', '/points/batch', { operations: [{ delete: {} }] }],
    ['POST', '/points/batch', { operations: [{ delete: { points: [true] } }] }],
    ['POST', '/points/batch', { operations: [{ upsert: { points: [{ vector: [1] }] } }] }],
    ['POST', '/points/batch?await=true', { operations: [] }],
  ])
    assert.equal(await status(method, path, body), 400, `${method} ${path} ${JSON.stringify(body)}`);
  assert.equal(await status('POST', '/points/search', { vector: [1], limit: 1 }), 404);
});

test('askd docs', async () => {
  const page = tempPath('core.md');
  const env = key => ({
    ASKD_MODEL: 'offline', ASKD_VECTOR_URL: `qdrant:${url.replace('//', `//:${encodeURIComponent(key)}@`)}`,
    ASKD_KEYWORD_URL: 'none',
  });
  const docs = (args, key = KEY) => askdCommand(['docs', ...args], { env: env(key) });
  const found = async () => (await docs(['search', 'How is overtime paid?'])).stdout;
  writeFileSync(page, '# Manual\n\n## Overtime\n\nOvertime is paid at twice the rate.\n\n## Photos\n\nA photo has a place.\n');
  const added = await docs(['add', page]);
  assert.equal(added.code, 0, added.stderr);
  assert.match(await found(), /twice the rate/);
  writeFileSync(page, '# Manual\n\n## Overtime\n\nOvertime is paid at thrice the rate.\n');
  assert.equal((await docs(['add', page])).code, 0);
  assert.match(await found(), /thrice the rate/);
  assert.doesNotMatch(await found(), /twice|photo/);
  assert.equal((await docs(['remove', 'core.md'])).code, 0);
  assert.doesNotMatch(await found(), /thrice/);

  const refused = await docs(['search', 'overtime'], 'wrong');
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /Qdrant answered 401: Invalid API key/);
  await stop();
  const down = await docs(['search', 'overtime']);
  assert.notEqual(down.code, 0);
  assert.match(down.stderr, /Qdrant/);
  assert.doesNotMatch(down.stderr + refused.stderr, /a:key|a%3Akey/);
  const checked = await askdCommand(['config', 'check'], { env: env(KEY) });
  assert.match(checked.stdout, /ASKD_VECTOR_URL/);
  assert.doesNotMatch(checked.stdout + checked.stderr, /a:key|a%3Akey/);
});
