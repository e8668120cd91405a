// SPDX-License-Identifier: MIT
// tests/node/page_words.test.mjs - the page at / in German and Spanish: each sentence of its modules, and each name that
// the server gives to graphs, nodes, tools, budgets and errors, is in both files of words; none is there that nobody says,
// and no module shows a text that is in no file.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';

const folder = join(sourceDir, 'server/page');
const read = name => readFileSync(join(folder, name), 'utf8');
const modules = readdirSync(folder).filter(name => name.endsWith('.js') && !name.startsWith('words_') && name !== 'theme.js');
const text = "'((?:[^'\\\\]|\\\\.)*)'";
const words = name => Object.fromEntries([...read(name).matchAll(new RegExp(`^  ${text}: ${text},$`, 'gm'))].map(([, key, value]) => [key, value]));
const languages = { de: words('words_de.js'), es: words('words_es.js') };

const html = read('index.html').replace(/<svg.*?<\/svg>/gs, '').replace(/<head>.*?<\/head>/s, '').replace(/<noscript>.*?<\/noscript>/s, '');
const onPage = [...html.matchAll(/>([^<>]*\p{L}{2}[^<>]*)</gu), ...html.matchAll(/(?:aria-label|placeholder|title)="([^"]+)"/g)].map(([, said]) => said.trim());
const code = modules.map(name => read(name).replace(/^\/\/.*$/gm, '').replace(/ \/\/ .*$/gm, '')).join('\n');
const said = new Set([...code.matchAll(new RegExp(`\\bt\\(\\s*(?:[^'\`()]*\\?\\s*)?${text}(?:\\s*:\\s*${text})?`, 'g'))].flatMap(([, one, other]) => [one, other])
  .concat([...code.matchAll(new RegExp(`\\bplural\\([^']*${text},\\s*${text}`, 'g'))].flatMap(([, one, other]) => [one, other])).filter(Boolean).concat(onPage));

// The names: of graphs and their nodes as a server with a model lists them, of the rest as the sources have them.
const mock = await startMock([{ match: '', reply: 'GENERAL' }]);
const askd = await startAskd({ env: { ASKD_PAGE_COMPANY_ID: 'acme', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const withModel = await startAskd({ mock });
const named = async () => {
  const names = new Set(), seen = new Set(), get = async path => (await withModel.fetch(`/internal/graphs${path}`)).json();
  const walk = async graph => {
    if (seen.has(graph))
      return;
    seen.add(graph);
    for (const node of (await get(`/${graph}`)).nodes) {
      names.add(node.name);
      if (node.graph)
        await walk(node.graph);
    }
  };
  for (const { name, purpose } of (await get('')).graphs) {
    names.add(name);
    said.add(purpose);
    await walk(name);
  }
  const source = path => readFileSync(join(sourceDir, path), 'utf8');
  const files = under => readdirSync(join(sourceDir, under), { recursive: true }).filter(file => file.endsWith('.c')).map(file => source(join(under, file))).join('\n');
  for (const [, name] of [...[...files('agents').matchAll(/graph_budget budgets\[\] = \{\n(.*?)\n\};/gs)].flatMap(([, rows]) => [...rows.matchAll(/\{"(\w+)", SLOT/g)]),
    ...files('agents/tools').matchAll(/^ {4}\.name = "(\w+)"/gm),
    ...source('docs/events.md').split('\n## Errors')[1].split('\n\nWhat is refused')[0].matchAll(/`(\w+)`(?!\))/g)])
    names.add(name);
  return names;
};
const names = await named(), title = name => name.replaceAll('_', ' ').replace(/\b(sql|rag)\b/g, word => word.toUpperCase()).replace(/^./, first => first.toUpperCase());
for (const name of names)
  said.add(title(name));

test('the names that a server gives are among what is said', () => {
  for (const one of ['data_agent', 'table_selector', 'quality_check', 'list_tables', 'self_heal', 'retry', 'sql_rejected', 'server_shutdown'])
    assert.ok(names.has(one), `${one} in ${[...names].join(' ')}`);
});

for (const [name, file] of Object.entries(languages))
  test(`${name}: each sentence, with its places, and no other`, () => {
    assert.ok(said.size > 200, `${said.size}`);
    assert.deepEqual([...said].filter(key => !file[key]), [], 'missing');
    assert.deepEqual(Object.keys(file).filter(key => !said.has(key)), [], 'said nowhere');
    for (const [key, value] of Object.entries(file))
      assert.deepEqual((value.match(/\{\w+\}/g) ?? []).sort(), (key.match(/\{\w+\}/g) ?? []).sort(), key);
  });

test('no text is shown that is in no file', () => {
  // What reads like a text and is not looked up: a capital letter and more, or three words. Without names of keys, of
  // languages and of file formats, attributes and words of SQL.
  const known = /^(?:Enter|Escape|Tab|English|Deutsch|Español|Excel \(XLSX\)|Bearer |mark point |noopener |more than this reads|all and any as asc)/u;
  const literal = "'(?:[^'\\\\\\n]|\\\\.)*'", other = code.replace(new RegExp(`\\bt\\(\\s*[^'\`();]*?(?:${literal}\\s*:\\s*)?${literal}`, 'g'), '').replace(new RegExp(`\\bplural\\([^']*?${literal},\\s*${literal}`, 'g'), '');
  const found = [...other.matchAll(new RegExp(`${literal}|\`[^\`]*\``, 'g'))].map(([one]) => one.slice(1, -1).replace(/\$\{[^}]*\}/g, ''))
    .filter(one => (/^\p{Lu}\p{Ll}{2,}\b/u.test(one) || /^\p{Ll}+(?: \p{Ll}+){2,}/u.test(one)) && !known.test(one));
  assert.deepEqual(found, []);
  assert.ok(other.includes("'Español'") && !other.includes("'Copy'"), 'it looks where texts are');
});

test('the browser’s language, then the one that is chosen', async () => {
  const page = await Page.open(askd.url, { locale: 'de-DE' });
  await page.find('.node-name', { hasText: 'Stand laden' }).waitFor();
  assert.ok((await page.find('#graph option').allInnerTexts()).includes('SQL-Agent'), 'agents');
  assert.equal(await page.find('html').getAttribute('lang'), 'de');
  assert.equal(await page.find('#empty h2').innerText(), 'Fragen Sie Ihre Daten');
  assert.equal(await page.find('#question').getAttribute('placeholder'), 'Stellen Sie eine Frage');
  await page.ask('Total hours of work time per month');
  assert.deepEqual(await page.turn.getByRole('tab').allInnerTexts(), ['Diagramm', 'Zeilen', 'SQL']);
  await page.tab('Zeilen').click();
  assert.match(await page.turn.locator('.rows .count').innerText(), /^24 Zeilen$/);
  assert.match((await page.turn.locator('tbody td:nth-child(2)').allInnerTexts())[1], /^288,75$/);
  assert.ok((await page.find('.step-name').allInnerTexts()).includes('Tabellen wählen'), 'steps');
  assert.match(await page.find('svg.graph').first().getAttribute('aria-label'), /Stand laden fertig/);
  await assertLooksEverywhere(page, 'German');
  await page.turn.locator('.suggestion', { hasText: /^(?:Wie viele|Welche|Summe|Zeige|Durchschnitt) / }).first().click();
  await page.find('#turns article').nth(1).waitFor();
  await page.comesTo('done');
  assert.ok(await page.tab('SQL').isVisible(), 'a proposed question is answered');
  await page.ask('Who are our top customers?');
  const options = page.turn.locator('.option'), texts = await options.allInnerTexts();
  assert.ok(texts.length > 1 && texts.every(text => /^10 customers: höchster Wert, /.test(text)), texts.join());
  assert.doesNotMatch(await page.answer(), /höchster Wert/); // each is said once, on its card
  await options.first().click();
  await page.find('#turns article').nth(3).waitFor();
  await page.comesTo('done');
  assert.equal(await page.turn.locator('.question').innerText(), texts[0]);
  assert.ok(await page.tab('Zeilen').isVisible(), 'the chosen reading is answered');
  await page.page.reload();
  await page.greeted();
  await page.comesTo('done');
  await page.find('#open-settings').click();
  await page.page.getByLabel('Sprache').last().selectOption('es');
  await page.page.getByRole('button', { name: 'Speichern', exact: true }).click();
  await page.find('html[lang="es"]').waitFor({ state: 'attached' });
  await page.comesTo('done');
  assert.deepEqual(await page.turn.getByRole('tab').allInnerTexts(), ['Gráfico', 'Filas', 'SQL']);
  await page.close();
});
