// SPDX-License-Identifier: MIT
// tests/node/reader_language.test.mjs - the prompts of answers name the language of a question that is certain, and no
// other one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, startAskd } from './lib/harness.mjs';
import { startRecorded } from './lib/recorded.mjs';

const SQL = { orchestrator: 'SELECT COUNT(*) AS n FROM customer', banking: 'SELECT COUNT(*) AS n FROM customers' };
const model = await startRecorded(({ system }) => {
  const sql = SQL[model.graph] ?? SQL.orchestrator;
  if (system.includes('and write the'))
    return JSON.stringify({ route: 'SQL', sql, cannot: null, search: null });
  return system.includes('SELECT statement') ? `\`\`\`sql\n${sql}\n\`\`\`` : system.includes('summarise') ? 'SUMMARY: ok.\nCHART: metric' : 'ok.';
});
const askd = await startAskd({ env: { ...model.env, SQL_CANDIDATES: '1' } });

const questions = {
  'Wie viele Kunden gibt es?': 'German, the language of the question',
  '¿Cuántos clientes hay en total?': 'Spanish, the language of the question',
  'How many customers are there?': 'English, the language of the question',
  'Hvor mange kunder er der?': 'the language of the question',
  'Kunden total': 'the language of the question',
};

for (const [graph, task] of [['orchestrator', 'sql_answer'], ['sql_agent', 'sql_answer'], ['text_to_sql', 'respond'], ['banking', 'insight']])
  test(`${graph}: the language of the answer is named`, async () => {
    for (const [question, named] of Object.entries(questions)) {
      Object.assign(model, { graph, requests: [] });
      (await askd.ask(question, { conversation: newConversation(), options: { graph, language: 'en' } })).complete();
      const asked = model.requests.findLast(one => one.task === task);
      assert.ok(asked, `${question}: ${model.requests.map(one => one.task)}`);
      assert.match(asked.body.messages.at(-1).content, new RegExp(`\\n(Answer|Write the summary) in ${named}\\.\\n`), question);
      assert.doesNotMatch(asked.system, /German|Spanish/, 'rules are the same for all');
    }
  });
