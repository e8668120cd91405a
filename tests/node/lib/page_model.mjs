// SPDX-License-Identifier: MIT
// tests/node/lib/page_model.mjs - a model server that says no more than the test lets it say.
//
// It speaks OpenAI's stream like mockllm, and holds where a line says so: after its first words, until
// release(). No pace, so that what a test sees does not depend on the machine.
import http from 'node:http';

const textOf = (messages, role) => messages.filter(one => one.role === role).map(one => one.content);

const chunk = (content, finish = null) => `data: ${JSON.stringify({
  id: 'x', object: 'chat.completion.chunk', created: 1, model: 'mock',
  choices: [{ index: 0, delta: content === null ? {} : { content }, finish_reason: finish }],
})}\n\n`;

const read = async request => {
  const parts = [];
  for await (const part of request)
    parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
};

export class PageModel {
  // lines: as of scripts.mjs, and hold: after how many words to wait.
  constructor(lines) {
    this.lines = lines;
    this.held = [];
    this.gone = 0; // streams that the caller left
    this.asked = []; // the messages of each request
    this.server = http.createServer((request, response) => this.answer(request, response).catch(() => response.destroy()));
  }

  async start() {
    await new Promise(resolve => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  stop() {
    this.release();
    this.server.closeAllConnections();
    return new Promise(resolve => this.server.close(resolve));
  }

  // Let those that wait go on to their end.
  release() {
    for (const go of this.held.splice(0))
      go();
  }

  async answer(request, response) {
    const { messages = [] } = await read(request);
    this.asked.push(messages);
    const system = textOf(messages, 'system').join('\n'), user = textOf(messages, 'user').at(-1) ?? '';
    const line = this.lines.find(one => system.includes(one.system ?? '') && user.includes(one.user ?? ''));
    const words = (line?.reply ?? 'nothing to say').match(/\s*\S+|\s+$/g) ?? [];
    response.on('close', () => { this.gone += !response.writableFinished; });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [i, word] of words.entries()) {
      if (i === line?.hold)
        await new Promise(resolve => this.held.push(resolve));
      response.write(chunk(word));
    }
    response.end(`${chunk(null, 'stop')}data: [DONE]\n\n`);
  }
}
