// SPDX-License-Identifier: MIT
// relay.mjs - askd's answer to the browser, byte by byte, and what a stream's end means.
//
// A stream of askd ends with one "complete" or "error" event. One that ends without was cut: a
// process died, a proxy gave up. The browser is told by an error event of ours, so that it never
// takes half an answer for a whole one.
import { Readable } from 'node:stream';

// Headers of askd's answer that the browser gets. Not passed on: content-encoding, transfer-encoding
// and connection, which belong to the connection between askd and us.
const PASSED = ['content-type', 'cache-control', 'x-accel-buffering', 'retry-after', 'x-request-id', 'x-run-id',
  'x-askd-rows', 'x-askd-truncated'];

// Of each frame only its beginning is kept: askd writes "event" first.
const HEAD_CHARS = 256;
const LAST = /^data: ?\{"event":"(?:complete|error)"/m;

// Reads frames as they go by, split anywhere, and knows whether the last word was said.
export class FrameWatch {
  #head = '';
  #endedLine = false;
  ended = false;

  push(bytes) {
    const text = (this.#endedLine ? '\n' : '') + Buffer.from(bytes).toString('latin1');
    const frames = text.split('\n\n');
    frames.forEach((piece, i) => {
      if (this.#head.length < HEAD_CHARS)
        this.#head = (this.#head + piece).slice(0, HEAD_CHARS);
      if (i === frames.length - 1)
        return;
      this.ended ||= LAST.test(this.#head);
      this.#head = '';
    });
    this.#endedLine = frames.at(-1).endsWith('\n');
  }
}

const lost = {
  event: 'error', code: 'upstream_lost', retryable: true,
  message: 'the connection to askd was lost before the answer was complete',
};

async function* withEnd(body, log) {
  const watch = new FrameWatch();
  try {
    for await (const bytes of body) {
      watch.push(bytes);
      yield bytes;
    }
  } catch (error) {
    if (error.name === 'AbortError')
      return; // the browser left first
    log.warn({ err: error }, 'the stream from askd broke');
  }
  if (!watch.ended)
    yield Buffer.from(`\n\ndata: ${JSON.stringify(lost)}\n\n`);
}

// Give upstream, a fetch Response, to reply. An answer that is no stream goes as it is.
export const relay = (upstream, reply, log) => {
  reply.code(upstream.status);
  for (const name of PASSED)
    if (upstream.headers.has(name))
      reply.header(name, upstream.headers.get(name));
  if (upstream.body === null)
    return reply.send();
  const isStream = upstream.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream)
    return reply.send(Readable.fromWeb(upstream.body));
  reply.header('x-no-compression', 'true'); // for @fastify/compress: an event waits for no block
  return reply.send(Readable.from(withEnd(upstream.body, log), { objectMode: false }));
};
