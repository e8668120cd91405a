// SPDX-License-Identifier: MIT
// tests/node/semantic_learn.test.mjs - a model writes what a schema does not say: what it is told, what is kept of
// its answers, that a second call goes on, and that nothing private is told.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { askdCommand, startMock, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';

const db = tempPath('learn.db'), file = tempPath('learned.json');
const made = await run('sqlite3', [db], { cwd: '/tmp', input: `
  CREATE TABLE po (id INTEGER PRIMARY KEY, vnd INTEGER, st TEXT, amt REAL, email TEXT);
  CREATE TABLE vnd (id INTEGER PRIMARY KEY, nm TEXT);
  INSERT INTO po VALUES (1, 1, 'OPN', 5, 'canary@example.org'), (2, 1, 'REC', 7, 'canary@example.org'), (3, 1, 'REC', 7, 'canary@example.org');
  INSERT INTO vnd VALUES (1, 'Acme');` });
assert.equal(made.code, 0, made.stderr);
const answers = {
  po: { label: 'purchase order', synonyms: ['order', 'Bestellung', 7, ''], description: 'What is bought.', grain: 'an order', unsure: null,
    columns: [
      { name: 'st', label: 'status', synonyms: ['state'], codes: [{ value: 'OPN', term: 'open' }, { value: 'REC', term: 'received', meaning: 'goods came' }, { value: 'XXX', term: 'made up' }] },
      { name: 'amt', label: 'amount', unit: 'USD', unsure: 'whether tax is in it' },
      { name: 'nothing', label: 'made up' }, 'x'] },
  vnd: { label: 'vendor', columns: [] },
};
const rules = 'You write down what a table of a business database means';
const mock = await startMock([
  { system: rules, match: 'canary@', reply: 'a private value was told' },
  { system: rules, user: "Table po\n- id INTEGER, key\n- vnd INTEGER", match: "- st TEXT; values: 'OPN', 'REC'", reply: `Here:\n\`\`\`json\n${JSON.stringify(answers.po)}\n\`\`\`` },
  { system: rules, user: 'Table vnd', reply: 'no JSON', times: 2 },
  { system: rules, user: 'Table vnd', reply: JSON.stringify(answers.vnd) },
]);
const env = { ASKD_MODEL: 'openai', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_MODEL: 'mock',
  ASKD_DATABASE_URL: `sqlite:${db}`, ASKD_CHECKPOINT_URL: 'none' };
const learn = (...args) => askdCommand(['semantic', 'learn', '--model', '--file', file, ...args], { env });

test('nobody pays unasked', async () => {
  const asked = await learn();
  assert.equal(asked.code, 2);
  assert.match(asked.stderr, /^2 tables to learn: 2 calls of the model, about \d+ tokens to it and \d+ from it/m);
  assert.match(asked.stderr, /say --yes/);
  assert.ok(!existsSync(`${file}.part`));
  const offline = await askdCommand(['semantic', 'learn', '--model', '--yes'], { env: { ...env, ASKD_MODEL: 'offline' } });
  assert.match(offline.stderr, /ASKD_MODEL is offline/);
});

test('what it costs is said in money where the prices of the model for it are known', async () => {
  const url = `${mock.url}/v1`, path = tempPath('models.json');
  const told = async (prices, tasks = {}) => {
    writeFileSync(path, JSON.stringify({ models: { dear: { url, model: 'mock', prices: { input: 1e6, output: 1e6 } }, small: { url, model: 'mock', ...(prices && { prices }) } },
      tasks: { default: ['dear'], ...tasks } }));
    const { stderr } = await askdCommand(['semantic', 'learn', '--model', '--file', file], { env: { ...env, ASKD_MODELS: path } });
    const [, tokensIn, tokensOut] = stderr.match(/about (\d+) tokens to it and (\d+) from it/).map(Number);
    return { stderr, tokensIn, tokensOut };
  };
  const prices = { input: 200, output: 1000 };
  for (const tasks of [{ semantic_learning: ['small', 'dear'] }, { sql: ['small'] }]) {
    const { stderr, tokensIn, tokensOut } = await told(prices, tasks);
    assert.match(stderr, new RegExp(`^At the prices of 'small' that is about ${((tokensIn * 200 + tokensOut * 1000) / 1e6).toFixed(4)}\\.$`, 'm'));
  }
  const { stderr, tokensIn, tokensOut } = await told(prices);
  assert.match(stderr, new RegExp(`^At the prices of 'dear' that is about ${(tokensIn + tokensOut).toFixed(4)}\\.$`, 'm'));
  assert.match((await told(undefined, { sql: ['small'] })).stderr, /^'small' has no prices in the file of ASKD_MODELS\.$/m);
});

test('what was learned stays when the next table fails, and the second call goes on', async () => {
  const first = await learn('--yes', '--languages', 'de');
  assert.equal(first.code, 2);
  assert.match(first.stderr, /^\[1\/2\] po$/m, 'how far it is');
  assert.match(first.stderr, /vnd: the model's answer about it is no JSON object/);
  assert.equal(readFileSync(`${file}.part`, 'utf8').trim().split('\n').length, 1);
  writeFileSync(file, JSON.stringify({ version: 1, tables: { po: { label: 'PO', columns: { amt: { label: 'total' } } } }, metrics: [] }));
  const second = await learn('--yes', '--languages', 'de');
  assert.equal(second.code, 0, second.stderr);
  assert.match(second.stderr, /^1 tables to learn/m);
  assert.match(second.stdout, /2 tables, 1 columns, 2 words; unsure of 1/);
  const { tables, glossary, metrics } = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(metrics, []);
  assert.deepEqual(tables.po, { label: 'PO', synonyms: ['order', 'Bestellung'], description: 'What is bought.', grain: 'an order',
    columns: { amt: { label: 'total', unit: 'USD', description: '[unsure: whether tax is in it]' }, st: { label: 'status', synonyms: ['state'] } } });
  assert.equal(tables.vnd.label, 'vendor');
  assert.deepEqual(glossary, [{ term: 'open', meaning: 'open', table: 'po', column: 'st', value: 'OPN' },
    { term: 'received', meaning: 'goods came', table: 'po', column: 'st', value: 'REC' }]);
  const checked = await askdCommand(['semantic', 'check', file, '--db', `sqlite:${db}`]);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  rmSync(file);
});
