// SPDX-License-Identifier: MIT
// link.mjs - one HTTP/2 connection to askd that carries all requests, with fetch's face.
//
// askd speaks HTTP/2 without TLS on its own port. A connection that is said goodbye to (GOAWAY) or
// lost is replaced by the next request; requests that were not begun are sent again.
import http2 from 'node:http2';
import { Readable } from 'node:stream';

const { NGHTTP2_REFUSED_STREAM } = http2.constants;

export class Link {
  #session;

  // The connection that takes requests now; opened when there is none.
  #open(origin) {
    if (this.#session && !this.#session.closed && !this.#session.destroyed)
      return this.#session;
    const session = http2.connect(origin);
    const leave = () => {
      if (this.#session === session)
        this.#session = undefined;
    };
    session.on('error', leave); // each request hears of it, too
    session.on('goaway', leave);
    session.on('close', leave);
    return this.#session = session;
  }

  // As fetch: a Response as soon as there is a head. Its body ends with an error where it was cut.
  async fetch(url, options = {}) {
    for (let again = 0; ; again++) {
      try {
        return await this.#send(new URL(url), options);
      } catch (error) {
        if (again > 0 || !error.refused)
          throw error;
      }
    }
  }

  #send(url, { method = 'GET', headers = {}, body, signal }) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stream = this.#open(url.origin).request(
        { ...headers, ':method': method, ':path': url.pathname + url.search }, { endStream: body === undefined, signal });
      stream.on('error', error => reject(Object.assign(error, { refused: stream.rstCode === NGHTTP2_REFUSED_STREAM })));
      stream.on('close', () => reject(new Error('askd ended the request without an answer')));
      stream.on('response', head => {
        const given = Object.entries(head).filter(([name]) => !name.startsWith(':'));
        const isEmpty = head[':status'] === 204 || head[':status'] === 304;
        if (isEmpty)
          stream.resume();
        stream.on('aborted', () => stream.destroy(new Error('askd cut the answer')));
        resolve(new Response(isEmpty ? null : Readable.toWeb(stream), { status: head[':status'], headers: given }));
      });
      if (body !== undefined)
        stream.end(body);
    });
  }
}
