// SPDX-License-Identifier: MIT
// tests/node/lib/recorded.mjs - a server in the model's place, on both wires, that keeps what it is sent: what a prompt
// says is asked of the bytes that a provider would get.
import { createServer } from 'node:http';
import { stopAtEnd } from './harness.mjs';

// What each task's system message begins with, or has in it.
const TASKS = {
  classify_whole: 'and write the', classify: 'You route questions', table_selection: 'Choose the tables', sql_correction: 'You repair one',
  sql_generation: 'SELECT statement that answers', sql_decision: 'You decide which of them', sql_answer: 'put the result of a database query',
  translate: 'You translate a question into one', respond: 'You tell the person who asked', intent: 'turn a question about a bank',
  banking: 'SELECT statement for an intent', insight: 'summarise a query', rag: 'You answer questions from the documents',
  alone: 'You write the last question', general: 'You are askd', prepare: 'You prepare a financial question', judge: 'You judge whether passages',
  analyse: 'You read figures out of financial', synthesise: 'You write the final answer', learn: 'You write down what a table', agent: 'You answer questions about the data',
};
const textOf = content => typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('');

// A request as { task, system, user, model, path, body }: the text of all system messages and of all others.
const read = (path, body) => {
  const anthropic = path.endsWith('/messages');
  const system = anthropic ? textOf(body.system) : body.messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content)).join('\n');
  const user = body.messages.filter(({ role }) => role !== 'system').map(({ content }) => textOf(content)).join('\n');
  return { task: Object.keys(TASKS).find(task => system.includes(TASKS[task])), system, user, model: body.model, path, body };
};

const answers = {
  openai: (text, model) => `data: ${JSON.stringify({ choices: [{ delta: { content: text }, finish_reason: 'stop' }], model })}\n\ndata: [DONE]\n\n`,
  anthropic: (text, model) => [
    ['message_start', { message: { model, usage: { input_tokens: 1 } } }], ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
    ['content_block_delta', { index: 0, delta: { type: 'text_delta', text } }], ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }], ['message_stop', {}],
  ].map(([type, more]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`).join(''),
};

// reply(request): a text, or { status, error }. The model has url, env and requests, in the order they came.
export const startRecorded = async reply => {
  const model = { requests: [] };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request)
      text += piece;
    const one = read(request.url, JSON.parse(text)), said = reply(one);
    model.requests.push(one);
    if (typeof said !== 'string') {
      response.writeHead(said.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: said.error } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(answers[one.path.endsWith('/messages') ? 'anthropic' : 'openai'](said, one.model));
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  stopAtEnd({ child: { child: { kill: () => server.close() } }, stop: async () => { server.closeAllConnections(); server.close(); } });
  model.url = `http://127.0.0.1:${server.address().port}`;
  model.env = { ASKD_MODEL: 'openai', OPENAI_API_KEY: 'sk-test', OPENAI_MODEL: 'recorded', OPENAI_BASE_URL: `${model.url}/v1` };
  return model;
};
