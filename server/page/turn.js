// SPDX-License-Identifier: MIT
// turn.js - one question and all that its run has said, as a plain object; events change it.
//
// A turn is kept between visits, so it holds values only. States: asking -> answering -> done, failed,
// stopped, or waiting for a person, whose answer begins it anew; "link" beside it is how the connection is.
import { t } from './words.js';
const OVER = new Set(['done', 'failed', 'stopped', 'waiting']);
export const isOver = turn => OVER.has(turn.state);

const WROTE_CHARS = 4000; // of what a node wrote, to be looked at

const nothingYet = () => ({
  state: 'asking', seq: 0, text: '', route: null, steps: [], tools: [], retries: [], warnings: [], place: null,
  sql: null, tables: [], data: null, chart: null, charts: [], citations: [], unsupported: [], abstained: null, clarify: null, stats: null, error: null, waits: null,
});

export const createTurn = ({ question, graph }) => ({
  id: crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join(''),
  question, graph, at: Date.now(), runId: null, link: 'connecting', ...nothingYet(),
});

// Hear the run from its beginning again; what was said stays until then.
export const restartTurn = turn => {
  turn.seq = 0;
  turn.isStale = true;
};

// A person has answered what it waits for: another run goes on where this one was.
export const resumeTurn = (turn, value) => {
  Object.assign(turn, { state: 'asking', runId: null, seq: 0, waits: null, answer: { run: turn.runId, value }, link: 'connecting' });
};

const lastStep = (turn, node) => turn.steps.findLast(step => step.node === node);

// Where it ended: the last node, and those it is in, that wrote nothing.
const endSteps = turn => {
  const last = turn.steps.at(-1);
  for (const step of turn.steps)
    if (step.wrote === undefined && (step === last || last.node.startsWith(`${step.node}/`)))
      step.state = turn.state;
};

// Its complete says that it is not: somebody is to say something first.
const pause = turn => {
  turn.state = 'waiting';
  const parts = (turn.waits?.node ?? '').split('/');
  parts.forEach((part, i) => { // the node, and the sub-graphs it is in
    const step = lastStep(turn, parts.slice(0, i + 1).join('/'));
    if (step)
      step.state = 'waiting';
  });
};

const TOOLS = 60; // of one run that are shown

const on = {
  tool_start: (turn, { id, tool, arguments: given }) => {
    if (id && turn.tools.length < TOOLS)
      turn.tools.push({ id, tool, given, state: 'running' });
  },
  tool_progress: (turn, { id, message }) => {
    const tool = turn.tools.findLast(one => one.id === id);
    if (tool)
      tool.progress = message;
  },
  tool_end: (turn, { id, ms, result, failed }) => {
    const tool = turn.tools.findLast(one => one.id === id);
    if (tool)
      Object.assign(tool, { state: failed ? 'failed' : 'done', ms, result });
  },
  route_decision: (turn, event) => { turn.route = event.route; },
  token: (turn, event) => {
    if (event.channel !== 'final')
      return;
    turn.state = 'answering';
    turn.text = (event.reset ? '' : turn.text) + event.content;
  },
  node_start: (turn, event) => {
    turn.place = null;
    turn.steps.push({ node: event.node, state: 'running' });
  },
  node_end: (turn, event) => {
    const step = lastStep(turn, event.node);
    if (step)
      Object.assign(step, { state: 'done', ms: event.ms });
  },
  state: (turn, event) => {
    const step = lastStep(turn, event.node);
    const wrote = JSON.stringify(event.fields, null, 2);
    if (step)
      step.wrote = wrote.length > WROTE_CHARS ? `${wrote.slice(0, WROTE_CHARS)}\n…` : wrote;
  },
  retry: (turn, event) => {
    turn.retries.push({ budget: event.budget, used: event.used, reason: event.reason ?? '', after: turn.steps.length });
  },
  queued: (turn, event) => { turn.place = { gate: event.gate, position: event.position }; },
  warning: (turn, event) => { turn.warnings.push(event.message ?? event.rule); },
  interrupt: (turn, { event: kind, ...asked }) => { turn.waits = asked; },
  complete: (turn, event) => {
    if (event.interrupted) {
      pause(turn);
      return;
    }
    const { sql = null, tables = [], data = null, chart = null, charts, citations, unsupported, abstained = null, clarify = null, stats = null, warnings } = event;
    Object.assign(turn, { state: 'done', sql, tables, data, chart, charts: charts ?? [], abstained, clarify, stats, route: event.route ?? turn.route,
      citations: citations ?? [], unsupported: unsupported ?? [], waits: null });
    for (const warning of warnings ?? []) {
      const text = typeof warning === 'string' ? warning : warning?.message ?? JSON.stringify(warning);
      if (!turn.warnings.includes(text))
        turn.warnings.push(text);
    }
  },
  error: (turn, event) => {
    turn.state = event.code === 'cancelled' ? 'stopped' : 'failed';
    endSteps(turn);
    turn.error = { code: event.code, message: event.message, retryable: event.retryable };
    turn.stats = event.stats ?? null;
  },
};

export const applyEvent = (turn, event, seq) => {
  if (turn.isStale) {
    Object.assign(turn, nothingYet());
    delete turn.isStale;
  }
  turn.seq = seq;
  on[event.event]?.(turn, event);
  if (isOver(turn))
    for (const step of [...turn.steps, ...turn.tools])
      if (step.state === 'running')
        step.state = turn.state;
};

// The server refused to begin, or to go on.
export const failTurn = (turn, problem) => {
  const known = { 401: 'unauthorized', 403: 'forbidden', 404: 'gone', 410: 'gone' };
  const code = problem.code ?? known[problem.status] ?? 'internal';
  const isLost = turn.runId && (problem.status === 404 || problem.status === 410);
  applyEvent(turn, { event: 'error', code, retryable: true,
    message: isLost ? t('The rest of this answer is gone: the server keeps the events of a run only for a while.') : problem.message }, turn.seq);
  delete turn.isStale;
};

// What is kept of it: not what nodes wrote, and of many rows the first.
export const KEPT_ROWS = 200;
export const turnToKeep = turn => ({
  ...turn,
  steps: turn.steps.map(({ wrote, ...step }) => step),
  tools: (turn.tools ?? []).map(({ result, ...tool }) => tool),
  data: turn.data && { ...turn.data, rows: turn.data.rows?.slice(0, KEPT_ROWS) },
});
