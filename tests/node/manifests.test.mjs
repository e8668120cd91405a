// SPDX-License-Identifier: MIT
// tests/node/manifests.test.mjs - docker/compose.yaml and the Kubernetes manifests are well-formed and
// name nothing that is not there: files, build targets, variables, ports, paths, labels, volumes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { askdCommand, sourceDir } from './lib/harness.mjs';
import { run } from './lib/process.mjs';

const dockerfiles = (await import('dockerfile-utils').catch(() => null))?.default; // npm ci brings it

const read = path => readFileSync(join(sourceDir, path), 'utf8');
const dockerfile = read('docker/Dockerfile');
const targets = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(match => match[1]);
const bffVariables = [...read('examples/bff-node/README.md').matchAll(/`([A-Z]+_[A-Z_]+)`/g)].map(match => match[1]);

const variables = (await askdCommand(['config', 'env-example'])).stdout.match(/^#?([A-Z][A-Z_0-9]+)=/gm).map(text => text.replace(/[#=]/g, ''));
const isVariable = name => variables.includes(name) || (name.endsWith('_FILE') && variables.includes(name.slice(0, -5)));

const KEYS = {
  service: ['build', 'image', 'environment', 'ports', 'volumes', 'read_only', 'cap_drop', 'security_opt', 'stop_grace_period',
    'restart', 'depends_on', 'healthcheck', 'profiles', 'command'],
  build: ['context', 'dockerfile', 'target'],
  healthcheck: ['test', 'interval', 'timeout', 'retries'],
};
const keysOf = (what, object, where) => {
  for (const key of Object.keys(object))
    assert.ok(KEYS[what].includes(key), `${where} has ${key}`);
};

test('the Dockerfiles have no instruction, flag or argument that Docker does not know', { skip: !dockerfiles && 'no dockerfile-utils' }, () => {
  for (const path of ['docker/Dockerfile', 'examples/bff-node/Dockerfile'])
    assert.deepEqual(dockerfiles.validate(read(path)).map(one => `${path}:${one.range.start.line + 1}: ${one.message}`), []);
  assert.ok(dockerfiles.validate('FROM debian\nCOPPY a b\n').length > 0, 'the judge is awake');
});

test('Prometheus scrapes askd where it listens, Grafana reads from that Prometheus and shows the dashboard', async () => {
  const { services } = parse(read('docker/compose.yaml'));
  const { scrape_configs: jobs } = parse(read('docker/prometheus.yml'));
  assert.deepEqual(jobs.find(job => job.job_name === 'askd').static_configs, [{ targets: ['askd:8080'] }]);
  const promtool = join(sourceDir, 'build/tools/usr/bin/promtool');
  if (existsSync(promtool)) {
    const judged = await run(promtool, ['check', 'config', join(sourceDir, 'docker/prometheus.yml')]);
    assert.equal(judged.code, 0, judged.stdout + judged.stderr);
  }
  const mounts = Object.fromEntries(services.grafana.volumes.map(volume => volume.split(':')));
  const at = Object.fromEntries(Object.entries(mounts).map(([source, target]) => [target, source]));
  const [source] = parse(read(join('docker', at['/etc/grafana/provisioning/datasources/askd.yaml']))).datasources;
  assert.deepEqual([source.type, source.url], ['prometheus', 'http://prometheus:9090']);
  const [provider] = parse(read(join('docker', at['/etc/grafana/provisioning/dashboards/askd.yaml']))).providers;
  const dashboard = services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH;
  assert.equal(dashboard, `${provider.options.path}/askd.json`);
  assert.equal(JSON.parse(read(join('docker', at[dashboard]))).uid, 'askd');
});

test('compose: what it names is there', () => {
  const compose = parse(read('docker/compose.yaml'), { uniqueKeys: true });
  assert.deepEqual(Object.keys(compose), ['name', 'services', 'volumes']);
  assert.deepEqual(Object.keys(compose.services).sort(), ['askd', 'bff', 'chroma', 'grafana', 'mariadb', 'mock', 'postgres', 'prometheus', 'qdrant', 'redis']);
  const used = new Set();
  for (const [name, service] of Object.entries(compose.services)) {
    keysOf('service', service, name);
    assert.match(service.image, /^[a-z0-9/-]+:[a-z0-9.]+$/, `${name} names its image`);
    if (service.build) {
      keysOf('build', service.build, name);
      const context = resolve(sourceDir, 'docker', service.build.context);
      assert.ok(existsSync(join(context, service.build.dockerfile ?? 'Dockerfile')), `${name}: no Dockerfile`);
      if (service.build.target)
        assert.ok(targets.includes(service.build.target), `${name}: no target ${service.build.target}`);
    } else {
      assert.ok(!service.image.endsWith(':latest'), `${name}: which one?`);
    }
    for (const volume of service.volumes ?? []) {
      const [source, target, mode] = volume.split(':');
      assert.ok(target.startsWith('/'), volume);
      if (source.startsWith('./'))
        assert.ok(existsSync(join(sourceDir, 'docker', source)) && mode === 'ro', volume);
      else
        assert.ok(used.add(source) && source in compose.volumes, volume);
    }
    for (const port of service.ports ?? [])
      assert.match(port, /^127\.0\.0\.1:\d+:\d+$/, `${name} listens on loopback`);
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      assert.ok(compose.services[other], `${name} depends on ${other}`);
      assert.ok(!compose.services[other].profiles, `${name} depends on ${other}, which may not be there`);
      if (condition === 'service_healthy')
        assert.ok(compose.services[other].healthcheck || compose.services[other].build.target === 'askd', `${other} has no health`);
    }
    if (service.healthcheck) {
      keysOf('healthcheck', service.healthcheck, name);
      assert.equal(service.healthcheck.test[0], 'CMD');
    }
  }
  assert.deepEqual([...used].sort(), Object.keys(compose.volumes).sort());
});

test('compose: variables are askd’s and the BFF’s, addresses are services', () => {
  const { services } = parse(read('docker/compose.yaml'));
  for (const name of Object.keys(services.askd.environment))
    assert.ok(isVariable(name), `${name} is no variable of askd`);
  for (const name of Object.keys(services.bff.environment))
    assert.ok(bffVariables.includes(name), `${name} is no variable of the BFF`);
  assert.equal(services.askd.environment.ASKD_API_KEYS, services.bff.environment.ASKD_API_KEY);
  const ports = { askd: 8080, bff: 3000, postgres: 5432, redis: 6379, qdrant: 6333, mariadb: 3306, chroma: 8000, mock: 8089, prometheus: 9090 };
  const text = read('docker/compose.yaml');
  for (const [, host, port] of text.matchAll(/(?:\/\/|@)([a-z]+):(\d+)/g))
    assert.equal(Number(port), ports[host], `${host}:${port}`);
  assert.ok(services.askd.ports[0].endsWith(`:${dockerfile.match(/^EXPOSE (\d+)\nSTOPSIGNAL/m)[1]}`));
  assert.match(dockerfile, /"--port", "8089"/);
  const samples = services.askd.environment.ASKD_SECURE_VIEWS.replace('/usr/local/share/askd/', '');
  assert.ok(existsSync(join(sourceDir, samples)), samples);
  const [, user, password] = text.match(/postgresql:\/\/(\w+):(\w+)@/);
  for (const dialect of ['postgres', 'mysql'])
    assert.match(read(`docker/reader.${dialect}.sql`), new RegExp(`'?${user}'?[^;]*'${password}'`), dialect);
  for (const path of dockerfile.matchAll(/^COPY (?!--from)(\S+) /gm))
    assert.ok(existsSync(join(sourceDir, path[1])), `${path[1]} is copied`);
});

test('the mock’s script is one', () => {
  for (const text of read('docker/mock_script.jsonl').trimEnd().split('\n'))
    assert.ok(JSON.parse(text).reply);
});

test('Kubernetes: probes, drain, scaling by streams, a disruption budget, and labels that meet', () => {
  const documents = parseAllDocuments(read('docker/kubernetes/askd.yaml'), { uniqueKeys: true });
  for (const document of documents)
    assert.deepEqual(document.errors, []);
  const all = documents.map(document => document.toJS());
  const of = kind => all.find(one => one.kind === kind);
  assert.deepEqual(all.map(one => one.kind), ['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget', 'HorizontalPodAutoscaler', 'Ingress']);
  const settings = of('ConfigMap').data;
  for (const [name, value] of Object.entries(settings)) {
    assert.ok(isVariable(name), `${name} is no variable`);
    assert.equal(typeof value, 'string', `${name} is quoted`);
  }
  const { template, selector } = of('Deployment').spec;
  const labels = Object.entries(template.metadata.labels);
  for (const match of [selector.matchLabels, of('Service').spec.selector, of('PodDisruptionBudget').spec.selector.matchLabels])
    assert.ok(Object.entries(match).every(([key, value]) => labels.some(label => label[0] === key && label[1] === value)));
  const [container] = template.spec.containers;
  const port = container.ports.find(one => one.name === 'http');
  const routes = read('server/process/routes.c');
  for (const [name, path] of [['livenessProbe', '/healthz'], ['readinessProbe', '/readyz'], ['startupProbe', '/healthz']]) {
    assert.equal(container[name].httpGet.path, path);
    assert.equal(container[name].httpGet.port, 'http');
    assert.ok(routes.includes(`"${path}"`));
  }
  assert.equal(of('Service').spec.ports[0].targetPort, 'http');
  assert.equal(String(port.containerPort), template.metadata.annotations['prometheus.io/port']);
  const drain = Number(settings.ASKD_DRAIN_DELAY_SECONDS) + Number(settings.ASKD_DRAIN_TIMEOUT_SECONDS);
  assert.ok(template.spec.terminationGracePeriodSeconds >= drain + 10);
  assert.ok(Number(settings.ASKD_DRAIN_DELAY_SECONDS) > 0, 'endpoints are removed while it still takes connections');
  const hpa = of('HorizontalPodAutoscaler').spec;
  assert.equal(hpa.scaleTargetRef.name, of('Deployment').metadata.name);
  assert.equal(hpa.metrics[0].pods.metric.name, 'askd_sse_streams_active');
  assert.ok(hpa.minReplicas >= 2 && of('PodDisruptionBudget').spec.minAvailable < hpa.minReplicas);
  assert.equal(container.securityContext.readOnlyRootFilesystem, true);
  assert.equal(template.spec.securityContext.runAsUser, Number(dockerfile.match(/^USER (\d+)\nWORKDIR \/data/m)[1]));
  const mounts = container.volumeMounts.map(one => one.name);
  assert.deepEqual(mounts.sort(), template.spec.volumes.map(one => one.name).sort());
  for (const value of Object.entries(settings).filter(([name]) => name.endsWith('_FILE')).map(([, path]) => path))
    assert.ok(container.volumeMounts.some(one => value.startsWith(`${one.mountPath}/`)), value);
  const backend = of('Ingress').spec.rules[0].http.paths[0].backend.service;
  assert.equal(backend.name, of('Service').metadata.name);
});
