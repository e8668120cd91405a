// SPDX-License-Identifier: MIT
// tests/node/lib/bff.mjs - the example BFF as a process, and an nginx in front of it that compresses
// whatever it may.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { newConversation, sourceDir, stopAtEnd, tempPath } from './harness.mjs';
import { Process, until } from './process.mjs';

const folder = join(sourceDir, 'examples/bff-node');
export const nginxPath = [join(sourceDir, 'build/tools/usr/sbin/nginx'), '/usr/sbin/nginx']
  .find(path => spawnSync(path, ['-v']).status === 0);
if (!existsSync(join(folder, 'node_modules'))) {
  console.log('no examples/bff-node/node_modules: npm ci there');
  process.exit(77);
}

class Bff {
  constructor(child, url) {
    this.child = child;
    this.url = url;
    this.cookie = '';
  }

  fetch(path, { headers = {}, ...options } = {}) {
    return fetch(this.url + path, { ...options, headers: { cookie: this.cookie, ...headers } });
  }

  post(path, body, options = {}) {
    return this.fetch(path, {
      method: 'POST', body: JSON.stringify(body), ...options,
      headers: { 'content-type': 'application/json', ...options.headers },
    });
  }

  async logIn(name = 'ana', password = name) {
    const response = await this.post('/api/login', { name, password });
    this.cookie = response.headers.getSetCookie().map(text => text.split(';')[0]).join('; ');
    return response;
  }

  // Somebody else at the same door.
  other(url = this.url) {
    return new Bff(this.child, url);
  }

  say(message, { id = newConversation().id, ...options } = {}) {
    return this.post('/askd/internal/chat/stream', { input: { message }, conversation: { id }, options: { detail: 'nodes' } }, options);
  }

  async stop() {
    if (!this.child.result)
      this.child.child.kill('SIGTERM');
    assert.deepEqual(await this.child.wait(), { code: 0, signal: null }, this.child.stderr);
  }
}

export const startBff = async (askd, env = {}) => {
  const child = new Process(process.execPath, [join(folder, 'server.mjs')], {
    cwd: folder, env: { ASKD_URL: askd.url, ASKD_API_KEY: 'key-of-the-bff', BFF_PORT: '0', BFF_LOG: 'warn', ...env }, input: null,
  });
  const [, port] = await child.said(/bff: http:\/\/127\.0\.0\.1:(\d+)\D/);
  return stopAtEnd(new Bff(child, `http://127.0.0.1:${port}`));
};

// A port that nobody has, and that the kernel gives to no one who asks for any.
const freePort = (port = 10000 + process.pid * 7 % 5000) => new Promise(resolve => {
  const server = createServer().on('error', () => resolve(freePort(port + 1))).listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
});

// Its address.
export const startNginx = async target => {
  const place = tempPath('nginx');
  const port = await freePort();
  mkdirSync(place);
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${place}/${name};`).join(' ');
  writeFileSync(join(place, 'nginx.conf'), `
    daemon off; pid ${place}/pid; error_log stderr warn; events {}
    http {
      access_log off; ${temp}
      gzip on; gzip_min_length 1; gzip_proxied any; gzip_types text/event-stream text/css text/javascript application/json;
      server {
        listen 127.0.0.1:${port};
        location / { proxy_pass ${target}; proxy_http_version 1.1; proxy_set_header Connection ""; }
      }
    }`);
  const nginx = new Process(nginxPath, ['-p', place, '-c', join(place, 'nginx.conf')], { cwd: place, input: null });
  stopAtEnd({ child: nginx, stop: () => nginx.child.kill('SIGQUIT') && nginx.ended });
  const url = `http://127.0.0.1:${port}`;
  await until('nginx', () => fetch(url).then(() => true, () => false));
  return url;
};
