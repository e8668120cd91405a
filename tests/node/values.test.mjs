// SPDX-License-Identifier: MIT
// tests/node/values.test.mjs - a model that does not know how values are spelled: prompts tell it, and
// what it gets wrong all the same is mended, asked about once, or said to the reader.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { test } from 'node:test';
import { newConversation, sampleDatabase, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const says = sql => `\`\`\`sql\n${sql}\n\`\`\``;
const graphs = { sql_agent: 'generate', text_to_sql: 'translate', banking: 'bankingSql' };
const again = { sql_agent: 'correct', text_to_sql: 'translate', banking: 'bankingSql' };
const count = where => `SELECT COUNT(*) AS n FROM ${where}`;

// What the model writes, then (where it is asked) writes again; the count that must come out; what is said.
const STATES = "'cancelled', 'completed', 'in progress', 'on hold', 'open', 'scheduled'";
const cases = [
  { name: 'alder', first: count("workOrder WHERE status = 'on_hold'"), n: 21, mended: /'on_hold' -> 'on hold'/ },
  { name: 'beech', first: count("workOrder WHERE status = 'Completed'"), n: 687, mended: /'Completed' -> 'completed'/ },
  { name: 'cedar', first: count("workOrder WHERE status IN ('open', 'on_hold', 'inProgress')"), n: 46,
    mended: /'on_hold' -> 'on hold', 'inProgress' -> 'in progress'/ },
  { name: 'dogwood', first: count("employee WHERE isActive = 'true'"), n: 18, mended: /'true' -> 1/ },
  { name: 'elder', first: count("workOrder WHERE status <> 'canceled'"), n: 748, mended: /'canceled' -> 'cancelled'/ },
  { name: 'foxglove', first: count("workOrder WHERE status = 'done'"), then: count("workOrder WHERE status = 'completed'"), n: 687,
    doubt: `'done' is not a value of workOrder.status, which has ${STATES}. ` },
  { name: 'ginkgo', first: count("workOrder WHERE status = 'lost'"), then: count("workOrder WHERE status = 'lost'"), n: 0,
    doubt: `'lost' is not a value of workOrder.status, which has ${STATES}. `, warning: "'lost' is not a value of workOrder.status" },
  { name: 'hazel', first: count("customer WHERE name = 'Adams'"), then: count("customer WHERE name = 'Adams'"), n: 0,
    doubt: /^'Adams' is not a value of customer\.name(; the nearest are '|, and none is like it)/, warning: "'Adams' is not a value of customer.name" },
  { name: 'ivy', first: count("workOrder WHERE status = 'on hold'"), n: 21 },
  // what the caller may not know is nothing that is said
  { name: 'juniper', first: count("customer WHERE companyId = 'globex'"), then: count("customer WHERE companyId = 'globex'"), n: 0,
    doubt: /^'globex' is not a value of customer\.companyId, which has 'acme'\. /, warning: "'globex' is not a value of customer.companyId" },
  { name: 'larch', first: count("employee WHERE email = 'nobody'"), n: 0 },
];

// Of banking, which sees the bank's tables alone.
const bank = [
  { name: 'willow', first: count("transactions WHERE type = 'Credit'"), n: 1357, mended: /'Credit' -> 'credit'/ },
  { name: 'yarrow', first: count("transactions WHERE type = 'refund'"), then: count("transactions WHERE type = 'refund'"), n: 0,
    doubt: "'refund' is not a value of transactions.type, which has 'credit', 'debit'. ", warning: "'refund' is not a value of transactions.type" },
  { name: 'zinnia', first: count("transactions WHERE type = 'refund'"), then: count("transactions WHERE type = 'debit'"), n: 1981,
    doubt: "'refund' is not a value of transactions.type, which has 'credit', 'debit'. " },
];
const casesOf = graph => graph === 'banking' ? bank : cases;

// June, and the last 30 days, on the day that is set for today, as other dialects or clocks write them.
const JUNE = 483, LATELY = 506;
const dialects = [
  ['nutmeg', "DATE_TRUNC('month', created_at) = '2025-06-01'", JUNE, /^repaired without the model: DATE_TRUNC/],
  ['olive', 'created_at >= DATE_SUB(CURDATE(), INTERVAL 30 DAY)', LATELY, /^repaired without the model: CURDATE\(\)/],
  ['peach', "created_at >= CURRENT_DATE - INTERVAL '30 days'", LATELY, /^repaired without the model: CURRENT_DATE - INTERVAL/],
  ['rowan', "created_at >= date('now', 'start of month')", JUNE],
  ['spruce', "QUARTER(created_at) = 2 AND YEAR(created_at) = 2025 AND MONTH(created_at) = 6", JUNE, /^repaired without the model: QUARTER/],
];

const script = Object.entries(graphs).flatMap(([graph, task]) => casesOf(graph).flatMap(({ name, first, then, doubt }) => [
  ...(doubt === undefined ? [] : [{ ...line(again[graph], says(then), { user: name }), match: 'is not a value of' }]),
  line(task, says(first), { user: name })]));
const mock = await startMock([...script,
  // a mistake of another dialect, mended without the model
  line('translate', says("SELECT COUNT(*) AS n FROM employee WHERE role ILIKE 'TECH%'"), { user: 'maple' }),
  line('bankingSql', says("SELECT COUNT(*) AS n FROM transactions WHERE type ILIKE 'CRE%'"), { user: 'maple' }),
  line('tables', '["employee"]', { user: 'dogwood' }), line('tables', '["employee"]', { user: 'larch' }),
  line('tables', '["customer"]', { user: 'hazel' }), line('tables', '["customer"]', { user: 'juniper' }),
  ...['generate', 'translate', 'bankingSql'].flatMap(task => dialects.map(([name, where]) =>
    line(task, says(count(`transactions WHERE ${where}`)), { user: name }))),
  line('translate', says("SELECT TIMESTAMPDIFF(HOUR, created_at, '2025-06-30') FROM transactions"), { user: 'sorrel', times: 1 }),
  { ...line('translate', says(count('transactions')), { user: 'sorrel' }), match: 'SQLite writes timestampdiff as (julianday(b)' },
  // what the prompts say
  ...['generate', 'translate'].map(task => ({ ...line(task, says(count('workOrder')), { user: 'poplar' }),
    match: `workOrder.status: ${STATES}` })),
  { ...line('bankingSql', says(count('transactions')), { user: 'poplar' }), match: "transactions.type: 'credit', 'debit'" },
  ...['generate', 'translate'].map(task => ({ ...line(task, 'CANNOT: it sees what is private', { user: 'quince' }), match: 'employee.email: ' })),
  ...['generate', 'translate'].map(task => ({ ...line(task, 'CANNOT: it sees who else is there', { user: 'quince' }), match: 'globex' })),
  ...['generate', 'translate'].map(task => line(task, says(count('employee')), { user: 'quince' })),
  line('tables', '["employee", "customer"]', { user: 'quince' }),
  ...dialects.map(([name]) => line('tables', '["transactions"]', { user: name })),
  line('tables', '["workOrder"]'),
  line('answer', 'Here it is.'), line('respond', 'Here it is.'), line('intent', 'Look it up.'),
  line('insight', 'SUMMARY: Here it is.\nCHART: table')]);
const askd = await startAskd({ mock, env: { SQL_SAMPLE_ROWS: '0' } });
const ask = (name, graph) =>
  askd.ask(`How many are there by work order, employee or customer: ${name}?`, { conversation: newConversation(), options: { graph, detail: 'nodes' } });

const calls = { sql_agent: 2, text_to_sql: 2, banking: 3 };

for (const graph of Object.keys(graphs)) {
  for (const { name, first, then, n, mended, doubt, warning } of casesOf(graph)) {
    test(`${graph}: ${first.replace(/.*WHERE /, '')}`, async () => {
      const transcript = await ask(name, graph);
      const { data, warnings, notes, stats } = transcript.complete();
      assert.deepEqual(data.rows, [[n]]);
      assert.equal(stats.llm_calls, calls[graph] + (doubt === undefined ? 0 : 1));
      const said = [...(warnings ?? []).filter(text => /is not a value of/.test(text)), ...notes ?? []];
      assert.equal(said.length, mended || warning ? 1 : 0, JSON.stringify(warnings));
      if (then !== undefined && !warning) // it took a value that it was told of, though the question has another word
        assert.deepEqual((warnings ?? []).filter(text => /does not speak/.test(text)), []);
      if (mended)
        assert.match(said[0], mended);
      if (warning)
        assert.equal(said[0], warning);
      const asked = transcript.of('retry').map(event => event.reason);
      assert.equal(asked.length, doubt === undefined ? 0 : 1, JSON.stringify(asked));
      if (doubt instanceof RegExp)
        assert.match(asked[0], doubt);
      else if (doubt !== undefined)
        assert.ok(asked[0].startsWith(doubt), asked[0]);
    });
  }

  test(`${graph}: the prompt has the values`, async () => {
    const complete = (await ask('poplar', graph)).complete();
    assert.equal(complete.stats.llm_calls, calls[graph]);
    assert.equal(complete.data.row_count, 1);
    assert.ok(complete.stats.prompt_tokens < 4000, `${complete.stats.prompt_tokens} tokens`);
  });
}

for (const graph of ['sql_agent', 'text_to_sql'])
  test(`${graph}: not those that are private, or another company's`, async () => {
    const { abstained, data } = (await ask('quince', graph)).complete();
    assert.equal(abstained, undefined);
    assert.equal(data.row_count, 1);
  });

for (const graph of ['text_to_sql', 'banking'])
  test(`${graph}: what another dialect writes is mended without the model`, async () => {
    const { data, notes, stats } = (await ask('maple', graph)).complete();
    assert.ok(data.rows[0][0] > 0);
    assert.equal(stats.llm_calls, calls[graph]);
    assert.match(notes[0], /^repaired without the model: ILIKE -> LIKE/);
  });

for (const graph of Object.keys(graphs))
  for (const [name, where, n, mended] of dialects)
    test(`${graph}: ${where}`, async () => {
      const { data, notes: repaired = [], stats } = (await ask(name, graph)).complete();
      assert.deepEqual(data.rows, [[n]]);
      assert.equal(stats.llm_calls, calls[graph]);
      assert.equal(repaired.length, mended ? 1 : 0, JSON.stringify(repaired));
      if (mended)
        assert.match(repaired[0], mended);
    });

test('what has no exact equal is said to the model as this dialect writes it', async () => {
  const { data, stats } = (await ask('sorrel', 'text_to_sql')).complete();
  assert.equal(data.row_count, 1);
  assert.equal(stats.llm_calls, 3);
});

test('a value that rows have since is one within seconds, and by a signal at once', async () => {
  const lost = async grown => (await grown.ask('How many are there: ginkgo?', { options: { graph: 'sql_agent' } })).complete();
  for (const [seconds, grow] of [['1', () => {}], ['0', grown => grown.child.child.kill('SIGHUP')]]) {
    const path = tempPath(`grown${seconds}.db`);
    copyFileSync(await sampleDatabase(), path);
    const grown = await startAskd({ mock, database: path, env: { SQL_SAMPLE_ROWS: '0', ASKD_REFRESH_SECONDS: seconds } });
    assert.equal((await lost(grown)).warnings.length, 1);
    const changed = await run('sqlite3', ['-cmd', '.timeout 60000', path], { cwd: '/tmp', input: "UPDATE workOrder SET status = 'lost' WHERE id = (SELECT MIN(id) FROM workOrder WHERE companyId = 'acme');" });
    assert.equal(changed.code, 0, changed.stderr);
    grow(grown);
    await until('the value is known', async () => {
      const { data, warnings } = await lost(grown);
      return data.rows[0][0] === 1 && warnings.length === 0;
    });
  }
});

test('a table and a column that are there since are known without a signal', async () => {
  const path = tempPath('altered.db');
  copyFileSync(await sampleDatabase(), path);
  const altered = await startAskd({ database: path, env: { ASKD_REFRESH_SECONDS: '1' } });
  const steps = [
    ["CREATE TABLE lighthouse (id INTEGER PRIMARY KEY, companyId TEXT, name TEXT); INSERT INTO lighthouse (companyId, name) VALUES ('acme', 'North Point'), ('acme', 'Grey Rock'), ('globex', 'Far Sand');", 'How many lighthouses are there?', 2],
    ["ALTER TABLE lighthouse ADD COLUMN keeper TEXT; UPDATE lighthouse SET keeper = 'Sparrow' WHERE id <> 2;", 'How many lighthouses have the keeper Sparrow?', 1],
  ];
  for (const [sql, question, count] of steps) {
    const changed = await run('sqlite3', ['-cmd', '.timeout 60000', path], { cwd: '/tmp', input: sql });
    assert.equal(changed.code, 0, changed.stderr);
    await until(`${question} is answered`, async () => (await altered.ask(question)).complete().data?.rows?.[0]?.[0] === count);
  }
});
