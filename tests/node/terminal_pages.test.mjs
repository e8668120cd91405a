// SPDX-License-Identifier: MIT
// tests/node/terminal_pages.test.mjs - --help, the man page and the completions have every command, verb
// and flag that the program takes, and no other; the shells and roff understand them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { askdCommand, sourceDir, tempPath } from './lib/harness.mjs';

const askd = (args, input) => askdCommand(args, { env: { ASKD_PROMPT_DIR: join(sourceDir, 'agents') }, input: input ?? '' });
const has = program => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const page = (await askd(['man'])).stdout;
const shells = Object.fromEntries(await Promise.all(['bash', 'zsh', 'fish'].map(async shell => [shell, (await askd(['completion', shell])).stdout])));
const keep = (name, text) => {
  const path = tempPath(name);
  writeFileSync(path, text);
  return path;
};

// What the help of a command says: its verbs, its flags.
const read = text => ({
  verbs: [...new Set([...text.matchAll(/^ {2}askd [a-z]+ ([a-z][a-z-]*)(?= |$)/gm)].map(match => match[1]))],
  flags: [...text.matchAll(/^ {2}(--[a-z-]+)(?: (\S+))?/gm)].map(match => ({ name: match[1], value: match[2] })),
});
const overview = (await askd(['--help'])).stdout;
const commands = Object.fromEntries(await Promise.all([...overview.split('\nflags ')[0].matchAll(/^ {2}([a-z]+) {2}/gm)]
  .map(async ([, name]) => [name, read((await askd([name, '--help'])).stdout)])));

test('each command of the overview has its help, whichever way it is asked for', async () => {
  assert.deepEqual(Object.keys(commands), ['shell', 'serve', 'ask', 'eval', 'check', 'health', 'config', 'graph', 'sql', 'docs', 'joins',
    'semantic', 'completion', 'man', 'version', 'help']);
  assert.deepEqual(commands.joins.verbs, ['path', 'plan', 'stats', 'introspect', 'merge', 'validate']);
  assert.ok(commands.ask.flags.some(flag => flag.name === '--format' && flag.value === 'table|csv|json'));
  for (const name of Object.keys(commands)) {
    const [one, other] = [await askd([name, '--help']), await askd(['help', name])];
    assert.deepEqual([other.code, other.stdout], [0, one.stdout], name);
    assert.match(one.stdout, /\nExit code: 0/, name);
    for (const line of one.stdout.split('\n'))
      assert.ok(line.length <= 100, line);
  }
  assert.equal((await askd(['help', 'dosc'])).code, 2);
});

test('a command takes each flag of its help: none is unknown to it', async () => {
  for (const [name, { verbs, flags }] of Object.entries(commands)) {
    for (const flag of flags) {
      // What is wrong is never the flag: a value that is none, a file that is not there, one word too many.
      const value = flag.name === '--env-file' ? '/dev/null' : 'A=/nowhere'; // which is read before all else
      const wordy = ['shell', 'serve', 'check', 'health'].includes(name) ? ['surplus'] : [];
      const tried = await Promise.all((verbs.length > 0 ? verbs : ['']).filter(verb => verb !== 'env-example').map(verb =>
        askd([name, ...(verb ? [verb] : []), ...wordy, flag.name, ...(flag.value ? [value] : []), '--no-such-flag'])));
      assert.ok(tried.some(one => one.stderr.includes('--no-such-flag')), `${name} ${flag.name}: ${tried.map(one => one.stderr).join('')}`);
    }
  }
});

test('a flag that the sources know is in the help of a command', () => {
  const known = new Set(['--help', ...Object.values(commands).flatMap(one => one.flags.map(flag => flag.name))]);
  const folders = ['server/cli', 'server/cli/check', 'server/cli/docs', 'server/cli/semantic', 'server/cli/shell'];
  const found = folders.flatMap(folder => readdirSync(join(sourceDir, folder)).filter(name => name.endsWith('.c')).map(name => join(folder, name)))
    .flatMap(path => [...readFileSync(join(sourceDir, path), 'utf8').matchAll(/\.name = "(--[a-z-]+)"/g)].map(match => ({ path, flag: match[1] })));
  assert.ok(found.length > 30);
  for (const { path, flag } of found)
    assert.ok(known.has(flag), `${path}: ${flag} is in no help`);
});

test('the man page has each command, verb and flag, and each setting', async () => {
  const plain = page.replaceAll('\\-', '-').replaceAll('\\fB', '').replaceAll('\\fR', '').replaceAll('\\fI', '');
  for (const [name, { verbs, flags }] of Object.entries(commands)) {
    const [, section] = plain.split(`\n.SS ${name}\n`);
    const own = section.split('\n.S')[0];
    for (const verb of verbs)
      assert.match(own, new RegExp(`\\naskd ${name} ${verb}\\b`));
    for (const flag of flags)
      assert.ok(own.includes(`\n${flag.name}`) || plain.split('.SH SETTING FLAGS')[1].includes(`\n${flag.name} `), `${name} ${flag.name}`);
  }
  const settings = (await askd(['config', 'env-example'])).stdout.match(/^#[A-Z][A-Z_0-9]+=/gm).map(text => text.slice(1, -1));
  for (const setting of settings)
    assert.ok(plain.split('.SH ENVIRONMENT')[1].includes(`\n${setting}`), setting);
});

test('roff renders the page without a warning', { skip: !has('groff') && 'no groff' }, () => {
  const path = keep('askd.1', page);
  const render = file => spawnSync('groff', ['-man', '-ww', '-Tutf8', '-P-cbou', file], { encoding: 'utf8' });
  const rendered = render(path);
  assert.equal(rendered.stderr, '');
  assert.match(rendered.stdout, /askd - ask a database and documents in plain words/);
  assert.match(rendered.stdout, /\\\? lists what else may be typed/);
  assert.match(rendered.stdout, /\{"id":"1","from":"a","to":"b"\}/);
  assert.notEqual(render(keep('wrong.1', '.TH X 1\n.NOSUCH\n')).stderr, '', 'the judge is awake');
});

test('completions have each command, verb, flag and choice', () => {
  for (const [shell, text] of Object.entries(shells)) {
    for (const [name, { verbs, flags }] of Object.entries(commands)) {
      assert.match(text, new RegExp(`\\b${name}\\b`), shell);
      for (const verb of verbs)
        assert.match(text, new RegExp(`[ ('"]${verb}[ )'"]`), `${shell} ${verb}`);
      for (const flag of flags)
        assert.ok(text.includes(shell === 'fish' ? `-l ${flag.name.slice(2)}` : flag.name), `${shell} ${name} ${flag.name}`);
    }
    assert.match(text, /table csv json/, shell);
  }
});

test('bash completes commands, verbs, flags, choices', { skip: !has('bash') && 'no bash' }, () => {
  const path = keep('askd.bash', shells.bash);
  const complete = (...words) => spawnSync('bash', ['-c', `. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _askd; echo "\${COMPREPLY[*]}"`,
    path, ...words], { encoding: 'utf8' });
  for (const [words, expected] of [[['askd', 'do'], 'docs'], [['askd', 'se'], 'serve semantic'], [['askd', 'docs', ''], 'add list remove search --help'],
    [['askd', 'ask', '--format', ''], 'table csv json'], [['askd', 'sql', 'check', '--ca'], '--catalog'], [['askd', 'docs', 'add', '--kind', 'f'], 'financial'],
    [['askd', 'serve', '--po'], '--port'], [['askd', 'docs', 'add', 'man'], ''],
    [['askd', 'help', 'jo'], 'joins']]) {
    const { stdout, stderr } = complete(...words);
    assert.deepEqual([stdout.trim(), stderr], [expected, ''], words.join(' '));
  }
});

test('zsh and fish understand theirs', { skip: !has('zsh') && !has('fish') && 'neither zsh nor fish' }, () => {
  for (const shell of ['zsh', 'fish'].filter(has)) {
    const { status, stderr } = spawnSync(shell, ['-n', keep(`completion.${shell}`, shells[shell])], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, ''], shell);
  }
});

test('fish completes verbs once, commands behind help, choices', { skip: !has('fish') && 'no fish' }, () => {
  const path = keep('complete.fish', shells.fish);
  const complete = line => spawnSync('fish', ['--no-config', '-c', `source ${path}; complete -C"${line}"`], { encoding: 'utf8', cwd: dirname(path) }).stdout.split('\n')
    .map(one => one.split('\t')[0]).filter(Boolean).sort();
  assert.deepEqual(complete('askd docs '), ['add', 'list', 'remove', 'search']);
  assert.ok(!complete('askd docs add ').includes('list'), 'files from there on');
  assert.deepEqual(complete('askd help jo'), ['joins']);
  assert.deepEqual(complete('askd ask --format '), ['csv', 'json', 'table']);
  assert.deepEqual(complete('askd serve --po'), ['--port']);
});
