// SPDX-License-Identifier: MIT
// tests/node/framing.test.mjs - askd's streams through the decoders that others have: as they are, with
// heartbeats, a byte at a time, cut in half; what each decoder makes of the framings askd does not use,
// which is why it does not; and sockets that die after every event.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventSource } from 'eventsource';
import { newConversation, question, startAskd, startMock, tempPath, ofUser1 } from './lib/harness.mjs';
import { startProxy } from './lib/framing_proxy.mjs';
import { fakeTab, strangers } from './lib/strangers.mjs';
import { general, held, line } from './lib/scripts.mjs';
import { isTerminal, readStream } from './lib/sse.mjs';

const ANSWER = 'Grüße, 你好 😀! That is all.';
const mock = await startMock([
  held('held greeting'), line('general', ANSWER, { user: 'greet slowly', fault: 'rate-9' }), line('general', ANSWER, { user: 'greet' }), ...general,
]);
const askd = await startAskd({ mock, env: { ASKD_HEARTBEAT_SECONDS: '0.05', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const proxy = await startProxy(askd.url);
const names = Object.keys(strangers);

for (const name of names) {
  test(`${name}: as sent, by bytes, in halves, with heartbeats`, async () => {
    for (const [where, message] of [[askd.url, 'greet'], [askd.url, 'greet slowly'], [`${proxy.url}/bytes`, 'greet'],
      [`${proxy.url}/halves`, 'greet'], [`${proxy.url}/comment`, 'greet']])
      assert.deepEqual(await strangers[name](where, message), { text: ANSWER, extra: 0 }, `${where} ${message}`);
  });
}

test('heartbeats are one line and no blank one, in silence only', async () => {
  const response = await askd.post('/internal/chat/stream', question('held greeting'));
  const transcript = await readStream(response.body, ({ raw }) => raw.split(': hb\n').length > 3);
  await mock.release(readStream(response.body, undefined, transcript));
  transcript.complete();
  assert.ok(!transcript.raw.includes(': hb\n\n') && !transcript.raw.includes('\r') && !transcript.raw.startsWith('\ufeff'));
});

// What each makes of it: 'ok', 'throws', or 'extra': messages that are none reach the application.
const OPENAI = ['openai', 'openai, its helper'], LANGGRAPH = ['langgraph-sdk 1.15.0', 'langgraph-sdk 2.0.0'];
const judged = ['eventsource', 'fetch-event-source', ...OPENAI, 'ai', '@ag-ui/client', ...LANGGRAPH];
const row = ({ extra = [], throws = [] } = {}) =>
  Object.fromEntries(judged.map(name => [name, throws.includes(name) ? 'throws' : extra.includes(name) ? 'extra' : 'ok']));
const table = {
  comment_and_blank: row({ extra: ['fetch-event-source', 'langgraph-sdk 2.0.0'] }),
  typed_without_data: row({ extra: ['fetch-event-source', ...LANGGRAPH], throws: OPENAI }),
  empty_data: row({ extra: ['eventsource', 'fetch-event-source', 'langgraph-sdk 1.15.0'], throws: [...OPENAI, 'ai', '@ag-ui/client', 'langgraph-sdk 2.0.0'] }),
  typed_with_data: row({ extra: ['eventsource', 'fetch-event-source', ...LANGGRAPH], throws: [...OPENAI, 'ai', '@ag-ui/client'] }),
  crlf: row({ throws: ['@ag-ui/client'] }),
  bom: row(),
};

const judge = async (name, where) => {
  try {
    const { text, extra } = await strangers[name](where, 'greet');
    return text !== ANSWER ? `another answer: ${text}` : extra > 0 ? 'extra' : 'ok';
  } catch {
    return 'throws';
  }
};

for (const [variant, wanted] of Object.entries(table)) {
  test(`what ${variant} would do`, async () => {
    const seen = {};
    for (const name of judged)
      seen[name] = await judge(name, `${proxy.url}/${variant}`);
    assert.deepEqual(seen, wanted);
  });
}

// ---- sockets that die ----

const wholeOf = async () => {
  const whole = await askd.ask('greet');
  whole.complete();
  return whole;
};

test('EventSource: killed after every event, alone and in turn', async () => {
  const whole = await wholeOf();
  const count = whole.frames.length;
  for (let after = 0; after <= count; after++) {
    const cutting = await startProxy(askd.url, { retry: 'retry: 5\n\n', cut: (seen, number) => number === 1 ? after : Infinity });
    assert.deepEqual(await listen(`${cutting.url}/as_sent/internal/runs/${whole.runId}/stream?${ofUser1}`), whole.frames, `after ${after}`);
    assert.equal(cutting.requests[1].lastEventId, after === 0 ? undefined : whole.frames[after - 1].id);
    await cutting.stop();
  }
  const cutting = await startProxy(askd.url, { retry: 'retry: 5\n\n', cut: () => 1 });
  assert.deepEqual(await listen(`${cutting.url}/as_sent/internal/runs/${whole.runId}/stream?${ofUser1}`), whole.frames);
  assert.equal(cutting.requests.length, count + 1);
  assert.equal(cutting.requests.at(-1).status, 204);
});

// Until 204 closes it.
const listen = url => new Promise((resolve, reject) => {
  const source = new EventSource(url), frames = [];
  source.onmessage = message => frames.push({ id: message.lastEventId, data: JSON.parse(message.data) });
  source.onerror = () => source.readyState === EventSource.CLOSED && resolve(frames);
  source.addEventListener('error', event => event.code >= 400 && reject(new Error(event.message)));
});

test('fetch-event-source: killed after every event, it posts again, nothing runs twice', async () => {
  const { fetchEventSource } = await fakeTab();
  const count = (await wholeOf()).frames.length;
  for (let after = 1; after <= count; after++) {
    const cutting = await startProxy(askd.url, { cut: (seen, number) => number === 1 ? after : Infinity });
    const before = (await mock.stats()).requests, frames = [];
    await fetchEventSource(`${cutting.url}/as_sent/internal/chat/stream`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(question('greet')), openWhenHidden: true,
      onopen: async response => {
        if (response.status === 204)
          throw new Done();
      },
      onmessage: message => frames.push({ id: message.id, data: JSON.parse(message.data) }),
      onerror: error => {
        if (error instanceof Done)
          throw error;
        return 1;
      },
    }).catch(error => {
      if (!(error instanceof Done))
        throw error;
    });
    const [run] = frames[0].id.split(':');
    assert.deepEqual(frames.map(frame => frame.id), Array.from({ length: frames.length }, (_, i) => `${run}:${i + 1}`), `after ${after}`);
    assert.ok(isTerminal(frames.at(-1).data));
    assert.equal((await mock.stats()).requests - before, 2, 'it ran once');
    await cutting.stop();
  }
});

class Done extends Error {}

test('a POST with an Idempotency-Key: killed after every event and sent again, the same run from its start', async () => {
  const count = (await wholeOf()).frames.length;
  for (let after = 0; after <= count; after++) {
    const cutting = await startProxy(askd.url, { cut: (seen, number) => number === 1 ? after : Infinity });
    const conversation = newConversation(), headers = { 'content-type': 'application/json', 'idempotency-key': `key-${after}` };
    const send = () => fetch(`${cutting.url}/as_sent/internal/chat/stream`, { method: 'POST', headers, body: JSON.stringify(question('greet', conversation)) });
    const before = (await mock.stats()).requests;
    await assert.rejects(send().then(response => readStream(response.body)), `after ${after} of ${count} it was cut, and is told so`);
    const second = await readStream((await send()).body);
    second.complete();
    assert.equal(second.text, ANSWER);
    assert.equal((await mock.stats()).requests - before, 2, 'it ran once');
    await cutting.stop();
  }
});
