import { createApiServer, type ApiServer } from '@keelson/apiserver';
import {
  createLogger,
  createManager,
  type ApiResource,
  type Client,
  type KubernetesObject,
  type ObjectName,
  type Persisted,
} from '@keelson/manager';
import { addWorkloads, type Workloads, type WorkloadsOptions } from '../index.ts';

/** A server with workloads. */
export interface WorkloadCluster extends AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly workloads: Workloads;
}

/** Starts a server with workloads. */
export async function startCluster(options: WorkloadsOptions = {}): Promise<WorkloadCluster> {
  const server = await createApiServer({ controllers: ['garbage-collector'] });
  const manager = createManager({
    cluster: server.cluster,
    logger: createLogger({ level: 'error' }),
    stopSignals: [],
  });
  const workloads = addWorkloads(manager, options);
  const running = manager.start();
  await manager.started;
  return {
    server,
    client: manager.client,
    workloads,
    async [Symbol.asyncDispose]() {
      await manager.stop();
      await running;
      await server.close();
    },
  };
}

/** Waits until an object matches. */
export async function until<T extends KubernetesObject>(
  client: Client,
  resource: ApiResource<T>,
  { namespace, name }: ObjectName,
  matches: (object: Persisted<T>) => boolean,
): Promise<void> {
  const fieldSelector = `metadata.name=${name}`;
  const { items, metadata } = await client.list(resource, { namespace, fieldSelector });
  if (items.some(matches)) return;
  const { resourceVersion } = metadata;
  for await (const event of client.watch(resource, { namespace, fieldSelector, resourceVersion })) {
    const isObject = event.type === 'ADDED' || event.type === 'MODIFIED';
    if (isObject && matches(event.object)) return;
  }
}
