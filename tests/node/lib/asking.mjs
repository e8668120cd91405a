// SPDX-License-Identifier: MIT
// tests/node/lib/asking.mjs - a message of somebody who asks again until it has ended, whatever happens to
// servers and sockets on the way.
import assert from 'node:assert/strict';
import { question } from './harness.mjs';
import { PATIENCE_MS } from './process.mjs';
import { comesNext, isTerminal } from './sse.mjs';

export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

// The same numbers for the same seed: below n.
export const dice = seed => n => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor(seed / 2 ** 32 * n);
};

// How one message ended, with the ids of all its frames and what a client shows: { ids, said, terminals }.
export class Message {
  // answer: what is said to it, if that is known
  constructor(conversation, text, answer) {
    Object.assign(this, { conversation, text, answer, ids: [], said: '', terminals: [], refusals: {}, forgotten: [], askedAt: Date.now() });
    this.headers = { 'content-type': 'application/json', 'idempotency-key': `${conversation.id}:${text}` };
    this.body = JSON.stringify(question(text, conversation));
  }

  take(id, data) {
    if (id)
      this.ids.push(id);
    const event = JSON.parse(data);
    if (event.event === 'token' && event.channel === 'final')
      this.said = (event.reset ? '' : this.said) + event.content;
    if (isTerminal(event) && (id || event.code !== 'lagged')) { // after that one joins again
      this.terminals.push(event);
      this.endedAt = Date.now();
    }
  }

  get done() {
    return this.terminals.length > 0 || this.gone;
  }

  // 409 while a dead server's run has the conversation, 503 while a store is away: again. 410: nobody
  // knows the run any more, so it is asked anew. Nothing more comes after 204 and 404.
  refused(status) {
    this.refusals[status] = (this.refusals[status] ?? 0) + 1;
    this.gone = [204, 400, 404, 422].includes(status) ? status : undefined;
    if (status === 410) {
      this.forgotten.push(this.ids[0]);
      this.ids = [];
      this.said = '';
    }
  }
}

// Whose run it is, as a query.
const whose = ({ company_id, user_id }) => new URLSearchParams({ company_id, user_id });

// Ask, or join again behind the last id that came.
export const withFetch = async (url, message) => {
  const last = message.ids.at(-1);
  const response = last
    ? await fetch(`${url}/internal/runs/${last.split(':')[0]}/stream?${whose(message.conversation)}`, { headers: { 'last-event-id': last }, signal: AbortSignal.timeout(PATIENCE_MS) })
    : await fetch(`${url}/internal/chat/stream`, { method: 'POST', headers: message.headers, body: message.body, signal: AbortSignal.timeout(PATIENCE_MS) });
  if (response.status !== 200) {
    message.refused(response.status);
    await response.text();
    return;
  }
  let text = '';
  for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
    text += bytes;
    for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
      const frame = text.slice(0, end);
      const data = /^data: (.*)$/m.exec(frame);
      if (data)
        message.take(/^id: (.*)$/m.exec(frame)?.[1], data[1]);
    }
  }
};

// Ask one message after the other in the conversation until goes says no; text: of the nth, answer: to it.
export const talk = async (conversation, { ask, goes, text, answer, random, messages }) => {
  for (let n = 0; goes(); n++) {
    const asked = text(n), message = new Message(conversation, asked, answer(asked));
    messages.push(message);
    for (const end = Date.now() + PATIENCE_MS; !message.done && Date.now() < end;) {
      await ask(message).catch(error => { message.trouble = error; });
      if (!message.done)
        await sleep(50 + random(200));
    }
    await sleep(random(100));
  }
};

// It had exactly one end, and no event was lost or came twice.
export const assertEnded = message => {
  const what = () => `${message.conversation.id} ${message.text}: ${JSON.stringify({ ...message, body: undefined, ids: message.ids.slice(-3) })} ${message.trouble}`;
  const run = message.ids[0]?.split(':')[0];
  message.ids.forEach((id, n) => assert.ok(comesNext(id, message.ids[n - 1] ?? `${run}:0`), `no event lost or doubled: ${id} in ${what()}`));
  if (message.terminals[0]?.event === 'complete' && message.answer)
    assert.equal(message.said, message.answer, `all of it, once: ${what()}`);
  assert.ok(message.done, `it ended: ${what()}`);
  assert.equal(message.terminals.length, 1, `with one event: ${what()}`);
};

// What url says of the conversation: { status, text, missing }, the answered ones of messages that are not in it.
export const readConversation = async (url, { id, company_id, user_id }, messages) => {
  const query = new URLSearchParams({ company_id, user_id, limit: '1000' });
  const response = await fetch(`${url}/internal/conversations/${id}?${query}`).catch(() => null);
  const text = await response?.text() ?? '';
  const missing = messages.filter(message => message.conversation.id === id &&
    message.terminals[0]?.event === 'complete' && !text.includes(`"${message.text}"`));
  return { status: response?.status, text, missing };
};

// A run is kept in it once.
export const assertOnce = text => {
  const runs = JSON.parse(text).messages.map(said => said.run_id).filter(Boolean);
  assert.equal(new Set(runs).size, runs.length, `a run is kept once: ${text}`);
};

export const count = array => JSON.stringify(array.reduce((sum, key) => ({ ...sum, [key]: (sum[key] ?? 0) + 1 }), {}));
export const ends = messages => count(messages.map(message =>
  message.terminals[0]?.code ?? message.terminals[0]?.event ?? message.gone ?? 'none'));
