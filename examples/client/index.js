// SPDX-License-Identifier: MIT
// index.js - @askd/client: a question is asked, its events are iterated, through lost connections, to their end.
//
// Happy path: POST with an Idempotency-Key; frames until complete or error.
// Failure: a refusal is an AskdError with its status, code and pointer; a connection that is lost is opened again after
// the last event that came, tries times (5) in a row; after that its own error is thrown.

const PAUSES_MS = [100, 250, 500, 1000, 2000];
const MAY_PASS = new Set([408, 425, 429, 502, 503, 504]);

export class AskdError extends Error {
  constructor(status, body = {}) {
    super(body.detail ?? body.title ?? `askd answered ${status}`);
    Object.assign(this, { name: 'AskdError', status, code: body.code, pointer: body.pointer, retryable: body.retryable === true });
  }
}

const pause = (ms, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(signal.reason);
  }, { once: true });
});

// Yields { id, data } of each frame: "id: run:n", "data: {...}", lines by LF; comments and heartbeats are passed over.
async function* readFrames(body) {
  const decoder = new TextDecoder();
  let rest = '', id = '';
  for await (const piece of body) {
    rest += decoder.decode(piece, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop();
    for (const line of lines)
      if (line.startsWith('id: '))
        id = line.slice(4);
      else if (line.startsWith('data: '))
        yield { id, data: JSON.parse(line.slice(6)) };
  }
}

const isEnd = event => event.event === 'complete' || event.event === 'error';

export class Run {
  constructor(client, order) {
    Object.assign(this, { client, order, id: order.runId ?? null, lastEventId: order.lastEventId ?? null });
  }

  open(signal) {
    const { client, order } = this;
    if (this.id)
      return client.send(`/internal/runs/${encodeURIComponent(this.id)}/stream`, { signal, caller: order.caller, headers: this.lastEventId ? { 'last-event-id': this.lastEventId } : {} });
    return client.send(order.path, { method: 'POST', body: order.body, signal, caller: order.caller, headers: { 'idempotency-key': order.key } });
  }

  async *[Symbol.asyncIterator]() {
    const { signal } = this.order;
    for (let failures = 0; ; failures++) {
      try {
        const response = await this.open(signal);
        if (response.status === 204)
          return;
        this.id ??= response.headers.get('x-run-id');
        for await (const { id, data } of readFrames(response.body)) {
          if (id === this.lastEventId)
            continue;
          failures = 0;
          this.lastEventId = id;
          yield data;
          if (isEnd(data))
            return;
        }
      } catch (error) {
        if (signal?.aborted || (error instanceof AskdError && !MAY_PASS.has(error.status)) || failures >= this.client.tries)
          throw error;
      }
      if (failures >= this.client.tries)
        throw new AskdError(0, { detail: 'the stream was cut, and could not be gone on with' });
      await pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)], signal);
    }
  }

  // All of it: the text for the reader, and the last event.
  async result() {
    let text = '';
    for await (const event of this) {
      if (event.event === 'token' && event.channel === 'final')
        text = (event.reset ? '' : text) + event.content;
      if (isEnd(event))
        return { text, end: event };
    }
    return { text, end: null };
  }

  // Its stream then ends with the error "cancelled".
  async cancel() {
    if (this.id)
      await this.client.send(`/internal/runs/${encodeURIComponent(this.id)}/cancel`, { method: 'POST', caller: this.order.caller });
  }
}

export class Askd {
  // { url, token: text or a function that gives one, company, user, tries, fetch }
  constructor({ url, token, company, user, tries = 5, fetch: ask = globalThis.fetch }) {
    Object.assign(this, { url: url.replace(/\/$/, ''), token, caller: { company, user }, tries, fetch: ask });
  }

  async send(path, { method = 'GET', body, headers = {}, signal, caller = this.caller } = {}) {
    const token = typeof this.token === 'function' ? await this.token() : this.token;
    const query = new URLSearchParams({ ...caller.company && { company_id: caller.company }, ...caller.user && { user_id: caller.user } });
    const { fetch: ask } = this;
    const response = await ask(`${this.url}${path}?${query}`, {
      method, signal, headers: { ...token && { authorization: `Bearer ${token}` }, ...body && { 'content-type': 'application/json' }, ...headers }, body: body && JSON.stringify(body),
    });
    if (response.ok)
      return response;
    throw new AskdError(response.status, await response.json().catch(() => ({})));
  }

  // A run of its own, which begins when it is iterated.
  ask(message, { conversation = crypto.randomUUID(), graph, detail, data, key = crypto.randomUUID(), signal } = {}) {
    const { company, user } = this.caller;
    return new Run(this, { key, signal, caller: this.caller, path: graph ? `/internal/graphs/${encodeURIComponent(graph)}/stream` : '/internal/chat/stream',
      body: { input: { message }, conversation: { id: conversation, ...company && { company_id: company }, ...user && { user_id: user } }, ...(detail || data) && { options: { ...detail && { detail }, ...data && { data } } } } });
  }

  // A run that somebody began: its events after the last one that was heard.
  rejoin(runId, { lastEventId, signal } = {}) {
    return new Run(this, { runId, lastEventId, signal, caller: this.caller });
  }

  // A run that waits for a person goes on with the answer.
  resume(runId, answer, { key = crypto.randomUUID(), signal } = {}) {
    return new Run(this, { key, signal, caller: this.caller, path: `/internal/runs/${encodeURIComponent(runId)}/resume`, body: { resume: answer } });
  }

  async rows(sql, { rows } = {}) {
    return (await this.send('/internal/results', { method: 'POST', body: { sql, format: 'json', ...rows && { rows } } })).json();
  }
}
