import { afterEach, beforeEach } from '@jest/globals';
import {
  builtin,
  defineResource,
  type ApiResource,
  type KubernetesObject,
  type ObjectOf,
} from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import {
  createLogger,
  createManager,
  type Logger,
  type Manager,
  type ManagerOptions,
} from '@keelson/manager';

export interface WebApp extends KubernetesObject {
  spec?: { image?: string };
  status?: { ready?: boolean };
}

export const WebApp: ApiResource<WebApp> = defineResource<WebApp>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'WebApp',
  plural: 'webapps',
});

export const silent: Logger = createLogger({ level: 'silent' });

/** An idle event loop does so many turns in about ten seconds; a busy machine delays sockets by more than a few. */
const MAX_TURNS = 4_000_000;

/** Resolves when the condition is true; checks it after every turn of the event loop. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; !(await condition()); turns += 1) {
    if (turns > MAX_TURNS) throw new Error('the condition did not become true');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A promise that the test resolves. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** The CustomResourceDefinition with which a server serves the kind. */
export function crdOf(resource: ApiResource): ObjectOf<typeof builtin.CustomResourceDefinition> {
  const { group, version, kind, plural } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
}

/** Starts a manager and waits until it has started. */
export async function running(manager: Manager): Promise<void> {
  manager.start().catch(() => undefined);
  await manager.started;
}

/** The value of the series of a metric that has these labels. */
export async function valueOf(
  manager: Manager,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const { values } = (await manager.registry.getSingleMetric(name)?.get()) ?? { values: [] };
  const match = values.find((value) =>
    Object.entries(labels).every(([label, text]) => value.labels[label] === text),
  );
  return match?.value;
}

/** Makes managers for a server in memory that serves `WebApp`; both end after the test. */
export interface ManagersOfTest {
  make(options?: ManagerOptions): Manager;
}

/** Starts a server before each test of the file, and stops its managers after it. */
export function managersOfTest(): ManagersOfTest {
  const managers: Manager[] = [];
  let server: ApiServer;
  beforeEach(async () => {
    server = await createApiServer({});
    await using client = createClient({ cluster: server.cluster });
    await client.create(builtin.CustomResourceDefinition, crdOf(WebApp));
  });
  afterEach(async () => {
    await Promise.all(managers.splice(0).map((manager) => manager.stop()));
    await server.close();
  });
  return {
    make(options = {}) {
      const defaults = { cluster: server.cluster, logger: silent, stopSignals: [], gracePeriod: 0 };
      const manager = createManager({ ...defaults, ...options });
      managers.push(manager);
      return manager;
    },
  };
}
