// SPDX-License-Identifier: MIT
// server.mjs - a backend for frontends: browsers log in here, askd answers behind it.
//
//   browser --cookie--> this --bearer key, user_id, company_id--> askd
//
// Settings: ASKD_URL, ASKD_API_KEY, BFF_HOST, BFF_PORT, BFF_USERS, BFF_SECRET (see README.md).
import { randomBytes, randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import files from '@fastify/static';
import Fastify from 'fastify';
import { Askd } from './askd.mjs';
import { relay } from './relay.mjs';
import { logIn, readUsers } from './users.mjs';

const { env } = process;
const host = env.BFF_HOST ?? '127.0.0.1';
const isLocal = host === '127.0.0.1' || host === 'localhost';
if (!env.BFF_USERS && !isLocal)
  throw new Error('BFF_USERS: name:password:company, ... is needed when other machines can connect');

const askd = new Askd({ url: env.ASKD_URL ?? 'http://127.0.0.1:8080', key: env.ASKD_API_KEY, ...(env.ASKD_HTTP1 && { isHttp1: true }) });
const users = readUsers(env.BFF_USERS ?? 'ana:ana:acme, bo:bo:globex');
const app = Fastify({
  logger: { level: env.BFF_LOG ?? 'info', redact: ['req.headers.cookie', 'req.headers.authorization'] },
  genReqId: request => /^[\w.-]{1,64}$/.test(request.headers['x-request-id'] ?? '')
    ? request.headers['x-request-id'] : randomUUID(),
  bodyLimit: 64 * 1024,
  forceCloseConnections: true,
});

await app.register(compress, { global: true });
await app.register(cookie, { secret: env.BFF_SECRET ?? randomBytes(32).toString('hex') });
await app.register(files, { root: join(dirname(fileURLToPath(import.meta.url)), 'public') });

app.addHook('onSend', async (request, reply) => {
  reply.header('content-security-policy', "default-src 'self'; frame-ancestors 'none'");
  reply.header('x-content-type-options', 'nosniff');
});

// ---- who asks ----

const SESSION = { path: '/', httpOnly: true, sameSite: 'strict', signed: true, secure: env.BFF_SECURE === '1' };

app.decorateRequest('user', null);
app.addHook('onRequest', async request => {
  const session = request.cookies.session && request.unsignCookie(request.cookies.session);
  request.user = session?.valid ? users.get(session.value) : null;
});

// Of each route, not of paths that look alike: "/%61pi/..." is the same route.
const onlyUsers = {
  onRequest: async (request, reply) => request.user ?? reply.code(401).send({ error: 'log in first' }),
};

app.post('/api/login', async (request, reply) => {
  const { name, password } = request.body ?? {};
  const user = logIn(users, name, password);
  if (!user)
    return reply.code(401).send({ error: 'no such name and password' });
  return reply.setCookie('session', user.id, SESSION).send({ id: user.id, company: user.company });
});

app.post('/api/logout', async (request, reply) => reply.clearCookie('session', SESSION).code(204).send());
app.get('/api/me', async ({ user }) => ({ user: user ? { id: user.id, company: user.company } : null }));

// ---- what askd answers ----

const contextOf = request => ({ requestId: request.id, traceparent: request.headers.traceparent });

// A signal that fires when the browser leaves, so that askd is left, too. The run goes on there for
// ASKD_DISCONNECT_GRACE_SECONDS, for the browser to come back to.
const leavingOf = reply => {
  const leaving = new AbortController();
  reply.raw.on('close', () => leaving.abort());
  return leaving.signal;
};

// Call askd; a refused connection is a 502 that says so.
const upstream = async (request, reply, call) => {
  let response;
  try {
    response = await call(leavingOf(reply));
  } catch (error) {
    request.log.warn({ err: error }, 'askd does not answer');
    return reply.code(502).send({ error: 'askd does not answer; try again' });
  }
  return relay(response, reply, request.log);
};

const message = { type: 'object', required: ['message'], properties: { message: { type: 'string', minLength: 1 } } };

app.post('/api/conversations/:id/messages', { ...onlyUsers, schema: { body: message } }, (request, reply) =>
  upstream(request, reply, signal => askd.ask({
    user: request.user,
    conversation: request.params.id,
    message: request.body.message,
    idempotencyKey: request.headers['idempotency-key'],
    context: contextOf(request),
    signal,
  })));

// For EventSource, which cannot send a header of its own at first: ?after= is where to go on.
app.get('/api/runs/:run/stream', onlyUsers, (request, reply) => upstream(request, reply, signal => askd.rejoin({
  user: request.user,
  run: request.params.run,
  after: request.headers['last-event-id'] ?? request.query.after,
  context: contextOf(request),
  signal,
})));

app.post('/api/runs/:run/cancel', onlyUsers, (request, reply) => upstream(request, reply, () =>
  askd.cancel({ user: request.user, run: request.params.run, context: contextOf(request) })));

// ---- life ----

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => app.close().then(() => process.exit(0)));
const address = await app.listen({ host, port: Number(env.BFF_PORT ?? 3000) });
console.log(`bff: ${address} in front of ${askd.url}`);
