// SPDX-License-Identifier: MIT
// tests/node/misconfigured.test.mjs - settings that are missing, misspelt or wrong, and what the
// start says of them: it ends, or no question about data is answered, or the tables in doubt are
// refused; never are rows of several companies shown to one.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { askdCommand, newConversation, sampleDatabase, sourceDir, startAskd, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';

const fileOf = (name, text) => {
  const path = tempPath(name);
  writeFileSync(path, text);
  return path;
};
const policies = content => ({ ASKD_POLICIES: fileOf(`policies-${Math.random()}.json`, content) });
const policy = members => policies(JSON.stringify({ policies: { desk: members }, serve: { graphs: { '*': 'desk' } } }));

// The start ends with 78 (configuration), as `askd config check` does, and says why.
const ended = [
  ['a switch with a word that is none', { ASKD_TENANCY: 'maybe' }, /ASKD_TENANCY.*on.*off/],
  ['policies that are not there', { ASKD_POLICIES: '/nowhere/policies.json' }, /\/nowhere\/policies\.json/],
  ['policies that are no JSON', policies('{'), /ASKD_POLICIES: .*byte 1/],
  ['a rule that is misspelt', policy({ allow_wiht: true }), /\/policies\/desk\/allow_wiht/],
  ['a rule with a wrong value', policy({ max_limit: 'many' }), /\/policies\/desk\/max_limit/],
  ['a rule that the guard cannot serve', policy({ select_only: false }), /\/policies\/desk\/select_only/],
  ['a policy that leaves tables unfiltered', policy({ require_tenant: false }), /require_tenant/],
  ['a mask that is none', policy({ columns: { employee: { ssn: 'blurred' } } }), /\/policies\/desk\/columns\/employee\/ssn/],
  ['a policy for a graph that is not there',
    policies(JSON.stringify({ policies: { desk: {} }, serve: { graphs: { bankign: 'desk' } } })), /bankign/],
  ['a policy that is not there',
    policies(JSON.stringify({ policies: { desk: {} }, serve: { graphs: { banking: 'desc' } } })), /\/serve\/graphs/],
  ['an audit file in no folder', { ASKD_AUDIT: '/nowhere/audit.jsonl' }, /\/nowhere/],
];

for (const [what, env, says] of ended)
  test(`${what}: the start ends and says so`, async () => {
    const all = { ASKD_PORT: '0', ASKD_MODEL: 'offline', ASKD_TENANCY: 'on', ASKD_TENANT_COLUMN: 'companyId',
      ASKD_CHECKPOINT_URL: 'none', ASKD_DATABASE_URL: `sqlite:${await sampleDatabase()}`,
      ASKD_PROMPT_DIR: join(sourceDir, 'agents'), ...env };
    const { code, stderr } = await askdCommand(['serve'], { env: all });
    assert.equal(code, 78, stderr);
    assert.match(stderr, says);
  });

// The doors open, /readyz says why no question about data is answered, and none is.
const closed = [
  ['no tenant column, though tables have one', { ASKD_TENANT_COLUMN: undefined }, /ASKD_TENANT_COLUMN, or ASKD_TENANCY=off/],
  ['a tenant column that no table has', { ASKD_TENANT_COLUMN: 'companyID_' }, /no table .*ASKD_TENANT_COLUMN, 'companyID_'; is 'companyId' meant\?/],
  ['a key for views of all companies', { ASKD_TENANT_COLUMN: undefined, ASKD_SECURE_VIEWS: undefined,
    DB_ENCRYPT_KEY: 'a key of sixteen bytes' }, /DB_ENCRYPT_KEY/],
  ['secure views that are not there', { ASKD_SECURE_VIEWS: '/nowhere/views.json' }, /views\.json/],
  ['a join graph that is not there', { ASKD_JOIN_GRAPH: '/nowhere/joins.json' }, /joins\.json/],
];

const ask = (askd, message) =>
  askd.ask(message, { conversation: { ...newConversation(), company_id: 'acme' } });

for (const [what, env, says] of closed)
  test(`${what}: nothing about data is answered`, async () => {
    const askd = await startAskd({ env: { ASKD_TENANCY: 'on', ...env }, ready: 503 });
    const ready = JSON.stringify(await (await askd.fetch('/readyz')).json());
    assert.match(ready, says);
    const transcript = await ask(askd, 'How many employees are there?');
    assert.equal(transcript.check().last.event, 'error', transcript.raw);
    assert.doesNotMatch(JSON.stringify(transcript.last), /canary|globex|companyId|DB_ENCRYPT|ASKD_/i);
  });

test('a table that nothing ties to a company: it is refused, and the others are served', async () => {
  const askd = await startAskd({ env: { ASKD_TENANCY: 'on', ASKD_SHARED_TABLES: 'customers' } });
  const ready = JSON.stringify(await (await askd.fetch('/readyz')).json());
  assert.match(ready, /tables are refused: nothing ties them to a company/);
  assert.doesNotMatch(ready, /accounts|transactions/, 'no names');
  await until('it is logged', () => /database\.tenancy.*transactions/.test(askd.child.stderr));
  const refused = await ask(askd, 'How many transactions are there?');
  assert.notEqual(refused.check().last.data?.rows?.[0]?.[0] > 0, true, refused.raw);
  const served = await ask(askd, 'How many employees are there?');
  assert.equal(served.check().last.event, 'complete', served.raw);
});

test('tables and columns that settings misspell: what was perhaps meant', async () => {
  const rules = { columns: { employee: { frstName: 'hidden' }, custommers: { name: 'hidden' } }, tables: ['employee', 'customers', 'workOrdr'] };
  const askd = await startAskd({ env: { ...policies(JSON.stringify({ policies: { desk: rules }, serve: { graphs: { '*': 'desk' } } })),
    ASKD_SHARED_TABLES: 'customers,acounts,transactions,inspectionQuestion' } });
  const { warnings } = (await (await askd.fetch('/readyz')).json()).backends.database;
  for (const says of ["ASKD_SHARED_TABLES: there is no table acounts; is 'accounts' meant?",
    "ASKD_POLICIES: /policies/desk/columns: there is no such column: employee.frstName; is 'firstName' meant?",
    "ASKD_POLICIES: /policies/desk/columns: there is no such column: custommers.name; is 'customers' meant?",
    "ASKD_POLICIES: /policies/desk/tables: there is no such table: workOrdr; is 'workOrder' meant?"])
    assert.ok(warnings.includes(says), `${says}\n${warnings.join('\n')}`);
});

test('rows of companies: nobody asks for none; the company of the page asks on the terminal, too', async () => {
  const env = { ASKD_MODEL: 'offline', ASKD_DATABASE_URL: `sqlite:${await sampleDatabase()}`, ASKD_PROMPT_DIR: join(sourceDir, 'agents'), ASKD_TENANT_COLUMN: 'companyId' };
  for (const words of [['ask', 'How many work orders are there?'], ['shell'], ['eval', join(sourceDir, 'samples/golden.jsonl')]]) {
    const { code, stderr } = await askdCommand(words, { env });
    assert.equal(code, 64, stderr);
    assert.match(stderr, /ASKD_TENANT_COLUMN=companyId\): say whose are read with --company ID/);
  }
  for (const [more, flags, count] of [[{ ASKD_PAGE_COMPANY_ID: 'acme' }, [], 760], [{ ASKD_PAGE_COMPANY_ID: 'acme' }, ['--company', 'globex'], 190], [{}, ['--company', 'acme'], 760]]) {
    const { code, stdout } = await askdCommand(['ask', 'How many work orders are there?', '--format', 'csv', ...flags], { env: { ...env, ...more } });
    assert.deepEqual([code, stdout.split(/\r?\n/)[1]], [0, `${count}`]);
  }
});

test('--company without a tenant column is an error', async () => {
  const { code, stderr } = await askdCommand(['ask', 'How many employees are there?', '--company', 'acme'],
    { env: { ASKD_MODEL: 'offline', ASKD_DATABASE_URL: `sqlite:${await sampleDatabase()}`,
      ASKD_PROMPT_DIR: join(sourceDir, 'agents') } });
  assert.equal(code, 64, stderr);
  assert.match(stderr, /ASKD_TENANT_COLUMN/);
});
