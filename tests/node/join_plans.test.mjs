// SPDX-License-Identifier: MIT
// tests/node/join_plans.test.mjs - plain joins of tables that belong to companies by foreign keys only:
// the engine plans the statement as sent over the same indexes as one whose filter stands in its WHERE.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askdCommand, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';
import { administer, createDatabase } from './lib/servers.mjs';

const NAME = 'node_join_plans', CUSTOMERS = 200, ORDERS = 4000, LINES = 20000;
const series = {
  sqlite: most => `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most}) SELECT i FROM n)`,
  postgres: most => `(SELECT i FROM generate_series(1, ${most}) AS g (i))`,
  mysql: most => `(SELECT seq AS i FROM seq_1_to_${most})`,
};
const schema = engine => {
  const text = engine === 'mysql' ? 'VARCHAR(20)' : 'TEXT', n = most => `${series[engine](most)} AS made`;
  return `
    CREATE TABLE customers (id INTEGER PRIMARY KEY, company_id ${text} NOT NULL);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, total INTEGER NOT NULL,
      FOREIGN KEY (customer_id) REFERENCES customers (id));
    CREATE TABLE order_lines (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, amount INTEGER NOT NULL,
      FOREIGN KEY (order_id) REFERENCES orders (id));
    CREATE INDEX orders_customer ON orders (customer_id);
    CREATE INDEX lines_order ON order_lines (order_id);
    INSERT INTO customers SELECT i, CASE WHEN i % 2 = 0 THEN 'acme' ELSE 'globex' END FROM ${n(CUSTOMERS)};
    INSERT INTO orders SELECT i, 1 + i % ${CUSTOMERS}, i FROM ${n(ORDERS)};
    INSERT INTO order_lines SELECT i, 1 + i % ${ORDERS}, i FROM ${n(LINES)};
    ${engine === 'mysql' ? 'ANALYZE TABLE customers, orders, order_lines;' : 'ANALYZE;'}\n`;
};

// ---- what an engine reads by: "table by index", "table by all rows" ----

const sqlite3 = async sql => {
  const told = await run('sqlite3', ['-bail', tempPath('join_plans.db')], { cwd: '/tmp', input: sql });
  assert.equal(told.code, 0, told.stderr);
  return told.stdout;
};
const sqlitePlan = async sql => { // the function is askd's own
  const told = await sqlite3(`EXPLAIN QUERY PLAN ${sql.replaceAll("session_var('company_id')", "'acme'")};`);
  return told.split('\n').map(line =>
    /(?:SCAN|SEARCH) (\S+)(?: USING (?:COVERING )?(?:INDEX (\S+)|(INTEGER PRIMARY KEY)))?/.exec(line))
    .filter(Boolean).map(([, table, index, key]) => `${table} by ${index ?? key ?? 'all rows'}`);
};
const postgresNodes = plan => [plan, ...(plan.Plans ?? []).flatMap(postgresNodes)];
const postgresPlan = async sql => {
  const told = await administer('postgres', NAME, `SET app.company_id = 'acme'; EXPLAIN (FORMAT JSON) ${sql}`);
  return postgresNodes(JSON.parse(told)[0].Plan).filter(node => node['Index Name'] ?? node['Node Type'] === 'Seq Scan')
    .map(node => `${node.Alias ?? 'bitmap'} by ${node['Index Name'] ?? 'all rows'}`);
};
const mysqlPlan = async sql => {
  const told = await administer('mysql', NAME, `SET @company_id = 'acme'; EXPLAIN ${sql}`);
  return told.split('\n').map(row => row.split('\t')).filter(([, , table]) => !/^(NULL|<.*>)$/.test(table))
    .map(([, , table, , , key]) => `${table} by ${key === 'NULL' ? 'all rows' : key}`);
};

const make = async engine => {
  if (engine !== 'sqlite')
    return (await createDatabase(engine, NAME, [{ sql: schema(engine) }])).split('\n').at(-1);
  await sqlite3(schema(engine));
  return `sqlite:${tempPath('join_plans.db')}`;
};
const plans = { sqlite: sqlitePlan, postgres: postgresPlan, mysql: mysqlPlan };
const urls = {};
for (const engine of Object.keys(plans))
  urls[engine] = await make(engine);

// ---- the filter as a person would write it ----

const me = { sqlite: "session_var('company_id')", postgres: "current_setting('app.company_id', true)", mysql: '@company_id' };
const owner = {
  orders: value => `EXISTS (SELECT 1 FROM customers AS owner1 WHERE owner1.id = orders.customer_id AND owner1.company_id = ${value})`,
  order_lines: value => 'EXISTS (SELECT 1 FROM orders AS owner1 JOIN customers AS owner2 ON owner2.id = owner1.customer_id'
    + ` WHERE owner1.id = order_lines.order_id AND owner2.company_id = ${value})`,
};
const JOIN = 'orders JOIN order_lines ON order_lines.order_id = orders.id';
const statements = {
  'one order by its key': filter => `SELECT orders.total, order_lines.amount FROM ${JOIN} WHERE orders.id = 7${filter}`,
  'one customer\'s orders': filter => `SELECT orders.total, order_lines.amount FROM ${JOIN} WHERE orders.customer_id = 8${filter}`,
  'the same, counted': filter =>
    `SELECT orders.id, COUNT(*) AS n FROM ${JOIN} WHERE orders.customer_id = 8${filter} GROUP BY orders.id`,
  'one line and its order': filter => `SELECT orders.total, order_lines.amount FROM ${JOIN} WHERE order_lines.id = 70${filter}`,
};
const byHand = (engine, write) => write(Object.values(owner).map(filter => ` AND ${filter(me[engine])}`).join(''));

const sent = async (url, sql) => {
  const told = await askdCommand(['sql', 'check', '--db', url, '--tenant', 'company_id', '--jsonl'],
    { input: JSON.stringify({ id: '1', sql }) + '\n' });
  const answer = JSON.parse(told.stdout);
  assert.equal(answer.verdict, 'accept', told.stdout);
  assert.match(answer.sql, /EXISTS/, 'it is filtered by foreign keys');
  return answer.sql;
};
// Of the tables that the statement names, not of those that only the filter reads.
const named = plan => plan.filter(read => /^(orders|order_lines|bitmap) /.test(read)).sort();

for (const [engine, plan] of Object.entries(plans)) {
  const url = urls[engine];
  for (const [name, write] of Object.entries(statements))
    test(`${engine}: ${name}: the join keeps its index`, async () => {
      const guarded = await sent(url, write('')), [got, want] = [await plan(guarded), await plan(byHand(engine, write))];
      assert.ok(named(want).length >= 2 && !named(want).some(read => /by all rows/.test(read)), `by hand: ${want}`);
      assert.deepEqual(named(got), named(want), guarded);
    });
  test(`${engine}: a condition that can fail is fenced, and the plans tell`, async () => {
    const write = filter => statements['one order by its key'](` AND order_lines.amount + 0 > 1${filter}`);
    const [got, want] = [await plan(await sent(url, write(''))), await plan(byHand(engine, write))];
    assert.notDeepEqual(named(got), named(want));
  });
}
