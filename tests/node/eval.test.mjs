// SPDX-License-Identifier: MIT
// tests/node/eval.test.mjs - askd eval against a configured model: what is right, wrong, abstained and failed, by
// difficulty; a model that is told to wait; a run that is stopped and goes on.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { askdCommand, sampleDatabase, sourceDir, startMock, tempPath } from './lib/harness.mjs';
import { Process, until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const says = sql => `\`\`\`sql\n${sql}\n\`\`\``;
const GOLD = 'SELECT COUNT(*) AS n FROM accounts';
const questions = [
  { id: 'r1', difficulty: 'easy', question: 'First, how many accounts?', sql: GOLD },
  { id: 'r2', difficulty: 'easy', question: 'Second, how many customers?', sql: 'SELECT COUNT(*) FROM customers' },
  { id: 'w1', difficulty: 'easy', question: 'Third, how many transactions?', sql: 'SELECT COUNT(*) FROM transactions' },
  { id: 'a1', difficulty: 'hard', question: 'Fourth, which weather?', sql: GOLD },
  { id: 'f1', difficulty: 'hard', question: 'Fifth, which fails?', sql: GOLD },
  { id: 'q1', difficulty: 'hard', question: 'Sixth, which waits?', sql: GOLD },
  { id: 'x1', expect: 'unanswerable', question: 'Seventh, who will win?' },
  { id: 'x2', expect: 'unanswerable', question: 'Eighth, who wins anyway?' },
];
const script = [
  line('generate', says(GOLD), { user: 'First' }), line('generate', says('SELECT COUNT(*) FROM customers'), { user: 'Second' }),
  line('generate', says(GOLD), { user: 'Third' }), line('generate', 'CANNOT: no weather is kept', { user: 'Fourth' }),
  line('generate', 'x', { user: 'Fifth', fault: '500' }), line('generate', says(GOLD), { user: 'Sixth', fault: '429-1-retry-after-5' }),
  line('generate', 'CANNOT: nobody knows', { user: 'Seventh' }), line('generate', says(GOLD), { user: 'Eighth' }),
  line('tables', '["accounts"]'), line('answer', 'Here.'),
];
const file = tempPath('questions.jsonl');
writeFileSync(file, questions.map(one => `${JSON.stringify(one)}\n`).join(''));
const mock = await startMock(script);
const env = { ASKD_MODEL: 'openai', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_MODEL: 'mock',
  ASKD_DATABASE_URL: `sqlite:${await sampleDatabase()}`, ASKD_PROMPT_DIR: `${sourceDir}/agents`, ASKD_TODAY: '2025-06-30',
  ASKD_CHECKPOINT_URL: 'none', SQL_SAMPLE_ROWS: '0', ASKD_LLM_ATTEMPTS: '2', ASKD_TENANCY: 'off' };
const args = ['eval', file, '--graph', 'sql_agent'];

test('a table for people, misses first', async () => {
  const asked = await askdCommand(args, { env });
  assert.equal(asked.code, 0, asked.stderr);
  assert.match(asked.stdout, /^w1 \[easy\] wrong: Third/m);
  assert.match(asked.stdout, /^a1 \[hard\] abstained: Fourth.*\n +why +no weather is kept/m);
  assert.match(asked.stdout, /^f1 \[hard\] failed: Fifth.*\n +why +model_unavailable: /m);
  assert.match(asked.stdout, /^easy +3 +2 +1 +0 +0 +66\.7% +66\.7%$/m);
  assert.match(asked.stdout, /^hard +3 +1 +0 +1 +1 +100\.0% +33\.3%$/m);
  assert.match(asked.stdout, /^all +6 +3 +1 +1 +1 +75\.0% +50\.0%$/m);
  assert.match(asked.stdout, /^unanswerable +2 +1 +1$/m);
});

test('objects for programs', async () => {
  const asked = await askdCommand([...args, '--json'], { env });
  const objects = asked.stdout.trim().split('\n').map(text => JSON.parse(text));
  assert.deepEqual(Object.fromEntries(objects.slice(0, -1).map(one => [one.id, one.verdict])),
    { r1: 'right', r2: 'right', w1: 'wrong', a1: 'abstained', f1: 'failed', q1: 'right', x1: 'abstained', x2: 'wrong' });
  const { all, must_not_answer: silent } = objects.at(-1).summary;
  assert.deepEqual([all.right, all.wrong, all.abstained, all.failed, all.precision], [3, 1, 1, 1, 75]);
  assert.deepEqual([silent.abstained, silent.wrong], [1, 1]);
});

test('a line that cannot be judged is said, and the others are', async () => {
  const some = tempPath('some.jsonl');
  writeFileSync(some, [JSON.stringify(questions[0]), '{"question":', JSON.stringify({ ...questions[1], sql: 'SELECT nothing FROM customers' }),
    JSON.stringify(questions[2])].join('\n'));
  const asked = await askdCommand(['eval', some, '--graph', 'sql_agent', '--min-precision', '1'], { env });
  assert.equal(asked.code, 1);
  assert.match(asked.stderr, /some\.jsonl: line 2: .*\n(.*\n)*.*some\.jsonl: line 3: the right statement does not run: /);
  assert.match(asked.stderr, /^askd: lines that are not in the table: 2$/m);
  assert.match(asked.stdout, /^easy +2 +1 +1 +0 +0/m);
  const told = await askdCommand(['eval', some, '--graph', 'sql_agent', '--json'], { env });
  assert.equal(JSON.parse(told.stdout.trim().split('\n').at(-1)).unjudged, 2);
});

test('a bar to reach, and the figures of an earlier evaluation', async () => {
  const baseline = tempPath('baseline.jsonl');
  const reaches = async (...more) => askdCommand([...args, ...more], { env });
  writeFileSync(baseline, (await askdCommand([...args, '--json'], { env })).stdout);
  assert.equal((await reaches('--min-precision', '75', '--baseline', baseline)).code, 0);
  const low = await reaches('--min-precision', '75.1');
  assert.deepEqual([low.code, low.stderr.includes('precision: 75.0%, expected 75.1% at least')], [3, true], low.stderr);
  writeFileSync(baseline, `${JSON.stringify({ summary: { all: { precision: 70, coverage: 60 }, must_not_answer: { asked: 2, abstained: 2 } } })}\n`);
  const fewer = await reaches('--baseline', baseline);
  assert.equal(fewer.code, 3);
  assert.match(fewer.stderr, /^coverage: 50\.0%, expected 60\.0% at least\nmust not be answered and was not: 50\.0%, expected 100\.0% at least$/m);
  writeFileSync(baseline, '{"summary":{}}\n');
  for (const [more, why] of [[['--min-precision', 'much'], /a percent/], [['--baseline', baseline], /with its summary/], [['--baseline', `${baseline}.none`], /baseline/]]) {
    const wrong = await reaches(...more);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, why);
  }
});

test('stopped, it counts what was asked and says where to go on; there it goes on', async () => {
  const slow = await startMock([line('generate', says(GOLD), { user: 'Third', fault: 'silent' }), ...script]);
  const child = new Process(process.env.ASKD_BIN, args, { cwd: '/tmp', env: { ...env, OPENAI_BASE_URL: `${slow.url}/v1` }, input: null });
  await until('the third question', async () => (await slow.stats()).requests >= 5);
  child.child.kill('SIGINT');
  const { code } = await child.wait();
  assert.equal(code, 1);
  assert.match(child.stderr, /stopped; --from 3 goes on/);
  assert.match(child.stdout, /^easy +2 +2 +0 +0 +0 +100\.0% +100\.0%$/m);
  const rest = await askdCommand([...args, '--from', '3'], { env });
  assert.match(rest.stdout, /^easy +1 +0 +1 +0 +0/m);
  assert.match(rest.stdout, /^unanswerable +2 +1 +1$/m);
  const wrong = await askdCommand([...args, '--from', 'x'], { env });
  assert.match(wrong.stderr, /usage: askd eval/);
});
