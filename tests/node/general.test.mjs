// SPDX-License-Identifier: MIT
// tests/node/general.test.mjs - the general agent is told who it is and what can be asked here.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { sourceDir, startAskd, startMock } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';

const said = [
  ['who it is', 'You are askd'],
  ['what the data is about', 'work orders'],
  ['a question for example', 'Questions for example: "'],
  ['what it cannot do', 'You have no access to live data'],
];

const mock = await startMock([
  line('classify', 'GENERAL'),
  ...said.map(([name, part]) => ({ system: part, user: name, reply: `Told ${name}.` })),
  line('general', 'Not told.'),
]);
const askd = await startAskd({ mock, env: { ASKD_SEMANTIC: join(sourceDir, 'samples/semantic.json') } });

for (const [name] of said)
  test(`it is told ${name}`, async () => {
    const transcript = await askd.ask(`Who are you? ${name}`);
    assert.equal(transcript.text, `Told ${name}.`);
    assert.equal(transcript.complete().stats.llm_calls, 2);
  });
