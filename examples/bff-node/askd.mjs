// SPDX-License-Identifier: MIT
// askd.mjs - the calls to askd. It trusts what this file says about who asks, so nothing here comes
// from a browser but the message, ids of conversations and runs, and where to go on reading.

import { Link } from './link.mjs';

export class Askd {
  #fetch;

  // All over one connection of HTTP/2; where something between us and askd speaks HTTP/1.1 only, or
  // ends TLS, isHttp1.
  constructor({ url, key, isHttp1 = url.startsWith('https:') }) {
    const link = new Link();
    this.url = url.replace(/\/$/, '');
    this.key = key;
    this.#fetch = isHttp1 ? fetch : (...args) => link.fetch(...args);
  }

  // What every request carries: the key, and what ties it to the browser's request in logs.
  #headers({ requestId, traceparent }, more = {}) {
    return {
      ...(this.key && { authorization: `Bearer ${this.key}` }),
      'x-request-id': requestId,
      ...(traceparent && { traceparent }),
      ...more,
    };
  }

  // The answer to message as a stream of events: a fetch Response, also when askd refuses.
  ask({ user, conversation, message, idempotencyKey, context, signal }) {
    return this.#fetch(`${this.url}/internal/chat/stream`, {
      method: 'POST',
      signal,
      headers: this.#headers(context, {
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      }),
      body: JSON.stringify({
        input: { message },
        conversation: { id: conversation, user_id: user.id, company_id: user.company },
        options: { detail: 'nodes' },
      }),
    });
  }

  // A run's events after one of them; 204: there are none any more.
  rejoin({ user, run, after, context, signal }) {
    return this.#fetch(`${this.url}/internal/runs/${encodeURIComponent(run)}/stream?${ownerOf(user)}`, {
      signal,
      headers: this.#headers(context, after ? { 'last-event-id': after } : {}),
    });
  }

  cancel({ user, run, context }) {
    return this.#fetch(`${this.url}/internal/runs/${encodeURIComponent(run)}/cancel?${ownerOf(user)}`, {
      method: 'POST',
      headers: this.#headers(context),
    });
  }
}

const ownerOf = user => new URLSearchParams({ company_id: user.company, user_id: user.id });
