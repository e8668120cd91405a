// SPDX-License-Identifier: MIT
// tests/node/reproductions.test.mjs - what once crossed the wall between companies, or could not be
// stopped, on the engines themselves: statements that fail on one company's values, names that only an
// engine holds to be equal, texts and products without end.
//
// askd logs in as the owner of all rows, so that it alone keeps companies apart. Beside the database
// of two companies stands one that holds the caller's rows alone: what is said of both is the same.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startAskd, tempPath } from './lib/harness.mjs';
import { createDatabase } from './lib/servers.mjs';

const ENGINES = ['sqlite', 'postgres', 'mysql'];
const NAMES = ['both', 'alone'];
const quote = { sqlite: name => `"${name}"`, postgres: name => `"${name}"`, mysql: name => `\`${name}\`` };

// ---- two companies, and one ----

const schema = engine => {
  const q = quote[engine], text = engine === 'mysql' ? 'VARCHAR(200)' : 'TEXT', company = `${q('companyId')} ${text} NOT NULL`;
  return `
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name ${text}, email ${text}, remark ${text}, score INTEGER, ${company});
    CREATE INDEX by_email ON customers (email); CREATE INDEX by_name ON customers (name);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, note ${text}, ${company});
    CREATE TABLE order_lines (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, remark ${text}, FOREIGN KEY (order_id) REFERENCES orders (id));
    CREATE TABLE invoices (id INTEGER PRIMARY KEY, ${company});
    CREATE TABLE invoice_lines (id INTEGER PRIMARY KEY, invoice_id INTEGER NOT NULL, text ${text}, FOREIGN KEY (invoice_id) REFERENCES invoices (id));
    CREATE TABLE ${q('aufträge')} (id INTEGER PRIMARY KEY, ${q('schlüssel_token')} ${text}, ${company});
    CREATE TABLE positionen (id INTEGER PRIMARY KEY, auftrag_id INTEGER NOT NULL, text ${text}, FOREIGN KEY (auftrag_id) REFERENCES ${q('aufträge')} (id));
    CREATE TABLE payments (id INTEGER PRIMARY KEY, order_ref INTEGER, note ${text});
    ${engine === 'postgres' ? `CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
    CREATE TABLE folded (id INTEGER PRIMARY KEY, text TEXT, "companyId" TEXT COLLATE ci NOT NULL);` : ''}
    ${engine === 'mysql' ? `CREATE FUNCTION any_value(x INT) RETURNS VARCHAR(99) READS SQL DATA RETURN (SELECT max(remark) FROM customers);
    CREATE FUNCTION to_char(x INT) RETURNS VARCHAR(99) READS SQL DATA RETURN (SELECT max(remark) FROM customers);
    CREATE FUNCTION area(x INT) RETURNS VARCHAR(99) READS SQL DATA RETURN (SELECT max(remark) FROM customers);` : ''}\n`;
};

const rows = (engine, isAlone) => {
  const all = [];
  for (let id = 1; id <= 40; id++) {
    const mine = id % 2 === 0, who = mine ? 'acme' : 'globex', word = mine ? 'own' : 'CANARY';
    if (!mine && isAlone)
      continue;
    all.push(`INSERT INTO customers VALUES (${id}, '${word}-name-${id}', '${word}-mail-${id}', '${word}-rem-${id}', ${mine ? 500 : 7}, '${who}')`,
      `INSERT INTO orders VALUES (${id}, '${word}-note', '${who}')`, `INSERT INTO order_lines VALUES (${id}, ${id}, '${word}-rem-${id}')`,
      `INSERT INTO invoices VALUES (${id}, '${who}')`, `INSERT INTO invoice_lines VALUES (${id}, ${id}, '${word}-rem-${id}')`,
      `INSERT INTO ${quote[engine]('aufträge')} VALUES (${id}, 'CANARY-key', '${who}')`, `INSERT INTO positionen VALUES (${id}, ${id}, '${word}-rem-${id}')`,
      `INSERT INTO payments VALUES (${id}, ${id}, '${word}-pay-${id}')`);
    if (engine === 'postgres')
      all.push(`INSERT INTO folded VALUES (${id}, '${word}-folded', '${mine ? 'acme' : ['ACME', 'acmé', 'Äcme'][id % 3]}')`);
  }
  return all.join(';\n') + ';\n';
};

const create = async (engine, name) => {
  const sql = schema(engine) + rows(engine, name === 'alone');
  if (engine !== 'sqlite')
    return createDatabase(engine, `node_repro_${name}`, [{ sql }]);
  const path = tempPath(`${name}.db`), db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
  return `sqlite:${path}`;
};

const servers = {};
for (const engine of ENGINES) {
  const urls = { both: await create(engine, 'both'), alone: await create(engine, 'alone') };
  servers[engine] = { url: urls.both };
  for (const name of NAMES)
    servers[engine][name] = await startAskd({ env: { ASKD_DATABASE_URL: urls[name], ASKD_TENANCY: 'on',
      ASKD_SHARED_TABLES: undefined, ASKD_SECURE_VIEWS: undefined, ASKD_SQL_TIMEOUT_SECONDS: '20' } });
}


let count = 0;
const call = async (askd, tool, args, company = 'acme') => {
  const response = await askd.post('/mcp', { jsonrpc: '2.0', id: ++count, method: 'tools/call', params: { name: tool, arguments: args } },
    { headers: { accept: 'application/json, text/event-stream', 'x-askd-company-id': company, 'x-askd-user-id': 'ann' } });
  const answer = JSON.parse(await response.text());
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer.result;
};
const run = (askd, sql, company) => call(askd, 'run_sql', { sql }, company);

/** What an answer tells, but for how long it took. */
const told = ({ isError, content, structuredContent }) => isError ? content[0].text
  : { ...structuredContent.data, execution_time_seconds: 0, written: '', warnings: structuredContent.warnings };

/** The same is said where the other companies' rows are and where they are not, and none of them. Returns it. */
const alike = async (engine, sql) => {
  const [both, alone] = [told(await run(servers[engine].both, sql)), told(await run(servers[engine].alone, sql))];
  assert.deepEqual(both, alone, `${engine}: ${sql}`);
  assert.doesNotMatch(JSON.stringify(both), /CANARY-/, `${engine}: ${sql}`);
  return both;
};
const refused = async (engine, sql, rule) => {
  const text = told(await run(servers[engine].both, sql));
  assert.match(JSON.stringify(text), rule, `${engine}: ${sql.slice(0, 300)}`);
};

test('each company has rows, and the caller\'s are found', async () => {
  for (const engine of ENGINES) {
    assert.deepEqual((await alike(engine, 'SELECT count(*) AS n FROM customers')).rows, [[20]]);
    assert.match(JSON.stringify(told(await run(servers[engine].both, 'SELECT name FROM customers', 'globex')).rows), /CANARY-name-7/, 'they are there');
  }
});

// ---- conditions that fail on one company's values ----

// A bit of a hidden value is an error or none; a value in clear is in the error's text.
const failing = {
  postgres: [
    `SELECT count(*) FROM customers WHERE id=7 AND ('a"'||name)::int IS NULL`,
    `SELECT count(*) FROM customers WHERE id=7 AND to_tsquery(remark||' (') IS NULL`,
    'SELECT count(*) FROM customers WHERE make_date(score,13,1) IS NULL AND id=7',
    'SELECT count(*) FROM customers WHERE id=7 AND chr(2000000+score) IS NULL',
    `SELECT count(*) FROM customers WHERE id=7 AND convert_from(decode('f0','hex')||substr(remark,1,3)::bytea,'UTF8') IS NULL`,
    `SELECT count(*) FROM order_lines WHERE id=7 AND ('a"'||remark)::int IS NULL`,
    `SELECT id FROM customers WHERE id=7 AND ('a"'||name)::int IS NULL GROUP BY id`,
    `SELECT id, name FROM customers WHERE ('a"'||name)::int IS NULL GROUP BY id`,
    `SELECT max(id) FROM customers WHERE id IN (7,8) AND 1/(CASE WHEN name LIKE 'CANARY%' THEN 0 ELSE 1 END) = 1`,
    `SELECT max(id) FROM order_lines WHERE 1/(CASE WHEN remark LIKE 'CANARY%' THEN 0 ELSE 1 END) = 1`,
    `SELECT count(*) FROM customers c JOIN order_lines l ON l.id = c.id AND ('a"'||l.remark)::int IS NULL`,
    `SELECT count(*) FROM (SELECT name FROM customers WHERE id = 7) s WHERE ('a"'||s.name)::int IS NULL`,
    `SELECT count(*) FROM customers WHERE email > 'CANARY' AND email::int IS NULL`,
  ],
  mysql: [
    'SELECT count(*) FROM customers WHERE id=7 AND cot(CASE WHEN ORD(SUBSTR(name,1,1)) > 66 THEN 0 ELSE 1 END) = 1',
    `SELECT max(id) FROM customers WHERE id IN (7,8) AND cot(CASE WHEN name LIKE 'CANARY-name-7%' THEN 0 ELSE 1 END) = 1`,
    `SELECT count(*) FROM order_lines WHERE id=7 AND cot(CASE WHEN remark LIKE 'CANARY%' THEN 0 ELSE 1 END) = 1`,
    `SELECT id, name FROM customers WHERE cot(CASE WHEN name LIKE 'CANARY%' THEN 0 ELSE 1 END) = 1 GROUP BY id, name`,
    `SELECT count(*) FROM customers WHERE name > 'CANARY' AND cot(CASE WHEN name LIKE 'CANARY%' THEN 0 ELSE 1 END) = 1`,
    `SELECT count(*) FROM customers c JOIN order_lines l ON l.id = c.id AND cot(CASE WHEN l.remark LIKE 'CANARY%' THEN 0 ELSE 1 END) = 1`,
  ],
  sqlite: [
    `SELECT count(*) FROM order_lines WHERE id=1 AND json_extract('{}',remark) IS NULL`,
    `SELECT count(*) FROM customers WHERE email > 'CANARY' AND json_extract('{}',email) IS NULL`,
    `SELECT count(*) FROM customers WHERE name > 'CANARY' AND json_extract('{}',name) IS NULL`,
    `SELECT count(*) FROM customers WHERE email > 'CANARY' AND abs(-9223372036854775807-id) > 0`,
    `SELECT count(*) FROM order_lines WHERE abs(-9223372036854775807 - (CASE WHEN remark LIKE 'CANARY%' THEN 1 ELSE 0 END)) > 0`,
    `SELECT id, name FROM customers WHERE json_extract('{}',name) IS NULL GROUP BY id`,
    `SELECT count(*) FROM customers c JOIN order_lines l ON l.id = c.id AND json_extract('{}',l.remark) IS NULL`,
  ],
};
for (const engine of ENGINES)
  test(`${engine}: no condition sees other companies' rows`, async () => {
    for (const sql of failing[engine])
      await alike(engine, sql);
  });

// ---- names that an engine holds to be equal ----

test('no query of WITH takes the place of a table that the filter names', async () => {
  const forged = [
    `WITH RECURSIVE İnvoices(id, companyId) AS (SELECT 1, 'acme' UNION ALL SELECT id+1, companyId FROM İnvoices WHERE id<100) SELECT text FROM invoice_lines`,
    `WITH AUFTRÄGE AS (SELECT 1 AS id, 'acme' AS companyId) SELECT text FROM positionen`,
    `WITH aufträge AS (SELECT 1 AS id, 'acme' AS companyId) SELECT text FROM positionen`,
    `WITH invoices AS (SELECT 1 AS id, 'acme' AS companyId UNION ALL SELECT 3, 'acme') SELECT text FROM invoice_lines`,
    `WITH INVOICES AS (SELECT 1 AS id, 'acme' AS companyId) SELECT text FROM invoice_lines`,
  ];
  for (const engine of ENGINES)
    for (const sql of forged) {
      const q = quote[engine];
      await alike(engine, sql.replaceAll('companyId', q('companyId')).replace('WITH aufträge', `WITH ${q('aufträge')}`));
    }
});

test('MariaDB: a secret with a name that is not ASCII is no column, however it is written and checked', async () => {
  for (const sql of ['SELECT SCHLÜSSEL_TOKEN FROM aufträge', 'SELECT `schlüssel_token` FROM AUFTRÄGE', 'SELECT schlussel_token FROM aufträge', 'SELECT `SCHLÜSSEL_token` FROM `Aufträge`'])
    await refused('mysql', sql, /sql_rejected/);
  const askd = await startAskd({ env: { ASKD_DATABASE_URL: servers.mysql.url, ASKD_TENANT_COLUMN: undefined, ASKD_SHARED_TABLES: undefined, ASKD_SECURE_VIEWS: undefined,
    SQL_PRE_VALIDATION_ENABLED: 'false' } });
  for (const sql of ['SELECT SCHLÜSSEL_TOKEN FROM aufträge', 'SELECT SCHLÜSSEL_TOKEN FROM `aufträge` LIMIT 1'])
    assert.doesNotMatch(JSON.stringify(told(await run(askd, sql))), /CANARY-key/, sql);
  await askd.stop();
});

test('PostgreSQL: a company is its bytes, whatever its column\'s collation holds to be equal', async () => {
  const { rows: all } = await alike('postgres', 'SELECT text FROM folded');
  assert.equal(all.length, 20);
});

test('MariaDB: a stored function is not called by the name of one that is not built in', async () => {
  for (const name of ['any_value', 'to_char', 'area', 'ANY_VALUE', '`area`'])
    await refused('mysql', `SELECT ${name}(1)`, /sql_rejected/);
});

// ---- tables that nothing ties ----

test('what nothing ties to a company is neither listed nor read', async () => {
  for (const engine of ENGINES) {
    assert.doesNotMatch(JSON.stringify(await call(servers[engine].both, 'list_tables', {})), /payments/);
    await refused(engine, 'SELECT * FROM payments', /not tied to a company/);
    await refused(engine, 'SELECT count(*) FROM orders o JOIN payments p ON p.order_ref = o.id', /not tied to a company/);
  }
});

test('what is hidden and what is not there are refused alike', async () => {
  const words = async (engine, column) => told(await run(servers[engine].both, `SELECT ${quote[engine](column)} FROM ${quote[engine]('aufträge')}`)).replaceAll(column, 'X');
  for (const engine of ENGINES)
    assert.equal(await words(engine, 'schlüssel_token'), await words(engine, 'schlussel_tokem'), engine);
});

// ---- what nobody could stop ----

const chain = (steps, first, step, last) => `WITH a0 AS (${first}), ${Array.from({ length: steps }, (_, i) => `a${i + 1} AS (${step.replaceAll('PRIOR', `a${i}`)})`).join(', ')} ${last}`;
const nest = (steps, first, step) => Array.from({ length: steps }).reduce(inner => step.replace('INNER', inner), first);
const wide = (columns, make) => Array.from({ length: columns }, (_, i) => make(i)).join(', ');
const doubled = chain(27, 'SELECT score AS x FROM customers', 'SELECT x+x AS x FROM PRIOR', 'SELECT x FROM a27');
const products = 'WITH h AS (SELECT id, sum(score) s FROM customers GROUP BY id) SELECT count(*) FROM h a CROSS JOIN h b CROSS JOIN h c CROSS JOIN h d CROSS JOIN h e';
const endless = {
  sqlite: [
    [`WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n<1000000) SELECT instr(g, substr(g,1,4000000)||'b') FROM (SELECT group_concat('aaaaaaaa','') AS g FROM c) x`, /search|bytes/],
    [`WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n<1000000) SELECT ${wide(300, i => `g||'${i}'`)} FROM (SELECT group_concat('aaaaaaaa','') AS g FROM c) x`, /bytes/],
    [`WITH RECURSIVE c(n,t) AS (SELECT 1,'a' UNION ALL SELECT n+1,t||''||t FROM c WHERE n<20) SELECT max(length(t)) FROM c`, /recursi|doubles/],
    [doubled, /expansion|expressions/], [products, /unconnected|relate/],
  ],
  postgres: [
    [`SELECT strpos(a||a,'b'||a) FROM (SELECT string_agg(repeat('a',100),'') AS a FROM generate_series(1,20000)) x`, /search|bytes/],
    [`SELECT ${wide(4, () => `length(string_agg(repeat('x',400),''))`)} FROM generate_series(1,1000000)`, /bytes/],
    [`WITH RECURSIVE c(n,t) AS (SELECT 1,'a'::text UNION ALL SELECT n+1,t||''||t FROM c WHERE n<20) SELECT max(length(t)) FROM c`, /recursi|doubles/],
    [nest(22, 'SELECT score AS x FROM customers', 'SELECT x+x AS x FROM (INNER) q'), /expansion|expressions/],
    [doubled, /expansion|expressions/], [products, /unconnected|relate/],
    [`SELECT count(*) FROM ${Array.from({ length: 61 }, (_, i) => `customers c${i}`).join(' JOIN ').replace(/JOIN customers c(\d+)/g, (_, i) => `JOIN customers c${i} ON c${i}.id = c${i - 1}.id`)}`, /joined|tables/],
  ],
  mysql: [
    [`SELECT instr(concat(a,a,a,a,a,a,a,a),concat(a,a,a,a,'b')) FROM (SELECT GROUP_CONCAT('${'a'.repeat(300)}' SEPARATOR '') AS a FROM customers) x`, /search|bytes/],
    [`SELECT ${wide(120, i => `concat(${i},a,'',a,'',a,'',a,'',a)`)} FROM (SELECT GROUP_CONCAT(repeat('a',1000) SEPARATOR '') AS a FROM customers) x`, /bytes|as long as/],
    [`WITH RECURSIVE c(n,t) AS (SELECT 1,'a' UNION ALL SELECT n+1,concat(t,'',t) FROM c WHERE n<20) SELECT max(length(t)) FROM c`, /recursi|doubles/],
    [nest(34, 'SELECT score AS x FROM customers', 'SELECT x+x AS x FROM (INNER) q'), /expansion|expressions/],
    [doubled, /expansion|expressions/], [products, /unconnected|relate/],
    [`SELECT ${'~'.repeat(16000)}1`, /depth|operators/], [`SELECT 1${' IS NULL'.repeat(1500)}`, /depth|nest|operators/],
  ],
};
for (const engine of ENGINES)
  test(`${engine}: what heeds no deadline is not begun`, async () => {
    for (const [sql, why] of endless[engine])
      await refused(engine, sql, why);
    await alike(engine, 'SELECT count(*) AS n FROM customers');
  });

test('a recursion that ends by itself is not cut', async () => {
  for (const engine of ENGINES) {
    const { rows: all } = await alike(engine, 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n<3000) SELECT max(n) AS n FROM c');
    assert.deepEqual(all, [[3000]], engine);
  }
});

test('a statement of many comments is read, and one of many stars refused, without a long wait for others', async () => {
  for (const engine of ENGINES) {
    await alike(engine, `SELECT count(*) AS n ${'/**/'.repeat(3800)} FROM customers`);
    const stars = chain(400, 'SELECT 1 AS x', 'SELECT * FROM PRIOR', 'SELECT * FROM a400');
    const answer = told(await run(servers[engine].both, stars));
    assert.ok(typeof answer === 'string' ? /^sql_(rejected|failed)/.test(answer) : answer.rows.length === 1, JSON.stringify(answer));
  }
});
