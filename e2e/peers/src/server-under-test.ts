import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client, type Cluster } from '@keelson/client';
import { createTestEnvironment } from '@keelson/envtest';
import { FaultyProxy } from './faulty-proxy.ts';
import { widgetDefinition } from './widget.ts';

/** A separate connection to a server, so that a fault affects no other test. */
export interface Route {
  readonly proxy: FaultyProxy;
  /** The path of a kubeconfig whose server is the proxy. */
  readonly kubeconfig: string;
}

/** A server that the Go program and this process use at the same time. */
export interface ServerUnderTest extends AsyncDisposable {
  readonly name: string;
  /** The connection of the test itself, which faults do not affect. */
  readonly client: Client;
  /** `@keelson/apiserver`; `undefined` for the real server, which cannot inject faults. */
  readonly ours: ApiServer | undefined;
  /** Opens a new connection; the caller disposes of its proxy. */
  connect(): Promise<Route>;
  /** Expires every resourceVersion up to the current one; restarts a kube-apiserver. */
  compact(): Promise<void>;
}

/** Starts `@keelson/apiserver` in this process, with TLS: client-go sends no token without TLS. */
export async function startOurs(): Promise<ServerUnderTest> {
  const ours = await createApiServer({ tls: true, authorizationMode: 'RBAC' });
  const { cluster } = ours;
  return serve({
    name: 'our server',
    cluster,
    kubeconfig: ours.kubeconfig(),
    ours,
    compact: async () => ours.compact(),
    async installCrds(definitions) {
      ours.seed(definitions);
      await ours.idle();
    },
    stop: () => ours.close(),
  });
}

/** Starts etcd and kube-apiserver without controllers, which learn of new kinds only after up to 30 s. */
export async function startReal(assets: string): Promise<ServerUnderTest> {
  const environment = await createTestEnvironment({ use: 'binaries', assets });
  const { admin, controls } = environment;
  const { cluster, kubeconfig } = admin;
  return serve({
    name: 'the real server',
    cluster,
    kubeconfig,
    ours: undefined,
    async compact() {
      if (controls === undefined) throw new Error('a real server from binaries has controls');
      await controls.compact();
    },
    installCrds: (definitions) => environment.installCrds(definitions),
    stop: () => environment.stop(),
  });
}

interface Started extends Pick<ServerUnderTest, 'name' | 'ours' | 'compact'> {
  readonly cluster: Cluster;
  readonly kubeconfig: string;
  readonly installCrds: (definitions: readonly KubernetesObject[]) => Promise<void>;
  readonly stop: () => Promise<void>;
}

async function serve(started: Started): Promise<ServerUnderTest> {
  const { name, ours, cluster, kubeconfig } = started;
  const client = createClient({ cluster });
  await started.installCrds([widgetDefinition]);
  const folder = await mkdtemp(join(tmpdir(), 'keelson-peers-'));
  let routes = 0;
  return {
    name,
    client,
    ours,
    compact: () => started.compact(),
    async connect() {
      const proxy = await FaultyProxy.before(cluster.server);
      const file = join(folder, `kubeconfig-${++routes}`);
      await writeFile(file, kubeconfig.replaceAll(cluster.server, proxy.url), { mode: 0o600 });
      return { proxy, kubeconfig: file };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await started.stop();
      await rm(folder, { recursive: true });
    },
  };
}
