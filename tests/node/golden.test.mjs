// SPDX-License-Identifier: MIT
// tests/node/golden.test.mjs - whole conversations, event by event, as tests/flow/golden has them:
// the seeds' flows (R25-R27, R231-R234) offline and with a scripted model.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertGolden, describe, settled } from './lib/golden.mjs';
import { sourceDir, startAskd, startMock } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';

const sql = text => `Here it is:\n\`\`\`sql\n${text}\n\`\`\``;
const ACTIVE = "SELECT COUNT(*) AS technicians FROM employee WHERE role = 'technician' AND isActive = 1";

// R231: the seed's question, and what may go wrong on its way.
const WORKED = extra => `SELECT e.firstName, e.lastName, SUM(w.hours) AS hours FROM employee e
JOIN workTime w ON w.employeeId = e.id${extra} GROUP BY e.id, e.firstName, e.lastName
HAVING SUM(w.hours) > 20 ORDER BY hours DESC`;
const OVERFLOW = WORKED(' WHERE ABS(-9223372036854775807 - e.id) > 0');

// Every scenario has a word of its own in its question.
const script = [
  // a correction round: an unknown column, then a right one
  line('generate', sql("SELECT COUNT(*) FROM employee WHERE jobTitle = 'technician'"), { user: 'corrected' }),
  line('correct', sql(ACTIVE), { user: 'corrected' }),
  // never right: three corrections, then the end
  line('generate', sql('SELECT isLead FROM crew'), { user: 'hopeless' }),
  line('correct', sql('SELECT isLead FROM crew'), { user: 'hopeless' }),
  // a value that no row has: the model insists, then no rows is the answer
  line('generate', sql("SELECT lastName FROM employee WHERE role = 'astronaut'"), { user: 'astronauts' }),
  line('correct', sql("SELECT lastName FROM employee WHERE role = 'astronaut'"), { user: 'astronauts' }),
  line('answer', 'Nothing matches.', { user: 'astronauts' }),
  // a write, a second statement
  line('generate', sql('DELETE FROM employee'), { user: 'fire everybody' }),
  line('correct', 'CANNOT: only questions can be answered', { user: 'fire everybody' }),
  // the model gives up by itself
  line('generate', 'CANNOT: there is no weather in these tables', { user: 'rain' }),
  // R231
  line('tables', '["employee", "workTime"]', { user: '>20h' }),
  line('generate', sql(WORKED('')), { user: '>20h, plainly' }),
  line('generate', sql(WORKED('').replaceAll('w.hours', 'w.effort')), { user: '>20h, invalid' }),
  line('correct', sql(WORKED('')), { user: '>20h, invalid' }),
  line('generate', sql(OVERFLOW), { user: '>20h, refused' }),
  line('correct', sql(WORKED('')), { user: '>20h, refused' }),
  line('generate', sql(WORKED('').replace('FROM employee e', 'FROM employees e').replace('w.employeeId = e.id', 'e.employeeId = w.id')), { user: '>20h, mechanical' }),
  line('answer', 'These employees worked >20h.', { user: '>20h' }),
  // text_to_sql
  line('translate', 'DROP TABLE employee', { user: 'drop everything' }),
  line('translate', sql('SELECT age FROM employee'), { user: 'how old', times: 1 }),
  line('translate', sql('SELECT COUNT(*) AS n FROM employee WHERE ABS(-9223372036854775807 - id) > 0'), { user: 'overflowing' }),
  line('translate', 'CANNOT: there is no weather in these tables', { user: 'rain' }),
  line('translate', `The active technicians are counted.\n${sql(ACTIVE)}`),
  line('respond', 'I was not able to do that.', { user: 'drop everything' }),
  line('respond', 'The figures are too large.', { user: 'overflowing' }),
  line('respond', 'There are 10 active technicians.'),
  // banking: seed 000's traces
  line('bankingSql', sql('SELECT COUNT(*) FROM users'), { user: 'unknown table', times: 1 }),
  line('bankingSql', sql('SELECT COUNT(*) FROM users'), { user: 'always wrong' }),
  line('bankingSql', sql('SELECT id FROM customers UNION SELECT id FROM accounts'), { user: 'union' }),
  line('bankingSql', sql('SELECT COUNT(*) FROM customers;')),
  line('intent', 'Count all rows in customers table'),
  line('insight', 'SUMMARY: There are 180 customers.\nCHART: metric'),
  // the plain road
  line('classify', 'GENERAL', { user: 'sky' }), line('classify', 'SQL'),
  line('general', 'The sky is blue because of scattering.'),
  line('tables', '["employee"]'), line('generate', sql(ACTIVE)), line('answer', 'There are 10 active technicians.'),
];
// Tables are ranked by meaning, too, from when the first server has indexed them for both.
const ASKD_GRAPHS = join(sourceDir, 'examples/graphs');
const startScripted = async () => startAskd({ mock: await startMock(script), env: { ASKD_LOG_LEVEL: 'info', ASKD_GRAPHS } });
const scripted = await startScripted();
await scripted.child.said(/schema\.indexed/);
const again = await startScripted(); // for lines that a script has once
const offline = await startAskd({ env: { ASKD_GRAPHS } });

const streams = [
  ['offline-sql', offline, 'How many technicians are active?'],
  ['offline-sql-nodes', offline, 'How many technicians are active?', { detail: 'nodes' }],
  ['offline-general', offline, 'What is machine learning?'],
  ['offline-write', offline, 'Delete all employees'],
  ['offline-banking', offline, 'How many accounts are there?', { graph: 'banking', detail: 'nodes' }],
  ['general', scripted, 'Why is the sky blue?'],
  ['general-nodes', scripted, 'Why is the sky blue?', { detail: 'nodes' }],
  ['sql', scripted, 'How many technicians are active?'],
  ['sql-debug', scripted, 'How many technicians are active?', { detail: 'debug' }],
  ['correction', scripted, 'How many technicians are active, corrected?', { detail: 'nodes' }],
  ['correction-spent', scripted, 'A hopeless question about crews', { detail: 'nodes' }],
  ['empty', scripted, 'Which astronauts are employed?', { detail: 'nodes' }],
  ['write', scripted, 'Please fire everybody', { detail: 'nodes' }],
  ['cannot', scripted, 'How much rain fell?'],
  ['worked', scripted, 'Show employees who worked >20h, plainly', { detail: 'nodes' }],
  ['worked-invalid', scripted, 'Show employees who worked >20h, invalid', { detail: 'nodes' }],
  ['worked-refused', scripted, 'Show employees who worked >20h, refused', { detail: 'nodes' }],
  ['worked-mechanical', scripted, 'Show employees who worked >20h, mechanical', { detail: 'nodes' }],
  ['text-to-sql', scripted, 'How many technicians are active?', { graph: 'text_to_sql', detail: 'nodes' }],
  ['text-to-sql-retry', scripted, 'And how old are they?', { graph: 'text_to_sql', detail: 'nodes' }],
  ['text-to-sql-spent', scripted, 'Please drop everything', { graph: 'text_to_sql', detail: 'nodes' }],
  ['text-to-sql-failed', scripted, 'An overflowing question', { graph: 'text_to_sql', detail: 'nodes' }],
  ['text-to-sql-cannot', scripted, 'How much rain fell?', { graph: 'text_to_sql' }],
  ['offline-text-to-sql', offline, 'How many technicians are active?', { graph: 'text_to_sql', detail: 'nodes' }],
  ['banking', scripted, 'How many customers?', { graph: 'banking', detail: 'nodes' }],
  ['banking-retry', scripted, 'How many customers, from an unknown table?', { graph: 'banking', detail: 'nodes' }],
  ['banking-spent', scripted, 'How many customers, always wrong?', { graph: 'banking', detail: 'nodes' }],
  ['banking-union', scripted, 'The ids in a union?', { graph: 'banking' }],
];

for (const [name, askd, message, options] of streams)
  test(`stream: ${name}`, async () => {
    const transcript = await askd.ask(message, { options });
    transcript.check();
    assertGolden(name, `${message} ${JSON.stringify(options ?? {})}\n${describe(transcript)}`);
  });

// The same graphs as files say the same, but for their names.
for (const [name, first, message, options] of streams.filter(([, , , options]) => options?.graph))
  test(`stream of the file: ${name}`, async () => {
    const askd = first === scripted ? again : first;
    const transcript = await askd.ask(message, { options: { ...options, graph: `${options.graph}_file` } });
    transcript.check();
    const said = describe(transcript).replaceAll(`"route":"${options.graph}_file"`, `"route":"${options.graph}"`);
    assertGolden(name, `${message} ${JSON.stringify(options)}\n${said}`);
  });

const FIVE = ['chart_suggestion', 'error', 'execution_result', 'summary', 'validated_sql'];
const asks = [
  ['ask-offline', offline, 'How many accounts are there?'],
  ['ask-offline-customers', offline, 'How many customers are there?'],
  ['ask-offline-refused', offline, 'Sing me a song'],
  ['ask-blank', offline, '  '],
  ['ask', scripted, 'How many customers?'],
  ['ask-spent', scripted, 'How many customers, always wrong?'],
];

for (const [name, askd, query] of asks)
  test(`POST /ask: ${name}`, async () => {
    const response = await askd.post('/ask', { query });
    assert.equal(response.status, 200);
    const answer = await response.json();
    assert.deepEqual(Object.keys(answer).sort(), FIVE);
    assertGolden(name, `${query}\n${JSON.stringify(settled(answer), null, 1)}\n`);
  });

test('invoke: any graph as one JSON', async () => {
  for (const [name, graph, message] of [
    ['invoke-general', 'general_agent', 'Why is the sky blue?'],
    ['invoke-sql', 'sql_agent', 'How many technicians are active?'],
    ['invoke-orchestrator', 'orchestrator', 'How many technicians are active?'],
  ]) {
    const response = await scripted.post(`/internal/graphs/${graph}/invoke`, {
      input: { message }, conversation: { id: `invoke-${name}`, user_id: 'user-1', company_id: 'acme' },
    });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('x-run-id'), /^run_/);
    assertGolden(name, `${message}\n${JSON.stringify(settled(await response.json()), null, 1)}\n`);
  }
});
