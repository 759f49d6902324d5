import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import {
  createClient,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
  loadCluster,
  retryOnConflict,
  type Client,
  type WatchEvent,
} from '../index.ts';
import { rejection } from '../testing/recording-server.test-support.ts';

interface Widget extends KubernetesObject {
  spec?: { size: number };
  status?: { ready: boolean };
}

const widgets = defineResource<Widget>({
  group: 'x.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
});
const definition = {
  metadata: { name: 'widgets.x.example' },
  spec: {
    group: 'x.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' } } },
              status: { type: 'object', properties: { ready: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
};

const namespace = 'default';
const name = { namespace, name: 'a' };

describe('against the embedded API server', () => {
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    server = await createApiServer();
    client = createClient({ cluster: server.cluster, fieldManager: 'tester', retry: { base: 1 } });
  });

  afterEach(async () => {
    await client.close();
    await server.close();
  });

  function configMap(data: Record<string, string>, at = name): KubernetesObject {
    return { metadata: at, data } as KubernetesObject;
  }

  test('every verb works on an object', async () => {
    const created = await client.create(builtin.ConfigMap, configMap({ a: '1' }));
    expect(created.metadata.resourceVersion).toBeDefined();
    created.data = { a: '2' };
    const updated = await client.update(builtin.ConfigMap, created);
    expect(updated.data).toEqual({ a: '2' });
    const merged = await client.patch(builtin.ConfigMap, name, {
      type: 'merge',
      body: { data: { a: null, b: '3' } },
    });
    expect(merged.data).toEqual({ b: '3' });
    const operations = [{ op: 'replace', path: '/data/b', value: '4' }] as const;
    const patched = await client.patch(builtin.ConfigMap, name, { type: 'json', body: operations });
    expect(patched.data).toEqual({ b: '4' });
    const applied = await client.apply(builtin.ConfigMap, { metadata: name, data: { c: '5' } });
    expect(applied.data).toEqual({ b: '4', c: '5' });
    expect(applied.metadata.managedFields?.map(({ manager }) => manager)).toContain('tester');
    await client.delete(builtin.ConfigMap, name);
    expect(isNotFound(await rejection(client.get(builtin.ConfigMap, name)))).toBe(true);
  });

  test('guards distinguish the errors of the API', async () => {
    const created = await client.create(builtin.ConfigMap, configMap({}));
    const again = await rejection(client.create(builtin.ConfigMap, configMap({})));
    expect([isAlreadyExists(again), isConflict(again)]).toEqual([true, false]);
    const stale = { ...created, metadata: { ...created.metadata, resourceVersion: '1' } };
    expect(isConflict(await rejection(client.update(builtin.ConfigMap, stale)))).toBe(true);
    const unknown = { ...created, colour: 'red' };
    const strict = client.update(builtin.ConfigMap, unknown, { fieldValidation: 'Strict' });
    expect(await rejection(strict)).toMatchObject({ statusCode: 400 });
    const nameless = { spec: { replicas: 1 }, metadata: name };
    expect(isInvalid(await rejection(client.create(builtin.Deployment, nameless as never)))).toBe(
      true,
    );
    const uid = 'another';
    const guarded = client.delete(builtin.ConfigMap, name, { preconditions: { uid } });
    expect(isConflict(await rejection(guarded))).toBe(true);
  });

  test('an apply conflicts with another owner unless it forces', async () => {
    await client.apply(builtin.ConfigMap, { metadata: name, data: { a: 'mine' } });
    const other = client.withFieldManager('other');
    const theirs = { metadata: name, data: { a: 'theirs' } };
    expect(
      isConflict(await rejection(other.apply(builtin.ConfigMap, theirs, { force: false }))),
    ).toBe(true);
    expect((await other.apply(builtin.ConfigMap, theirs)).data).toEqual({ a: 'theirs' });
  });

  test('a dry run stores nothing', async () => {
    const dry = await client.create(builtin.ConfigMap, configMap({ a: '1' }), { dryRun: true });
    expect(dry.metadata.uid).toBeDefined();
    expect(isNotFound(await rejection(client.get(builtin.ConfigMap, name)))).toBe(true);
  });

  test('updates that conflict are retried until they succeed', async () => {
    await client.create(builtin.ConfigMap, configMap({ n: '0' }));
    const increment = (): Promise<unknown> =>
      retryOnConflict(
        async () => {
          const current = await client.get(builtin.ConfigMap, name);
          const n = String(Number(current.data?.['n']) + 1);
          return client.update(builtin.ConfigMap, { ...current, data: { n } });
        },
        { attempts: 50, delay: 1 },
      );
    await Promise.all(Array.from({ length: 10 }, increment));
    expect((await client.get(builtin.ConfigMap, name)).data).toEqual({ n: '10' });
  });

  test('lists and streams select objects, page, and set apiVersion and kind', async () => {
    server.seed(
      Array.from({ length: 25 }, (_, index) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name: `c-${index}`, labels: { even: String(index % 2 === 0) } },
      })),
    );
    const page = await client.list(builtin.ConfigMap, { namespace, limit: 10 });
    expect(page.items).toHaveLength(10);
    expect(page.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(page.metadata.continue).toBeTruthy();
    const even: string[] = [];
    const options = { namespace, limit: 4, labelSelector: 'even=true' };
    for await (const { metadata, kind } of client.items(builtin.ConfigMap, options)) {
      even.push(`${kind} ${metadata.name}`);
    }
    expect(new Set(even).size).toBe(13);
    expect(even).toContain('ConfigMap c-24');
  });

  test('an expired continue token throws 410 in list; items continues with a later state', async () => {
    for (let index = 0; index < 6; index++) {
      await client.create(builtin.ConfigMap, configMap({}, { namespace, name: `c-${index}` }));
    }
    const first = await client.list(builtin.ConfigMap, { namespace, limit: 2 });
    const names: (string | undefined)[] = [];
    for await (const { metadata } of client.items(builtin.ConfigMap, { namespace, limit: 2 })) {
      names.push(metadata.name);
      if (names.length !== 2) continue;
      await client.create(builtin.ConfigMap, configMap({}, { namespace, name: 'c-9' }));
      server.compact();
    }
    expect(names).toEqual(['c-0', 'c-1', 'c-2', 'c-3', 'c-4', 'c-5', 'c-9']);
    const token = first.metadata.continue;
    const error = await rejection(
      client.list(builtin.ConfigMap, { namespace, limit: 2, continue: token }),
    );
    expect(isGone(error)).toBe(true);
  });

  test('deleteCollection deletes the selected objects', async () => {
    for (const each of ['a', 'b']) {
      const metadata = { namespace, name: each, labels: { name: each } };
      await client.create(builtin.ConfigMap, { metadata });
    }
    await client.deleteCollection(builtin.ConfigMap, { namespace, labelSelector: 'name=a' });
    const left = await client.list(builtin.ConfigMap, { namespace, labelSelector: 'name' });
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  test('a watch yields the initial state, then changes', async () => {
    await client.create(builtin.ConfigMap, configMap({ a: '1' }));
    const stop = new AbortController();
    const seen: string[] = [];
    const shown = (event: WatchEvent<KubernetesObject>): string =>
      `${event.type} ${event.object.metadata.name ?? ''}`.trim();
    const options = { namespace, sendInitialEvents: true, allowWatchBookmarks: true } as const;
    const watch = client.watch(builtin.ConfigMap, { ...options, signal: stop.signal });
    for await (const event of watch) {
      seen.push(shown(event));
      if (event.type === 'BOOKMARK') {
        expect(event.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
        await client.patch(builtin.ConfigMap, name, { type: 'merge', body: { data: { a: '2' } } });
        await client.delete(builtin.ConfigMap, name);
      }
      if (event.type === 'DELETED') break;
    }
    expect(seen).toEqual(['ADDED a', 'BOOKMARK', 'MODIFIED a', 'DELETED a']);
  });

  test('RF38 a watch from a compacted resourceVersion is 410', async () => {
    await client.create(builtin.ConfigMap, configMap({}));
    await client.delete(builtin.ConfigMap, name);
    server.compact();
    const watch = client.watch(builtin.ConfigMap, { namespace, resourceVersion: '1' });
    expect(isGone(await rejection(watch.next()))).toBe(true);
  });

  test('frames are the same for a list and for a WatchList, also for metadata only', async () => {
    await client.create(builtin.ConfigMap, configMap({ a: '1' }));
    const { signal } = new AbortController();
    for (const projection of ['full', 'metadata'] as const) {
      const source = client.listerWatcher({ resource: builtin.ConfigMap, namespace, projection });
      const haveData: boolean[] = [];
      for await (const { frames } of source.list({ signal })) {
        for (const { format, buffer, from, to } of frames) {
          const object = format?.decode(buffer, from, to) as KubernetesObject;
          if (object.metadata?.name === 'a') haveData.push('data' in object);
        }
      }
      expect(haveData).toEqual([projection === 'full']);
    }
  });

  test('status and scale are subresources', async () => {
    await client.create(builtin.CustomResourceDefinition, definition);
    await client.discovery.serves(widgets);
    await client.create(widgets, { metadata: name, spec: { size: 1 }, status: { ready: true } });
    const created = await client.get(widgets, name);
    expect(created.status).toBeUndefined();
    const status = client.status(widgets);
    await status.update({ ...created, status: { ready: true }, spec: { size: 2 } });
    expect(await status.get(name)).toMatchObject({ spec: { size: 1 }, status: { ready: true } });
    await status.patch(name, { type: 'merge', body: { status: { ready: false } } });
    await status.apply({ metadata: name, status: { ready: true } });
    expect((await client.get(widgets, name)).status).toEqual({ ready: true });
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const selector = { matchLabels: { a: 'b' } };
    await client.create(builtin.Deployment, { metadata: name, spec: { selector, template } });
    const scale = client.subresource(builtin.Deployment, 'scale');
    expect((await scale.get(name)).spec).toEqual({ replicas: 1 });
    await scale.patch(name, { type: 'merge', body: { spec: { replicas: 3 } } });
    expect((await client.get(builtin.Deployment, name)).spec?.replicas).toBe(3);
  });

  test('discovery finds a custom resource once the server serves it', async () => {
    const { discovery } = client;
    expect(await discovery.find({ group: 'apps', kind: 'Deployment' })).toMatchObject({
      version: 'v1',
      plural: 'deployments',
      namespaced: true,
    });
    expect(await discovery.serves(widgets)).toBe(false);
    await client.create(builtin.CustomResourceDefinition, definition);
    expect(await discovery.serves(widgets)).toBe(true);
    discovery.invalidate();
    expect(await discovery.find({ group: 'x.example', plural: 'widgets' })).toMatchObject({
      kind: 'Widget',
    });
    expect((await discovery.version()).major).toBe('1');
  });

  test('faults of the server are retried or thrown', async () => {
    await client.create(builtin.ConfigMap, configMap({}));
    using busy = server.faults.fail({ code: 503, verb: 'get', times: 2 });
    await client.get(builtin.ConfigMap, name);
    expect(busy.hits).toBe(2);
    using throttled = server.faults.fail({ code: 429, retryAfterSeconds: 3600, verb: 'get' });
    const error = await rejection(client.get(builtin.ConfigMap, name));
    expect([isTooManyRequests(error), throttled.hits]).toEqual([true, 1]);
  });

  test('client-node loads the kubeconfig that the server writes', async () => {
    const cluster = await loadCluster({ kubeConfig: server.kubeconfig() });
    await using other = createClient({ cluster });
    await expect(other.list(builtin.Namespace)).resolves.toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ kind: 'Namespace' })]),
    });
  });
});

describe('against the embedded API server with TLS and RBAC', () => {
  test('requests without permission are forbidden, and unknown users are refused, both by name', async () => {
    await using server = await createApiServer({
      tls: true,
      authorizationMode: 'RBAC',
      anonymousAuth: false,
    });
    await using admin = createClient({ cluster: server.cluster });
    await admin.create(builtin.ConfigMap, { metadata: name });
    const cluster = server.addUser({ name: 'vera', groups: [] });
    await using vera = createClient({ cluster });
    const error = await rejection(vera.get(builtin.ConfigMap, name));
    expect(isForbidden(error)).toBe(true);
    expect(error.message).toContain('vera');
    await using unknown = createClient({ cluster: { ...cluster, token: 'hunter2hunter2' } });
    const rejected = await rejection(unknown.get(builtin.ConfigMap, name));
    expect(rejected).toMatchObject({ code: 'UNAUTHORIZED', facts: { server: server.url } });
    expect(isUnauthorized(rejected)).toBe(true);
    expect(rejected.message).not.toContain('hunter2');
    const { tls: _, ...untrusting } = server.cluster;
    await using blind = createClient({ cluster: untrusting });
    expect(await rejection(blind.get(builtin.ConfigMap, name))).toMatchObject({
      code: 'CERTIFICATE_NOT_TRUSTED',
    });
  });
});
