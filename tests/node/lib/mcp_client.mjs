// SPDX-License-Identifier: MIT
// tests/node/lib/mcp_client.mjs URL - askd as a client of the MCP server at URL, for the conformance package: a model
// that calls each tool it is offered once, with the arguments the scenario names, then answers.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { newConversation, question, startAskd, tempPath } from './harness.mjs';

const url = process.argv.at(-1).replace(/\/$/, '');
const asked = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}').toolCalls ?? [];
const examples = { number: 5, integer: 5, string: 'x', boolean: true, object: {}, array: [] };

// Arguments of a tool: those of the scenario; a schema is that of the other tool, as the model sees it; else an example.
const argumentsOf = (tool, tools) => {
  const named = asked.find(one => `it_${one.name}` === tool.name);
  if (named !== undefined)
    return named.arguments;
  const shown = tools.find(one => one.name.startsWith('it_') && one !== tool)?.parameters;
  return Object.fromEntries((tool.parameters.required ?? []).map(name =>
    [name, name === 'schema' ? shown : examples[tool.parameters.properties[name].type]]));
};
const model = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  const { messages, tools = [] } = JSON.parse(body), ours = tools.map(tool => tool.function).filter(tool => tool.name.startsWith('it_'));
  const calls = messages.some(message => message.role === 'tool') ? [] : ours.map((tool, index) =>
    ({ index, id: `c${index}`, type: 'function', function: { name: tool.name, arguments: JSON.stringify(argumentsOf(tool, ours)) } }));
  const choice = (delta, finish_reason = null) => `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end((calls.length > 0 ? choice({ role: 'assistant', tool_calls: calls }) + choice({}, 'tool_calls')
    : choice({ role: 'assistant', content: 'done' }) + choice({}, 'stop')) + 'data: [DONE]\n\n');
});
model.listen(0, '127.0.0.1');
await once(model, 'listening');
const file = tempPath('tools.json');
writeFileSync(file, JSON.stringify({ allow: [url], mcp: { it: { url, private: true, graphs: ['data_agent'] } } }));
const askd = await startAskd({ mock: { url: `http://127.0.0.1:${model.address().port}` }, env: { ASKD_TOOLS: file } });
const response = await askd.post('/internal/graphs/data_agent/stream', question('conform', newConversation(), { detail: 'nodes' }));
console.log(await response.text());
process.exit(0);
