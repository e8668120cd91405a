// SPDX-License-Identifier: MIT
// tests/node/semantic_fields.test.mjs - each field of semantic.json changes what the offline engine answers: one
// question, asked without the file and with nothing but that field.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { askdCommand, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';

const SCHEMA = `
CREATE TABLE zone(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE yard(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE region(id INTEGER PRIMARY KEY, name TEXT, zone_id INTEGER REFERENCES zone(id));
CREATE TABLE depot(id INTEGER PRIMARY KEY, title TEXT, yard_id INTEGER REFERENCES yard(id));
CREATE TABLE client(id INTEGER PRIMARY KEY, name TEXT, nick TEXT, region_id INTEGER REFERENCES region(id),
  depot_id INTEGER REFERENCES depot(id), holder TEXT, joined DATE, renewed DATE, phone_type TEXT);
CREATE TABLE wagon(id INTEGER PRIMARY KEY, code TEXT, region_id INTEGER REFERENCES region(id),
  depot_id INTEGER REFERENCES depot(id), length NUMERIC, state TEXT, colour TEXT);
INSERT INTO zone VALUES (1, 'Z');
INSERT INTO yard VALUES (1, 'Y');
INSERT INTO region VALUES (1, 'North', 1), (2, 'South', 1);
INSERT INTO depot VALUES (1, 'East gate', 1), (2, 'West gate', 1);
INSERT INTO client VALUES (1, 'Alpha', 'al', 1, 1, 'acme', '2024-01-05', '2025-02-01', 'mobile'),
  (2, 'Beta', 'be', 2, 2, 'acme', '2024-03-09', '2025-03-01', 'desk'), (3, 'Gamma', 'ga', 1, 2, 'other', '2023-03-09', '2025-03-05', 'mobile');
INSERT INTO wagon VALUES (1, 'W1', 1, 1, 12.5, 'parked', 'red'), (2, 'W2', 2, 1, 14, 'rolling', 'blue'), (3, 'W3', 1, 2, 10, 'parked', 'red');`;
const path = tempPath('fields.db');
const made = await run('sqlite3', [path], { cwd: '/tmp', input: SCHEMA });
assert.equal(made.code, 0, made.stderr);
const url = `sqlite:${path}`;

const wagon = fields => ({ tables: { wagon: fields } });
const client = fields => ({ tables: { client: fields } });
const column = (name, fields, table = 'wagon') => ({ tables: { [table]: { columns: { [name]: fields } } } });
const METRIC = { name: 'usage', table: 'wagon', expression: "100.0 * SUM(CASE WHEN state = 'rolling' THEN 1 ELSE 0 END) / COUNT(*)" };
const NONE = /can't answer|[Nn]o documents|nor the documents/;

const cases = [
  ['a table\'s label', wagon({ label: 'railcar' }), 'How many railcars are there?', NONE, /^There are 3 railcars\./],
  ['a table\'s synonyms', wagon({ synonyms: ['rolling unit'] }), 'How many rolling units are there?', NONE, /^There are 3 /],
  ['what one row is', wagon({ grain: 'one vehicle without an engine' }), 'What is a wagon?', /W1/, /^Wagon: one vehicle without an engine\./],
  ['a description', wagon({ description: 'bought or rented' }), 'What does wagon mean?', NONE, /^Wagon: bought or rented\./],
  ['label columns', client({ label_columns: ['nick'] }), 'List the clients', /Alpha, Beta/, /al, be/],
  ['the date that is meant', client({ time: 'renewed' }), 'How many clients in 2025?', /^There are 0 clients/, /^There are 3 clients.*renewed/],
  ['whose a row is', client({ tenant: 'holder' }), 'How many clients are there?', /^There are 3 clients/, /^There are 2 clients/],
  ['a lookup', { tables: { region: { lookup: true } } }, 'How many wagons of client Alpha are there?',
    /Which one is meant|can't/, /^There are 2 wagons/],
  ['a column\'s label', column('length', { label: 'span' }), 'Average span of wagons', NONE, /^The average span of wagons is 12\.17\./],
  ['a column\'s synonyms', column('length', { synonyms: ['extent'] }), 'Average extent of wagons', NONE, /12\.17/],
  ['a unit', column('length', { unit: 'm' }), 'Average length of wagons', /is 12\.17\./, /is 12\.17 m\./],
  ['what is private', column('colour', { pii: true }), 'How many wagons have the colour red?', /^There are 2 wagons/, NONE],
  ['what only sounds private', column('phone_type', { pii: false }, 'client'), 'How many clients have the phone type mobile?',
    NONE, /^There are 2 clients/],
  ['a metric', { metrics: [METRIC] }, 'What is the usage of wagons?', NONE, /^The usage of wagons is 33\.33\./],
  ['a metric\'s filter', { metrics: [{ ...METRIC, filter: "colour = 'blue'" }] }, 'What is the usage of wagons?', NONE, /is 100\./],
  ['a metric\'s unit and synonyms', { metrics: [{ ...METRIC, unit: '%', synonyms: ['load factor'] }] }, 'What is the load factor of wagons?',
    NONE, /is 33\.33%\./],
  ['a metric\'s description', { metrics: [{ ...METRIC, description: 'how many of them move' }] }, 'What does usage mean?', NONE,
    /^Usage: how many of them move; /],
  ['a named filter', { filters: [{ name: 'idle', table: 'wagon', expression: "state = 'parked'", synonyms: ['standing'] }] },
    'How many idle wagons are there?', NONE, /^There are 2 idle wagons/],
  ['a word for a value', { glossary: [{ term: 'crimson', table: 'wagon', column: 'colour', value: 'red' }] },
    'How many crimson wagons are there?', NONE, /^There are 2 wagons/],
  ['a word that is explained', { glossary: [{ term: 'siding', meaning: 'a track beside the main one' }] }, 'What does siding mean?',
    NONE, /^Siding: a track beside the main one\./],
  ['a verified question', { verified_queries: [{ question: 'Which is our pride?', sql: "SELECT code FROM wagon WHERE length > 13" }] },
    'Which is our pride?', NONE, /W2/],
];

// owned: rows are a company's, by the semantic file's column.
const ask = async (question, semantic, owned) => {
  const args = ['ask', question, '--db', url, '--model', 'offline', '--today', '2025-06-30', ...(owned ? ['--company', 'acme'] : [])];
  const asked = await askdCommand(args, { env: { ASKD_CHECKPOINT_URL: 'none', ...(owned && { ASKD_TENANT_COLUMN: 'companyId' }), ...(semantic && { ASKD_SEMANTIC: semantic }) } });
  return asked.stdout + asked.stderr;
};

for (const [name, fields, question, before, after] of cases)
  test(`${name}: ${question}`, async () => {
    const file = tempPath('field.json');
    writeFileSync(file, JSON.stringify({ version: 1, ...fields }));
    const checked = await askdCommand(['semantic', 'check', file, '--db', url]);
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    assert.match(await ask(question), before);
    assert.match(await ask(question, file, name === 'whose a row is'), after);
  });
