// SPDX-License-Identifier: MIT
// tests/node/wrong_settings.test.mjs - what is said of each kind of wrong setting, flag and command: docs/wrong-settings.md
// is written from this list (WRITE_WRONG_SETTINGS=1 writes it anew) and held against the program.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { askdCommand, sampleDatabase, sourceDir, tempPath } from './lib/harness.mjs';

const fileOf = (name, text) => {
  const path = tempPath(name);
  writeFileSync(path, text);
  return path;
};
const check = env => [['config', 'check'], env, Object.entries(env).map(([name, value]) => `${name}=${value}`).join(' ')];

const cases = [
  check({ ASKD_PORT: '70000' }), check({ ASKD_PORT: 'abc' }), check({ ASKD_WORKERS: '-1' }),
  check({ ASKD_DATABSE_URL: 'sqlite:x.db' }), check({ ASKD_TENANT_COLUM: 'company' }), 
  check({ ASKD_DATABASE_URL: 'oracle://db/x' }), check({ ASKD_DATABASE_URL: 'postgresql://u:p@ss:word@db:port/x' }), check({ ASKD_DATABASE_URL: 'postgresql://db:99999/x' }),
  check({ ASKD_MODEL: 'gpt' }), check({ OPENAI_BASE_URL: 'foo' }), check({ ASKD_TENANCY: 'maybe' }), check({ ASKD_LANGUAGE: 'tlh' }),
  check({ ASKD_HEARTBEAT_SECONDS: 'soon' }), check({ ASKD_MAX_MESSAGE_BYTES: '10x' }), check({ ASKD_MEMORY_LIMIT: 'lots' }), check({ ASKD_TODAY: '2025-13-40' }),
  check({ ASKD_CHECKPOINT_URL: 'mongodb://x' }), check({ ASKD_VECTOR_URL: 'pinecone:x' }), check({ ASKD_LOG_LEVEL: 'loud' }), check({ ASKD_UPLOADS: 'all' }),
  check({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }), check({ OPENAI_TEMPERATURE: 'warm' }), check({ SQL_MAX_HOPS: '0' }),
  check({ OPENAI_API_KEY_FILE: '/nowhere/key' }), check({ OPENAI_MODLE: 'x' }), check({ OPENAI_BASEURL: 'http://x' }), check({ AZURE_OPENAI_ENDPONT: 'x' }),
  check({ ASKD_RERANK_URL: 'foo' }),
  [['config', 'check', '--env-file', fileOf('broken.env', 'ASKD_PORT 8080\n')], {}, 'a line of .env without "="'],
  [['config', 'check', '--env-file', '/nowhere/.env'], {}, 'config check --env-file /nowhere/.env'],
  [['srv'], {}], [['serve', '--prot', '1'], {}], [['ask'], {}], [['ask', 'x', '--format', 'pdf'], {}], [['sql', 'chekc', 'SELECT 1'], {}],
  [['serve', '--set', 'ASKD_PRT=1'], {}], [['config', 'check', '--set', 'ASKD_PORT=x'], {}], [['graph', 'show', 'bankign'], {}],
];

const say = async ([args, env, title]) => {
  const { code, stdout, stderr } = await askdCommand(args, { env: { ASKD_MODEL: 'offline', ASKD_TENANCY: undefined, ...env } });
  const all = `${stderr}\n${stdout}`.split('\n').map(line => line.trim()).filter(line => !line.startsWith('^ ') && /^askd|[eE]xpected|mean|^\w+: /.test(line));
  const said = [...new Set(all)].filter(line => args[1] !== 'check' || !/^\w+ +/.test(line)).slice(0, 3)
    .map(line => line.replace(tempPath('').replace(/\/$/, ''), '').replaceAll(tempPath('broken.env'), '.env').replaceAll('/broken.env', '.env'));
  return { title: title ?? `askd ${args.join(' ')}`, code, said };
};

const results = [];
for (const one of cases)
  results.push(await say(one));

// ---- each setting there is, with a value that is wrong for it ----

// Any text is right for these: keys, and names that another system knows or does not.
const FREE = ['ASKD_API_KEYS', 'OPENAI_API_KEY', 'OPENAI_MODEL', 'AZURE_OPENAI_API_KEY', 'AZURE_OPENAI_DEPLOYMENT', 'DB_HOST', 'DB_NAME', 'DB_USER', 'DB_PWD', 'DB_ENCRYPT_KEY',
  'ASKD_RERANK_MODEL', 'ASKD_RERANK_KEY', 'OTEL_SERVICE_NAME', 'ASKD_PAGE_COMPANY_ID'];
const database = `sqlite:${await sampleDatabase()}`;
// What a check that looks needs beside the value itself, to come as far as that.
const BESIDE = { ASKD_TENANT_COLUMN: { ASKD_DATABASE_URL: database }, ASKD_SHARED_TABLES: { ASKD_DATABASE_URL: database, ASKD_TENANT_COLUMN: 'companyId' } };
// Where 'wrong?' is a file that can be made: one that cannot. DB_PORT is looked at where no URL is given.
const WRONG = { CONVERSATION_DB_PATH: '/dev/null/wrong?' };

const settings = (await askdCommand(['config', 'env-example'], {})).stdout.match(/^#[A-Z][A-Z_0-9]+=/gm).map(line => line.slice(1, -1));
const wrongOf = name => WRONG[name] ?? 'wrong?';
const all = (await askdCommand(['config', 'check'], { env: Object.fromEntries(settings.filter(name => !name.startsWith('DB_')).map(name => [name, wrongOf(name)])) })).stderr.split('\n');
const alone = async name => {
  const env = { ASKD_MODEL: 'offline', ASKD_TENANCY: BESIDE[name]?.ASKD_TENANT_COLUMN || name === 'ASKD_TENANT_COLUMN' ? undefined : 'off', ASKD_CHECKPOINT_URL: undefined,
    ...(BESIDE[name] ?? { ASKD_DATABASE_URL: name === 'DB_PORT' ? undefined : database }), [name]: wrongOf(name) };
  const { stdout, stderr } = await askdCommand(['check'], { env });
  const found = [...stderr.split('\n').filter(line => line.startsWith(`${name}: `)), ...stdout.split('\n').map(line => line.match(/^(?:[a-z]+)? +(?:WRONG|note) +(.*)$/)?.[1]).filter(Boolean)];
  return found.find(line => line.startsWith(name)) ?? found.find(line => line.includes(name)) ?? found[0];
};
const each = [];
for (const name of settings)
  each.push({ name, said: all.find(line => line.startsWith(`${name}: `)) ?? (FREE.includes(name) ? undefined : await alone(name)) });

test('each is said to be wrong, by an exit status and a sentence that names it', () => {
  for (const { title, code, said } of results) {
    assert.ok(said.length > 0, `${title}: nothing is said`);
    assert.ok([0, 1, 2, 64, 78].includes(code), `${title}: ${code}`);
  }
  assert.ok(results.filter(one => one.code === 0).every(one => /ASKD_DATABSE|ASKD_TENANT_COLUM\b|OPENAI_MODLE|OPENAI_BASEURL|OPENAI_ENDPONT/.test(one.title)), 'unknown names are warnings, all else is an error');
});

test('each setting is looked at, or any text is right for it', () => {
  assert.deepEqual(each.filter(one => !one.said && !FREE.includes(one.name)).map(one => one.name), [], 'a wrong value of these is passed over');
  assert.deepEqual(FREE.filter(name => !settings.includes(name) || each.some(one => one.name === name && one.said)), [], 'these are no longer free');
});

test('docs/wrong-settings.md has what is said', () => {
  const text = `# Wrong settings, and what is said of them

\`tests/node/wrong_settings.test.mjs\` writes this page and holds it against the program. In
parentheses is the exit status: 78 for a wrong setting, 2 for a wrong command line, 1 for what is not
there; a variable that is no setting is a warning, since it may belong to another program.

## Of each kind

${results.map(({ title, code, said }) => `- \`${title}\` (${code})\n${said.map(line => `  - ${line.replaceAll('<', '&lt;')}\n`).join('')}`).join('')}
## Of each setting

What \`askd config check\` says, or for what has to be looked at \`askd check\`, where the value of the
setting is \`wrong?\` (a path where nothing is). Any text is right for the others:
${FREE.map(name => `\`${name}\``).join(',\n')}.

${each.filter(one => one.said).map(({ name, said }) => `- ${said.startsWith(name) ? '' : `${name}: `}${said.replaceAll('<', '&lt;').replaceAll(tempPath('').replace(/\/$/, ''), '')}\n`).join('')}`;
  const path = join(sourceDir, 'docs/wrong-settings.md');
  if (process.env.WRITE_WRONG_SETTINGS)
    writeFileSync(path, text);
  assert.equal(readFileSync(path, 'utf8'), text);
});
