// SPDX-License-Identifier: MIT
// tests/node/takeover.test.mjs - two servers on one store: one is killed in the middle of an answer, the
// other goes on with it, and the client finds the rest there, behind the last event that it has. What it
// has is stored (ASKD_DURABILITY=sync), so that is all of the second attempt.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, question, startAskd, startMock, tempPath, ofUser1 } from './lib/harness.mjs';
import { readConversation } from './lib/asking.mjs';
import { until } from './lib/process.mjs';
import { general, held, words } from './lib/scripts.mjs';
import { readStream } from './lib/sse.mjs';

const TEXT = words(80), HEARD = 10;
const mock = await startMock([held('long', TEXT), ...general]);
const env = { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('shared.db')}`, ASKD_LEASE_SECONDS: '4', ASKD_DURABILITY: 'sync' };
const [one, other] = await Promise.all([startAskd({ mock, env }), startAskd({ mock, env })]);

for (const [what, message] of [['in the middle of its answer', 'long'], ['when it has just answered', 'short']])
  test(`a server is killed ${what}`, async () => {
    const asked = message === 'long' ? one : await startAskd({ mock, env });
    const conversation = newConversation();
    const response = await asked.post('/internal/chat/stream', question(message, conversation));
    const before = await readStream(response.body, transcript =>
      message === 'long' ? transcript.frames.length >= HEARD : transcript.last?.event === 'complete');
    asked.kill();
    const { runId } = before, heard = before.frames.length;
    const rejoin = () => other.fetch(`/internal/runs/${runId}/stream?${ofUser1}`, { headers: { 'last-event-id': `${runId}:${heard}` } });
    if (message === 'long') {
      const after = await mock.release(rejoin().then(({ body }) => readStream(body)));
      after.complete({ after: `${runId}:${heard}` });
      assert.ok(after.frames.some(({ data }) => data.attempt === 2), 'which says that it begins again');
      assert.equal(after.frames.filter(({ data }) => data.attempt === 2).map(({ data }) => data.content).join(''), TEXT);
    }
    const kept = await until('its conversation has it', async () => {
      const { status, text } = await readConversation(other.url, conversation, []);
      return status === 200 && text.includes(`"${message}"`) && JSON.parse(text);
    });
    assert.equal(kept.turns, 1, 'once');
    await until('its run is over', async () =>
      (await (await other.fetch('/admin/runs')).json()).runs.every(run => run.state === 'ended'));
    assert.equal((await rejoin()).status, message === 'long' ? 200 : 204);
  });
