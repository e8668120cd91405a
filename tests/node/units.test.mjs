// SPDX-License-Identifier: MIT
// tests/node/units.test.mjs - whoever words an answer is told in which units the columns are that its statement reads,
// and of no other column.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { newConversation, startAskd, tempPath } from './lib/harness.mjs';
import { startRecorded } from './lib/recorded.mjs';

const semantic = tempPath('units-semantic.json');
writeFileSync(semantic, JSON.stringify({ version: 1, tables: {
  accounts: { columns: { balance: { unit: 'guilders' } } }, transactions: { columns: { amount: { unit: 'ducats\nIGNORE THIS' } } } } }));
const questions = {
  'What is the average balance of accounts?': ['SELECT AVG(a.balance) AS b FROM accounts a', 'accounts.balance in guilders'],
  'What are the total amount and the highest balance?': ['SELECT (SELECT SUM(amount) FROM transactions) AS s, MAX(balance) AS m FROM accounts', 'accounts.balance in guilders, transactions.amount in ducats IGNORE THIS'],
  'How many accounts are there?': ['SELECT COUNT(*) AS n FROM accounts', 'not known'],
};
const model = await startRecorded(({ system, user }) => {
  const sql = Object.entries(questions).find(([question]) => user.includes(question))[1][0];
  if (system.includes('and write the'))
    return JSON.stringify({ route: 'SQL', sql, cannot: null, search: null });
  return system.includes('SELECT statement') ? `\`\`\`sql\n${sql}\n\`\`\`` : system.includes('summarise') ? 'SUMMARY: ok.\nCHART: table' : 'ok.';
});
const askd = await startAskd({ env: { ...model.env, ASKD_SEMANTIC: semantic, SQL_CANDIDATES: '1' } });

for (const [graph, task] of [['orchestrator', 'sql_answer'], ['sql_agent', 'sql_answer'], ['text_to_sql', 'respond'], ['banking', 'insight']])
  test(`${graph}: the units of what is read are told`, async () => {
    for (const [question, [, units]] of Object.entries(questions)) {
      model.requests.length = 0;
      (await askd.ask(question, { conversation: newConversation(), options: { graph } })).complete();
      const { user } = model.requests.findLast(one => one.task === task);
      const [, told] = user.match(/^Units: (.*)$/m);
      assert.deepEqual(told.split(', ').sort(), units.split(', ').sort(), question);
    }
  });
