// SPDX-License-Identifier: MIT
// tests/node/page_look.test.mjs - what the page at / shows of an answer: rows, charts, SQL, sources; that text
// never becomes markup; and what it weighs, keys alone, colours, small screens, axe-core.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { askdCommand, startAskd, tempPath } from './lib/harness.mjs';
import { assertLooks, assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';
import { PageModel } from './lib/page_model.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const EVIL = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>`;
const MARKDOWN = `# Heading ${EVIL}

Plain **bold** and \`code <b>\` with ${EVIL}
[a](javascript:window.pwned=1) [b](data:text/html,x) [c](https://example.com/ok) ![d](https://example.com/pixel.png)
<javascript:window.pwned=1> [e](JaVaScRiPt:window.pwned=1) [f](vbscript:x) <a href="javascript:window.pwned=1">g</a>

| ${EVIL} | two |
|---|---|
| <svg onload=window.pwned=1> | $x^2$ |

$$ \\frac{a}{b} <img src=x onerror=window.pwned=1> $$
`;

const sql = (user, statement) => [line('classify', 'SQL', { user }), line('generate', `\`\`\`sql\n${statement}\n\`\`\``, { user })];
const ROWS = "SELECT id, title, status, completedAt FROM workOrder WHERE id <= 40";
const charts = {
  bar: 'SELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status',
  line: "SELECT strftime('%Y-%m', created_at) AS month, SUM(amount) AS total_amount FROM transactions GROUP BY month ORDER BY month LIMIT 12",
  pie: 'SELECT type, SUM(amount) AS amount FROM transactions GROUP BY type',
  doughnut: "SELECT status, COUNT(*) AS orders FROM workOrder WHERE status <> 'completed' GROUP BY status",
  metric: 'SELECT COUNT(*) AS orders FROM workOrder',
  scatter: 'SELECT w.estimatedHours, SUM(t.hours) AS hours FROM workOrder w JOIN workTime t ON t.workOrderId = w.id GROUP BY w.id, w.estimatedHours LIMIT 100',
};
const QUESTIONS = { bar: 'draw orders by status', line: 'draw amount per month', pie: 'What share has each type?',
  doughnut: 'Breakdown of open ones', metric: 'draw one number', scatter: 'draw a cloud' };

const model = await new PageModel([
  ...Object.entries(charts).flatMap(([type, statement]) => sql(QUESTIONS[type], statement)),
  ...sql('list rows', ROWS),
  ...sql('evil rows', `SELECT id, '${EVIL}' AS title, '=1+1' AS status FROM workOrder WHERE id = 1`),
  line('tables', '["workOrder", "workTime", "transactions"]'),
  line('answer', 'That is what there is.'),
  line('classify', 'RAG', { user: 'How is overtime paid?' }),
  line('rag', 'Overtime is paid at one and a half times the hourly rate. [1] And nothing else. [7]'),
  line('classify', 'GENERAL'),
  line('general', MARKDOWN),
]).start();
after(() => model.stop());

const addManual = async () => {
  const store = tempPath('documents.db');
  const env = { ASKD_VECTOR_URL: `sqlite:${store}`, ASKD_KEYWORD_URL: `sqlite:${store}` };
  mkdirSync(tempPath('docs'));
  writeFileSync(tempPath('docs/manual.md'), `# Manual\n\n## Overtime\n\nOvertime is paid at one and a half times the hourly rate. \`${EVIL}\`\n`);
  const added = await askdCommand(['docs', 'add', tempPath('docs/manual.md')], { env: { ...env, ASKD_MODEL: 'offline' } });
  assert.equal(added.code, 0, added.stdout + added.stderr);
  return env;
};

const askd = await startAskd({ mock: model, env: { ASKD_PAGE_COMPANY_ID: 'acme', ...await addManual() } });
const open = options => Page.open(askd.url, options);

const assertHarmless = async page => {
  assert.equal(await page.page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.find('#turns :is(img, script, iframe, object, [onerror], [onload])').count(), 0);
  const links = await page.find('#turns a').evaluateAll(list => list.map(link => link.href));
  assert.ok(links.every(href => /^https:\/\/example\.com\//.test(href)), links.join(' '));
};

test('Markdown of a model is shown, and what hides in it is text', async () => {
  const page = await open();
  await page.ask('something general');
  await assertHarmless(page);
  const answer = await page.answer();
  assert.ok(answer.includes(EVIL) && answer.includes('\\frac{a}{b}'), answer);
  assert.equal(await page.turn.locator('.markdown h3').count(), 1);
  assert.equal(await page.turn.locator('.markdown table tbody tr').count(), 1);
  assert.equal(await page.turn.locator('.markdown a').count(), 2, 'only what is safe is a link');
  await page.page.reload();
  await page.comesTo('done');
  await assertHarmless(page);
  await page.close();
});

const column = (page, i) => page.turn.locator(`tbody tr td:nth-child(${i})`).allInnerTexts();

test('rows sort both ways and back, what is missing last; CSV says the same', async () => {
  const page = await open();
  await page.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: askd.url });
  await page.ask('list rows');
  await page.tab('Rows').click();
  const ids = await column(page, 1), heads = page.turn.locator('thead th');
  assert.equal(ids.length, 40);
  const sortBy = name => page.turn.locator(`th[data-column="${name}"] .sort`).click();
  await sortBy('id');
  await sortBy('id');
  assert.equal(await heads.nth(0).getAttribute('aria-sort'), 'descending');
  assert.deepEqual(await column(page, 1), Array.from({ length: 40 }, (_, i) => String(40 - i)), 'by number, not by letter');
  await page.turn.getByRole('button', { name: 'Copy CSV' }).click();
  await page.turn.getByText('Copied').waitFor();
  const csv = await page.page.evaluate(() => navigator.clipboard.readText());
  assert.deepEqual(csv.trim().split('\r\n').map(row => row.split(',')[0]), ['id', ...await column(page, 1)]);
  for (let times = 0; times < 2; times++) {
    await sortBy('completedAt');
    const dates = await column(page, 4), missing = dates.filter(text => text === '–').length;
    const known = dates.slice(0, dates.length - missing).map(text => Date.parse(text));
    assert.ok(known.every(Number.isFinite), dates.join());
    assert.deepEqual(known, [...known].sort((a, b) => times ? b - a : a - b));
    assert.ok(dates.slice(-missing).every(text => text === '–'));
  }
  await sortBy('completedAt');
  assert.deepEqual(await column(page, 1), ids, 'as they came');
  await page.close();
});

test('SQL is in colours and in lines, and copied as it ran; evil rows and sources are text', async () => {
  const page = await open();
  await page.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: askd.url });
  await page.ask('evil rows');
  await page.tab('Rows').click();
  assert.deepEqual(await column(page, 2), [EVIL]);
  await page.turn.getByRole('button', { name: 'Copy CSV' }).click();
  await page.turn.getByText('Copied').waitFor();
  const csv = await page.page.evaluate(() => navigator.clipboard.readText());
  assert.ok(csv.includes(`"${EVIL.replaceAll('"', '""')}",'=1+1`), csv);
  await page.tab('SQL').click();
  assert.ok(await page.turn.locator('.sql-word', { hasText: 'SELECT' }).count() > 0);
  assert.ok((await page.turn.locator('.sql-text').allInnerTexts()).includes(`'${EVIL}'`));
  const shown = await page.turn.locator('pre.sql').innerText();
  await page.turn.getByRole('button', { name: 'Copy SQL' }).click();
  const ran = await until('the statement is copied', async () => {
    const text = await page.page.evaluate(() => navigator.clipboard.readText());
    return text.startsWith('SELECT') && text;
  });
  assert.equal(shown.replace(/\s+/g, ''), ran.replace(/\s+/g, ''));
  assert.ok(shown.split('\n').length > 3, shown);
  await assertHarmless(page);
  await page.close();
});

test('citations open their passage; one that is not there is text', async () => {
  const page = await open();
  await page.ask('How is overtime paid?');
  assert.match(await page.answer(), /rate\.\s*1\s*And nothing else\. \[7\]/);
  await page.turn.getByRole('button', { name: 'Source 1: Manual > Overtime' }).first().click();
  const dialog = page.find('#passage[open]');
  await dialog.waitFor();
  const text = await dialog.innerText();
  assert.ok(text.includes('Overtime is paid') && text.includes(EVIL), text);
  assert.equal(await dialog.locator('img, script').count(), 0);
  await assertLooksEverywhere(page, 'passage');
  await page.page.keyboard.press('Escape');
  await page.find('#passage:not([open])').waitFor({ state: 'attached' });
  await assertHarmless(page);
  await page.close();
});

// Marks of a chart, by what they say.
const marks = async page => (await page.turn.locator('.chart .mark').evaluateAll(list => list.map(mark => mark.dataset.said))).map(text => text.split(', '));
const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const rowsOf = page => page.page.evaluate(() => {
  const [key] = Object.keys(localStorage).filter(name => name.startsWith('askd.conversation.'));
  return JSON.parse(localStorage.getItem(key)).turns.at(-1).data.rows;
});

for (const type of ['bar', 'line', 'pie', 'doughnut', 'scatter', 'metric']) {
  test(`a ${type} chart says what the rows say`, async () => {
    const page = await open();
    await page.ask(QUESTIONS[type]);
    const rows = await rowsOf(page);
    await page.turn.locator(type === 'metric' ? '.metrics dd' : `.chart-${type} .drawing svg`).waitFor();
    if (type === 'metric') {
      assert.equal(await page.turn.locator('.metrics dd').innerText(), numbers.format(rows[0][0]));
    } else if (type === 'scatter') {
      assert.equal((await marks(page)).length, rows.length);
    } else {
      const drawn = new Map((await marks(page)).map(said => [said[0], said]));
      assert.equal(drawn.size, rows.length);
      for (const [label, value] of rows)
        assert.ok(drawn.get(label)?.some(said => Math.abs(Number(said.replaceAll(',', '')) - value) <= Math.abs(value) / 100 + 0.5), `${label} ${value}: ${drawn.get(label)}`);
    }
    await page.close();
  });
}

test('the heights of bars are in proportion', async () => {
  const page = await open();
  await page.ask(QUESTIONS.bar);
  await page.turn.locator('.chart-bar .drawing svg').waitFor();
  const bars = await page.turn.locator('.drawing rect.mark').evaluateAll(list => list.map(bar =>
    [Number(bar.getAttribute('height')), Number(bar.dataset.said.split(', ').at(-1).replaceAll(',', ''))]));
  const [[height, value]] = bars.sort((a, b) => b[1] - a[1]);
  for (const [h, v] of bars)
    assert.ok(Math.abs(h / height - v / value) < 0.01, `${v} is ${h} high`);
  await page.close();
});

test('dark and light: the system’s, then the one chosen, also after a reload', async () => {
  const page = await open({ colorScheme: 'dark' });
  const ground = () => page.page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
  assert.ok(await ground() < 64);
  await page.page.getByRole('button', { name: 'Dark colours' }).click();
  assert.ok(await ground() > 192);
  await page.page.reload();
  await page.greeted();
  assert.ok(await ground() > 192);
  await page.close();
});

for (const [name, options] of Object.entries({
  light: {}, dark: { colorScheme: 'dark' }, narrow: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
})) {
  test(`no violation that axe-core knows of, and nothing beside the screen: ${name}`, async () => {
    const page = await open(options);
    await page.find('#examples button').first().waitFor();
    await assertLooks(page, 'empty');
    await page.ask(QUESTIONS.bar);
    await page.turn.locator('.chart .drawing svg').waitFor();
    await assertLooks(page, 'chart');
    await page.ask('list rows');
    await assertLooks(page, 'rows');
    await page.tab('SQL').click();
    await assertLooks(page, 'SQL');
    await page.ask('something general');
    await page.page.route('**/internal/chat/stream', route => route.fulfill({ status: 503, contentType: 'application/json', body: '{"detail":"full"}' }));
    await page.ask('refused', 'failed');
    await assertLooks(page, 'Markdown and an error');
    if (name === 'narrow') {
      assert.ok(await page.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.getElementById('scroll').scrollWidth <= innerWidth), 'no scrolling sideways');
      await page.find('#toggle-run').click();
      await assertLooks(page, 'run');
      await page.page.keyboard.press('Escape');
      await page.find('#open-drawer').click();
      await assertLooks(page, 'drawer');
      await page.find('#close-drawer').click();
    } else {
      await page.find('#open-settings').click();
      await assertLooks(page, 'settings');
    }
    page.forgive(/503/);
    await page.close();
  });
}

test('what becomes narrow has no drawer that slides away under a click; one that is closed is gone at once', async () => {
  const page = await open(), drawer = page.find('#drawer');
  const state = () => drawer.evaluate(one => ({ sees: getComputedStyle(one).visibility, moves: one.getAnimations().length, isInert: one.inert }));
  await page.page.setViewportSize({ width: 390, height: 844 });
  await page.find('#open-drawer').waitFor();
  await page.find('#run').waitFor({ state: 'hidden' }); // nor does the run lie on what is read
  assert.deepEqual(await state(), { sees: 'hidden', moves: 0, isInert: true });
  await page.find('#open-drawer').click();
  await page.clickInDrawer('#close-drawer');
  assert.deepEqual(await state(), { sees: 'hidden', moves: 0, isInert: true });
  await page.page.setViewportSize({ width: 1440, height: 900 });
  await page.find('#run').waitFor();
  await page.close();
});

test('with keys alone: asked, tabs walked, a source opened and closed, the focus where it was', async () => {
  const page = await open(), { keyboard } = page.page;
  assert.equal(await page.page.evaluate(() => document.activeElement.id), 'question', 'where one begins');
  assert.equal(await page.page.evaluate(() => document.body.querySelector('a, button, input, select, textarea').className), 'skip', 'first of all that Tab reaches');
  await page.find('.skip').focus();
  await keyboard.press('Enter');
  assert.equal(await page.page.evaluate(() => document.activeElement.id), 'question');
  await keyboard.type(QUESTIONS.bar);
  await keyboard.press('Shift+Enter');
  assert.ok((await page.find('#question').inputValue()).endsWith('\n'));
  await keyboard.press('Enter');
  await page.comesTo('done');
  await page.tab('Chart').focus();
  await keyboard.press('ArrowRight');
  assert.equal(await page.tab('Rows').getAttribute('aria-selected'), 'true');
  await keyboard.press('End');
  assert.equal(await page.turn.locator('pre.sql').isVisible(), true);
  await page.ask('How is overtime paid?');
  const cite = page.turn.locator('.cite');
  await cite.focus();
  await keyboard.press('Enter');
  await page.find('#passage[open]').waitFor();
  await keyboard.press('Escape');
  await page.find('#passage:not([open])').waitFor({ state: 'attached' });
  assert.ok(await cite.evaluate(node => node === document.activeElement));
  await page.close();
});

test('weight, first paint, caching, headers', async () => {
  const page = await open();
  const asked = await page.page.evaluate(() => performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
    .map(one => ({ path: new URL(one.name).pathname, bytes: one.decodedBodySize, sent: one.transferSize, start: one.startTime })));
  const files = asked.filter(one => one.path === '/' || one.path.startsWith('/page/'));
  assert.ok(files.length > 20, JSON.stringify(files));
  const sum = name => files.reduce((total, one) => total + one[name], 0);
  // With tables, charts and history that people work in; a photograph weighs more.
  assert.ok(sum('bytes') < 300 * 1024 && sum('bytes') > 20000, `${sum('bytes')} bytes`);
  assert.ok(sum('sent') < 128 * 1024, `${sum('sent')} bytes sent`);
  console.log(`page: ${sum('bytes')} bytes, ${sum('sent')} sent in ${files.length} files`);
  assert.ok(asked.every(one => one.path === '/' || /^\/(page|internal|readyz)/.test(one.path)), 'nothing from elsewhere');
  await page.close();

  const html = await askd.fetch('/');
  assert.match(html.headers.get('content-security-policy'), /default-src 'none'.*trusted-types 'none'/);
  const [script] = /\/page\/[^"]+\/main\.js/.exec(await html.text());
  const whole = await askd.fetch(script, { headers: { 'accept-encoding': 'identity' } });
  assert.match(whole.headers.get('content-type'), /^text\/javascript/);
  assert.match(whole.headers.get('cache-control'), /immutable/);
  const gzip = await askd.fetch(script, { headers: { 'accept-encoding': 'br, gzip;q=0.5' } });
  assert.equal(gzip.headers.get('content-encoding'), 'gzip');
  assert.equal(await gzip.text(), await whole.text());
  assert.equal((await askd.fetch(script, { headers: { 'accept-encoding': 'gzip;q=0' } })).headers.get('content-encoding'), null);
  for (const tag of [whole.headers.get('etag'), `"x", W/${whole.headers.get('etag')}`, '*']) {
    const same = await askd.fetch(script, { headers: { 'accept-encoding': 'identity', 'if-none-match': tag } });
    assert.equal(same.status, 304, tag);
    assert.equal(await same.text(), '');
  }
  assert.equal((await askd.fetch(script, { headers: { 'if-none-match': '"other"' } })).status, 200);
  for (const path of [script.replace('main.js', 'none.js'), script.replace(/page\/[^/]+/, 'page/000000000000'), '/page/x/..%2f..%2fetc'])
    assert.equal((await askd.fetch(path)).status, 404, path);
});

test('the frame is painted though the server says nothing about itself', async () => {
  const page = await Page.open('about:blank', { greeted: false });
  let answer;
  const told = new Promise(resolve => { answer = resolve; });
  await page.page.route('**/internal/about', async route => {
    await told;
    await route.continue();
  });
  await page.page.goto(askd.url);
  await page.find('h2', { hasText: 'Ask your data' }).first().waitFor();
  await until('it is painted', () => page.page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length > 0));
  await page.type('something general'); // asked as soon as it is known who asks
  assert.equal(await page.find('#turns article').count(), 0);
  answer();
  await page.comesTo('done');
  await page.close();
});
