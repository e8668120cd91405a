// SPDX-License-Identifier: MIT
// export.js - a conversation as a file: Markdown to be read, JSON to be worked with.

// On one line, and no markup to whoever reads the file: what rows and titles say is theirs.
const line = text => String(text ?? '').replace(/[\\`<[\]|&]/g, '\\$&').replace(/\s+/g, ' ');

// A fence that nothing in text ends.
const fenced = (language, text) => {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
};

const rowsOf = ({ columns, rows }) => [columns, columns.map(() => '---'), ...rows].map(row => `| ${row.map(line).join(' | ')} |`).join('\n');

const turnText = ({ question, text, data, sql, citations, warnings }) => [
  `## ${line(question)}`, text,
  data?.columns?.length > 0 && rowsOf(data),
  sql && fenced('sql', sql),
  citations.length > 0 && citations.map(one => `[${one.number}] ${line(one.heading || one.title || one.document)}`).join('\n'),
  warnings.length > 0 && warnings.map(one => `> ${line(one)}`).join('\n'),
].filter(Boolean).join('\n\n');

export const toMarkdown = (title, { turns }) => `# ${line(title)}\n\n${turns.map(turnText).join('\n\n')}\n`;

export const toJson = (title, { id, turns }) => JSON.stringify({ conversation_id: id, title, turns: turns.map(turn => ({
  asked_at: new Date(turn.at).toISOString(), question: turn.question, answer: turn.text, route: turn.route, sql: turn.sql, data: turn.data,
  charts: [turn.chart, ...turn.charts].filter(Boolean), citations: turn.citations, warnings: turn.warnings, stats: turn.stats, error: turn.error,
})) }, null, 2);
