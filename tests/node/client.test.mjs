// SPDX-License-Identifier: MIT
// tests/node/client.test.mjs - examples/client: asked, gone on with after a cut, cancelled, refused; and its types, held
// against programs that are right and wrong by tsc.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const folder = join(sourceDir, 'examples/client');
const { Askd, AskdError } = await import(join(folder, 'index.js'));
const server = await startAskd({ env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const askd = new Askd({ url: server.url, company: 'acme', user: 'ann' });

test('asked, iterated to its end; a follow-up; the whole result', async () => {
  const events = [];
  const asked = askd.ask('list all work orders', { conversation: 'c-1', detail: 'nodes' });
  for await (const event of asked)
    events.push(event);
  assert.match(asked.id, /^run_/);
  assert.ok(events.some(event => event.event === 'node_start'));
  const end = events.at(-1);
  assert.equal(end.event, 'complete');
  assert.equal((await askd.rows(end.data.written)).row_count, end.data.total_rows);
  const { text, end: next } = await askd.ask('How many are there?', { conversation: 'c-1' }).result();
  assert.ok(text.length > 0 && next.event === 'complete');
});

test('a stream that is cut is gone on with: every event once', async () => {
  let cuts = 0;
  const cutting = async (...args) => {
    const response = await fetch(...args);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || cuts >= 3)
      return response;
    cuts++;
    const reader = response.body.getReader(), { value } = await reader.read();
    const half = value.subarray(0, Math.ceil(value.length / 2));
    return new Response(new ReadableStream({ start(controller) {
      controller.enqueue(half);
      reader.cancel();
      controller.error(new Error('cut'));
    } }), { status: response.status, headers: response.headers });
  };
  const shaky = new Askd({ url: server.url, company: 'acme', user: 'ann', fetch: cutting });
  const cut = shaky.ask('list all work orders'), got = [];
  for await (const event of cut)
    got.push(event);
  assert.equal(cuts, 3);
  const whole = [];
  for await (const event of askd.rejoin(cut.id))
    whole.push(event);
  assert.deepEqual(got, whole);
});

test('cancelled', async () => {
  const mock = await startMock([line('classify', 'GENERAL'), line('general', 'slow '.repeat(2000))], ['--rate', '100']);
  const slow = await startAskd({ mock });
  const client = new Askd({ url: slow.url, company: 'acme', user: 'ann' });
  const asked = client.ask('say much');
  const heard = asked.result();
  await until('it has begun', () => asked.id !== null);
  await asked.cancel();
  const { end } = await heard;
  assert.deepEqual([end.event, end.code], ['error', 'cancelled']);
});

test('what is refused names its field', async () => {
  await assert.rejects(askd.ask('').result(), error => error instanceof AskdError && error.status === 422 && error.pointer === '/input/message');
  await assert.rejects(askd.rows('DELETE FROM workOrder'), error => error.status === 422 && error.code === 'sql_rejected');
});

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const check = async (name, text) => {
  const place = tempPath(name);
  mkdirSync(place);
  writeFileSync(join(place, 'program.ts'), text);
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions: { strict: true, noEmit: true, target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'], types: [], paths: { '@askd/client': [join(folder, 'index.d.ts')] } }, files: ['program.ts'] }));
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  return run(process.execPath, [tsc, '-p', place]);
};

test('types: a program that is right', async () => {
  const { code, stdout } = await check('right', `import { Askd, AskdError, type Event, type Complete } from '@askd/client';
const askd = new Askd({ url: 'http://x', token: async () => 'k', company: 'acme' });
const told = (event: Event): string => {
  switch (event.event) {
    case 'token': return event.content;
    case 'complete': return String(event.data?.rows[0]?.[0] ?? event.clarify?.options.join() ?? '');
    case 'error': return event.code === 'cancelled' ? '' : event.message;
    case 'tool_start': return event.tool;
    default: return event.event;
  }
};
export const all = async (): Promise<Complete | null> => {
  for await (const event of askd.ask('q', { graph: 'sql_agent', detail: 'nodes' }))
    told(event);
  const { end } = await askd.rejoin('run_1', { lastEventId: 'run_1:3' }).result();
  if (end?.event === 'error')
    throw new AskdError();
  return end?.event === 'complete' && end.interrupted ? (await askd.resume(end.run_id, { action: 'approve' }).result()).end as Complete : null;
};
`);
  assert.equal(code, 0, stdout);
});

// docs/events.md is the list of them.
const kinds = [...readFileSync(join(sourceDir, 'docs/events.md'), 'utf8').split(/^## `complete`/m)[0].matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)]
  .flatMap(([, names]) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name)).filter(name => name !== 'event');

test('types: every event of the documentation, and no other', async () => {
  assert.ok(kinds.length >= 14, kinds.join());
  const { code, stdout } = await check('every', `import type { Event, Interrupt, Approval, ClientResults } from '@askd/client';
const name = (event: Event): string => {
  switch (event.event) {
${kinds.map(kind => `    case '${kind}': return event.event;`).join('\n')}
    default: { const none: never = event; return none; }
  }
};
const known: Record<Event['event'], true> = { ${kinds.map(kind => `${kind}: true`).join(', ')} };
export const answer = (asked: Interrupt): Approval | ClientResults | string => {
  switch (asked.type) {
    case 'sql_approval': return { action: 'edit', sql: asked.sql };
    case 'tool_approval': return { action: 'edit', arguments: { of: asked.tool } };
    case 'client_tools': return { results: asked.calls.map(({ id, tool }) => ({ id, content: tool })) };
    default: return asked.options?.[0] ?? '';
  }
};
void name; void known;
`);
  assert.equal(code, 0, stdout);
});

test('rows come first where they are asked for first', async () => {
  const kindsHeard = [];
  for await (const event of askd.ask('list all work orders', { data: 'first' }))
    kindsHeard.push(event.event);
  assert.ok(kindsHeard.includes('data') && kindsHeard.indexOf('data') < kindsHeard.indexOf('complete'), kindsHeard.join());
});

for (const [name, line] of Object.entries({ interrupt: "event.event === 'interrupt' && event.type === 'sql_approval' && event.tool", member: 'event.content', code: "event.event === 'error' && event.code === 'nonsense'", option: "new Askd({ uri: 'x' })" }))
  test(`types: wrong: ${name}`, async () => {
    const { code, stdout } = await check(`wrong-${name}`, `import { Askd, type Event } from '@askd/client';\nexport const f = (event: Event) => ${line};\nvoid Askd;\n`);
    assert.notEqual(code, 0);
    assert.match(stdout, /program\.ts\(2,/);
  });
