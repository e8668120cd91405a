// SPDX-License-Identifier: MIT
// tests/node/lib/commands.mjs - the commands of a page: indented ones, and those of blocks marked sh.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceDir } from './harness.mjs';

const STARTS = /^(askd|curl|docker|cmake|cd|node|npm|bench\/|build\/|\.\/)/;

export const pages = ['README.md', 'CONTRIBUTING.md', 'examples/bff-node/README.md', 'samples/README.md',
  ...readdirSync(join(sourceDir, 'docs'), { recursive: true }).filter(name => name.endsWith('.md')).map(name => `docs/${name}`)];

// A command goes on after a backslash and within quotes.
const isOpen = text => /\\$/.test(text) || (text.split("'").length - 1) % 2 === 1;

// Without what is said about it.
const bare = text => text.replace(/\s+#(?![^']*').*$/gm, '').trim();

const collect = (lines, isCode, page, block) => {
  const commands = [];
  let open = null;
  lines.forEach((line, i) => {
    if (open) {
      open.text += `\n${isCode(line) ?? line}`;
    } else {
      const code = isCode(line);
      if (code === null || !STARTS.test(code))
        return;
      open = { page, line: i + 1, text: code, block };
    }
    if (!isOpen(open.text)) {
      commands.push({ ...open, text: bare(open.text) });
      open = null;
    }
  });
  return commands;
};

export const commandsOf = page => {
  const lines = readFileSync(join(sourceDir, page), 'utf8').split('\n');
  let fence = null;
  const blocks = [];
  const outside = lines.map(line => {
    const mark = /^```\s*(.*)$/.exec(line);
    if (mark && fence === null) {
      fence = { info: mark[1], lines: [] };
      return '';
    }
    if (mark) {
      blocks.push(fence);
      fence = null;
      return '';
    }
    if (fence) {
      fence.lines.push(line);
      return '';
    }
    return line;
  });
  return [
    ...collect(outside, line => /^(?: {4}| {7})(?! )/.test(line) ? line.trimStart() : null, page, ''), // 7: in a list
    ...blocks.filter(block => block.info.startsWith('sh')).flatMap(block => collect(block.lines, line => line, page, block.info.slice(3))),
  ];
};
