// SPDX-License-Identifier: MIT
// tests/node/lib/mcp_client.mjs URL - askd as a client of the MCP server at URL, for the conformance package: a model
// that calls each tool of the server once, then answers.
import { writeFileSync } from 'node:fs';
import { newConversation, question, startAskd, startMock, tempPath } from './harness.mjs';

const url = process.argv.at(-1).replace(/\/$/, '');
const call = (name, args = {}) => ({ name, arguments: args });
const mock = await startMock([
  { user: 'conform', result: '.', reply: 'done' },
  { user: 'conform', calls: [call('it_add_numbers', { a: 5, b: 3 }), call('it_test_reconnection')] },
  { match: '', reply: 'done' },
]);
const file = tempPath('tools.json');
writeFileSync(file, JSON.stringify({ allow: [url], mcp: { it: { url, private: true, graphs: ['data_agent'] } } }));
const askd = await startAskd({ mock, env: { ASKD_TOOLS: file } });
const response = await askd.post('/internal/graphs/data_agent/stream', question('conform', newConversation(), { detail: 'nodes' }));
console.log(await response.text());
process.exit(0);
