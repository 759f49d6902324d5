import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiResource, builtin } from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import { helmProgram } from '@keelson/e2e-control-plane';
import { ControlledCluster } from '../kubernetes/cluster.ts';
import { serverOf } from '../kubernetes/server-of.ts';
import { writeChart } from './chart.ts';

const { ConfigMap, Deployment, Job, Pod, Service } = builtin;
const namespace = 'charts';

let cluster: ControlledCluster;
let client: Client;
let chart: string;
let program: string;

beforeAll(async () => {
  program = await helmProgram();
  chart = await mkdtemp(join(tmpdir(), 'keelson-chart-'));
  await writeChart(chart);
  cluster = await ControlledCluster.start(serverOf(process.env));
  client = createClient({ cluster: cluster.cluster });
});

afterAll(async () => {
  await client.close();
  await cluster[Symbol.asyncDispose]();
  await rm(chart, { recursive: true });
});

async function helm(...words: readonly string[]): Promise<string> {
  const args = ['--kubeconfig', cluster.kubeconfig, '--namespace', namespace, ...words];
  const home = join(chart, 'home');
  const env = {
    ...process.env,
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
  };
  return (await promisify(execFile)(program, args, { env })).stdout;
}

async function names(resource: ApiResource): Promise<string[]> {
  const { items } = await client.list(resource, { namespace });
  return items.map(({ metadata }) => metadata.name).toSorted();
}

/** The state of the release in the cluster. */
async function stateOf(): Promise<object> {
  const deployment = await client.get(Deployment, { namespace, name: 'web' });
  const { replicas, template } = deployment.spec ?? {};
  return {
    replicas,
    available: deployment.status?.availableReplicas,
    image: template?.spec?.containers[0]?.image,
    jobs: await names(Job),
    settings: (await names(ConfigMap)).filter((name) => name === 'web'),
  };
}

const wait = ['--wait', '--timeout', '2m'];

test('helm installs, upgrades, rolls back, tests and uninstalls a chart with hooks', async () => {
  await helm('install', 'web', chart, '--create-namespace', ...wait);
  const installed = { replicas: 2, available: 2, image: 'web:1', settings: ['web'] };
  expect(await stateOf()).toEqual({ ...installed, jobs: ['web-pre-install'] });
  const changes = ['--set', 'replicas=3,image=web:2,settings=false'];
  await helm('upgrade', 'web', chart, ...changes, ...wait, '--wait-for-jobs');
  const jobs = ['web-post-upgrade', 'web-pre-install'];
  const upgraded = { replicas: 3, available: 3, image: 'web:2', settings: [], jobs };
  expect(await stateOf()).toEqual(upgraded);
  await helm('rollback', 'web', '1', ...wait);
  expect(await stateOf()).toEqual({ ...installed, jobs });
  const refused = helm('upgrade', 'web', chart, '--set', 'replicas=none', ...wait);
  await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining('replicas') });
  const history = JSON.parse(await helm('history', 'web', '--output', 'json')) as object[];
  expect(history).toMatchObject([
    { revision: 1, status: 'superseded' },
    { revision: 2, status: 'superseded' },
    { revision: 3, status: 'deployed' },
    { revision: 4, status: 'failed' },
  ]);
  expect(await helm('test', 'web', '--timeout', '2m')).toContain('Phase:          Succeeded');
  expect(await names(Pod)).toContain('web-test');
  await helm('uninstall', 'web', ...wait);
  expect([await names(Deployment), await names(Service)]).toEqual([[], []]);
  expect(await names(Job)).toEqual([...jobs, 'web-pre-delete'].toSorted());
  expect(await helm('list', '--all', '--short')).toBe('');
});
