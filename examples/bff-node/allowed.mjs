// SPDX-License-Identifier: MIT
// allowed.mjs - what of askd browsers reach through this: what <askd-chat> asks for, and nothing else.

const ID = '(?!\\.\\.?(?:/|$))[^/]+'; // no way up
const ROUTES = [
  ['GET', '/embed\\.js'], ['GET', `/page/${ID}/${ID}`],
  ['GET', '/internal/(?:about|graphs|tables|suggestions)'], ['GET', `/internal/graphs/${ID}`],
  ['POST', '/internal/chat/stream'], ['POST', `/internal/graphs/${ID}/stream`],
  ['GET', '/internal/runs'], ['GET', `/internal/runs/${ID}/stream`],
  ['POST', `/internal/runs/${ID}/cancel`, { outlives: true }], ['POST', `/internal/runs/${ID}/(?:resume|feedback)`],
  ['POST', '/internal/results'],
  ['GET', '/internal/conversations'], ['GET', `/internal/conversations/${ID}`],
].map(([method, pattern, { outlives = false } = {}]) => ({ method, pattern: new RegExp(`^${pattern}$`), endsWithBrowser: !outlives }));

// endsWithBrowser: a browser that leaves takes the request with it. Undefined: it is not open.
export const findRoute = (method, path) => ROUTES.find(one => one.method === method && one.pattern.test(path));
