// SPDX-License-Identifier: MIT
// tests/node/documents_two.test.mjs - two servers on one list of documents, in PostgreSQL and in a file: the quota of a
// company, one document sent to both at once, a removal while it is added, a server killed while it adds.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { askdCommand, startAskd, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { createDatabase } from './lib/servers.mjs';

const MOST = 6, ROUNDS = 4;
const file = `sqlite:${tempPath('shared.db')}`;
const places = {
  PostgreSQL: { ASKD_VECTOR_URL: 'none', ASKD_KEYWORD_URL: await createDatabase('postgres', 'documents_two') },
  'one file': { ASKD_VECTOR_URL: file, ASKD_KEYWORD_URL: file },
};
const auth = tempPath('auth.json'); // a caller that is no operator, whom no quota binds
writeFileSync(auth, JSON.stringify({ keys: [{ name: 'team', sha256: createHash('sha256').update('team').digest('hex'), scopes: ['ask'] }] }));
const limits = { ASKD_AUTH_FILE: auth, ASKD_UPLOADS: 'company', ASKD_COMPANY_DOCUMENTS: String(MOST) };
const pairs = {};
for (const [name, stores] of Object.entries(places)) {
  pairs[name] = [];
  for (const key of ['a', 'b'])
    pairs[name].push(await startAskd({ env: { ...stores, ...limits, ASKD_CHECKPOINT_URL: `sqlite:${tempPath(`${name}-${key}.db`)}` } }));
}

const of = company => `company_id=${company}&user_id=ann`;
const call = (askd, company, path, { headers, ...options } = {}) => askd.fetch(`/internal/documents${path}?${of(company)}`,
  { headers: { Authorization: 'Bearer team', ...headers }, ...options });
const put = (askd, company, id, body) => call(askd, company, `/${id}`, { method: 'PUT', body, headers: { 'Content-Type': 'application/octet-stream' } });
const remove = (askd, company, id) => call(askd, company, `/${id}`, { method: 'DELETE' });
const list = async (askd, company) => (await (await call(askd, company, '')).json()).documents
  .map(({ id, state, passages }) => ({ id, state, passages })).sort((x, y) => x.id < y.id ? -1 : 1);
// The texts of the passages that a search of the stores themselves finds.
const search = async (stores, company, text) => {
  const { code, stdout, stderr } = await askdCommand(['docs', 'search', '--jsonl', '--company', company, '--user', 'ann', '--top', '50'],
    { env: { ASKD_MODEL: 'offline', ...stores }, input: `${JSON.stringify({ id: '1', question: text })}\n` });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).hits.map(hit => hit.text);
};
const long = word => `# ${word}\n\n${Array.from({ length: 200 }, (_, i) => `The ${word} of number ${i} is kept here. ${'It is dry. '.repeat(30)}`).join('\n\n')}`;

for (const [name, stores] of Object.entries(places)) {
  const [one, other] = pairs[name];

  test(`${name}: both at once do not pass the quota, and list the same`, async () => {
    const answers = await Promise.all(Array.from({ length: 2 * MOST }, (_, i) => put(i % 2 ? one : other, 'quota', `d${i}.md`, `# D${i}\n\nThe fee is ${i} euros.`)));
    const states = answers.map(answer => answer.status);
    assert.deepEqual([states.filter(state => state === 201).length, states.filter(state => state === 413).length], [MOST, MOST], states.join());
    assert.equal((await list(one, 'quota')).length, MOST);
    assert.deepEqual(await list(one, 'quota'), await list(other, 'quota'));
    assert.equal((await remove(other, 'quota', (await list(one, 'quota'))[0].id)).status, 204);
    assert.equal((await put(one, 'quota', 'next.md', '# Next\n\nThere is room again.')).status, 201);
  });

  test(`${name}: one document sent to both at once is one of the two, whole`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all([put(one, 'same', 'same.md', long(`lynx${round}`)), put(other, 'same', 'same.md', long(`otter${round}`))]);
      for (const answer of answers)
        assert.ok([200, 201, 409].includes(answer.status), `${answer.status}: ${await answer.text()}`);
      const [listed] = await list(one, 'same');
      assert.deepEqual(await list(other, 'same'), [listed]);
      assert.equal(listed.state, 'ready');
      const found = [await search(stores, 'same', `lynx${round}`), await search(stores, 'same', `otter${round}`)]
        .map((texts, i) => texts.some(text => text.includes(`${i ? 'otter' : 'lynx'}${round}`)));
      assert.deepEqual([...found].sort(), [false, true], `round ${round}: passages of ${found}`);
      assert.equal((await remove(one, 'same', 'same.md')).status, 204);
      assert.deepEqual(await search(stores, 'same', `lynx${round} otter${round}`), []);
    }
  });

  test(`${name}: removed at one server while the other adds it: it is there whole, or not at all`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const adding = put(one, 'gone', 'gone.md', long(`heron${round}`));
      await new Promise(resolve => setTimeout(resolve, round * 15)); // before, at and after its announcement
      const removed = await remove(other, 'gone', 'gone.md');
      assert.ok([204, 404, 409].includes(removed.status), `${removed.status}: ${await removed.text()}`);
      const added = await adding;
      assert.ok([200, 201, 404, 409].includes(added.status), `${added.status}: ${await added.text()}`);
      const left = await list(one, 'gone'), texts = (await search(stores, 'gone', `heron${round}`)).filter(text => text.includes(`heron${round}`));
      assert.deepEqual(await list(other, 'gone'), left);
      assert.equal(texts.length > 0, left.length > 0, `round ${round}: listed ${JSON.stringify(left)}, ${texts.length} passages found`);
      if (left.length > 0) {
        assert.equal(left[0].state, 'ready');
        assert.equal((await remove(other, 'gone', 'gone.md')).status, 204);
      }
    }
  });

  test(`${name}: a server is killed while it adds: the other adds the document whole`, async () => {
    const third = await startAskd({ env: { ...stores, ...limits, ASKD_CHECKPOINT_URL: `sqlite:${tempPath(`${name}-c.db`)}` } });
    const lost = put(third, 'killed', 'killed.md', long('stoat')).catch(() => 'cut');
    await until('it is announced', async () => (await list(other, 'killed')).length > 0);
    third.kill();
    await lost; // cut, or just whole
    const added = await put(other, 'killed', 'killed.md', long('badger'));
    assert.ok([200, 201].includes(added.status), `${added.status}: ${await added.text()}`);
    assert.equal((await list(one, 'killed'))[0].state, 'ready');
    const texts = await search(stores, 'killed', 'stoat badger');
    assert.deepEqual([texts.some(text => text.includes('badger')), texts.some(text => text.includes('stoat'))], [true, false]);
  });
}
