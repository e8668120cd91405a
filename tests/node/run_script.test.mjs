// SPDX-License-Identifier: MIT
// tests/node/run_script.test.mjs - ./run as a newcomer starts it, in a copy of what it needs where all packages
// are there and askd is built: what it asks for, that it serves the sample, answers, and ends well; the second
// time it makes nothing twice, and somebody's own .env is not overruled.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceDir, tempPath } from './lib/harness.mjs';
import { Process, run, until } from './lib/process.mjs';

const folder = tempPath('fresh');

// In place of what changes the machine or takes minutes: they say what they were asked.
const stubs = {
  'dpkg-query': 'echo installed',
  'apt-get': 'echo "apt-get $*" >>"$ASKED"; exit 1',
  cmake: 'echo "cmake $*" >>"$ASKED"',
};

mkdirSync(join(folder, 'bin'), { recursive: true });
for (const [name, text] of Object.entries(stubs)) {
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, 'bin', name), 0o755);
}
copyFileSync(join(sourceDir, 'run'), join(folder, 'run'));
for (const name of ['scripts', 'samples', 'agents'])
  symlinkSync(join(sourceDir, name), join(folder, name));
mkdirSync(join(folder, 'build/release'), { recursive: true });
symlinkSync(process.env.ASKD_BIN, join(folder, 'build/release/askd'));
symlinkSync(process.env.MAKE_SAMPLES_BIN, join(folder, 'build/release/make_samples'));

const asked = () => readFileSync(join(folder, 'asked'), 'utf8');
const started = [];
after(() => Promise.all(started.map(child => child.child.kill('SIGKILL'))));

// Until it serves.
const startRun = async (flags = []) => {
  const child = new Process(join(folder, 'run'), ['--port', '0', ...flags], {
    cwd: folder, env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, ASKED: join(folder, 'asked') },
  });
  started.push(child);
  const [, url] = await child.said(/(http:\/\/127\.0\.0\.1:\d+)/);
  await until('it is ready', async () => (await fetch(`${url}/readyz`)).status === 200);
  return { child, url };
};

const ask = async (url, message, company = 'acme') => (await fetch(`${url}/internal/chat/stream`, {
  method: 'POST', headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ input: { message }, conversation: { id: `c-${Math.random()}`, user_id: 'u', company_id: company } }),
})).text();

const stop = async ({ child }) => {
  child.child.kill('SIGTERM');
  assert.equal((await child.wait()).code, 0, child.stderr);
};

test('it builds, serves the sample and its documents, and says which engine answers', async () => {
  const askd = await startRun();
  assert.deepEqual(asked().trim().split('\n'), ['cmake --preset release', 'cmake --build --preset release']);
  await askd.child.said(/no OPENAI_API_KEY, so the offline engine answers/);
  assert.match(await ask(askd.url, 'How many technicians are active?'), /"content":"There are 10"/);
  assert.match(await ask(askd.url, 'How is overtime paid?'), /"citations":\[\{/);
  assert.match(await (await fetch(`${askd.url}/`)).text(), /Ask your data/);
  const { examples } = await (await fetch(`${askd.url}/internal/about`)).json();
  for (const example of examples)
    assert.match(await ask(askd.url, example), /"event":"complete","sql"/, example);
  await stop(askd);
  assert.deepEqual(readdirSync(join(folder, 'data')), ['sample']);
});

test('again: nothing is made twice', async () => {
  const made = () => ['sample.db', 'semantic.json'].map(name => join('data/sample', name)).map(path => statSync(join(folder, path)).mtimeMs);
  const before = made();
  const askd = await startRun();
  assert.deepEqual(made(), before);
  const log = readFileSync(join(folder, 'build/run.log'), 'utf8');
  for (const [, added, updated] of log.matchAll(/"event":"complete","added":(\d+),"updated":(\d+)/g))
    assert.deepEqual([added, updated], ['0', '0'], log);
  await stop(askd);
});

// What a command of askd behind ./run says.
const command = (...words) => run(join(folder, 'run'), words, { cwd: folder, env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, ASKED: join(folder, 'asked') } });

test('a command behind it has the settings of the server, and says nothing else', async () => {
  const checked = await command('check');
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  assert.match(checked.stdout, /^database +ok .*tables/m);
  assert.match(checked.stdout, /^model +ok .*offline/m);
  assert.equal(checked.stderr, '');
  const asked = await command('ask', 'How many technicians are active?', '--company', 'acme', '--format', 'csv');
  assert.deepEqual([asked.code, asked.stdout.split(/\r?\n/)[1]], [0, '10'], asked.stderr);
  assert.match((await command('docs', 'search', 'How is overtime paid?')).stdout, /1\.5 times/);
  assert.equal((await command('sql', 'check', 'DELETE FROM employee')).code, 1, 'the status is the command’s own');
  assert.match((await command('chekc')).stderr, /did you mean check\?/);
});

const own = 'ASKD_DATABASE_URL=sqlite:own.db\nASKD_TENANCY=off\nASKD_MODEL=offline\n';

// What a server over own.db says, which must know nothing of the sample.
const checkOwn = async (flags = []) => {
  const askd = await startRun(flags);
  const about = await (await fetch(`${askd.url}/internal/about`)).json();
  assert.equal(about.caller.company_id, 'playground');
  assert.match(await ask(askd.url, 'How many employees are there?', 'any'), /"event":"complete","sql":"SELECT COUNT\(\*\)/);
  const answer = await ask(askd.url, 'How is overtime paid?', 'any');
  assert.match(answer, /"event":"complete"/);
  assert.doesNotMatch(answer, /"citations":\[\{/);
  await askd.child.said(/database sqlite:own\.db/);
  await stop(askd);
};

test('a database of one’s own in .env: no sample, no document, no date, no company is put in its way', async () => {
  copyFileSync(join(folder, 'data/sample/sample.db'), join(folder, 'own.db'));
  const sample = () => readdirSync(join(folder, 'data/sample')).map(name => [name, statSync(join(folder, 'data/sample', name)).mtimeMs]);
  const before = sample();
  writeFileSync(join(folder, '.env'), own);
  await checkOwn();
  assert.ok(existsSync(join(folder, 'data/conversations.db')));
  assert.deepEqual(sample(), before);
  rmSync(join(folder, '.env'));
});

test('a command with a database of one’s own knows nothing of the sample', async () => {
  writeFileSync(join(folder, '.env'), own);
  const checked = await command('check');
  assert.equal(checked.code, 0, checked.stdout);
  assert.doesNotMatch(checked.stdout, /sample/);
  assert.match((await command('docs', 'search', 'How is overtime paid?')).stderr, /nothing was found/);
  rmSync(join(folder, '.env'));
});

test('a database of one’s own by flags, or in another file, is one’s own, too', async () => {
  await checkOwn(['--db', 'sqlite:own.db', '--set', 'ASKD_TENANCY=off']);
  await checkOwn(['--set=ASKD_DATABASE_URL=sqlite:own.db', '--set', 'ASKD_TENANCY=off']);
  writeFileSync(join(folder, 'own.env'), own);
  await checkOwn(['--env-file', 'own.env']);
});

test('a store of documents of one’s own gets none of the sample’s', async () => {
  writeFileSync(join(folder, '.env'), 'ASKD_KEYWORD_URL=sqlite:own_documents.db\n');
  const askd = await startRun();
  await askd.child.said(/a store of documents is configured, so the sample's are not added to it/);
  assert.doesNotMatch(await ask(askd.url, 'How is overtime paid?'), /"citations":\[\{/);
  await stop(askd);
  rmSync(join(folder, '.env'));
});

test('documents of a sample that was in the folder of one’s own are moved away, and it is said', async () => {
  rmSync(join(folder, 'data/conversations.db'));
  for (const name of readdirSync(join(folder, 'data/sample')).filter(name => /^(sample|documents)\.db/.test(name)))
    copyFileSync(join(folder, 'data/sample', name), join(folder, 'data', name));
  rmSync(join(folder, 'data/sample'), { recursive: true });
  writeFileSync(join(folder, '.env'), own);
  await checkOwn();
  assert.ok(existsSync(join(folder, 'data/sample/documents.db')));
  rmSync(join(folder, '.env'));
});

test('no build, no server: it says where to look', async () => {
  writeFileSync(join(folder, 'bin/cmake'), '#!/bin/sh\necho "there is no compiler"\nexit 1\n');
  const result = await run(join(folder, 'run'), [], { cwd: folder, env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` } });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /there is no compiler\nrun: the build failed; the whole log is in build\/run\.log/);
});
