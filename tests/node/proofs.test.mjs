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

// Places and work orders of a customer have nothing to do with each other: no question is about their pairs.
const wrong = ['places and orders of customers', 'SELECT COUNT(l.id) AS places, COUNT(o.id) AS orders FROM customer c JOIN "customerLocation" l ON l."customerId" = c.id JOIN "workOrder" o ON o."customerId" = c.id'];
const quoted = { sqlite: sql => sql, postgres: sql => sql, mysql: sql => sql.replaceAll('"', '`') };

const urls = { sqlite: `sqlite:${await sampleDatabase()}`, postgres: await createSamples('postgres', 'node_proofs_postgres'),
  mysql: await createSamples('mysql', 'node_proofs_mysql') };
const servers = {};
for (const [engine, url] of Object.entries(urls)) {
  const mock = await startMock([...[...cases, [wrong[0], quoted[engine](wrong[1])]].map(([user, sql]) => line('translate', `\`\`\`sql\n${sql}\n\`\`\``, { user })), line('respond', 'Here it is.')]);
  servers[engine] = await startAskd({ mock, env: { ASKD_DATABASE_URL: url, SQL_SAMPLE_ROWS: '0', SQL_CANDIDATES: '1' } });
}

for (const [engine, askd] of Object.entries(servers))
  test(`${engine}: a doubt is proven by rows, or dropped`, async () => {
    for (const [question, sql, heard] of cases) {
      const ask = () => askd.ask(question, { conversation: newConversation(), options: { graph: 'text_to_sql', detail: 'nodes' } });
      const reasonOf = transcript => transcript.of('retry')[0]?.reason ?? '';
      let transcript = await ask();
      // a proof that takes longer than its time, on a busy machine, proves nothing
      for (let again = 0; again < 10 && heard !== undefined && !heard.test(reasonOf(transcript)); again++)
        transcript = await ask();
      const { warnings = [], data } = transcript.complete();
      const reason = reasonOf(transcript);
      assert.ok(data, sql);
      if (heard !== undefined) {
        assert.match(reason, heard, sql);
        assert.equal(warnings.length, 1, `${sql}: ${warnings}`);
      } else {
        assert.deepEqual([reason, warnings], ['', []], sql);
      }
    }
  });

for (const [engine, askd] of Object.entries(servers))
  test(`${engine}: pairs of what only has a third in common are believed of nobody`, async () => {
    const transcript = await askd.ask(wrong[0], { conversation: newConversation(), options: { graph: 'text_to_sql', detail: 'nodes' } });
    const reasons = transcript.of('retry').map(event => event.reason);
    assert.ok(reasons.length > 0 && reasons.every(reason => /^\d+ rows of customerLocation are counted again in COUNT\(l\.id\)/.test(reason)), JSON.stringify(reasons));
    const complete = transcript.complete();
    assert.equal(complete.data, undefined);
    assert.match(complete.validation_errors[0], /customerLocation are counted again/);
  });
