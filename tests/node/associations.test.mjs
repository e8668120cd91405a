// SPDX-License-Identifier: MIT
// tests/node/associations.test.mjs - the join graph's pipeline: Sequelize models become a file that
// askd merges; a model judges what is doubtful in it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { askdCommand, sourceDir, startMock, tempPath } from './lib/harness.mjs';

const models = join(sourceDir, 'tests/node/models');
const extract = (...args) => new Promise(resolve => {
  const script = join(sourceDir, 'scripts/extract_associations.mjs');
  execFile(process.execPath, [script, ...args], (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, stdout, stderr }));
});
const short = edge => `${edge.kind} ${edge.from_table}.${edge.from_column}=${edge.to_table}.${edge.to_column} `
  + `${edge.cardinality} ${edge.confidence} ${edge.as}${edge.through ? ` ${edge.through}(${edge.through_columns})` : ''}`;
const expected = [
  'BelongsTo Account.customerId=customer.id 1:1 0.95 Customer',
  'HasOne customer.id=Account.customerId 1:1 0.95 Account',
  'HasMany customer.id=field.work_order.customer_id 1:N 0.95 orders',
  'BelongsToMany customer.id=tag.id N:M 0.9 Tags customerTag(customerId,tagId)',
  'BelongsTo field.work_order.customer_id=customer.id N:1 0.95 customer',
  'BelongsTo field.work_order.inspectorId=field.work_order.id N:1 0.8 before',
  'BelongsToMany tag.id=customer.id N:M 0.9 Customers customerTag(tagId,customerId)',
];

test('a folder of factories and an index file say the same', async () => {
  const folder = await extract(models);
  assert.equal(folder.stderr, '');
  const graph = JSON.parse(folder.stdout);
  assert.deepEqual(graph.relationships.map(short), expected);
  assert.deepEqual(graph.counts, { models: 5, relationships: expected.length });
  const file = await extract(join(models, 'index.cjs'));
  assert.equal(file.stderr, '');
  assert.equal(file.stdout, folder.stdout);
});

test('what it writes is merged: inverses and many-to-many fold into their foreign keys', async () => {
  const out = tempPath('associations.json');
  assert.equal((await extract(models, '--out', out)).code, 0);
  const keys = tempPath('keys.json');
  writeFileSync(keys, JSON.stringify({ version: 1, relationships: [
    { from_table: 'field.work_order', from_column: 'customer_id', to_table: 'customer', to_column: 'id',
      type: 'foreign_key', confidence: 1, cardinality: 'N:1' }] }));
  const merged = tempPath('merged.json');
  const merge = await askdCommand(['joins', 'merge', '--graph', keys, '--graph', out, '--out', merged]);
  assert.equal(merge.code, 0, merge.stderr);
  assert.match(merge.stderr, /given 8, normalised 5/);
  const graph = JSON.parse(readFileSync(merged, 'utf8'));
  assert.deepEqual(graph.relationships.map(edge => `${edge.from_table}.${edge.from_column} ${edge.type}`).sort(), [
    'Account.customerId association', 'customerTag.customerId association', 'customerTag.tagId association',
    'field.work_order.customer_id foreign_key', 'field.work_order.inspectorId association']);
  const path = await askdCommand(['joins', 'path', '--graph', merged, 'Account', 'tag']);
  assert.equal(path.code, 0, path.stderr);
  assert.match(path.stdout, /customerTag/);
});

test('what is no model is said', async () => {
  const none = await extract();
  assert.equal(none.code, 2);
  const wrong = await extract(join(sourceDir, 'tests/node/no_models'));
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /expected a function of \(sequelize, DataTypes\)/);
});

test('a model judges what is doubtful; what was judged is not asked again', async () => {
  const reply = JSON.stringify([{ n: 1, verdict: 'yes', confidence: 0.9 }, { n: 2, verdict: 'no', confidence: 0.9 }]);
  const mock = await startMock([{ system: 'You judge whether tables', reply }]);
  const env = { ASKD_MODEL: 'openai', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_MODEL: 'mock' };
  const guesses = tempPath('guesses.json'), judged = tempPath('judged.json');
  const guess = (column, confidence) => ({ from_table: 'a', from_column: column, to_table: 'b', to_column: column,
    type: 'inferred', confidence, cardinality: 'N:M' });
  writeFileSync(guesses, JSON.stringify({ version: 1, relationships: [guess('code', 0.6), guess('day', 0.5)] }));
  const args = ['joins', 'validate', '--graph', guesses, '--out', judged];
  const first = await askdCommand(args, { env });
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(JSON.parse(first.stderr.split('\n')[0]),
    { doubtful: 2, done: 2, confirmed: 1, refused: 1, unclear: 0, unanswered: 0 });
  const verdicts = () => JSON.parse(readFileSync(judged, 'utf8')).relationships
    .map(edge => `${edge.from_column} ${edge.verdict} ${Math.round(edge.confidence * 10)}`);
  assert.deepEqual(verdicts(), ['code confirmed 9', 'day refused 1']);
  await mock.stop();
  const again = await askdCommand(args, { env });
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual(verdicts(), ['code confirmed 9', 'day refused 1']);
  const offline = await askdCommand(['joins', 'validate', '--graph', guesses, '--out', tempPath('none.json')],
    { env: { ASKD_MODEL: 'offline' } });
  assert.equal(offline.code, 2);
  assert.match(offline.stderr, /2 relationships are doubtful, and there is no model to judge them/);
});
