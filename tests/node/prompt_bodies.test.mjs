// SPDX-License-Identifier: MIT
// tests/node/prompt_bodies.test.mjs - the bodies that a model's server is sent: which of them ask for a form, that what
// is the same for all questions stands first, and that data stands in the user's message alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCounted } from './lib/counted.mjs';
import { newConversation, startAskd } from './lib/harness.mjs';

const questions = [
  { question: 'How many work orders are on hold?', tables: ['workOrder'], sql: "SELECT COUNT(*) FROM workOrder WHERE status = 'on hold'" },
  { question: 'Which technicians are active?', tables: ['employee'], wrong: 'SELECT firstName, nickname FROM employee', sql: "SELECT firstName FROM employee WHERE role = 'technician' AND isActive = 1" },
  { question: 'What is the total of hours?', tables: ['workTime'], wrong: 'SELECT SUM(hour_count) FROM workTime', sql: 'SELECT SUM(hours) FROM workTime' },
];
const model = await startCounted(questions);
const askd = await startAskd({ env: { ...model.env, SQL_CANDIDATES: '1' } });

// The bodies of all questions to the graph, by task.
const bodiesOf = async graph => {
  model.bodies.length = 0;
  for (const { question, sql } of questions) {
    const complete = (await askd.ask(question, { conversation: newConversation(), options: { graph } })).complete();
    assert.ok(complete.data, `${graph}: ${sql}`);
  }
  return Object.groupBy(model.bodies, ({ task }) => task);
};

// The whole system message: on a small schema the rules and all tables.
const system = body => body.messages.filter(({ role }) => role === 'system').map(({ content }) => content).join('\n');
const form = body => body.response_format?.json_schema;

for (const [graph, forms] of [['orchestrator', ['and write the', 'You repair one']], ['sql_agent', ['You repair one']], ['text_to_sql', []]])
  test(`${graph}: forms, what is static first, data with the user`, async () => {
    const tasks = await bodiesOf(graph);
    for (const [task, bodies] of Object.entries(tasks)) {
      assert.deepEqual([...new Set(bodies.map(body => form(body) !== undefined))], [forms.includes(task)], `${task} asks for a form`);
      assert.equal(new Set(bodies.map(system)).size, 1, `${task} begins alike for each question`);
      assert.ok(system(bodies[0]).length > 80, task);
      for (const body of bodies) {
        assert.equal(body.messages[0].role, 'system');
        assert.doesNotMatch(system(body), /'on hold'|'technician'|<data>\n/, `${task} has no data where rules stand`);
      }
    }
    for (const task of forms) {
      const { strict, schema } = form(tasks[task][0]);
      assert.equal(strict, true);
      assert.equal(schema.additionalProperties, false);
      assert.ok(Object.keys(schema.properties).includes('sql'), JSON.stringify(schema));
    }
  });
