// SPDX-License-Identifier: MIT
// tests/node/lib/terminal.mjs - a program in a pseudo-terminal, as a person has it: what stands on the
// screen, keys that are typed.
//
// util-linux's script(1) makes the terminal; its input and output are pipes.
import { existsSync } from 'node:fs';
import { Process } from './process.mjs';

const SCRIPT = '/usr/bin/script';
export const hasTerminal = existsSync(SCRIPT);

const quote = word => `'${word.replaceAll("'", "'\\''")}'`;

export class Terminal extends Process {
  constructor(path, args, { cwd, env, columns = 200 } = {}) {
    const command = `stty cols ${columns} rows 50; exec ${[path, ...args].map(quote).join(' ')}`;
    super(SCRIPT, ['--quiet', '--return', '--echo', 'never', '--command', command, '/dev/null'],
      { cwd, env: { TERM: 'xterm', LANG: 'C.UTF-8', SHELL: '/bin/sh', ...env }, input: null });
    this.seen = 0;
  }

  type(keys) {
    this.child.stdin.write(keys);
  }

  // What came since the last look, up to and with the match of pattern.
  async shows(pattern) {
    const at = this.seen;
    const match = await this.saidAfter(at, pattern);
    this.seen = at + match.index + match[0].length;
    return this.stdout.slice(at, this.seen);
  }

  saidAfter(at, pattern) {
    return this.said({
      exec: () => pattern.exec(this.stdout.slice(at)),
      toString: () => `${pattern} after what was seen:\n${JSON.stringify(this.stdout.slice(at))}`,
    });
  }
}
