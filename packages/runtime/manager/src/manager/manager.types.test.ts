import { describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject, type ObjectOf } from '@keelson/apimachinery';
import { WebApp } from '../testing/fixtures.test-support.ts';
import {
  createManager,
  generationChanged,
  isDeleting,
  labelsChanged,
  mutableCopy,
  requestFor,
  watching,
  type Controller,
  type ControllerOptions,
  type DeepReadonly,
  type Logger,
  type Manager,
  type Persisted,
  type Request,
} from '../index.ts';
import type { Predicate, WatchOptions } from '../entry-points/sources.ts';
import type { ObjectView } from '../entry-points/cache.ts';

const { ConfigMap, Deployment, Node, Secret } = builtin;

/** Never called. The test is that this function compiles and that the marked lines do not. */
export async function wiring(manager: Manager): Promise<void> {
  const controller = manager.addController({
    name: 'web-app',
    for: {
      resource: WebApp,
      predicates: [generationChanged, ({ object }) => object.value().spec?.image !== ''],
    },
    owns: [Deployment, { resource: ConfigMap, predicates: [labelsChanged] }],
    watches: [
      { resource: Secret, map: (secret) => ({ name: secret.value().type ?? '' }) },
      {
        resource: ConfigMap,
        map: (map) => Object.keys(map.value().data ?? {}).map((name) => ({ name })),
      },
      // @ts-expect-error a Secret has no replicas
      { resource: Secret, map: (secret) => ({ name: secret.value().spec.replicas }) },
      // @ts-expect-error a mapper returns requests
      { resource: Secret, map: (secret) => secret.name },
      // @ts-expect-error a request has a name
      { resource: Secret, map: (secret) => ({ nam: secret.name }) },
      // @ts-expect-error a watch has a mapper
      { resource: Secret },
    ],
    async reconcile({ namespace, name }, { cache, client, signal }) {
      const app = cache.get(WebApp, { namespace, name });
      // @ts-expect-error objects of the cache are read-only
      if (app?.spec !== undefined) app.spec.image = 'changed';
      // @ts-expect-error a WebApp has no replicas
      void app?.spec?.replicas;
      await client.get(Deployment, { namespace, name }, { signal });
      return { requeueAfter: '30s' };
    },
  });
  const plain: Controller = controller;
  plain.enqueue({ namespace: 'a', name: 'b' });
  // @ts-expect-error a request has a name
  plain.enqueue({ namespace: 'a' });

  manager.addController({
    name: 'wrong-owns',
    for: WebApp,
    // @ts-expect-error owns wants resource tokens
    owns: ['Deployment'],
    reconcile: () => undefined,
  });
  // @ts-expect-error a controller has a reconcile
  manager.addController({ name: 'no-reconcile', for: WebApp });
  // @ts-expect-error an outcome is known
  manager.addController({ name: 'wrong-outcome', reconcile: () => ({ requeueIn: 3 }) });
  manager.addController({
    name: 'wrong-asynchronous-outcome',
    // @ts-expect-error a member of an outcome is known
    reconcile: async () => ({ requeueAfter: '30s', prio: 3 }),
  });
  manager.addController({ name: 'unknown-outcome', reconcile: () => JSON.parse('{}') });
  manager.addController({ name: 'throws', reconcile: async () => Promise.reject(new Error('no')) });
  manager.addController({
    name: 'several-outcomes',
    for: WebApp,
    reconcile: async ({ name }) => {
      if (name === '') return;
      return name === 'a' ? { retry: true } : { requeueAfter: `${name.length}s`, priority: 1 };
    },
  });
  manager.addController({
    name: 'namespaces',
    for: { resource: WebApp, namespaces: ['a'] },
    owns: [{ resource: ConfigMap, namespaces: ['a'] }],
    reads: [{ resource: Secret, namespaces: ['a'] }],
    watches: [
      { resource: Secret, namespaces: ['a'], map: () => undefined },
      // @ts-expect-error the kind is cluster-scoped
      { resource: Node, namespaces: ['a'], map: () => undefined },
    ],
    namespaces: ['a', 'b'],
    reconcile: () => undefined,
  });
  manager.addController({
    name: 'namespaces-of-nodes',
    // @ts-expect-error the kind is cluster-scoped
    for: { resource: Node, namespaces: ['a'] },
    reconcile: () => undefined,
  });
  // @ts-expect-error the kind is cluster-scoped
  controller.watch({ resource: Node, namespaces: ['a'], map: () => undefined });
  createManager({
    namespaces: ['a'],
    kinds: [
      {
        resource: Secret,
        namespaces: ['b'],
        transform: { name: 'bare', apply: ({ data: _data, ...secret }) => secret },
      },
      // @ts-expect-error a Secret has no spec
      { resource: Secret, transform: { name: 'spec', apply: (secret) => secret.spec } },
      // @ts-expect-error the kind is cluster-scoped
      { resource: Node, namespaces: ['b'] },
    ],
  });
  manager.addController({
    name: 'resync-of-reads',
    // @ts-expect-error events of `reads` lead to no requests
    reads: [{ resource: Secret, resync: '1h' }],
    reconcile: () => undefined,
  });
  // @ts-expect-error an option is known
  manager.addController({ name: 'misspelt', concurency: 3, reconcile: () => undefined });

  manager.addController({
    name: 'metadata',
    for: {
      resource: WebApp,
      projection: 'metadata',
      // @ts-expect-error an object projected to metadata has no body
      predicates: [({ object }) => object.value().spec !== undefined],
    },
    owns: [
      { resource: ConfigMap, projection: 'metadata', predicates: [labelsChanged] },
      { resource: Secret, retain: 'metadata', predicates: [labelsChanged] },
    ],
    reads: [{ resource: Deployment, retain: 'metadata' }],
    watches: [
      {
        resource: Secret,
        retain: 'compressed',
        map: (secret) => ({ name: secret.value().type ?? '' }),
      },
      {
        resource: Secret,
        projection: 'metadata',
        map: (secret) => ({ name: secret.value().metadata.name }),
      },
      {
        resource: Secret,
        projection: 'metadata',
        // @ts-expect-error an object projected to metadata has no body
        map: (secret) => ({ name: secret.value().type ?? '' }),
      },
      {
        resource: Secret,
        retain: 'metadata',
        map: (secret) => ({ name: secret.value().metadata.name }),
      },
      {
        resource: Secret,
        retain: 'metadata',
        // @ts-expect-error an object kept as metadata has no body
        map: (secret) => ({ name: secret.value().type ?? '' }),
      },
    ],
    reconcile({ namespace, name }, { cache }) {
      for (const app of cache.list(WebApp, { namespace })) {
        // @ts-expect-error objects of the cache are read-only
        app.metadata.labels = { name };
      }
    },
  });
  manager.addController({
    name: 'kept-metadata',
    for: {
      resource: WebApp,
      retain: 'metadata',
      // @ts-expect-error an object kept as metadata has no body
      predicates: [({ object }) => object.value().spec !== undefined],
    },
    reconcile: () => undefined,
  });
  // @ts-expect-error a mapper is synchronous
  plain.watch({ resource: Secret, map: async ({ name }) => ({ name }) });
  plain.watch({
    resource: Secret,
    retain: 'metadata',
    // @ts-expect-error an object kept as metadata has no body
    map: (secret) => ({ name: secret.value().type ?? '' }),
  });
  plain.watch({
    resource: Secret,
    retain: 'metadata',
    map: (secret) => ({ name: secret.value().metadata.name }),
  });
  // @ts-expect-error `full` is a projection
  plain.watch({ resource: Secret, retain: 'full', map: () => undefined });
  plain.watch({
    resource: Secret,
    retain: 'object',
    map: (secret) => ({ name: secret.value().type ?? '' }),
  });
  plain.watch({
    resource: Secret,
    projection: 'metadata',
    // @ts-expect-error an object projected to metadata has no body
    map: (secret) => ({ name: secret.value().type ?? '' }),
  });
  plain.watch(
    watching({ resource: Secret, map: (secret) => ({ name: secret.value().type ?? '' }) }),
  );
  // @ts-expect-error an option of a watch is known
  plain.watch({ resource: Secret, labelSelektor: 'a', map: () => undefined });
  manager.addController({
    name: 'misspelt-owns',
    for: WebApp,
    // @ts-expect-error unknown option of `owns`
    owns: [{ resource: Deployment, owner: 'any' }],
    reconcile: () => undefined,
  });
  // @ts-expect-error a ConfigMap has data
  await manager.client.apply(ConfigMap, { metadata: { namespace: 'a', name: 'b' }, dat: {} });
  manager.addController({
    name: 'request-with-kind',
    // @ts-expect-error an event about a WebApp is a plain name
    for: WebApp,
    keyOf: ({ name }) => name,
    reconcile: (_request: { name: string; kind: 'WebApp' }) => undefined,
  });
  // @ts-expect-error a request of its own has an identity
  manager.addController({
    name: 'request-without-key',
    reconcile: (_request: { name: string; kind: 'WebApp' }) => undefined,
  });
  // @ts-expect-error a duration has a unit that exists
  plain.enqueue({ name: 'a' }, { after: '30 sec' });
  plain.enqueue({ name: 'a' }, { after: '1h30m' });
  manager.addController({
    name: 'less-than-a-request',
    for: WebApp,
    owns: [Deployment],
    reconcile: (_request: { name: string }) => undefined,
  });

  const tenants = manager.addController({
    name: 'own-request',
    watches: [{ resource: Secret, map: ({ name }) => ({ name, kind: 'Secret' as const }) }],
    keyOf: ({ name, kind }) => `${kind}/${name}`,
    reconcile: (_request: { name: string; kind: 'Secret' | 'ConfigMap' }) => undefined,
  });
  tenants.enqueue({ name: 'a', kind: 'ConfigMap' });
  // @ts-expect-error the request of this controller carries a kind
  tenants.enqueue({ name: 'a' });
  tenants.watch({ resource: ConfigMap, map: ({ name }) => ({ name, kind: 'ConfigMap' }) });
  // @ts-expect-error the request of this controller carries a kind
  tenants.watch({ resource: ConfigMap, map: ({ name }) => ({ name }) });

  const many = [Secret, ConfigMap].map((resource) =>
    watching({ resource, map: ({ name }) => ({ name }) }),
  );
  await plain.replaceWatches('many', [
    ...many,
    watching({ resource: Secret, map: (secret) => ({ name: secret.value().type ?? '' }) }),
  ]);
  const dynamic: readonly WatchOptions[] = many;
  await plain.replaceWatches('many', dynamic);

  manager.addController({
    name: 'ten-watches',
    watches: [
      { resource: Secret, map: (secret) => ({ name: secret.value().type ?? '' }) },
      { resource: ConfigMap, map: (map) => Object.keys(map.value().data ?? {}).map(named) },
      { resource: Secret, map: (secret) => ({ name: secret.value().type ?? '' }) },
      { resource: ConfigMap, map: (map) => Object.keys(map.value().data ?? {}).map(named) },
      { resource: Secret, map: (secret) => ({ name: secret.value().type ?? '' }) },
      { resource: ConfigMap, map: (map) => Object.keys(map.value().data ?? {}).map(named) },
      { resource: Secret, map: (secret) => ({ name: secret.value().type ?? '' }) },
      { resource: ConfigMap, map: (map) => Object.keys(map.value().data ?? {}).map(named) },
      { resource: Secret, map: (secret) => ({ name: secret.value().type ?? '' }) },
      // @ts-expect-error a ConfigMap has no type
      { resource: ConfigMap, map: (map) => ({ name: map.value().type ?? '' }) },
    ],
    reconcile: () => undefined,
  });
  const forApp: ControllerOptions<WebApp> = {
    name: 'declared-apart',
    for: { resource: WebApp, predicates: [({ object }) => object.value().spec?.image !== ''] },
    reconcile: () => undefined,
  };
  manager.addController(forApp);

  const forSecrets: Predicate<ObjectOf<typeof Secret>> = ({ object }) =>
    object.value().data?.['a'] !== undefined;
  plain.watch({ resource: Secret, predicates: [forSecrets], map: () => undefined });
  // @ts-expect-error a predicate of another kind does not fit ConfigMaps
  plain.watch({ resource: ConfigMap, predicates: [forImages], map: () => undefined });
}

/** Never called. Objects of the cache have the metadata of stored objects. */
export function reading(manager: Manager, plain: WebApp): unknown {
  const { cache } = manager;
  const texts: string[] = [];
  const [app] = cache.list(WebApp);
  const [node] = cache.list(builtin.Node);
  const [head] = cache.list(WebApp, { projection: 'metadata' });
  if (app === undefined || node === undefined || head === undefined) return undefined;
  texts.push(app.metadata.name, app.metadata.namespace, app.metadata.uid, head.metadata.name);
  texts.push(node.metadata.resourceVersion, node.metadata.creationTimestamp);
  // @ts-expect-error a Node has no namespace
  texts.push(node.metadata.namespace);
  // @ts-expect-error an object that was not read from the API may lack metadata
  texts.push(plain.metadata.name);
  const requests: Request[] = [requestFor(app), requestFor(node), requestFor(mutableCopy(app))];
  // @ts-expect-error an object that was not read from the API may lack a name
  requests.push(requestFor(plain));
  const handle = cache.acquire({ resource: WebApp }, { owner: 'types' });
  handle.addEventHandler(({ object }) => texts.push(object.namespace, object.metadata.uid));
  handle.addIndexer({ name: 'uid', body: ({ metadata }) => [metadata.uid, metadata.namespace] });
  handle.addIndexer({ name: 'node', head: ({ metadata }) => [metadata.namespace] });
  const nodes = cache.acquire({ resource: builtin.Node }, { owner: 'types' });
  // @ts-expect-error a Node has no namespace
  nodes.addEventHandler(({ object }) => texts.push(object.namespace));
  const byName: Predicate<WebApp> = ({ object }) => object.value().metadata.name === 'a';
  return manager.addController({
    name: 'requests',
    for: { resource: WebApp, predicates: [byName] },
    watches: [
      { resource: Secret, map: requestFor },
      { resource: ConfigMap, map: (map) => requestFor(map.value()) },
    ],
    reconcile: (request, { client }) => void client.update(WebApp, app).then(() => request),
  });
}

/** Never called. Functions for objects of any kind can use the same types. */
export function anyKind<T extends KubernetesObject>(
  view: ObjectView<T>,
  object: DeepReadonly<Persisted<T>>,
): Request[] {
  return isDeleting(object) ? [] : [requestFor(view), requestFor(object)];
}

const named = (name: string): { name: string } => ({ name });

const forImages: Predicate<WebApp & { spec: { image: string } }> = ({ object }) =>
  object.value().spec.image !== '';

/** The relevant part of pino's type: a method takes facts and a message, or fewer arguments. */
interface PinoLike {
  (facts: object, message?: string, ...rest: unknown[]): void;
  (message: string, ...rest: unknown[]): void;
}
interface Pino {
  debug: PinoLike;
  info: PinoLike;
  warn: PinoLike;
  error: PinoLike;
  child(facts: Record<string, unknown>, options?: object): Pino;
}

export const asLogger = (pino: Pino): Logger => pino;

/** Never called. The mode `server` has one way to shard, and the others have all. */
export function shardings(): void {
  const name = 'a';
  const byName = ({ name: part }: Request): string => part;
  createManager({ sharding: { name, by: 'name' } });
  createManager({ sharding: { name, by: byName, mode: 'filtered' } });
  createManager({ sharding: { name, by: 'namespace', mode: 'server' } });
  // @ts-expect-error: the API server selects by namespace
  createManager({ sharding: { name, by: 'name', mode: 'server' } });
  // @ts-expect-error: the API server selects by namespace
  createManager({ sharding: { name, by: byName, mode: 'server' } });
  createManager({ sharding: { name, by: byName, mode: 'label' } });
  // @ts-expect-error: no such mode
  createManager({ sharding: { name, by: 'namespace', mode: 'uid' } });
}

describe('the types', () => {
  test('R2-06 wrong wiring does not compile, and a pino logger is a Logger', () => {
    expect([wiring, reading, anyKind]).toHaveLength(3);
    expect(asLogger({} as Pino)).toEqual({});
  });
});
