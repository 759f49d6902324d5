import {
  builtin,
  type ApiResource,
  type KubernetesObject,
  type ObjectOf,
} from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createLogger, createManager, type Manager } from '@keelson/manager';
import type { ClusterRequest } from '@keelson/manager/clusters';

const { ConfigMap } = builtin;

/** An idle event loop does so many turns in about ten seconds; a busy machine delays sockets by more than a few. */
const MAX_TURNS = 4_000_000;

/** Resolves when the condition is true; checks it after every turn of the event loop. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; !(await condition()); turns += 1) {
    if (turns > MAX_TURNS) throw new Error('the condition did not become true');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * A hub, two member clusters with a ConfigMap each, and a manager of the hub whose controller records the ConfigMaps of
 * every cluster, with the server that it read them from.
 */
export class FleetWorld implements AsyncDisposable {
  readonly hub: ApiServer;
  readonly members: readonly [ApiServer, ApiServer];
  readonly client: Client;
  readonly manager: Manager;
  /** The runs, such as `default/one: member-0`. */
  readonly runs: string[] = [];
  readonly lines: string[] = [];

  private constructor(hub: ApiServer, members: readonly [ApiServer, ApiServer]) {
    this.hub = hub;
    this.members = members;
    this.client = createClient({ cluster: hub.cluster });
    const logger = createLogger({ level: 'debug', write: (line) => void this.lines.push(line) });
    this.manager = createManager({
      cluster: hub.cluster,
      logger,
      stopSignals: [],
      gracePeriod: 0,
      controllers: { backoff: { base: 1, max: 10 } },
    });
    this.manager.addController({
      name: 'record',
      for: { resource: ConfigMap, clusters: 'all', labelSelector: 'member' },
      reconcile: (request: ClusterRequest) =>
        void this.runs.push(`${request.cluster}: ${request.name}`),
    });
  }

  static async open(...kinds: readonly ApiResource[]): Promise<FleetWorld> {
    const [hub, one, other] = await Promise.all([
      createApiServer({}),
      createApiServer({}),
      createApiServer({}),
    ]);
    for (const [at, server] of [one, other].entries()) {
      const metadata = { namespace: 'default', name: `member-${at}`, labels: { member: '' } };
      server.seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
    }
    const world = new FleetWorld(hub, [one, other]);
    for (const kind of kinds) {
      await world.client.create(builtin.CustomResourceDefinition, crdOf(kind));
    }
    return world;
  }

  async start(): Promise<void> {
    this.manager.start().catch(() => undefined);
    await this.manager.started;
  }

  /** Expects that the runs from now on include these, and none of other clusters. */
  async ran(...expected: readonly string[]): Promise<void> {
    await eventually(() => expected.every((one) => this.runs.includes(one)));
    const others = this.runs.splice(0).filter((one) => !expected.includes(one));
    if (others.length > 0) throw new Error(`other runs: ${others.join(', ')}`);
  }

  /** Resolves when the log has a line of this error code. */
  async failed(code: string): Promise<void> {
    await eventually(() => this.lines.some((line) => line.includes(`"${code}"`)));
  }

  /** Resolves when the log says that the clusters were removed. */
  async removed(...names: readonly string[]): Promise<void> {
    const isRemoved = (name: string): boolean =>
      this.lines.some((line) => line.includes('"cluster removed"') && line.includes(`"${name}"`));
    await eventually(() => names.every(isRemoved));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.stop();
    await this.client.close();
    await Promise.all([this.hub, ...this.members].map((server) => server.close()));
  }
}

/** The Secret of a kubeconfig. */
export function secretOf(
  name: string,
  kubeConfig: string,
  {
    key = 'kubeconfig',
    labels = { fleet: 'member' },
  }: { key?: string; labels?: Record<string, string> } = {},
): KubernetesObject & { data: Record<string, string> } {
  const data = { [key]: Buffer.from(kubeConfig).toString('base64') };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name, labels },
    data,
  };
}

function crdOf(resource: ApiResource): ObjectOf<typeof builtin.CustomResourceDefinition> {
  const { group, version, kind, plural } = resource;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
    },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
