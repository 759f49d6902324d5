import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { Gauge } from 'prom-client';
import { eventually, running, silent } from './testing/fixtures.test-support.ts';
import { setControllerReference, type Controller } from '@keelson/manager';

const inDefault = { namespace: 'default' };
const containers = [{ name: 'main', image: 'main:1' }];

let server: ApiServer;
let client: Client;
let operator: Manager;

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  operator = createManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
});

afterEach(async () => {
  await operator.stop();
  await client.close();
  await server.close();
});

async function createJobs(): Promise<void> {
  const template = { spec: { containers, restartPolicy: 'Never' } };
  const cronJob = await client.create(builtin.CronJob, {
    metadata: { ...inDefault, name: 'backup' },
    spec: { schedule: '0 * * * *', jobTemplate: { spec: { template } } },
  });
  for (const name of ['backup-1', 'backup-2', 'other']) {
    const job = { metadata: { ...inDefault, name }, spec: { template } };
    await client.create(builtin.Job, name === 'other' ? job : setControllerReference(job, cronJob));
  }
}

test('the code of the guide finds the Jobs of a CronJob', async () => {
  await createJobs();
  const lines: string[] = [];
  addCronJobController(operator, (line) => lines.push(line));
  await running(operator);
  await eventually(() => lines.length > 0);
  expect(lines[0]).toBe('backup has 2 Jobs, 0 of them active');
});

async function createDeployments(): Promise<void> {
  const deploymentOf = (name: string, secretName: string): object => ({
    metadata: { ...inDefault, name },
    spec: {
      paused: name === 'web',
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers, volumes: [{ name: 'secret', secret: { secretName } }] },
      },
    },
  });
  await client.create(builtin.Deployment, deploymentOf('web', 'password'));
  await client.create(builtin.Deployment, deploymentOf('api', 'certificate'));
  await client.create(builtin.Secret, { metadata: { ...inDefault, name: 'password' } });
}

async function changeSecret(): Promise<void> {
  const body = { stringData: { password: 'new' } };
  await client.patch(builtin.Secret, { ...inDefault, name: 'password' }, { type: 'merge', body });
}

test.each([[undefined], [['default', 'kube-system']]])(
  'the code of the guide finds the Deployments that use a Secret in the namespaces %p',
  async (namespaces) => {
    await using manager = createManager({
      cluster: server.cluster,
      logger: silent,
      stopSignals: [],
      ...(namespaces && { namespaces }),
    });
    await createDeployments();
    const seen: string[] = [];
    addRestartController(manager, (name) => seen.push(name));
    await running(manager);
    await eventually(() => seen.includes('web') && seen.includes('api'));
    seen.length = 0;
    await changeSecret();
    await eventually(() => seen.length > 0);
    expect(new Set(seen)).toEqual(new Set(['web']));
  },
);

test('the code of the guide maps with the cache of its controller, which a gauge reads too', async () => {
  await createDeployments();
  const seen: string[] = [];
  const controller = addImageController(operator, (name) => seen.push(name));
  addGauge(operator, controller);
  await running(operator);
  await eventually(() => ['web', 'api', 'registry'].every((name) => seen.includes(name)));
  expect(await operator.registry.metrics()).toContain('deployments_paused 1');
});

test('the code of the guide counts objects by the values of an index', async () => {
  await createJobs();
  addJobs(operator);
  await running(operator);
  expect(failedJobs(operator.cache)).toEqual([]);
  expect(counts(operator.cache)).toEqual(['Pending: 3']);
  const conditions = ['FailureTarget', 'Failed'].map((type) => ({ type, status: 'True' }));
  const status = { conditions, startTime: '2026-01-01T00:00:00Z' };
  const name = { ...inDefault, name: 'other' };
  await client.status(builtin.Job).patch(name, { type: 'merge', body: { status } });
  await eventually(() => failedJobs(operator.cache).length === 1);
  expect(counts(operator.cache).toSorted()).toEqual(['Failed: 1', 'Pending: 2']);
  expect(operator.cache.indexValues(jobsByTeam)).toEqual(['none']);
});

test('the code of the guide finds the Pods of a node by a selector', async () => {
  for (const [name, nodeName] of Object.entries({ a: 'n1', b: 'n2' })) {
    await client.create(builtin.Pod, {
      metadata: { ...inDefault, name },
      spec: { containers, nodeName },
    });
  }
  addPodReader(operator);
  await running(operator);
  expect(podsOn(operator.cache, 'n1')).toEqual(['a']);
  const [pods] = operator.cache.inventory();
  expect(pods?.indices).toMatchObject([{ name: 'field:spec.nodeName', values: 2 }]);
});

import { builtin, createManager, defineIndex, isConditionTrue } from '@keelson/manager';
import { fieldIndex } from '@keelson/manager/cache';
import type { Manager } from '@keelson/manager';
import type { CacheReader } from '@keelson/manager/cache';

// #region owned
function addCronJobController(manager: Manager, print: (line: string) => void): void {
  manager.addController({
    name: 'cron-job',
    for: builtin.CronJob,
    owns: [builtin.Job],
    async reconcile({ namespace, name }, { cache }) {
      const cronJob = cache.get(builtin.CronJob, { namespace, name });
      if (cronJob === undefined) return;
      const jobs = cache.owned(builtin.Job, cronJob);
      const active = jobs.filter(({ status }) => (status?.active ?? 0) > 0);
      print(`${name} has ${jobs.length} Jobs, ${active.length} of them active`);
    },
  });
}
// #endregion

// #region define
const jobsByPhase = defineIndex(builtin.Job, 'phase', ({ status }) => {
  const conditions = status?.conditions ?? [];
  if (isConditionTrue(conditions, 'Failed')) return ['Failed'];
  return [isConditionTrue(conditions, 'Complete') ? 'Complete' : 'Pending'];
});
// #endregion

function addJobs(manager: Manager): Controller {
  return manager.addController({
    name: 'jobs',
    reads: [{ resource: builtin.Job, indexers: [jobsByPhase, jobsByTeam] }],
    reconcile: () => undefined,
  });
}

// #region by
function failedJobs(cache: CacheReader): string[] {
  return cache.by(jobsByPhase, 'Failed').map(({ metadata }) => metadata.name);
}
// #endregion

// #region values
function counts(cache: CacheReader): string[] {
  return cache
    .indexValues(jobsByPhase)
    .map((phase) => `${phase}: ${cache.namesBy(jobsByPhase, phase).length}`);
}
// #endregion

// #region refers
/** Deployments by the Secrets that they mount. */
const deploymentsBySecret = defineIndex(builtin.Deployment, 'secret', ({ metadata, spec }) =>
  (spec?.template.spec?.volumes ?? [])
    .flatMap(({ secret }) => secret?.secretName ?? [])
    .map((name) => `${metadata.namespace}/${name}`),
);

function addRestartController(manager: Manager, restart: (name: string) => void): void {
  manager.addController({
    name: 'restart',
    for: builtin.Deployment,
    watches: [{ resource: builtin.Secret, index: deploymentsBySecret }],
    reconcile: ({ name }) => restart(name),
  });
}
// #endregion

// #region context
function addImageController(manager: Manager, rollOut: (name: string) => void): Controller {
  return manager.addController({
    name: 'image',
    for: { resource: builtin.Deployment, indexers: [deploymentsBySecret] },
    watches: [
      {
        resource: builtin.Secret,
        predicates: [
          ({ object }, { cache }) => cache.namesBy(deploymentsBySecret, object.key).length < 100,
        ],
        map: ({ key, namespace }, { cache }) => [
          ...cache.namesBy(deploymentsBySecret, key),
          { namespace, name: 'registry' },
        ],
      },
    ],
    reconcile: ({ name }) => rollOut(name),
  });
}
// #endregion

// #region gauge
function addGauge(manager: Manager, controller: Controller): Gauge {
  return new Gauge({
    name: 'deployments_paused',
    help: 'Deployments whose rollout is paused.',
    registers: [manager.registry],
    collect() {
      const deployments = controller.cache.list(builtin.Deployment);
      this.set(deployments.filter(({ spec }) => spec?.paused === true).length);
    },
  });
}
// #endregion

// #region head
const jobsByTeam = defineIndex(builtin.Job, 'team', {
  head: ({ metadata }) => [metadata.labels?.['team'] ?? 'none'],
});
// #endregion

// #region selector
function addPodReader(manager: Manager): void {
  manager.addController({
    name: 'pods',
    reads: [{ resource: builtin.Pod, indexers: [fieldIndex(builtin.Pod, 'spec.nodeName')] }],
    reconcile: () => undefined,
  });
}

function podsOn(cache: CacheReader, node: string): string[] {
  const pods = cache.list(builtin.Pod, { fieldSelector: `spec.nodeName=${node}` });
  return pods.map(({ metadata }) => metadata.name);
}
// #endregion
