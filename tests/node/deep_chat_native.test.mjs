// SPDX-License-Identifier: MIT
// tests/node/deep_chat_native.test.mjs - deep-chat in Chromium over the native stream, which takes one line
// of its own each way; with heartbeats on the way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { sourceDir, startAskd, startMock, stopAtEnd } from './lib/harness.mjs';
import { Page } from './lib/page.mjs';
import { faulty, general, line } from './lib/scripts.mjs';

const ANSWER = 'Grüße, 你好! That is all.';
const mock = await startMock([line('general', ANSWER, { user: 'greet', fault: 'rate-9' }), faulty('broken', '404'), ...general]);
const askd = await startAskd({ mock, env: { ASKD_HEARTBEAT_SECONDS: '0.05', ASKD_API_KEYS: 'sk-one' } });

const bundle = readFileSync(join(sourceDir, 'tests/node/node_modules/deep-chat/dist/deepChat.bundle.js'));
const page = settings => `<!doctype html><meta charset="utf-8"><title>chat</title><link rel="icon" href="data:,">
<script type="module">
import '/deep-chat.js';
const chat = document.createElement('deep-chat');
${settings}
document.body.append(chat);
</script>`;

const NATIVE = `Object.assign(chat, {
  connect: { url: '/internal/chat/stream', method: 'POST', stream: true, headers: { 'content-type': 'application/json', authorization: 'Bearer sk-one' } },
  requestInterceptor: details => ({ ...details, body: { input: { message: details.body.messages.at(-1).text },
    conversation: { id: crypto.randomUUID(), user_id: 'u', company_id: 'acme' } } }),
  responseInterceptor: event => event.event === 'error' ? { error: event.message } : { text: event.channel === 'final' ? event.content : '' },
});`;

// The page and askd at one origin, as behind a BFF.
const server = createServer((request, response) => {
  if (request.url === '/deep-chat.js') {
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(bundle);
  } else if (request.url === '/') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(NATIVE));
  } else {
    const { host, origin, ...headers } = request.headers;
    const upstream = httpRequest(new URL(request.url, askd.url), { method: request.method, headers }, answer => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  }
});
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
stopAtEnd({ child: { child: { kill: () => {} } }, stop: () => new Promise(resolve => { server.closeAllConnections(); server.close(resolve); }) });
const url = `http://127.0.0.1:${server.address().port}`;

const ask = async text => {
  const chat = await Page.open(url, { greeted: false });
  chat.forgive(/Failed to load resource: net::/); // a font that is not on loopback, which is not our affair
  const input = chat.page.locator('#text-input');
  await input.waitFor();
  await input.fill(text);
  await chat.page.keyboard.press('Enter');
  return chat;
};

test('an answer, through heartbeats', async () => {
  const chat = await ask('greet');
  await chat.page.locator('.ai-message-text', { hasText: 'That is all.' }).waitFor();
  assert.equal((await chat.page.locator('.ai-message-text').last().innerText()).trim(), ANSWER);
  assert.equal(await chat.page.locator('.error-message-text').count(), 0);
  await chat.close();
});

test('an error of the run is shown as one', async () => {
  const chat = await ask('broken');
  await chat.page.locator('.error-message-text').waitFor();
  chat.forgive(/./); // deep-chat writes it to the console, too
  await chat.close();
});
