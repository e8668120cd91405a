// SPDX-License-Identifier: MIT
// tests/node/http2.test.mjs - HTTP/2 by prior knowledge on askd's own port: every kind of route, many streams
// on one connection, slow readers, resets, cuts and drains, with Node's client, curl and h2load.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import http2 from 'node:http2';
import { newConversation, ofUser1, question, startAskd, startMock, stopAtEnd } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { faulty, general, held, line, slow, SLOW_TEXT, words } from './lib/scripts.mjs';
import { Transcript } from './lib/sse.mjs';

const LONG = words(12000);
const mock = await startMock([slow(), held(), faulty('quick', 'rate-0'), line('general', LONG, { user: 'long' }), ...general]);
const askd = await startAskd({ mock });

const open = (url = askd.url, options) => {
  const session = http2.connect(url, options);
  session.on('error', () => {});
  stopAtEnd({ child: { child: { kill() {} } }, async stop() { session.destroy(); } });
  return session;
};
const shared = open();

// One request: { status, headers, stream }; body: an object, or bytes as they are.
const request = async (session, headers, body) => {
  const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const stream = session.request({ ...(body !== undefined && { ':method': 'POST', 'content-type': 'application/json' }), ...headers });
  stream.on('error', () => {});
  stream.end(bytes);
  const [head] = await once(stream, 'response');
  return { status: head[':status'], headers: head, stream };
};

const textOf = async stream => {
  let text = '';
  stream.setEncoding('utf8');
  for await (const piece of stream)
    text += piece;
  return text;
};

const readEvents = async (stream, stop = () => false, transcript = new Transcript()) => {
  for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
    transcript.push(bytes);
    if (stop(transcript))
      break;
  }
  return transcript;
};

const ask = (session, message, { path = '/internal/chat/stream', conversation = newConversation(), headers } = {}) =>
  request(session, { ':path': path, ...headers }, question(message, conversation));

test('every kind of route', async () => {
  for (const [headers, body, status, type] of [
    [{ ':path': '/healthz' }, undefined, 200, 'text/plain'],
    [{ ':path': '/healthz', ':method': 'HEAD' }, undefined, 200, 'text/plain'],
    [{ ':path': '/metrics' }, undefined, 200, 'text/plain'],
    [{ ':path': '/' }, undefined, 200, 'text/html'],
    [{ ':path': '/internal/graphs' }, undefined, 200, 'application/json'],
    [{ ':path': '/v1/models' }, undefined, 200, 'application/json'],
    [{ ':path': '/nothing' }, undefined, 404, 'application/problem+json'],
    [{ ':path': '/internal/chat/stream' }, undefined, 405, 'application/problem+json'],
    [{ ':path': '/internal/graphs/orchestrator/invoke' }, question('quick one'), 200, 'application/json'],
    [{ ':path': '/internal/chat/stream' }, { input: {} }, 422, 'application/problem+json'],
    [{ ':path': '/internal/chat/stream' }, '{"input":', 400, 'application/problem+json'],
    [{ ':path': '/internal/chat/stream', 'content-type': 'text/plain' }, 'x', 415, 'application/problem+json'],
    [{ ':path': '/v1/chat/completions' }, { model: 'orchestrator', messages: [{ role: 'user', content: 'quick one' }] }, 200, 'application/json'],
    [{ ':path': '/v1/chat/completions' }, { model: 'orchestrator', stream: true, messages: [{ role: 'user', content: 'quick one' }] }, 200, 'text/event-stream'],
  ]) {
    const answer = await request(shared, headers, body);
    const text = await textOf(answer.stream);
    assert.equal(answer.status, status, `${headers[':path']}: ${text.slice(0, 300)}`);
    assert.ok(answer.headers['content-type'].startsWith(type), answer.headers['content-type']);
    assert.equal(text === '', headers[':method'] === 'HEAD');
    for (const name of ['connection', 'keep-alive', 'transfer-encoding'])
      assert.equal(answer.headers[name], undefined, `${name} is of HTTP/1`);
  }
});

test('an answer is the same as over HTTP/1.1', async () => {
  const { stream, headers } = await ask(shared, 'slow one');
  assert.match(headers['x-run-id'], /^run_/);
  const seen = await readEvents(stream);
  seen.complete();
  assert.equal(seen.text, SLOW_TEXT);
});

test('what is no request is refused', async () => {
  const cases = [
    [{ ':path': '/healthz', ':authority': 'a.example', host: 'evil.example' }, 400, /:authority/],
    [{ ':path': `/${'x'.repeat(9000)}` }, 414, /target/],
    [{ ':path': '/healthz', 'x-long': 'y'.repeat(34000) }, 431, /headers/],
  ];
  for (const [headers, status, problem] of cases) {
    const answer = await request(shared, headers);
    const text = await textOf(answer.stream);
    assert.equal(answer.status, status, text);
    assert.match(JSON.parse(text).detail, problem);
  }
  const twice = await request(shared, { ':path': '/internal/graphs', 'x-api-key': ['a', 'b'] });
  assert.equal(twice.status, 400);
  assert.match(await textOf(twice.stream), /expected one header, got two/);
  const large = await request(shared, { ':path': '/internal/chat/stream' }, Buffer.alloc(2 * 1024 * 1024, 0x20));
  assert.equal(large.status, 413);
  const health = await request(shared, { ':path': '/healthz' }); // the connection lives on
  assert.equal(await textOf(health.stream), 'ok\n');
});

test('a client that leaves and comes back gets all of it', async () => {
  const { stream, headers } = await ask(shared, 'held one');
  const begun = await readEvents(stream, seen => seen.of('token').length > 2);
  stream.close(http2.constants.NGHTTP2_CANCEL);
  const again = await request(open(), { ':path': `/internal/runs/${headers['x-run-id']}/stream?${ofUser1}`,
    'last-event-id': begun.frames.at(-1).id });
  const rest = await mock.release(readEvents(again.stream));
  rest.complete({ first: begun.frames.length + 1 });
  assert.equal(begun.text + rest.text, SLOW_TEXT);
});

test('a stream that is reset cancels its run, and no other', async () => {
  const session = open();
  const message = question('held two', newConversation(), { on_disconnect: 'cancel' });
  const [gone, kept] = await Promise.all([request(session, { ':path': '/internal/chat/stream' }, message), ask(session, 'held three')]);
  await Promise.all([gone, kept].map(({ stream }) => readEvents(stream, seen => seen.of('token').length > 0)));
  gone.stream.close(http2.constants.NGHTTP2_CANCEL);
  const path = `/internal/runs/${gone.headers['x-run-id']}/stream?${ofUser1}`;
  await until('the run is over', async () => (await askd.metric('askd_runs_active')) <= 1);
  const answer = await request(shared, { ':path': path });
  (await readEvents(answer.stream)).error('cancelled');
  const rest = await mock.release(readEvents(kept.stream, undefined, new Transcript()));
  assert.equal(rest.last.event, 'complete');
});

test('1,000 streams on one connection are whole', async () => {
  const session = open();
  const before = await askd.metric('askd_connections');
  await Promise.all(Array.from({ length: 1000 }, async () => {
    const { status, stream } = await ask(session, 'quick one');
    assert.equal(status, 200);
    (await readEvents(stream)).complete();
  }));
  assert.ok(await askd.metric('askd_connections') <= before + 2, 'one connection carried them');
});

test('a slow reader holds its own run only, and loses nothing', async () => {
  const session = open();
  const { stream } = await ask(session, 'a long one');
  stream.pause();
  await until('the run is held', async () => (await askd.metric('askd_sse_backpressure_pauses_total')) > 0);
  for (let i = 0; i < 20; i++) {
    const other = await ask(session, 'quick one');
    (await readEvents(other.stream)).complete();
  }
  const seen = await readEvents(stream);
  seen.complete();
  assert.equal(seen.text, LONG);
});

test('requests of one connection go to the workers that have their conversations', async () => {
  const several = await startAskd({ mock, env: { ASKD_WORKERS: '3' } });
  const session = open(several.url);
  await Promise.all(Array.from({ length: 90 }, async () => {
    const { status, stream } = await ask(session, 'quick one');
    assert.equal(status, 200);
    (await readEvents(stream)).complete();
  }));
  assert.ok(await several.metric('askd_handovers_total') > 10, 'most of them');
  const slowly = await Promise.all(Array.from({ length: 6 }, () => ask(session, 'a long one')));
  slowly.forEach(({ stream }) => stream.pause());
  await until('they are held', async () => (await several.metric('askd_sse_backpressure_pauses_total')) > 5);
  for (const seen of await Promise.all(slowly.map(({ stream }) => readEvents(stream)))) {
    seen.complete();
    assert.equal(seen.text, LONG);
  }
  const conversations = Array.from({ length: 9 }, newConversation);
  const left = await Promise.all(conversations.map(conversation => ask(session, 'held five', { conversation })));
  const begun = await Promise.all(left.map(({ stream }) => readEvents(stream, seen => seen.of('token').length > 0)));
  left.forEach(({ stream }) => stream.close(http2.constants.NGHTTP2_CANCEL));
  const again = await Promise.all(left.map(({ headers }, i) => request(session, {
    ':path': `/internal/runs/${headers['x-run-id']}/stream?${ofUser1}`, 'last-event-id': begun[i].frames.at(-1).id })));
  const rest = await mock.release(Promise.all(again.map(({ stream }) => readEvents(stream))));
  rest.forEach((seen, i) => {
    seen.complete({ first: begun[i].frames.length + 1 });
    assert.equal(begun[i].text + seen.text, SLOW_TEXT);
  });
  const cut = await Promise.all(Array.from({ length: 9 }, () => ask(session, 'held six')));
  await Promise.all(cut.map(({ stream }) => readEvents(stream, seen => seen.of('token').length > 0)));
  session.destroy(); // their connection is gone in the middle
  await mock.release(until('the runs are over', async () => (await several.metric('askd_runs_active')) === 0));
  await several.stop();
});

test('a storm of resets ends the connection, and nothing else', async () => {
  const session = open();
  let code;
  session.on('goaway', given => { code = given; });
  for (let i = 0; i < 200 && code === undefined && !session.destroyed; i++) {
    for (let j = 0; j < 50; j++) {
      const stream = session.request({ ':path': '/healthz' });
      stream.on('error', () => {});
      stream.close(http2.constants.NGHTTP2_CANCEL);
    }
    await new Promise(resolve => setImmediate(resolve));
  }
  await until('the server said to be calm', () => code !== undefined || session.destroyed);
  assert.equal(code, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
  const health = await request(shared, { ':path': '/healthz' });
  assert.equal(await textOf(health.stream), 'ok\n');
});

test('bytes that are no HTTP/2 end the connection', async () => {
  const { port } = new URL(askd.url);
  for (const bytes of ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nGET / HTTP/1.1\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n', 'PRI']) {
    const socket = connectTcp({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.end(bytes);
    socket.resume();
    await once(socket, 'close');
  }
  const socket = connectTcp({ port, host: '127.0.0.1' }); // POST, in pieces that the preface has, too
  for (const piece of ['P', 'OST /internal/chat/stream HTTP/1.1\r\nHost: a\r\n', 'Content-Length: 0\r\nConnection: close\r\n\r\n']) {
    socket.write(piece);
    await new Promise(resolve => setImmediate(resolve));
  }
  assert.match(await textOf(socket), /^HTTP\/1\.1 4\d\d /);
});

test('a drain lets what runs end, and tells the client', async () => {
  const draining = await startAskd({ mock });
  const session = open(draining.url);
  const { stream } = await ask(session, 'held four');
  const begun = await readEvents(stream, seen => seen.of('token').length > 0);
  const told = once(session, 'goaway');
  draining.terminate();
  const [code] = await told;
  assert.equal(code, http2.constants.NGHTTP2_NO_ERROR);
  (await mock.release(readEvents(stream, undefined, begun))).complete();
  await draining.stop();
});

const has = (program, args) => run(program, args).then(({ code }) => code === 0, () => false);

test('curl by prior knowledge', async t => {
  if (!await has('curl', ['--version']))
    return t.skip('no curl');
  const { stdout, code } = await run('curl', ['-sS', '-N', '--http2-prior-knowledge', '-w', '\n%{http_version}', '-H', 'content-type: application/json',
    '-d', JSON.stringify(question('quick one')), `${askd.url}/internal/chat/stream`]);
  assert.equal(code, 0);
  assert.match(stdout, /"event":"complete"/);
  assert.match(stdout, /\n2$/);
});

test('h2load: requests on many streams of a few connections', async t => {
  if (!await has('h2load', ['--version']))
    return t.skip('no h2load');
  const { stdout, code } = await run('h2load', ['-n', '3000', '-c', '3', '-m', '100', `${askd.url}/healthz`]);
  assert.equal(code, 0);
  assert.match(stdout, /3000 succeeded, 0 failed, 0 errored/);
});
