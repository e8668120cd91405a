// SPDX-License-Identifier: MIT
// tests/node/analyst.test.mjs - the analyst in a server that runs: the sample's reports without a model, its
// charts drawn by Chart.js in Chromium (CHARTS_FOLDER gets the pictures), and a model that takes every branch.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { askdCommand, newConversation, question, sourceDir, startAskd, startMock } from './lib/harness.mjs';
import { findChromium, runInPage } from './lib/chromium.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const graph = { graph: 'analyst' };
const folder = mkdtempSync(join(tmpdir(), 'askd-analyst-'));
after(() => rmSync(folder, { recursive: true, force: true }));

// Stores of their own, with what is at path in them.
let places = 0;
const fill = async path => {
  const store = join(folder, `store-${++places}.db`);
  const env = { ASKD_VECTOR_URL: `sqlite:${store}`, ASKD_KEYWORD_URL: `sqlite:${store}` };
  const added = await askdCommand(['docs', 'add', '--kind', 'financial', path], { env: { ...env, ASKD_MODEL: 'offline' } });
  assert.equal(added.code, 0, added.stdout + added.stderr);
  return env;
};

// ---- what is asked without a model ----

const asked = [
  { name: 'growth', question: "How did Northbeam's revenue grow from 2022 to 2024?",
    says: /^Northbeam Instruments' revenue grew by 27\.32% from 2022 to 2024, from \$820 million to \$1,044 million \[\d+, \d+\]\./,
    formula: '$$\\frac{1,044 - 820}{820} \\times 100\\% = 27.32\\%$$',
    chart: { type: 'line', title: 'Revenue of Northbeam Instruments, 2022 to 2024', labels: ['2022', '2023', '2024'], data: [820, 908, 1044] } },
  { name: 'comparison', question: 'Compare the revenue of Calder Freight and Northbeam in 2024',
    says: /^Calder Freight's revenue was \$2,135 million in 2024, 104\.5% more than the \$1,044 million of Northbeam Instruments \[/,
    formula: '$$\\frac{2,135 - 1,044}{1,044} \\times 100\\% = 104.5\\%$$',
    chart: { type: 'bar', title: 'Revenue in 2024', labels: ['Calder Freight', 'Northbeam Instruments'], data: [2135, 1044] } },
  { name: 'margins', question: 'How did the operating margin of Calder develop from 2022 to 2024?',
    says: /operating margin was 8\.23% in 2023: \$167 million of \$2,029 million/,
    formula: '$$\\frac{167}{2,029} \\times 100\\% = 8.23\\%$$',
    chart: { type: 'line', title: 'Operating income in % of revenue of Calder Freight, 2022 to 2024', labels: ['2022', '2023', '2024'], data: [9.87, 8.23, 9.88] } },
  { name: 'companies', question: 'Which company had the highest free cash flow in 2024?',
    says: /^Northbeam Instruments' free cash flow was the highest in 2024/,
    chart: { type: 'bar', title: 'Free cash flow in 2024', labels: ['Northbeam Instruments', 'Calder Freight', 'Pellworth Foods', 'Quillon Software'], data: [118, 94, 89, 54] } },
  { name: 'segment', question: "Revenue of Calder's Warehousing in 2024", says: /Warehousing .* was \$418 million in 2024/ },
  { name: 'heads', question: 'headcount of Pellworth at the end of 2024', says: /^Pellworth Foods had 5,390 employees in 2024 \[/ },
  { name: 'quarter', question: 'Revenue of Northbeam in the third quarter of 2024', says: /was \$267 million in Q3 2024/ },
  { name: 'prose', question: 'What revenue does Northbeam expect for 2025?', says: /between \$1,130 million and \$1,180 million/ },
];

const unknown = { question: 'net income of Calder in 2019', says: /^The documents do not say: net income of Calder Freight in 2019\.$/ };

const reports = await startAskd({ env: await fill(join(sourceDir, 'samples/financial')) });
for (const one of asked)
  one.transcript = await reports.ask(one.question, { options: graph });

// ---- what a model says ----

const report = `---
company: Acme
year: 2023
---
# Acme: annual report 2023

Acme's revenue was 100.0 million dollars in 2022 and 120.5 million dollars in 2023.
`;
const reportPath = join(folder, 'acme.md');
writeFileSync(reportPath, report);
const env = await fill(reportPath);

const value = (period, figure) => ({ company: 'Acme', metric: 'revenue', period, value: figure, unit: 'USD million', chunk: 1 });
const analysis = JSON.stringify({ primary_metric: 'revenue', values: [value('2022', '100.0'), value('2023', '120.5')],
  calculations: [{ kind: 'growth', of: [0, 1] }], text: 'It grew by 20.5%.' });
const enough = '{"sufficient":true,"gaps":[]}', lacking = '{"sufficient":false,"gaps":["revenue of 2021"]}';
const good = 'Revenue grew by 20.5% to 120.5 million dollars [1].';
const wrong = 'Revenue grew by 77% [1].';
const summary = 'Asked about so far: how the revenue of Acme grew, which was by 20.5%. SUMMED-UP';

const script = [
  line('judge', lacking, { user: '(always lacking)' }),
  line('judge', enough),
  line('synthesise', wrong, { user: '(twice wrong)', times: 2 }),
  line('synthesise', wrong, { user: '(always wrong)' }),
  line('synthesise', 'Revenue was 120.5 million dollars [9]. It was 100.0 million before [1].', { user: '(invented)', times: 1 }),
  { system: 'You write the final answer', match: 'Question: How did the revenue of Acme grow? (first)', user: '(again)', reply: 'As was said before: 120.5 million dollars [1].' },
  { system: 'You write the final answer', match: 'SUMMED-UP', user: '(remembered)', reply: 'Revenue grew by 20.5%, as the summary says [1].' },
  line('sumUp', summary, { fault: 'rate-20' }),
  line('prepare', '{"companies":["Acme"],"years":[2023],"keywords":["revenue"],"augmented_query":"Acme revenue"}'),
  line('analyse', analysis),
  line('synthesise', good),
];
const modelled = await startAskd({ mock: await startMock(script), env });
// All that starts has started: tests run from here on.

// ---- without a model ----

for (const one of asked)
  test(`${one.name}: said with its sources`, () => {
    const { transcript } = one, complete = transcript.complete();
    assert.match(transcript.text, one.says);
    if (one.formula)
      assert.ok(transcript.text.includes(one.formula), transcript.text);
    assert.ok(complete.citations.length > 0, 'no source');
    assert.deepEqual(complete.quality_errors, []);
    assert.deepEqual(complete.analysis_errors, []);
    for (const { number, document, text } of complete.citations) {
      assert.ok(transcript.text.includes(String(number)));
      assert.ok(readFileSync(join(sourceDir, 'samples/financial', document), 'utf8').includes(text.split('\n').at(-1)));
    }
    const [chart, ...more] = complete.charts;
    assert.equal(more.length, 0);
    assert.equal(Boolean(chart), Boolean(one.chart));
    if (!one.chart)
      return;
    assert.equal(chart.chartjs.type, one.chart.type);
    assert.equal(chart.title, one.chart.title);
    assert.deepEqual(chart.chartjs.data.labels, one.chart.labels);
    assert.deepEqual(chart.chartjs.data.datasets.map(({ data }) => data), [one.chart.data]);
  });

test('what no report says is not said, after three looks', async () => {
  const transcript = await reports.ask(unknown.question, { options: { ...graph, detail: 'nodes' } });
  assert.match(transcript.text, unknown.says);
  assert.equal(transcript.of('retry').length, 3);
  assert.match(transcript.complete().abstained, unknown.says);
  assert.deepEqual(transcript.complete().gaps, ['net income of Calder Freight in 2019']);
  assert.deepEqual(transcript.complete().charts, []);
});

test('Chart.js draws the charts', { skip: !findChromium() && 'no chromium' }, async () => {
  const drawnOnes = asked.filter(one => one.chart);
  const library = readFileSync(createRequire(import.meta.url).resolve('chart.js').replace(/chart\.cjs$/, 'chart.umd.js'), 'utf8');
  const page = readFileSync(join(sourceDir, 'tests/node/lib/charts_page.js'), 'utf8');
  const configs = drawnOnes.map(one => one.transcript.complete().charts[0].chartjs);
  const drawn = await runInPage([library, `const CONFIGS = ${JSON.stringify(configs)};\n${page}`]);
  drawn.forEach((picture, i) => {
    const { name, chart } = drawnOnes[i];
    if (process.env.CHARTS_FOLDER && picture.picture) {
      mkdirSync(process.env.CHARTS_FOLDER, { recursive: true });
      writeFileSync(join(process.env.CHARTS_FOLDER, `analyst-${name}.png`), Buffer.from(picture.picture.split(',')[1], 'base64'));
    }
    assert.deepEqual(picture.complaints, [], name);
    assert.ok(picture.painted > 0.01, `${name}: only ${picture.painted} is painted`);
    const axis = configs[i].options.indexAxis === 'y' ? 'x' : 'y';
    const scale = picture.scales.find(({ id }) => id === axis);
    const [low, high] = axis === 'x' ? [scale.left, scale.right] : [scale.bottom, scale.top];
    picture.datasets[0].elements.forEach((element, k) => {
      const value = scale.min + (element[axis] - low) / (high - low) * (scale.max - scale.min);
      assert.ok(Math.abs(value - chart.data[k]) <= (scale.max - scale.min) / 400, `${name}: ${chart.labels[k]} is drawn at ${value}`);
    });
  });
});

// ---- with a model ----

// Everybody asks once, unless who asks is said: what was said before stands in prompts.
let people = 0;
const ask = (words, more = {}) =>
  modelled.ask(`How did the revenue of Acme grow? ${words}`, { options: { ...graph, detail: 'nodes' },
    conversation: { ...newConversation(), user_id: `user-${++people}` }, ...more });

const branches = [
  { name: 'all well', words: '', retries: [], valid: true },
  { name: 'never enough, and nothing more to find', words: '(always lacking)', retries: ['refinement'], valid: true, gaps: ['revenue of 2021'] },
  { name: 'wrong twice, then right', words: '(twice wrong)', retries: ['self_heal', 'self_heal'], valid: true },
  { name: 'never right', words: '(always wrong)', retries: ['self_heal', 'self_heal'], valid: false, says: wrong },
  { name: 'a source made up', words: '(invented)', retries: ['self_heal'], valid: true },
];

for (const { name, words, retries, valid, gaps, says } of branches)
  test(name, async () => {
    const transcript = await ask(words), complete = transcript.complete();
    assert.deepEqual(transcript.of('retry').map(event => event.budget ?? event.name ?? event.node), retries);
    assert.equal(transcript.text, says ?? good);
    assert.equal(complete.quality_errors.length > 0, !valid, JSON.stringify(complete.quality_errors));
    assert.deepEqual(complete.gaps, gaps);
    assert.deepEqual(complete.citations.map(({ document }) => document), ['acme.md']);
    assert.equal(complete.analysis.calculations[0].result, '20.5%');
    assert.deepEqual(complete.charts.map(({ chartjs }) => chartjs.data.datasets[0].data), [[100, 120.5]]);
    assert.deepEqual(transcript.of('tool_start').map(({ tool }) => tool), ['retrieval', 'analysis', 'generation']);
  });

test('another conversation remembers', async () => {
  const conversation = () => ({ ...newConversation(), user_id: 'user-first' });
  await ask('(first)', { conversation: conversation() });
  await until('nothing goes on in the background', async () => (await modelled.metric('askd_runs_active')) === 0);
  assert.match((await ask('(again)', { conversation: conversation() })).text, /^As was said before/);
});

test('a long conversation is summed up, and nobody waits for that', async () => {
  const conversation = { ...newConversation(), user_id: 'user-long' };
  for (let turn = 1; turn <= 12; turn++) // the twelfth while the eleventh is being summed up
    assert.equal((await ask(`(turn ${turn})`, { conversation })).text, good, `turn ${turn}`);
  await until('nothing goes on in the background', async () => (await modelled.metric('askd_runs_active')) === 0);
  const later = await ask('(remembered)', { conversation: { ...newConversation(), user_id: 'user-long' } });
  assert.match(later.text, /as the summary says/);
});

test('one store down is a warning, both are retrieval_unavailable', async t => {
  const none = `sqlite:${folder}`; // no database
  const mock = await startMock(script);
  const half = await startAskd({ mock, env: { ...env, ASKD_VECTOR_URL: none }, ready: null });
  t.after(() => half.stop());
  const answer = await half.ask('How did the revenue of Acme grow?', { options: graph });
  assert.equal(answer.text, good);
  assert.match(answer.complete().warnings[0], /Only one of two searches/);
  const neither = await startAskd({ mock, env: { ...env, ASKD_VECTOR_URL: none, ASKD_KEYWORD_URL: none }, ready: null });
  t.after(() => neither.stop());
  const error = await neither.ask('How did the revenue of Acme grow?', { options: graph });
  error.error('retrieval_unavailable');
  const invoked = await neither.post('/internal/graphs/analyst/invoke', question('How did the revenue of Acme grow?'));
  const text = await invoked.text();
  assert.equal(JSON.parse(text).error_code, 'retrieval_unavailable');
  assert.match(JSON.parse(text).error, /documents are unavailable/);
  for (const name of ['"error":', '"error_code":'])
    assert.equal(text.split(name).length, 2, `${name} once`);
});
