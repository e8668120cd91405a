// SPDX-License-Identifier: MIT
// tests/node/dialects.test.mjs - the same questions to the offline engine over SQLite, PostgreSQL
// and MariaDB: the same rows, and no number in an answer's text that is not from its rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askdCommand, sampleDatabase, sourceDir, tempPath } from './lib/harness.mjs';
import { createSamples } from './lib/servers.mjs';

const questions = [
  'How many customers are there?',
  'How many technicians are active?',
  'List all employees',
  'Which employees worked more than 20 hours?',
  'How many work orders per status?',
  'List the 5 most recent work orders',
  'Top 3 customers by number of work orders',
  'Which customers have no work orders?',
  'Average hourly rate per role',
  'Number of work orders per month in 2025',
  'Number of work orders per quarter',
  'Number of work orders per week in May 2025',
  'Number of work orders per year',
  'Total hours per employee in May 2025',
  'What percentage of inspections passed?',
  'Average inspection score',
  'Which employees have never been on a crew?',
  'How many different customers have work orders?',
  'Show the 10 most recent inspections',
  'Work orders with priority high and status open',
  'How many inspections failed?',
  'List customer locations',
  'Employees hired after 2023-01-01',
  'Number of customers by type',
  'Show customers with more than 3 work orders',
  'What is the highest hourly rate?',
  'Work orders without a completed date',
  'How many customers are not active?',
  'Which employee has the highest hourly rate?',
  'Total hours per type',
  'Work orders per priority',
  'Sum of the transactions by type',
  'Show the employee role and the number of employees in each role',
  'Employees above hourly rate 45',
  'Credits minus debits',
  'Average number of work orders per customer',
  'Most expensive hourly rate of each role',
  'Employee with the highest hourly rate of each role',
  'How many work orders are completed and how many are cancelled?',
  'What share of the total amount of transactions is credit?',
  'Share of active employees',
  'Employees with more hours than the average employee',
  'Work orders with more estimated hours than the average',
  'Customers with more than 2 work orders and no inspections',
  'Which customer grew most in work orders from 2024 to 2025?',
  'Who was hired most recently?',
  'Which inspector has the highest average score?',
  'Total deposits in May 2025',
  'Net flow per month in 2025',
  'Pass rate by inspector',
  'Customers with backlog over 10',
  'How many jobs are overdue?',
  'How many jobs are not overdue?',
  'Which customers have overdue jobs?',
  'Average net flow per account',
].map((question, id) => ({ id, question }));

// Metrics and filters are in the database's own dialect: names with capitals are quoted for two of them.
const semantic = quote => JSON.stringify({
  version: 1,
  tables: { workOrder: { synonyms: ['job'], time: 'createdAt' } },
  metrics: [
    { name: 'net flow', table: 'transactions', expression: "SUM(CASE WHEN type = 'credit' THEN amount ELSE -amount END)" },
    { name: 'pass rate', table: 'inspections', expression: "100e0 * SUM(CASE WHEN result = 'passed' THEN 1 ELSE 0 END) / COUNT(*)" },
    { name: 'backlog', table: 'workOrder', expression: `SUM(${quote('estimatedHours')})`, filter: "status IN ('open', 'scheduled', 'on hold')" },
  ],
  filters: [{ name: 'overdue', table: 'workOrder', expression: `status NOT IN ('completed', 'cancelled') AND ${quote('scheduledStart')} < {today}` }],
  glossary: [{ term: 'deposit', table: 'transactions', column: 'type', value: 'credit' }],
});

const ask = async (url, quote = name => `"${name}"`) => {
  const file = tempPath(`semantic-${url.split(':')[0]}.json`);
  writeFileSync(file, semantic(quote));
  const result = await askdCommand(['ask', '--jsonl', '--graph', 'sql_agent', '--company', 'acme'], {
    env: {
      ASKD_MODEL: 'offline', ASKD_TODAY: '2025-06-30', ASKD_DATABASE_URL: url, ASKD_TENANT_COLUMN: 'companyId',
      ASKD_SHARED_TABLES: 'customers,accounts,transactions,inspectionQuestion',
      ASKD_SECURE_VIEWS: join(sourceDir, 'samples/secure_views.json'), ASKD_PROMPT_DIR: join(sourceDir, 'agents'),
      ASKD_SEMANTIC: file,
    },
    input: questions.map(question => JSON.stringify(question) + '\n').join(''),
  });
  assert.equal(result.code, 0, result.stderr);
  return result.stdout.trim().split('\n').map(line => JSON.parse(line));
};

// Booleans are numbers in SQLite; text stays as it is, but for the order of rows nobody asked for.
const cell = value => (typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : typeof value === 'boolean' ? +value : value);
const rowsOf = ({ sql, rows }) => {
  const all = (rows ?? []).map(row => JSON.stringify(row.map(cell)));
  return /\bORDER BY\b[^)]*$/.test(sql ?? '') ? all : all.sort();
};

// A number of the text is a cell of the rows as it is shown (to two places), part of
// a text or date there, a date of the reading, what the rows add up to, how many rows there are in all or are left unshown, or said by the question or its statement.
const checkNumbers = ({ answer, rows, sql, total_rows: total = rows?.length ?? 0 }, question) => {
  const cells = (rows ?? []).flat(), texts = [question, sql, ...cells.filter(value => typeof value === 'string')].join(' ');
  const near = (said, value) => Math.abs(said - value) <= 0.005000001;
  const total_of_last = (rows ?? []).reduce((sum, row) => sum + Number(row.at(-1)), 0);
  for (const [number] of (answer ?? '').replace(/\d{4}-\d\d-\d\d/g, '').replace(/(\d),(?=\d{3})/g, '$1').matchAll(/\d+(?:\.\d+)?/g)) {
    const said = Number(number), shown = Math.min(rows?.length ?? 0, 10);
    const known = texts.includes(number) || cells.some(value => value !== null && near(said, Math.abs(Number(value)))) ||
      said === total || said === total - shown || near(said, total_of_last);
    assert.ok(known, `${question}: ${number} in "${answer}" is not in ${JSON.stringify(rows)}`);
  }
};

const reference = await ask(`sqlite:${await sampleDatabase()}`);

test('numbers in answers over SQLite are from their rows', () => {
  reference.filter(answer => answer.sql !== null).forEach(answer => checkNumbers(answer, questions[answer.id].question));
});

test('most of the questions are understood', () => {
  const understood = reference.filter(answer => answer.sql !== null && answer.rows.length > 0).length;
  assert.ok(understood >= 45, JSON.stringify(reference.filter(answer => !answer.rows?.length), null, 1));
});

for (const engine of ['postgres', 'mysql'])
  test(`${engine} gives the rows that SQLite gives`, async () => {
    const answers = await ask(await createSamples(engine, `node_dialects_${engine}`), engine === 'mysql' ? name => `\`${name}\`` : undefined);
    for (const [i, answer] of answers.entries()) {
      assert.equal(answer.sql === null, reference[i].sql === null, `${questions[i].question}: ${answer.reason}`);
      if (answer.sql !== null)
        checkNumbers(answer, questions[i].question);
      assert.deepEqual(rowsOf(answer), rowsOf(reference[i]), `${questions[i].question}\n${answer.sql}\n${reference[i].sql}`);
    }
  });
