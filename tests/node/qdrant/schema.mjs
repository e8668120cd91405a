// SPDX-License-Identifier: MIT
// tests/node/qdrant/schema.mjs - Qdrant's published interface as JSON schemas.
//
// The official client carries the OpenAPI file of its Qdrant as TypeScript declarations. They are
// read here and made schemas again: of every operation the body, the query parameters and the
// answer. Two things differ. What the file calls `nullable` stands in the declarations as "any object
// or null", and is null here. A member that the file does not name is refused, though Qdrant passes
// over it: or a condition with a typing error would pass as an empty filter.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Ajv from 'ajv';
import ts from 'typescript';

const client = createRequire(import.meta.url).resolve('@qdrant/js-client-rest'); // dist/cjs/index.js
const file = join(dirname(client), '../types/openapi/generated_schema.d.ts');
const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
const Kind = ts.SyntaxKind;

const nameOf = node => node.name.text ?? node.name.getText();
const member = (node, name) => node?.members?.find(each => each.name && nameOf(each) === name);
const memberType = (node, ...path) => path.reduce((at, name) => member(at, name)?.type, node);
const interfaceOf = name => source.statements.find(each => ts.isInterfaceDeclaration(each) && each.name.text === name);

// "Format: uint32" in a member's comment says that its numbers are whole and not negative.
const isCount = node => /Format: uint/.test(ts.getJSDocCommentsAndTags(node).map(each => each.getText()).join());

const isAnyObject = node => ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Record';
const isNull = node => ts.isLiteralTypeNode(node) && node.literal.kind === Kind.NullKeyword;
const parts = node => ts.isParenthesizedTypeNode(node) ? parts(node.type)
  : ts.isUnionTypeNode(node) ? node.types.flatMap(parts) : [node];

const objectSchema = (node) => {
  const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
  for (const each of node.members) {
    if (ts.isIndexSignatureDeclaration(each)) {
      schema.additionalProperties = toSchema(each.type);
      continue;
    }
    schema.properties[nameOf(each)] = toSchema(each.type, isCount(each));
    if (!each.questionToken)
      schema.required.push(nameOf(each));
  }
  return schema;
};

const unionSchema = (node, count) => {
  const all = parts(node).filter(each => each.kind !== Kind.UndefinedKeyword);
  const some = all.some(isNull) ? all.filter(each => !isAnyObject(each)) : all;
  return some.length === 1 ? toSchema(some[0], count) : { anyOf: some.map(each => toSchema(each, count)) };
};

const referenceSchema = (node) => {
  const name = node.typeName.getText();
  if (name === 'Record')
    return { type: 'object' };
  if (name === 'OneOf')
    return { oneOf: node.typeArguments[0].elements.map(each => toSchema(each)) };
  throw new Error(`${name}: not known in Qdrant's declarations`);
};

function toSchema(node, count = false) {
  switch (node.kind) {
    case Kind.StringKeyword: return { type: 'string' };
    case Kind.BooleanKeyword: return { type: 'boolean' };
    case Kind.NumberKeyword: return count ? { type: 'integer', minimum: 0 } : { type: 'number' };
    case Kind.UnknownKeyword: return {};
    case Kind.NeverKeyword: return { not: {} };
    case Kind.ParenthesizedType:
    case Kind.UnionType: return unionSchema(node, count);
    case Kind.ArrayType: return { type: 'array', items: toSchema(node.elementType, count) };
    case Kind.TypeLiteral: return objectSchema(node);
    case Kind.LiteralType:
      return isNull(node) ? { type: 'null' } : { const: JSON.parse(node.literal.getText().replaceAll('\'', '"')) };
    case Kind.IndexedAccessType: return { $ref: `#/$defs/${node.indexType.literal.text}` };
    case Kind.TypeReference: return referenceSchema(node);
    default: throw new Error(`${node.getText()}: not known in Qdrant's declarations`);
  }
}

const $defs = Object.fromEntries(memberType(interfaceOf('components'), 'schemas').members
  .map(each => [nameOf(each), toSchema(each.type, isCount(each))]));
const ajv = new Ajv({ strict: false, allErrors: false });

// null when the value is as the type says; else what is wrong.
const checker = (type) => {
  if (!type)
    return value => value === undefined ? null : 'there should be none';
  const check = ajv.compile({ $defs, ...toSchema(type) });
  return value => check(value) ? null : `${check.errors[0].instancePath || 'it'} ${check.errors[0].message}`;
};

const operation = (method, path) => {
  const name = memberType(interfaceOf('paths'), path, method)?.indexType.literal.text;
  const node = memberType(interfaceOf('operations'), name);
  if (!node)
    throw new Error(`Qdrant has no ${method} ${path}`);
  return {
    name,
    checkBody: checker(memberType(node, 'requestBody', 'content', 'application/json')),
    checkAnswer: checker(memberType(node, 'responses', '200', 'content', 'application/json')),
    checkError: checker(memberType(node, 'responses', '4XX', 'content', 'application/json')),
    parameters: memberType(node, 'parameters', 'query')?.members.map(nameOf) ?? [],
  };
};

// The operation for a method ("get") and a path as Qdrant's file writes it.
const known = new Map();
export const operationOf = (method, path) => {
  const key = `${method} ${path}`;
  if (!known.has(key))
    known.set(key, operation(method, path));
  return known.get(key);
};
