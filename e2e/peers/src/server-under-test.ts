import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client, type Cluster } from '@keelson/client';
import { createTestEnvironment } from '@keelson/envtest';
import { CuttableProxy } from './cuttable-proxy.ts';
import { widgetDefinition } from './widget.ts';

/** A server that the Go program and this process work with at the same time. */
export interface ServerUnderTest extends AsyncDisposable {
  /** The driver's own connection, which no cut touches. */
  readonly client: Client;
  /** A kubeconfig file that leads through the proxy. */
  readonly kubeconfig: string;
  readonly proxy: CuttableProxy;
  /** Our server; `undefined` for the real one, which has no faults on demand. */
  readonly ours: ApiServer | undefined;
}

/** `@keelson/apiserver` in this process. TLS, since client-go sends no token without. */
export async function startOurs(): Promise<ServerUnderTest> {
  const ours = await createApiServer({ tls: true, authorizationMode: 'RBAC' });
  const { cluster } = ours;
  return serve({
    cluster,
    kubeconfig: ours.kubeconfig(),
    ours,
    async installCrds(definitions) {
      ours.seed(definitions);
      await ours.idle();
    },
    stop: () => ours.close(),
  });
}

/** etcd, kube-apiserver and the controllers that the scenarios need. */
export async function startReal(assets: string): Promise<ServerUnderTest> {
  const environment = await createTestEnvironment({
    use: 'binaries',
    assets,
    controllers: ['garbage-collector', 'namespace'],
  });
  const { cluster, kubeconfig } = environment.admin;
  return serve({
    cluster,
    kubeconfig,
    ours: undefined,
    installCrds: (definitions) => environment.installCrds(definitions),
    stop: () => environment.stop(),
  });
}

interface Started {
  readonly cluster: Cluster;
  readonly kubeconfig: string;
  readonly ours: ApiServer | undefined;
  readonly installCrds: (definitions: readonly KubernetesObject[]) => Promise<void>;
  readonly stop: () => Promise<void>;
}

async function serve({
  cluster,
  kubeconfig,
  ours,
  installCrds,
  stop,
}: Started): Promise<ServerUnderTest> {
  const client = createClient({ cluster });
  await installCrds([widgetDefinition]);
  const proxy = await CuttableProxy.before(cluster.server);
  const folder = await mkdtemp(join(tmpdir(), 'keelson-peers-'));
  const file = join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig.replaceAll(cluster.server, proxy.url), { mode: 0o600 });
  return {
    client,
    kubeconfig: file,
    proxy,
    ours,
    async [Symbol.asyncDispose]() {
      await client.close();
      await proxy[Symbol.asyncDispose]();
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}
