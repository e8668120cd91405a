// SPDX-License-Identifier: MIT
// server.mjs - a backend for frontends: browsers log in here, and <askd-chat> of askd's own modules is their page.
//
//   browser --cookie--> this --bearer key, user_id, company_id--> askd
//   browser --token of this--> askd, where ASKD_PUBLIC_URL says that browsers reach it
//
// Settings: ASKD_URL, ASKD_PUBLIC_URL, ASKD_API_KEY, BFF_HOST, BFF_PORT, BFF_USERS, BFF_SECRET (see README.md).
import { randomBytes, randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import files from '@fastify/static';
import Fastify from 'fastify';
import { Askd } from './askd.mjs';
import { findRoute } from './allowed.mjs';
import { relay } from './relay.mjs';
import { Tokens } from './tokens.mjs';
import { logIn, readUsers } from './users.mjs';

const { env } = process;
const host = env.BFF_HOST ?? '127.0.0.1';
const isLocal = host === '127.0.0.1' || host === 'localhost';
if (!env.BFF_USERS && !isLocal)
  throw new Error('BFF_USERS: name:password:company, ... is needed when other machines can connect');

const askd = new Askd({ url: env.ASKD_URL ?? 'http://127.0.0.1:8080', key: env.ASKD_API_KEY, ...(env.ASKD_HTTP1 && { isHttp1: true }) });
const publicUrl = env.ASKD_PUBLIC_URL?.replace(/\/$/, '');
const tokens = publicUrl ? new Tokens(env.BFF_ISSUER ?? 'http://127.0.0.1:3000', env.BFF_TOKEN_KEY_FILE) : null;
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
  const from = publicUrl ? `'self' ${new URL(publicUrl).origin}` : "'self'";
  reply.header('content-security-policy', `default-src 'self'; script-src ${from}; connect-src ${from}; img-src 'self' blob:; frame-ancestors 'none'`);
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
  onRequest: async (request, reply) => request.user ?? reply.code(401).send({ detail: 'log in first' }),
};

app.post('/api/login', async (request, reply) => {
  const { name, password } = request.body ?? {};
  const user = logIn(users, name, password);
  if (!user)
    return reply.code(401).send({ detail: 'no such name and password' });
  return reply.setCookie('session', user.id, SESSION).send({ id: user.id, company: user.company });
});

app.post('/api/logout', async (request, reply) => reply.clearCookie('session', SESSION).code(204).send());
// Who is logged in, and where askd's modules are: behind this, or at an address of its own, with tokens.
app.get('/api/me', async ({ user }) => ({ user: user ? { id: user.id, company: user.company } : null, askd: publicUrl ?? '/askd', usesTokens: tokens !== null }));

if (tokens) {
  app.post('/api/token', onlyUsers, async ({ user }) => ({ token: tokens.make(user) }));
  app.get('/jwks.json', async () => tokens.keys); // askd's ASKD_AUTH_FILE names this address
}

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
    return reply.code(502).send({ detail: 'askd does not answer; try again' });
  }
  return relay(response, reply, request.log);
};

// What of askd is open to browsers (allowed.mjs), as it is but for who asks: that is the session's.
app.route({ method: ['GET', 'POST'], url: '/askd/*', ...onlyUsers, handler: (request, reply) => {
  const { method, params: { '*': rest }, query, body, headers } = request, route = findRoute(method, `/${rest}`);
  if (!route)
    return reply.code(404).send({ detail: 'no such thing of askd is open here' });
  const path = `/${rest.split('/').map(encodeURIComponent).join('/')}`;
  return upstream(request, reply, signal => askd.pass({
    user: request.user, method, path, query, body, headers, context: contextOf(request), signal: route.endsWithBrowser ? signal : undefined,
  }));
} });

// ---- life ----

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => app.close().then(() => process.exit(0)));
const address = await app.listen({ host, port: Number(env.BFF_PORT ?? 3000) });
console.log(`bff: ${address} in front of ${askd.url}`);
