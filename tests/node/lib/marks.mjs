// SPDX-License-Identifier: MIT
// tests/node/lib/marks.mjs - the checkpoints of a run in a store of SQLite, which are written behind its events.
import { DatabaseSync } from 'node:sqlite';
import { until } from './process.mjs';

// Wait until the checkpoints of the run have every one of the texts; without texts, until there is one.
export const untilMarked = (path, run, ...texts) => until(`a checkpoint of ${run} has ${texts}`, () => {
  const store = new DatabaseSync(path, { readOnly: true, timeout: 60000 });
  try {
    const marks = store.prepare('SELECT bytes FROM marks WHERE run_id = CAST(? AS TEXT)').all(run);
    const all = Buffer.concat(marks.map(({ bytes }) => bytes));
    return marks.length > 0 && texts.every(text => all.includes(text));
  } finally {
    store.close();
  }
});
