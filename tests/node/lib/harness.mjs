// SPDX-License-Identifier: MIT
// tests/node/lib/harness.mjs - the real programs for one test file: mockllm, askd, a database.
//
// The paths come in ASKD_BIN, MOCKLLM_BIN and MAKE_SAMPLES_BIN. What a test starts is stopped by
// stopAll, which demands exit code 0 of askd and silence of its sanitizers.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Process, run, until } from './process.mjs';
import { readStream } from './sse.mjs';

export const sourceDir = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

const program = name => {
  assert.ok(process.env[name], `${name} is not set: run this through ctest`);
  return process.env[name];
};

const started = [];
const folder = mkdtempSync(join(tmpdir(), 'askd-node-'));
export const tempPath = name => join(folder, name);

// Only when a test file broke, or was stopped, before its end is there still something to kill.
process.on('exit', () => {
  for (const one of started)
    one.child.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => process.exit(1));

after(async () => {
  const stops = await Promise.allSettled(started.map(one => one.stop()));
  rmSync(folder, { recursive: true, force: true });
  for (const stop of stops)
    if (stop.status === 'rejected')
      throw stop.reason;
});

// Something else to stop at the end: { child: Process, stop() }.
export const stopAtEnd = one => {
  started.push(one);
  return one;
};

// ---- the model ----

class Mock {
  constructor(child, port) {
    this.child = child;
    this.url = `http://127.0.0.1:${port}`;
  }

  async stats() {
    return (await fetch(`${this.url}/mock/stats`)).json();
  }

  async reset() {
    await fetch(`${this.url}/mock/reset`, { method: 'POST' });
  }

  // Wait until it holds so many streams.
  async holds(count = 1) {
    await until(`${count} are held`, async () => (await this.stats()).held >= count);
  }

  // Let what is held go on, also what comes to that meanwhile, until the promise has settled; returns it.
  async release(promise) {
    let over = false;
    const settled = promise.finally(() => { over = true; });
    settled.catch(() => {});
    while (!over) {
      await fetch(`${this.url}/mock/release`, { method: 'POST' });
      await Promise.race([settled.catch(() => {}), new Promise(resolve => setTimeout(resolve, 10))]);
    }
    return settled;
  }

  async stop() {
    if (!this.child.result)
      this.child.child.kill('SIGTERM');
    await this.child.ended;
  }
}

let scripts = 0;

// script: lines as in tests/mockllm/mock_script.h, as objects; args: more options.
export const startMock = async (script = [], args = []) => {
  const path = tempPath(`script-${++scripts}.jsonl`);
  writeFileSync(path, script.map(line => JSON.stringify(line) + '\n').join(''));
  const child = new Process(program('MOCKLLM_BIN'), ['--port', '0', '--script', path, ...args], { cwd: folder });
  const [, port] = await child.said(/listening 127\.0\.0\.1:(\d+)\D/);
  const mock = new Mock(child, port);
  started.push(mock);
  return mock;
};

// ---- the database ----

let sample;

// The sample database, made once a file.
export const sampleDatabase = () => sample ??= (async () => {
  const path = tempPath('sample.db');
  const made = await run(program('MAKE_SAMPLES_BIN'), [path], { cwd: folder });
  assert.equal(made.code, 0, made.stderr);
  return path;
})();

// ---- askd ----

class Askd {
  constructor(child, url) {
    this.child = child;
    this.url = url;
  }

  async fetch(path, options) {
    try {
      return await fetch(this.url + path, options);
    } catch (error) {
      if (error.name === 'TypeError') // undici's "fetch failed" keeps why to itself
        error.message += `: ${error.cause?.message}; askd said:\n${this.child.stderr.slice(-2000)}`;
      throw error;
    }
  }

  // POST body as JSON; options: headers, signal.
  post(path, body, { headers = {}, ...options } = {}) {
    return this.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      ...options,
    });
  }

  // Ask in a stream and read it to its end: a Transcript.
  async ask(message, { conversation, options, headers, path = '/internal/chat/stream', signal, stop } = {}) {
    const response = await this.post(path, question(message, conversation, options), { headers, signal });
    assert.equal(response.status, 200, response.status === 200 ? '' : await response.text());
    assert.match(response.headers.get('content-type'), /^text\/event-stream/);
    return readStream(response.body, stop);
  }

  async metric(name) {
    const text = await (await this.fetch('/metrics')).text();
    return text.split('\n').filter(line => line.startsWith(name) && /[ {]/.test(line[name.length]))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  // SIGTERM once: a second one would end it at once.
  terminate() {
    if (!this.terminated)
      this.child.child.kill('SIGTERM');
    this.terminated = true;
  }

  // SIGKILL: not to be asked anything any more.
  kill() {
    this.stopped = true;
    return this.child.child.kill('SIGKILL');
  }

  // Ask it to stop, and demand that it ends well.
  async stop() {
    if (this.stopped)
      return;
    this.stopped = true;
    this.terminate();
    const result = await this.child.wait();
    assert.deepEqual(result, { code: 0, signal: null }, this.child.stderr.slice(-4000));
  }
}

let conversations = 0;
export const newConversation = () =>
  ({ id: `conv-${process.pid}-${++conversations}`, user_id: 'user-1', company_id: 'acme' });

// Whose newConversation's runs are, as the query of /internal/runs has it.
export const ofUser1 = 'company_id=acme&user_id=user-1';

export const question = (message, conversation = newConversation(), options) =>
  ({ input: { message }, conversation, ...(options && { options }) });

const startPath = async (env, args) => {
  const child = new Process(program('ASKD_BIN'), ['serve', ...args], { cwd: folder, env, input: null });
  const [, port] = await child.said(/http:\/\/127\.0\.0\.1:(\d+)\D/);
  const askd = new Askd(child, `http://127.0.0.1:${port}`);
  started.push(askd);
  return askd;
};

// Serve with the sample database and, when there is a mock, its model. ready: the status that
// /readyz must come to; null: any, once runs are taken; 'starting': before that.
export const startAskd = async ({ mock, model, env = {}, args = [], ready = 200, database } = {}) => {
  const settings = {
    ASKD_PORT: '0',
    ASKD_TODAY: '2025-06-30',
    ASKD_CHECKPOINT_URL: 'none',
    ASKD_DATABASE_URL: `sqlite:${database ?? await sampleDatabase()}`,
    ASKD_TENANCY: 'off', // where a test takes the next one away
    ASKD_TENANT_COLUMN: 'companyId',
    ASKD_SHARED_TABLES: 'customers,accounts,transactions,inspectionQuestion',
    ASKD_SECURE_VIEWS: join(sourceDir, 'samples/secure_views.json'),
    ASKD_PROMPT_DIR: join(sourceDir, 'agents'),
    SQL_CANDIDATES: '1', // scripts say what each call answers; candidates.test.mjs looks at the others
    ...(mock ? { ASKD_MODEL: 'openai', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${mock.url}/v1`,
      OPENAI_MODEL: model ?? 'mock' } : { ASKD_MODEL: 'offline' }),
    ...env,
  };
  for (const name of Object.keys(settings))
    if (settings[name] === undefined)
      delete settings[name];
  const askd = await startPath(settings, args);
  await until('/healthz', async () => (await askd.fetch('/healthz')).status === 200);
  await until(() => `/readyz ${ready}:\n${askd.child.stderr.replace(/.*\/readyz.*\n/g, '')}`,
    async () => {
      const answer = await askd.fetch('/readyz');
      const { status } = await answer.json();
      return ready === 'starting' ? status === ready : status !== 'starting' && [null, answer.status].includes(ready);
    });
  return askd;
};

// `askd ...` to its end.
export const askdCommand = async (args, { env = {}, input, ms } = {}) =>
  run(program('ASKD_BIN'), args, { cwd: folder, env: { ASKD_TENANCY: 'off', ...env }, input, ms });
