// SPDX-License-Identifier: MIT
// stream.js - one run, followed to its end through lost connections and reloads.
//
// Happy path: POST with an Idempotency-Key, frames until complete or error.
// Failure paths:
// - the connection is lost, ends early, or is silent for too long: rejoin after the last event that
//   came, at once when the browser is online again, else after growing pauses; before any event the
//   same POST is sent, and its key makes it the same run;
// - the server refuses, or has the run no more: onRefused, and that is the end.
import { Problem, request, whose } from './api.js';
import { readFrames } from './sse.js';

const PAUSES_MS = [250, 500, 1000, 2000, 5000];
const MAY_PASS = new Set([408, 425, 429, 500, 502, 503, 504]); // of a rejoin

const isEnd = event => event.event === 'complete' || event.event === 'error';

// "<run>:<n>" -> n
const numberOf = id => Number(id.slice(id.lastIndexOf(':') + 1));

export class RunStream {
  // order: { key, path, body, caller } and, to rejoin, { runId, seq }. on: { run, event, state, refused }.
  constructor(order, on, silenceMs) {
    Object.assign(this, { order, on, silenceMs, runId: order.runId, seq: order.seq ?? 0, closed: false, ended: false });
  }

  // Resolves when nothing more will come.
  async follow() {
    const wake = () => this.wake?.();
    const lose = () => this.connection?.abort();
    addEventListener('online', wake);
    addEventListener('offline', lose);
    try {
      await this.tryUntilEnded();
    } finally {
      removeEventListener('online', wake);
      removeEventListener('offline', lose);
    }
  }

  // Leave without ending the run.
  close() {
    this.closed = true;
    this.connection?.abort();
    this.wake?.();
  }

  // Ask the server to end it; the stream then says so itself.
  async cancel() {
    this.wantsCancel = true;
    if (!this.runId)
      return;
    try {
      await request(`/internal/runs/${encodeURIComponent(this.runId)}/cancel?${whose(this.order.caller)}`, { method: 'POST' });
    } catch (error) {
      if (error instanceof Problem)
        this.refuse(error);
    }
  }

  refuse(problem) {
    if (!this.closed)
      this.on.refused(problem);
    this.close();
  }

  async tryUntilEnded() {
    for (let failures = 0; !this.closed; failures++) {
      this.on.state(failures === 0 ? 'connecting' : navigator.onLine ? 'reconnecting' : 'offline');
      if (failures > 0)
        await this.pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1]);
      if (this.closed)
        return;
      try {
        if (await this.readOnce(() => { failures = 0; }))
          return;
      } catch (error) {
        if (error instanceof Problem && !(this.runId && MAY_PASS.has(error.status)))
          return this.refuse(error);
      }
    }
  }

  pause(ms) {
    return new Promise(resolve => {
      const timer = navigator.onLine ? setTimeout(resolve, ms / 2 + Math.random() * ms / 2) : 0;
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  open(signal) {
    if (this.runId) {
      return request(`/internal/runs/${encodeURIComponent(this.runId)}/stream?${whose(this.order.caller)}`,
        { signal, headers: { 'last-event-id': `${this.runId}:${this.seq}` } });
    }
    return request(this.order.path, {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json', 'idempotency-key': this.order.key },
      body: JSON.stringify(this.order.body),
    });
  }

  // Whether the run has ended.
  async readOnce(onProgress) {
    const connection = this.connection = new AbortController();
    let silence;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => connection.abort(), this.silenceMs);
    };
    try {
      heard();
      const response = await this.open(connection.signal);
      if (response.status === 204)
        return true;
      this.name(response.headers.get('x-run-id'));
      this.on.state('streaming');
      for await (const { id, data } of readFrames(response.body, heard)) {
        onProgress();
        this.take(numberOf(id), data);
      }
      return this.ended;
    } catch (error) {
      if (this.ended)
        return true; // lost after the last event: nothing is missing
      throw error;
    } finally {
      clearTimeout(silence);
    }
  }

  name(runId) {
    if (this.runId || !runId)
      return;
    this.runId = runId;
    this.on.run(runId);
    if (this.wantsCancel)
      this.cancel();
  }

  take(seq, event) {
    if (seq <= this.seq || this.ended)
      return; // had it before
    this.seq = seq;
    this.ended = isEnd(event);
    this.on.event(event, seq);
  }
}
