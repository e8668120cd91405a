// SPDX-License-Identifier: MIT
// bench/prompts.mjs - a model in the mock's place that knows the right answers and counts what it is sent; asks
// the questions of a file one by one and prints calls and tokens a question. Started by bench/prompts.sh.
//
// ASKD, DATABASE, QUESTIONS, NAME, FORMER (tokens a question before, or nothing), GRAPH. A question is a line
// {"question","sql","tables"}. Tokens are bytes / 4; "again" are those that begin a prompt as they began the
// last one of the same task, which a provider's cache has.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { ASKD, DATABASE, QUESTIONS, NAME = 'schema', FORMER, GRAPH } = process.env;
const questions = readFileSync(QUESTIONS, 'utf8').trim().split('\n').map(text => JSON.parse(text));
const sent = { calls: 0, bytes: 0, again: 0, tasks: {} }, before = {};

const TASKS = [
  ['classify_whole', 'and write the', one => ({ route: 'SQL', sql: one.sql, cannot: null, search: null })],
  ['classify', 'You route questions', one => ({ route: 'SQL', tables: one.tables, search: null })],
  ['table_selection', 'Choose the tables', one => ({ tables: one.tables })],
  ['sql_generation', 'SELECT statement', one => `\`\`\`sql\n${one.sql}\n\`\`\``],
  ['sql_correction', 'You repair one', one => `\`\`\`sql\n${one.sql}\n\`\`\``],
  ['answer', '', () => 'Here it is.'],
];

const sameStart = (a, b) => {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n])
    n++;
  return n;
};

const answer = (request, response) => {
  let body = '';
  request.on('data', piece => { body += piece; });
  request.on('end', () => {
    const { messages } = JSON.parse(body);
    const text = messages.map(({ content }) => content).join('\n');
    const last = messages.findLast(({ role }) => role === 'user').content;
    const one = questions.find(({ question }) => last.includes(question)) ?? questions[0];
    const [task, , reply] = TASKS.find(([, part]) => messages[0].content.includes(part));
    const bytes = Buffer.byteLength(text);
    sent.calls++;
    sent.bytes += bytes;
    sent.again += before[task] === undefined ? 0 : sameStart(before[task], text);
    sent.tasks[task] = (sent.tasks[task] ?? 0) + bytes;
    before[task] = text;
    const said = reply(one), content = typeof said === 'string' ? said : JSON.stringify(said);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: 'stop' }], model: 'bench' })}\n\ndata: [DONE]\n\n`);
  });
};

const server = createServer(answer);
await new Promise(done => server.listen(0, '127.0.0.1', done));
const askd = spawn(ASKD, ['ask', '--jsonl', ...(GRAPH ? ['--graph', GRAPH] : [])], {
  stdio: ['pipe', 'pipe', 'inherit'],
  env: { ...process.env, ASKD_MODEL: 'openai', OPENAI_API_KEY: 'bench', OPENAI_MODEL: 'bench', ASKD_DATABASE_URL: DATABASE,
    OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1`, ASKD_CHECKPOINT_URL: 'none', ASKD_LOG_LEVEL: 'error',
    ASKD_TENANCY: process.env.ASKD_TENANCY ?? 'off', ASKD_TODAY: '2025-06-30' },
});
let out = '';
askd.stdout.on('data', piece => { out += piece; });
askd.stdin.end(questions.map(({ question }, id) => `${JSON.stringify({ id, question })}\n`).join(''));
await new Promise(done => askd.on('exit', done));
server.close();
const answered = out.trim().split('\n').filter(text => text && JSON.parse(text).sql).length;
const each = bytes => Math.round(bytes / 4 / questions.length);
const per = Object.entries(sent.tasks).map(([task, bytes]) => `${task} ${each(bytes)}`).join(', ');
const share = FORMER ? `  ${Math.round(100 * each(sent.bytes) / Number(FORMER))} % of ${FORMER}` : '';
console.log(`${NAME.padEnd(12)} ${answered}/${questions.length} answered  ${(sent.calls / questions.length).toFixed(1)} calls  ` +
  `${each(sent.bytes)} tokens, ${each(sent.again)} again${share}\n${' '.repeat(13)}${per}`);
