// SPDX-License-Identifier: MIT
// index.d.ts - the types of @askd/client: every event of a run (docs/events.md).

export type Value = string | number | boolean | null;

export interface Data {
  columns: string[];
  rows: Value[][];
  row_count: number;
  truncated: boolean;
  total_rows?: number;
  execution_time_seconds?: number;
  /** The statement before the guard rewrote it; Askd.rows takes it. */
  written?: string;
}

export interface Chart {
  type: 'metric' | 'bar' | 'line' | 'pie' | 'doughnut' | 'scatter' | 'table';
  title?: string;
  x?: string;
  y?: string[];
  series?: string;
  orientation?: 'horizontal';
  stacked?: boolean;
  note?: string;
  remark?: string;
  /** A Chart.js 4 configuration. */
  chartjs?: object;
}

export interface Citation {
  number: number;
  document: string;
  title?: string;
  heading?: string;
  text?: string;
}

export interface Stats {
  tokens?: number;
  prompt_tokens?: number;
  completion_tokens?: number;
  llm_calls?: number;
  sql_attempts?: number;
  /** Statements for the question that were compared by their rows. */
  candidates?: number;
  /** Their rows differed, and a model decided which answers. */
  decided?: boolean;
  duration_ms?: number;
  ttft_ms?: number;
  model?: string;
  models?: string[];
  cached_tokens?: number;
  reasoning_tokens?: number;
  cost?: number;
  estimated?: boolean;
}

export type ErrorCode = 'invalid_request' | 'unauthorized' | 'forbidden' | 'conflict' | 'overloaded' | 'model_not_configured' |
  'model_unavailable' | 'model_rejected' | 'model_timeout' | 'sql_rejected' | 'sql_failed' | 'sql_timeout' | 'database_unavailable' |
  'retrieval_unavailable' | 'graph_recursion_limit' | 'cancelled' | 'deadline_exceeded' | 'lagged' | 'server_shutdown' | 'internal';

export interface RouteDecision { event: 'route_decision'; route: string }
export interface ToolStart { event: 'tool_start'; tool: string; id?: string; arguments?: unknown }
export interface ToolEnd { event: 'tool_end'; tool: string; ms?: number; id?: string; result?: unknown; failed?: boolean }
export interface ToolProgress { event: 'tool_progress'; tool: string; id: string; message: string }
export interface Token { event: 'token'; channel: string; content: string; attempt?: number; reset?: boolean }
export interface NodeStart { event: 'node_start'; node: string }
export interface NodeEnd { event: 'node_end'; node: string; ms?: number }
export interface State { event: 'state'; node: string; fields: Record<string, unknown> }
export interface Retry { event: 'retry'; budget: string; used: number; reason?: string }
export interface Warning { event: 'warning'; rule?: string; message?: string }
export interface Queued { event: 'queued'; gate: string; position: number }
/** The rows before the answer about them, where they were asked for first (AskOptions.data). */
export interface Rows { event: 'data'; data: Data }

export interface Call { id: string; tool: string; arguments: unknown }
/** A statement waits; answered by Approval. */
export interface SqlApproval { event: 'interrupt'; node: string; type: 'sql_approval'; sql: string; runs?: string; tables?: string[]; cost?: { rows?: number }; error?: string }
/** A call of a tool waits; answered by Approval with arguments. */
export interface ToolApproval { event: 'interrupt'; node: string; type: 'tool_approval'; tool: string; arguments: unknown; error?: string }
/** Tools of the client are wanted; answered by ClientResults. */
export interface ClientTools { event: 'interrupt'; node: string; type: 'client_tools'; calls: Call[] }
/** What another node asks. */
export interface Question { event: 'interrupt'; node: string; type?: undefined; question?: string; options?: string[]; [asked: string]: unknown }
export type Interrupt = SqlApproval | ToolApproval | ClientTools | Question;

export type Approval = { action: 'approve' } | { action: 'refuse' } | { action: 'edit'; sql: string } | { action: 'edit'; arguments: object };
export interface ClientResults { results: { id: string; content: unknown; is_error?: boolean }[] }

export interface Statement { id: string; sql: string; rows: number }

export interface Complete {
  event: 'complete';
  run_id: string;
  conversation_id?: string;
  route?: string;
  stats?: Stats;
  sql?: string;
  tables?: string[];
  /** Of data_agent: the statements that ran, and which budget ended it. */
  statements?: Statement[];
  spent?: string;
  data?: Data;
  chart?: Chart;
  charts?: Chart[];
  citations?: Citation[];
  unsupported?: unknown[];
  warnings?: unknown[];
  notes?: string[];
  abstained?: string;
  clarify?: { question?: string; options: string[] };
  /** The run waits for a person: Askd.resume goes on with it. */
  interrupted?: boolean;
  /** Members of other graphs. */
  [member: string]: unknown;
}

export interface Failure {
  event: 'error';
  code: ErrorCode;
  message: string;
  retryable: boolean;
  run_id: string;
  retry_after?: number;
  stats?: Stats;
}

export type Event = RouteDecision | ToolStart | ToolEnd | ToolProgress | Token | NodeStart | NodeEnd | State | Retry | Warning | Queued | Interrupt | Rows | Complete | Failure;

/** What askd refused before there was a run, or a stream that could not be gone on with (status 0). */
export class AskdError extends Error {
  readonly status: number;
  readonly code?: string;
  /** JSON pointer to the field that is wrong. */
  readonly pointer?: string;
  readonly retryable: boolean;
}

/** A run; it begins when it is iterated, and each iteration goes on after the last event that came. */
export class Run implements AsyncIterable<Event> {
  /** Null until it has begun. */
  readonly id: string | null;
  readonly lastEventId: string | null;
  [Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined>;
  /** The text for the reader, and the last event; null: there was nothing more to hear. */
  result(): Promise<{ text: string; end: Complete | Failure | null }>;
  cancel(): Promise<void>;
}

export interface AskOptions {
  conversation?: string;
  graph?: string;
  detail?: 'core' | 'nodes' | 'debug';
  /** 'first': the rows come in an event of their own, before the answer about them. */
  data?: 'first';
  /** Idempotency-Key: the same key joins the same run. */
  key?: string;
  signal?: AbortSignal;
}

export class Askd {
  constructor(options: {
    url: string;
    /** A key, or a function that gives a token that is good now. */
    token?: string | (() => string | Promise<string>);
    company?: string;
    user?: string;
    /** How often in a row a lost connection is opened again; 5. */
    tries?: number;
    fetch?: typeof globalThis.fetch;
  });
  ask(message: string, options?: AskOptions): Run;
  rejoin(runId: string, options?: { lastEventId?: string; signal?: AbortSignal }): Run;
  resume(runId: string, answer: Approval | ClientResults | string | object, options?: { key?: string; signal?: AbortSignal }): Run;
  rows(sql: string, options?: { rows?: number }): Promise<Data>;
}
