import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { loadCluster, type Cluster } from '@keelson/manager';

/** The cluster an example runs against. */
export interface ExampleCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  /** The embedded server, if it is one. */
  readonly server: ApiServer | undefined;
}

/** The cluster of a kubeconfig file, or without one an API server inside this process. */
export async function openCluster(kubeconfig: string | undefined): Promise<ExampleCluster> {
  if (kubeconfig !== undefined) {
    const cluster = await loadCluster({ file: kubeconfig });
    return { cluster, server: undefined, async [Symbol.asyncDispose]() {} };
  }
  const server = await createApiServer();
  return {
    cluster: { server: server.url },
    server,
    [Symbol.asyncDispose]: () => server.close(),
  };
}
