import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { History } from '../testing/history.test-support.ts';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import type { InformerCacheOptions } from '../cache/informer-cache-options.ts';
import type { ListerWatcher } from '../contract/lister-watcher.ts';
import { eventually } from '../testing/scripted-source.test-support.ts';
import { seeded } from '../testing/storm-source.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';

const { ConfigMap, ControllerRevision, Secret } = builtin;
const namespace = 'default';

/** A server, a client and a cache, over real sockets. */
class Wire implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly cache: InformerCache;

  private constructor(server: ApiServer, options: Partial<InformerCacheOptions>) {
    this.server = server;
    this.client = createClient({ cluster: server.cluster });
    this.cache = createInformerCache({
      listerWatcher: (query): ListerWatcher => this.client.listerWatcher(query),
      linger: 0,
      ...options,
    });
  }

  static async open(options: Partial<InformerCacheOptions> = {}): Promise<Wire> {
    return new Wire(await createApiServer({}), options);
  }

  acquire(owner = 'test'): WatchHandle {
    return this.cache.acquire({ resource: ConfigMap }, { owner });
  }

  async synced(): Promise<WatchHandle> {
    const handle = this.acquire();
    await handle.synced;
    return handle;
  }

  /** Writes directly to the server, because the request is not under test. */
  async write(name: string, data: Record<string, string> = {}): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
    await this.client.apply(ConfigMap, object, { fieldManager: 'test', force: true });
  }

  async remove(name: string): Promise<void> {
    await this.client.delete(ConfigMap, { namespace, name });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cache.close();
    await this.client.close();
    await this.server.close();
  }
}

/** Resolves when the store of the handle has the object in the version of the server. */
async function arrived(wire: Wire, handle: WatchHandle, name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const isThere = (): boolean =>
    handle.store.view({ namespace, name })?.resourceVersion ===
    wire.server.object(ConfigMap, { namespace, name })?.metadata?.resourceVersion;
  using registration = handle.addEventHandler(() => (isThere() ? resolve() : undefined));
  await registration.synced;
  if (!isThere()) await promise;
}

const Widget = defineResource({
  group: 'wire.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
});

const widgets = {
  metadata: { name: 'widgets.wire.example.com' },
  spec: {
    group: 'wire.example.com',
    scope: 'Namespaced' as const,
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

describe('informer over real sockets', () => {
  test('RC01 ten handles of one kind are one request on the wire', async () => {
    await using wire = await Wire.open();
    await wire.write('a');
    const handles = Array.from({ length: 10 }, (_, n) => wire.acquire(`owner-${n}`));
    await Promise.all(handles.map((handle) => handle.synced));
    expect([wire.server.stats.lists(ConfigMap), wire.server.stats.watches(ConfigMap)]).toEqual([
      0, 1,
    ]);
    const first = wire.server.unwatched(ConfigMap);
    for (const handle of handles) handle.release();
    await first;
    expect(wire.cache.inventory()).toEqual([]);
  });

  test('objects arrive complete, with apiVersion and kind, without managedFields, and so do later changes', async () => {
    await using wire = await Wire.open();
    await wire.write('a', { key: 'värde' });
    using refusal = wire.server.faults.refuseWatchList();
    const handle = await wire.synced();
    expect(refusal.hits).toBe(1);
    expect(wire.cache.get(ConfigMap, { namespace, name: 'a' })).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { key: 'värde' },
    });
    await wire.write('a', { key: 'nytt' });
    await arrived(wire, handle, 'a');
    expect(wire.cache.get(ConfigMap, { namespace, name: 'a' })?.data).toEqual({ key: 'nytt' });
    expect(handle.store.view({ namespace, name: 'a' })?.metadata.managedFields).toBeUndefined();
  });

  test('RF43 an object of the largest size that etcd stores arrives as one line', async () => {
    await using wire = await Wire.open();
    const handle = wire.cache.acquire({ resource: ControllerRevision }, { owner: 'test' });
    await handle.synced;
    const { promise, resolve } = Promise.withResolvers<void>();
    handle.addEventHandler(() => resolve());
    const [metadata, filler] = [{ namespace, name: 'big' }, 'x'.repeat(700_000)];
    await wire.client.create(ControllerRevision, {
      metadata,
      revision: 1,
      data: { a: filler, b: filler },
    });
    await promise;
    expect(handle.store.get(metadata)).toMatchObject({ data: { a: filler, b: filler } });
  });

  test.each([
    ['cut', (wire: Wire) => wire.server.faults.cutWatches({ how: 'reset' })],
    ['ended', (wire: Wire) => wire.server.faults.cutWatches({ how: 'end' })],
  ])(
    'RF42 a watch that is %s is resumed without a list, and nothing is missed',
    async (_how, cut) => {
      await using wire = await Wire.open();
      await wire.write('a');
      const handle = await wire.synced();
      const history = new History();
      handle.addEventHandler(history.handler);
      await wire.server.watchers(ConfigMap, 1);
      cut(wire);
      await wire.remove('a');
      await wire.write('b');
      await arrived(wire, handle, 'b');
      expect(history.complaints).toEqual([]);
      expect([...history.known.keys()]).toContain(`${namespace}/b`);
      expect([...history.known.keys()]).not.toContain(`${namespace}/a`);
      expect(wire.server.stats.watchLists(ConfigMap) + wire.server.stats.lists(ConfigMap)).toBe(1);
    },
  );

  test('RF42 a line that is cut in the middle is an error, then the watch resumes', async () => {
    const errors: Error[] = [];
    await using wire = await Wire.open({
      observer: { watchError: (_watch, error) => errors.push(error) },
    });
    const handle = await wire.synced();
    await wire.server.watchers(ConfigMap, 1);
    wire.server.faults.truncateWatches();
    await wire.write('a');
    await arrived(wire, handle, 'a');
    expect(errors).toHaveLength(1);
    expect(wire.server.stats.watchLists(ConfigMap) + wire.server.stats.lists(ConfigMap)).toBe(1);
  });

  test('RF38 410 as an HTTP status at connect and as an event each cause one relist', async () => {
    await using wire = await Wire.open();
    const handle = await wire.synced();
    await wire.server.watchers(ConfigMap, 1);
    wire.server.faults.expireWatches();
    await wire.write('a');
    await arrived(wire, handle, 'a');
    wire.server.faults.expire({ verb: 'watch', times: 1 });
    wire.server.faults.cutWatches();
    await wire.write('b');
    await arrived(wire, handle, 'b');
    expect(wire.server.stats.watchLists(ConfigMap) + wire.server.stats.lists(ConfigMap)).toBe(3);
  });

  test('RC18 a forbidden kind reports it; another kind continues', async () => {
    await using wire = await Wire.open();
    using forbidden = wire.server.faults.forbid({ resource: Secret });
    const secrets = wire.cache.acquire({ resource: Secret }, { owner: 'test', required: false });
    const { promise, resolve } = Promise.withResolvers<void>();
    secrets.onHealthChange(({ state }) => (state === 'forbidden' ? resolve() : undefined));
    await wire.synced();
    await promise;
    expect(secrets.health).toMatchObject({ state: 'forbidden', verb: 'list' });
    expect(secrets.health.reason).toBe('the server does not allow to list v1/secrets');
    expect(forbidden.hits).toBe(2);
    await wire.cache.waitForSync({ timeout: '10s' });
  });

  test('RC17 a kind that is not served parks, and is live when it is served', async () => {
    await using wire = await Wire.open();
    const handle = wire.cache.acquire({ resource: Widget }, { owner: 'test' });
    const { promise, resolve } = Promise.withResolvers<void>();
    handle.onHealthChange(({ state }) => (state === 'parked' ? resolve() : undefined));
    await promise;
    await wire.client.create(builtin.CustomResourceDefinition, widgets);
    await eventually(() => {
      wire.cache.served(Widget);
      return handle.hasSynced;
    });
    expect(handle.health.lastError).toMatchObject({ code: 'API_STATUS', statusCode: 404 });
  });

  test('a 404 of a kind that discovery names does not delete its objects', async () => {
    await using wire = await Wire.open();
    await wire.write('a');
    const handle = wire.acquire();
    const history = new History();
    await handle.addEventHandler(history.handler).synced;
    const troubled = Promise.withResolvers<void>();
    const states: string[] = [];
    handle.onHealthChange(({ state, attempts }) => {
      states.push(state);
      // The cut, the watch and the list.
      if (attempts === 3) troubled.resolve();
    });
    const unserved = wire.server.faults.unserve({ resource: ConfigMap });
    wire.server.faults.cutWatches({ how: 'reset' });
    await troubled.promise;
    expect(unserved.hits).toBe(2);
    expect(states).not.toContain('parked');
    expect(history.known.size).toBe(1);
    expect(handle.store.size).toBe(1);
    unserved.end();
  });

  test('SI36 random writes, cut and expired watches keep every history consistent', async () => {
    const random = seeded(36);
    await using wire = await Wire.open({ random: () => 0 });
    const handle = wire.acquire();
    const histories = [new History()];
    for (const history of histories) handle.addEventHandler(history.handler);
    await handle.synced;
    for (let round = 0; round < 60; round++) {
      const names = Array.from({ length: 8 }, () => `o${Math.floor(random() * 12)}`);
      await Promise.all(
        [...new Set(names)].map(async (name) => {
          const exists = wire.server.object(ConfigMap, { namespace, name }) !== undefined;
          await (exists && random() < 0.3
            ? wire.remove(name)
            : wire.write(name, { round: `${round}` }));
        }),
      );
      const fault = random();
      if (fault < 0.1) wire.server.faults.cutWatches({ how: 'reset' });
      else if (fault < 0.15) wire.server.faults.expireWatches();
      else if (fault < 0.25) {
        const late = new History();
        histories.push(late);
        handle.addEventHandler(late.handler);
      }
    }
    await wire.write('last');
    await arrived(wire, handle, 'last');
    const truth = (await wire.client.list(ConfigMap)).items.map(stateOf).toSorted();
    await eventually(() => histories.every(({ known }) => known.size === truth.length));
    expect(
      handle.store
        .views()
        .map(({ key, uid, resourceVersion }) => `${key} ${uid} ${resourceVersion}`)
        .toSorted(),
    ).toEqual(truth);
    expect(histories.flatMap(({ complaints }) => complaints)).toEqual([]);
    for (const { state } of histories) expect(state).toEqual(truth);
  });

  test('RF44 a list of 100 000 objects in one response is processed in slices', async () => {
    await using site = await listening(answerHugeList(100_000));
    await using cache = createInformerCache({
      listerWatcher: (query): ListerWatcher => site.client.listerWatcher(query),
    });
    const turns = new Turns();
    const handle = cache.acquire({ resource: ConfigMap }, { owner: 'test' });
    await handle.synced;
    turns.stop();
    expect(handle.store.size).toBe(100_000);
    expect(handle.store.get({ namespace, name: 'o99999' })).toMatchObject({ data: { n: '99999' } });
    // Parsing the whole response at once would be a single turn.
    expect(turns.count).toBeGreaterThan(100);
  });
});

/** Counts the turns of the event loop. */
class Turns {
  count = 0;
  #stopped = false;

  constructor() {
    this.#next();
  }

  stop(): void {
    this.#stopped = true;
  }

  #next(): void {
    setImmediate(() => {
      this.count++;
      if (!this.#stopped) this.#next();
    });
  }
}

function stateOf({ metadata = {} }: KubernetesObject): string {
  return `${metadata.namespace}/${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`;
}

/** A server with the given listener, and a client of it. */
async function listening(respond: RequestListener): Promise<{ client: Client } & AsyncDisposable> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createClient({ cluster: { server: `http://127.0.0.1:${port}` } });
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Rejects WatchList and ignores every limit, as an old server with a watch cache does at version
 * "0".
 */
function answerHugeList(objects: number): RequestListener {
  return (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://server');
    const json = { 'content-type': 'application/json' };
    if (searchParams.has('sendInitialEvents')) {
      response.writeHead(422, json).end('{"kind":"Status","code":422,"reason":"Invalid"}');
    } else if (searchParams.has('watch')) {
      response.writeHead(200, json).flushHeaders();
    } else {
      response.writeHead(200, json);
      void writeList(response, objects);
    }
  };
}

async function writeList(
  response: import('node:http').ServerResponse,
  objects: number,
): Promise<void> {
  const filler = 'x'.repeat(900);
  response.write(
    '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[',
  );
  for (let from = 0; from < objects; from += 100) {
    const items = Array.from({ length: Math.min(100, objects - from) }, (_, at) => {
      const n = from + at;
      return `{"metadata":{"name":"o${n}","namespace":"${namespace}","uid":"u${n}","resourceVersion":"${n}"},"data":{"n":"${n}","filler":"${filler}"}}`;
    });
    if (!response.write((from === 0 ? '' : ',') + items.join(','))) await once(response, 'drain');
  }
  response.end(']}');
}
