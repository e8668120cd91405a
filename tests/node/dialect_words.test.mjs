// SPDX-License-Identifier: MIT
// tests/node/dialect_words.test.mjs - what another dialect writes, on SQLite, PostgreSQL and MariaDB: where there is an
// exact equal the statement is mended without the model and gives the rows that it means; else the error says how this
// one writes it. No statement is let through that this dialect reads in another way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { askdCommand, newConversation, sampleDatabase, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';
import { createSamples } from './lib/servers.mjs';

const of = (what, rest = '') => `SELECT ${what} FROM transactions${rest}`;
const count = where => of('COUNT(*) AS n', ` WHERE ${where}`);
const JUNE = "created_at >= '2025-06-01' AND created_at < '2025-07-01'";
const LATELY = "created_at >= '2025-05-31'";
const DAYS = 'CAST(julianday(date(created_at)) - julianday(\'2025-01-01\') AS INTEGER)';

// What is written; the same in SQLite's own words; on which engines it is only told how (else it gives the rows).
const cases = [
  ["COUNT by DATE_TRUNC('month')", count("DATE_TRUNC('month', created_at) = '2025-06-01'"), count(JUNE)],
  ["DATE_TRUNC('year')", count("DATE_TRUNC('year', created_at) = '2025-01-01'"), count("created_at >= '2025-01-01' AND created_at < '2026-01-01'")],
  ["DATE_TRUNC('day')", count("DATE_TRUNC('day', created_at) = '2025-06-02'"), count("date(created_at) = '2025-06-02'")],
  ["DATE_TRUNC('quarter')", count("DATE_TRUNC('quarter', created_at) = '2025-04-01'"), count("created_at >= '2025-04-01' AND created_at < '2025-07-01'"), { told: { sqlite: /SQLite writes date_trunc as date\(x, 'start of month'\)/, mysql: /MySQL writes date_trunc as/ } }],
  ['DATEDIFF of two', of("MAX(DATEDIFF(created_at, '2025-01-01')) AS d"), of(`MAX(${DAYS}) AS d`)],
  ['DATEDIFF with a unit', of("MAX(DATEDIFF(day, '2025-01-01', created_at)) AS d"), of(`MAX(${DAYS}) AS d`)],
  ['DATEDIFF in a condition', count("DATEDIFF(created_at, '2025-06-01') >= 0"), count("created_at >= '2025-06-01'")],
  ['DATEDIFF in months', of("MAX(DATEDIFF(month, '2025-01-01', created_at)) AS d"), null, { told: { sqlite: /SQLite writes datediff as/, postgres: /PostgreSQL writes datediff as/, mysql: /MySQL writes datediff as/ } }],
  ['DATE_SUB', count('created_at >= DATE_SUB(CURDATE(), INTERVAL 30 DAY)'), count(LATELY)],
  ["- INTERVAL '30 days'", count("created_at >= CURRENT_DATE - INTERVAL '30 days'"), count(LATELY)],
  ['- INTERVAL 30 DAY', count('created_at >= CURRENT_DATE - INTERVAL 30 DAY'), count(LATELY)],
  ["- INTERVAL '1 month'", count("created_at >= CURRENT_DATE - INTERVAL '1 month'"), count("created_at >= '2025-05-30'")],
  ['DATE_ADD of a day', count("created_at < DATE_ADD('2025-06-01', INTERVAL 1 WEEK)"), count("created_at < '2025-06-08'")],
  ['DATEADD', count('created_at >= DATEADD(day, -30, CURRENT_DATE)'), count(LATELY)],
  ["date('now', ...)", count("created_at >= date('now', '-30 days')"), count(LATELY)],
  ['CONCAT', of("DISTINCT CONCAT(type, '-', account_id) AS c", ' WHERE id <= 5 ORDER BY 1'), of("DISTINCT type || '-' || account_id AS c", ' WHERE id <= 5 ORDER BY 1')],
  ['||', of("DISTINCT type || '-' || account_id AS c", ' WHERE id <= 5 ORDER BY 1'), of("DISTINCT type || '-' || account_id AS c", ' WHERE id <= 5 ORDER BY 1')],
  ['|| beside a column that is compared', count("type = 'cre' || 'dit'"), count("type = 'credit'")],
  ['QUARTER', count('QUARTER(created_at) = 2'), count("CAST(strftime('%m', created_at) AS INTEGER) BETWEEN 4 AND 6")],
  ['EXTRACT(QUARTER)', count('EXTRACT(QUARTER FROM created_at) = 2'), count("CAST(strftime('%m', created_at) AS INTEGER) BETWEEN 4 AND 6")],
  ['YEAR and MONTH', count('YEAR(created_at) = 2025 AND MONTH(created_at) = 6'), count(JUNE)],
  ['DATE_PART', count("DATE_PART('month', created_at) = 6 AND DATE_PART('year', created_at) = 2025"), count(JUNE)],
  ['strftime', count("strftime('%Y-%m', created_at) = '2025-06'"), count(JUNE)],
  ['DATE_FORMAT', count("DATE_FORMAT(created_at, '%Y-%m') = '2025-06'"), count(JUNE)],
  ['TO_CHAR', count("TO_CHAR(created_at, 'YYYY-MM') = '2025-06'"), count(JUNE)],
  ['::date', count("created_at::date = '2025-06-02'"), count("date(created_at) = '2025-06-02'")],
  ['::text in a sum of texts', of('DISTINCT account_id::text AS a', ' WHERE id = 1'), of('DISTINCT CAST(account_id AS TEXT) AS a', ' WHERE id = 1')],
  ['TOP', 'SELECT TOP 3 id FROM transactions ORDER BY id', 'SELECT id FROM transactions ORDER BY id LIMIT 3'],
  ['FETCH FIRST', 'SELECT id FROM transactions ORDER BY id FETCH FIRST 3 ROWS ONLY', 'SELECT id FROM transactions ORDER BY id LIMIT 3'],
  ['ILIKE', count("type ILIKE 'CRED%'"), count("type LIKE 'CRED%'")],
  ['IFNULL', of('SUM(IFNULL(account_id, 0)) AS s'), of('SUM(account_id) AS s')],
  ['NVL', of('SUM(NVL(account_id, 0)) AS s'), of('SUM(account_id) AS s')],
  ['ISNULL of two', of('SUM(ISNULL(account_id, 0)) AS s'), of('SUM(account_id) AS s')],
  ['IF', of("SUM(IF(type = 'credit', 1, 0)) AS s"), count("type = 'credit'")],
  ['IIF', of("SUM(IIF(type = 'credit', 1, 0)) AS s"), count("type = 'credit'")],
  ['LEN', of('MAX(LEN(type)) AS l'), of('MAX(LENGTH(type)) AS l')],
  ['LEFT', of('DISTINCT LEFT(type, 3) AS t', ' ORDER BY 1'), of('DISTINCT substr(type, 1, 3) AS t', ' ORDER BY 1')],
  ['GETDATE', count("created_at > GETDATE()"), count("created_at > '2025-06-30'")],
  ['julianday', of("MAX(julianday(date(created_at)) - julianday('2025-01-01')) AS d"), of(`MAX(${DAYS}) AS d`), { told: { postgres: /PostgreSQL writes julianday as/, mysql: /MySQL writes julianday as/ } }],
  ['STRING_AGG', of("STRING_AGG(type, ', ') AS t", ' WHERE id = 1'), of('type AS t', ' WHERE id = 1'), { told: { mysql: /MySQL writes string_agg as GROUP_CONCAT/ } }],
  ['GROUP_CONCAT', of('GROUP_CONCAT(type) AS t', ' WHERE id = 1'), of('type AS t', ' WHERE id = 1'), { told: { postgres: /PostgreSQL writes group_concat as string_agg/ } }],
  ['LAST_DAY', count("date(created_at) = LAST_DAY('2025-06-02')"), count("date(created_at) = '2025-06-30'"), { told: { sqlite: /SQLite writes last_day as/, postgres: /PostgreSQL writes last_day as/ } }],
  ['TIMESTAMPDIFF', of("MAX(TIMESTAMPDIFF(DAY, '2025-01-01', created_at)) AS d"), of(`MAX(${DAYS}) AS d`), { told: { sqlite: /SQLite writes timestampdiff as/, postgres: /PostgreSQL writes timestampdiff as/ } }],
  ['backticks', 'SELECT COUNT(`id`) AS n FROM `transactions`', 'SELECT COUNT(id) FROM transactions'],
  ['a text in double quotes', count('type = "credit"'), count("type = 'credit'")],
  ['GROUP BY a name of the list', of("DATE_FORMAT(created_at, '%Y') AS y, COUNT(*) AS n", ' GROUP BY y ORDER BY y'), of("strftime('%Y', created_at) AS y, COUNT(*) AS n", ' GROUP BY y ORDER BY y')],
];

const database = await sampleDatabase();
const urls = { sqlite: `sqlite:${database}`, postgres: await createSamples('postgres', 'node_words_postgres'), mysql: await createSamples('mysql', 'node_words_mysql') };
const cell = value => (value === null ? null : Number.isNaN(Number(value)) ? String(value) : Number(value));
const meant = async sql => {
  const result = await run('sqlite3', ['-json', database, sql], { cwd: '/tmp' });
  assert.equal(result.code, 0, result.stderr);
  return JSON.parse(result.stdout).map(row => Object.values(row).map(cell));
};

for (const [engine, url] of Object.entries(urls)) {
  const mock = await startMock([
    ...cases.map(([, sql], i) => line('translate', `\`\`\`sql\n${sql}\n\`\`\``, { user: `case ${i}.`, times: 1 })),
    line('translate', 'CANNOT: it was told'), line('respond', 'Here it is.')]);
  const askd = await startAskd({ mock, env: { ASKD_DATABASE_URL: url, SQL_SAMPLE_ROWS: '0', SQL_CANDIDATES: '1', ASKD_TODAY: '2025-06-30' } });
  for (const [i, [name, sql, same, { told = {} } = {}]] of cases.entries())
    test(`${engine}: ${name}`, async () => {
      const transcript = await askd.ask(`What of transactions, case ${i}.`, { conversation: newConversation(), options: { graph: 'text_to_sql', detail: 'nodes' } });
      const reasons = transcript.of('retry').map(event => event.reason);
      const complete = transcript.of('complete')[0];
      if (told[engine] !== undefined) {
        assert.equal(complete?.data, undefined, `${sql}: ${complete?.sql}`);
        assert.match(reasons[0] ?? '', told[engine]);
        return;
      }
      assert.ok(complete?.data, `${sql}: ${complete?.abstained} | ${reasons}`);
      assert.equal(complete.stats.llm_calls, 2, `${sql} is mended without the model: ${reasons}`);
      assert.deepEqual(complete.data.rows.map(row => row.map(cell)), await meant(same), complete.sql);
    });
}

// What semantic.json says of values is held against the rows of each engine. MariaDB takes 'Credit' for 'credit'.
for (const [engine, url] of Object.entries(urls))
  test(`${engine}: semantic check names values that the data does not have, or spells otherwise`, async () => {
    const path = tempPath(`semantic-${engine}.json`);
    writeFileSync(path, JSON.stringify({
      version: 1, tables: {},
      metrics: [{ name: 'deposits', table: 'transactions', expression: 'SUM(amount)', filter: "type IN ('Credit', 'debit')" }],
      filters: [{ name: 'refunds', table: 'transactions', expression: "type = 'refund'" }],
      glossary: [{ term: 'payment', table: 'transactions', column: 'type', value: 'cash' }],
    }));
    const checked = await askdCommand(['semantic', 'check', path, '--db', url]);
    const spelled = /^metric "deposits": the data spells it otherwise: 'Credit' -> 'credit'$/m;
    assert.equal(checked.code, 1, checked.stdout + checked.stderr);
    assert.match(checked.stdout, /^filter "refunds": 'refund' is not a value of transactions\.type, which has 'credit', 'debit'/m);
    assert.match(checked.stdout, /^word "payment": 'cash' is not a value of transactions\.type, which has 'credit', 'debit'/m);
    if (engine === 'mysql')
      assert.doesNotMatch(checked.stdout, spelled);
    else
      assert.match(checked.stdout, spelled);
  });
