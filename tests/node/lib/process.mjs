// SPDX-License-Identifier: MIT
// tests/node/lib/process.mjs - one child process: what it said, how it ended, and that no sanitizer spoke.
//
// Nothing is inherited from the environment but PATH and the sanitizers' options; the working
// directory is the test's own, so no .env is found.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// For what must come, on whatever machine.
export const PATIENCE_MS = Number(process.env.ASKD_PATIENCE_MS) || 180000;

const KEPT = ['PATH', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS', 'TSAN_OPTIONS'];
const SANITIZER = /(ERROR|WARNING): (Address|Leak|Thread|UndefinedBehavior)Sanitizer|runtime error:|CHECK failed/;

const suppressions = fileURLToPath(new URL('../tsan.supp', import.meta.url));

export const environment = (extra = {}) => ({
  TSAN_OPTIONS: `suppressions=${suppressions}`,
  ...Object.fromEntries(KEPT.filter(name => name in process.env).map(name => [name, process.env[name]])),
  ...extra,
});

export const assertNoSanitizer = text => {
  const found = SANITIZER.exec(text);
  assert.ok(!found, `a sanitizer spoke:\n${text.slice(found?.index, found?.index + 6000)}`);
};

// Ask again until it is true (and return it), or fail with what; for what no event announces.
export const until = async (what, question, ms = PATIENCE_MS) => {
  for (const end = Date.now() + ms; ;) {
    const answer = await question();
    if (answer)
      return answer;
    if (Date.now() > end)
      throw new Error(`not within ${ms} ms: ${typeof what === 'function' ? what() : what}`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
};

export class Process {
  constructor(path, args, { cwd, env, input } = {}) {
    this.name = path.split('/').pop();
    this.stdout = '';
    this.stderr = '';
    this.child = spawn(path, args, { cwd, env: environment(env), stdio: ['pipe', 'pipe', 'pipe'] });
    this.child.stdin.on('error', () => {}); // it may end without reading
    this.child.stdout.setEncoding('utf8').on('data', text => { this.stdout += text; });
    this.child.stderr.setEncoding('utf8').on('data', text => { this.stderr += text; });
    this.ended = new Promise((resolve, reject) => {
      this.child.on('error', reject);
      this.child.on('close', (code, signal) => {
        this.result = { code, signal };
        resolve(this.result);
      });
    });
    if (input !== null)
      this.child.stdin.end(input ?? '');
  }

  // The match of pattern in what it has said.
  said(pattern, ms) {
    return until(() => `${this.name} says ${pattern}; it said:\n${this.stdout}${this.stderr}`, () => {
      const match = pattern.exec(this.stdout) ?? pattern.exec(this.stderr);
      if (!match && this.result)
        throw new Error(`${this.name} ended with ${JSON.stringify(this.result)}:\n${this.stderr}`);
      return match;
    }, ms);
  }

  // Wait for its end; kill it after ms.
  async wait(ms = PATIENCE_MS) {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.child.kill('SIGKILL');
    }, ms);
    const result = await this.ended;
    clearTimeout(timer);
    assert.ok(!late, `${this.name} did not end within ${ms} ms:\n${this.stderr.slice(-4000)}`);
    assertNoSanitizer(this.stderr);
    return result;
  }
}

// Run to the end: { code, signal, stdout, stderr }.
export const run = async (path, args, options) => {
  const child = new Process(path, args, options);
  const result = await child.wait(options?.ms);
  return { ...result, stdout: child.stdout, stderr: child.stderr };
};
