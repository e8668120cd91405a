// SPDX-License-Identifier: MIT
// tests/node/manifests.test.mjs - docker/compose.yaml and the Kubernetes manifests are well-formed and
// name nothing that is not there: files, build targets, variables, ports, paths, labels, volumes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Ajv from 'ajv';
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
    'restart', 'depends_on', 'healthcheck', 'profiles', 'command', 'entrypoint'],
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

test('the Dockerfile and the unit name variables of askd, and the user that a package makes', () => {
  for (const path of ['docker/Dockerfile', 'docker/askd.service', 'deploy/debian/askd.env'])
    for (const [name] of read(path).matchAll(/\b(?:ASKD|OPENAI|DB)_[A-Z_0-9]+/g))
      assert.ok(isVariable(name), `${path}: ${name}`);
  assert.equal(read('docker/askd.service').match(/^User=(\w+)$/m)[1], read('deploy/debian/sysusers.conf').match(/^u (\w+) /m)[1]);
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
  assert.deepEqual(Object.keys(compose), ['services', 'volumes']); // docker-compose 1.29 of Debian 12 knows no "name"
  assert.deepEqual(Object.keys(compose.services).sort(), ['askd', 'bff', 'chroma', 'documents', 'grafana', 'mariadb', 'mock', 'postgres', 'prometheus', 'qdrant', 'redis']);
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
      const isMade = Object.values(compose.services).some(other => other.build && other.image === service.image);
      assert.ok(isMade || !service.image.endsWith(':latest'), `${name}: which one?`);
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
  const samples = [...text.matchAll(/\/usr\/local\/share\/askd\/(\S+)/g)].map(match => match[1]);
  assert.ok(samples.length >= 6);
  for (const path of samples)
    assert.ok(existsSync(join(sourceDir, path)), path);
  const [, user, password] = text.match(/postgresql:\/\/(\w+):(\w+)@/);
  for (const dialect of ['postgres', 'mysql'])
    assert.match(read(`docker/reader.${dialect}.sql`), new RegExp(`'?${user}'?[^;]*'${password}'`), dialect);
  for (const path of dockerfile.matchAll(/^COPY (?!--from)(\S+) /gm))
    assert.ok(existsSync(join(sourceDir, path[1])), `${path[1]} is copied`);
});

test('compose: the sample’s settings and documents are those of ./run', () => {
  const { services } = parse(read('docker/compose.yaml'));
  const runs = read('run');
  const added = [...runs.matchAll(/^ {4}add_documents (.*)$/gm)].map(match => match[1].replace(/ ?samples\//, ' ').trim());
  const composed = services.documents.command[0].trim().split('\n').map(line => line.replace('askd docs add ', '').replace('/usr/local/share/askd/samples/', ''));
  assert.deepEqual(composed, added);
  assert.deepEqual(services.documents.environment, services.askd.environment, 'the same stores');
  const set = Object.fromEntries([...runs.matchAll(/^ {4}sample_setting (\w+) (\S+)/gm)].map(match => [match[1], match[2]]));
  delete set.CONVERSATION_DB_PATH; // Redis has them
  assert.ok(Object.keys(set).length >= 6);
  for (const [name, value] of Object.entries(set)) {
    const given = services.askd.environment[name];
    if (/\.json$/.test(value))
      assert.equal(given.split('/').pop(), value.split('/').pop(), name);
    else
      assert.equal(given, value, name);
  }
});

test('the mock’s script is one', () => {
  for (const text of read('docker/mock_script.jsonl').trimEnd().split('\n'))
    assert.ok(JSON.parse(text).reply);
});

// ---- Kubernetes ----

const BASE = 'deploy/kubernetes/base', OVERLAYS = 'deploy/kubernetes/overlays', CHART = 'deploy/helm/askd';
const documentsOf = text => {
  const documents = parseAllDocuments(text, { uniqueKeys: true });
  for (const document of documents)
    assert.deepEqual(document.errors, []);
  return documents.map(document => document.toJS()).filter(Boolean);
};
const resourcesOf = folder => {
  const { resources } = parse(read(join(folder, 'kustomization.yaml')));
  return resources.filter(name => name.endsWith('.yaml')).flatMap(name => documentsOf(read(join(folder, name))));
};
const base = resourcesOf(BASE);
const kindOf = (all, kind) => all.find(one => one.kind === kind);

// What is the same for manifests and chart.
const holds = (all, where) => {
  const settings = kindOf(all, 'ConfigMap').data;
  for (const [name, value] of Object.entries(settings)) {
    assert.ok(isVariable(name), `${where}: ${name} is no variable`);
    assert.equal(typeof value, 'string', `${where}: ${name} is quoted`);
  }
  for (const name of ['ASKD_CHECKPOINT_URL_FILE', 'ASKD_VECTOR_URL_FILE', 'ASKD_KEYWORD_URL_FILE', 'ASKD_API_KEYS_FILE'])
    assert.ok(settings[name], `${where}: replicas share ${name}`);
  assert.equal(settings.ASKD_MODEL, 'offline');
  assert.ok(!Object.keys(settings).some(name => /OPENAI/.test(name)), `${where}: without a model no key is needed`);
  assert.ok(!kindOf(all, 'Ingress'), `${where}: only a backend for frontends is reached from outside`);
  const { template, selector, strategy } = kindOf(all, 'Deployment').spec;
  const fits = match => Object.entries(match).every(([key, value]) => template.metadata.labels[key] === value);
  const [spread] = template.spec.topologySpreadConstraints;
  for (const match of [selector.matchLabels, kindOf(all, 'Service').spec.selector, kindOf(all, 'PodDisruptionBudget').spec.selector.matchLabels,
    spread.labelSelector.matchLabels, kindOf(all, 'NetworkPolicy').spec.podSelector.matchLabels])
    assert.ok(fits(match), `${where}: ${JSON.stringify(match)}`);
  assert.equal(strategy.rollingUpdate.maxUnavailable, 0);
  const [container] = template.spec.containers;
  const port = container.ports.find(one => one.name === 'http');
  const routes = read('server/process/routes.c');
  for (const [name, path] of [['livenessProbe', '/healthz'], ['readinessProbe', '/readyz'], ['startupProbe', '/healthz']]) {
    assert.deepEqual(container[name].httpGet, { path, port: 'http' });
    assert.ok(routes.includes(`"${path}"`));
  }
  assert.deepEqual(kindOf(all, 'Service').spec.ports[0], { name: 'http', port: port.containerPort, targetPort: 'http' });
  const [allowed] = kindOf(all, 'NetworkPolicy').spec.ingress;
  assert.deepEqual(allowed.ports, [{ protocol: 'TCP', port: 'http' }]);
  assert.ok(allowed.from.length === 2 && allowed.from.every(one => one.podSelector), `${where}: not everybody`);
  const drain = Number(settings.ASKD_DRAIN_DELAY_SECONDS) + Number(settings.ASKD_DRAIN_TIMEOUT_SECONDS);
  assert.ok(template.spec.terminationGracePeriodSeconds >= drain + 10);
  assert.ok(Number(settings.ASKD_DRAIN_DELAY_SECONDS) > 0, 'endpoints are removed while it still takes connections');
  const scaling = kindOf(all, 'HorizontalPodAutoscaler').spec;
  assert.equal(scaling.scaleTargetRef.name, kindOf(all, 'Deployment').metadata.name);
  assert.equal(scaling.metrics[0].pods.metric.name, 'askd_sse_streams_active');
  assert.ok(scaling.minReplicas >= 2 && kindOf(all, 'PodDisruptionBudget').spec.minAvailable < scaling.minReplicas);
  assert.equal(container.securityContext.readOnlyRootFilesystem, true);
  assert.equal(template.spec.securityContext.runAsUser, Number(dockerfile.match(/^USER (\d+)\nWORKDIR \/data/m)[1]));
  assert.deepEqual(container.volumeMounts.map(one => one.name).sort(), template.spec.volumes.map(one => one.name).sort());
  for (const value of Object.entries(settings).filter(([name]) => name.endsWith('_FILE')).map(([, path]) => path))
    assert.ok(container.volumeMounts.some(one => value.startsWith(`${one.mountPath}/`)), value);
};

test('Kubernetes: shared stores, probes, drain, spread, a budget, a wall, no way in from outside', () => {
  assert.deepEqual(base.map(one => one.kind), ['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget', 'HorizontalPodAutoscaler', 'NetworkPolicy']);
  holds(base, BASE);
});

test('Kubernetes: overlays name files that are there, and patch what the base has', () => {
  for (const overlay of readdirSync(join(sourceDir, OVERLAYS))) {
    const folder = join(OVERLAYS, overlay);
    const kustomization = parse(read(join(folder, 'kustomization.yaml')));
    assert.equal(kustomization.kind, 'Kustomization');
    assert.ok(kustomization.resources.includes('../../base') && kustomization.namespace);
    const named = ['kustomization.yaml', ...kustomization.resources.slice(1), ...kustomization.patches.map(one => one.path)];
    assert.deepEqual(readdirSync(join(sourceDir, folder)).sort(), named.sort(), 'each file is used');
    for (const { path } of kustomization.patches)
      for (const patch of documentsOf(read(join(folder, path)))) {
        const patched = kindOf(base, patch.kind);
        assert.deepEqual([patch.apiVersion, patch.metadata.name], [patched.apiVersion, patched.metadata.name], path);
        // A merge patch of data: null takes away what the base has.
        for (const [name, value] of Object.entries(patch.data ?? {}))
          assert.ok(value === null ? name in patched.data : isVariable(name) && typeof value === 'string', `${path}: ${name}`);
      }
    for (const image of kustomization.images ?? [])
      assert.ok(kindOf(base, 'Deployment').spec.template.spec.containers[0].image.startsWith(`${image.name}:`));
  }
  const [monitor] = documentsOf(read(join(OVERLAYS, 'prod/monitor.yaml')));
  const service = kindOf(base, 'Service');
  assert.deepEqual(monitor.spec.selector.matchLabels, service.metadata.labels);
  assert.equal(monitor.spec.endpoints[0].port, service.spec.ports[0].name);
  assert.ok(read('server/process/routes.c').includes(`"${monitor.spec.endpoints[0].path}"`));
});

// The templates have two forms only, each of which is what it stands for: a value, and a value as JSON,
// which is YAML; a whole file may hang on one value.
const render = (text, values) => {
  const at = path => path.split('.').reduce((value, name) => {
    assert.ok(value !== undefined && name in value, `there is no value ${path}`);
    return value[name];
  }, values);
  const whole = text.match(/^(?:#.*\n)?\{\{- if \.Values\.(\S+) \}\}\n([\s\S]*)\{\{- end \}\}\n$/);
  const used = new Set(whole ? [whole[1]] : []);
  const body = (whole ? whole[2] : text).replace(/\{\{ (toJson )?\.Values\.([A-Za-z.]+) \}\}/g, (_, json, path) => {
    used.add(path);
    return json ? JSON.stringify(at(path)) : String(at(path));
  });
  assert.doesNotMatch(body, /\{\{/, 'another form of template');
  return { documents: whole && !at(whole[1]) ? [] : documentsOf(body), used };
};

test('Helm: the chart makes what the manifests are; its values are all used, and fit their schema', () => {
  const values = parse(read(join(CHART, 'values.yaml')));
  const templates = readdirSync(join(sourceDir, CHART, 'templates'));
  const renderWith = given => templates.map(name => render(read(join(CHART, 'templates', name)), given));
  const all = renderWith(values);
  const made = all.flatMap(one => one.documents);
  holds(made, CHART);
  for (const one of base) {
    const same = structuredClone(kindOf(made, one.kind));
    if (one.kind === 'Deployment')
      same.spec.template.spec.containers[0].image = one.spec.template.spec.containers[0].image;
    assert.deepEqual(same, one, one.kind);
  }
  assert.equal(made.length, base.length);
  assert.ok(renderWith({ ...values, serviceMonitor: true }).flatMap(one => one.documents).some(one => one.kind === 'ServiceMonitor'));
  const used = new Set(all.flatMap(one => [...one.used]));
  const schema = JSON.parse(read(join(CHART, 'values.schema.json')));
  const chart = parse(read(join(CHART, 'Chart.yaml')));
  assert.deepEqual([chart.apiVersion, chart.name, values.image.tag], ['v2', 'askd', chart.appVersion]);
  assert.ok(read('CMakeLists.txt').includes(`project(askd VERSION ${chart.appVersion} `));
  for (const [name, value] of Object.entries(values)) {
    const leaves = ['image', 'replicas'].includes(name) ? Object.keys(value).map(leaf => `${name}.${leaf}`) : [name];
    for (const leaf of leaves)
      assert.ok(used.has(leaf), `${leaf} is used by no template`);
  }
  const judge = new Ajv({ strict: false }).compile(schema);
  assert.ok(judge(values), JSON.stringify(judge.errors));
  for (const wrong of [{ image: {} }, { replicas: { least: 0, most: 1, streams: 1 } }, { settings: { lower: 'x' } }, { settings: { A: 1 } }, { extra: 1 }])
    assert.ok(!judge({ ...values, ...wrong }), JSON.stringify(wrong));
});

test('alerts: promtool takes them, and each metric and label is one that askd has', async () => {
  const rules = parse(read('docker/alerts.yml')).groups.flatMap(group => group.rules);
  const { rule_files: files } = parse(read('docker/prometheus.yml'));
  const mounted = parse(read('docker/compose.yaml')).services.prometheus.volumes.map(volume => volume.split(':'));
  for (const file of files)
    assert.ok(mounted.some(([source, target]) => source === `./${file}` && target === `/etc/prometheus/${file}`), file);
  const sources = readdirSync(join(sourceDir, 'server/observe')).map(name => read(join('server/observe', name))).join('\n');
  assert.equal(new Set(rules.map(rule => rule.alert)).size, rules.length);
  for (const { alert, expr, labels, annotations } of rules) {
    assert.ok(['page', 'ticket'].includes(labels.severity) && annotations.summary && annotations.description, alert);
    for (const [name] of expr.matchAll(/\baskd_\w+/g))
      assert.ok(sources.includes(`"${name.replace(/_bucket$/, '')}"`), `${alert}: there is no ${name}`);
    for (const [, name, value] of expr.matchAll(/(\w+)="(\w+)"/g))
      assert.ok(name === 'job' || (sources.includes(`${name}=\\"`) && sources.includes(`"${value}"`)), `${alert}: ${name}=${value}`);
  }
  const promtool = join(sourceDir, 'build/tools/usr/bin/promtool');
  if (existsSync(promtool)) {
    const judged = await run(promtool, ['check', 'rules', join(sourceDir, 'docker/alerts.yml')]);
    assert.equal(judged.code, 0, judged.stdout + judged.stderr);
  }
});
