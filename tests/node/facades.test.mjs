// SPDX-License-Identifier: MIT
// tests/node/facades.test.mjs - the programs of docs/facades.md run as they are written.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sourceDir, startAskd, tempPath } from './lib/harness.mjs';
import { environment, run } from './lib/process.mjs';

const page = readFileSync(join(sourceDir, 'docs/facades.md'), 'utf8');
const programs = [...page.matchAll(/^## (.*)\n(?:(?!^## )[^])*?^```js\n([^]*?)^```/gm)].map(([, name, text]) => ({ name, text }));
const askd = await startAskd({ env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const folder = tempPath('programs');
mkdirSync(folder);
symlinkSync(join(sourceDir, 'tests/node/node_modules'), join(folder, 'node_modules'));

test('there is one per client', () => assert.deepEqual(programs.map(one => one.name), ['OpenAI Chat Completions', 'OpenAI Responses', 'AI SDK', 'AG-UI', 'LangGraph SDK', 'Model Context Protocol']));

const expected = [/\d+[^]*SELECT/, /\d+[^]*\ncompleted\n/, /\d+[^]*SELECT[^]*\nnull\n/,
  /\d+[^]*\nSELECT/, /\d+[^]*\nSELECT[^]*\n2\n/, /\d+[^]*\nSELECT[^]*\n\[\[1\]\]\n/];
programs.forEach(({ name, text }, i) => test(name, async () => {
  const path = join(folder, `program${i}.mjs`);
  writeFileSync(path, text.replaceAll('http://localhost:8080', askd.url));
  const { code, stdout, stderr } = await run(process.execPath, [path], { cwd: folder, env: environment({}) });
  assert.equal(code, 0, stderr);
  assert.match(stdout, expected[i]);
}));
