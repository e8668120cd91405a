// SPDX-License-Identifier: MIT
// tests/node/lib/looks.mjs - a state of a page is looked at as its readers see it: on a telephone, a tablet and a desk, in
// light and in dark. Each time its parts must lie where they belong, and axe-core must find nothing; ASKD_TEST_PICTURES
// names a folder in which a picture of each is kept, for somebody to look at.
import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { assertAccessible } from './axe.mjs';
import { assertLaidOut } from './layout.mjs';

const WIDTHS = [390, 768, 1440];
const pictures = process.env.ASKD_TEST_PICTURES;

const keepPicture = async (page, name) => {
  mkdirSync(pictures, { recursive: true });
  await page.page.screenshot({ path: `${pictures}/${basename(process.argv[1], '.test.mjs')}_${name}.png`.replace(/[^\w./-]+/g, '_') });
};

// Two frames: what follows from a new size or new colours is drawn.
const drawn = page => page.page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))));

// As it is: laid out, accessible, kept as a picture.
export const assertLooks = async (page, what) => {
  await drawn(page);
  await assertLaidOut(page, what);
  await assertAccessible(page, what);
  if (pictures)
    await keepPicture(page, what);
};

// In each width and both colours; then it has the size it had. What a new width takes away (a drawer, the run beside the
// conversation) is not there afterwards.
export const assertLooksEverywhere = async (page, what) => {
  const size = page.page.viewportSize();
  for (const width of WIDTHS) {
    await page.page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark']) {
      await page.page.emulateMedia({ colorScheme });
      await assertLooks(page, `${what} ${width} ${colorScheme}`);
    }
  }
  await page.page.emulateMedia({ colorScheme: null });
  await page.page.setViewportSize(size);
};
