// SPDX-License-Identifier: MIT
// tests/node/qdrant/store.mjs - collections of points in memory, searched exactly.
//
// What it does with vectors, conditions and ids was compared with Qdrant's own engine
// (qdrant-edge 0.9.0); what it does not know it refuses, so that no test passes by it.

// status: HTTP's.
export class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// A point's id as a key of a map: Qdrant takes whole numbers and UUIDs.
const keyOf = (id) => {
  if (Number.isSafeInteger(id) && id >= 0)
    return id;
  if (typeof id === 'string' && UUID.test(id))
    return id.toLowerCase();
  throw new Refusal(400, `Format error in JSON body: value ${id} is not a valid point ID, valid values are either an unsigned integer or a UUID`);
};

// Cosine distance keeps vectors of unit length, in single precision; the zero vector stays as it is.
const unit = (vector) => {
  const length = Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0));
  return Float32Array.from(vector, each => length < 1e-9 ? each : each / length);
};
const dot = (a, b) => Math.fround(a.reduce((sum, each, i) => sum + each * b[i], 0));

// The values at a path ("fields.kind") of a payload; a list counts as its items.
const valuesAt = (payload, path) => {
  const found = path.split('.').reduce((at, key) => at?.[key], payload);
  return found === undefined || found === null ? [] : [found].flat();
};

const matches = (match, values) => {
  if ('value' in match)
    return values.includes(match.value);
  if ('any' in match)
    return values.some(each => match.any.includes(each));
  if ('except' in match)
    return values.some(each => !match.except.includes(each));
  throw new Refusal(501, `not in this store: match by ${Object.keys(match)}`);
};

const holds = (condition, key, payload) => {
  if ('is_empty' in condition && !('key' in condition))
    return valuesAt(payload, condition.is_empty.key).length === 0;
  if ('has_id' in condition)
    return condition.has_id.map(keyOf).includes(key);
  if ('key' in condition && condition.match && Object.keys(condition).length === 2)
    return matches(condition.match, valuesAt(payload, condition.key));
  if (['must', 'should', 'must_not'].some(each => each in condition))
    return passes(condition, key, payload);
  throw new Refusal(501, `not in this store: a condition of ${Object.keys(condition)}`);
};

function passes(filter, key, payload) {
  const { must = [], should = [], must_not = [], ...rest } = filter ?? {};
  if (Object.keys(rest).length > 0)
    throw new Refusal(501, `not in this store: a filter with ${Object.keys(rest)}`);
  const one = each => holds(each, key, payload);
  return [must].flat().every(one) && ([should].flat().length === 0 || [should].flat().some(one)) &&
    ![must_not].flat().some(one);
}

class Collection {
  constructor(config) {
    const { size, distance } = config.vectors ?? {};
    if (!Number.isInteger(size) || distance !== 'Cosine')
      throw new Refusal(501, 'not in this store: anything but one vector with cosine distance');
    this.config = config;
    this.size = size;
    this.points = new Map();
    this.indexes = {};
    this.version = 0;
  }

  checkVector(vector) {
    if (!Array.isArray(vector) || typeof vector[0] !== 'number')
      throw new Refusal(501, 'not in this store: anything but a plain vector');
    if (vector.length !== this.size)
      throw new Refusal(400, `Wrong input: Vector dimension error: expected dim: ${this.size}, got ${vector.length}`);
    return unit(vector);
  }

  upsert(points) {
    const made = points.map(({ id, vector, payload }) => [keyOf(id), { vector: this.checkVector(vector), payload: payload ?? {} }]);
    for (const [key, point] of made)
      this.points.set(key, { ...point, version: ++this.version });
  }

  remove({ points, filter }) {
    for (const id of points ?? [])
      this.points.delete(keyOf(id));
    for (const [key, point] of filter ? this.points : [])
      if (passes(filter, key, point.payload))
        this.points.delete(key);
  }

  // One operation of a list, by its name.
  change(each) {
    if (each.upsert?.points)
      return this.upsert(each.upsert.points);
    if (each.delete)
      return this.remove(each.delete);
    throw new Refusal(501, `not in this store: ${Object.keys(each)}`);
  }

  count(filter) {
    return [...this.points].filter(([key, point]) => passes(filter, key, point.payload)).length;
  }

  // In the order of scores, then of ids, which says nothing to who made them by a hash.
  query({ query, filter, limit, with_payload, ...rest }) {
    if (Object.keys(rest).length > 0)
      throw new Refusal(501, `not in this store: a query with ${Object.keys(rest)}`);
    const vector = this.checkVector(query);
    return [...this.points]
      .filter(([key, point]) => passes(filter, key, point.payload))
      .map(([key, { payload, version, vector: own }]) =>
        ({ id: key, version, score: dot(own, vector), ...(with_payload === true && { payload }) }))
      .sort((a, b) => b.score - a.score || (String(a.id) < String(b.id) ? -1 : 1))
      .slice(0, limit ?? 10);
  }
}

export class Store {
  collections = new Map();

  find(name) {
    const found = this.collections.get(name);
    if (!found)
      throw new Refusal(404, `Not found: Collection \`${name}\` doesn't exist!`);
    return found;
  }

  create(name, config) {
    if (this.collections.has(name))
      throw new Refusal(409, `Wrong input: Collection \`${name}\` already exists!`);
    this.collections.set(name, new Collection(config));
  }
}
