// SPDX-License-Identifier: MIT
// tests/node/page_embed.test.mjs - <askd-chat> in a page of another origin: loaded by one tag, with short-lived tokens of
// that page's own backend, in its colours; kept out where the origin is not on the list.
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { after, test } from 'node:test';
import { startAskd, tempPath } from './lib/harness.mjs';
import { assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';
import { until } from './lib/process.mjs';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const encode = value => Buffer.from(JSON.stringify(value)).toString('base64url');
let lifetime = 300, made = 0;
const makeToken = () => {
  const now = Math.floor(Date.now() / 1000);
  const text = `${encode({ alg: 'EdDSA', typ: 'JWT', kid: 'k1' })}.${encode({ iss: 'https://shop.example', aud: 'askd', sub: 'ann', org: 'acme', iat: now, exp: now + lifetime })}`;
  made++;
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
};

let askd;
const page = more => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
<style>askd-chat { --accent: rgb(120, 20, 140); height: 700px; }</style>
<script type="module" src="${askd.url}/embed.js"></script></head>
<body><main><h1>A shop</h1><askd-chat heading="Ask our data" token-url="/token" data-theme="light" ${more}></askd-chat></main></body></html>`;
const serve = () => new Promise(resolve => {
  const server = http.createServer((request, response) => {
    if (request.url === '/token' && request.method === 'POST')
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ token: makeToken() }));
    else
      response.setHeader('content-type', 'text/html').end(page(request.url === '/kept' ? 'history' : ''));
  }).listen(0, '127.0.0.1', () => resolve(server));
  after(() => server.close());
});
const shop = await serve(), stranger = await serve();
const urlOf = server => `http://127.0.0.1:${server.address().port}`;

writeFileSync(tempPath('jwks.json'), JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'EdDSA', use: 'sig' }] }));
writeFileSync(tempPath('auth.json'), JSON.stringify({ issuers: [{ issuer: 'https://shop.example', audience: 'askd', jwks_file: tempPath('jwks.json'), leeway_seconds: 0, claims: { company: '/org', user: '/sub' } }] }));
askd = await startAskd({ env: { ASKD_AUTH_FILE: tempPath('auth.json'), ASKD_CORS_ORIGINS: urlOf(shop), ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });

const open = async (server, { path = '', ...options } = {}) => {
  const opened = await Page.open('about:blank', { greeted: false, ...options });
  await opened.page.goto(`${urlOf(server)}${path}`);
  return opened;
};
const chat = opened => opened.page.locator('askd-chat');

test('asked, drawn, in the page’s own colours, as whom the token names', async () => {
  const opened = await open(shop);
  await chat(opened).locator('.suggestion').first().waitFor();
  await opened.page.evaluate(() => {
    window.heard = [];
    document.addEventListener('askd-event', event => window.heard.push(event.detail.event));
    document.addEventListener('askd-turn', event => window.heard.push(event.detail));
  });
  await chat(opened).getByLabel('Your question').fill('How many work orders are there by status?');
  await opened.page.keyboard.press('Enter');
  await chat(opened).locator('article[data-state="done"]').waitFor();
  await chat(opened).locator('.drawing svg').waitFor();
  assert.equal(await chat(opened).locator('.primary').first().evaluate(button => getComputedStyle(button).getPropertyValue('--accent').trim()), 'rgb(120, 20, 140)');
  await chat(opened).getByRole('tab', { name: 'Rows' }).click();
  assert.ok(await chat(opened).locator('tbody tr').count() > 2);
  const heard = await opened.page.evaluate(() => window.heard);
  assert.ok(heard.includes('route_decision') && heard.includes('complete'), JSON.stringify(heard));
  assert.equal(heard.at(-1).state, 'done');
  await assertLooksEverywhere(opened, 'embedded');
  const token = makeToken();
  const { conversations } = await (await askd.fetch('/internal/conversations', { headers: { authorization: `Bearer ${token}` } })).json();
  assert.equal(conversations[0].title, 'How many work orders are there by status?', 'it is ann’s');
  await opened.close();
});

test('a follow-up, a dialog in its shadow, the whole result', async () => {
  const opened = await open(shop);
  await chat(opened).locator('.suggestion').first().click();
  await chat(opened).locator('article[data-state="done"]').waitFor();
  await chat(opened).locator('.next .suggestion').first().click();
  await until('both are answered', async () => await chat(opened).locator('article[data-state="done"]').count() === 2);
  await chat(opened).locator('article').last().getByRole('button', { name: 'This is wrong' }).click();
  await chat(opened).locator('dialog[open]').waitFor();
  await opened.page.keyboard.press('Escape');
  await opened.close();
});

test('a token that ran out is asked for again', async () => {
  lifetime = 1;
  const opened = await open(shop);
  await chat(opened).locator('.suggestion').first().waitFor();
  await new Promise(resolve => setTimeout(resolve, 2100));
  lifetime = 300;
  const before = made;
  await chat(opened).locator('.suggestion').first().click();
  await chat(opened).locator('article[data-state="done"]').waitFor();
  assert.ok(made > before);
  opened.forgive(/401/);
  await opened.close();
});

test('a page of another origin has nothing of it', async () => {
  const opened = await open(stranger);
  await opened.complains(/CORS policy/);
  assert.equal(await opened.page.evaluate(() => customElements.get('askd-chat') === undefined), true);
  opened.forgive(/ERR_FAILED/);
  await opened.close();
});

test('what is asked while a conversation is being opened is asked in it, and nothing of it is lost', async () => {
  const opened = await open(shop, { path: '/kept' }), articles = chat(opened).locator('article');
  // Answers whose path fits wait until the returned function is called.
  const hold = async path => {
    let letGo;
    const gate = new Promise(resolve => { letGo = resolve; });
    await opened.page.route(url => path.test(url.pathname), async route => { await gate; await route.continue(); });
    return async () => { letGo(); await opened.page.unrouteAll({ behavior: 'wait' }); };
  };
  const ask = async text => {
    await chat(opened).getByLabel('Your question').fill(text);
    await opened.page.keyboard.press('Enter');
  };
  const questions = async () => (await articles.allInnerTexts()).map(text => ['crews', 'customers', 'employees'].filter(word => text.includes(`How many ${word}`)).join());
  await chat(opened).locator('.suggestion').first().waitFor();
  await ask('How many crews are there?');
  await chat(opened).locator('article[data-state="done"]').waitFor();
  const list = await hold(/\/conversations$/);
  await chat(opened).getByRole('button', { name: 'New conversation' }).click();
  await ask('How many employees are there?');
  await until('it is answered', async () => await articles.last().getAttribute('data-state') === 'done');
  assert.deepEqual(await questions(), ['employees'], 'a new one waits for no list');
  await list();
  await until('both are offered', async () => await chat(opened).getByRole('button', { name: 'Earlier conversations' }).isVisible());
  const kept = await hold(/\/conversations\/[^/]+$/);
  await chat(opened).getByRole('button', { name: 'Earlier conversations' }).click();
  await chat(opened).getByRole('menuitem', { name: 'How many crews are there?' }).click();
  await ask('How many customers are there?');
  await kept();
  await until('it is answered behind what was kept', async () => await articles.count() === 2 && await articles.last().getAttribute('data-state') === 'done');
  assert.deepEqual(await questions(), ['crews', 'customers']);
  await opened.close();
});
