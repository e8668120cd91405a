// SPDX-License-Identifier: MIT
// tests/node/agents.test.mjs - the SQL agent and text_to_sql over SQLite, PostgreSQL and MariaDB: the
// same questions give the same rows, statements in another dialect are mended, expensive ones do not run.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { newConversation, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { createSamples } from './lib/servers.mjs';
import { line } from './lib/scripts.mjs';

const says = (sql, text = '') => `${text}\n\`\`\`sql\n${sql}\n\`\`\``;
const quotes = { sqlite: name => name, postgres: name => `"${name}"`, mysql: name => `\`${name}\`` };

// R231, in a dialect's own words; where: one more condition.
const worked = (q, { where = '', column = 'hours' } = {}) => `SELECT e.${q('firstName')}, SUM(w.${q(column)}) AS total
FROM employee e JOIN ${q('workTime')} w ON w.${q('employeeId')} = e.id ${where}
GROUP BY e.id, e.${q('firstName')} HAVING SUM(w.hours) > 20 ORDER BY total DESC`;

// What a model writes that thinks of another database, or does not look at the schema.
const careless = `SELECT e.firstName, SUM(w.hours) AS total FROM employees e JOIN workTime w ON e.employeeId = w.id
GROUP BY e.id, e.firstName HAVING SUM(w.hours) > 20 ORDER BY total DESC`;
const foreign = {
  sqlite: "SELECT TOP 3 e.firstName FROM employee e WHERE e.role ILIKE 'TECH%' ORDER BY e.id",
  postgres: "SELECT `e`.`firstName` FROM `employee` AS e WHERE e.role LIKE 'tech%' ORDER BY e.id LIMIT 0, 3",
  mysql: 'SELECT "e"."firstName" FROM employee e WHERE e.role ILIKE \'tech%\' ORDER BY e.id FETCH FIRST 3 ROWS ONLY',
};
const yearly = {
  sqlite: 'SELECT YEAR(e.hireDate) AS y, COUNT(*) AS n FROM employee e GROUP BY y ORDER BY y',
  postgres: 'SELECT strftime(\'%Y\', e."hireDate") AS y, COUNT(*) AS n FROM employee e GROUP BY y ORDER BY y',
  mysql: "SELECT TO_CHAR(e.hireDate, 'YYYY') AS y, COUNT(*) AS n FROM employee e GROUP BY y ORDER BY y",
};
const DEAR = 'SELECT COUNT(*) AS n FROM transactions t JOIN transactions u ON u.amount > t.amount';
const CHEAP = 'SELECT COUNT(*) AS n FROM transactions t';
const COUNT = 'SELECT COUNT(*) AS n FROM employee';

const script = engine => [
  line('tables', '["transactions"]', { user: 'every transfer' }),
  line('generate', says('SELECT t.id, t.amount FROM transactions t WHERE t.amount > 0 ORDER BY t.id'), { user: 'every transfer' }),
  line('tables', '["transactions"]', { user: 'dear' }), line('tables', '["employee", "workTime"]'),
  { ...line('generate', says(COUNT), { user: 'sampled' }), match: '\nemployee: id | firstName | ' },
  line('generate', 'CANNOT: no sample was shown', { user: 'sampled' }),
  line('generate', says(worked(quotes[engine])), { user: 'plainly' }),
  line('generate', says(worked(quotes[engine], { column: 'effort' })), { user: 'invalid' }),
  line('generate', says(worked(quotes[engine], { where: 'AND ABS(-9223372036854775807 - e.id) > 0' })), { user: 'refused' }),
  line('generate', says(careless), { user: 'careless' }),
  line('generate', says(foreign[engine]), { user: 'foreign' }),
  line('generate', says(yearly[engine]), { user: 'yearly' }),
  line('generate', says("SELECT e.id FROM employee e WHERE e.role = 'astronaut'"), { user: 'astronauts' }),
  line('correct', says("SELECT e.id FROM employee e WHERE e.role = 'astronaut'"), { user: 'astronauts' }),
  line('generate', says(DEAR), { user: 'dear' }), line('correct', says(CHEAP), { user: 'dear' }),
  line('correct', says(worked(quotes[engine]))),
  line('answer', 'These are all of them.'),
  line('translate', says(DEAR, 'All pairs.'), { user: 'dear' }),
  line('translate', says('SELECT ghost FROM employee'), { user: 'ghosts', times: 1 }),
  line('translate', says(COUNT, 'Employees are counted.')),
  line('respond', 'That is what there is.'),
];

// A policy like the built-in one, with a lower limit of rows that a plan may read.
const policies = tempPath('policies.json');
writeFileSync(policies, JSON.stringify({
  policies: { few: { allow_with: true, allow_set_operations: true, allow_recursive: 'bounded', whole_row_reference: 'visible', max_plan_rows: 1000000 } },
  serve: { graphs: { '*': 'few' } },
}));

// All servers first: a test file whose tests are over is cleaned up.
const servers = {}, sampling = {};
for (const engine of ['sqlite', 'postgres', 'mysql']) {
  const url = engine === 'sqlite' ? undefined : await createSamples(engine, `node_agents_${engine}`);
  const env = { SQL_SAMPLE_ROWS: '0', ASKD_POLICIES: policies, ...(url && { ASKD_DATABASE_URL: url }) };
  servers[engine] = await startAskd({ mock: await startMock(script(engine)), env });
  sampling[engine] = await startAskd({ mock: await startMock(script(engine)), env: { ...env, SQL_SAMPLE_ROWS: '1' } });
}

const plain = {};
for (const [engine, askd] of Object.entries(servers)) {
  const ask = async (message, graph = 'sql_agent') => {
    const options = { graph, detail: 'nodes' };
    return askd.ask(message, { conversation: newConversation(), options });
  };
  const rows = complete => complete.data.rows.map(([name, total]) => [name, Number(total)]);
  const retries = transcript => transcript.of('retry').map(event => event.reason);

  test(`${engine}: R231, the validation passes`, async () => {
    const transcript = await ask('Who worked >20h, plainly?');
    plain[engine] = rows(transcript.complete());
    assert.equal(plain[engine].length, 10);
    assert.deepEqual(plain[engine], plain.sqlite, 'the rows of every engine');
    assert.deepEqual(transcript.complete().tables, ['employee', 'workTime']);
    assert.deepEqual(retries(transcript), []);
  });

  test(`${engine}: R269, a result that is cut is counted`, async () => {
    const { data } = (await ask('Show every transfer')).complete();
    assert.deepEqual([data.row_count, data.truncated], [100, true]);
    assert.ok(data.total_rows > 1000, String(data.total_rows));
  });

  test(`${engine}: R231, the validation fails`, async () => {
    const transcript = await ask('Who worked >20h, invalid?');
    assert.deepEqual(rows(transcript.complete()), plain[engine]);
    assert.match(retries(transcript).join('\n'), /^Column 'workTime.effort' does NOT exist in table 'workTime'\./);
  });

  test(`${engine}: R231, the execution fails`, async () => {
    const transcript = await ask('Who worked >20h, refused?');
    assert.deepEqual(rows(transcript.complete()), plain[engine]);
    assert.match(retries(transcript).join('\n'), /out of range|overflow/);
    assert.equal(transcript.complete().stats.sql_attempts, 2);
  });

  test(`${engine}: names and a join are mended without the model`, async () => {
    const transcript = await ask('Who worked >20h, careless?');
    assert.deepEqual(rows(transcript.complete()), plain[engine]);
    assert.match(transcript.complete().notes.join('\n'), /^repaired without the model: employees -> employee/);
    assert.equal(transcript.complete().stats.llm_calls, 2);
  });

  test(`${engine}: another dialect is mended without the model`, async () => {
    const transcript = await ask('The first technicians, foreign');
    assert.equal(transcript.complete().data.row_count, 3);
    assert.equal(transcript.complete().stats.llm_calls, 2);
    const yearly = await ask('Hired each year, yearly');
    assert.match(JSON.stringify(yearly.complete().data.rows), /^\[\["?20\d\d"?,/);
    assert.equal(yearly.complete().stats.llm_calls, 2);
  });

  test(`${engine}: what is too expensive does not run`, async () => {
    const transcript = await ask('A dear question'); // without figures, which would tell of rows behind the views
    assert.match(retries(transcript).join('\n'), /^The statement is too expensive to run\. Join the tables by their keys/);
    assert.equal(transcript.complete().stats.sql_attempts, 1);
    assert.equal(Number(transcript.complete().data.rows[0][0]), 3338);
    const explained = (await ask('A dear question', 'text_to_sql')).complete();
    assert.match(explained.execution_error, /^The statement is too expensive to run/);
    assert.equal(explained.stats.sql_attempts, 0);
  });

  test(`${engine}: a text that no row has is asked about once, and may be meant (C24)`, async () => {
    const transcript = await ask('Which astronauts are employed?');
    assert.deepEqual(retries(transcript), ["'astronaut' is not a value of employee.role, which has 'dispatcher', 'inspector', 'manager', 'technician'. Mend this where it is a mistake; write the same statement again if it is meant as it is."]);
    const { data, warnings, stats } = transcript.complete();
    assert.equal(data.row_count, 0);
    assert.deepEqual(warnings, ["'astronaut' is not a value of employee.role"]);
    assert.equal(stats.sql_attempts, 1);
  });

  test(`${engine}: the model sees a row of each table that the words name (R168)`, async () => {
    // a sample that takes two seconds is done without, as on a machine that is busy
    const complete = await until('a sample is shown', async () => {
      const transcript = await sampling[engine].ask('How many employees, sampled?', { options: { graph: 'sql_agent' } });
      return transcript.complete().abstained === undefined && transcript.complete();
    });
    assert.equal(Number(complete.data.rows[0][0]), 22);
  });

  test(`${engine}: text_to_sql`, async () => {
    const transcript = await ask('How many employees are there?', 'text_to_sql');
    const complete = transcript.complete();
    assert.equal(Number(complete.data.rows[0][0]), 22);
    assert.equal(complete.explanation, 'Employees are counted.');
    assert.deepEqual(complete.tables, ['employee']);
    const again = await ask('How many ghosts?', 'text_to_sql');
    assert.match(retries(again).join('\n'), /^Column 'employee.ghost' does NOT exist/);
    assert.equal(Number(again.complete().data.rows[0][0]), 22);
  });
}
