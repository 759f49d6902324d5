import { readFile } from 'node:fs/promises';
import { createApiServer } from '@keelson/apiserver';
import { loadCluster } from '@keelson/client';
import { CertificateAuthority } from '../control-plane/certificate-authority.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { kubeconfigText } from '../control-plane/kubeconfig-text.ts';
import {
  resolveOptions,
  type ResolvedOptions,
  type TestEnvironmentOptions,
} from '../environment/environment-options.ts';
import { RunningEnvironment, type Backend } from '../environment/running-environment.ts';
import type { NewUser, TestEnvironment, TestUser } from '../environment/test-environment.ts';
import { EnvtestError } from '../errors.ts';
import { VirtualClock } from '../time/virtual-clock.ts';
import { MemoryControls } from './memory-controls.ts';
import { startWorkloads } from './start-workloads.ts';

const backends: Readonly<
  Record<ResolvedOptions['use'], (options: ResolvedOptions) => Promise<Backend>>
> = { memory: memoryBackend, binaries: binariesBackend, kubeconfig: kubeconfigBackend };

/**
 * Starts a control plane for tests, or connects to an existing cluster: see `TestEnvironmentOptions.use`. Resolves
 * when the API server is ready. Dispose of the environment (`await using`) or call `stop`.
 *
 * Throws `INVALID_OPTION`, `BINARIES_NOT_FOUND`, `BINARY_BROKEN`, `VERSION_NOT_SUPPORTED`, `PORT_IN_USE`,
 * `START_FAILED`, `START_TIMEOUT`; the last two carry the output of the processes. With `restore` it throws
 * `SNAPSHOT_UNREADABLE`, `SNAPSHOT_INVALID` and `SNAPSHOT_KIND_UNKNOWN`.
 *
 * @example
 * ```ts
 * import { createTestEnvironment } from '@keelson/envtest';
 * import { builtin, createManager } from '@keelson/manager';
 *
 * await using environment = await createTestEnvironment({ time: 'virtual' });
 * const manager = createManager({ cluster: environment.admin.cluster });
 * let runs = 0;
 * manager.addController({
 *   name: 'repeats',
 *   for: builtin.Namespace,
 *   reconcile: () => {
 *     runs += 1;
 *     return { requeueAfter: '1h' };
 *   },
 * });
 * void manager.start();
 * await environment.advance('24h');
 * console.log(runs);
 * await manager.stop();
 * ```
 */
export async function createTestEnvironment(
  options: TestEnvironmentOptions = {},
): Promise<TestEnvironment> {
  const resolved = resolveOptions(options);
  return new RunningEnvironment(await backends[resolved.use](resolved), resolved);
}

/** Runs etcd and kube-apiserver from binaries as child processes. */
async function binariesBackend(options: ResolvedOptions): Promise<Backend> {
  const plane = await ControlPlane.create(options);
  const addUser = async ({ name, groups = [] }: NewUser): Promise<TestUser> => {
    const cluster = await plane.clusterOf(name, groups);
    return { name, cluster, kubeconfig: kubeconfigText(name, cluster) };
  };
  return {
    kind: 'binaries',
    admin: await addUser({ name: 'admin', groups: ['system:masters'] }),
    addUser,
    logs: () => plane.logs(),
    controls: plane,
    accesses: undefined,
    snapshots: undefined,
    time: undefined,
    workloads: undefined,
    stop: () => plane.end(),
  };
}

/** Uses an existing cluster. `stop` does not change the cluster. */
async function kubeconfigBackend({ kubeconfig }: ResolvedOptions): Promise<Backend> {
  const cluster = { ...(await loadCluster({ file: kubeconfig })), development: true };
  return {
    kind: 'kubeconfig',
    admin: { name: 'admin', cluster, kubeconfig: await readFile(kubeconfig, 'utf8') },
    async addUser({ name }) {
      throw new EnvtestError('USERS_NOT_SUPPORTED', { user: name });
    },
    logs: () => ({}),
    controls: undefined,
    accesses: undefined,
    snapshots: undefined,
    time: undefined,
    workloads: undefined,
    stop: () => Promise.resolve(),
  };
}

/** Runs `@keelson/apiserver` in this process with RBAC and TLS: kubectl sends no token to a server without TLS. */
async function memoryBackend(options: ResolvedOptions): Promise<Backend> {
  const { port, controllers, time, featureGates, workloads, restore, version } = options;
  const { ShardedListAndWatch = false } = featureGates;
  // The authority for client certificates makes the server reject certificates of other authorities, as
  // kube-apiserver does.
  const { certificate: clientCa } = await CertificateAuthority.create();
  const clock = time && new VirtualClock(time);
  const server = await createApiServer({
    ...(clock && { clock }),
    ...(restore !== undefined && { restore }),
    ...(version !== undefined && { version }),
    port,
    authorizationMode: 'RBAC',
    tls: true,
    clientCa,
    controllers,
    featureGates: { ShardedListAndWatch },
    serviceClusterIpRange: '10.0.0.0/24',
  });
  const addUser = async ({ name, groups = [] }: NewUser): Promise<TestUser> => {
    const account = server.addUser({ name, groups });
    const cluster = { ...account, development: true, ...(clock && { clock }) };
    return { name, cluster, kubeconfig: kubeconfigText(name, cluster) };
  };
  const running = workloads && (await startWorkloads(addUser, workloads, server));
  return {
    kind: 'memory',
    admin: await addUser({ name: 'admin', groups: ['system:masters'] }),
    addUser,
    logs: () => ({}),
    controls: new MemoryControls(server),
    accesses: server,
    snapshots: server,
    time: clock,
    workloads: running?.workloads,
    stop: async () => {
      await running?.stop();
      await server.close();
    },
  };
}
