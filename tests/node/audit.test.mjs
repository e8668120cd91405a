// SPDX-License-Identifier: MIT
// tests/node/audit.test.mjs - the audit stream: who asked what, and which statements were sent or
// refused, each exactly once, whichever graph and door; moved files, a full disk, no content.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { test } from 'node:test';
import { askdCommand, newConversation, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';
import { until } from './lib/process.mjs';

const FINE = 'SELECT COUNT(*) AS customers FROM customer', SECRET = 'SELECT ssn FROM employee';
const mock = await startMock([
  ...[['fine', FINE], ['secret', SECRET]].flatMap(([word, sql]) => [
    line('generate', '```sql\n' + sql + '\n```', { user: `case ${word}.` }),
    line('correct', '```sql\n' + sql + '\n```', { user: `case ${word}.` }),
  ]),
  line('classify', 'SQL'), line('tables', '["customer","employee"]'), line('answer', 'Here it is.'),
]);

const recordsOf = path => // those that have come whole
  (existsSync(path) ? readFileSync(path, 'utf8') : '').split('\n').slice(0, -1).map(text => JSON.parse(text));
const ask = (askd, word, conversation) =>
  askd.ask(`Show me case ${word}.`, { conversation: { ...conversation, company_id: 'acme' } });
const metric = async (askd, name) =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await askd.fetch('/metrics')).text())?.[1]);

test('statements and refusals, with who asked and what came of it', async () => {
  const path = tempPath('audit.jsonl');
  const askd = await startAskd({ mock, env: { ASKD_AUDIT: path, SQL_SAMPLE_ROWS: '0', SQL_CORRECTION_MAX_ATTEMPTS: '0' } });
  const conversation = newConversation();
  (await ask(askd, 'fine', conversation)).check();
  (await ask(askd, 'secret', conversation)).check();
  await until('both are told', () => recordsOf(path).some(one => one.event === 'refusal'));
  const records = recordsOf(path);
  const sent = records.filter(one => one.event === 'statement'), refused = records.filter(one => one.event === 'refusal');
  assert.deepEqual([sent.length, refused.length], [1, 1], JSON.stringify(records));
  for (const one of records) {
    assert.match(one.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(one.company_id, 'acme');
    assert.equal(one.user_id, conversation.user_id);
    assert.equal(one.conversation_id, conversation.id ?? conversation.conversation_id);
    assert.ok(one.run_id);
    assert.ok(one.graph);
  }
  assert.notEqual(sent[0].run_id, refused[0].run_id);
  assert.equal(sent[0].question, 'Show me case fine.');
  assert.match(sent[0].sql, /customer/);
  assert.deepEqual(sent[0].tables, ['secure_customer']);
  assert.equal(sent[0].outcome, 'ok');
  assert.ok(sent[0].rows > 0 && sent[0].duration_ms > 0);
  assert.equal(refused[0].sql, SECRET);
  assert.ok(refused[0].rule && refused[0].reason);
  await until('both are counted', async () => await metric(askd, 'askd_audit_records_total') === 2);
  assert.equal(await metric(askd, 'askd_audit_lost_total'), 0);
});

test('a file that was moved is begun anew on SIGHUP', async () => {
  const path = tempPath('moved.jsonl');
  const askd = await startAskd({ mock, env: { ASKD_AUDIT: path, SQL_SAMPLE_ROWS: '0' } });
  await ask(askd, 'fine', newConversation());
  await until('it is told', () => recordsOf(path).length === 1);
  renameSync(path, `${path}.1`);
  askd.child.child.kill('SIGHUP');
  await until('it is there again', () => existsSync(path));
  await ask(askd, 'fine', newConversation());
  await until('it is told there', () => recordsOf(path).length === 1);
  assert.equal(recordsOf(`${path}.1`).length, 1);
});

test('without content there are no questions, statements and reasons', async () => {
  const path = tempPath('quiet.jsonl');
  const askd = await startAskd({ mock, env: { ASKD_AUDIT: `${path}?content=off` } });
  await ask(askd, 'fine', newConversation());
  await ask(askd, 'secret', newConversation());
  await until('it is told', () => recordsOf(path).some(one => one.event === 'refusal'));
  assert.doesNotMatch(readFileSync(path, 'utf8'), /SELECT|Show me|"reason"|"question"|"sql"/);
});

test('a full disk is said, and answers go on', async () => {
  const askd = await startAskd({ mock, env: { ASKD_AUDIT: '/dev/full' } });
  const transcript = await ask(askd, 'fine', newConversation());
  assert.equal(transcript.check().last.event, 'complete');
  await until('it is logged', () => /audit\.failed path="\/dev\/full" what=write/.test(askd.child.stderr));
});

test('a path or a switch that is wrong: the start says so', async () => {
  for (const [value, said] of [
    ['/nowhere/at/all', /ASKD_AUDIT: '\/nowhere\/at\/all' cannot be opened/],
    ['x?content=maybe', /ASKD_AUDIT.*expected PATH, PATH\?content=on or PATH\?content=off/],
  ]) {
    const { code, stderr } = await askdCommand(['serve'], { env: { ASKD_AUDIT: value, ASKD_PORT: '0', ASKD_MODEL: 'offline' } });
    assert.notEqual(code, 0);
    assert.match(stderr, said);
  }
});
