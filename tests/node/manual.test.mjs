// SPDX-License-Identifier: MIT
// tests/node/manual.test.mjs - the sample documents are found by questions in users' own words.
//
// tests/search/*.jsonl hold questions and the section that answers each. All are asked in one go of
// `askd docs search --jsonl` over a store of its own, with the embedded default: hashed vectors and
// FTS5, nothing else. The bars are a little below what was measured, which stands beside each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askdCommand } from './lib/harness.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const lines = text => text.trimEnd().split('\n').filter(Boolean).map(one => JSON.parse(one));
const questionsOf = name => readFileSync(join(root, 'tests/search', name), 'utf8');
const shown = measured => Object.entries(measured).map(([k, share]) => `@${k} ${share.toFixed(3)}`).join(', ');

/** A store of its own and askd docs over it. */
function makeStore(t) {
  const folder = mkdtempSync(join(tmpdir(), 'askd-manual-'));
  const store = join(folder, 'store.db');
  const env = {
    ASKD_MODEL: 'offline', ASKD_VECTOR_URL: `sqlite:${store}`, ASKD_KEYWORD_URL: `sqlite:${store}`,
    ASKD_DOCUMENTS_LEDGER: store,
  };
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return async (args, input) => {
    const result = await askdCommand(['docs', ...args], { env, input });
    assert.equal(result.code, 0, result.stderr || result.stdout);
    return lines(result.stdout);
  };
}

const headingOf = hit => hit.heading.split(' > ').at(-1);
const isRight = (question, hit) => [question, ...question.also ?? []].some(
  one => one.document === hit.document && (one.heading === undefined || one.heading === headingOf(hit)));

/** The share of questions whose section is among the first 1, 3 and 5; what is missed is told. */
function measure(t, questions, answers) {
  const found = { 1: 0, 3: 0, 5: 0 };
  questions.forEach((question, i) => {
    assert.equal(answers[i].id, question.id);
    const rank = answers[i].hits.findIndex(hit => isRight(question, hit)) + 1;
    for (const k of Object.keys(found)) found[k] += rank > 0 && rank <= k ? 1 / questions.length : 0;
    if (rank === 0) t.diagnostic(`not found: ${question.question} (${question.document}, ${question.heading})`);
  });
  t.diagnostic(`${questions.length} questions: ${shown(found)}`);
  return found;
}

/** Every section named exists: a heading that was reworded fails here, not as a lower share. */
function checkSections(folder, questions) {
  for (const question of questions)
    for (const { document, heading } of [question, ...question.also ?? []]) {
      const headings = readFileSync(join(root, folder, document), 'utf8').match(/^#+ .*$/gm)
        .map(one => one.replace(/^#+ /, ''));
      assert.ok(heading === undefined || headings.includes(heading), `${document} has no section '${heading}'`);
    }
}

test('the user manual', async t => {
  const askd = makeStore(t);
  const text = questionsOf('manual_questions.jsonl');
  const questions = lines(text);
  checkSections('samples/manual', questions);
  const added = await askd(['add', join(root, 'samples/manual')]);
  assert.ok(added.at(-1).added >= 13 && added.at(-1).failed === 0);
  const found = measure(t, questions, await askd(['search', '--jsonl', '--top', '5'], text));
  // measured: @1 0.533, @3 0.762, @5 0.838
  assert.ok(found[5] >= 0.81, `recall ${shown(found)}`);
  assert.ok(found[1] >= 0.50, `recall ${shown(found)}`);
});
