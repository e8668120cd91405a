// SPDX-License-Identifier: MIT
// tests/node/docs.test.mjs - `askd docs`: add, add again, change, prune, list, search, remove; whose
// documents a search sees; what is wrong is said for its file and the others go on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { askdCommand } from './lib/harness.mjs';
import { makeDocx, makePdf, makeXlsx } from './lib/office.mjs';

const lines = text => text.trimEnd().split('\n').filter(Boolean).map(one => JSON.parse(one));

/** A folder with stores of its own and files to add. */
function makePlace() {
  const folder = mkdtempSync(join(tmpdir(), 'askd-docs-'));
  const store = join(folder, 'store.db');
  const env = {
    ASKD_MODEL: 'offline', ASKD_VECTOR_URL: `sqlite:${store}`, ASKD_KEYWORD_URL: `sqlite:${store}`,
  };
  return {
    folder,
    write(name, text) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    askd: (args, options = {}) => askdCommand(['docs', ...args], { env, ...options }),
    async search(question, ...args) {
      const result = await this.askd(['search', '--jsonl', ...args], { input: `${JSON.stringify({ id: 7, question })}\n` });
      assert.equal(result.code, 0, result.stderr);
      const [answer] = lines(result.stdout);
      assert.equal(answer.id, 7);
      return answer.hits;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const manual = `# Manual

## Overtime

Hours over forty a week are overtime. They are paid at one and a half times the rate.

## Photos

A photo is added to a work order with the camera button. It is stored with its place and time.
`;

test('added, passed over, updated, pruned', async t => {
  const place = makePlace();
  t.after(() => place.remove());
  place.write('docs/core.md', manual);
  place.write('docs/more/page.html', '<title>Signing in</title><h1>Passwords</h1><p>A password has twelve letters.</p>');
  place.write('docs/ignored.bin', 'x');
  const add = async (...args) => {
    const result = await place.askd(['add', ...args, join(place.folder, 'docs')]);
    const all = lines(result.stdout);
    return { code: result.code, end: all.pop(), documents: all };
  };
  const first = await add();
  assert.equal(first.code, 3); // something was skipped, and is said
  assert.deepEqual(first.documents.map(one => [one.document, one.status, one.passages]),
    [['core.md', 'added', 2], ['ignored.bin', 'skipped', 0], ['more/page.html', 'added', 1]]);
  assert.match(first.documents[1].error, /expected .*\.pdf/);
  assert.equal(first.end.event, 'complete');
  assert.equal(first.end.added, 2);

  const [best] = await place.search('How is overtime paid?');
  assert.equal(best.document, 'core.md');
  assert.equal(best.heading, 'Manual > Overtime');
  assert.match(best.text, /one and a half/);

  assert.equal((await add()).end.unchanged, 2);

  place.write('docs/core.md', '# Manual\n\n## Overtime\n\nThere is no overtime any more.\n');
  const changed = await add();
  assert.equal(changed.end.updated, 1);
  assert.equal(changed.end.unchanged, 1);
  const hits = await place.search('camera button photo overtime');
  assert.ok(hits.some(hit => /no overtime/.test(hit.text)));
  assert.ok(!hits.some(hit => /camera/.test(hit.text)), 'what a document no longer says is not found');

  rmSync(join(place.folder, 'docs/more'), { recursive: true });
  assert.equal((await add()).end.removed, 0);
  assert.equal((await add('--prune')).end.removed, 1);
  const list = await place.askd(['list', '--jsonl']);
  assert.deepEqual(lines(list.stdout).map(one => one.document), ['core.md']);
  const removed = await place.askd(['remove', 'core.md']);
  assert.equal(removed.code, 0, removed.stderr);
  assert.deepEqual(await place.search('overtime'), []);
  const again = await place.askd(['remove', 'core.md']);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /no document 'core.md'/);
});

test('a broken file is told, the others are added', async t => {
  const place = makePlace();
  t.after(() => place.remove());
  place.write('docs/a.md', Buffer.from([0x47, 0x72, 0xf6]));
  place.write('docs/b.md', '---\ncompany_id: other\n---\ntext\n');
  place.write('docs/c.md', '# Fine\n\nText.\n');
  place.write('docs/d.md', '# Only a heading\n');
  const result = await place.askd(['add', join(place.folder, 'docs')]);
  assert.equal(result.code, 1);
  const all = lines(result.stdout);
  assert.deepEqual(all.slice(0, 4).map(one => one.status), ['failed', 'failed', 'added', 'failed']);
  assert.match(all[0].error, /UTF-8/);
  assert.match(all[1].error, /line 2: 'company_id'/);
  assert.match(all[3].error, /no text/);
  assert.equal(all[4].failed, 3);
});

test('a company sees its own documents and everybody’s', async t => {
  const place = makePlace();
  t.after(() => place.remove());
  const secret = name => place.write(`${name}/rates.md`, `# Rates\n\nThe hourly rate is CANARY-${name}.\n`);
  for (const company of ['acme', 'globex']) {
    const result = await place.askd(['add', '--company', company, secret(company)]);
    assert.equal(result.code, 0, result.stdout);
  }
  await place.askd(['add', '--company', 'acme', '--user', 'ann', secret('ann')]);
  await place.askd(['add', secret('all')]);
  const seen = async (...args) => (await place.search('hourly rate CANARY', ...args))
    .map(hit => /CANARY-(\w+)/.exec(hit.text)[1]).sort();
  assert.deepEqual(await seen(), ['all']);
  assert.deepEqual(await seen('--company', 'acme'), ['acme', 'all']);
  assert.deepEqual(await seen('--company', 'globex'), ['all', 'globex']);
  assert.deepEqual(await seen('--company', 'acme', '--user', 'ann'), ['acme', 'all', 'ann']);
  assert.deepEqual(await seen('--company', 'globex', '--user', 'ann'), ['all', 'globex']);
  const list = await place.askd(['list', '--company', 'acme', '--jsonl']);
  assert.equal(lines(list.stdout).length, 2);
});

test('pairs and metadata', async t => {
  const place = makePlace();
  t.after(() => place.remove());
  const pairs = place.write('pairs.csv', 'question,sql\n"How many crews, in all?",SELECT COUNT(*) FROM crew\n');
  const terms = place.write('terms.json', JSON.stringify([{ term: 'overtime', text: 'Hours over forty a week' }]));
  assert.equal((await place.askd(['add', '--kind', 'sql-pairs', pairs])).code, 0);
  assert.equal((await place.askd(['add', '--kind', 'metadata', terms])).code, 0);
  const [pair] = await place.search('number of crews', '--kind', 'sql-pairs');
  assert.equal(pair.text, 'How many crews, in all?');
  const [term] = await place.search('what is overtime', '--kind', 'metadata');
  assert.equal(term.text, 'Hours over forty a week');
  assert.deepEqual(await place.search('crews'), [], 'kinds do not mix');
  const wrong = await place.askd(['add', '--kind', 'sql-pairs', terms]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stdout, /'question' and its 'sql'/);
});

test('misuse names what is missing', async t => {
  const place = makePlace();
  t.after(() => place.remove());
  const cases = [
    [[], 2, /askd docs add/], [['add'], 2, /needs a PATH/], [['search'], 2, /needs one TEXT/],
    [['dance'], 2, /there is no 'dance'; askd docs --help/], [['serch', 'x'], 2, /did you mean search/], [['list', 'x'], 2, /takes no name/],
    [['search', 'x', '--top', '0'], 2, /--top/], [['add', '--kind', 'songs', 'x'], 2, /--kind/],
    [['add', join(place.folder, 'nowhere')], 1, /No such file/],
    [['add', place.write('a.bin', 'x')], 1, /expected \.md/],
  ];
  for (const [args, code, says] of cases) {
    const result = await place.askd(args);
    assert.equal(result.code, code, `${args}: ${result.stderr}`);
    assert.match(result.stderr, says);
  }
  const help = await place.askd(['--help']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /--prune/);
  const broken = await place.askd(['search', '--jsonl'], { input: 'no json\n{"id":1}\n' });
  assert.equal(broken.code, 0);
  assert.ok(lines(broken.stdout).every(one => one.error));
  for (const filters of ['x', ['x'], { year: { a: 1 } }, { year: [true] }, { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 }]) {
    const refused = await place.askd(['search', '--jsonl'], { input: `${JSON.stringify({ id: 1, question: 'x', filters })}\n` });
    assert.match(lines(refused.stdout)[0].error, /^\/filters/);
  }
});

test('a store that is down leaves the other to answer, and says so', async t => {
  const place = makePlace();
  t.after(() => place.remove());
  await place.askd(['add', place.write('a.md', manual)]);
  const unreachable = await askdCommand(['docs', 'search', 'overtime'], {
    env: {
      ASKD_MODEL: 'offline', ASKD_VECTOR_URL: `sqlite:${place.folder}`,
      ASKD_KEYWORD_URL: `sqlite:${join(place.folder, 'store.db')}`,
    },
  });
  assert.equal(unreachable.code, 0);
  assert.match(unreachable.stdout, /Overtime/);
  assert.match(unreachable.stderr, /one of two searches failed/);
});

test('PDF, DOCX, XLSX, CSV, JSON: added by a child, found by what they say', async t => {
  const place = makePlace();
  t.after(() => place.remove());
  place.write('office/travel.pdf', makePdf(['Hotels up to 120 EUR a night are paid.', 'Taxis need a receipt.']));
  place.write('office/handbook.docx', makeDocx([['Heading1', 'Parking'], ['', 'Visitors park behind the hall.']]));
  place.write('office/rates.xlsx', makeXlsx([['Country', 'Allowance'], ['Norway', '77']]));
  place.write('office/phones.csv', 'Name;Extension\nReception;4711\n');
  place.write('office/site.json', '{"plant":{"city":"Kassel","shifts":["early","late"]}}');
  const add = await place.askd(['add', join(place.folder, 'office')]);
  assert.equal(add.code, 0, add.stdout + add.stderr);
  assert.equal(lines(add.stdout).at(-1).added, 5);
  for (const [question, document, said, heading] of [
    ['taxis receipt', 'travel.pdf', /Taxis need a receipt/, /Page 2/],
    ['Where do visitors park?', 'handbook.docx', /behind the hall/, /Parking/],
    ['allowance Norway', 'rates.xlsx', /Norway \| 77/, /Rates/],
    ['extension of reception', 'phones.csv', /Reception \| 4711/],
    ['city of the plant', 'site.json', /plant city: Kassel/],
  ]) {
    const [best] = await place.search(question);
    assert.equal(best.document, document, question);
    assert.match(best.text, said);
    if (heading)
      assert.match(best.heading, heading);
  }
});

test('files that are not what they are called: each is told, the others are added', async t => {
  const place = makePlace();
  t.after(() => place.remove());
  place.write('in/broken.pdf', 'not a PDF at all');
  place.write('in/scan.pdf', makePdf(['']));
  place.write('in/locked.docx', 'PK\x03\x04 locked');
  place.write('in/fine.csv', 'a,b\n1,2\n');
  const add = await place.askd(['add', join(place.folder, 'in')]);
  assert.equal(add.code, 1);
  const told = Object.fromEntries(lines(add.stdout).slice(0, -1).map(one => [one.document, one.error ?? one.status]));
  assert.match(told['broken.pdf'], /no PDF/);
  assert.match(told['scan.pdf'], /no text.*OCR/);
  assert.match(told['locked.docx'], /not an archive|locked/);
  assert.equal(told['fine.csv'], 'added');
});
