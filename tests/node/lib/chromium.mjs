// SPDX-License-Identifier: MIT
// tests/node/lib/chromium.mjs - one page in a real browser, without a driver: Chromium loads it, runs its
// scripts and prints the document it has become.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

// Its path, or undefined.
export const findChromium = () => (process.env.PATH ?? '').split(delimiter)
  .flatMap(folder => NAMES.map(name => join(folder, name))).find(existsSync);

const asScript = text => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

// Run scripts (texts) one after the other; report() is called in the last one with what to return, as JSON.
export const runInPage = async (scripts, seconds = 1200) => {
  const folder = mkdtempSync(join(tmpdir(), 'askd-chromium-'));
  const page = join(folder, 'page.html');
  const report = `const report = value => {
    document.body.replaceChildren(Object.assign(document.createElement('pre'),
      { id: 'report', textContent: encodeURIComponent(JSON.stringify(value)) }));
  };`;
  writeFileSync(page, '<!doctype html><meta charset="utf-8"><body>' +
    [report, ...scripts].map(text => `<script>${asScript(text)}</script>`).join('\n'));
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = ['--headless', ...root, '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
    '--force-device-scale-factor=1', `--user-data-dir=${join(folder, 'profile')}`, '--dump-dom', pathToFileURL(page).href];
  try {
    const { error, stdout, stderr } = await new Promise(resolve => {
      execFile(findChromium(), args, { timeout: seconds * 1000, maxBuffer: 256 << 20, env: { PATH: process.env.PATH, HOME: folder } },
        (error, stdout, stderr) => resolve({ error, stdout, stderr }));
    });
    assert.ifError(error);
    const [, text] = /<pre id="report">([^<]*)<\/pre>/.exec(stdout) ?? assert.fail(`no report:\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`);
    return JSON.parse(decodeURIComponent(text));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};
