// SPDX-License-Identifier: MIT
// tests/node/rag.test.mjs - questions answered from documents by a server that runs: with a model and
// without one, its sources, whose documents are seen, what is added meanwhile, stores that are down.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askdCommand, newConversation, startAskd, startMock } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const manual = `# Manual

## Overtime

Hours over forty a week are overtime. Overtime is paid at one and a half times the hourly rate.

## Photos

A photo is added to a work order with the camera button.
`;

const makePlace = t => {
  const folder = mkdtempSync(join(tmpdir(), 'askd-rag-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const store = join(folder, 'store.db');
  const env = { ASKD_VECTOR_URL: `sqlite:${store}`, ASKD_KEYWORD_URL: `sqlite:${store}` };
  const add = async (name, text, ...args) => {
    mkdirSync(join(folder, 'docs'), { recursive: true });
    writeFileSync(join(folder, 'docs', name), text);
    const result = await askdCommand(['docs', 'add', ...args, join(folder, 'docs', name)], { env: { ...env, ASKD_MODEL: 'offline' } });
    assert.equal(result.code, 0, result.stdout + result.stderr);
  };
  return { folder, env, add };
};

test('the documents’ own sentences, with their source; what is added while it runs is found', async t => {
  const place = makePlace(t);
  const askd = await startAskd({ env: place.env });
  t.after(() => askd.stop());
  const none = await askd.ask('How is overtime paid?');
  assert.equal(none.complete().route, 'rag');
  assert.match(none.complete().abstained, /no documents/);
  await place.add('core.md', manual);
  const found = await until('the server sees what was added', async () => {
    const answer = await askd.ask('How is overtime paid?');
    return answer.complete().abstained === undefined && answer;
  });
  assert.deepEqual(found.events.slice(0, 2), [
    { event: 'route_decision', route: 'rag' }, { event: 'tool_start', tool: 'rag_agent' }]);
  assert.match(found.text, /^Overtime is paid at one and a half times the hourly rate\. \[1\]$/);
  const [citation, ...more] = found.complete().citations;
  assert.equal(more.length, 0);
  assert.equal(citation.document, 'core.md');
  assert.equal(citation.heading, 'Manual > Overtime');
  assert.equal(citation.chunk, 'core.md#1');
  assert.ok(citation.score > 0 && citation.score <= 1);
  assert.match(citation.text, /Hours over forty/);
  const rows = await askd.ask('How many employees are active?');
  assert.equal(rows.complete().route, 'sql');
});

test('a model is given the passages, and what it makes up is told', async t => {
  const place = makePlace(t);
  await place.add('core.md', manual);
  const mock = await startMock([
    line('classify', 'RAG'),
    line('rag', 'Overtime is paid at twice the moon. [2]', { user: 'invented' }),
    line('rag', 'Overtime is paid at one and a half times the hourly rate. [1]'),
  ]);
  const askd = await startAskd({ mock, env: place.env });
  t.after(() => askd.stop());
  const good = await askd.ask('How is overtime paid?');
  assert.equal(good.complete().route, 'rag');
  assert.equal(good.complete().citations.length, 1);
  assert.equal(good.complete().unsupported, undefined);
  const bad = await askd.ask('How is overtime paid (invented)?');
  assert.equal(bad.complete().unsupported.length, 1);
  assert.match(bad.complete().unsupported[0], /moon/);
});

test('no canary crosses', async t => {
  const place = makePlace(t);
  for (const company of ['acme', 'globex'])
    await place.add(`${company}.md`, `# Rates\n\nOvertime of ${company} is paid at CANARY-${company} euros.\n`, '--company', company);
  await place.add('ann.md', '# Rates\n\nOvertime of Ann is paid at CANARY-ann euros.\n', '--company', 'acme', '--user', 'ann');
  const askd = await startAskd({ env: place.env });
  t.after(() => askd.stop());
  const callers = [
    ['acme', 'bob', ['acme']], ['acme', 'ann', ['acme', 'ann']], ['globex', 'ann', ['globex']], ['initech', 'ann', []],
  ];
  for (const [company_id, user_id, sees] of callers) {
    const answer = await askd.ask('How is overtime paid in euros, CANARY?',
      { conversation: { ...newConversation(), company_id, user_id }, options: { detail: 'debug' } });
    const seen = [...new Set([...answer.raw.matchAll(/CANARY-(\w+)/g)].map(found => found[1]))].sort();
    assert.deepEqual(seen, sees, `${company_id}/${user_id}`);
  }
});

test('one store down is a warning, both are retrieval_unavailable', async t => {
  const place = makePlace(t);
  await place.add('core.md', manual);
  const folder = join(place.folder, 'docs'); // no database
  const half = await startAskd({ env: { ...place.env, ASKD_VECTOR_URL: `sqlite:${folder}` }, ready: null });
  t.after(() => half.stop());
  const answer = await half.ask('How is overtime paid?');
  assert.match(answer.text, /one and a half/);
  assert.match(answer.complete().warnings[0], /Only one of two searches/);
  const none = await startAskd({ env: { ...place.env, ASKD_VECTOR_URL: `sqlite:${folder}`, ASKD_KEYWORD_URL: `sqlite:${folder}` }, ready: null });
  t.after(() => none.stop());
  const error = await none.ask('How is overtime paid?');
  error.error('retrieval_unavailable');
  const rows = await none.ask('How many employees are active?');
  assert.equal(rows.complete().route, 'sql');
  const off = await startAskd({ env: { ASKD_VECTOR_URL: 'none', ASKD_KEYWORD_URL: 'none' } });
  t.after(() => off.stop());
  const general = await off.ask('What is machine learning?');
  assert.equal(general.complete().route, 'general', 'without stores nothing is sent to the documents');
});

test('a reranker has the last word, in three wires; when it fails the first ranking stays, with a warning', async t => {
  const place = makePlace(t);
  // Three passages that the searches put in one order, and the words of the question in another.
  await place.add('core.md', '# Overtime overtime overtime\n\nOvertime overtime overtime overtime.\n');
  await place.add('rate.md', '# Pay\n\nWhoever stays longer gets more; the rate of overtime for a long night is twice the usual one.\n');
  const mock = await startMock([line('classify', 'RAG'), line('rag', 'It is twice the usual one. [1]')]);
  const ask = async (path, model) => {
    const askd = await startAskd({ mock, env: { ...place.env, ASKD_RERANK_URL: `${mock.url}${path}`, ASKD_RERANK_MODEL: model, ASKD_RERANK_KEY: 'k' }, ready: null });
    t.after(() => askd.stop());
    const answer = await askd.ask('What is the rate of overtime for a long night?');
    const readyz = await (await fetch(`${askd.url}/readyz`)).json();
    await askd.stop();
    return { complete: answer.complete(), reranker: readyz.backends.reranker, log: askd.child.stderr };
  };
  for (const [path, model] of [['/v2', 'mock'], ['/v1', 'mock'], ['', '']]) {
    const { complete, reranker } = await ask(path, model);
    assert.equal(complete.citations[0].document, 'rate.md', path);
    assert.equal(complete.warnings, undefined, JSON.stringify(complete.warnings));
    assert.equal(reranker.status, 'ok');
    assert.ok(reranker.answered_at, 'what was seen is told');
  }
  for (const [path, model, why] of [['/v2', 'mock-500', /answered 500/], ['/v1', 'mock-401', /refuses the key/], ['/v2', '', /unknown field/], ['/v2', 'mock-nonjson', /not understood/]]) {
    const { complete, reranker, log } = await ask(path, model);
    assert.equal(complete.warnings[0], 'The passages found were not reranked: the reranker did not answer.', path + model);
    assert.match(log.split('\n').find(one => /retrieval\.unranked/.test(one)), why); // not to the reader: it may hold addresses
    assert.ok(complete.citations.length > 0, 'the first ranking is there');
    assert.ok(reranker.failed_at);
  }
});

test('`askd check` tries the reranker; its address is looked at before anything starts', async t => {
  const place = makePlace(t);
  const mock = await startMock([]);
  const check = async env => askdCommand(['check'], { env: { ...place.env, ASKD_MODEL: 'offline', ...env } });
  const good = await check({ ASKD_RERANK_URL: mock.url });
  assert.match(good.stdout, /^reranker +ok +two texts put in order in \d+ ms$/m);
  const bad = await check({ ASKD_RERANK_URL: `${mock.url}/v2`, ASKD_RERANK_MODEL: 'mock-401', ASKD_RERANK_KEY: 'secret' });
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /^reranker +WRONG .*check ASKD_RERANK_KEY/m);
  assert.doesNotMatch(bad.stdout + bad.stderr, /secret/);
  const none = await check({});
  assert.doesNotMatch(none.stdout, /reranker/);
  const foo = await check({ ASKD_RERANK_URL: 'foo' });
  assert.equal(foo.code, 78);
  assert.match(foo.stderr, /ASKD_RERANK_URL.*http/);
});
