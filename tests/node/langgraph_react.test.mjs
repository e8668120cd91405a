// SPDX-License-Identifier: MIT
// tests/node/langgraph_react.test.mjs - a page's hook, useStream of @langchain/langgraph-sdk/react (2.0.0 and
// 1.15.0): a talk of two questions, its history, a page loaded again, a person who is asked, stopping.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createElement, useEffect } from 'react';
import { create } from 'react-test-renderer';
import { useStream as useStream2 } from '@langchain/langgraph-sdk/react';
import { useStream as useStream1 } from 'langgraph-sdk-1/react';
import { startAskd, startMock, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { PageModel } from './lib/page_model.mjs';
import { general, held, line, words } from './lib/scripts.mjs';

const GENERAL = 'The sky is blue because of scattering.';
const LONG = words(12);
const mock = await startMock([
  line('classify', 'SQL', { user: 'orders' }),
  line('tables', '["workOrder"]'),
  line('generate', '```sql\nSELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status\n```'),
  line('answer', 'Some are open.'),
  held(), ...general]);
const askd = await startAskd({ mock, env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}`, ASKD_WORKERS: '2' } });
const careful = await startAskd({ mock, env: { ASKD_SQL_APPROVAL: 'always', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('careful.db')}` } });
const HEADERS = { 'x-askd-company-id': 'acme', 'x-askd-user-id': 'user-1' };
const human = content => ({ messages: [{ type: 'human', content }] });

globalThis.IS_REACT_NATIVE_TEST_ENVIRONMENT = true; // no word about the renderer's age
globalThis.window = globalThis; // the hook looks for one before it looks into a storage

// A page with the hook in it: what it shows last is page.shown.
const mount = async (t, useStream, options = {}) => {
  const page = { errors: [], thread: options.threadId };
  const Page = () => {
    page.shown = useStream({ assistantId: 'orchestrator', apiUrl: askd.url, apiKey: null, defaultHeaders: HEADERS, callerOptions: { maxRetries: 0 },
      messagesKey: 'messages', fetchStateHistory: true, throttle: false, onThreadId: id => { page.thread = id; },
      onError: error => page.errors.push(error), ...options });
    page.texts = page.shown.messages.map(message => message.content);
    useEffect(() => { page.ready = true; }, []); // behind the hook's own: nobody clicks earlier
    return null;
  };
  page.root = create(createElement(Page));
  page.waits = (what, is) => until(what, async () => page.ready && is(page.shown));
  await page.waits('it is drawn', () => true);
  page.settles = () => page.waits('it is over', shown => !shown.isLoading && !shown.isThreadLoading);
  // What is drawn comes behind what a promise says.
  page.shows = async (...texts) => {
    await page.waits(`it shows ${texts}`, shown => page.errors.length > 0 || (!shown.isLoading && !shown.isThreadLoading && page.texts.join('\n') === texts.join('\n')))
      .catch(() => assert.deepEqual(page.texts, texts));
    assert.deepEqual(page.errors, []);
  };
  t.after(() => page.root.unmount());
  return page;
};

const ASKS = { name: 'get_location', description: 'Where the user is', parameters: { type: 'object', properties: { exact: { type: 'boolean' } } } };

test('1.15.0: tools of the page (headless), which the hook calls and answers by itself', async t => {
  const model = await startMock([
    { user: 'where am I', result: 'Bern', reply: 'You are in Bern.' },
    { user: 'where am I', calls: [{ name: 'get_location', arguments: { exact: true } }] }]);
  const server = await startAskd({ mock: model, env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('headless.db')}` } });
  const called = [];
  const tool = { tool: { name: 'get_location' }, execute: async args => { called.push(args); return { city: 'Bern' }; } };
  const page = await mount(t, useStream1, { apiUrl: server.url, assistantId: 'data_agent', tools: [tool] });
  await page.shown.submit({ ...human('where am I?'), tools: [ASKS] });
  await page.shows('where am I?', 'You are in Bern.');
  assert.deepEqual(called, [{ exact: true }]);
});

test("2.0.0: a tool's call is an interrupt, which the page answers", async t => {
  const model = await startMock([
    { user: 'where am I', result: 'Bern', reply: 'You are in Bern.' },
    { user: 'where am I', calls: [{ name: 'get_location', arguments: { exact: true } }] }]);
  const server = await startAskd({ mock: model, env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('asked.db')}` } });
  const page = await mount(t, useStream2, { apiUrl: server.url, assistantId: 'data_agent' });
  await page.shown.submit({ ...human('where am I?'), tools: [ASKS] });
  await page.waits('it is asked', shown => shown.interrupt != null);
  const { toolCall } = page.shown.interrupt.value;
  assert.deepEqual([toolCall.name, toolCall.args], ['get_location', { exact: true }]);
  await page.shown.submit(undefined, { command: { resume: { [toolCall.id]: 'Bern' } } });
  await page.shows('where am I?', 'You are in Bern.');
});

for (const [name, useStream] of [['2.0.0', useStream2], ['1.15.0', useStream1]]) {
  test(`${name}: two questions, the second from the first one's checkpoint; the page loaded again shows both`, async t => {
    const page = await mount(t, useStream);
    await page.shown.submit(human('hello'));
    await page.shows('hello', GENERAL);
    await page.shown.submit(human('and hello'));
    await page.shows('hello', GENERAL, 'and hello', GENERAL);
    assert.equal(page.shown.history.length, 2);
    const again = await mount(t, useStream, { threadId: page.thread });
    await again.shows(...page.texts);
    assert.deepEqual(again.shown.messages.map(message => message.id), page.shown.messages.map(message => message.id));
    const first = again.shown.history.find(state => state.values.messages.length === 2);
    await again.shown.submit(human('elsewhere'), { checkpoint: first.checkpoint }).catch(() => {});
    await again.waits('it is refused', () => again.errors.length > 0);
    assert.match(again.errors[0].message, /earlier checkpoint/);
    const latest = await mount(t, useStream, { threadId: page.thread, fetchStateHistory: false }); // the state instead
    await latest.shows(...page.texts);
  });

  test(`${name}: with its defaults it keeps what was said before`, async t => {
    const page = await mount(t, useStream, { fetchStateHistory: undefined });
    await page.shown.submit(human('hello'));
    await page.shows('hello', GENERAL);
    await page.shown.submit(human('and hello'));
    await page.shows('hello', GENERAL, 'and hello', GENERAL);
  });

  test(`${name}: a run that waits for a person is answered`, async t => {
    const page = await mount(t, useStream, { apiUrl: careful.url });
    await page.shown.submit(human('how many orders are there?'));
    await page.waits('it is asked', shown => shown.interrupt != null);
    assert.match(page.shown.interrupt.value.sql, /^SELECT status/);
    const again = await mount(t, useStream, { apiUrl: careful.url, threadId: page.thread });
    await again.waits('it is asked', shown => shown.interrupt != null);
    assert.match(again.shown.interrupt.value.sql, /^SELECT status/);
    await again.shown.submit(undefined, { command: { resume: { action: 'approve' } } });
    await again.shows('how many orders are there?', 'Some are open.');
    assert.ok(again.shown.interrupt == null);
  });

  test(`${name}: stopped, the run is cancelled`, async t => {
    const page = await mount(t, useStream);
    page.shown.submit(human('held, please'));
    await page.waits('it speaks', shown => /word5/.test(shown.messages.at(-1)?.content));
    await page.shown.stop();
    await page.settles();
    const { client } = page.shown;
    await until('it is cancelled', async () => (await client.runs.list(page.thread))[0].status === 'interrupted');
  });

  test(`${name}: a page loaded again in the middle of an answer has the whole`, async t => {
    const model = await new PageModel([{ system: 'You route questions', reply: 'GENERAL' }, { reply: LONG, hold: 6 }]).start();
    const server = await startAskd({ mock: model, env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath(`again-${name}.db`)}` } });
    try {
      const kept = new Map();
      const storage = { getItem: key => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: key => kept.delete(key) };
      const options = { apiUrl: server.url, reconnectOnMount: () => storage };
      const page = await mount(t, useStream, options);
      page.shown.submit(human('why'));
      await page.waits('it speaks', () => page.texts.at(-1)?.length > 0 && page.texts.length === 2);
      await until('it is held', async () => model.held.length > 0);
      const again = await mount(t, useStream, { ...options, threadId: page.thread });
      await again.waits('it is joined', () => again.texts.length === 2 && again.texts[1].startsWith('word0'));
      model.release();
      await again.shows('why', LONG);
      await page.shows('why', LONG);
    } finally {
      await model.stop();
    }
  });
}
