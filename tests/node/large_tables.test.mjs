// SPDX-License-Identifier: MIT
// tests/node/large_tables.test.mjs - a table too large to be read whole when askd starts, on three
// engines: values of its first and last rows are known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askdCommand, sourceDir, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';
import { createDatabase } from './lib/servers.mjs';
import { join } from 'node:path';

const ROWS = 150000, ENDS = 10;
const state = `CASE WHEN i <= ${ENDS} THEN 'Archived' WHEN i = ${ROWS / 2} THEN 'Stranded'
  WHEN i <= ${ROWS - ENDS} THEN 'Dull' ELSE 'Lost' END`;
const table = text => `CREATE TABLE parcel (id INTEGER PRIMARY KEY, state ${text} NOT NULL);
  CREATE INDEX parcel_state ON parcel (state);`;
const setups = {
  sqlite: `${table('TEXT')} WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
    INSERT INTO parcel SELECT i, ${state} FROM n;`,
  postgres: `${table('TEXT')} INSERT INTO parcel SELECT i, ${state} FROM generate_series(1, ${ROWS}) AS i;`,
  mysql: `${table('VARCHAR(20)')} INSERT INTO parcel SELECT i, ${state} FROM (SELECT seq AS i FROM seq_1_to_${ROWS}) AS n;
    ANALYZE TABLE parcel;`,
};

const urlOf = async engine => {
  if (engine !== 'sqlite')
    return (await createDatabase(engine, `node_large_${engine}`, [{ sql: setups[engine] }])).split('\n').at(-1);
  const made = await run('sqlite3', [tempPath('large.db')], { cwd: '/tmp', input: setups.sqlite });
  assert.equal(made.code, 0, made.stderr);
  return `sqlite:${tempPath('large.db')}`;
};

const questions = ['How many archived parcels are there?', 'How many lost parcels are there?',
  'How many stranded parcels are there?', 'How many parcels are there?'];

for (const engine of Object.keys(setups))
  test(`${engine}: what stands at the ends of a large table is known`, async () => {
    const result = await askdCommand(['ask', '--jsonl', '--graph', 'sql_agent'], {
      env: { ASKD_MODEL: 'offline', ASKD_DATABASE_URL: await urlOf(engine), ASKD_PROMPT_DIR: join(sourceDir, 'agents') },
      input: questions.map((question, id) => JSON.stringify({ id, question }) + '\n').join(''),
    });
    assert.equal(result.code, 0, result.stderr);
    const answers = result.stdout.trim().split('\n').map(line => JSON.parse(line));
    assert.deepEqual(answers.map(answer => answer.rows && Number(answer.rows[0][0])), [ENDS, ENDS, null, ROWS],
      result.stdout);
  });
