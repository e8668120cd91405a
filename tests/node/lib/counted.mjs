// SPDX-License-Identifier: MIT
// tests/node/lib/counted.mjs - a server in the model's place that knows the right answer to each question, counts what
// it is sent and keeps the bodies.
import { startRecorded } from './recorded.mjs';

// What a model that is right replies to the prompt of each task; statement: what it writes now.
const replies = [
  ['and write the', (one, statement) => JSON.stringify({ route: 'SQL', sql: statement, cannot: null, search: null })],
  ['You route questions', one => JSON.stringify({ route: 'SQL', tables: one.tables, search: null })],
  ['Choose the tables', one => JSON.stringify({ tables: one.tables })],
  ['You repair one', one => JSON.stringify({ sql: one.sql, cannot: null })],
  ['SELECT statement', (one, statement) => `\`\`\`sql\n${statement}\n\`\`\``],
  ['', () => 'Here it is.'],
];

// questions: { question, sql, tables, wrong }; wrong is written the first time. Each body has the task's first words in
// task.
export const startCounted = async questions => {
  const model = { calls: 0, bytes: 0, bodies: [] };
  const { env } = await startRecorded(({ body }) => {
    const { messages } = body;
    model.calls++;
    model.bytes += messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    const one = questions.find(({ question }) => messages.at(-1).content.includes(question));
    const [task, reply] = replies.find(([part]) => messages[0].content.includes(part));
    const statement = one?.wrong !== undefined && !model.bodies.some(before => before.task === task && before.one === one) ? one.wrong : one?.sql;
    model.bodies.push({ task, one, ...body });
    return reply(one, statement);
  });
  model.env = env;
  return model;
};
