// SPDX-License-Identifier: MIT
// tests/node/coming_and_going.test.mjs - many clients on two workers that leave where they like,
// some coming back: every event once, every run ended, every descriptor closed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readdirSync } from 'node:fs';
import { newConversation, question, startAskd, startMock, ofUser1 } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { general, slow, SLOW_TEXT } from './lib/scripts.mjs';
import { isTerminal, Transcript } from './lib/sse.mjs';
import http from 'node:http';

const CLIENTS = 120;
const mock = await startMock([slow(), ...general]);
const askd = await startAskd({
  mock, args: ['--workers', '2'],
  env: { ASKD_DISCONNECT_GRACE_SECONDS: '600', ASKD_MAX_RUNS: '1000' },
});

let seed = 20250630;
const random = n => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor(seed / 2 ** 32 * n);
};

const descriptors = () => readdirSync(`/proc/${askd.child.child.pid}/fd`).length;

// Read until limit more frames came, then hang up; returns whether the stream ended by itself.
const readSome = (path, { body, headers }, limit, transcript) => new Promise((resolve, reject) => {
  const request = http.request(askd.url + path, {
    method: body ? 'POST' : 'GET', agent: false, headers: { 'content-type': 'application/json', ...headers },
  });
  let done = false;
  const finish = ended => {
    done = true;
    resolve(ended);
  };
  request.on('error', error => done || reject(error));
  request.on('response', response => {
    if (response.statusCode !== 200)
      reject(new Error(`status ${response.statusCode}`));
    const part = new Transcript();
    response.on('error', error => done || reject(error));
    response.on('data', bytes => {
      if (done)
        return;
      part.push(bytes);
      for (; part.frames.length > 0 && !done;) {
        transcript.push(part.frames.shift());
        if (--limit === 0) {
          finish(isTerminal(transcript.at(-1).data));
          request.destroy();
        }
      }
    });
    response.on('end', () => done || finish(true));
  });
  request.end(body && JSON.stringify(body));
});

const visit = async i => {
  const frames = [];
  const stays = i % 3 !== 0; // or its run is cancelled
  const body = question('slow one', newConversation(), stays ? undefined : { on_disconnect: 'cancel' });
  let ended = await readSome('/internal/chat/stream', { body }, 1 + random(120), frames);
  for (; !ended && stays;) {
    const id = frames.at(-1).id;
    const headers = { 'last-event-id': id };
    const limit = 1 + random(120);
    ended = random(2)
      ? await readSome('/internal/chat/stream', { body, headers }, limit, frames)
      : await readSome(`/internal/runs/${id.split(':')[0]}/stream?${ofUser1}`, { headers }, limit, frames);
  }
  const run = frames[0].id.split(':')[0];
  assert.deepEqual(frames.map(frame => frame.id), frames.map((_, n) => `${run}:${n + 1}`));
  if (!ended)
    return false;
  const text = frames.map(frame => frame.data).filter(event => event.event === 'token')
    .map(event => event.content).join('');
  assert.equal(frames.at(-1).data.event, 'complete', JSON.stringify(frames.at(-1)));
  assert.equal(text, SLOW_TEXT);
  return true;
};

test('clients come and go', async () => {
  const before = descriptors();
  const stayed = (await Promise.all(Array.from({ length: CLIENTS }, (_, i) => visit(i)))).filter(Boolean).length;
  assert.ok(stayed >= CLIENTS / 2 && stayed < CLIENTS, `${stayed} stayed`);
  await until('all runs ended', async () => await askd.metric('askd_runs_active') === 0);
  await until('the mock has no stream', async () => (await mock.stats()).open === 0);
  const total = await askd.metric('askd_runs_total');
  assert.equal(total, CLIENTS, 'one run each, whoever came back how often');
  // Connections to the model are kept, a bounded number of them; those of clients are not.
  await until(() => `${descriptors()} descriptors, ${before} before`, async () =>
    await askd.metric('askd_connections') <= 2);
});
