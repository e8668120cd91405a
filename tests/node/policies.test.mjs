// SPDX-License-Identifier: MIT
// tests/node/policies.test.mjs - ASKD_POLICIES, served: by graph and by role, read again on SIGHUP; a wrong file is
// told by its place and changes nothing.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { askdCommand, newConversation, sampleDatabase, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const path = tempPath('policies.json');
const rules = (clerk, more = {}) => ({
  policies: { narrow: { tables: ['customer'] }, clerk: { allow_with: true, columns: { employee: clerk } }, auditor: { allow_with: true }, ...more },
  serve: { graphs: { '*': 'narrow' }, roles: { clerk: 'clerk', auditor: { '*': 'auditor' }, half: { banking: 'auditor' } } } });
const write = content => writeFileSync(path, JSON.stringify(content));
write(rules({ hourlyRate: 'hidden', email: 'domain' }));

const says = sql => `\`\`\`sql\n${sql}\n\`\`\``;
const mock = await startMock([line('tables', '["employee"]'), line('generate', says('SELECT MAX(hourlyRate) AS m FROM employee')),
  line('correct', says('SELECT MAX(hourlyRate) AS m FROM employee')), line('answer', 'Here it is.'), line('respond', 'Here it is.')]);
const askd = await startAskd({ mock, env: { ASKD_POLICIES: path, ASKD_SECURE_VIEWS: '', SQL_SAMPLE_ROWS: '0' } });

const send = async (role, sql) => {
  const answer = await askd.post('/internal/results?company_id=acme&user_id=ann', { sql }, role === undefined ? undefined : { headers: { 'x-askd-role': role } });
  return { status: answer.status, body: await answer.json() };
};
const RATE = 'SELECT MAX(hourlyRate) AS m FROM employee', NAMES = 'SELECT firstName FROM employee', CUSTOMERS = 'SELECT name FROM customer';

// role, statement, whether it is answered
const cases = [
  ['auditor', RATE, true], ['auditor', CUSTOMERS, true],
  ['clerk', NAMES, true], ['clerk', RATE, false], ['clerk', 'SELECT firstName FROM employee ORDER BY hourlyRate', false],
  [undefined, CUSTOMERS, true], [undefined, NAMES, false],
  ['half', CUSTOMERS, false], ['half', NAMES, false], ['nobody', CUSTOMERS, false], ['AUDITOR', CUSTOMERS, false], ['auditor ,clerk', CUSTOMERS, false],
];
for (const [role, sql, answered] of cases)
  test(`${role ?? 'no role'}: ${sql} is ${answered ? 'answered' : 'refused'}`, async () => {
    const { status, body } = await send(role, sql);
    assert.equal(status === 200, answered, JSON.stringify(body));
    if (answered)
      assert.ok(body.rows.length > 0);
    else
      assert.equal(body.rows, undefined);
  });

test('a mask of a role is its own', async () => {
  const clerk = (await send('clerk', 'SELECT email FROM employee WHERE email IS NOT NULL')).body.rows.flat();
  const auditor = (await send('auditor', 'SELECT email FROM employee WHERE email IS NOT NULL')).body.rows.flat();
  assert.ok(clerk.length > 0 && clerk.every(text => text.startsWith('***@')), String(clerk));
  assert.ok(auditor.some(text => !text.startsWith('***')), String(auditor));
});

test('a graph asks for its caller\'s role', async () => {
  const ask = role => askd.ask('What is the highest rate?', { conversation: newConversation(), options: { graph: 'sql_agent' }, headers: { 'x-askd-role': role } });
  assert.match((await ask('auditor')).complete().sql, /hourlyRate/);
  const refused = await ask('clerk');
  assert.notEqual(refused.last.event, 'complete', refused.raw);
  assert.doesNotMatch(JSON.stringify(refused.last), /"rows"/);
});

test('SIGHUP: what a file says now holds; a wrong one is told by its place, and changes nothing', async () => {
  write(rules({ email: 'domain' }));
  askd.child.child.kill('SIGHUP');
  await until('the column is shown', async () => (await send('clerk', RATE)).status === 200);
  for (const [wrong, place] of [[{ ...rules({ hourlyRate: 'hiden' }) }, /\/policies\/clerk\/columns\/employee\/hourlyRate/],
    [{ ...rules({}), serve: { roles: { clerk: 'clark' } } }, /\/serve\/roles\/clerk/], [rules({}, { odd: { allow_wiht: true } }), /\/policies\/odd\/allow_wiht/]]) {
    write(wrong);
    askd.child.child.kill('SIGHUP');
    await until(`${place} is said`, () => place.test(askd.child.stderr));
    assert.equal((await send('clerk', RATE)).status, 200);
    assert.notEqual((await send('half', CUSTOMERS)).status, 200);
  }
  write(rules({ hourlyRate: 'hidden' }));
  askd.child.child.kill('SIGHUP');
  await until('the column is hidden again', async () => (await send('clerk', RATE)).status !== 200);
  assert.equal((await send('clerk', NAMES)).status, 200);
});

test('on the terminal a role is said, too', async () => {
  const env = { ASKD_MODEL: 'offline', ASKD_DATABASE_URL: `sqlite:${await sampleDatabase()}`, ASKD_PROMPT_DIR: `${sourceDir}/agents`, ASKD_POLICIES: path, ASKD_CHECKPOINT_URL: 'none' };
  const ask = (...role) => askdCommand(['ask', 'How many employees are there?', ...role], { env });
  assert.equal((await ask('--role', 'auditor')).code, 0);
  assert.notEqual((await ask('--role', 'nobody')).code, 0);
  assert.notEqual((await ask()).code, 0, 'no employee in the policy of who has no role');
});
