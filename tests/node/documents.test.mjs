// SPDX-License-Identifier: MIT
// tests/node/documents.test.mjs - documents over HTTP: added in each format, with their progress; seen
// and searched by their owner alone; bounded for a company; changed by who may.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askdCommand, startAskd } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { makeDocx, makePdf, makeXlsx } from './lib/office.mjs';

const folder = mkdtempSync(join(tmpdir(), 'askd-documents-'));
const digest = text => createHash('sha256').update(text).digest('hex');
const keys = { keys: [
  { name: 'acme', sha256: digest('acme'), companies: ['acme'], scopes: ['ask'] },
  { name: 'globex', sha256: digest('globex'), companies: ['globex'], scopes: ['ask'] },
  { name: 'root', sha256: digest('root'), scopes: ['ask', 'admin'] },
] };
writeFileSync(join(folder, 'auth.json'), JSON.stringify(keys));
const store = `sqlite:${join(folder, 'documents.db')}`;
const stores = { ASKD_VECTOR_URL: store, ASKD_KEYWORD_URL: store };
const askd = await startAskd({ env: { ...stores, ASKD_AUTH_FILE: join(folder, 'auth.json'), ASKD_WORKERS: '2', ASKD_UPLOADS: 'company',
  ASKD_COMPANY_DOCUMENTS: '8', ASKD_COMPANY_PASSAGES: '400', ASKD_UPLOAD_BYTES: '2m' } });
after(() => askd.stop());

/** A request in the name of a company's user. */
const as = (key, user = 'ann') => async (path, { query = '', headers, ...options } = {}) => {
  const of = `company_id=${key === 'root' ? 'acme' : key}&user_id=${user}`;
  return askd.fetch(`/internal/documents${path}?${of}${query}`, { headers: { Authorization: `Bearer ${key}`, ...headers }, ...options });
};
const ann = as('acme'), bob = as('acme', 'bob'), eve = as('globex'), root = as('root');
const put = (who, name, body, { headers, ...more } = {}) => who(`/${encodeURIComponent(name)}`,
  { method: 'PUT', body, headers: { 'Content-Type': 'application/octet-stream', ...headers }, ...more });
const names = async who => (await (await who('')).json()).documents.map(one => one.id).sort();
const ask = async (key, message, user = 'ann') => {
  const { events } = await askd.ask(message, { headers: { Authorization: `Bearer ${key}` },
    conversation: { id: `c${Math.random()}`, company_id: key, user_id: user } });
  return { ...events.at(-1), answer: events.filter(one => one.event === 'token' && one.channel === 'final').map(one => one.content).join('') };
};

test('each format is added, and an answer comes from it', async () => {
  const files = [
    ['badgers.md', '# Badgers\n\nThe badger allowance is 44 euros a night.\n'],
    ['otters.html', '<h1>Otters</h1><p>Otters are counted on the second Tuesday.</p>'],
    ['plain.txt', 'Herons sleep standing.'],
    ['voles.pdf', makePdf(['The vole permit costs 17 euros.'])],
    ['hares.docx', makeDocx([['Heading1', 'Hares'], ['', 'Hares are released in March.']])],
    ['moles.xlsx', makeXlsx([['mole', 'weight'], ['Anton', '120']])],
    ['toads.csv', 'toad,weight\nBerta,90\n'],
  ];
  for (const [name, body] of files) {
    const response = await put(ann, name, body);
    const { outcome, document } = await response.json();
    assert.equal(response.status, 201, name);
    assert.equal(outcome, 'added');
    assert.deepEqual([document.id, document.for, document.state, document.may_change], [name, 'company', 'ready', true]);
    assert.ok(document.passages >= 1 && document.added_ms > 0);
  }
  assert.deepEqual(await names(bob), files.map(([name]) => name).sort());
  assert.deepEqual(await names(eve), []);
  const { citations, answer } = await ask('acme', 'What is the badger allowance?');
  assert.match(answer, /44 euros/);
  assert.equal(citations[0].document, 'badgers.md');
  assert.ok(!/44 euros/.test(JSON.stringify(await ask('globex', 'What is the badger allowance?'))), 'of that company alone');
});

test('again: unchanged, then updated; progress as events', async () => {
  const same = await put(bob, 'plain.txt', 'Herons sleep standing.');
  assert.deepEqual([same.status, (await same.json()).outcome], [200, 'unchanged']);
  const text = `# Long\n\n${Array.from({ length: 300 }, (_, i) => `Paragraph ${i} is about a thing of number ${i}. ${'And so on. '.repeat(20)}`).join('\n\n')}`;
  const response = await put(ann, 'plain.txt', text.slice(0, 60_000), { headers: { Accept: 'text/event-stream' } });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const events = (await response.text()).split('\n\n').filter(Boolean).map(one => JSON.parse(one.replace(/^data: /, '')));
  assert.equal(events[0].event, 'progress');
  assert.equal(events[0].document.state, 'waiting');
  assert.deepEqual([events.at(-1).event, events.at(-1).outcome], ['complete', 'updated']);
  const shown = await (await bob('/plain.txt')).json();
  assert.equal(shown.passages, events.at(-1).document.passages);
  assert.ok(shown.passages > 10);
});

test('a client that leaves in the middle of its events, or of its file, stops nothing else', async () => {
  const leaves = new AbortController();
  const text = `# Left\n\n${Array.from({ length: 400 }, (_, i) => `Paragraph ${i} is long enough to be read. ${'And so on. '.repeat(8)}`).join('\n\n')}`;
  const response = await put(eve, 'left.md', text.slice(0, 40_000), { headers: { Accept: 'text/event-stream' }, signal: leaves.signal });
  await response.body.getReader().read();
  leaves.abort();
  await until('it is added all the same', async () => (await (await eve('/left.md')).json()).state === 'ready');
  const half = new AbortController();
  const body = new ReadableStream({ start: stream => stream.enqueue(new TextEncoder().encode('# Half\n\n')) });
  const cut = put(eve, 'half.md', body, { duplex: 'half', signal: half.signal });
  setTimeout(() => half.abort(), 100);
  await assert.rejects(cut);
  assert.equal((await eve('/half.md')).status, 404);
  assert.equal((await eve('/left.md', { method: 'DELETE' })).status, 204);
});

test('whose it is: a user\'s own, the company\'s, everybody\'s', async () => {
  assert.equal((await put(ann, 'mine.md', '# Mine\n\nThe locker code is 9351.', { query: '&for=user' })).status, 201);
  assert.ok((await names(ann)).includes('mine.md') && !(await names(bob)).includes('mine.md'));
  assert.match((await ask('acme', 'What is the locker code?')).answer, /9351/);
  assert.ok(!/9351/.test(JSON.stringify(await ask('acme', 'What is the locker code?', 'bob'))));
  assert.equal((await bob('/mine.md', { query: '&for=user' })).status, 404);
  assert.equal((await bob('/mine.md', { query: '&for=user', method: 'DELETE' })).status, 404);
  const refused = await put(ann, 'all.md', '# All\n\nAll of it.', { query: '&for=everybody' });
  assert.equal(refused.status, 403, await refused.text());
  assert.equal((await put(root, 'all.md', '# All\n\nThe gate opens at 5:15.', { query: '&for=everybody' })).status, 201);
  assert.deepEqual(await names(eve), ['all.md']);
  assert.match((await ask('globex', 'When does the gate open?')).answer, /5:15/);
  assert.equal((await eve('/all.md', { query: '&for=everybody', method: 'DELETE' })).status, 403);
});

test('two companies have a document of one name', async () => {
  assert.equal((await put(eve, 'badgers.md', '# Badgers\n\nThe badger allowance is 71 dollars.')).status, 201);
  assert.match((await ask('globex', 'What is the badger allowance?')).answer, /71 dollars/);
  assert.match((await ask('acme', 'What is the badger allowance?')).answer, /44 euros/);
  assert.equal((await eve('/badgers.md', { method: 'DELETE' })).status, 204);
  assert.equal((await eve('/badgers.md')).status, 404);
  assert.match((await ask('acme', 'What is the badger allowance?')).answer, /44 euros/);
});

test('limits and mistakes are told', async () => {
  assert.equal((await ann('/toads.csv', { method: 'DELETE' })).status, 204);
  const cases = [
    ['x.exe', 'MZ', 415, /name that ends with/], ['x.pdf', 'no pdf', 422, /./], ['x.md', '', 422, /bytes of a file/],
    ['x.md', 'x'.repeat(3 << 20), 413, /./], [`${'n'.repeat(120)}.md`, '# x', 400, /1 to 96 bytes/],
  ];
  for (const [name, body, status, words] of cases) {
    const response = await put(ann, name, body);
    const text = await response.text();
    assert.equal(response.status, status, `${name}: ${text}`);
    assert.match(JSON.parse(text).detail, words);
  }
  assert.equal((await put(ann, 'x.md', '# x\n\ny', { query: '&for=them' })).status, 400);
  assert.equal((await put(ann, 'x.md', '# x\n\ny', { query: '&kind=sql-pairs' })).status, 400);
  assert.equal((await put(ann, 'typed', '# x\n\ny', { headers: { 'Content-Type': 'application/octet-stream' } })).status, 415);
  const typed = await put(ann, 'typed', '# Typed\n\nThe newt fee is 3 euros.', { headers: { 'Content-Type': 'text/markdown; charset=utf-8' } });
  assert.equal(typed.status, 201);
  const full = await put(ann, 'ninth.md', '# Ninth\n\nNo room.');
  assert.equal(full.status, 413, 'there are eight');
  assert.match((await full.json()).detail, /8 documents/);
  assert.equal((await ann('/typed', { method: 'DELETE' })).status, 204);
  const large = await put(ann, 'large.txt', Array.from({ length: 20_000 }, (_, i) => `Sentence ${i} stands here by itself.`).join('\n\n'),
    { headers: { Accept: 'text/event-stream' } });
  assert.match(await large.text(), /"event":"error".*there is room for/);
  assert.equal((await askd.post('/internal/chat/stream', { input: { message: 'x'.repeat(1.5 * 1024 * 1024) }, conversation: {} },
    { headers: { Authorization: 'Bearer acme' } })).status, 413, 'other bodies are as short as ever');
});

test('what an administrator added is not for users to change', async () => {
  const path = join(folder, 'rules.md');
  writeFileSync(path, '# Rules\n\nRules stand.');
  const { code, stderr } = await askdCommand(['docs', 'add', path, '--company', 'acme'], { env: { ASKD_MODEL: 'offline', ...stores } });
  assert.equal(code, 0, stderr);
  await until('it is listed', async () => (await names(ann)).includes('rules.md'));
  assert.equal((await (await ann('/rules.md')).json()).may_change, false);
  assert.equal((await ann('/rules.md', { method: 'DELETE' })).status, 403);
  assert.equal((await root('/rules.md', { method: 'DELETE' })).status, 204);
});

test('who adds whose, by the setting; by default callers add what they alone are answered from', async () => {
  const env = { ...stores, ASKD_AUTH_FILE: join(folder, 'auth.json') };
  for (const [name, uploads, addsFor, company, user, unsaid] of [['off', { ASKD_UPLOADS: 'off' }, null, 403, 403, 403],
    ['user', { ASKD_UPLOADS: 'user' }, 'user', 403, 201, 200], ['default', {}, 'user', 403, 201, 200]]) {
    const other = await startAskd({ env: { ...env, ...uploads } });
    const request = (path, key, options) => other.fetch(`/internal/documents${path}company_id=acme&user_id=ann`, { headers: { Authorization: `Bearer ${key}` }, ...options });
    const status = async (query, key = 'acme', method = 'PUT') => (await request(`/n-${name}.md?${query}`, key, { method, ...(method === 'PUT' && { body: '# N\n\nNew.' }) })).status;
    const list = async key => (await request('?', key)).json();
    assert.deepEqual([await status('for=company&'), await status('for=user&'), await status(''), await status('for=everybody&')], [company, user, unsaid, 403], name);
    assert.equal(await status('for=company&', 'acme', 'DELETE'), 403, 'nor take away what is not there');
    assert.equal(await status('', 'root'), 201, 'an administrator shares one with the company');
    const { documents, adds_for } = await list('acme');
    assert.deepEqual([adds_for, (await list('root')).adds_for], [addsFor, 'company']);
    const mine = documents.filter(one => one.id === `n-${name}.md`).map(one => [one.for, one.may_change]);
    assert.deepEqual(mine, user === 201 ? [['company', false], ['user', true]] : [['company', false]]);
    if (user === 201)
      assert.equal(await status('', 'acme', 'DELETE'), 204, 'and of the two it is one\'s own that goes');
    await other.stop();
  }
});
