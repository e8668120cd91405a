// SPDX-License-Identifier: MIT
// tests/node/lib/axe.mjs - a page is held against axe-core.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const assertAccessible = async (page, what) => {
  await page.page.evaluate(axe);
  const { violations } = await page.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map(node => node.html.slice(0, 160)).join(' | ')}`), []);
};
