// SPDX-License-Identifier: MIT
// tests/node/lib/balancer.mjs - a plain TCP balancer in front of servers that come and go: connections go
// round and round, to the next that accepts; they can be cut, or stalled both ways.
import net from 'node:net';

export const startBalancer = async ports => {
  const pairs = new Set();
  let turn = 0;
  const connect = (client, tries) => {
    if (tries === 0)
      return client.destroy();
    const upstream = net.connect(ports()[turn++ % ports().length], '127.0.0.1');
    upstream.once('error', () => connect(client, tries - 1));
    upstream.once('connect', () => {
      const pair = { client, upstream };
      pairs.add(pair);
      upstream.removeAllListeners('error');
      for (const [from, to] of [[client, upstream], [upstream, client]]) {
        from.on('error', () => to.destroy());
        from.on('close', () => {
          pairs.delete(pair);
          to.destroy();
        });
        from.pipe(to);
      }
    });
  };
  const server = net.createServer({ noDelay: true }, client => {
    client.on('error', () => {});
    connect(client, 2 * ports().length);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const some = pick => [...pairs].filter(pick);
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut: pick => some(pick).forEach(({ client, upstream }) => {
      upstream.resetAndDestroy?.();
      client.resetAndDestroy?.();
    }),
    stall: (pick, ms) => some(pick).forEach(({ client, upstream }) => {
      for (const socket of [client, upstream])
        socket.pause();
      setTimeout(() => [client, upstream].forEach(socket => socket.resume()), ms).unref();
    }),
    stop: () => {
      some(() => true).forEach(({ client }) => client.destroy());
      server.close();
    },
  };
};
