// SPDX-License-Identifier: MIT
// tests/node/commands.test.mjs - every command of README and docs/ is run as it is written, in a folder like
// the one they speak of; those that install, build or need Docker are listed, with what stands for them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askdCommand, sampleDatabase, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { commandsOf, pages } from './lib/commands.mjs';
import { environment, run } from './lib/process.mjs';
import { general } from './lib/scripts.mjs';

const folder = tempPath('place');
const store = { ASKD_VECTOR_URL: 'sqlite:data/documents.db', ASKD_KEYWORD_URL: 'sqlite:data/documents.db' };

// What the pages assume to be there.
const furnish = async () => {
  mkdirSync(join(folder, 'data/sample'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'manual'));
  copyFileSync(await sampleDatabase(), join(folder, 'data/sample/sample.db'));
  symlinkSync(process.env.ASKD_BIN, join(folder, 'bin/askd'));
  for (const name of ['agents', 'examples', 'samples', 'scripts'])
    symlinkSync(join(sourceDir, name), join(folder, name));
  mkdirSync(join(folder, 'app'));
  symlinkSync(join(sourceDir, 'tests/node/models'), join(folder, 'app/models'));
  symlinkSync(join(sourceDir, 'tests/node/node_modules'), join(folder, 'node_modules'));
  const write = (name, text) => writeFileSync(join(folder, name), typeof text === 'string' ? text : JSON.stringify(text));
  write('manual/core.md', '# Core\n\n## Overtime\n\nOvertime is paid at one and a half times the hourly rate.\n');
  copyFileSync(join(sourceDir, 'samples/sql_pairs.csv'), join(folder, 'pairs.csv'));
  copyFileSync(join(sourceDir, 'samples/terms.json'), join(folder, 'terms.json'));
  write('questions.jsonl', `${JSON.stringify({ id: 1, question: 'How many employees are there?', sql: 'SELECT COUNT(*) FROM employee' })}\n`);
  copyFileSync(join(folder, 'questions.jsonl'), join(folder, 'QUESTIONS.jsonl'));
  write('schema.json', { dialect: 'sqlite', tables: { customers: { columns: ['id', 'name'] } } });
  write('policies.json', { policies: { bank: { allow_with: false } }, functions: { sqlite: ['count'] } });
  write('statements.jsonl', `${JSON.stringify({ id: 1, sql: 'SELECT name FROM customers', policy: 'bank', dialect: 'sqlite' })}\n`);
  write('manual.json', { version: 1, relationships: [] });
  write('inferred.json', { version: 1, relationships: [] });
};

// What a page's own example stands for here.
const SUBSTITUTES = [
  ['postgresql://reader@db/app', 'sqlite:data/sample/sample.db'],
  ['invoice technician', 'workOrder employee'],
];

// Not run: they install packages, build, or need Docker. Each: a pattern, and what must be there for it.
const ELSEWHERE = [
  [/^\.\/run( check| ask "[^"]+")?$/, () => existsSync(join(sourceDir, 'run'))], // run_script.test.mjs
  [/^\.\/test( -L unit)?$/, () => existsSync(join(sourceDir, 'test'))],
  [/^cmake --preset (\w+) && cmake --build --preset \1$/, ([, preset]) => {
    const presets = JSON.parse(readFileSync(join(sourceDir, 'CMakePresets.json'), 'utf8'));
    return [presets.configurePresets, presets.buildPresets].every(list => list.some(one => one.name === preset));
  }],
  [/^sudo cmake --install build\/(\w+)$/, ([, preset]) => preset === 'release'],
  [/^bench\/run\.sh build\/bench$/, () => existsSync(join(sourceDir, 'bench/run.sh'))],
  [/^build\/fuzz\/tests\/fuzz\/fuzz_(\w+) tests\/fuzz\/corpus\/\1$/, ([, name]) => existsSync(join(sourceDir, `tests/fuzz/corpus/${name}`))],
  [/^docker (?:build -f|compose (?:-p \w+ )?-f) (docker\/\S+)/, ([, file]) => existsSync(join(sourceDir, file))],
  [/^docker build -t askd-bff (examples\/bff-node)$/, ([, file]) => existsSync(join(sourceDir, file, 'Dockerfile'))],
  [/^docker run .* askd$/, () => true],
  [/^scripts\/dist\.sh build\/release dist$/, () => existsSync(join(sourceDir, 'scripts/dist.sh'))], // dist.test.mjs
  [/^sudo apt install \.\/dist\/askd_\*\.deb$/, () => existsSync(join(sourceDir, 'tests/docker/package.sh'))],
  [/^sudo systemctl enable --now askd$/, () => existsSync(join(sourceDir, 'docker/askd.service'))],
  [/^docker load -i dist\/askd_\*\.oci\.tar$/, () => existsSync(join(sourceDir, 'scripts/dist.sh'))],
  [/^kubectl apply -k (deploy\/kubernetes\/overlays\/\w+)$/, ([, path]) => existsSync(join(sourceDir, path, 'kustomization.yaml'))],
  [/^helm install askd (deploy\/helm\/askd) /, ([, path]) => existsSync(join(sourceDir, path, 'Chart.yaml'))],
  [/^askd semantic learn\b/, () => existsSync(join(sourceDir, 'tests/node/semantic_learn.test.mjs'))], // needs a model
  [/^askd semantic review\b/, () => existsSync(join(sourceDir, 'tests/node/feedback.test.mjs'))], // needs somebody's feedback
  [/^cd (examples\/bff-node) && (?:npm ci && npm start|\.\.\/\.\.\/(scripts\/node\.sh) node server\.mjs)$/, ([, path, script = 'run']) =>
    [join(path, 'server.mjs'), script].every(name => existsSync(join(sourceDir, name)))], // bff.test.mjs
];

const shell = async (text, { env = {}, bin = 'bin' } = {}) => run('/bin/sh', ['-ec', text], {
  cwd: folder, env: environment({ ...store, ...env, ASKD_CHECKPOINT_URL: 'none', ASKD_TODAY: '2025-06-30',
    PATH: `${join(folder, bin)}:${process.env.PATH}`, NODE_PATH: '' }),
});

await furnish();
const all = pages.flatMap(commandsOf);
const isServed = command => command.text.startsWith('curl');

test('there are commands, and each is run or stood for', () => {
  assert.ok(all.length > 30, `${all.length} commands`);
  for (const page of ['README.md', 'docs/documents.md', 'docs/sql-safety.md', 'docs/adding-a-graph.md', 'docs/adding-a-backend.md', 'docs/operations.md', 'docs/conversations.md', 'docs/joins.md'])
    assert.ok(all.some(command => command.page === page), page);
});

const standIn = command => ELSEWHERE.map(([pattern, check]) => [pattern.exec(command.text), check]).find(([match]) => match);

const prepare = text => SUBSTITUTES.reduce((so, [from, to]) => so.replaceAll(from, to), text);

// docs/wrong-settings.md names what is not there on purpose; node.wrong_settings holds it.
test('what pages name is there: files, variables, each other', async () => {
  const example = (await askdCommand(['config', 'env-example'])).stdout;
  const known = new Set(example.match(/^#?[A-Z][A-Z_0-9]+(?==)/gm).map(text => text.replace('#', '')));
  const OTHERS = /^(ASKD_TEST|ASKD_OWN|BFF_|ASKD_URL$|ASKD_PUBLIC_URL$|ASKD_API_KEY$|SQL_NO_CACHE|SQL_CALC|SQL_BIG|SQL_SMALL|SQL_BUFFER)/; // of tests, of the BFF, and words of SQL
  for (const page of pages) {
    const text = readFileSync(join(sourceDir, page), 'utf8');
    for (const [, path] of text.matchAll(/`((?:docs|server|tests|core|agents|backends|proto|docker|deploy|samples|examples|bench|scripts)\/[\w./-]+)`/g))
      assert.ok(['', '.h', '.c', '.test.mjs'].some(end => existsSync(join(sourceDir, path + end))) || /headline|echo/.test(path), `${page}: there is no ${path}`);
    for (const [, name] of page.endsWith('/wrong-settings.md') ? [] : text.matchAll(/`((?:ASKD|OTEL|OPENAI|AZURE|SQL|MAX|DB|CONVERSATION)_[A-Z_]+[A-Z])\b/g))
      assert.ok(known.has(name) || known.has(name.replace(/_FILE$/, '')) || OTHERS.test(name), `${page}: there is no ${name}`);
    for (const [, path] of text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g))
      assert.ok(existsSync(join(sourceDir, path)), `${page}: there is no picture ${path}`);
  }
});

test('docs/README.md, the index, has every page and nothing else', () => {
  const text = readFileSync(join(sourceDir, 'docs/README.md'), 'utf8');
  const named = [...text.matchAll(/\]\(([^)]+\.md)\)/g)].map(match => match[1]).filter(name => !/^\.\.|^internals/.test(name));
  const there = pages.filter(page => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md').map(page => page.slice('docs/'.length));
  assert.deepEqual(named.toSorted(), there.toSorted());
});

test('docs/durability.md says the formats that the stores are of', () => {
  const text = readFileSync(join(sourceDir, 'docs/durability.md'), 'utf8');
  for (const [store, path, format] of [['PostgreSQL', 'store_pg/tables.sql', /SET version = (\d+); -- its functions/],
    ['SQLite', 'store_sqlite_tables.c', /FORMAT = (\d+) /], ['Redis', 'store_redis/common.lua', /FORMAT = '(\d+)'/]]) {
    const [, number] = readFileSync(join(sourceDir, 'backends/stores', path), 'utf8').match(format);
    assert.ok(text.includes(`**${store}**, format ${number}:`), `${store}: ${number}`);
  }
});

test('docs/events.md has every event and every code', () => {
  const text = readFileSync(join(sourceDir, 'docs/events.md'), 'utf8');
  const named = new Set([...text.matchAll(/`([a-z_]+)`/g)].map(match => match[1]));
  const kinds = [...readFileSync(join(sourceDir, 'core/store/event.h'), 'utf8').matchAll(/X\([A-Z_]+, "([a-z_]+)"/g)].map(match => match[1]);
  const codes = [...readFileSync(join(sourceDir, 'core/store/wire_code.c'), 'utf8').matchAll(/"([a-z]+(?:_[a-z]+)*)"\}?,/g)].map(match => match[1]);
  assert.ok(kinds.length > 10 && codes.length > 10);
  assert.deepEqual([...kinds, ...codes].filter(name => !named.has(name)), []);
});

// In the order of their page: some use what others made.
for (const page of pages) {
  const mine = all.filter(command => command.page === page && command.block === '');
  if (mine.length === 0)
    continue;
  test(page, async () => {
    const askd = mine.some(isServed) ? await startAskd({ env: { ASKD_MODEL: 'offline', ...absolute({ ...store, ASKD_CHECKPOINT_URL: `sqlite:data/${page.replaceAll('/', '-')}.db` }) } }) : null;
    for (const command of mine) {
      const other = standIn(command);
      if (other) {
        assert.ok(other[1](other[0]), `${page}: ${command.text}`);
        continue;
      }
      let text = prepare(command.text);
      if (askd)
        text = text.replaceAll('localhost:8080', new URL(askd.url).host).replace(/^curl /, 'curl -sSf ');
      const result = await shell(text);
      assert.equal(result.code, 0, `${page}:${command.line}: ${text}\n${result.stdout}${result.stderr}`);
      if (isServed(command) && !/-X DELETE| -o /.test(text))
        assert.match(result.stdout, /"event":"complete"|^\{/m, text);
    }
  });
}

const absolute = settings => Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value.replace('sqlite:', `sqlite:${folder}/`)]));

// ---- pages whose code is built: tests/docs ----

const blocksOf = name => all.filter(command => command.block === name).map(command => command.text);

test('docs/adding-a-graph.md: the graph it adds is right, drawn, and answers', async () => {
  const program = process.env.ASKD_HEADLINE_BIN;
  mkdirSync(join(folder, 'headline'));
  symlinkSync(program, join(folder, 'headline/askd'));
  const prompts = { ASKD_PROMPT_DIR: join(process.env.DOCS_FOLDER, 'headline/prompts') };
  const results = [];
  for (const text of blocksOf('headline'))
    results.push(await shell(text, { bin: 'headline', env: prompts }));
  assert.deepEqual(results.map(result => result.code), [0, 0]);
  assert.match(results[0].stdout, /headline: fine/);
  assert.match(results[1].stdout, /check -->\|too_long\| write/);

  const headline = 'C Daemon Streams Answers';
  const mock = await startMock([
    { system: 'You write headlines', user: 'endless', reply: 'One two three four five six seven eight nine' },
    { system: 'You write headlines', user: 'more than eight words', reply: headline },
    { system: 'You write headlines', user: 'daemon', reply: 'A Very Long Headline About A Daemon In The Language C' },
    ...general,
  ]);
  const saved = process.env.ASKD_BIN;
  process.env.ASKD_BIN = program;
  const askd = await startAskd({ mock, env: prompts }).finally(() => { process.env.ASKD_BIN = saved; });
  const [serving] = blocksOf('headline serving');
  const result = await shell(serving.replaceAll('localhost:8080', new URL(askd.url).host));
  assert.equal(result.code, 0, result.stderr);
  const answer = JSON.parse(result.stdout);
  assert.equal(answer.draft ?? answer.headline, headline);
  const transcript = await askd.ask('A daemon', { path: '/internal/graphs/headline/stream', options: { detail: 'nodes' } });
  assert.equal(transcript.text, headline);
  assert.equal(transcript.complete().headline, headline);
  assert.equal(transcript.of('retry').length, 1);
  const spent = await askd.ask('An endless one', { path: '/internal/graphs/headline/stream', options: { detail: 'nodes' } });
  assert.equal(spent.of('retry').length, 2);
  assert.match(spent.complete().remark, /more than eight/);
});

test('docs/adding-a-backend.md: the model it adds answers', async () => {
  mkdirSync(join(folder, 'echo'));
  symlinkSync(process.env.ASKD_ECHO_BIN, join(folder, 'echo/askd'));
  const results = [];
  for (const text of blocksOf('echo'))
    results.push(await shell(text, { bin: 'echo' }));
  assert.deepEqual(results.map(result => result.code), [0, 0], results.map(result => result.stderr).join('\n'));
  assert.match(results[1].stdout, /Is anybody there\?/);
  const old = await askdCommand(['config', 'check', '--model', 'echo']);
  assert.equal(old.code, 78, 'without the page there is no such model');
});
