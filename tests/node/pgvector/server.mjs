// SPDX-License-Identifier: MIT
// tests/node/pgvector/server.mjs PORT PIDFILE - PostgreSQL with pgvector on a port of loopback, for the
// tests of it: PGlite, since Debian 12 has no package of pgvector.
//
// PGlite is one backend, so its connections share a session and take turns. A turn is what a
// connection sends up to a Sync or a query, whole, and goes on while its transaction is open: or two
// pipelines would meet in one unnamed statement. Who goes in the middle of a transaction has it
// rolled back. There is no TLS, no login and nothing to cancel.
import net from 'node:net';
import { writeFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';

const [port, pidFile] = process.argv.slice(2);
const SSL_REQUEST = 80877103, CANCEL_REQUEST = 80877102, IDLE = 0x49; // 'I'
const SYNC = 0x53, QUERY = 0x51, TERMINATE = 0x58; // 'S', 'Q', 'X'
const db = await PGlite.create({ extensions: { vector } });

const waiting = [];
let busy = false, owner = null;

const next = () => {
  const index = busy ? -1 : waiting.findIndex(each => owner === null || each.client === owner);
  if (index < 0)
    return;
  busy = true;
  waiting.splice(index, 1)[0].go();
};

// Work that nobody else's comes between.
const takeTurn = async (client, work) => {
  await new Promise((go) => {
    waiting.push({ client, go });
    next();
  });
  try {
    await work();
  } finally {
    busy = false;
    next();
  }
};

// Messages that end with a ReadyForQuery, whose last byte says whether a transaction is open.
const play = (client, messages) => takeTurn(client, async () => {
  let status = IDLE;
  for (const message of messages) {
    const answer = await db.execProtocolRaw(message);
    status = answer.at(-1) ?? status;
    if (!client.destroyed)
      client.write(answer);
  }
  owner = status === IDLE ? null : client;
});

const leave = client => takeTurn(client, async () => {
  if (owner !== client)
    return;
  await db.exec('ROLLBACK');
  owner = null;
});

class Reader {
  pieces = [];
  bytes = 0;

  push(piece) {
    this.pieces.push(piece);
    this.bytes += piece.length;
  }

  // The first count bytes, joined; null when they are not here yet.
  peek(count) {
    if (this.bytes < count)
      return null;
    if (this.pieces[0].length < count)
      this.pieces = [Buffer.concat(this.pieces)];
    return this.pieces[0].subarray(0, count);
  }

  // The next message; the first ones have no type, and their length is at the front.
  take(hasType) {
    const head = this.peek(hasType ? 5 : 4);
    const message = head && this.peek(hasType ? head.readInt32BE(1) + 1 : head.readInt32BE(0));
    if (!message)
      return null;
    this.pieces[0] = this.pieces[0].subarray(message.length);
    this.bytes -= message.length;
    return message;
  }
}

net.createServer((client) => {
  const reader = new Reader();
  let started = false, batch = [];
  const greet = (message) => {
    const code = message.readInt32BE(4);
    if (code === SSL_REQUEST)
      return client.write('N');
    if (code === CANCEL_REQUEST)
      return client.end();
    started = true;
    return play(client, [message]);
  };
  const hear = (message) => {
    if (message[0] === TERMINATE)
      return client.end();
    batch.push(message);
    if (message[0] !== SYNC && message[0] !== QUERY)
      return null;
    const whole = batch;
    batch = [];
    return play(client, whole);
  };
  client.setNoDelay(true);
  client.on('error', () => {}); // close follows
  client.on('close', () => leave(client));
  client.on('data', (piece) => {
    reader.push(piece);
    for (let message = reader.take(started); message; message = reader.take(started))
      started ? hear(message) : greet(message);
  });
}).listen(Number(port), '127.0.0.1', function () {
  writeFileSync(pidFile, `${process.pid}\n`);
  console.log(`postgresql://postgres@127.0.0.1:${this.address().port}/postgres?sslmode=disable`);
});
process.on('SIGTERM', () => process.exit(0));
