// SPDX-License-Identifier: MIT
// tests/node/shell.test.mjs - askd alone in a terminal, and askd shell on pipes: questions that follow
// each other, the backslash commands, what Ctrl-C and Ctrl-D do, what is kept for the next session.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { askdCommand, sampleDatabase, sourceDir, startMock, tempPath } from './lib/harness.mjs';
import { assertNoSanitizer } from './lib/process.mjs';
import { general, held } from './lib/scripts.mjs';
import { Terminal, hasTerminal } from './lib/terminal.mjs';

const settings = {
  ASKD_MODEL: 'offline', ASKD_TODAY: '2025-06-30', ASKD_DATABASE_URL: `sqlite:${await sampleDatabase()}`, ASKD_TENANCY: 'off',
  ASKD_PROMPT_DIR: join(sourceDir, 'agents'),
};
const skip = hasTerminal ? false : 'there is no script(1)';
const PROMPT = /askd> $/;

const openShell = (args = [], env = {}) => {
  const home = tempPath(`home-${Math.random().toString(36).slice(2)}`);
  mkdirSync(home);
  const open = () => new Terminal(process.env.ASKD_BIN, args, { cwd: home, env: { ...settings, HOME: home, ...env } });
  return { home, open };
};
const ended = async terminal => {
  const { code } = await terminal.wait();
  assertNoSanitizer(terminal.stdout + terminal.stderr);
  return code;
};

test('on a pipe: lines are questions of one conversation; nothing but answers is on standard output', async () => {
  const folder = tempPath('piped');
  mkdirSync(folder);
  const file = join(folder, 'rows.csv');
  const result = await askdCommand(['shell'], {
    env: settings,
    input: `How many work orders are there per status?\n\nand for high priority only?\n\\sql\n\\csv ${file}\n\\q\nnever asked\n`,
  });
  assert.equal(result.code, 0, result.stderr);
  assert.doesNotMatch(result.stdout + result.stderr, /\x1b|askd> |never asked/);
  assert.match(result.stdout, /completed +865\n/);
  assert.match(result.stdout, /\nSELECT .*WHERE priority = 'high' GROUP BY status/);
  assert.match(readFileSync(file, 'utf8'), /^status,workOrder_count\r\n(\w[\w ]*,\d+\r\n){6}$/);
});

test('backslash commands: tables, one table, mistakes that are told', async () => {
  const result = await askdCommand(['shell'], {
    env: settings,
    input: '\\d\n\\d workOrder\n\\d workOrdr\n\\sql\n\\csv\n\\csv x.csv\n\\nope\n\\?\nHow many crews are there?\n\\csv /nowhere/rows.csv\n\\new\n\\csv x.csv\n',
  });
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stdout, / table +columns +rows *\n/);
  assert.match(result.stdout, /\n {2}workOrder +13 +950/);
  assert.match(result.stdout, /\n {2}customerId +INTEGER +not null +customer\.id/);
  for (const said of ["there is no table 'workOrdr'; did you mean workOrder?", 'the last answer had no statement', 'name the file',
    'the last answer has no rows', 'there is no \\nope; \\? lists the commands', '/nowhere/rows.csv: No such file or directory'])
    assert.ok(result.stderr.includes(said), `${said} in ${result.stderr}`);
  assert.equal(result.stderr.match(/the last answer has no rows/g).length, 2, 'a new conversation has none of the old');
  for (const word of ['\\d [TABLE]', '\\sql', '\\csv FILE', '\\new', '\\?', '\\q'])
    assert.ok(result.stdout.includes(`  ${word} `), word);
});

test('columns that the policies hide are not among those of a table', async () => {
  const views = join(sourceDir, 'samples/secure_views.json');
  const shown = await askdCommand(['shell'], { env: { ...settings, ASKD_SECURE_VIEWS: views }, input: '\\d\n\\d employee\n\\d secure_employee\n' });
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /\n {2}employee +9 /);
  assert.doesNotMatch(shown.stdout, /secure_employee/);
});

test('a number chooses one of the readings', async () => {
  const result = await askdCommand(['shell'], { env: settings, input: 'Who are our top customers?\n1\n7\n' });
  assert.match(result.stderr, /a number chooses one/);
  assert.match(result.stdout, /2\. .*\n(.*\n)*?.*total_balance/);
});

test('words that are no flags, flags that are none, a company that nothing is filtered by', async () => {
  for (const [args, code, said] of [[['shell', 'hello'], 2, /shell takes flags only, got 'hello'/], [['--prot', '1'], 2, /did you mean --port/],
    [['shell', '--company', 'acme'], 64, /ASKD_TENANT_COLUMN is not set/], [['shell', '--graph', 'none'], 1, /there is no graph 'none'/]]) {
    const result = await askdCommand(args, { env: settings });
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, said);
  }
});

test('alone in a terminal: a greeting, a prompt, editing, follow-ups, progress, Ctrl-D', { skip }, async () => {
  const { home, open } = openShell();
  const terminal = open();
  assert.match(await terminal.shows(PROMPT), /askd \d+\.\d+\.\d+, \d+ tables\. Ask in plain words/);
  terminal.type('How many work ordrs\x7f\x7fers are there per status?\r');
  const first = await terminal.shows(PROMPT);
  assert.match(first, /Looking for the tables \.\.\./, 'what is being done');
  assert.match(first, /\x1b\[1m {2}status +workOrder_count/, 'bold on a terminal');
  assert.match(first, /completed +865/);
  terminal.type('and for high priority only?\r');
  assert.match(await terminal.shows(PROMPT), /completed +187/);
  terminal.type('\x1b[A\x1b[A\r'); // the line before the last
  assert.match(await terminal.shows(PROMPT), /completed +865/);
  terminal.type('\x04');
  assert.equal(await ended(terminal), 0);

  const kept = join(home, '.local/state/askd/history');
  assert.equal(statSync(kept).mode & 0o777, 0o600);
  assert.match(readFileSync(kept, 'utf8'), /high/);
  const again = open();
  await again.shows(PROMPT);
  again.type('\x1b[A\r');
  assert.match(await again.shows(PROMPT), /workOrder_count/, 'a question of the session before');
  again.type('\\q\r');
  assert.equal(await ended(again), 0);
});

test('Ctrl-C drops the line that is typed and stops the answer that is made; the session goes on', { skip }, async () => {
  const mock = await startMock([held(), ...general]);
  const { open } = openShell(['--model', 'openai'], { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${mock.url}/v1` });
  const terminal = open();
  await terminal.shows(PROMPT);
  terminal.type('this is never asked');
  await terminal.shows(/never asked/);
  terminal.type('\x03');
  await terminal.shows(PROMPT);
  terminal.type('held: tell me\r');
  await terminal.shows(/word0 word1 word2/);
  terminal.type('\x03');
  const stopped = await terminal.shows(PROMPT);
  assert.match(stopped, /stopped/);
  terminal.type('why is the sky blue?\r');
  assert.match(await terminal.shows(PROMPT), /The sky is blue because of scattering\./);
  terminal.type('\x04');
  assert.equal(await ended(terminal), 0);
});

test('NO_COLOR and a dumb terminal: no colour, no line that is written over', { skip }, async () => {
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    const { open } = openShell([], env);
    const terminal = open();
    await terminal.shows(PROMPT);
    terminal.type('How many crews are there?\r');
    assert.doesNotMatch(await terminal.shows(PROMPT), env.TERM ? /\x1b\[[0-9]*m|\x1b\[K/ : /\x1b\[[12]m/);
    terminal.type('\\q\r');
    assert.equal(await ended(terminal), 0);
  }
});

test('no home: nothing is kept, and it works', { skip }, async () => {
  const folder = tempPath('homeless');
  mkdirSync(folder);
  const terminal = new Terminal(process.env.ASKD_BIN, [], { cwd: folder, env: { ...settings, HOME: '' } });
  await terminal.shows(PROMPT);
  terminal.type('How many crews are there?\r\\q\r');
  assert.equal(await ended(terminal), 0);
  assert.ok(!existsSync(join(folder, '.local')));
});

test('what is told of a step is what the page tells', () => {
  const page = readFileSync(join(sourceDir, 'server/page/step_titles.js'), 'utf8');
  const program = readFileSync(join(sourceDir, 'server/cli/cmd_show.c'), 'utf8');
  const told = Object.fromEntries([...page.matchAll(/(\w+): t\('([^']+)'\)/g)].map(match => [match[1], match[2]]));
  const shown = Object.fromEntries([...program.matchAll(/\{"(\w+)", "([^"]+)"\}/g)].map(match => [match[1], match[2]]));
  assert.ok(Object.keys(told).length > 20);
  assert.deepEqual(shown, told);
});
