// SPDX-License-Identifier: MIT
// events.js - a body of Server-Sent Events, however it is cut, as { id, data }.

export async function* readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done)
        return;
      const frames = (rest + value).split('\n\n');
      rest = frames.pop();
      yield* frames.map(readFrame).filter(event => event.data !== '');
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

const readFrame = frame => {
  const event = { id: '', data: '' };
  for (const line of frame.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'id')
      event.id = value;
    if (name === 'data')
      event.data += event.data === '' ? value : `\n${value}`;
  }
  return event;
};
