// SPDX-License-Identifier: MIT
// tests/node/held.test.mjs - a model says numbers that are not in the rows: it is told which, writes once more, and
// where that does not hold either the answer is made from the rows, with a warning.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, startAskd, startMock } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';

const says = sql => `\`\`\`sql\n${sql}\n\`\`\``;
const SQL = 'SELECT type, COUNT(*) AS n FROM transactions GROUP BY type ORDER BY type'; // credit 1357, debit 1981
const SUMMED = text => `SUMMARY: ${text}\nCHART: bar`;
const graphs = {
  sql_agent: { write: 'generate', say: 'answer', calls: 2, as: text => text },
  text_to_sql: { write: 'translate', say: 'respond', calls: 2, as: text => text },
  banking: { write: 'bankingSql', say: 'insight', calls: 3, as: SUMMED },
};

// The name in the question; what is said first, then again; how many calls more; what the reader gets.
const cases = [
  { name: 'alder', first: 'There were 1,357 credits and 1,981 debits, 3,338 in all; 40.7 % are credits.', more: 0 },
  { name: 'beech', first: 'There were 1.357 Gutschriften und 1.981 Belastungen.', more: 0 },
  { name: 'cedar', first: 'There were 1,375 credits.', then: 'There were 1,357 credits.', more: 1 },
  { name: 'dogwood', first: 'There were 1,375 credits.', then: 'There were 1,388 credits.', more: 1, plain: true },
];

const start = async ({ write, say, as }) => {
  const mock = await startMock([
    ...cases.flatMap(({ name, first, then }) => [
      line(say, as(first), { user: `${name}?`, times: 1 }),
      ...(then === undefined ? [] : [line(say, as(then))].map(one => ({ ...one, match: 'neither in the rows', times: 1 }))),
    ]),
    line('tables', '["transactions"]'), line(write, says(SQL)), line('intent', 'Count them.')]);
  return startAskd({ mock, env: { SQL_SAMPLE_ROWS: '0' } });
};
const servers = {};
for (const graph of Object.keys(graphs))
  servers[graph] = await start(graphs[graph]);

for (const [graph, { calls }] of Object.entries(graphs))
  for (const { name, first, then, more, plain } of cases)
    test(`${graph}: ${name}: ${first}`, async () => {
      const transcript = await servers[graph].ask(`How many transactions of each type: ${name}?`, { conversation: newConversation(), options: { graph, detail: 'nodes' } });
      const { warnings = [], stats } = transcript.complete();
      const tokens = transcript.of('token').filter(token => token.channel === 'final');
      const last = tokens.at(-1).attempt ?? 1;
      const text = tokens.filter(token => (token.attempt ?? 1) === last).map(token => token.content).join('');
      assert.equal(stats.llm_calls, calls + more);
      assert.equal(transcript.of('retry').length, more);
      const told = warnings.filter(one => /made from the data alone/.test(one));
      assert.equal(told.length, plain ? 1 : 0, JSON.stringify(warnings));
      if (plain)
        assert.match(text, /credit 1357/);
      else
        assert.equal(text.trim(), (then ?? first).trim());
      if (more > 0 && graph !== 'banking')
        assert.ok(tokens.some(token => token.reset === true), 'what was said is void');
    });
