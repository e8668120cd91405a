// SPDX-License-Identifier: MIT
// tests/node/qdrant/server.mjs PORT KEY PIDFILE - a server with the part of Qdrant's interface that
// askd uses, for the tests of it: there is no Qdrant to install from Debian or npm.
//
// Every body, and every answer of its own, is checked against Qdrant's published schemas (schema.mjs)
// and every parameter must be among its parameters. A change that does not ask for wait=true is
// acknowledged first and done later, as Qdrant may.
import http from 'node:http';
import { writeFileSync } from 'node:fs';
import { operationOf } from './schema.mjs';
import { Refusal, Store } from './store.mjs';

const MOST_BYTES = 32 * 1024 * 1024;
const LATER_MS = 200;
const [port, key, pidFile] = process.argv.slice(2);
const store = new Store();
let operations = 0;

const describe = ({ config, points, indexes }) => ({
  status: 'green',
  optimizer_status: 'ok',
  points_count: points.size,
  indexed_vectors_count: 0,
  segments_count: 1,
  config: {
    params: { vectors: config.vectors },
    hnsw_config: { m: 16, ef_construct: 100, full_scan_threshold: 10000 },
    optimizer_config: { deleted_threshold: 0.2, vacuum_min_vector_number: 1000, default_segment_number: 0, flush_interval_sec: 5 },
    ...(config.metadata && { metadata: config.metadata }),
  },
  payload_schema: indexes,
});

// Do it now when it is waited for, else later.
const change = (parameters, work) => {
  const wait = parameters.get('wait') === 'true';
  if (wait)
    work();
  else
    setTimeout(work, LATER_MS);
  return { operation_id: operations++, status: wait ? 'completed' : 'acknowledged' };
};

const indexOf = schema => typeof schema === 'string' ? { data_type: schema, points: 0 }
  : { data_type: schema.type, params: schema, points: 0 };

// [method, path as Qdrant's file has it, what it answers]
const routes = [
  ['get', '/collections', () => ({ collections: [...store.collections.keys()].map(name => ({ name })) })],
  ['get', '/collections/{collection_name}', name => describe(store.find(name))],
  ['put', '/collections/{collection_name}', (name, body) => {
    store.create(name, body);
    return true;
  }],
  ['delete', '/collections/{collection_name}', name => store.collections.delete(name)],
  ['put', '/collections/{collection_name}/index', (name, { field_name, field_schema }, parameters) => {
    const { indexes } = store.find(name);
    return change(parameters, () => {
      indexes[field_name] = indexOf(field_schema);
    });
  }],
  ['put', '/collections/{collection_name}/points', (name, { points }, parameters) => {
    const collection = store.find(name);
    return change(parameters, () => collection.upsert(points));
  }],
  ['post', '/collections/{collection_name}/points/delete', (name, body, parameters) => {
    const collection = store.find(name);
    return change(parameters, () => collection.remove(body));
  }],
  ['post', '/collections/{collection_name}/points/batch', (name, body, parameters) => {
    const collection = store.find(name);
    return body.operations.map(each => change(parameters, () => collection.change(each)));
  }],
  ['post', '/collections/{collection_name}/points/count', (name, { filter }) => ({ count: store.find(name).count(filter) })],
  ['post', '/collections/{collection_name}/points/query', (name, body) => ({ points: store.find(name).query(body) })],
].map(([method, path, answer]) => ({
  method,
  answer,
  operation: operationOf(method, path),
  pattern: new RegExp(`^${path.replace('{collection_name}', '([^/]+)')}$`),
}));

const parse = (text) => {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    throw new Refusal(400, `Format error in JSON body: ${error.message}`);
  }
};

const readBody = async (request) => {
  const pieces = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > MOST_BYTES)
      throw new Refusal(413, `Payload error: JSON payload is larger than allowed (limit: ${MOST_BYTES} bytes).`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
};

const answerTo = async (request, url) => {
  const body = parse(await readBody(request));
  const found = routes.filter(each => each.pattern.test(url.pathname));
  const route = found.find(each => each.method === request.method.toLowerCase());
  if (!route)
    throw new Refusal(found.length > 0 ? 405 : 404, 'no such operation');
  const { operation } = route;
  if (body !== undefined && !request.headers['content-type']?.startsWith('application/json'))
    throw new Refusal(400, 'Content type error');
  const wrong = [...url.searchParams.keys()].find(each => !operation.parameters.includes(each));
  const problem = wrong ? `no parameter ${wrong}` : operation.checkBody(body);
  if (problem)
    throw new Refusal(400, `Format error in JSON body: ${operation.name}: ${problem}`);
  const name = decodeURIComponent(route.pattern.exec(url.pathname)[1] ?? '');
  const answer = { result: route.answer(name, body, url.searchParams), status: 'ok', time: 0.001 };
  const own = operation.checkAnswer(answer);
  if (own)
    throw new Refusal(500, `this server's own answer: ${operation.name}: ${own}`);
  return answer;
};

const serve = async (request, response) => {
  const url = new URL(request.url, 'http://qdrant');
  const say = (status, type, text) => response.writeHead(status, { 'content-type': type }).end(text);
  if (url.pathname === '/healthz')
    return say(200, 'text/plain', 'healthz check passed');
  if (url.pathname === '/')
    return say(200, 'application/json', JSON.stringify({ title: 'qdrant - vector search engine', version: '1.18.0' }));
  if (request.headers['api-key'] !== key)
    return say(401, 'text/plain', request.headers['api-key'] ? 'Invalid API key or JWT' : 'Must provide an API key or an Authorization bearer token');
  try {
    say(200, 'application/json', JSON.stringify(await answerTo(request, url)));
  } catch (error) {
    const refused = { status: { error: error.message }, time: 0.001 };
    say(error.status ?? 500, 'application/json', JSON.stringify(refused));
    if (!error.status || error.status >= 500)
      console.error(error);
  }
};

const server = http.createServer({ keepAliveTimeout: 60000 }, serve);
server.listen(Number(port), '127.0.0.1', () => {
  writeFileSync(pidFile, `${process.pid}\n`);
  console.log(`http://127.0.0.1:${server.address().port}`);
});
process.on('SIGTERM', () => process.exit(0));
