// SPDX-License-Identifier: MIT
// tests/node/page_documents.test.mjs - documents on the page at /: added by a choice of files, what was not taken and
// why, answered from, removed; at three widths and in dark nothing overflows or lies on another thing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAskd, tempPath } from './lib/harness.mjs';
import { makePdf } from './lib/office.mjs';
import { assertLooks, assertLooksEverywhere } from './lib/looks.mjs';
import { Page } from './lib/page.mjs';
import { until } from './lib/process.mjs';

const store = `sqlite:${tempPath('page_documents.db')}`;
const askd = await startAskd({ env: { ASKD_PAGE_COMPANY_ID: 'acme', ASKD_VECTOR_URL: store, ASKD_KEYWORD_URL: store } });
const file = (name, text, mimeType = 'text/plain') => ({ name, mimeType, buffer: Buffer.from(text) });

test('files are added, one is refused with its reason, an answer cites one, one is removed', async () => {
  const page = await Page.open(askd.url), dialog = page.find('#passage');
  await page.find('#open-documents').click();
  await dialog.getByText('There are none yet.').waitFor();
  await assertLooksEverywhere(page, 'no documents');
  await dialog.getByLabel('Files to add').setInputFiles([
    file('badgers.md', '# Badgers\n\nThe badger allowance is 44 euros a night.\n'), file('broken.pdf', 'this is none', 'application/pdf'),
    { name: 'voles.pdf', mimeType: 'application/pdf', buffer: Buffer.from(makePdf(['The vole permit costs 17 euros.'])) },
  ]);
  const rows = dialog.locator('.document');
  await until('all are told of', async () => await rows.count() === 3 && await dialog.locator('.is-failed').count() === 1);
  assert.match(await dialog.locator('.is-failed').innerText(), /broken\.pdf\s*Not taken: ./);
  assert.match(await rows.filter({ hasText: 'Badgers' }).innerText(), /1 passage/);
  await assertLooksEverywhere(page, 'documents');
  await page.page.keyboard.press('Escape');
  await page.ask('What is the badger allowance?');
  assert.match(await page.turn.innerText(), /44 euros/);
  await page.find('#open-documents').click();
  await dialog.getByRole('button', { name: 'Remove voles.pdf' }).click();
  await until('it is gone', async () => await rows.count() === 1);
  await page.close();
});

for (const [width, colorScheme] of [[390, 'light'], [768, 'dark'], [1440, 'light']])
  test(`${width} px, ${colorScheme}: nothing overflows or overlaps`, async () => {
    const page = await Page.open(askd.url, { viewport: { width, height: 800 }, colorScheme });
    await page.clickInDrawer('#open-documents');
    await page.find('.document').first().waitFor();
    const boxes = await page.page.evaluate(() => ({ wide: document.documentElement.scrollWidth > innerWidth,
      parts: [...document.querySelectorAll('#passage .drop, #passage .document')].map(one => one.getBoundingClientRect().toJSON()) }));
    assert.equal(boxes.wide, false);
    for (const [i, box] of boxes.parts.entries()) {
      assert.ok(box.left >= 0 && box.right <= width, JSON.stringify(box));
      assert.ok(i === 0 || box.top >= boxes.parts[i - 1].bottom, `${i} lies on the one before`);
    }
    await assertLooks(page, `documents at ${width}`);
    await page.close();
  });
