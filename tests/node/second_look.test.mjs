// SPDX-License-Identifier: MIT
// tests/node/second_look.test.mjs - a model writes statements that run and look right: it is asked about what they
// leave out of the question, and where it insists the reader is told; there is nothing to say of the right one.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { newConversation, sourceDir, startAskd, startMock } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';

const MAY = "created_at >= '2025-05-01' AND created_at < '2025-06-01'";
const OWNED = 'FROM accounts a JOIN customers c ON c.id = a.customer_id';

// wrong: statement, and what is said of it.
const cases = [
  { question: 'Total amount of debit transactions',
    right: "SELECT SUM(amount) AS total FROM transactions WHERE type = 'debit'",
    wrong: [
      ["SELECT COUNT(amount) AS total FROM transactions WHERE type = 'debit'", /asks for the total amount/],
      ["SELECT AVG(amount) AS total FROM transactions WHERE type = 'debit'", /asks for the total amount/],
      ['SELECT SUM(amount) AS total FROM transactions', /condition on type of transactions, the statement has none/],
      ["SELECT SUM(amount) AS total FROM transactions WHERE type = 'credit'", /says 'debit'/],
      ["SELECT SUM(amount) AS total FROM transactions WHERE type <> 'debit'", /asks for 'debit', the statement excludes it/],
      ['SELECT SUM(balance) AS total FROM accounts', /speaks of transactions/],
    ] },
  { question: 'How many transactions were there in May 2025?',
    right: `SELECT COUNT(*) AS n FROM transactions WHERE ${MAY}`,
    wrong: [
      ['SELECT COUNT(*) AS n FROM transactions', /created at/],
      ["SELECT COUNT(*) AS n FROM transactions WHERE created_at >= '2025-05-01'", /created at/],
      ["SELECT COUNT(*) AS n FROM transactions WHERE created_at >= '2025-03-01' AND created_at < '2025-04-01'", /created at/],
      [`SELECT COUNT(*) AS n FROM transactions WHERE ${MAY} AND type = 'credit'`, /'credit', of which the question does not speak/],
    ] },
  { question: 'What is the total balance per customer?',
    right: `SELECT c.name, SUM(a.balance) AS total ${OWNED} GROUP BY c.id, c.name`,
    wrong: [
      ['SELECT SUM(balance) AS total FROM accounts', /for each group, the statement has no GROUP BY/],
      [`SELECT c.name, SUM(a.balance) AS total ${OWNED} JOIN transactions t ON t.account_id = a.id GROUP BY c.id, c.name`,
        /\d+ rows of accounts are counted again in SUM\(a\.balance\)/],
    ] },
  { question: 'How many customers have accounts?',
    right: `SELECT COUNT(DISTINCT c.id) AS n ${OWNED}`,
    wrong: [[`SELECT COUNT(*) AS n ${OWNED}`, /counts customers, the statement counts one again for each row of accounts/]] },
  { question: 'List the accounts with a balance over 5000',
    right: 'SELECT account_number, balance FROM accounts WHERE balance > 5000',
    wrong: [
      ['SELECT account_number, balance FROM accounts WHERE balance < 5000', /balance of accounts, the statement has another one/],
      ['SELECT account_number, balance FROM accounts WHERE balance > 500', /balance of accounts, the statement has another one/],
    ] },
];

const says = sql => `\`\`\`sql\n${sql}\n\`\`\``;
const graphs = { sql_agent: 'generate', text_to_sql: 'translate', banking: 'bankingSql' };
const again = { sql_agent: 'correct', text_to_sql: 'translate', banking: 'bankingSql' };
const calls = { sql_agent: 2, text_to_sql: 2, banking: 3 };

// The model insists: asked about a statement, it writes the same again. Longer ones first: one may begin with another.
const insists = cases.flatMap(one => one.wrong.map(([sql]) => sql)).sort((a, b) => b.length - a.length)
  .flatMap(sql => Object.values(again).map(task => ({ ...line(task, says(sql)), match: `${sql}\n` })));
const script = [...insists, ...Object.values(graphs).flatMap(task => cases.flatMap(({ question, right, wrong }) => [
  ...wrong.map(([sql]) => line(task, says(sql), { user: question, times: 1 })), line(task, says(right), { user: question })]))];
const mock = await startMock([...script, line('tables', '["transactions", "accounts", "customers"]'),
  line('answer', 'Here it is.'), line('respond', 'Here it is.'), line('intent', 'Look it up.'),
  line('insight', 'SUMMARY: Here it is.\nCHART: table')]);
const askd = await startAskd({ mock, env: { SQL_SAMPLE_ROWS: '0' } });
const LOOKED = new Set(['second_look', 'multiplied', 'odd_join']);

for (const [graph, task] of Object.entries(graphs)) {
  const asked = async question => {
    const transcript = await askd.ask(question, { conversation: newConversation(), options: { graph, detail: 'nodes' } });
    const { warnings, stats } = transcript.complete();
    return { warnings: (warnings ?? []).filter(text => !/^only the first/.test(text)), calls: stats.llm_calls,
      told: transcript.of('warning').filter(event => LOOKED.has(event.rule)).map(event => event.message),
      retries: transcript.of('retry').map(event => event.reason) };
  };
  test(`${graph} (${task}): the model is asked about a wrong statement, insists, and the reader is warned; a right one just runs`, async () => {
    for (const { question, wrong } of cases) {
      for (const [sql, what] of wrong) {
        const heard = await asked(question);
        assert.equal(heard.calls, calls[graph] + 1, sql);
        assert.equal(heard.retries.length, 1, sql);
        assert.match(heard.retries[0], what);
        assert.ok(heard.told.some(text => what.test(text)), `${sql}: ${JSON.stringify(heard.told)}`);
        assert.equal(heard.told.length, heard.warnings.length, `${sql}: ${JSON.stringify(heard.warnings)}`);
        for (const text of heard.warnings)
          assert.doesNotMatch(text, /statement|SUM\(|GROUP BY|ORDER BY|LIMIT/, 'in words of a reader');
      }
      const { warnings, calls: made } = await asked(question);
      assert.deepEqual([warnings, made], [[], calls[graph]], question);
    }
  });
}

test('of what it does not understand it says nothing', async () => {
  const silent = await startMock([line('tables', '["transactions"]'), line('answer', 'So many.'),
    line('generate', says('SELECT COUNT(*) AS n FROM transactions'))]);
  const other = await startAskd({ mock: silent, env: { SQL_SAMPLE_ROWS: '0' } });
  const transcript = await other.ask('How did the wizards fare among the movements?', { options: { graph: 'sql_agent' } });
  assert.deepEqual(transcript.complete().warnings ?? [], []);
});

test('what semantic.json says reaches the model of each graph: labels, metrics, words, verified statements', async () => {
  const heard = await startMock([
    { ...line('bankingSql', says('SELECT COUNT(*) AS n FROM transactions'), { user: 'movements' }),
      match: '- transactions: transaction; also called booking, movement' },
    { ...line('bankingSql', says('SELECT COUNT(*) AS n FROM accounts'), { user: 'flow' }), match: '- net flow (also net inflow) = SUM(' },
    { ...line('bankingSql', says('SELECT COUNT(*) AS n FROM customers'), { user: 'deposits' }), match: "transactions.type is 'credit'" },
    { ...line('generate', says('SELECT COUNT(*) AS n FROM transactions'), { user: 'movements' }), match: 'also called booking, movement' },
    { ...line('generate', says('SELECT COUNT(*) AS n FROM accounts'), { user: 'flow' }), match: '- net flow (also net inflow) = SUM(' },
    { ...line('generate', says('SELECT COUNT(*) AS n FROM workTime'), { user: 'labor' }), match: 'Questions like this one with statements that are right:\n- ' },
    { ...line('translate', says('SELECT COUNT(*) AS n FROM transactions'), { user: 'movements' }), match: 'also called booking, movement' },
    line('tables', '["workTime", "employee"]', { user: 'labor' }), line('tables', '["transactions", "accounts", "customers"]'),
    line('answer', 'Here it is.'), line('respond', 'Here it is.'), line('intent', 'Look it up.'),
    line('insight', 'SUMMARY: Here it is.\nCHART: table')]);
  const told = await startAskd({ mock: heard,
    env: { SQL_SAMPLE_ROWS: '0', ASKD_SEMANTIC: join(sourceDir, 'samples/semantic.json') } });
  const asked = [['banking', 'movements'], ['banking', 'flow'], ['banking', 'deposits'], ['sql_agent', 'movements'],
    ['sql_agent', 'flow'], ['sql_agent', 'labor'], ['text_to_sql', 'movements']];
  for (const [graph, word] of asked) {
    const transcript = await told.ask(`And the ${word}?`, { options: { graph } });
    assert.match(transcript.complete().sql ?? '', /COUNT/, `${graph}: ${word}`);
  }
});
