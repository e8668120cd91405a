// SPDX-License-Identifier: MIT
// tests/node/feedback.test.mjs - what people say of answers: kept for whoever's run it was, shown by askd semantic
// review, taken as a verified question or refused, used by nobody before that, and gone with its conversation.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { askdCommand, newConversation, sampleDatabase, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const RIGHT = "SELECT COUNT(*) AS n FROM employee WHERE role = 'technician' AND isActive = 1";
const WRONG = 'SELECT COUNT(*) AS n FROM employee WHERE isActive = 1';
const asked = 'How many wizards of the wrench do we have?';
const routed = sql => JSON.stringify({ route: 'SQL', sql, cannot: null, search: null });

const file = tempPath('feedback-semantic.json');
copyFileSync(join(sourceDir, 'samples/semantic.json'), file);
const env = { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('feedback.db')}`, ASKD_SEMANTIC: file };
const mock = await startMock([
  { match: RIGHT, user: asked, reply: routed(RIGHT) }, // it is before the model
  line('classify', routed(WRONG), { user: asked }), line('classify', 'GENERAL'), line('general', 'Hello.'), line('answer', 'Here it is.'),
]);
const askd = await startAskd({ mock, env });
const caller = conversation => `company_id=${conversation.company_id}&user_id=${conversation.user_id}`;
const say = (run, body, conversation) => askd.post(`/internal/runs/${run}/feedback?${caller(conversation)}`, body);
const terminal = { ...env, ASKD_DATABASE_URL: `sqlite:${await sampleDatabase()}`, ASKD_TENANT_COLUMN: 'companyId',
  ASKD_SECURE_VIEWS: join(sourceDir, 'samples/secure_views.json'), ASKD_MODEL: 'offline', 
  ASKD_SHARED_TABLES: 'customers,accounts,transactions,inspectionQuestion' };
const review = (...args) => askdCommand(['semantic', 'review', ...args], { env: terminal });

const conversation = newConversation();
const first = (await askd.ask(asked, { conversation })).complete();

const refused = [
  ['no score', { reason: 'x' }, 422, '/score'], ['a score that is none', { score: 7 }, 422, '/score'],
  ['a reason that is no text', { score: 1, reason: [] }, 422, '/reason'], ['a statement too long', { score: -1, sql: 'x'.repeat(20000) }, 422, '/sql'],
  ['no object', [], 422, ''],
];
for (const [name, body, status, pointer] of refused)
  test(`refused: ${name}`, async () => {
    const response = await say(first.run_id, body, conversation);
    const text = await response.text();
    assert.equal(response.status, status, text);
    assert.ok(text.includes(pointer), text);
  });

test('nobody says anything of another\'s run, or of none', async () => {
  for (const [run, who] of [[first.run_id, { ...conversation, user_id: 'user-2' }], [first.run_id, { ...conversation, company_id: 'globex' }],
    ['run_00000000000000000000000000', conversation], ['nothing', conversation]])
    assert.equal((await say(run, { score: 1 }, who)).status, 404, run);
});

test('it is kept, reviewed, and then only used', async () => {
  const response = await say(first.run_id, { score: -1, reason: 'Only technicians are meant.', sql: RIGHT }, conversation);
  assert.deepEqual([response.status, await response.json()], [200, { state: 'kept' }]);
  const before = (await askd.ask(asked, { conversation: newConversation() })).complete();
  assert.match(before.sql, /WHERE isActive = 1/, 'nobody has taken it');

  const forked = await askd.post(`/internal/conversations/${conversation.id}/fork?${caller(conversation)}&to=${conversation.id}-fork`, {});
  assert.equal(forked.status, 201, await forked.text());
  const listed = await review('--json');
  assert.equal(listed.code, 0, listed.stderr);
  const [note, ...more] = listed.stdout.trim().split('\n').map(text => JSON.parse(text));
  assert.equal(more.length, 0, 'a copy of the conversation is not another opinion');
  assert.deepEqual([note.state, note.run_id, note.question, note.sql, note.corrected_sql, note.reason, note.score],
    ['new', first.run_id, asked, WRONG, RIGHT, 'Only technicians are meant.', -1]);
  assert.match((await review()).stdout, /corrected +SELECT/);

  const wrong = await review('take', first.run_id, '--sql', 'SELECT passwordHash FROM nothing');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /nothing/);
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).verified_queries.filter(({ question }) => question === asked).length, 0);

  const taken = await review('take', first.run_id, '--by', 'Ann');
  assert.equal(taken.code, 0, taken.stderr);
  const [query] = JSON.parse(readFileSync(file, 'utf8')).verified_queries.filter(({ question }) => question === asked);
  assert.deepEqual([query.sql, query.verified_by], [RIGHT, 'Ann']);
  assert.equal((await review()).stdout, 'Nothing waits.\n');
  assert.match((await review('--all')).stdout, /taken/);
  const checked = await askdCommand(['semantic', 'check', file], { env: terminal });
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);

  askd.child.child.kill('SIGHUP');
  await until('the file is read again', async () => {
    const answer = (await askd.ask(asked, { conversation: newConversation() })).complete();
    return /role = 'technician'/.test(answer.sql);
  });
});

test('what is refused is not shown again; what is erased is gone', async () => {
  const one = newConversation(), two = newConversation();
  const runs = [];
  for (const conversation of [one, two]) {
    runs.push((await askd.ask(asked, { conversation })).complete().run_id);
    assert.equal((await say(runs.at(-1), { score: 1 }, conversation)).status, 200);
  }
  assert.equal((await review('refuse', runs[0])).code, 0);
  assert.ok(!(await review()).stdout.includes(runs[0]));
  assert.ok((await review()).stdout.includes(runs[1]));
  assert.equal((await review('take', 'run_x')).code, 2);
  const erased = await askd.fetch(`/internal/conversations/${two.id}?${caller(two)}`, { method: 'DELETE' });
  assert.equal(erased.status, 204);
  assert.equal((await review()).stdout, 'Nothing waits.\n');
});
