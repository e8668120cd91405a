// SPDX-License-Identifier: MIT
// tests/node/semantic.test.mjs - the sample's semantic.json: it is a good one, the offline engine answers by it,
// asks back where a question is open, and stands in for a model whose server is gone.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { join } from 'node:path';
import { askdCommand, newConversation, sampleDatabase, sourceDir, startAskd, tempPath } from './lib/harness.mjs';

const url = `sqlite:${await sampleDatabase()}`;
const file = join(sourceDir, 'samples/semantic.json');
const views = ['--secure-views', join(sourceDir, 'samples/secure_views.json')];
const env = {
  ASKD_DATABASE_URL: url, ASKD_TODAY: '2025-06-30', ASKD_TENANT_COLUMN: 'companyId',
  ASKD_SECURE_VIEWS: views[1], ASKD_SEMANTIC: file,
};
const offline = await startAskd({ env: { ...env, ASKD_MODEL: 'offline' } });

test('the sample file has no mistakes, and neither has a first one', async () => {
  const fine = await askdCommand(['semantic', 'check', file, '--db', url, ...views]);
  assert.equal(fine.code, 0, fine.stdout + fine.stderr);
  const first = await askdCommand(['semantic', 'init', '--db', url, ...views]);
  assert.equal(first.code, 0, first.stderr);
  const guessed = JSON.parse(first.stdout);
  assert.equal(guessed.tables.inspections.columns.inspectorId.label, 'inspector');
  assert.equal(guessed.tables.customerContact.columns.phone.pii, true);
  assert.equal(guessed.tables.employee.columns.ssn, undefined, 'the view does not show it');
  const path = tempPath('first.json');
  writeFileSync(path, first.stdout);
  const again = await askdCommand(['semantic', 'check', path, '--db', url, ...views]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
});

test('a value that the data spells otherwise, and one that it does not have', async () => {
  const path = tempPath('misspelt.json');
  writeFileSync(path, JSON.stringify({
    version: 1, tables: {},
    metrics: [{ name: 'backlog', table: 'workOrder', expression: 'SUM(estimatedHours)', filter: "status IN ('open', 'on_hold')" }],
    filters: [{ name: 'late', table: 'workOrder', expression: "status <> 'done' AND scheduledStart < {today}" }],
    glossary: [{ term: 'deposit', table: 'transactions', column: 'type', value: 'Credit' }],
  }));
  const checked = await askdCommand(['semantic', 'check', path, '--db', url, ...views]);
  assert.equal(checked.code, 1, checked.stdout + checked.stderr);
  assert.match(checked.stdout, /^metric "backlog": the data spells it otherwise: 'on_hold' -> 'on hold'$/m);
  assert.match(checked.stdout, /^filter "late": 'done' is not a value of workOrder\.status, which has 'cancelled', /m);
  assert.match(checked.stdout, /^word "deposit": the data spells it otherwise: 'Credit' -> 'credit'$/m);
  assert.match(checked.stdout, /^3 mistakes$/m);
});

test('mistakes: place, what, remedy; exit 1', async () => {
  const path = tempPath('broken.json');
  writeFileSync(path, JSON.stringify({
    version: 1, tables: { workOrders: {} },
    metrics: [{ name: 'm', table: 'transactions', expression: 'SUM(amout)' }],
  }));
  const broken = await askdCommand(['semantic', 'check', path, '--db', url]);
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /^\/tables\/workOrders: there is no table 'workOrders'; is 'workOrder' meant\?$/m);
  assert.match(broken.stdout, /^\/metrics\/0\/expression: the guard refuses it .*amount/m);
  assert.match(broken.stdout, /^2 mistakes$/m);
  const nothing = await askdCommand(['semantic', 'check', tempPath('none.json'), '--db', url]);
  assert.equal(nothing.code, 2);
  const refused = await askdCommand(['ask', '--company', 'acme', 'How many customers are there?'],
    { env: { ...env, ASKD_MODEL: 'offline', ASKD_SEMANTIC: tempPath('none.json') } });
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /ASKD_SEMANTIC/);
});

test('metrics, filters, words and verified questions', async () => {
  const cases = [
    ['How many jobs are overdue?', /^There are \d+ overdue work orders\.$/, /NOT IN \('completed', 'cancelled'\)/],
    ['Total deposits in May 2025', /type credit is [\d,.]+ USD\.$/, /type = 'credit'/],
    ['Pass rate by inspector', /^Pass rate by /, /100\.0 \* SUM/],
    ['Top 3 employees by billable hours', /^Billable hours by /, /"type" <> 'travel'/],
    ['What did labor cost in April 2025?', /^The answer is [\d.]+\.$/, /'2025-04-01'/],
  ];
  for (const [question, text, sql] of cases) {
    const transcript = await offline.ask(question);
    assert.match(transcript.text, text, question);
    assert.match(transcript.complete().sql, sql, question);
    assert.equal(transcript.complete().route, 'sql', question);
  }
  const hidden = await offline.ask('Show the email of employees');
  assert.equal(hidden.complete().sql, undefined);
  assert.ok(hidden.complete().abstained);
});

test('a question that is open is asked back, and the next message chooses', async () => {
  const conversation = newConversation();
  const open = await offline.ask('Show the names of clients', { conversation });
  const { clarify, sql, abstained } = open.complete();
  assert.equal(sql, undefined);
  assert.ok(abstained);
  assert.deepEqual(clarify.options, ['The name of customers (table customers)', 'The name of customers (table customer)']);
  assert.match(open.text, /Which one is meant\?\n1\. .*\n2\. /);
  const chosen = await offline.ask('2', { conversation });
  assert.match(chosen.complete().sql, /secure_customer/);
  assert.equal(chosen.complete().clarify, undefined);
  const counted = await offline.ask('How many of them?', { conversation });
  assert.match(counted.complete().sql, /COUNT\(\*\).*secure_customer/);
  const other = newConversation();
  await offline.ask('Show the names of clients', { conversation: other });
  const byText = await offline.ask(clarify.options[0], { conversation: other });
  assert.match(byText.complete().sql, /FROM customers/);
});

test('ASKD_MODEL_FALLBACK=offline: a server that is not there is stood in for, and who answered is said', async () => {
  const alone = { mock: { url: 'http://127.0.0.1:9' } };
  const strict = await startAskd({ ...alone, env: { ...env, ASKD_LLM_ATTEMPTS: '1' } });
  (await strict.ask('How many jobs are overdue?')).error('model_unavailable');
  const lenient = await startAskd({ ...alone, env: { ...env, ASKD_LLM_ATTEMPTS: '1', ASKD_MODEL_FALLBACK: 'offline' } });
  const transcript = await lenient.ask('How many jobs are overdue?');
  assert.match(transcript.text, /^There are \d+ overdue work orders\.$/);
  assert.equal(transcript.complete().stats.model, 'offline');
  const keyless = await startAskd({ ready: 503, env: { ...env, ASKD_MODEL: 'openai', OPENAI_API_KEY: undefined, ASKD_MODEL_FALLBACK: 'offline' } });
  (await keyless.ask('How many jobs are overdue?')).error('model_not_configured');
});
