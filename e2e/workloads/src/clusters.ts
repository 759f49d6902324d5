import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestEnvironment } from '@keelson/envtest';
import { createLogger, createManager, type Manager } from '@keelson/manager';
import { addWorkloads, type WorkloadsOptions } from '@keelson/workloads';
import { compared, type Cluster } from './stage.ts';

/** A cluster that runs until it is disposed of. */
export interface RunningCluster extends Cluster, AsyncDisposable {}

/** The nodes of both clusters. */
const nodes: NonNullable<WorkloadsOptions['nodes']> = [
  { name: 'node-1', labels: { zone: 'zone-a' } },
  { name: 'node-2', labels: { zone: 'zone-a' } },
  { name: 'node-3', labels: { zone: 'zone-b' } },
];

const realControllers = [
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'daemonset-controller',
  'job-controller',
  'cronjob-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
];

type Environment = Awaited<ReturnType<typeof createTestEnvironment>>;

/** A manager that watches the compared kinds. */
function managerOf({ admin }: Environment): Manager {
  const manager = createManager({
    cluster: admin.cluster,
    logger: createLogger({ level: 'error' }),
    stopSignals: [],
    gracePeriod: '1s',
  });
  for (const resource of compared) manager.cache.acquire({ resource }, { owner: 'sessions' });
  return manager;
}

/** Starts the server in memory with the workloads of this project. */
export async function startMemory(): Promise<RunningCluster> {
  const environment = await createTestEnvironment({ use: 'memory', workloads: { nodes } });
  const manager = managerOf(environment);
  const stopped = manager.start();
  await manager.started;
  await manager.cache.waitForSync();
  return {
    name: 'memory',
    client: manager.client,
    cache: manager.cache,
    pods: environment.pods,
    async [Symbol.asyncDispose]() {
      await manager.stop();
      await stopped;
      await environment.stop();
    },
  };
}

/** Starts kube-apiserver with kube-controller-manager, and the scheduler and the kubelets of this project. */
export async function startReal(assets: string): Promise<RunningCluster> {
  const environment = await createTestEnvironment({ use: 'binaries', assets });
  const folder = await mkdtemp(join(tmpdir(), 'keelson-workloads-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, environment.admin.kubeconfig);
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${realControllers.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=1000',
    '--kube-api-burst=2000',
    // A claim is bound to a later volume in the next period only. Default 15 s.
    '--pvclaimbinder-sync-period=1s',
  ];
  const process = spawn(join(assets, 'kube-controller-manager'), flags, { stdio: 'ignore' });
  const manager = managerOf(environment);
  const { pods } = addWorkloads(manager, { nodes, controllers: ['scheduler'] });
  const stopped = manager.start();
  await manager.started;
  await manager.cache.waitForSync();
  return {
    name: 'kube-controller-manager',
    client: manager.client,
    cache: manager.cache,
    pods,
    async [Symbol.asyncDispose]() {
      await manager.stop();
      await stopped;
      if (process.exitCode === null) {
        process.kill();
        await once(process, 'exit');
      }
      await environment.stop();
      await rm(folder, { recursive: true });
    },
  };
}
