// SPDX-License-Identifier: MIT
// tests/node/lib/framing_proxy.mjs - askd behind a hop that frames its streams anew, cuts its bytes or
// its sockets: what others put around events, and what networks do to them.
//
// The hop's path names what it does: http://hop/<variant>/<askd's path>.
import { createServer, request as httpRequest } from 'node:http';
import { stopAtEnd } from './harness.mjs';

// What stands before each event, and what becomes of the whole text of one.
const before = text => frame => text + frame;
export const VARIANTS = {
  as_sent: frame => frame,
  comment: before(': hb\n'),
  comment_and_blank: before(': hb\n\n'),
  typed_without_data: before('event: ping\n\n'),
  empty_data: before('data:\n\n'),
  typed_with_data: before('event: ping\ndata: {}\n\n'),
  crlf: frame => frame.replaceAll('\n', '\r\n'),
  bom: (frame, index) => (index === 0 ? '\ufeff' : '') + frame,
};

// Whole events of a stream's text, with the comments before them.
export class Frames {
  constructor() {
    this.rest = '';
    this.decoder = new TextDecoder();
  }

  take(bytes) {
    const parts = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n\n');
    this.rest = parts.pop();
    return parts.map(part => `${part}\n\n`);
  }
}

const turn = () => new Promise(resolve => setImmediate(resolve));

const writeBytes = async (response, bytes) => {
  for (const byte of bytes) {
    response.write(Uint8Array.of(byte));
    await turn();
  }
};

// Each event in two writes, cut in its middle.
const writeHalves = async (response, bytes) => {
  const middle = bytes.length >> 1;
  response.write(bytes.subarray(0, middle));
  await turn();
  response.write(bytes.subarray(middle));
};

// cut(request): after how many events this answer's socket is destroyed; Infinity: never. retry: first line.
export const startProxy = async (target, { cut = () => Infinity, retry = '' } = {}) => {
  const proxy = { requests: [] };
  const server = createServer((request, response) => {
    const [, variant, path] = /^\/([a-z_]+)(\/.*)$/.exec(request.url);
    const seen = { method: request.method, path, lastEventId: request.headers['last-event-id'], events: 0 };
    proxy.requests.push(seen);
    const { host, ...headers } = request.headers;
    const upstream = httpRequest(new URL(path, target), { method: request.method, headers }, async answer => {
      seen.status = answer.statusCode;
      const { 'transfer-encoding': chunked, connection, 'keep-alive': keptAlive, ...passed } = answer.headers;
      response.writeHead(answer.statusCode, passed);
      if (!/event-stream/.test(answer.headers['content-type'] ?? '')) {
        answer.pipe(response);
        return;
      }
      const most = cut(seen, proxy.requests.length), frames = new Frames();
      response.write(retry);
      if (most === 0) {
        upstream.destroy();
        response.destroy();
        return;
      }
      try {
        for await (const bytes of answer) {
          for (const frame of frames.take(bytes)) {
            const text = Buffer.from((VARIANTS[variant] ?? VARIANTS.as_sent)(frame, seen.events++));
            if (variant === 'bytes')
              await writeBytes(response, text);
            else if (variant === 'halves')
              await writeHalves(response, text);
            else
              await new Promise(resolve => response.write(text, resolve)); // gone before a socket is cut
            if (seen.events >= most) {
              upstream.destroy();
              response.destroy();
              return;
            }
          }
        }
        response.end(frames.rest);
      } catch {
        response.destroy();
      }
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  proxy.url = `http://127.0.0.1:${server.address().port}`;
  proxy.child = { child: { kill: () => {} } };
  proxy.stop = () => new Promise(resolve => { server.closeAllConnections(); server.close(resolve); });
  return stopAtEnd(proxy);
};
