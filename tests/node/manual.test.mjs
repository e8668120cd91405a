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
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { askdCommand, sampleDatabase, sourceDir as root } from './lib/harness.mjs';

const lines = text => text.trimEnd().split('\n').filter(Boolean).map(one => JSON.parse(one));
const questionsOf = name => readFileSync(join(root, 'tests/search', name), 'utf8');
const shown = measured => Object.entries(measured).map(([k, share]) => `@${k} ${share.toFixed(3)}`).join(', ');

/** A store of its own and askd docs over it. */
function makeStore(t) {
  const folder = mkdtempSync(join(tmpdir(), 'askd-manual-'));
  const store = join(folder, 'store.db');
  const env = {
    ASKD_MODEL: 'offline', ASKD_VECTOR_URL: `sqlite:${store}`, ASKD_KEYWORD_URL: `sqlite:${store}`,
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
  const added = await askd(['add', join(root, 'samples/manual')]);
  assert.ok(added.at(-1).added >= 13 && added.at(-1).failed === 0);
  // The manual was written over with the first file's misses in view; the second file was asked only
  // afterwards, and nothing was changed for it but how rankings are fused. The third was written from
  // the headings alone, in words the manual does not use, and asked once: what hashed words cannot find.
  const bars = [
    ['manual_questions.jsonl', { 1: 0.76, 5: 0.97 }], // measured: @1 0.810, @3 0.952, @5 1.000
    ['manual_questions_unseen.jsonl', { 1: 0.56, 5: 0.84 }], // measured: @1 0.620, @3 0.880, @5 0.880
    ['manual_questions_aside.jsonl', { 1: 0.28, 5: 0.46 }], // measured: @1 0.338, @3 0.446, @5 0.523
  ];
  for (const [name, least] of bars) {
    const text = questionsOf(name), questions = lines(text);
    checkSections('samples/manual', questions);
    const found = measure(t, questions, await askd(['search', '--jsonl', '--top', '5'], text));
    for (const [k, share] of Object.entries(least))
      assert.ok(found[k] >= share, `${name}: ${shown(found)}; expected @${k} ${share}`);
  }
});

// The engine without a model answers in the manual's own sentences, or says that the documents do not
// say. The first 28 questions were written from the headings and looked at while this was made, the
// others were asked once, afterwards. Before headings and ways of asking were weighed, 10 of the
// first 20 and 5 of the other 12 were right.
test('what the engine answers without a model, and what it does not', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'askd-answers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const store = `sqlite:${join(folder, 'store.db')}`;
  const env = { ASKD_MODEL: 'offline', ASKD_VECTOR_URL: store, ASKD_KEYWORD_URL: store, ASKD_CHECKPOINT_URL: 'none' };
  assert.equal((await askdCommand(['docs', 'add', join(root, 'samples/manual')], { env })).code, 0);
  const input = questionsOf('manual_answers.jsonl'), questions = lines(input);
  const answered = lines((await askdCommand(['ask', '--jsonl', '--graph', 'rag_agent'], { env, input })).stdout);
  const right = { told: 0, kept: 0 }, all = { told: 0, kept: 0 };
  questions.forEach(({ id, question, says }, i) => {
    assert.equal(answered[i].id, id);
    const kind = says === null ? 'kept' : 'told';
    const is = answered[i].answer.includes(says ?? 'The documents do not say');
    right[kind] += is;
    all[kind]++;
    if (!is) t.diagnostic(`${question} -> ${answered[i].answer}`);
  });
  t.diagnostic(`right: ${right.told} of ${all.told} answers, ${right.kept} of ${all.kept} refusals`);
  // measured: 30 of 32, 10 of 12
  assert.ok(right.told >= all.told - 3 && right.kept >= all.kept - 2, JSON.stringify(right));
});

test('the financial documents', async t => {
  const askd = makeStore(t);
  const text = questionsOf('financial_questions.jsonl'), questions = lines(text);
  checkSections('samples/financial', questions);
  const added = await askd(['add', '--kind', 'financial', join(root, 'samples/financial')]);
  assert.ok(added.at(-1).added >= 20 && added.at(-1).failed === 0);
  const found = measure(t, questions,
    await askd(['search', '--kind', 'financial', '--jsonl', '--top', '5'], text));
  // measured, of 32 questions, ten of them with filters: @1 26, @3 29, @5 32
  assert.ok(found[5] >= 0.9 && found[1] >= 0.7, shown(found));

  // what filters name is all there is, also where another document fits the words better
  for (const [filters, fits] of [
    [{ company: 'Quillon Software', year: 2024 }, name => name.startsWith('quillon-2024-')],
    [{ year: ['2022', '2023'], document_type: 'annual_report' }, name => /-202[23]-annual/.test(name)],
    [{ quarter: 'Q3' }, name => name === 'northbeam-2024-q3.md'],
    [{ year: 1999 }, () => false],
    [{ year: [] }, () => false],
  ]) {
    const line = JSON.stringify({ id: 1, question: "Northbeam's revenue in 2024 and its grid contract", filters });
    const [{ hits }] = await askd(['search', '--kind', 'financial', '--jsonl', '--top', '50'], `${line}\n`);
    assert.ok(hits.every(hit => fits(hit.document)), line);
    assert.equal(hits.length > 0, filters.year !== 1999 && filters.year?.length !== 0, line);
  }
});

test('the SQL pairs run on the sample database, and the terms name what is in it', async t => {
  const askd = makeStore(t);
  const database = await sampleDatabase();
  const sqlite = (file, ...args) => execFileSync('sqlite3', [file, ...args], { encoding: 'utf8' });
  const pairs = JSON.parse(sqlite(':memory:', '.mode csv', `.import ${join(root, 'samples/sql_pairs.csv')} pairs`,
    '.mode json', 'SELECT * FROM pairs'));
  assert.equal(pairs.length, 20);
  for (const { question, sql, explanation } of pairs) {
    assert.ok(sqlite(database, '-readonly', '-json', sql).length > 0, `no rows: ${sql}`);
    assert.ok(question && explanation);
  }
  const checked = await askdCommand(['sql', 'check', '--jsonl', '--db', `sqlite:${database}`], {
    env: { ASKD_MODEL: 'offline' },
    input: pairs.map(({ sql }, id) => `${JSON.stringify({ id, sql })}\n`).join(''),
  });
  for (const answer of lines(checked.stdout))
    assert.equal(answer.verdict, 'accept', `${pairs[answer.id].sql}: ${answer.reason}`);

  const terms = JSON.parse(readFileSync(join(root, 'samples/terms.json'), 'utf8'));
  assert.equal(terms.length, 20);
  for (const { table, column } of terms)
    assert.match(sqlite(database, `SELECT count(*) FROM pragma_table_info('${table}') WHERE name = '${column}'`), /^1$/m);

  await askd(['add', '--kind', 'sql-pairs', join(root, 'samples/sql_pairs.csv')]);
  await askd(['add', '--kind', 'metadata', join(root, 'samples/terms.json')]);
  for (const [kind, question, text] of [
    ['sql-pairs', 'number of technicans who are active', /^How many technicians are active/],
    ['sql-pairs', 'orders by status', /^How many work orders are there per status/],
    ['metadata', 'who is the foreman of a crew?', /isLead = 1/],
    ['metadata', 'pass rate of inspections', /70 or more/],
  ]) {
    const [{ hits }] = await askd(['search', '--kind', kind, '--jsonl'], `${JSON.stringify({ id: 1, question })}\n`);
    assert.match(hits[0].text, text, question);
  }
});
