// SPDX-License-Identifier: MIT
// tests/node/cli.test.mjs - the command line as scripts use it: what goes to which stream, exit
// codes, one JSON line for one JSON line whatever stands between them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import { askdCommand, sampleDatabase, sourceDir, startMock, tempPath } from './lib/harness.mjs';
import { environment, run } from './lib/process.mjs';
import { general, line } from './lib/scripts.mjs';

const settings = {
  ASKD_MODEL: 'offline', ASKD_TODAY: '2025-06-30', ASKD_DATABASE_URL: `sqlite:${await sampleDatabase()}`,
  ASKD_PROMPT_DIR: join(sourceDir, 'agents'),
};
const askd = (args, options = {}) => askdCommand(args, { env: settings, ...options });
const lines = text => text.trimEnd().split('\n').map(one => JSON.parse(one));
const jsonl = rows => rows.map(row => typeof row === 'string' ? row : JSON.stringify(row)).join('\n') + '\n';

test('help, version, an unknown command, an unknown flag', async () => {
  for (const args of [['--help'], ['help']]) {
    const help = await askd(args);
    assert.equal(help.code, 0);
    for (const word of ['serve', 'ask', 'graph', 'config', 'sql', 'joins', '--port'])
      assert.ok(help.stdout.includes(word), `${word} in ${help.stdout}`);
  }
  for (const args of [['version'], ['--version']]) {
    const version = await askd(args);
    assert.equal(version.code, 0);
    assert.match(version.stdout, /^askd \d+\.\d+\.\d+\n$/);
  }
  const none = await askd([]);
  assert.equal(none.code, 2);
  const unknown = await askd(['dance']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /dance/);
  for (const [words, meant] of [[['srv'], 'serve'], [['serve', '--prot', '1'], '--port'], [['graph', 'chek'], 'check'],
    [['joins', 'pth'], 'path'], [['sql', 'chekc'], 'check'], [['ask', '--formta', 'csv', 'x'], '--format']]) {
    const wrong = await askd(words);
    assert.equal(wrong.code, 2, words.join(' '));
    assert.ok(wrong.stderr.includes(`did you mean ${meant}?`), wrong.stderr);
  }
  const flag = await askd(['serve', '--speed', '1']);
  assert.equal(flag.code, 2);
  assert.match(flag.stderr, /--speed/);
});

test('ask --jsonl: a line that is not JSON is answered, not fatal', async () => {
  const result = await askd(['ask', '--jsonl'], {
    input: jsonl([
      { id: '1', question: 'How many accounts are there?' },
      'this is not JSON',
      { id: '3' },
      { id: '4', question: 'How many employees are there?' },
    ]),
  });
  assert.equal(result.code, 0, result.stderr);
  const answers = lines(result.stdout);
  assert.equal(answers.length, 4);
  assert.equal(answers[0].id, '1');
  assert.match(answers[0].sql, /account/i);
  assert.ok(answers[1].error && answers[2].error);
  assert.equal(answers[2].id, '3');
  assert.equal(answers[3].id, '4');
  assert.match(answers[3].sql, /employee/i);
});

test('ask --jsonl: the last line needs no newline, blank lines are nothing', async () => {
  const result = await askd(['ask', '--jsonl'], { input: '\n\n{"id":"1","question":"How many accounts are there?"}' });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(lines(result.stdout).map(answer => answer.id), ['1']);
});

test('ask: one question in words', async () => {
  const result = await askd(['ask', 'How many accounts are there?']);
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stdout, /\d/);
});

test('ask: rows as a table, as CSV, as JSON; no colour in a pipe', async () => {
  const question = 'Top 3 customers by number of work orders';
  const table = await askd(['ask', question]);
  assert.match(table.stdout, /\n {2}name +id +workOrder_count\n {2}-+ {3}-+ {3}-+\n {2}Young Bruno +62 +19\n/);
  assert.doesNotMatch(table.stdout + table.stderr, /\x1b/);
  const csv = await askd(['ask', '--format', 'csv', question]);
  assert.equal(csv.stdout, 'name,id,workOrder_count\r\nYoung Bruno,62,19\r\nSilva School,115,17\r\nTanaka Market,41,14\r\n');
  assert.match(csv.stderr, /Young Bruno 19.*\n/);
  const json = JSON.parse((await askd(['ask', '--format=json', question])).stdout);
  assert.deepEqual([json.columns, json.rows[2]], [['name', 'id', 'workOrder_count'], ['Tanaka Market', 41, 14]]);
  assert.match(json.sql, /^SELECT/);
  const wrong = await askd(['ask', '--format', 'xml', question]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /--format: expected table, csv or json, got 'xml'/);
});

test('ask: what may be wrong about an answer is told in every format, and stands in no row', async () => {
  const sql = 'SELECT c.name, COUNT(o.id) AS n FROM customer c JOIN workOrder o ON o.customerId = c.id GROUP BY c.id, c.name ORDER BY n DESC LIMIT 2';
  const mock = await startMock([line('tables', '["customer","workOrder"]'), line('generate', `\`\`\`sql\n${sql}\n\`\`\``),
    line('correct', `\`\`\`sql\n${sql}\n\`\`\``), line('respond', 'Here they are.')]);
  const question = 'Top 3 customers by number of work orders';
  const env = { ...settings, ASKD_MODEL: 'openai', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${mock.url}/v1`, SQL_CANDIDATES: '0' };
  const ask = (args, options = {}) => askd(['ask', '--graph', 'sql_agent', ...args], { env, ...options });
  const warnings = ['the question asks for 3, the answer has 2 at most', 'the question can also be read in another way, which gives other rows'];
  const below = `\n${warnings.map(text => `  warning: ${text}\n`).join('')}`;
  const table = await ask([question]);
  assert.ok(table.stdout.endsWith(`  Silva School   17\n${below}`), table.stdout);
  assert.doesNotMatch(table.stderr, /warning/);
  const csv = await ask(['--format', 'csv', question]);
  assert.equal(csv.stdout, 'name,n\r\nYoung Bruno,19\r\nSilva School,17\r\n');
  assert.ok(csv.stderr.includes(`\n${below}`), csv.stderr);
  assert.deepEqual(JSON.parse((await ask(['--format', 'json', question])).stdout).warnings, warnings);
  const answers = lines((await ask(['--jsonl'], { input: jsonl([{ id: '1', question }]) })).stdout);
  assert.deepEqual(answers.map(answer => answer.warnings), [warnings]);
  const right = await askd(['ask', '--format', 'json', question]);
  assert.deepEqual(JSON.parse(right.stdout).warnings, []);
  assert.doesNotMatch((await askd(['ask', question])).stdout, /warning/);
});

test('joins, sql, semantic: the database is that of the environment and of .env; without any it is said', async () => {
  const folder = tempPath('dotenv');
  const elsewhere = tempPath('nowhere');
  mkdirSync(folder);
  mkdirSync(elsewhere);
  writeFileSync(join(folder, '.env'), `ASKD_DATABASE_URL=${settings.ASKD_DATABASE_URL}\n`);
  for (const [args, expected] of [
    [['joins', 'path', 'transactions', 'customers'], /accounts/],
    [['joins', 'introspect'], /"customers"/],
    [['sql', 'check', 'SELECT id FROM customers'], /^accept/],
    [['semantic', 'init'], /"version"/],
  ]) {
    const result = await run(process.env.ASKD_BIN, args, { cwd: folder, env: environment() });
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stdout, expected);
    const none = await run(process.env.ASKD_BIN, args, { cwd: elsewhere, env: environment() });
    assert.equal(none.code, 2, none.stdout);
    assert.match(none.stderr, /no database is configured \(ASKD_DATABASE_URL, here or in \.env\); give --/);
  }
});

test('ask: a join graph file may leave out all but relationships; what cannot be used is said', async () => {
  const graph = tempPath('joins.json');
  const key = (from, to) => ({ from_table: from, from_column: 'id', to_table: to, to_column: 'id' });
  writeFileSync(graph, JSON.stringify({ relationships: [key('accounts', 'nowhere'), key('accounts', 'elsewhere')] }));
  const result = await askd(['ask', 'How many accounts are there?'], { env: { ...settings, ASKD_JOIN_GRAPH: graph } });
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stderr, /the join graph file: 2 relationships name tables or columns/);
});

test('ask: a model without its key', async () => {
  const result = await askd(['ask', 'hello'], { env: { ...settings, ASKD_MODEL: 'openai' } });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /OPENAI_API_KEY/);
});

test('ask: through a model server', async () => {
  const mock = await startMock(general);
  const result = await askd(['ask', 'why is the sky blue?'], {
    env: { ...settings, ASKD_MODEL: 'openai', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${mock.url}/v1` },
  });
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stdout, /The sky is blue because of scattering\./);
});

test('sql check --jsonl: verdicts in order, a broken line among them', async () => {
  const result = await askd(['sql', 'check', '--jsonl', '--db', settings.ASKD_DATABASE_URL], {
    input: jsonl([
      { id: '1', sql: 'SELECT COUNT(*) FROM customers' },
      '{"id": broken',
      { id: '3', sql: 'DROP TABLE customers' },
      { id: '4', sql: "SELECT 'please DROP me a note' AS note" },
      { id: '5', policy: 'banking', sql: 'SELECT id FROM customers UNION SELECT id FROM accounts' },
      { id: '6', sql: 'SELECT * FROM nowhere' },
      { id: '7', sql: 'SELECT 1; SELECT 2' },
    ]),
  });
  assert.equal(result.code, 0, result.stderr);
  const answers = lines(result.stdout);
  assert.deepEqual(answers.map(answer => answer.verdict ?? 'error'),
    ['accept', 'error', 'reject', 'accept', 'reject', 'reject', 'reject']);
  assert.deepEqual(answers.map(answer => answer.id), ['1', undefined, '3', '4', '5', '6', '7']);
  for (const answer of answers.filter(one => one.verdict === 'reject')) {
    assert.ok(answer.rule && answer.reason, JSON.stringify(answer));
    assert.equal(answer.sql, null);
  }
});

test('sql check: 1 for what is refused; of lines with --strict', async () => {
  const db = ['--db', settings.ASKD_DATABASE_URL];
  assert.equal((await askd(['sql', 'check', ...db, 'DROP TABLE customers'])).code, 1);
  for (const [sql, code] of [['SELECT COUNT(*) FROM customers', 0], ['DROP TABLE customers', 1]]) {
    const strict = await askd(['sql', 'check', '--jsonl', '--strict', ...db], { input: jsonl([{ id: '1', sql }]) });
    assert.equal(strict.code, code, strict.stdout);
  }
  const broken = await askd(['sql', 'check', '--jsonl', '--strict', ...db], { input: '{"id": broken\n' });
  assert.equal(broken.code, 1);
});

test('ask: 3 when it abstained', async () => {
  const result = await askd(['ask', 'What will the weather be tomorrow?']);
  assert.equal(result.code, 3, result.stdout + result.stderr);
});

test('sql check: one statement in words; no such file is 2', async () => {
  const fine = await askd(['sql', 'check', '--db', settings.ASKD_DATABASE_URL, 'SELECT id FROM customers']);
  assert.equal(fine.code, 0, fine.stderr);
  assert.match(fine.stdout, /customers/);
  const missing = await askd(['sql', 'check', '--catalog', tempPath('nothing.json'), 'SELECT 1']);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /nothing\.json/);
});

test('joins path', async () => {
  const result = await askd(['joins', 'path', '--db', settings.ASKD_DATABASE_URL, 'transactions', 'customers']);
  assert.equal(result.code, 0, result.stderr);
  for (const word of ['transactions', 'accounts', 'customers'])
    assert.match(result.stdout, new RegExp(word));
  const unknown = await askd(['joins', 'path', '--db', settings.ASKD_DATABASE_URL, 'transactions', 'nowhere']);
  assert.notEqual(unknown.code, 0);
  assert.match(unknown.stderr + unknown.stdout, /nowhere/);
});

test('graph show, graph check', async () => {
  const banking = await askd(['graph', 'show', 'banking']);
  assert.equal(banking.code, 0, banking.stderr);
  for (const node of ['intent_agent', 'sql_agent', 'validation_agent', 'execution_tool', 'insight_agent'])
    assert.ok(banking.stdout.includes(node), `${node} in ${banking.stdout}`);
  assert.equal((await askd(['graph', 'check'])).code, 0);
  const unknown = await askd(['graph', 'show', 'nothing']);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /banking/);
  assert.equal((await askd(['graph'])).code, 2);
});

test('config check: every value and its source, secrets masked, every error at once', async () => {
  const fine = await askd(['config', 'check'], { env: { ...settings, OPENAI_API_KEY: 'sk-very-secret-1234' } });
  assert.equal(fine.code, 0, fine.stderr);
  assert.match(fine.stdout, /ASKD_TODAY.*2025-06-30/);
  assert.doesNotMatch(fine.stdout + fine.stderr, /very-secret/);
  const wrong = await askd(['config', 'check'], {
    env: { ...settings, ASKD_PORT: '99999', ASKD_WORKERS: 'many', ASKD_MODEL: 'parrot' },
  });
  assert.equal(wrong.code, 78);
  for (const name of ['ASKD_PORT', 'ASKD_WORKERS', 'ASKD_MODEL'])
    assert.match(wrong.stderr, new RegExp(`${name}: `));
  const serve = await askd(['serve'], { env: { ...settings, ASKD_PORT: '99999' } });
  assert.equal(serve.code, 78);
});

test('config: flags before the environment before .env', async () => {
  const file = tempPath('settings.env');
  writeFileSync(file, 'ASKD_PORT=1111\nASKD_WORKERS=2\nASKD_LEASE_SECONDS=77 # long\n');
  const result = await askd(['config', 'check', '--env-file', file, '--port', '3333'], {
    env: { ...settings, ASKD_PORT: '2222', ASKD_WORKERS: '3' },
  });
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stdout, /ASKD_PORT\W.*3333/);
  assert.match(result.stdout, /ASKD_WORKERS\W.*3\b/);
  assert.match(result.stdout, /ASKD_LEASE_SECONDS\W.*77/);
});

test('help is given wherever it is asked for', async () => {
  for (const words of [['serve'], ['ask'], ['graph', 'show'], ['graph', 'check'], ['config', 'check'], ['sql', 'check'],
    ['joins', 'path'], ['version']]) {
    const result = await askd([...words, '--help']);
    assert.equal(result.code, 0, words.join(' '));
    assert.match(result.stdout, /usage|askd/, words.join(' '));
  }
});

// What scripts may rely on: 0 done, 1 it is not so (refused, not there, not right), 2 a wrong command
// line, 3 no answer could be given, 78 a wrong setting.
test('exit statuses of every command', async () => {
  const { stdout: help } = await askd(['--help']);
  const commands = [...help.matchAll(/^  (\w+) {2,}\S/gm)].map(found => found[1]);
  const verbs = { config: ['check', 'env-example'], graph: ['check', 'show', 'run', 'import', 'export'], sql: ['check'], docs: ['add', 'list', 'remove', 'search'],
    joins: ['path', 'plan', 'stats', 'introspect', 'merge', 'validate'], semantic: ['init', 'check', 'learn', 'review'] };
  assert.ok(commands.length >= 15 && Object.keys(verbs).every(command => commands.includes(command)), commands.join(' '));
  const wrong = commands.flatMap(command => [[command], ...(verbs[command] ?? []).map(verb => [command, verb])]);
  for (const words of wrong)
    assert.equal((await askd([...words, '--no-such-flag'])).code, 2, words.join(' '));
  for (const [words, code, env] of [
    [['ask', 'x'], 78, { ASKD_PORT: 'x' }], [['eval', 'x'], 78, { ASKD_PORT: 'x' }], [['check'], 78, { ASKD_PORT: 'x' }], [['serve'], 78, { ASKD_PORT: 'x' }],
    [['config', 'check'], 78, { ASKD_PORT: 'x' }], [['health'], 78, { ASKD_PORT: 'x' }], [['docs', 'list'], 78, { ASKD_PORT: 'x' }], [['shell'], 78, { ASKD_PORT: 'x' }],
    [['health'], 1, { ASKD_PORT: '1' }], [['graph', 'show', 'none'], 1], [['graph', 'check', 'none.json'], 1], [['version'], 0], [['man'], 0], [['completion', 'bash'], 0],
    [['completion', 'tcsh'], 2], [['config', 'env-example'], 0], [['version', 'x'], 2], [['docs', 'list'], 0, { ASKD_VECTOR_URL: 'none', ASKD_KEYWORD_URL: `sqlite:${tempPath('list.db')}` }]])
    assert.equal((await askd(words, env === undefined ? {} : { env: { ...settings, ...env } })).code, code, words.join(' '));
});

test('every command has a help of its own, with the options it takes', async () => {
  const options = { serve: ['--port'], ask: ['--format', '--jsonl', '--company', '--conversation', '--db'],
    eval: ['--schema', '--from', '--json', '--graph'], health: ['--port'], config: ['--set'], graph: [], sql: ['--policy'],
    docs: ['--kind'], joins: ['--graph'], semantic: ['--tenant'], version: [] };
  const seen = new Set();
  for (const [command, names] of Object.entries(options)) {
    const { code, stdout } = await askd([command, '--help']);
    assert.equal(code, 0, command);
    assert.match(stdout, new RegExp(`\\b${command}\\b`));
    assert.ok(!seen.has(stdout), command);
    seen.add(stdout);
    for (const name of names)
      assert.ok(stdout.includes(`${name} `), `${command} ${name}: ${stdout}`);
  }
});

test('config env-example is what the repository has', async () => {
  const example = await askd(['config', 'env-example']);
  assert.equal(example.code, 0);
  assert.match(example.stdout, /OPENAI_API_KEY=/);
});
