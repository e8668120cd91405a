// SPDX-License-Identifier: MIT
// tests/node/proofs.test.mjs - what is doubtful about a statement is proven by rows, on SQLite, PostgreSQL and MariaDB:
// where they prove it the model hears how many rows it is about; where they do not, nobody hears of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, sampleDatabase, startAskd, startMock } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';
import { createSamples } from './lib/servers.mjs';

const JOINED = 'FROM accounts a JOIN transactions t ON t.account_id = a.id';
// [what is asked, a statement, what the model hears of it]
const cases = [
  ['balances of accounts with transactions', `SELECT SUM(a.balance) AS b ${JOINED}`, /^\d+ rows of accounts are counted again in SUM\(a\.balance\)/],
  ['balances by type', `SELECT t.type AS kind, SUM(a.balance) AS b ${JOINED} GROUP BY t.type ORDER BY 2 DESC`, /^\d+ rows of accounts are counted again/],
  ['the balance of the account of transaction 1', `SELECT SUM(a.balance) AS b ${JOINED} WHERE t.id = 1`],
  ['the first type', 'SELECT type FROM transactions ORDER BY type LIMIT 1', /^LIMIT 1 gives one row, and at least one other has the same type/],
  ['the type of the newest number', 'SELECT type FROM transactions ORDER BY id DESC LIMIT 1'],
];

const urls = { sqlite: `sqlite:${await sampleDatabase()}`, postgres: await createSamples('postgres', 'node_proofs_postgres'),
  mysql: await createSamples('mysql', 'node_proofs_mysql') };
const servers = {};
for (const [engine, url] of Object.entries(urls)) {
  const mock = await startMock([...cases.map(([user, sql]) => line('translate', `\`\`\`sql\n${sql}\n\`\`\``, { user })), line('respond', 'Here it is.')]);
  servers[engine] = await startAskd({ mock, env: { ASKD_DATABASE_URL: url, SQL_SAMPLE_ROWS: '0', SQL_CANDIDATES: '1' } });
}

for (const [engine, askd] of Object.entries(servers))
  test(`${engine}: a doubt is proven by rows, or dropped`, async () => {
    for (const [question, sql, heard] of cases) {
      const transcript = await askd.ask(question, { conversation: newConversation(), options: { graph: 'text_to_sql', detail: 'nodes' } });
      const { warnings = [], data } = transcript.complete();
      const [reason = ''] = transcript.of('retry').map(event => event.reason);
      assert.ok(data, sql);
      if (heard !== undefined) {
        assert.match(reason, heard, sql);
        assert.equal(warnings.length, 1, `${sql}: ${warnings}`);
      } else {
        assert.deepEqual([reason, warnings], ['', []], sql);
      }
    }
  });
