// SPDX-License-Identifier: MIT
// tests/node/clients.test.mjs - the native stream through the clients its callers use (PLATFORM.md
// 1.0, 1.1, 1.7, 2): fetch, undici, axios, node:http, HTTP/1.0, fetch-event-source, EventSource.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import http from 'node:http';
import net from 'node:net';
import axios from 'axios';
import { request as undiciRequest } from 'undici';
import { EventSource } from 'eventsource';
import { newConversation, question, startAskd, startMock, ofUser1 } from './lib/harness.mjs';
import { general, held, line, slow } from './lib/scripts.mjs';
import { isTerminal, readStream, Transcript } from './lib/sse.mjs';

const ANSWER = 'Grüße, 你好 😀! That is all.';
const mock = await startMock([line('general', ANSWER, { user: 'greet' }), held(), slow(), ...general]);
const askd = await startAskd({ mock });
const url = `${askd.url}/internal/chat/stream`;
const body = () => JSON.stringify(question('greet me'));
const headers = { 'content-type': 'application/json' };

const assertAnswer = transcript => {
  const complete = transcript.complete();
  assert.deepEqual(transcript.events.map(event => event.event)
    .filter((name, i, all) => name !== all[i - 1]), ['route_decision', 'tool_start', 'token', 'complete']);
  assert.equal(transcript.of('route_decision')[0].route, 'general');
  assert.equal(transcript.of('tool_start')[0].tool, 'general_agent');
  assert.equal(transcript.text, ANSWER);
  assert.equal(complete.route, 'general');
  assert.equal(complete.stats.model, 'mock');
  assert.equal(complete.stats.llm_calls, 2);
  assert.ok(!('estimated' in complete.stats));
};

test('fetch and eventsource-parser', async () => {
  assertAnswer(await askd.ask('greet me'));
});

test('a bare fetch sends text/plain, as a page of another site may: 415 says what is expected', async () => {
  const response = await fetch(url, { method: 'POST', body: body() });
  assert.equal(response.status, 415);
  assert.match((await response.json()).detail, /^Content-Type: expected application\/json, got 'text\/plain/);
});

test('undici.request', async () => {
  const response = await undiciRequest(url, { method: 'POST', headers, body: body() });
  assert.equal(response.statusCode, 200);
  const transcript = new Transcript();
  for await (const bytes of response.body)
    transcript.push(bytes);
  assertAnswer(transcript);
});

test('axios with responseType stream', async () => {
  const response = await axios.post(url, body(), { headers, responseType: 'stream' });
  const transcript = new Transcript();
  for await (const bytes of response.data)
    transcript.push(bytes);
  assertAnswer(transcript);
});

test('node:http: the head, the chunks, the proper end', async () => {
  const transcript = new Transcript();
  const response = await new Promise((resolve, reject) =>
    http.request(url, { method: 'POST', headers }, resolve).on('error', reject).end(body()));
  assert.equal(response.httpVersion, '1.1');
  assert.equal(response.headers['content-type'], 'text/event-stream; charset=utf-8');
  assert.equal(response.headers['cache-control'], 'no-cache, no-transform');
  assert.equal(response.headers['x-accel-buffering'], 'no');
  assert.equal(response.headers['transfer-encoding'], 'chunked');
  assert.ok(!('content-length' in response.headers) && !('content-encoding' in response.headers));
  assert.ok(response.headers['x-request-id']);
  for await (const bytes of response)
    transcript.push(bytes);
  assert.ok(response.complete, 'the last chunk came');
  assertAnswer(transcript);
  assert.equal(response.headers['x-run-id'], transcript.runId);
});

test('HTTP/1.0 is close-delimited', async () => {
  const socket = net.connect(new URL(askd.url).port, '127.0.0.1');
  socket.write(`POST /internal/chat/stream HTTP/1.0\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body())}\r\n\r\n${body()}`);
  const parts = [];
  for await (const bytes of socket)
    parts.push(bytes);
  const text = Buffer.concat(parts);
  const end = text.indexOf('\r\n\r\n');
  const head = text.subarray(0, end).toString();
  assert.match(head, /^HTTP\/1\.[01] 200 /);
  assert.doesNotMatch(head, /transfer-encoding|content-length/i);
  const transcript = new Transcript();
  transcript.push(text.subarray(end + 4));
  assertAnswer(transcript);
});

test('HTTP/1.0 with a slow model, as nginx speaks it', async () => {
  const socket = net.connect(new URL(askd.url).port, '127.0.0.1');
  const text = JSON.stringify(question('held please'));
  socket.write(`POST /internal/chat/stream HTTP/1.0\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  let answer = '', released;
  for await (const bytes of socket) {
    answer += bytes;
    if (!released && answer.split('"event":"token"').length > 10) // all that the model has said: nothing is buffered
      released = mock.release(new Promise(resolve => socket.once('end', resolve)));
  }
  await released;
  assert.match(answer, /"event":"complete"/);
});

test('fetch-event-source posts again when its tab is shown, and rejoins', async () => {
  const listeners = new Set();
  const requests = [];
  globalThis.document = {
    hidden: false,
    addEventListener: (name, listener) => listeners.add(listener),
    removeEventListener: (name, listener) => listeners.delete(listener),
  };
  globalThis.window = {
    setTimeout, clearTimeout,
    fetch: (target, options) => {
      requests.push({ ...options.headers });
      return fetch(target, options);
    },
  };
  const show = hidden => {
    globalThis.document.hidden = hidden;
    for (const listener of [...listeners])
      listener();
  };
  const { fetchEventSource } = await import('@microsoft/fetch-event-source');
  const before = (await mock.stats()).requests;
  const seen = [];
  let opened = 0, tokens = 0;
  const hideAndShow = () => setImmediate(() => {
    show(true);
    setImmediate(() => setImmediate(show, false)); // once it has seen its own abort
  });
  let third;
  const last = new Promise(resolve => { third = resolve; });
  const whole = fetchEventSource(url, {
    method: 'POST', headers, body: JSON.stringify(question('held please')),
    onopen: async () => {
      if (++opened === 2)
        hideAndShow();
      else if (opened === 3)
        third();
    },
    onmessage: message => {
      const event = JSON.parse(message.data);
      seen.push({ id: message.id, ...event });
      if (event.event === 'token' && ++tokens === 5)
        hideAndShow();
    },
    onerror: error => { throw error; },
  });
  await Promise.race([last, whole]); // the model holds until then
  await mock.release(whole);
  assert.equal(requests.length, 3, 'it asked again, twice');
  assert.match(requests[1]['last-event-id'], /:\d+$/);
  const run = seen[0].id.split(':')[0];
  assert.deepEqual(seen.map(event => event.id), seen.map((_, i) => `${run}:${i + 1}`), 'nothing lost, nothing twice');
  assert.equal(seen.filter(isTerminal).length, 1);
  assert.equal(seen.at(-1).event, 'complete');
  assert.equal((await mock.stats()).requests - before, 2, 'it ran once: classified once, answered once');
});

test('EventSource on the run: reconnects where it was, and stops at 204', async () => {
  const begun = await askd.post('/internal/chat/stream', question('slow please'));
  const runId = begun.headers.get('x-run-id');
  const statuses = [], sent = [];
  let cuts = 2;
  // Real bytes, but cut twice, and with a short retry: time in front so that the test is quick.
  const cutting = async (target, options) => {
    sent.push(options.headers['Last-Event-ID'] ?? null);
    const response = await fetch(target, options);
    statuses.push(response.status);
    if (response.status !== 200)
      return response;
    const cut = cuts-- > 0;
    let bytes = 0;
    const through = new TransformStream({
      start: controller => controller.enqueue(new TextEncoder().encode('retry: 20\n\n')),
      transform: (chunk, controller) => {
        controller.enqueue(cut ? chunk.subarray(0, 1500 - bytes) : chunk); // however much comes at once
        bytes += chunk.length;
        if (cut && bytes >= 1500)
          controller.terminate();
      },
    });
    return {
      status: 200, redirected: false, url: response.url, headers: response.headers,
      body: response.body.pipeThrough(through),
    };
  };
  const source = new EventSource(`${askd.url}/internal/runs/${runId}/stream?${ofUser1}`, { fetch: cutting });
  const seen = [];
  source.onmessage = message => seen.push({ id: message.lastEventId, data: JSON.parse(message.data) });
  await new Promise(resolve => {
    source.onerror = () => source.readyState === EventSource.CLOSED && resolve();
  });
  const whole = await readStream(begun.body);
  assert.deepEqual(seen, whole.complete() && whole.frames, 'the same events, none lost, none twice');
  assert.deepEqual(statuses, [200, 200, 200, 204]);
  assert.equal(sent[0], null);
  assert.equal(sent.at(-1), `${runId}:${whole.frames.length}`);
});

test('a GET of a run: from any id to the end; 204 after the last; 404 for a run that never was', async () => {
  const whole = await askd.ask('greet me');
  whole.complete();
  const path = `/internal/runs/${whole.runId}/stream?${ofUser1}`;
  for (let id = 0; id < whole.frames.length; id++) {
    const response = await askd.fetch(path, { headers: { 'last-event-id': `${whole.runId}:${id}` } });
    assert.equal(response.status, 200);
    const rest = await readStream(response.body);
    rest.check({ first: id + 1 });
    assert.deepEqual(rest.frames, whole.frames.slice(id));
  }
  const done = await askd.fetch(path, { headers: { 'last-event-id': `${whole.runId}:${whole.frames.length}` } });
  assert.equal(done.status, 204);
  const strange = await askd.fetch(path, { headers: { 'last-event-id': `${whole.runId}:${whole.frames.length + 9}` } });
  assert.ok(strange.status >= 400 && strange.status < 500, `an id that was never sent: ${strange.status}`);
  const never = await askd.fetch('/internal/runs/run-0-nothing/stream');
  assert.equal(never.status, 404);
});

test('a POST with Last-Event-ID of an ended run replays the rest and does not run', async () => {
  const conversation = newConversation();
  const whole = await askd.ask('greet me', { conversation });
  whole.complete();
  const before = (await mock.stats()).requests;
  const rest = await askd.ask('greet me', { conversation, headers: { 'last-event-id': `${whole.runId}:2` } });
  rest.check({ first: 3 });
  assert.deepEqual(rest.frames, whole.frames.slice(2));
  assert.equal((await mock.stats()).requests, before);
});
