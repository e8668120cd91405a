// SPDX-License-Identifier: MIT
// tests/node/deep_chat.test.mjs - deep-chat's component in a real browser, against Chat Completions: a page of
// another server that passes /v1 on, as a gateway does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sourceDir, startAskd, startMock } from './lib/harness.mjs';
import { Page } from './lib/page.mjs';
import { until } from './lib/process.mjs';
import { faulty, general } from './lib/scripts.mjs';

const ANSWER = 'The sky is blue because of scattering.';
const mock = await startMock([faulty('refused', '500'), ...general]);
const askd = await startAskd({ mock, env: { ASKD_API_KEYS: 'sk-one', ASKD_LLM_ATTEMPTS: '1' } });
const bundle = readFileSync(join(sourceDir, 'tests/node/node_modules/deep-chat/dist/deepChat.bundle.js'));
const page = stream => `<!doctype html><meta charset="utf-8"><title>Chat</title><link rel="icon" href="data:,">
<script type="module" src="/deepChat.js"></script>
<deep-chat connect='{"url":"/v1/chat/completions","stream":${stream},"additionalBodyProps":{"model":"orchestrator"}}'
  directConnection='{"openAI":{"key":"sk-one","completions":true}}'></deep-chat>`;

const asked = [];
const gateway = http.createServer((request, response) => {
  if (request.url.startsWith('/v1/')) {
    const parts = [];
    request.on('data', part => parts.push(part)).on('end', () => asked.push(JSON.parse(Buffer.concat(parts))));
    request.pipe(http.request(askd.url + request.url, { method: request.method, headers: request.headers }, answer => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    }));
    return;
  }
  const isScript = request.url === '/deepChat.js';
  response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
  response.end(isScript ? bundle : page(request.url === '/stream'));
});
await new Promise(resolve => gateway.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${gateway.address().port}`;
after(() => { gateway.closeAllConnections(); gateway.close(); });

const ask = async (shown, question) => {
  await shown.find('deep-chat #text-input').click();
  await shown.page.keyboard.type(question);
  const before = asked.length; // Enter is heard once the answer before has ended, for the component, too
  await until(`${question} is sent`, async () => {
    await shown.page.keyboard.press('Enter');
    return asked.length > before;
  });
};

// The component's own: a font of another site's, and a stream that came in one piece, which it shows all the same.
const open = async how => {
  const shown = await Page.open(`${url}/${how}`, { greeted: false });
  shown.forgive(/NAME_NOT_RESOLVED|No valid stream events/);
  return shown;
};

for (const how of ['stream', 'whole'])
  test(`${how}: a question and its answer, then one that hears them`, async () => {
    const shown = await open(how);
    await ask(shown, 'why');
    const shows = count => until(`${count} answers`, async () =>
      (await shown.find('deep-chat #messages').innerText()).split(ANSWER).length === count + 1);
    await shows(1);
    assert.equal(asked.at(-1).stream ?? false, how === 'stream');
    await ask(shown, 'and then');
    await shows(2);
    assert.deepEqual(asked.at(-1).messages.map(one => one.content), ['why', ANSWER, 'and then']);
    await shown.close();
  });

test('a failure: shown where it has a status, told to the console in a stream', async () => {
  const whole = await open('whole');
  await ask(whole, 'refused');
  await whole.find('deep-chat .error-message-text').waitFor();
  whole.forgive(/503|model/);
  await whole.close();
  const stream = await open('stream');
  await ask(stream, 'refused');
  await stream.complains(/model/);
  await stream.close();
});
