// SPDX-License-Identifier: MIT
// tests/node/lib/layout.mjs - where the parts of a page lie: nothing beside the screen or its container, no text cut, no
// part on its neighbour.
import assert from 'node:assert/strict';

// Parts that stand beside or below each other; those of one parent must not overlap.
const PARTS = '.bar > *, .drawer > *, .drawer-foot > *, .turn-foot > *, .rows-foot > *, .chart-head > *, .chart-tools > *, [role="tablist"] > *, .options > *, .suggestions > li, .answer > *, .results > *, .notes > *, .composer-row > *, .approval-foot > *, .dialog-foot > *, .examples > li, .tiles > *, .legend > li, .sources li, .schedule-foot > *, .when > *, .known-table > *, .chart text.tick';
// What may be cut with an ellipsis, or scrolls by itself.
const SCROLLS = '.table-scroll, pre, .gist, .quiet, .conversation, #title, .run-body, .formula, .hint, textarea, select, .unseen, .menu';

const measure = ([parts, scrolls]) => {
  const seen = element => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.getBoundingClientRect().width > 0;
  const name = element => `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? element.id} "${element.textContent.trim().slice(0, 30)}"`;
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth)
    found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  const groups = new Map();
  const roots = [document, ...[...document.querySelectorAll('*')].map(one => one.shadowRoot).filter(Boolean)];
  for (const element of roots.flatMap(root => [...root.querySelectorAll(parts)])) {
    if (!seen(element) || getComputedStyle(element).position === 'absolute' || element.closest('.unseen'))
      continue;
    const box = element.getBoundingClientRect();
    if (!element.closest(scrolls) && (box.left < -1 || box.right > innerWidth + 1))
      found.push(`${name(element)} lies beside the screen: ${box.left} to ${box.right}`);
    if (!element.closest(scrolls) && !element.querySelector(scrolls) && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && getComputedStyle(element).overflowX !== 'visible')
      found.push(`${name(element)} is cut`);
    if (element.matches('button') && element.scrollHeight > element.clientHeight + 1)
      found.push(`${name(element)} holds more lines than it has`);
    groups.set(element.parentElement, [...groups.get(element.parentElement) ?? [], [element, box]]);
  }
  for (const group of groups.values())
    group.forEach(([a, x], i) => group.slice(i + 1).forEach(([b, y]) => {
      if (Math.min(x.right, y.right) - Math.max(x.left, y.left) > 1.5 && Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top) > 1.5)
        found.push(`${name(a)} lies on ${name(b)}`);
    }));
  return found;
};

// What moves is measured where it comes to rest; a spinner turns for ever.
const rest = () => Promise.allSettled(document.getAnimations().filter(one => one.effect.getTiming().iterations !== Infinity).map(one => one.finished));

export const assertLaidOut = async (page, what) => {
  await page.page.evaluate(rest);
  assert.deepEqual(await page.page.evaluate(measure, [PARTS, SCROLLS]), [], what);
};
