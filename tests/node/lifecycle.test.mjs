// SPDX-License-Identifier: MIT
// tests/node/lifecycle.test.mjs - stop, reload, several workers, many streams at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { newConversation, question, sourceDir, startAskd, startMock, tempPath, ofUser1 } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, held, line, SLOW_TEXT } from './lib/scripts.mjs';
import { readStream, Transcript } from './lib/sse.mjs';

const mock = await startMock([
  held(), faulty('stalled', 'stall-3'),
  line('general', 'I follow the new prompt.', { user: 'which prompt' }), ...general,
]);

const begin = async (askd, message) => {
  const response = await askd.post('/internal/chat/stream', question(message));
  const begun = await readStream(response.body, transcript => transcript.of('token').length > 2);
  return { end: () => readStream(response.body, undefined, begun) };
};

test('SIGTERM lets a stream finish', async () => {
  const askd = await startAskd({ mock });
  const stream = await begin(askd, 'held one');
  askd.terminate();
  await until('it drains', () => /stop/.test(askd.child.stderr));
  const transcript = await mock.release(stream.end());
  transcript.complete();
  assert.equal(transcript.text, SLOW_TEXT);
  await askd.stop();
});

test('SIGTERM: new requests are refused, a stream past the drain time gets server_shutdown', async () => {
  const askd = await startAskd({ mock, env: { ASKD_DRAIN_TIMEOUT_SECONDS: '1', ASKD_DRAIN_DELAY_SECONDS: '0.5' } });
  const stream = await begin(askd, 'stalled one');
  askd.terminate();
  await until('not ready', async () => {
    try {
      return (await askd.fetch('/readyz')).status === 503;
    } catch {
      return true; // the listener is closed
    }
  });
  const error = (await stream.end()).error('server_shutdown');
  assert.equal(error.retryable, true);
  await askd.stop();
});

test('SIGINT twice ends it at once', async () => {
  const askd = await startAskd({ mock });
  const stream = await begin(askd, 'stalled one');
  const ended = stream.end().catch(error => error);
  askd.child.child.kill('SIGINT');
  await until('it drains', () => /stop/.test(askd.child.stderr));
  askd.child.child.kill('SIGINT');
  const result = await askd.child.wait();
  assert.ok(result.code !== null, JSON.stringify(result));
  askd.stopped = true;
  await ended;
});

test('SIGHUP: a changed prompt goes to the model; a broken one keeps the last good', async () => {
  const prompts = tempPath('agents');
  cpSync(join(sourceDir, 'agents'), prompts, {
    recursive: true, filter: path => !/\.[ch]$/.test(path),
  });
  const path = join(prompts, 'general_agent/prompts/general.txt');
  const original = readFileSync(path, 'utf8');
  const recording = await startMock([
    line('classify', 'GENERAL'), { system: 'MARKED', reply: 'new prompt' }, { system: 'You answer general', reply: 'old prompt' },
  ]);
  const askd = await startAskd({ mock: recording, env: { ASKD_PROMPT_DIR: prompts } });
  const says = async () => {
    const transcript = await askd.ask('what is it?');
    transcript.complete();
    return transcript.text;
  };
  assert.equal(await says(), 'old prompt');
  writeFileSync(path, original.replace('### system\n', '### system\nMARKED '));
  askd.child.child.kill('SIGHUP');
  await until('the new prompt', async () => await says() === 'new prompt');
  const said = askd.child.stderr.length;
  writeFileSync(path, 'no sections, {unknown_field}\n');
  askd.child.child.kill('SIGHUP');
  await until('it says what is wrong', () => /general_agent\/prompts\/general\.txt/.test(askd.child.stderr.slice(said)));
  assert.equal(await says(), 'new prompt');
});

// One request on a connection of its own, so that the kernel picks the worker.
const alone = (askd, path, { body, headers = {} } = {}) => new Promise((resolve, reject) => {
  const request = http.request(askd.url + path, {
    method: body ? 'POST' : 'GET', agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  }, async response => {
    try {
      const transcript = new Transcript();
      for await (const bytes of response)
        transcript.push(bytes);
      assert.ok(response.statusCode === 200 && response.complete, `${response.statusCode}: ${transcript.raw}`);
      resolve(transcript);
    } catch (error) {
      reject(error);
    }
  });
  request.on('error', reject).end(body && JSON.stringify(body));
});

test('two workers: 40 conversations at once, each rejoined on any connection', async () => {
  const askd = await startAskd({ mock, args: ['--workers', '2'] });
  await Promise.all(Array.from({ length: 40 }, async () => {
    const conversation = newConversation();
    const whole = await alone(askd, '/internal/chat/stream', { body: question('why is the sky blue?', conversation) });
    whole.complete();
    const at = 1 + Math.floor(whole.frames.length / 2);
    const headers = { 'last-event-id': `${whole.runId}:${at}` };
    const [get, post] = await Promise.all([
      alone(askd, `/internal/runs/${whole.runId}/stream?${ofUser1}`, { headers }),
      alone(askd, '/internal/chat/stream', { body: question('why is the sky blue?', conversation), headers }),
    ]);
    for (const rest of [get, post]) {
      rest.complete({ first: at + 1 });
      assert.deepEqual(rest.frames, whole.frames.slice(at));
    }
    const second = await alone(askd, '/internal/chat/stream', { body: question('and at night?', conversation) });
    second.complete();
  }));
  assert.ok(await askd.metric('askd_handovers_total') > 0, 'some came to the other worker');
});

test('300 streams at once, each with exactly one end', async () => {
  const askd = await startAskd({ mock });
  const all = await Promise.all(Array.from({ length: 300 }, () =>
    alone(askd, '/internal/chat/stream', { body: question('why is the sky blue?') })));
  const runs = new Set(all.map(transcript => {
    transcript.complete();
    assert.equal(transcript.text, 'The sky is blue because of scattering.');
    return transcript.runId;
  }));
  assert.equal(runs.size, 300);
  await until('all runs ended', async () => await askd.metric('askd_runs_active') === 0);
});

test('too many runs: 429 with Retry-After, and the others end well', async () => {
  const askd = await startAskd({ mock, env: { ASKD_MAX_RUNS: '2', ASKD_MAX_QUEUED_RUNS: '1' } });
  const responses = await Promise.all(Array.from({ length: 6 }, () =>
    askd.post('/internal/chat/stream', question('held one'))));
  const refused = responses.filter(response => response.status === 429);
  assert.equal(refused.length, 3);
  for (const response of refused) {
    assert.ok(Number(response.headers.get('retry-after')) >= 1);
    assert.equal((await response.json()).code, 'overloaded');
  }
  for (const response of responses.filter(one => one.status === 200))
    (await mock.release(readStream(response.body))).complete();
});
