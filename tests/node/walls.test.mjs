// SPDX-License-Identifier: MIT
// tests/node/walls.test.mjs - a model that is an enemy, over HTTP: whatever statement it writes, no
// row of another company and no secret column reaches the stream (CONTRACTS "Tenancy and safety").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, startAskd, startMock } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';

// Statements that are fine: the rows must be the caller's own. And those that must be refused.
const harmless = [
  'SELECT name FROM customer',
  'SELECT * FROM customer',
  'SELECT * FROM employee',
  'SELECT c.* FROM customer AS c LEFT JOIN customer AS d ON d.id = c.id',
  'SELECT name FROM customer WHERE companyId = \'globex\' OR 1 = 1',
  'SELECT name FROM (SELECT name FROM customer) UNION ALL SELECT name FROM customer',
  'WITH all_of_them AS (SELECT name FROM customer) SELECT name FROM all_of_them',
  'SELECT (SELECT group_concat(name) FROM customer) AS names',
  'SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM customer AS other WHERE other.name LIKE \'Canary%\')',
];
const hostile = [
  'SELECT ssn FROM employee',
  'SELECT passwordHash FROM user',
  'SELECT main.employee.ssn FROM main.employee',
  'SELECT "ssn" FROM "employee"',
  'SELECT login FROM user WHERE passwordHash LIKE \'canary%\'',
  'SELECT sql FROM sqlite_master',
  'SELECT * FROM pragma_table_info(\'employee\')',
  'SELECT load_extension(\'x\')',
  'DELETE FROM customer',
  'SELECT 1; SELECT ssn FROM employee',
  'ATTACH DATABASE \'x\' AS y',
  'PRAGMA table_info(employee)',
  'SELECT name FROM customer /*! UNION SELECT ssn FROM employee */',
  'SELECT session_var(\'company_id\') UNION SELECT ssn FROM employee',
];
const statements = [...harmless, ...hostile];

const mock = await startMock([
  ...statements.flatMap((sql, i) => [
    line('generate', '```sql\n' + sql + '\n```', { user: `case ${i}.` }),
    line('correct', '```sql\n' + sql + '\n```', { user: `case ${i}.` }),
  ]),
  line('classify', 'SQL'), line('tables', '["customer","employee","user"]'), line('answer', 'Here it is.'),
]);
const askd = await startAskd({ mock });

const ask = (i, company) => askd.ask(`Show me case ${i}.`, {
  conversation: { ...newConversation(), company_id: company }, options: { detail: 'debug' },
});

const rowsOf = transcript => JSON.stringify(transcript.last.data?.rows ?? []);
const others = { acme: /canary globex/i, globex: /canary acme/i };

for (const company of ['acme', 'globex'])
  test(`${company} sees its own rows only`, async () => {
    for (let i = 0; i < harmless.length; i++) {
      const transcript = await ask(i, company);
      transcript.check();
      assert.doesNotMatch(transcript.raw, others[company], harmless[i]);
      assert.doesNotMatch(transcript.raw, /canary-/i, harmless[i]);
    }
    const whole = await ask(0, company);
    assert.match(rowsOf(whole), new RegExp(`canary ${company}`, 'i'), 'its own canary is there');
  });

test('secrets and everything that is no question are refused', async () => {
  for (let i = harmless.length; i < statements.length; i++) {
    const transcript = await ask(i, 'acme');
    assert.equal(transcript.check().last.event, 'error', `${statements[i]}: ${JSON.stringify(transcript.last)}`);
    transcript.error('sql_rejected');
    assert.doesNotMatch(transcript.raw, /canary-|globex/i, statements[i]);
  }
});

test('nobody\'s company sees nothing', async () => {
  const transcript = await ask(0, 'nobody');
  transcript.complete();
  assert.equal(rowsOf(transcript), '[]');
  const forged = await ask(0, "x' OR '1'='1");
  forged.complete();
  assert.equal(rowsOf(forged), '[]');
});
