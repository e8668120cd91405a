// SPDX-License-Identifier: MIT
// tests/node/charts.test.mjs - charts of real answers, drawn by Chart.js in Chromium: no complaint, not blank,
// and every bar, point and arc where the rows say. CHARTS_FOLDER gets the pictures.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { newConversation, sourceDir, startAskd, startMock } from './lib/harness.mjs';
import { findChromium, runInPage } from './lib/chromium.mjs';
import { line } from './lib/scripts.mjs';

if (!findChromium()) {
  console.log('no chromium');
  process.exit(77);
}

// Questions with the statement a model gives, and what the chart must be.
const asked = [
  { name: 'bar', type: 'bar', question: 'orders by status',
    sql: 'SELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status' },
  { name: 'bar-ordinal', type: 'bar', question: 'open orders by priority', order: ['low', 'medium', 'high', 'urgent'],
    sql: "SELECT priority, COUNT(*) AS orders FROM workOrder WHERE status <> 'completed' GROUP BY priority" },
  { name: 'bar-horizontal', type: 'bar', horizontal: true, question: 'hours by technician',
    sql: 'SELECT e.firstName, e.lastName, SUM(w.hours) AS hours FROM employee e JOIN workTime w ON w.employeeId = e.id GROUP BY e.id, e.firstName, e.lastName' },
  { name: 'bar-top', type: 'bar', horizontal: true, question: 'amounts of all customers', labels: 20, note: /20 largest of 55/,
    sql: 'SELECT c.name, SUM(a.balance) AS balance FROM customers c JOIN accounts a ON a.customer_id = c.id WHERE c.id <= 60 GROUP BY c.id, c.name' },
  { name: 'bar-pair', type: 'bar', question: 'two sums by role',
    sql: "SELECT e.role, MIN(e.hourlyRate) AS min_rate, MAX(e.hourlyRate) AS max_rate FROM employee e GROUP BY e.role" },
  { name: 'bar-grouped', type: 'bar', crossed: true, question: 'results crossed',
    sql: 'SELECT e.lastName, i.result, COUNT(*) AS inspections FROM inspections i JOIN employee e ON e.id = i.inspectorId GROUP BY e.lastName, i.result' },
  { name: 'bar-stacked', type: 'bar', crossed: true, stacked: true, question: 'priorities crossed',
    sql: "SELECT status, priority, COUNT(*) AS orders FROM workOrder WHERE status <> 'completed' GROUP BY status, priority" },
  { name: 'line', type: 'line', question: 'amount per month',
    sql: "SELECT strftime('%Y-%m', created_at) AS month, SUM(amount) AS total_amount FROM transactions GROUP BY month ORDER BY month DESC LIMIT 24" },
  { name: 'line-days', type: 'line', question: 'orders per day',
    sql: "SELECT date(createdAt) AS day, COUNT(*) AS orders FROM workOrder GROUP BY day ORDER BY day LIMIT 90" },
  { name: 'line-axes', type: 'line', question: 'two units per month',
    sql: "SELECT strftime('%Y-%m', created_at) AS month, COUNT(*) AS transactions_count, SUM(amount) AS total_amount FROM transactions GROUP BY month ORDER BY month LIMIT 12" },
  { name: 'line-multi', type: 'line', crossed: true, question: 'types per month',
    sql: "SELECT strftime('%Y-%m', created_at) AS month, type, SUM(amount) AS amount FROM transactions GROUP BY month, type ORDER BY month LIMIT 48" },
  { name: 'line-year', type: 'line', question: 'hires per year',
    sql: "SELECT CAST(strftime('%Y', hireDate) AS INTEGER) AS year, COUNT(*) AS employees FROM employee GROUP BY year" },
  { name: 'pie', type: 'pie', question: 'What share has each transaction type?',
    sql: 'SELECT type, SUM(amount) AS amount FROM transactions GROUP BY type' },
  { name: 'doughnut', type: 'doughnut', question: 'Breakdown of orders that are not done',
    sql: "SELECT status, COUNT(*) AS orders FROM workOrder WHERE status <> 'completed' GROUP BY status" },
  { name: 'scatter', type: 'scatter', question: 'cloud of hours',
    sql: 'SELECT w.estimatedHours, SUM(t.hours) AS hours FROM workOrder w JOIN workTime t ON t.workOrderId = w.id GROUP BY w.id, w.estimatedHours LIMIT 100' },
];

const script = [
  line('tables', '["workOrder", "workTime", "employee", "customers", "accounts", "transactions", "inspections"]'),
  ...asked.map(({ question, sql }) => line('generate', `\`\`\`sql\n${sql}\n\`\`\``, { user: question })),
  line('answer', 'That is what there is.'),
];
const askd = await startAskd({ mock: await startMock(script) });
for (const one of asked) {
  const transcript = await askd.ask(one.question, { conversation: newConversation(), options: { graph: 'sql_agent' } });
  one.complete = transcript.complete();
  one.chart = one.complete.chart;
}

const library = readFileSync(createRequire(import.meta.url).resolve('chart.js').replace(/chart\.cjs$/, 'chart.umd.js'), 'utf8');
const page = readFileSync(join(sourceDir, 'tests/node/lib/charts_page.js'), 'utf8');
const drawAll = configs => runInPage([library, `const CONFIGS = ${JSON.stringify(configs)};\n${page}`]);
const judged = JSON.parse(readFileSync(join(sourceDir, 'tests/unit/charts/configs.json'), 'utf8'));
const all = await drawAll([...asked.map(one => one.chart?.chartjs ?? {}), ...judged.map(one => one.config)]);
const drawn = all.slice(0, asked.length), tried = all.slice(asked.length);

const keep = (name, picture) => {
  if (!process.env.CHARTS_FOLDER || !picture)
    return;
  mkdirSync(process.env.CHARTS_FOLDER, { recursive: true });
  writeFileSync(join(process.env.CHARTS_FOLDER, `${name}.png`), Buffer.from(picture.split(',')[1], 'base64'));
};
asked.forEach((one, i) => keep(one.name, drawn[i].picture));

// What an element's place on its scale says, by the scale's ends alone.
const valueAt = (scale, pixel) => scale.axis === 'x'
  ? scale.min + (pixel - scale.left) / (scale.right - scale.left) * (scale.max - scale.min)
  : scale.min + (scale.bottom - pixel) / (scale.bottom - scale.top) * (scale.max - scale.min);
const near = (got, want, scale, what) =>
  assert.ok(Math.abs(got - want) <= (scale.max - scale.min) / 400, `${what}: drawn at ${got}, the rows say ${want}`);

const people = ['firstName', 'lastName'];
// The rows as [label, series, value], as a reader of them would say.
const facts = ({ complete: { data }, crossed }) => data.rows.flatMap(row => {
  const joined = data.columns[0] === people[0] && data.columns[1] === people[1];
  const [label, ...rest] = joined ? [`${row[0]} ${row[1]}`, ...row.slice(2)] : row;
  if (crossed)
    return [[String(label), rest[0], rest[1]]];
  return rest.map((value, i) => [String(label), data.columns[data.columns.length - rest.length + i], value]);
});

const humanise = name => {
  const words = name.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words[0].toUpperCase() + words.slice(1);
};

const checkRound = (one, picture) => {
  const sum = facts(one).reduce((total, [, , value]) => total + value, 0);
  const { labels } = one.chart.chartjs.data;
  for (const [label, , value] of facts(one)) {
    const arc = picture.datasets[0].elements[labels.indexOf(label)];
    assert.ok(Math.abs(arc.circumference / (2 * Math.PI) - value / sum) < 1e-6, label);
  }
};

const checkCloud = (one, picture) => {
  const [x, y] = ['x', 'y'].map(axis => picture.scales.find(scale => scale.axis === axis));
  one.complete.data.rows.forEach((row, i) => {
    const point = picture.datasets[0].elements[i];
    near(valueAt(x, point.x), row[0], x, `x of row ${i}`);
    near(valueAt(y, point.y), row[1], y, `y of row ${i}`);
  });
};

const checkPlaces = (one, picture) => {
  const { labels } = one.chart.chartjs.data;
  const axis = one.horizontal ? 'x' : 'y';
  let found = 0;
  for (const [label, series, value] of facts(one)) {
    const at = labels.indexOf(label);
    if (at < 0 && one.labels)
      continue; // not among the largest
    assert.ok(at >= 0, `${label} is no label`);
    const name = one.crossed ? series : humanise(series);
    const dataset = picture.datasets.find(({ label }) => label === name);
    assert.ok(dataset, `no dataset ${name}`);
    const scale = picture.scales.find(({ id }) => id === dataset[`${axis}AxisID`]);
    const element = dataset.elements[at];
    const drawnValue = valueAt(scale, element[axis]) - (one.stacked ? valueAt(scale, element.base) : 0);
    near(drawnValue, value, scale, `${label}, ${name}`);
    found++;
  }
  const drawnCount = picture.datasets.flatMap(({ elements }) => elements)
    .filter(element => !element.skip && Number.isFinite(element[axis])).length;
  assert.ok(found > 0 && (one.labels || drawnCount <= one.chart.chartjs.data.datasets.length * labels.length));
};

asked.forEach((one, i) => test(`${one.name}: drawn as the rows say`, () => {
  const { chart } = one, picture = drawn[i];
  assert.ok(one.complete.data.rows.length > 0, JSON.stringify(one.complete));
  assert.equal(chart?.type, one.type, JSON.stringify(chart));
  assert.ok(chart.title, 'a title');
  assert.equal(chart.chartjs.type, one.type);
  assert.deepEqual(picture.complaints, [], 'Chart.js complains');
  assert.ok(picture.painted > 0.01, `only ${picture.painted} is painted`);
  assert.equal(chart.orientation, one.horizontal ? 'horizontal' : undefined);
  assert.equal(Boolean(chart.stacked), Boolean(one.stacked));
  if (one.note)
    assert.match(chart.note, one.note);
  if (one.labels)
    assert.equal(chart.chartjs.data.labels.length, one.labels);
  if (one.order)
    assert.deepEqual(chart.chartjs.data.labels, one.order);
  if (one.type === 'line')
    assert.deepEqual(chart.chartjs.data.labels, [...chart.chartjs.data.labels].sort(), 'in time');
  (one.type === 'scatter' ? checkCloud : one.type === 'pie' || one.type === 'doughnut' ? checkRound : checkPlaces)(one, picture);
}));

// What the check of agents/charts says of a configuration (tests/unit/charts/test_check.c), beside what Chart.js does.
judged.forEach(({ name, error, complains }, i) => test(`${error ? 'refused' : 'accepted'}: ${name}`, () => {
  const { complaints, painted = 0 } = tried[i];
  if (!error)
    assert.ok(complaints.length === 0 && painted > 0.005, `${complaints.join('; ')}, ${painted} is painted`);
  if (complains)
    assert.notDeepEqual(complaints, [], 'Chart.js does not mind');
}));
