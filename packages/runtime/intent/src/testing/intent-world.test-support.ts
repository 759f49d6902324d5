import {
  builtin,
  defineResource,
  type ApiResource,
  type Condition,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { crdOf } from './fixtures.test-support.ts';

/** A kind whose spec a durable intent records. */
export interface App extends KubernetesObject {
  spec?: { image?: string; replicas?: number; data?: Record<string, string> };
  status?: { lastApplied?: string; image?: string; conditions?: Condition[] };
}

export const App: ApiResource<App> = defineResource<App>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
});

export const annotation = 'example.com/last-applied';

/** A server with the kind and one object of it. */
export class IntentWorld implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly name = { namespace: 'default', name: 'shop' };

  private constructor(server: ApiServer) {
    this.server = server;
    this.client = createClient({ cluster: server.cluster });
  }

  static async open(): Promise<IntentWorld> {
    const world = new IntentWorld(await createApiServer({}));
    await world.client.create(builtin.CustomResourceDefinition, crdOf(App));
    return world;
  }

  create(spec: App['spec'] = { image: 'a' }, metadata: object = {}): Promise<Persisted<App>> {
    return this.client.create(App, { metadata: { ...this.name, ...metadata }, spec });
  }

  read(): Promise<Persisted<App>> {
    return this.client.get(App, this.name);
  }

  change(spec: NonNullable<App['spec']>): Promise<Persisted<App>> {
    return this.client.patch(App, this.name, { type: 'merge', body: { spec } });
  }

  /** The number of requests that changed something, so far. */
  get writes(): number {
    return this.server.stats.requests({ verb: ['create', 'update', 'patch', 'delete'] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.server.close();
  }
}
