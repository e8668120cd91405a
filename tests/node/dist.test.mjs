// SPDX-License-Identifier: MIT
// tests/node/dist.test.mjs - what scripts/dist.sh makes of a build: checksums that hold, an image whose
// descriptors are right and which serves when it is unpacked, a list of packages in SPDX's shape.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sampleDatabase, sourceDir, tempPath } from './lib/harness.mjs';
import { Process } from './lib/process.mjs';

const has = program => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const needed = ['cpack', 'dpkg-deb', 'dpkg-shlibdeps', 'sha256sum'].filter(program => !has(program));
const skip = needed.length > 0 && `without ${needed.join(', ')}`;
const out = tempPath('dist');
const run = (command, args, options) => {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26, ...options });
  assert.equal(done.status, 0, `${command} ${args.join(' ')}: ${done.error ?? ''}${done.stdout}${done.stderr}`);
  return done.stdout;
};
const sha256 = bytes => createHash('sha256').update(bytes).digest('hex');

if (!skip)
  run('sh', [join(sourceDir, 'scripts/dist.sh'), dirname(process.env.ASKD_BIN), out]);
const only = ending => join(out, readdirSync(out).find(name => name.endsWith(ending)));
const layout = join(out, 'layout');
const blob = descriptor => {
  const bytes = readFileSync(join(layout, 'blobs/sha256', descriptor.digest.replace('sha256:', '')));
  assert.deepEqual([`sha256:${sha256(bytes)}`, bytes.length], [descriptor.digest, descriptor.size]);
  return bytes;
};
const readImage = () => {
  mkdirSync(layout, { recursive: true });
  run('tar', ['-xf', only('.oci.tar'), '-C', layout]);
  assert.deepEqual(JSON.parse(readFileSync(join(layout, 'oci-layout'))), { imageLayoutVersion: '1.0.0' });
  const index = JSON.parse(readFileSync(join(layout, 'index.json')));
  const manifest = JSON.parse(blob(index.manifests[0]));
  return { index, manifest, config: JSON.parse(blob(manifest.config)), layers: manifest.layers.map(blob) };
};

test('the checksums are of all that was made, and hold', { skip }, () => {
  const listed = readFileSync(join(out, 'SHA256SUMS'), 'utf8').trimEnd().split('\n').map(line => line.split('  '));
  assert.deepEqual(listed.map(([, name]) => name).sort(), readdirSync(out).filter(name => name.startsWith('askd_')).sort());
  assert.equal(listed.length, 3);
  for (const [sum, name] of listed)
    assert.equal(sha256(readFileSync(join(out, name))), sum, name);
});

test('the image is one by the specification, and says what the Dockerfile says', { skip }, () => {
  const { index, manifest, config, layers } = readImage();
  assert.equal(index.manifests[0].mediaType, manifest.mediaType);
  assert.equal(manifest.config.mediaType, 'application/vnd.oci.image.config.v1+json');
  assert.deepEqual(config.rootfs.diff_ids.length, layers.length);
  const layer = spawnSync('gzip', ['-dc'], { input: layers[0], maxBuffer: 1 << 30 }).stdout;
  assert.equal(config.rootfs.diff_ids[0], `sha256:${sha256(layer)}`);
  const dockerfile = readFileSync(join(sourceDir, 'docker/Dockerfile'), 'utf8').split(' AS askd\n')[1];
  const user = dockerfile.match(/^USER (\d+)/m)[1];
  assert.equal(config.config.User, `${user}:${user}`);
  assert.equal(config.config.WorkingDir, dockerfile.match(/^WORKDIR (\S+)/m)[1]);
  assert.deepEqual(Object.keys(config.config.ExposedPorts), [`${dockerfile.match(/^EXPOSE (\d+)/m)[1]}/tcp`]);
  assert.equal(config.config.StopSignal, dockerfile.match(/^STOPSIGNAL (\S+)/m)[1]);
  assert.deepEqual(config.config.Cmd, JSON.parse(dockerfile.match(/^CMD (.*)/m)[1]));
  for (const setting of dockerfile.match(/^ENV (.*)/m)[1].split(' '))
    assert.ok(config.config.Env.includes(setting), setting);
});

test('the unpacked image serves', { skip }, async t => {
  const root = tempPath('root');
  mkdirSync(root);
  readImage().layers.forEach(bytes => run('tar', ['-xz', '-C', root, '--no-same-owner'], { input: bytes }));
  // Nothing of this system is in reach but what an engine gives each container, too: /proc and /dev.
  const inside = (...words) => ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec',
    'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot "$0" "$@"', root, ...words];
  if (spawnSync('unshare', inside('/usr/bin/askd', 'version')).status !== 0) {
    t.skip('no namespaces for users here');
    return;
  }
  copyFileSync(await sampleDatabase(), join(root, 'data/sample.db'));
  const server = new Process('unshare', inside('/usr/bin/askd', 'serve', '--port', '0', '--host', '127.0.0.1', '--model', 'offline',
    '--db', 'sqlite:/data/sample.db', '--set', 'ASKD_TENANCY=off', '--set', 'CONVERSATION_DB_PATH=/data/conversations.db', '--today', '2025-06-30'), { input: null });
  t.after(() => server.child.kill('SIGKILL'));
  const [url] = await server.said(/http:\/\/127\.0\.0\.1:\d+/);
  const answer = await fetch(`${url}/ask`, { method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'How many customers are there?' }) });
  const text = await answer.text();
  assert.equal(answer.status, 200, text + server.stderr);
  assert.match(JSON.parse(text).summary, /There are \d+ customers/);
});

test('the list of what is in it has the shape of SPDX 2.3, and every library that askd is linked with', { skip }, () => {
  const list = JSON.parse(readFileSync(only('.spdx.json')));
  assert.deepEqual([list.spdxVersion, list.dataLicense, list.SPDXID], ['SPDX-2.3', 'CC0-1.0', 'SPDXRef-DOCUMENT']);
  assert.match(list.documentNamespace, /^https:\/\/\S+$/);
  assert.match(list.creationInfo.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const ids = list.packages.map(one => one.SPDXID);
  assert.equal(new Set(ids).size, ids.length);
  for (const one of list.packages) {
    assert.match(one.SPDXID, /^SPDXRef-[A-Za-z0-9.-]+$/);
    assert.ok(one.name && one.versionInfo && one.downloadLocation && one.filesAnalyzed === false, one.name);
    for (const reference of one.externalRefs ?? [])
      assert.match(reference.referenceLocator, /^pkg:deb\/debian\/[a-z0-9.%A-F+-]+@\S+\?arch=\w+$/);
  }
  for (const one of list.relationships)
    assert.ok([list.SPDXID, ...ids].includes(one.spdxElementId) && ids.includes(one.relatedSpdxElement), one.relatedSpdxElement);
  assert.equal(list.packages[0].checksums[0].checksumValue, sha256(readFileSync(only('.deb'))));
  const packages = readFileSync(join(sourceDir, 'scripts/packages.sh'), 'utf8').match(/RUN_PACKAGES="([^"]*)"/)[1].split(/\s+/);
  for (const name of packages)
    assert.ok(list.packages.some(one => one.name === name), name);
});
