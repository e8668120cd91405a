// SPDX-License-Identifier: MIT
// tests/node/sharing.test.mjs - names, pins and links of conversations: the owner's alone, erased with them, and good
// until they expire or are taken back.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startAskd, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';

const path = tempPath('kept.db');
const askd = await startAskd({ env: { ASKD_CHECKPOINT_URL: `sqlite:${path}`, ASKD_API_KEYS: 'k-1234567890', ASKD_SHARE_LINKS: 'on' } });
const send = (method, path, body, headers = { authorization: 'Bearer k-1234567890' }) => askd.fetch(path, {
  method, headers: { 'content-type': 'application/json', ...headers }, body: body === undefined ? undefined : JSON.stringify(body) });
const ann = 'company_id=acme&user_id=ann', bob = 'company_id=globex&user_id=bob';
const one = (id, who = ann, rest = '') => `/internal/conversations/${id}${rest}?${who}`;
const json = async answer => answer.json();

const ask = async (id, message = 'How many work orders are there?') => {
  const answer = await send('POST', '/internal/graphs/orchestrator/invoke', { input: { message }, conversation: { id, company_id: 'acme', user_id: 'ann' } });
  assert.equal(answer.status, 200, await answer.text());
};
const listed = async who => (await json(await send('GET', `/internal/conversations?${who}`))).conversations;

await ask('c-1');
await ask('c-2');

test('a name and a pin', async () => {
  assert.deepEqual(await json(await send('PATCH', one('c-1'), { title: '  Work  ' })), { conversation_id: 'c-1', title: 'Work', pinned: false });
  assert.deepEqual(await json(await send('PATCH', one('c-1'), { pinned: true })), { conversation_id: 'c-1', title: 'Work', pinned: true });
  const [found] = (await listed(ann)).filter(item => item.conversation_id === 'c-1');
  assert.deepEqual([found.title, found.pinned], ['Work', true]);
  await ask('c-1');
  assert.equal((await listed(ann)).find(item => item.conversation_id === 'c-1').title, 'Work', 'after another turn');
  assert.equal((await json(await send('PATCH', one('c-1'), { title: '' }))).title, '');
  assert.match((await listed(ann)).find(item => item.conversation_id === 'c-1').title, /^How many/);
});

const wrong = [[{}, 422], [{ title: 7 }, 422], [{ title: 'x'.repeat(201) }, 422], [{ pinned: 'yes' }, 422], [undefined, 400], [[], 422]];
for (const [body, status] of wrong)
  test(`refused: ${JSON.stringify(body)?.slice(0, 40)}`, async () => assert.equal((await send('PATCH', one('c-1'), body)).status, status));

test('nobody else has it', async () => {
  for (const [method, rest, body] of [['PATCH', '', { title: 'x' }], ['POST', '/share', {}], ['DELETE', '/share', undefined]])
    assert.equal((await send(method, one('c-1', bob, rest), body)).status, 404, method);
  assert.equal((await send('PATCH', one('none'), { title: 'x' })).status, 404);
});

test('a link is read without a key, up to where it was made', async () => {
  const { token, expires_ms: until } = await json(await send('POST', one('c-2', ann, '/share'), { days: 3 }));
  assert.ok(Math.abs(until - Date.now() - 3 * 86400000) < 600000);
  const { messages: [, { run_id: run }] } = await json(await send('GET', one('c-2')));
  assert.equal((await send('POST', `/internal/runs/${run}/feedback?${ann}`, { score: -1, reason: 'nobody else’s business' })).status, 200);
  await ask('c-2', 'How many employees are there?');
  assert.deepEqual((await json(await send('GET', one('c-2')))).messages.map(message => message.feedback), [undefined, -1, undefined, undefined]);
  const read = rest => send('GET', `/internal/shared/${token}${rest ?? ''}`, undefined, {});
  const shown = await json(await read());
  assert.equal(shown.messages.length, 2);
  assert.equal(shown.messages[0].content, 'How many work orders are there?');
  assert.ok(shown.messages[1].details.result.data.rows.length > 0);
  assert.equal(shown.messages[1].feedback, undefined);
  assert.equal((await read('x')).status, 404);
  assert.equal((await send('GET', '/internal/shared/nonsense', undefined, {})).status, 404);
  const [secret, company, user, id] = Buffer.from(token, 'base64url').toString().split('\n');
  assert.deepEqual([company, user, id], ['acme', 'ann', 'c-2']);
  assert.match(secret, /^[0-9a-f]{32}$/);
  const forged = rest => Buffer.from(rest.join('\n')).toString('base64url');
  for (const rest of [[secret, company, user, 'c-1'], [secret.replace(/./, c => c === '0' ? '1' : '0'), company, user, id], ['0'.repeat(32), company, user, id], [secret, 'globex', user, id]])
    assert.equal((await send('GET', `/internal/shared/${forged(rest)}`, undefined, {})).status, 404, rest.join());
  assert.equal((await send('DELETE', one('c-2', ann, '/share'))).status, 204);
  assert.equal((await read()).status, 404);
});

test('a link is good until it has expired', async () => {
  await ask('c-9');
  const [first, second] = [await json(await send('POST', one('c-9', ann, '/share'), { days: 1 })), await json(await send('POST', one('c-9', ann, '/share'), { days: 1 }))];
  const secret = Buffer.from(first.token, 'base64url').toString().split('\n')[0], store = new DatabaseSync(path, { timeout: 60000 });
  assert.equal(store.prepare("UPDATE notes SET bytes = CAST(? || substr(bytes, instr(bytes, CAST(' ' AS BLOB))) AS BLOB) WHERE name LIKE '%' || ?").run(String(Date.now() - 1000), secret).changes, 1);
  store.close();
  const status = async ({ token }) => (await send('GET', `/internal/shared/${token}`, undefined, {})).status;
  assert.deepEqual([await status(first), await status(second)], [404, 200]);
});

// Two servers on one store and requests that pass each other: each reads the links before the other has written.
test('a link that was taken back stays so while others are made', async () => {
  const other = await startAskd({ env: { ASKD_CHECKPOINT_URL: `sqlite:${path}`, ASKD_API_KEYS: 'k-1234567890', ASKD_SHARE_LINKS: 'on' } });
  await ask('c-3');
  const at = [askd, other].map(server => (method, path, body) => server.fetch(path, {
    method, headers: { 'content-type': 'application/json', authorization: 'Bearer k-1234567890' }, body: body && JSON.stringify(body) }));
  const share = async send => json(await send('POST', one('c-3', ann, '/share'), {}));
  const status = async ({ token }) => (await send('GET', `/internal/shared/${token}`, undefined, {})).status;
  for (let round = 0; round < 12; round++) {
    const taken = await share(at[0]);
    assert.equal(await status(taken), 200);
    const [ended, ...made] = await Promise.all([at[0]('DELETE', one('c-3', ann, '/share')), ...[0, 0, 1, 1].map(i => share(at[i]))]);
    assert.equal(ended.status, 204);
    assert.equal(await status(taken), 404, `round ${round}`);
    const kept = await Promise.all([0, 0, 1, 1].map(i => share(at[i])));
    for (const link of kept)
      assert.equal(await status(link), 200, `round ${round}: none of those made at one time is lost`);
    assert.equal((await at[1]('DELETE', one('c-3', ann, '/share'))).status, 204);
    for (const link of [...made, ...kept])
      assert.equal(await status(link), 404);
  }
});

// Likewise: each change is a note of its own.
test('labels that are one note yet, as they were before, are read, changed and erased', async () => {
  for (const id of ['b-1', 'b-2', 'b-3'])
    await ask(id);
  const before = [{ id: 'b-1', title: 'One', pinned: true }, { id: 'b-2', title: 'Two' }, { id: 'b-3', pinned: true }];
  const db = new DatabaseSync(path, { timeout: 60000 });
  db.prepare("INSERT INTO user_notes VALUES ('acme', 'ann', 'labels', ?)").run(Buffer.from(JSON.stringify(before)));
  const labels = async () => (await listed(ann)).filter(item => item.conversation_id.startsWith('b-'))
    .map(item => [item.conversation_id, item.title, item.pinned ?? false]).sort();
  const third = (await listed(ann)).find(item => item.conversation_id === 'b-3').title; // its first question
  assert.deepEqual(await labels(), [['b-1', 'One', true], ['b-2', 'Two', false], ['b-3', third, true]]);
  assert.deepEqual(await json(await send('PATCH', one('b-1'), { pinned: false })), { conversation_id: 'b-1', title: 'One', pinned: false });
  assert.equal((await send('DELETE', one('b-2'))).status, 204);
  assert.deepEqual(await labels(), [['b-1', 'One', false], ['b-3', third, true]]);
  const kept = db.prepare("SELECT name FROM user_notes WHERE company_id = 'acme'").all().map(row => row.name);
  db.close();
  assert.ok(!kept.includes('labels') && !kept.includes('title/b-2'), kept.join());
});

test('names and pins that are given at the same time all stay; those of what is erased go', async () => {
  const other = await startAskd({ env: { ASKD_CHECKPOINT_URL: `sqlite:${path}`, ASKD_API_KEYS: 'k-1234567890', ASKD_SHARE_LINKS: 'on' } });
  const at = [askd, other].map(server => (method, id, body) => server.fetch(one(id), {
    method, headers: { 'content-type': 'application/json', authorization: 'Bearer k-1234567890' }, body: body && JSON.stringify(body) }));
  const ids = ['c-5', 'c-6', 'c-7'];
  for (const id of ids)
    await ask(id);
  await until('the other server finds them', async () => // a turn is stored behind its stream
    (await Promise.all(ids.map(id => at[1]('GET', id)))).every(({ status }) => status === 200));
  const labels = async () => (await listed(ann)).filter(item => ids.includes(item.conversation_id))
    .map(item => [item.conversation_id, item.title, item.pinned ?? false]).sort();
  for (let round = 0; round < 8; round++) {
    const pinned = round % 2 === 0;
    const answers = await Promise.all(ids.flatMap((id, i) => [
      at[i % 2]('PATCH', id, { title: `${id} in ${round}` }), at[(i + 1) % 2]('PATCH', id, { pinned })]));
    assert.deepEqual(answers.map(answer => answer.status), answers.map(() => 200));
    assert.deepEqual(await labels(), ids.map(id => [id, `${id} in ${round}`, pinned]), `round ${round}`);
  }
  const kept = new DatabaseSync(path, { timeout: 60000 });
  for (let round = 0; round < 8; round++) {
    await ask('c-8');
    const [named, erased] = await Promise.all([at[round % 2]('PATCH', 'c-8', { title: 'Secret plans', pinned: true }), at[0]('DELETE', 'c-8')]);
    assert.ok([200, 404].includes(named.status), `round ${round}: ${named.status}`);
    assert.equal(erased.status, 204);
    assert.equal(kept.prepare("SELECT count(*) AS n FROM user_notes WHERE name LIKE '%/c-8'").get().n, 0, `round ${round}: nothing of it is left`);
  }
  kept.close();
});

test('twenty links, and then the oldest goes', async () => {
  const made = [];
  for (let i = 0; i < 22; i++)
    made.push(await json(await send('POST', one('c-1', ann, '/share'), {})));
  const good = [];
  for (const { token } of made)
    good.push((await send('GET', `/internal/shared/${token}`, undefined, {})).status === 200);
  assert.equal(good.filter(Boolean).length, 20);
  assert.ok(good.at(-1) && !good[0]);
});

test('a copy of a conversation has none of its links', async () => {
  const { token } = await json(await send('POST', one('c-1', ann, '/share'), {}));
  const forked = await send('POST', one('c-1', `to=c-4&${ann}`, '/fork'));
  assert.equal(forked.status, 201, await forked.text());
  const [secret, ...rest] = Buffer.from(token, 'base64url').toString().split('\n');
  assert.equal((await send('GET', `/internal/shared/${token}`, undefined, {})).status, 200);
  const of = [secret, ...rest.slice(0, 2), 'c-9'].join('\n');
  assert.equal((await send('GET', `/internal/shared/${Buffer.from(of).toString('base64url')}`, undefined, {})).status, 404);
});

test('days that are none; links that are not wanted', async () => {
  for (const days of [0, 366, 'week', 1.5])
    assert.equal((await send('POST', one('c-2', ann, '/share'), { days })).status, 422, String(days));
});

// Who set keys means that nobody reads without one: not by a link either, not even one that was made before.
for (const [what, env, status] of [['off', { ASKD_SHARE_LINKS: 'off' }, 403], ['keys are set', { ASKD_API_KEYS: 'k-1234567890' }, 403], ['no keys are set', {}, 200]])
  test(`links where ${what}`, async () => {
    await ask('c-9');
    const made = await json(await send('POST', one('c-9', ann, '/share'), {}));
    const other = await startAskd({ env: { ASKD_CHECKPOINT_URL: `sqlite:${path}`, ...env } });
    const answer = await other.post(`/internal/conversations/c-9/share?${ann}`, {}, { headers: { authorization: 'Bearer k-1234567890' } });
    assert.equal(answer.status, status === 200 ? 201 : status, await answer.text());
    assert.equal((await other.fetch(`/internal/shared/${made.token}`)).status, status);
    const { features } = await json(await other.fetch('/internal/about', { headers: { authorization: 'Bearer k-1234567890' } }));
    assert.equal(features.includes('shares'), status === 200);
  });


test('what is erased takes its name and its links with it', async () => {
  await send('PATCH', one('c-2'), { title: 'Secret plans' });
  const { token } = await json(await send('POST', one('c-2', ann, '/share'), {}));
  assert.equal((await send('DELETE', one('c-2'))).status, 204);
  assert.equal((await send('GET', `/internal/shared/${token}`, undefined, {})).status, 404);
  await ask('c-2');
  assert.match((await listed(ann)).find(item => item.conversation_id === 'c-2').title, /^How many/, 'a new one of that id has no name');
});
