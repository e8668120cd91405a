// SPDX-License-Identifier: MIT
// tests/node/lib/strangers.mjs - the clients that others have, each as one function: a server's address and
// a question in, the answer's text out, with what it heard besides.
//
// { text, extra }: extra counts what reached the application and was no event of the answer.
import http from 'node:http';
import axios from 'axios';
import OpenAI from 'openai';
import { HttpAgent } from '@ag-ui/client';
import { Client as LangGraph2 } from '@langchain/langgraph-sdk';
import { Client as LangGraph1 } from 'langgraph-sdk-1';
import { DefaultChatTransport, readUIMessageStream } from 'ai';
import { EventSource } from 'eventsource';
import { createParser } from 'eventsource-parser';
import { request as undiciRequest } from 'undici';
import { spawn } from 'node:child_process';
import { newConversation, ofUser1, question } from './harness.mjs';
import { isTerminal } from './sse.mjs';

const STREAM = '/internal/chat/stream';
const headers = { 'content-type': 'application/json' };
const bodyOf = message => JSON.stringify(question(message));

// Events of the native stream, gathered.
class Heard {
  constructor() {
    Object.assign(this, { text: '', extra: 0, ended: false });
  }

  // data: what a message held.
  take(data) {
    if (data === '') {
      this.extra++;
      return;
    }
    const event = JSON.parse(data);
    if (event.event === undefined)
      this.extra++;
    else if (event.event === 'token' && event.channel === 'final')
      this.text += event.content;
    this.ended ||= isTerminal(event);
  }

  get result() {
    if (!this.ended)
      throw new Error('the stream ended without complete or error');
    return { text: this.text, extra: this.extra };
  }
}

const parse = async chunks => {
  const heard = new Heard(), decoder = new TextDecoder();
  const parser = createParser({ onEvent: message => message.event ? heard.extra++ : heard.take(message.data) });
  for await (const bytes of chunks)
    parser.feed(decoder.decode(bytes, { stream: true }));
  return heard.result;
};

const post = (url, message) => fetch(url + STREAM, { method: 'POST', headers, body: bodyOf(message) });

const openaiClient = url => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
const openaiAsk = message => ({ model: 'general_agent', stream: true, messages: [{ role: 'user', content: message }] });

const LANGGRAPH_EVENTS = ['metadata', 'messages', 'values', 'end'];
const langgraph = Client => async (url, message) => {
  const client = new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 },
    defaultHeaders: { 'x-askd-company-id': 'acme', 'x-askd-user-id': 'user-1' } });
  const { thread_id: thread } = await client.threads.create();
  let text = '', extra = 0;
  for await (const { event, data } of client.runs.stream(thread, 'general_agent', { streamMode: ['messages-tuple'], input: { messages: [{ type: 'human', content: message }] } })) {
    if (!LANGGRAPH_EVENTS.includes(event) || data === null)
      extra++;
    else if (event === 'messages')
      text += data[0].content;
  }
  return { text, extra };
};

let tabs;
// What fetch-event-source needs of a browser.
export const fakeTab = () => tabs ??= (() => {
  const listeners = new Set();
  globalThis.document = { hidden: false, addEventListener: (name, one) => listeners.add(one), removeEventListener: (name, one) => listeners.delete(one) };
  globalThis.window = { setTimeout, clearTimeout, fetch };
  return import('@microsoft/fetch-event-source');
})();

const curl = args => new Promise((resolve, reject) => {
  const child = spawn('curl', ['-sN', ...args]), parts = [];
  child.stdout.on('data', bytes => parts.push(bytes));
  child.on('error', reject);
  child.on('close', code => code === 0 ? resolve(parts) : reject(new Error(`curl: ${code}`)));
});

export const strangers = {
  'fetch and eventsource-parser': async (url, message) => parse((await post(url, message)).body),

  undici: async (url, message) => parse((await undiciRequest(url + STREAM, { method: 'POST', headers, body: bodyOf(message) })).body),

  axios: async (url, message) => parse((await axios.post(url + STREAM, bodyOf(message), { headers, responseType: 'stream' })).data),

  'node:http': (url, message) => new Promise((resolve, reject) => http.request(url + STREAM, { method: 'POST', headers },
    response => parse(response).then(result => response.complete ? resolve(result) : reject(new Error('no last chunk')), reject))
    .on('error', reject).end(bodyOf(message))),

  curl: async (url, message) => parse(await curl(['-H', 'content-type: application/json', '-d', bodyOf(message), url + STREAM])),

  eventsource: async (url, message) => {
    const begun = await post(url, message), heard = new Heard();
    const run = begun.headers.get('x-run-id');
    begun.body.cancel().catch(() => {});
    const source = new EventSource(`${url}/internal/runs/${run}/stream?${ofUser1}`);
    source.addEventListener('ping', () => { heard.extra++; });
    return new Promise((resolve, reject) => {
      source.onmessage = ({ data }) => {
        try {
          heard.take(data);
          if (heard.ended) {
            source.close();
            resolve(heard.result);
          }
        } catch (error) {
          source.close();
          reject(error);
        }
      };
      source.onerror = event => source.readyState === EventSource.CLOSED && reject(new Error(event.message));
    });
  },

  'fetch-event-source': async (url, message) => {
    const { fetchEventSource } = await fakeTab(), heard = new Heard();
    await fetchEventSource(url + STREAM, {
      method: 'POST', headers, body: bodyOf(message), openWhenHidden: true,
      onmessage: event => event.event ? heard.extra++ : heard.take(event.data),
      onerror: error => { throw error; },
    });
    return heard.result;
  },

  openai: async (url, message) => {
    let text = '';
    for await (const chunk of await openaiClient(url).chat.completions.create(openaiAsk(message)))
      text += chunk.choices[0]?.delta.content ?? '';
    return { text, extra: 0 };
  },

  'openai, its helper': async (url, message) => {
    const completion = await openaiClient(url).chat.completions.stream(openaiAsk(message)).finalChatCompletion();
    return { text: completion.choices[0].message.content, extra: 0 };
  },

  ai: async (url, message) => {
    const transport = new DefaultChatTransport({ api: `${url}/api/chat` });
    const stream = await transport.sendMessages({ chatId: newConversation().id, trigger: 'submit-message',
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: message }] }] });
    let last;
    const errors = [];
    for await (const one of readUIMessageStream({ stream, onError: error => errors.push(error), terminateOnError: true }))
      last = one;
    if (errors.length > 0)
      throw errors[0];
    return { text: last.parts.filter(part => part.type === 'text').map(part => part.text).join(''), extra: 0 };
  },

  'langgraph-sdk 1.15.0': langgraph(LangGraph1),
  'langgraph-sdk 2.0.0': langgraph(LangGraph2),

  '@ag-ui/client': async (url, message) => {
    const agent = new HttpAgent({ url: `${url}/ag-ui`, threadId: newConversation().id });
    agent.addMessage({ id: 'm0', role: 'user', content: message });
    const { newMessages } = await agent.runAgent({ runId: 'run-1' });
    return { text: newMessages.filter(one => one.role === 'assistant' && one.content).at(-1).content, extra: 0 };
  },
};
