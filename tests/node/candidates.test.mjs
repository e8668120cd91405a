// SPDX-License-Identifier: MIT
// tests/node/candidates.test.mjs - statements for one question held against each other by their rows: who agrees
// answers at once, who does not costs one call that decides, and stats say so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, sampleDatabase, startAskd, startMock } from './lib/harness.mjs';
import { run } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const says = sql => `\`\`\`sql\n${sql}\n\`\`\``;
const graphs = { sql_agent: ['generate', 2], text_to_sql: ['translate', 2], banking: ['bankingSql', 3] };
const QUESTION = 'Total amount of debit transactions';
const OTHER = 'What did the wizards spend at the fair?'; // the engine does not read it
const RIGHT = "SELECT 'debit' AS kind, ROUND(SUM(t.amount), 2) AS spent FROM transactions t WHERE t.type = 'debit'";
const WRONG = "SELECT SUM(amount) AS total FROM transactions WHERE type = 'debit' AND amount > 100";
const words = [line('answer', 'Here it is.'), line('respond', 'Here it is.'), line('intent', 'Look it up.'),
  line('insight', 'SUMMARY: Here it is.\nCHART: metric'), line('tables', '["transactions"]')];

const start = async (script, env = {}) => {
  const mock = await startMock([...script, ...words]);
  const askd = await startAskd({ mock, env: { SQL_CANDIDATES: '0', SQL_SAMPLE_ROWS: '0', ...env } });
  return async (graph, question = QUESTION) => {
    const transcript = await askd.ask(question, { conversation: newConversation(), options: { graph } });
    const complete = transcript.of('complete')[0];
    assert.ok(complete, JSON.stringify(transcript.of('error')));
    return complete;
  };
};
const figure = answer => Number(answer.data.rows[0].at(-1));
const undecided = answer => (answer.warnings ?? []).some(text => /read in two ways/.test(text));

for (const [graph, [task, calls]] of Object.entries(graphs)) {
  test(`${graph}: rows that agree answer at once`, async () => {
    const answer = await (await start([line(task, says(RIGHT))]))(graph);
    assert.equal(answer.stats.llm_calls, calls);
    assert.deepEqual([answer.stats.candidates, answer.stats.decided, answer.stats.sql_attempts], [2, false, 2]);
    assert.deepEqual(answer.data.columns, ['kind', 'spent'], 'the first statement answers');
  });

  test(`${graph}: rows that differ cost one call, which sees both and decides`, async () => {
    const right = figure(await (await start([line(task, says(RIGHT))]))(graph));
    const doubts = [line(task, says(WRONG), { times: 1 }), line(task, says(WRONG))];
    // its prompt has both statements and their first rows, or there is no line for it
    const seen = (reply, match) => ({ ...line('decide', reply), match });
    const second = await (await start([...doubts, seen('{"choice": 2}', String(Math.trunc(right))),
      line('correct', says(WRONG))]))(graph);
    assert.ok(Math.abs(figure(second) - right) < 0.01, `${figure(second)} is ${right}`);
    assert.doesNotMatch(second.sql, /amount > 100/);
    assert.deepEqual([second.stats.candidates, second.stats.decided], [2, true]);
    const first = await (await start([...doubts, seen('1', WRONG.slice(0, 40)), line('correct', says(WRONG))]))(graph);
    assert.match(first.sql, /amount > 100/);
    assert.ok(!undecided(first));
    assert.ok(first.warnings.some(text => /another way, which gives other rows/.test(text)));
    assert.deepEqual(second.warnings, []);
    assert.equal(first.stats.llm_calls, second.stats.llm_calls);
  });

  test(`${graph}: a decision that cannot be read leaves the first, with a warning`, async () => {
    const answer = await (await start([line(task, says(WRONG)), line('correct', says(WRONG)), line('decide', 'Neither.')]))(graph);
    assert.match(answer.sql, /amount > 100/);
    assert.ok(undecided(answer), JSON.stringify(answer.warnings));
    assert.deepEqual([answer.stats.candidates, answer.stats.decided], [2, false]);
  });

  test(`${graph}: without a reading there is one statement, unless more are asked for`, async () => {
    const count = "SELECT COUNT(*) AS n FROM transactions WHERE type = 'debit'";
    const sum = "SELECT SUM(amount) AS s FROM transactions WHERE type = 'debit'";
    const one = await (await start([line(task, says(sum))]))(graph, OTHER);
    assert.deepEqual([one.stats.candidates, one.stats.llm_calls], [undefined, calls]);
    const votes = [line(task, says(count), { times: 1 }), line(task, says('DELETE FROM transactions'), { times: 1 }),
      line(task, says(sum), { times: 1 }), line(task, says(`${sum} AND 1 = 1`))];
    const three = await (await start(votes, { SQL_CANDIDATES: '4' }))(graph, OTHER);
    assert.deepEqual(three.data.columns, ['s'], 'two of three agree; what the guard refuses has no vote');
    assert.deepEqual([three.stats.candidates, three.stats.decided], [3, false]);
    assert.equal(three.stats.llm_calls, calls + 3);
  });
}

// Of tables that have rows of two companies: what is adopted in the place of the first runs as every statement does.
const CREW = 'How many work orders are on hold?', NOBODYS = 'How many wizards fixed something?';
const onHold = "SELECT COUNT(*) AS n FROM workOrder WHERE status = 'on hold'";
const late = "SELECT COUNT(*) AS n FROM workOrder WHERE status = 'on hold' AND estimatedHours > 1000";
test('the sample has more work orders on hold than one company has', async () => {
  const { stdout } = await run('sqlite3', [await sampleDatabase(), onHold], { cwd: '/tmp' });
  assert.ok(Number(stdout) > 21, stdout);
});
for (const graph of ['sql_agent', 'text_to_sql']) {
  const [task] = graphs[graph];
  const tables = line('tables', '["workOrder"]');
  test(`${graph}: what is adopted passed the guard, sees the caller's company alone, and is what is reported`, async () => {
    const ask = await start([tables, line(task, says(late)), line('correct', says(late)), line('decide', '{"choice": 2}')]);
    const { sql, data, tables: read, notes, stats, warnings } = await ask(graph, CREW);
    assert.deepEqual([stats.candidates, stats.decided], [2, true]);
    assert.match(sql, /secure_workOrder|session_var\('company_id'\)/);
    assert.doesNotMatch(sql, /1000/);
    assert.deepEqual(data.rows[0].map(Number), [21]);
    assert.deepEqual(read, ['workOrder']);
    assert.deepEqual([notes ?? [], warnings], [[], []], 'what was said of the other statement is not said of this one');
  });

  test(`${graph}: statements of the model's own that agree are adopted, under the same guard`, async () => {
    const others = "SELECT COUNT(*) AS n FROM workOrder WHERE companyId = 'globex'";
    const ask = await start([tables, line(task, says(late), { times: 1 }), line(task, says('UPDATE workOrder SET status = 1'), { times: 1 }),
      line(task, says(onHold), { times: 1 }), line(task, says(`${onHold} AND 1 = 1`)), line('correct', says(late))], { SQL_CANDIDATES: '4' });
    const { sql, data, stats } = await ask(graph, NOBODYS);
    assert.deepEqual([stats.candidates, stats.decided], [3, false]);
    assert.deepEqual(data.rows[0].map(Number), [21]);
    assert.match(sql, /secure_workOrder|session_var\('company_id'\)/);
    const strangers = await start([tables, line(task, says(late), { times: 1 }), line(task, says(others)), line('correct', says(late))], { SQL_CANDIDATES: '3' });
    const alone = await strangers(graph, NOBODYS);
    assert.deepEqual(alone.data.rows[0].map(Number), [0]);
    assert.equal(alone.stats.candidates, undefined, "one that asks for another company's rows is none");
  });
}

test('one candidate, or a person who looks at statements: nothing is compared', async () => {
  const alone = await (await start([line('generate', says(WRONG)), line('correct', says(WRONG))], { SQL_CANDIDATES: '1' }))('sql_agent');
  assert.equal(alone.stats.candidates, undefined);
  const looked = await (await start([line('generate', says(WRONG)), line('correct', says(WRONG))],
    { ASKD_SQL_APPROVAL: 'cost>1000000' }))('sql_agent');
  assert.equal(looked.stats.candidates, undefined);
});
