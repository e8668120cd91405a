// SPDX-License-Identifier: MIT
// tests/node/lib/page.mjs - the page at / in a real browser: opened, watched for complaints, driven.
//
// Every page of a test must end without an error of its script, a violation of its policy or a message
// of the console. A test that expects one forgives it, whenever it comes: the console speaks later than the page shows.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { findChromium } from './chromium.mjs';
import { PATIENCE_MS, until } from './process.mjs';

const load = async () => {
  try {
    return (await import('playwright-core')).chromium;
  } catch {
    return undefined;
  }
};

const chromium = await load();
if (!chromium || !findChromium()) {
  console.log('no playwright-core, or no chromium');
  process.exit(77);
}

let browser;
after(() => browser?.close());

const launch = async () => browser ??= await chromium.launch({
  executablePath: findChromium(), timeout: PATIENCE_MS,
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-dev-shm-usage'],
});

export class Page {
  // greeted: wait until the server has said what it is.
  static async open(url, { greeted = true, ...options } = {}) {
    const context = await (await launch()).newContext({ viewport: { width: 1440, height: 900 }, ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    return new Page(context, await context.newPage()).visit(url, greeted);
  }

  constructor(context, page) {
    Object.assign(this, { context, page, complaints: [], forgiven: [] });
    page.on('console', message => ['error', 'warning'].includes(message.type()) && this.complaints.push(`${message.text()} ${message.location().url}`));
    page.on('pageerror', error => this.complaints.push(error.stack));
  }

  async visit(url, greeted = true) {
    await this.page.addInitScript(() => document.addEventListener('securitypolicyviolation',
      event => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
    await this.page.goto(url);
    if (greeted)
      await this.greeted();
    return this;
  }

  greeted() {
    return this.page.locator('#source:not(:empty)').waitFor({ state: 'attached' });
  }

  find(selector, options) {
    return this.page.locator(selector, options);
  }

  // The newest turn.
  get turn() {
    return this.find('#turns article:last-child');
  }

  async type(question) {
    await this.page.fill('#question', question);
    await this.page.keyboard.press('Enter');
  }

  // Wait until the newest turn is in the state.
  async comesTo(state) {
    await this.find(`#turns article:last-child[data-state="${state}"]`).waitFor();
  }

  // Ask and wait for the end.
  async ask(question, state = 'done') {
    await this.type(question);
    await this.comesTo(state);
  }

  // Wait until the newest answer has text.
  async says(text) {
    await this.turn.locator('.markdown', { hasText: text }).waitFor();
  }

  answer() {
    return this.turn.locator('.markdown').innerText();
  }

  // What the menu of a conversation in the list offers.
  async chooseFor(title, choice) {
    await this.page.getByRole('button', { name: `More for ${title}`, exact: true }).click();
    await this.page.getByRole('menuitem', { name: choice, exact: true }).click();
  }

  // Click something of the drawer, which a narrow page shows when it is asked to.
  async clickInDrawer(selector) {
    const { width } = this.page.viewportSize();
    if (width <= 760 && await this.find('#open-drawer').getAttribute('aria-expanded') === 'false')
      await this.find('#open-drawer').click();
    await this.find(selector).click();
  }

  tab(name) {
    return this.turn.getByRole('tab', { name, exact: true });
  }

  // What matches may be complained of, before and after this.
  forgive(pattern) {
    this.forgiven.push(pattern);
  }

  // Wait until it is complained of, and forgive it.
  async complains(pattern) {
    await until(`a complaint of ${pattern}`, () => this.complaints.some(text => pattern.test(text)));
    this.forgive(pattern);
  }

  // Close it; nothing else may have gone wrong.
  async close() {
    await this.context.close();
    assert.deepEqual(this.complaints.filter(text => !this.forgiven.some(pattern => pattern.test(text))), []);
  }
}
