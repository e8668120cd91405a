// SPDX-License-Identifier: MIT
// tests/node/lib/watched.mjs - a server in front of the mock model that keeps what it is sent on the way, and notes
// who of its callers went away before the answer's end.
import { createServer, request as httpRequest } from 'node:http';
import { stopAtEnd } from './harness.mjs';

// requests: { path, headers, body (JSON, parsed), left }. answers(request, response): true when it takes the response
// for itself, and nothing is passed on.
export const startWatched = async (mock, answers = () => false) => {
  const requests = [];
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request)
      pieces.push(piece);
    const text = Buffer.concat(pieces);
    const one = { path: request.url, headers: request.headers, body: text.length > 0 ? JSON.parse(text) : undefined, left: false };
    response.on('close', () => { one.left = !response.writableFinished; });
    requests.push(one);
    if (answers(one, response))
      return;
    const upstream = httpRequest(new URL(request.url, mock.url), { method: request.method, headers: request.headers }, answer => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    upstream.end(text);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return stopAtEnd({
    url: `http://127.0.0.1:${server.address().port}`, requests,
    child: { child: { kill: () => {} } },
    stop: () => new Promise(resolve => { server.closeAllConnections(); server.close(resolve); }),
  });
};
