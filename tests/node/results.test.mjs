// SPDX-License-Identifier: MIT
// tests/node/results.test.mjs - POST /internal/results: whole results as JSON, CSV and workbooks, under the guard, the
// caller's company and the caps; slowly read, left in the middle, too many at once.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { newConversation, startAskd, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { readZip } from './lib/zip.mjs';

const ROWS = 60000;
const large = tempPath('large.db');
const database = new DatabaseSync(large);
database.exec(`CREATE TABLE thing (id INTEGER PRIMARY KEY, companyId TEXT, name TEXT, made TEXT);
  CREATE TABLE other (id INTEGER PRIMARY KEY, companyId TEXT);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
  INSERT INTO thing SELECT i, CASE i % 3 WHEN 0 THEN 'globex' ELSE 'acme' END, 'thing number ' || i || ' with a name that takes room', '2025-02-12 15:30:00' FROM n`);
database.close();

const askd = await startAskd({ env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const big = await startAskd({ database: large, env: { ASKD_SHARED_TABLES: undefined, ASKD_SECURE_VIEWS: undefined, ASKD_WORKERS: '1' } });

const send = (server, body, company = 'acme', options) => server.post(`/internal/results?company_id=${company}&user_id=ann`, body, options);
const rowsOf = async (...args) => {
  const answer = await send(...args), text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text);
};

test('a result that an answer cut is whole here, by the statement that the answer names', async () => {
  const { events } = await askd.ask('list all work orders');
  const { data } = events.at(-1);
  assert.equal(data.rows.length, 100);
  assert.ok(data.truncated);
  const whole = await rowsOf(askd, { sql: data.written });
  assert.equal(whole.row_count, data.total_rows);
  assert.equal(whole.rows.length, data.total_rows);
  assert.equal(whole.truncated, false);
  assert.deepEqual(whole.columns, data.columns);
  assert.deepEqual(whole.rows.slice(0, 100), data.rows);
});

test('a turn of before is run again by the statement that it kept', async () => {
  const conversation = { id: 'kept', company_id: 'acme', user_id: 'ann' };
  const { events } = await askd.ask('list all work orders', { conversation });
  const kept = (await (await askd.fetch('/internal/conversations/kept?company_id=acme&user_id=ann')).json()).messages.at(-1).details.result.data;
  assert.deepEqual([kept.written, kept.columns, kept.truncated], [events.at(-1).data.written, events.at(-1).data.columns, true]);
  assert.equal((await rowsOf(askd, { sql: kept.written })).row_count, kept.total_rows);
});

test('each company has its own rows', async () => {
  const counted = await Promise.all(['acme', 'globex', 'nobody'].map(async company =>
    (await rowsOf(askd, { sql: 'SELECT COUNT(*) AS n FROM workOrder', rows: 1 }, company)).rows[0][0]));
  assert.ok(counted[0] > 0 && counted[1] > 0 && counted[0] !== counted[1]);
  assert.equal(counted[2], 0);
  const ids = (await rowsOf(big, { sql: 'SELECT id FROM thing' }, 'globex')).rows.flat();
  assert.equal(ids.length, ROWS / 3);
  assert.ok(ids.every(id => id % 3 === 0));
});

test('a workbook: numbers, dates and texts, nothing that runs', async () => {
  const answer = await send(askd, { sql: "SELECT number, createdAt, estimatedHours, '=1+1' AS formula, NULL AS missing, '<&>' AS signs FROM workOrder ORDER BY id", format: 'xlsx' });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type'), /spreadsheetml\.sheet$/);
  assert.match(answer.headers.get('content-disposition'), /filename="rows\.xlsx"/);
  const files = readZip(Buffer.from(await answer.arrayBuffer()));
  assert.deepEqual([...files.keys()], ['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml', 'xl/_rels/workbook.xml.rels', 'xl/styles.xml', 'xl/worksheets/sheet1.xml']);
  const sheet = files.get('xl/worksheets/sheet1.xml').toString();
  const rows = sheet.match(/<row>.*?<\/row>/g);
  assert.equal(rows.length, Number(answer.headers.get('x-askd-rows')) + 1);
  assert.match(rows[0], /<c t="inlineStr" s="1"><is><t xml:space="preserve">number<\/t>/);
  // 2025-02-12 15:30 as spreadsheets count
  assert.match(rows[1], /WO-1001.*<c s="3"><v>45700\.6458333<\/v><\/c><c><v>13<\/v><\/c><c t="inlineStr"><is><t xml:space="preserve">=1\+1<\/t><\/is><\/c><c\/>.*&lt;&amp;&gt;/);
  assert.ok(!sheet.includes('<f>'));
  assert.match(sheet, new RegExp(`<autoFilter ref="A1:F${rows.length}"/>`));
});

test('CSV', async () => {
  const answer = await send(askd, { sql: `SELECT '=1+1' AS formula, 'a"b' AS quote, 1.5 AS amount, NULL AS missing`, format: 'csv' });
  assert.equal(await answer.text(), 'formula,quote,amount,missing\r\n\'=1+1,"a""b",1.5,\r\n');
  assert.match(answer.headers.get('content-type'), /^text\/csv/);
});

const refused = [
  [{ sql: 'DELETE FROM workOrder' }, 422, '/sql', /SELECT/],
  [{ sql: 'SELECT nonsense FROM workOrder' }, 422, '/sql', /nonsense/],
  [{ sql: "SELECT session_var('company_id')" }, 422, '/sql', /session_var/],
  [{ sql: 'SELECT 1; SELECT 2' }, 422, '/sql', /./],
  [{ sql: '' }, 422, '/sql', /1 to 16384 bytes/],
  [{ sql: 'S'.repeat(20000) }, 422, '/sql', /1 to 16384 bytes/],
  [{}, 422, '/sql', /expected a string/],
  [{ sql: 7 }, 422, '/sql', /expected a string/],
  [{ sql: 'SELECT 1', format: 'pdf' }, 422, '/format', /json, csv or xlsx/],
  [{ sql: 'SELECT 1', format: 1 }, 422, '/format', /expected a string/],
  [{ sql: 'SELECT 1', rows: 0 }, 422, '/rows', /1 to 100000/],
  [{ sql: 'SELECT 1', rows: 'all' }, 422, '/rows', /./],
  ['[]', 422, '', /object/],
  ['{', 400, undefined, /JSON/],
];
for (const [body, status, pointer, detail] of refused)
  test(`refused: ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const answer = await send(askd, body), problem = await answer.json();
    assert.equal(answer.status, status, JSON.stringify(problem));
    assert.equal(problem.pointer ?? '', pointer ?? '');
    assert.match(problem.detail, detail);
  });

test('rows: at most so many, and it is said', async () => {
  const { rows, truncated } = await rowsOf(askd, { sql: 'SELECT id FROM workOrder ORDER BY id', rows: 7 });
  assert.equal(rows.length, 7);
  assert.equal(truncated, true);
  assert.equal((await rowsOf(askd, { sql: 'SELECT id FROM workOrder ORDER BY id LIMIT 3' })).rows.length, 3);
});

test('a cap of bytes, and none at all', async () => {
  const capped = await startAskd({ database: large, env: { ASKD_SHARED_TABLES: undefined, ASKD_SECURE_VIEWS: undefined, ASKD_DOWNLOAD_MAX_BYTES: '64k' } });
  const { rows, truncated } = await rowsOf(capped, { sql: 'SELECT * FROM thing' });
  assert.ok(truncated && rows.length > 100 && rows.length < 2000, `${rows.length}`);
  const none = await startAskd({ env: { ASKD_DOWNLOAD_MAX_ROWS: '0' } });
  const answer = await send(none, { sql: 'SELECT 1' });
  assert.equal(answer.status, 403);
  assert.match((await answer.json()).detail, /ASKD_DOWNLOAD_MAX_ROWS/);
});

test('a policy that says how many rows leaves no more', async () => {
  const path = tempPath('policies.json');
  writeFileSync(path, JSON.stringify({ policies: { few: { max_limit: 40 } }, serve: { graphs: { '*': 'few' } } }));
  const strict = await startAskd({ env: { ASKD_POLICIES: path } });
  const { rows, truncated } = await rowsOf(strict, { sql: 'SELECT id FROM workOrder' });
  assert.equal(rows.length, 40);
  assert.equal(truncated, true);
});

// A request whose answer is not read until it is asked for.
const openSlowly = body => new Promise((resolve, reject) => {
  const { port } = new URL(big.url);
  const request = http.request({ port, method: 'POST', path: '/internal/results?company_id=acme&user_id=ann', headers: { 'content-type': 'application/json' }, highWaterMark: 1024 }, response => {
    response.pause();
    resolve({ request, response });
  });
  request.on('error', reject);
  request.end(JSON.stringify(body));
});
const readAll = async response => {
  let bytes = 0;
  for await (const piece of response)
    bytes += piece.length;
  return bytes;
};

test('a slow reader holds its own answer and nobody else; a third is turned away', async () => {
  const body = { sql: `SELECT ${Array.from({ length: 10 }, (_, i) => `name AS n${i}`)} FROM thing` }; // more than sockets hold
  const first = await openSlowly(body), second = await openSlowly(body);
  const third = await send(big, body);
  assert.equal(third.status, 429);
  assert.ok(Number(third.headers.get('retry-after')) > 0);
  assert.equal((await send(big, { sql: 'SELECT id FROM thing', rows: 5 })).status, 200, 'small ones find room');
  const { events } = await big.ask('How many things are there?', { conversation: newConversation() });
  assert.equal(events.at(-1).event, 'complete');
  const sizes = await Promise.all([first, second].map(({ response }) => readAll(response)));
  assert.equal(sizes[0], sizes[1]);
  assert.ok(sizes[0] > 15e6, `${sizes[0]}`);
  assert.equal((await rowsOf(big, { sql: 'SELECT COUNT(*) FROM thing' })).row_count, 1);
});

test('who leaves frees its place', async () => {
  for (let i = 0; i < 4; i++) {
    const { response } = await openSlowly({ sql: 'SELECT * FROM thing' });
    response.destroy();
  }
  await until('there is room again', async () => (await send(big, { sql: 'SELECT 1 AS one' })).status === 200);
});

test('a statement that is left is not run to its end', async () => {
  const endless = { sql: 'SELECT COUNT(*) FROM thing a, thing b, thing c WHERE a.id + b.id + c.id < 0' };
  const controller = new AbortController();
  const sent = send(big, endless, 'acme', { signal: controller.signal }).catch(error => error.name);
  setTimeout(() => controller.abort(), 300);
  const got = await sent;
  assert.ok(got === 'AbortError' || got.status === 422, String(got.status)); // refused for its cost, or left
  await until('there is room again', async () => (await send(big, { sql: 'SELECT 1 AS one' })).status === 200);
});
