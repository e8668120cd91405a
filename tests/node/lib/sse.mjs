// SPDX-License-Identifier: MIT
// tests/node/lib/sse.mjs - event streams: what came, parsed by eventsource-parser and checked byte by byte.
//
// Every stream that ended is held against PLATFORM.md 1.0 and CONTRACTS "Stream": LF only, one data
// line an event, ids without gaps, no nulls, exactly one terminal event and nothing after it.
import assert from 'node:assert/strict';
import { createParser } from 'eventsource-parser';

export const isTerminal = event => event.event === 'complete' || event.event === 'error';

// Ids of a run's events rise by one, from 1; those of a server that goes on with the run begin behind the
// next multiple of this.
const IDS_A_SERVER = 1e9;
export const serverOf = id => Math.floor(Number(id.split(':')[1]) / IDS_A_SERVER) + 1;
export const comesNext = (id, last) => {
  const [run, n] = id.split(':'), [before, m] = last.split(':');
  return run === before && (Number(n) === Number(m) + 1 || (n > Number(m) && n % IDS_A_SERVER === 1));
};

const hasNull = value => value === null || (typeof value === 'object' && Object.values(value).some(hasNull));

export class Transcript {
  constructor() {
    this.raw = '';
    this.frames = []; // { id, data }
    this.comments = [];
    this.decoder = new TextDecoder('utf-8', { fatal: true });
    this.parser = createParser({
      onEvent: frame => {
        assert.equal(frame.event, undefined, 'an event: line hides frames from onmessage');
        this.frames.push({ id: frame.id, data: JSON.parse(frame.data) });
      },
      onComment: text => this.comments.push(text),
      onError: error => { throw error; },
    });
  }

  push(bytes) {
    const text = this.decoder.decode(bytes, { stream: true });
    this.raw += text;
    this.parser.feed(text);
  }

  get events() {
    return this.frames.map(frame => frame.data);
  }

  of(name) {
    return this.events.filter(event => event.event === name);
  }

  get last() {
    return this.events.at(-1);
  }

  // What a client shows: a reset drops what was said before it.
  get text() {
    return this.of('token').filter(event => event.channel === 'final')
      .reduce((text, event) => (event.reset ? '' : text) + event.content, '');
  }

  get runId() {
    return this.frames[0]?.id.slice(0, this.frames[0].id.lastIndexOf(':'));
  }

  // first: the first id expected; or after, the last one that the client had, when another server goes on.
  check({ first = 1, after } = {}) {
    assert.ok(this.raw.startsWith(': ok\n'), `begins with ": ok": ${JSON.stringify(this.raw.slice(0, 40))}`);
    assert.ok(!this.raw.includes('\r'), 'no CR');
    for (const line of this.raw.split('\n'))
      assert.match(line, /^$|^: ?(ok|hb)$|^id: .+:\d+$|^data: \{.*\}$/, 'a line of the contract');
    assert.ok(!/\n: hb\n\n/.test(this.raw), 'no blank line after a heartbeat');
    if (after)
      this.frames.forEach(({ id }, i) => assert.ok(comesNext(id, this.frames[i - 1]?.id ?? after), `${id} comes next`));
    else
      this.frames.forEach((frame, i) => assert.equal(frame.id, `${this.runId}:${first + i}`));
    for (const event of this.events)
      assert.ok(event.event === 'state' || event.data || !hasNull(event), `no null in ${JSON.stringify(event)}`);
    const terminals = this.events.filter(isTerminal);
    assert.equal(terminals.length, 1, `one terminal event in ${this.raw.slice(-2000)}`);
    assert.ok(isTerminal(this.last), 'nothing follows the terminal event');
    assert.equal(this.last.run_id, this.runId, 'the terminal event names its run');
    return this;
  }

  complete(options) {
    this.check(options);
    assert.equal(this.last.event, 'complete', JSON.stringify(this.last));
    return this.last;
  }

  error(code, options) {
    this.check(options);
    assert.equal(this.last.event, 'error', JSON.stringify(this.last));
    assert.equal(this.last.code, code, JSON.stringify(this.last));
    assert.equal(typeof this.last.retryable, 'boolean');
    assert.ok(this.last.message.length > 0);
    return this.last;
  }
}

// Read a web stream to its end, or until stop(transcript) is true.
export const readStream = async (body, stop = () => false, transcript = new Transcript()) => {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done)
      return transcript;
    transcript.push(value);
    if (stop(transcript)) {
      reader.releaseLock();
      return transcript;
    }
  }
};
