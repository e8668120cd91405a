// SPDX-License-Identifier: MIT
// tests/node/lib/collector.mjs - a receiver of traces that takes nothing it would have to guess at.
//
// Every request is held against OTLP's rules for JSON: hex ids of the right length, 64-bit numbers as
// decimal strings, enums as numbers, camelCase keys and none that the protocol does not know, values
// of exactly one type.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { stopAtEnd } from './harness.mjs';

const keysOf = (object, known, where) => {
  for (const key of Object.keys(object))
    assert.ok(known.includes(key), `${where} has ${key}`);
};

const checkValue = (value, where) => {
  assert.equal(Object.keys(value).length, 1, where);
  const [[type, of]] = Object.entries(value);
  const types = {
    stringValue: () => assert.equal(typeof of, 'string', where),
    intValue: () => assert.match(of, /^-?\d{1,19}$/, where),
    doubleValue: () => assert.equal(typeof of, 'number', where),
    boolValue: () => assert.equal(typeof of, 'boolean', where),
    arrayValue: () => of.values.forEach(each => checkValue(each, where)),
  };
  assert.ok(types[type], `${where} is a ${type}`);
  types[type]();
};

const plain = value => {
  const [[type, of]] = Object.entries(value);
  return type === 'intValue' ? Number(of) : type === 'arrayValue' ? of.values.map(plain) : of;
};

const checkAttributes = (attributes, where) => {
  const seen = new Set();
  for (const attribute of attributes) {
    keysOf(attribute, ['key', 'value'], where);
    assert.match(attribute.key, /^[a-z][a-z0-9_.]*$/, where);
    assert.ok(!seen.has(attribute.key), `${where} has ${attribute.key} twice`);
    seen.add(attribute.key);
    checkValue(attribute.value, `${where} ${attribute.key}`);
  }
  return Object.fromEntries(attributes.map(attribute => [attribute.key, plain(attribute.value)]));
};

const checkSpan = span => {
  keysOf(span, ['traceId', 'spanId', 'parentSpanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano',
    'attributes', 'status'], span.name);
  assert.match(span.traceId, /^(?!0{32})[0-9a-f]{32}$/);
  assert.match(span.spanId, /^(?!0{16})[0-9a-f]{16}$/);
  if ('parentSpanId' in span)
    assert.match(span.parentSpanId, /^(?!0{16})[0-9a-f]{16}$/);
  assert.ok(span.name.length > 0);
  assert.ok([1, 2, 3].includes(span.kind));
  for (const time of [span.startTimeUnixNano, span.endTimeUnixNano])
    assert.match(time, /^\d{19}$/);
  assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano), span.name);
  if (span.status) {
    keysOf(span.status, ['code', 'message'], span.name);
    assert.equal(span.status.code, 2);
  }
  return { ...span, attributes: checkAttributes(span.attributes, span.name) };
};

// What one request holds: spans with their resource's attributes.
export const readExport = body => {
  keysOf(body, ['resourceSpans'], 'the request');
  return body.resourceSpans.flatMap(one => {
    keysOf(one, ['resource', 'scopeSpans'], 'resourceSpans');
    const resource = checkAttributes(one.resource.attributes, 'resource');
    return one.scopeSpans.flatMap(scope => {
      keysOf(scope, ['scope', 'spans'], 'scopeSpans');
      assert.equal(scope.scope.name, 'askd');
      return scope.spans.map(span => ({ ...checkSpan(span), resource }));
    });
  });
};

// answer: ({ request, spans, count }) -> status, or { status, headers, body }; null: none at all.
export const startCollector = async (answer = () => 200) => {
  const collector = { spans: [], requests: [], problems: [] };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8'))
      text += piece;
    let spans = [];
    try {
      assert.equal(request.method, 'POST');
      assert.equal(request.headers['content-type'], 'application/json');
      spans = readExport(JSON.parse(text));
    } catch (error) {
      collector.problems.push(error);
    }
    collector.requests.push({ url: request.url, headers: request.headers, text });
    const given = answer({ request, spans, count: collector.requests.length });
    if (given === null)
      return;
    const { status, headers = {}, body = '{}' } = typeof given === 'number' ? { status: given } : given;
    if (status === 200)
      collector.spans.push(...spans);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  collector.url = `http://127.0.0.1:${server.address().port}`;
  collector.of = (trace, name) => collector.spans.filter(span => span.traceId === trace && span.name.startsWith(name));
  collector.stop = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
    if (collector.problems.length > 0)
      throw collector.problems[0];
  };
  collector.child = { child: { kill: () => {} } };
  return stopAtEnd(collector);
};
