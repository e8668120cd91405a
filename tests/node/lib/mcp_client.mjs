// SPDX-License-Identifier: MIT
// tests/node/lib/mcp_client.mjs URL - askd as a client of the MCP server at URL, for the conformance package: a model
// that calls each tool it is offered once, with the arguments the scenario names, then answers.
import { once } from 'node:events';
import { appendFileSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { newConversation, question, startAskd, tempPath } from './harness.mjs';

const url = process.argv.at(-1).replace(/\/$/, '');
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'), asked = context.toolCalls ?? [];
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

// An operator knows the authorization server; here it is the other server of the suite that runs this. Nothing is asked
// to find it out, since the suite notes each request.
const socketsOf = pid => readdirSync(`/proc/${pid}/fd`).flatMap(fd => {
  try { return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []; } catch { return []; }
});
const portsOf = pid => {
  const ours = new Set(socketsOf(pid));
  return ['tcp', 'tcp6'].flatMap(name => readFileSync(`/proc/net/${name}`, 'utf8').trim().split('\n').slice(1).map(line => line.trim().split(/\s+/))
    .filter(column => column[3] === '0A' && ours.has(column[9])).map(column => parseInt(column[1].split(':')[1], 16)));
};
const parentOf = pid => Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))[1]);
const others = () => {
  const port = Number(new URL(url).port);
  for (let pid = process.ppid; pid > 1; pid = parentOf(pid))
    if (portsOf(pid).includes(port))
      return portsOf(pid).filter(one => one !== port).map(one => `http://localhost:${one}`);
  return [];
};
const signsIn = (process.env.MCP_CONFORMANCE_SCENARIO ?? '').startsWith('auth/'), [issuer] = signsIn ? others() : [];
const { client_id = 'somebody', client_secret = 'something', private_key_pem } = context;
const oauth = issuer && { issuer, client_id, ...private_key_pem ? { private_key: '${PRIVATE_KEY}' } : { client_secret: '${CLIENT_SECRET}' } };
const file = tempPath('tools.json');
writeFileSync(file, JSON.stringify({ allow: [url, issuer ?? url], mcp: { it: { url, private: true, graphs: ['data_agent'], oauth } } }));
const askd = await startAskd({ mock: { url: `http://127.0.0.1:${model.address().port}` },
  env: { ASKD_TOOLS: file, ...oauth && { CLIENT_SECRET: client_secret, PRIVATE_KEY: private_key_pem } } });
const response = await askd.post('/internal/graphs/data_agent/stream', question('conform', newConversation(), { detail: 'nodes' }));
console.log(await response.text());
if (process.env.MCP_CLIENT_LOG) // the suite shows what its client says only when that fails
  appendFileSync(process.env.MCP_CLIENT_LOG, askd.child.stderr);
process.exit(0);
