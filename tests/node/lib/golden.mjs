// SPDX-License-Identifier: MIT
// tests/node/lib/golden.mjs - transcripts against tests/flow/golden/NAME.txt; UPDATE_GOLDEN=1 writes them.
//
// One event a line, "<id> <json>"; tokens of one channel in a row are one line with the range of
// their ids. Ids of runs and conversations are named, times are zero, the first token's time is left out.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceDir } from './harness.mjs';

const folder = join(sourceDir, 'tests/flow/golden');
const TIMES = ['duration_ms', 'ms', 'execution_time_seconds', 'elapsed_ms'];

const settle = (key, value) =>
  key === 'ttft_ms' ? undefined
    : key === 'run_id' ? 'RUN'
      : key === 'conversation_id' || key === 'session_id' ? 'CONVERSATION'
        : TIMES.includes(key) && typeof value === 'number' ? 0 : value;

export const settled = value => JSON.parse(JSON.stringify(value, settle));

export const describe = transcript => {
  const lines = [];
  transcript.events.forEach((event, i) => {
    const last = lines.at(-1);
    const joins = event.event === 'token' && last?.event.event === 'token' &&
      last.event.channel === event.channel && last.event.attempt === event.attempt && !event.reset;
    if (joins) {
      last.to = i + 1;
      last.event.content += event.content;
    } else {
      lines.push({ from: i + 1, to: i + 1, event: settled(event) });
    }
  });
  return lines.map(({ from, to, event }) =>
    `${from === to ? from : `${from}-${to}`} ${JSON.stringify(event)}\n`).join('');
};

export const assertGolden = (name, text) => {
  const path = join(folder, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
  }
  assert.ok(existsSync(path), `${path} is missing; it would be:\n${text}`);
  assert.equal(text, readFileSync(path, 'utf8'), `tests/flow/golden/${name}.txt`);
};
