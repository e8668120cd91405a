// SPDX-License-Identifier: MIT
// askd.mjs - the calls to askd. It trusts what this file says about who asks, so nothing here comes
// from a browser but what is asked, ids of conversations and runs, and where to go on reading.

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

  // A request of a browser's: a fetch Response, also when askd refuses. Whatever it says of who asks is
  // replaced: in the query, in a body's conversation, and in headers, of which only PASSED go on.
  pass({ user, method, path, query, body, headers, context, signal }) {
    const asked = new URLSearchParams({ ...query, company_id: user.company, user_id: user.id });
    const passed = Object.fromEntries(PASSED.filter(name => headers[name]).map(name => [name, headers[name]]));
    const given = body?.conversation ? { ...body, conversation: { ...body.conversation, company_id: user.company, user_id: user.id } } : body;
    return this.#fetch(`${this.url}${path}?${asked}`, {
      method, signal, headers: this.#headers(context, passed), ...given && { body: JSON.stringify(given) },
    });
  }
}

const PASSED = ['accept', 'accept-language', 'content-type', 'idempotency-key', 'last-event-id'];
