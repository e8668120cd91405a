// SPDX-License-Identifier: MIT
// sse.js - bytes of an event stream -> { id, data }.
//
// Lines may be cut anywhere, also inside a character. Comments (heartbeats) are passed over.

// Whole numbers that a double cannot hold stay text, as they were written.
const keepDigits = (key, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '') ? context.source : value;

const parseJson = text => /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);

// body: a ReadableStream; onBytes: called whenever anything came.
export async function* readFrames(body, onBytes) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '', id, data = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done)
        return;
      onBytes();
      const lines = (rest + value).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        const text = line.endsWith('\r') ? line.slice(0, -1) : line;
        if (text.startsWith('id:'))
          id = text.slice(3).trim();
        else if (text.startsWith('data:'))
          data.push(text.slice(text[5] === ' ' ? 6 : 5));
        else if (text === '' && data.length > 0) {
          yield { id, data: parseJson(data.join('\n')) };
          data = [];
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // already broken
  }
}
