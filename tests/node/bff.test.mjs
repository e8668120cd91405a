// SPDX-License-Identifier: MIT
// tests/node/bff.test.mjs - the example BFF in front of askd, as a browser meets it: directly, and
// through an nginx that compresses whatever it may.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nginxPath, startBff, startNginx } from './lib/bff.mjs';
import { newConversation, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { endless, faulty, general, held, words } from './lib/scripts.mjs';
import { readStream } from './lib/sse.mjs';

const mock = await startMock([faulty('long story', 'rate-100', words(300)), held('held story'), endless('endless story'), ...general]);
const askd = await startAskd({ mock, env: { ASKD_API_KEYS: 'key-of-the-bff', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });

const bff = await startBff(askd);
assert.equal((await bff.logIn()).status, 200);

test('a question is answered, event by event', async () => {
  const response = await bff.say('why is the sky blue?');
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type'), /^text\/event-stream/);
  assert.match(response.headers.get('cache-control'), /no-transform/);
  assert.equal(response.headers.get('x-accel-buffering'), 'no');
  assert.ok(response.headers.get('x-run-id'));
  assert.ok((await readStream(response.body)).complete());
});

test('nobody asks without a session, with a forged one, or with a wrong password', async () => {
  const guest = bff.other();
  for (const cookie of ['', 'session=ana', 'session=ana.c2lnbmVk']) {
    guest.cookie = cookie;
    assert.equal((await guest.say('why is the sky blue?')).status, 401, cookie);
    assert.equal((await (await guest.fetch('/api/me')).json()).user, null, cookie);
    for (const path of ['/askd/internal/runs/x/stream', '/%61skd/internal/runs/x/stream', '/askd/embed.js'])
      assert.equal((await guest.fetch(path)).status, 401, path);
    assert.equal((await guest.post('/askd/internal/runs/x/cancel', {})).status, 401, cookie);
  }
  assert.equal((await guest.logIn('ana', 'wrong')).status, 401);
  assert.equal((await guest.logIn('nobody')).status, 401);
});

test('who asks comes from the session, whatever the browser says', async () => {
  const id = newConversation().id;
  const response = await bff.post('/askd/internal/chat/stream?company_id=globex&user_id=bo',
    { input: { message: 'why is the sky blue?' }, conversation: { id, user_id: 'bo', company_id: 'globex' } }, { headers: { 'x-askd-company-id': 'globex', 'x-askd-user-id': 'bo' } });
  assert.equal(response.status, 200);
  const runId = (await readStream(response.body)).runId;
  const bo = bff.other();
  await bo.logIn('bo');
  assert.equal((await bo.fetch(`/askd/internal/runs/${runId}/stream?company_id=acme&user_id=ana`)).status, 404);
  assert.equal((await bo.say('quick one', { id })).status, 200, 'a conversation of the same id is one of his own');
  assert.equal((await bff.fetch(`/askd/internal/runs/${runId}/stream?company_id=acme&user_id=ana`)).status, 200);
});

test('a refusal of askd is passed on as it is', async () => {
  const response = await bff.say('   ');
  assert.equal(response.status, 422);
  assert.equal((await response.json()).pointer, '/input/message');
  assert.equal((await bff.post('/askd/internal/chat/stream', {})).status, 422);
});

test('the browser leaves, and comes back after the last event it had', async () => {
  const leaving = new AbortController();
  const response = await bff.say('tell me a long story', { signal: leaving.signal });
  const reader = response.body.getReader();
  let text = '';
  while (!/"token"/.test(text))
    text += new TextDecoder().decode((await reader.read()).value);
  leaving.abort();
  const ids = [...text.matchAll(/^id: (.*)$/gm)].map(match => match[1]);
  await until('askd was left', async () => await askd.metric('askd_sse_streams_active') === 0);
  const path = `/askd/internal/runs/${response.headers.get('x-run-id')}/stream`;
  const again = await bff.fetch(path, { headers: { 'last-event-id': ids.at(-1) } });
  const rest = await again.text();
  const events = [...rest.matchAll(/^id: .*:(\d+)\ndata: (.*)$/gm)].map(([, id, data]) => ({ id: Number(id), ...JSON.parse(data) }));
  assert.equal(events.at(-1).event, 'complete');
  assert.deepEqual(events.map(event => event.id), events.map((_, i) => ids.length + 1 + i), 'no id missing or doubled');
  const response204 = await bff.fetch(path, { headers: { 'last-event-id': `${ids[0].split(':')[0]}:${events.at(-1).id}` } });
  assert.equal(response204.status, 204);
});

test('nothing of askd is open but what the page asks for, and no path leads to more', async () => {
  for (const path of ['/metrics', '/admin/runs', '/internal/schedules', '/page/../metrics', '/page/%2e%2e/metrics', '/page/x/..', '/internal/conversations/..', '/internal/conversations/%2e%2e', '/v1/models', '/'])
    assert.equal((await bff.fetch(`/askd${path.replace('..', '%2e%2e')}`)).status, 404, path);
  assert.equal((await bff.fetch('/askd/internal/documents/x', { method: 'DELETE' })).status, 404);
  const { conversations } = await (await bff.fetch('/askd/internal/conversations?company_id=globex&user_id=bo')).json();
  assert.ok(conversations === undefined || conversations.every(one => !one.title.includes('quick')));
  const smuggled = await bff.fetch(`/askd/internal/conversations/${encodeURIComponent('x?company_id=globex&user_id=bo&')}`);
  assert.equal(smuggled.status, 404);
});

test('stopped by the user', async () => {
  const response = await bff.say('tell me an endless story');
  const run = response.headers.get('x-run-id');
  assert.equal((await bff.post(`/askd/internal/runs/${run}/cancel`, {})).status, 202);
  assert.equal((await readStream(response.body)).last.code, 'cancelled');
});

test('askd is killed in mid-stream: the browser hears of it', async () => {
  const doomed = await startAskd({ mock });
  const front = await startBff(doomed);
  await front.logIn();
  const response = await front.say('tell me an endless story');
  const reader = response.body.getReader();
  let text = '', killed = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done)
      break;
    text += new TextDecoder().decode(value);
    if (!killed && /"token"/.test(text)) {
      killed = doomed.kill();
    }
  }
  const last = JSON.parse(/^data: (.*)\n\n$/m.exec(text.slice(text.lastIndexOf('\ndata: ') + 1))[1]);
  assert.equal(last.event, 'error');
  assert.equal(last.code, 'upstream_lost');
  assert.equal((await front.say('why is the sky blue?')).status, 502);
});

test('the page: what it needs, compressed, and a policy without exceptions', async () => {
  const page = await bff.fetch('/', { headers: { 'accept-encoding': 'gzip' } });
  assert.match(page.headers.get('content-security-policy'), /default-src 'self'/);
  const html = await page.text();
  for (const [, path] of html.matchAll(/(?:src|href)="([^"]+)"/g))
    assert.equal((await bff.fetch(`/${path}`)).status, 200, path);
});

// ---- through nginx ----

test('through nginx, with everything compressed: events come one by one', { skip: !nginxPath && 'no nginx' }, async () => {
  const door = bff.other(await startNginx(bff.url));
  await door.logIn();
  const response = await door.say('tell me a held story', { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(response.headers.get('content-encoding'), 'gzip');
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  const more = async () => {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: true });
    return !done;
  };
  while (text.split('"event":"token"').length <= 10) // all that the model says before it holds
    assert.ok(await more(), 'it goes on');
  await mock.release((async () => { while (await more()); })());
  assert.match(text, /"event":"complete"/);
});
