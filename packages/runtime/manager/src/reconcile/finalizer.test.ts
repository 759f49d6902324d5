import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, StatusError, type Persisted } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { withFinalizer } from './finalizer.ts';
import {
  crdOf,
  eventually,
  ManagerPool,
  objectOf,
  running,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { createManager } from '../manager/controller-manager.ts';
import { silent } from '../testing/fixtures.test-support.ts';
import type { Outcome } from './outcome.ts';
import { generationChanged } from '../sources/event-rules/predicate.ts';

const finalizer = 'example.com/web-app';
const name = { namespace: 'default', name: 'shop' };

let server: ApiServer;
let client: Client;
let calls: string[];

const managers = new ManagerPool();

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  calls = [];
  await client.create(builtin.CustomResourceDefinition, crdOf(WebApp));
});

afterEach(async () => {
  await managers.stopAll();
  await client.close();
  await server.close();
});

const stored = (): WebApp | undefined => server.object(WebApp, name);
const finalizers = (): readonly string[] => stored()?.metadata?.finalizers ?? [];

const noop = (): void => undefined;
const several = { finalizer: undefined, cleanup: undefined };

describe('withFinalizer', () => {
  test.each<[string, object]>([
    ['withFinalizer.object', { object: null }],
    ['withFinalizer.object', { object: { metadata: {} } }],
    ['withFinalizer.client', { client: undefined }],
    ['withFinalizer.resource', { resource: 'webapps' }],
    ['withFinalizer.finalizer', { finalizer: 'unqualified' }],
    ['withFinalizer.signal', { signal: new AbortController() }],
    ['withFinalizer.apply', { apply: undefined }],
    ['withFinalizer.cleanup', { cleanup: undefined }],
    ['withFinalizer.cleanUp', { cleanUp: noop }],
    ['withFinalizer.finalizer', { finalizers: { [finalizer]: noop } }],
    ['withFinalizer.cleanup', { finalizer: undefined, finalizers: { [finalizer]: noop } }],
    ['withFinalizer.finalizers', { ...several, finalizers: {} }],
    ['withFinalizer.finalizers', { ...several, finalizers: { unqualified: noop } }],
    ['withFinalizer.finalizers["a/b"]', { ...several, finalizers: { 'a/b': 1 } }],
  ])('throws for an invalid %s before it writes', async (option, wrong) => {
    const object = await create();
    const base = { client, resource: WebApp, object, finalizer, apply: noop, cleanup: noop };
    await expect(withFinalizer({ ...base, ...wrong })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option },
    });
    expect(finalizers()).toEqual([]);
  });
});

function create(others: string[] = []): Promise<Persisted<WebApp>> {
  return client.create(WebApp, objectOf(WebApp, 'shop', { metadata: { finalizers: others } }));
}

function run(
  object: Persisted<WebApp>,
  cleanup: () => Outcome | void = () => undefined,
): ReturnType<typeof withFinalizer> {
  return withFinalizer({
    client,
    resource: WebApp,
    object,
    finalizer,
    apply() {
      calls.push('apply');
      return { requeueAfter: '1h' };
    },
    cleanup() {
      calls.push('cleanup');
      return cleanup();
    },
  });
}

describe('withFinalizer with several finalizers', () => {
  const first = 'example.com/first';
  const second = 'example.com/second';

  function runBoth(
    object: Persisted<WebApp>,
    cleanups: { first?: () => Outcome | void; second?: () => Outcome | void } = {},
  ): ReturnType<typeof withFinalizer> {
    return withFinalizer({
      client,
      resource: WebApp,
      object,
      apply: () => void calls.push('apply'),
      finalizers: {
        [first]() {
          calls.push('first');
          return cleanups.first?.();
        },
        [second]() {
          calls.push('second');
          return cleanups.second?.();
        },
      },
    });
  }

  async function deleting(names: string[]): Promise<Persisted<WebApp>> {
    await create(names);
    await client.delete(WebApp, name);
    return client.get(WebApp, name);
  }

  test('adds those that are missing in one write, and applies when the object has all', async () => {
    const object = await create([second, 'example.com/other']);
    expect(await runBoth(object)).toEqual({ requeueAfter: 1 });
    expect(finalizers()).toEqual([second, 'example.com/other', first]);
    expect(server.stats.requests({ resource: WebApp, verb: 'patch' })).toBe(1);
    expect(calls).toEqual([]);
    await runBoth(await client.get(WebApp, name));
    expect(calls).toEqual(['apply']);
  });

  test('cleans up in their order and removes them in one write', async () => {
    await runBoth(await deleting([second, first, 'example.com/other']));
    expect(calls).toEqual(['first', 'second']);
    expect(finalizers()).toEqual(['example.com/other']);
    expect(server.stats.requests({ resource: WebApp, verb: 'patch' })).toBe(1);
  });

  test('does not clean up for a finalizer that is already removed', async () => {
    await runBoth(await deleting([second]));
    expect(calls).toEqual(['second']);
    expect(stored()).toBeUndefined();
  });

  test('keeps the finalizer of a cleanup that fails, and removes the others', async () => {
    const failing = (): void => {
      throw new Error('not now');
    };
    const end = runBoth(await deleting([first, second]), { first: failing });
    await expect(end).rejects.toThrow('not now');
    expect(calls).toEqual(['first', 'second']);
    expect(finalizers()).toEqual([first]);
    const both = runBoth(await client.get(WebApp, name), { first: failing, second: failing });
    await expect(both).rejects.toThrow('not now');
  });

  test('leaves no rejection of a promise in a result uncaught while it writes', async () => {
    const later = (): never => ({ requeueAfter: Promise.reject(new Error('late')) }) as never;
    const result = await runBoth(await deleting([first, second]), { first: later, second: later });
    expect(Object.keys(result ?? {})).toEqual(['requeueAfter']);
    expect(finalizers()).toEqual([first, second]);
  });

  test('keeps the finalizer of a cleanup that has not ended, and returns its outcome', async () => {
    const cleanups = {
      first: (): Outcome => ({ priority: 5 }),
      second: (): Outcome => ({ requeueAfter: '5s' }),
    };
    const object = await deleting([first, second]);
    expect(await runBoth(object, cleanups)).toEqual({ requeueAfter: '5s' });
    expect(finalizers()).toEqual([second]);
  });

  test('reports every cleanup that fails', async () => {
    const failing = (): void => {
      throw new Error('not now');
    };
    const end = runBoth(await deleting([first, second]), { first: failing, second: failing });
    await expect(end).rejects.toMatchObject({ errors: [{}, {}] });
    expect(finalizers()).toEqual([first, second]);
  });
});

describe('withFinalizer', () => {
  test('FZ01 adds the finalizer under a test of the list and calls no user code if the object lacks it', async () => {
    const object = await create();
    expect(await run(object)).toEqual({ requeueAfter: 1 });
    expect(finalizers()).toEqual([finalizer]);
    expect(calls).toEqual([]);
  });

  test('FZ01 calls apply if the object has the finalizer and is not being deleted', async () => {
    const object = await create([finalizer]);
    expect(await run(object)).toEqual({ requeueAfter: '1h' });
    expect(calls).toEqual(['apply']);
  });

  test('FZ01 calls cleanup for a deleted object, then removes only its own finalizer', async () => {
    await create([finalizer, 'example.com/other']);
    await client.delete(WebApp, name);
    await run(await client.get(WebApp, name));
    expect(calls).toEqual(['cleanup']);
    expect(finalizers()).toEqual(['example.com/other']);
  });

  test('FZ01 keeps the finalizer if cleanup fails', async () => {
    await create([finalizer]);
    await client.delete(WebApp, name);
    const failing = run(await client.get(WebApp, name), () => {
      throw new Error('not now');
    });
    await expect(failing).rejects.toThrow('not now');
    expect(finalizers()).toEqual([finalizer]);
  });

  test.each<Outcome>([{ requeueAfter: '5s' }, { retry: true }, { requeueAfter: 0 }])(
    'FZ01 keeps the finalizer of a cleanup that returns %j, because it has not ended',
    async (outcome) => {
      await create([finalizer]);
      await client.delete(WebApp, name);
      const deleted = await client.get(WebApp, name);
      expect(await run(deleted, () => outcome)).toEqual(outcome);
      expect(finalizers()).toEqual([finalizer]);
      await run(deleted, () => ({ priority: 5 }));
      expect(stored()).toBeUndefined();
    },
  );

  test('FZ01 does nothing for a deleted object without the finalizer', async () => {
    await create(['example.com/other']);
    await client.delete(WebApp, name);
    expect(await run(await client.get(WebApp, name))).toBeUndefined();
    expect(calls).toEqual([]);
    expect(finalizers()).toEqual(['example.com/other']);
  });

  test('FZ01 retries after a concurrent change of the finalizers and keeps that change', async () => {
    const stale = await create();
    const body = { metadata: { finalizers: ['example.com/other'] } };
    await client.patch(WebApp, name, { type: 'merge', body });
    await run(stale);
    expect(finalizers()).toEqual(['example.com/other', finalizer]);
    await client.delete(WebApp, name);
    const deleting = await client.get(WebApp, name);
    const third = { metadata: { finalizers: [finalizer] } };
    await client.patch(WebApp, name, { type: 'merge', body: third });
    await run(deleting);
    expect(stored()).toBeUndefined();
  });

  test('FZ01 throws an error with the object name after repeated conflicts', async () => {
    const stale = await create();
    let writes = 0;
    const busy = {
      get: client.get.bind(client),
      patch: (async (...call: Parameters<Client['patch']>) => {
        writes += 1;
        const others = [`example.com/write-${writes}`];
        await client.patch(WebApp, name, {
          type: 'merge',
          body: { metadata: { finalizers: others } },
        });
        return client.patch(...call);
      }) as unknown as Client['patch'],
    };
    const options = { client: busy, resource: WebApp, object: stale, finalizer };
    const nothing = (): void => undefined;
    await expect(
      withFinalizer({ ...options, apply: nothing, cleanup: nothing }),
    ).rejects.toMatchObject({
      code: 'FINALIZER_CONFLICT',
      facts: { kind: 'WebApp', namespace: 'default', name: 'shop' },
    });
    expect(writes).toBe(10);
  });

  test.each<[string, string[], string[]]>([
    ['adds', [], []],
    ['removes', [finalizer], [finalizer]],
  ])('throws if a webhook undoes the write that %s the finalizer', async (_, before, after) => {
    const object = await create(before);
    if (before.length > 0) await client.delete(WebApp, name);
    const isDeleting = before.length > 0;
    const undone = {
      get: client.get.bind(client),
      patch: (async () => ({
        ...object,
        metadata: { ...object.metadata, finalizers: after },
      })) as unknown as Client['patch'],
    };
    const current = isDeleting ? await client.get(WebApp, name) : object;
    const options = { client: undone, resource: WebApp, object: current, finalizer };
    await expect(withFinalizer({ ...options, apply: noop, cleanup: noop })).rejects.toMatchObject({
      code: 'FINALIZER_NOT_STORED',
      facts: { kind: 'WebApp', namespace: 'default', name: 'shop', finalizers: finalizer },
    });
  });

  test.each<[string, (object: Persisted<WebApp>) => Promise<Persisted<WebApp>>, string[]]>([
    ['adds', async (object) => object, [finalizer]],
    [
      'removes',
      async () => {
        await client.patch(WebApp, name, {
          type: 'merge',
          body: { metadata: { finalizers: [finalizer, 'example.com/other'] } },
        });
        await client.delete(WebApp, name);
        return client.get(WebApp, name);
      },
      ['example.com/other'],
    ],
  ])(
    '%s the finalizer of an object that another client writes all the time',
    async (_verb, prepare, expected) => {
      const object = await prepare(await create());
      let writes = 0;
      const busy = {
        get: client.get.bind(client),
        patch: (async (...call: Parameters<Client['patch']>) => {
          const labels = { write: String(++writes) };
          await client.patch(WebApp, name, { type: 'merge', body: { metadata: { labels } } });
          return client.patch(...call);
        }) as unknown as Client['patch'],
      };
      const options = { client: busy, resource: WebApp, object, finalizer };
      await withFinalizer({ ...options, apply: noop, cleanup: noop });
      expect([finalizers(), writes]).toEqual([expected, 1]);
      expect(stored()?.metadata?.labels).toEqual({ write: '1' });
    },
  );

  test('adds no finalizer to an object whose deletion began after the read', async () => {
    const object = await create(['example.com/other']);
    await client.delete(WebApp, name);
    expect(await run(object)).toEqual({ requeueAfter: 1 });
    expect([finalizers(), calls]).toEqual([['example.com/other'], []]);
  });

  test('throws the error of the server for a list of finalizers that it refuses', async () => {
    const object = await create();
    const wrong = { client, resource: WebApp, object, finalizer: 'not a name/x' };
    const end = withFinalizer({ ...wrong, apply: noop, cleanup: noop });
    await expect(end).rejects.toMatchObject({ statusCode: 422 });
    expect(server.stats.requests({ resource: WebApp, verb: 'patch' })).toBe(1);
  });

  test('throws the error of a write without retry if it is not a conflict', async () => {
    const object = await create();
    let writes = 0;
    const refused = new StatusError({ code: 403, reason: 'Forbidden', message: 'no' });
    const patch = (): never => {
      writes += 1;
      throw refused;
    };
    const options = { client: { get: client.get.bind(client), patch }, resource: WebApp, object };
    const act = (): void => undefined;
    await expect(withFinalizer({ ...options, finalizer, apply: act, cleanup: act })).rejects.toBe(
      refused,
    );
    expect(writes).toBe(1);
  });

  test('passes its signal to every request', async () => {
    const { signal } = new AbortController();
    const stale = await create();
    const others = { metadata: { finalizers: ['example.com/other'] } };
    await client.patch(WebApp, name, { type: 'merge', body: others });
    const signals: unknown[] = [];
    const spying = {
      get: (async (...call: Parameters<Client['get']>) => {
        signals.push(call[2]?.signal);
        return client.get(...call);
      }) as unknown as Client['get'],
      patch: (async (...call: Parameters<Client['patch']>) => {
        signals.push(call[3]?.signal);
        return client.patch(...call);
      }) as unknown as Client['patch'],
    };
    const act = (): void => undefined;
    const options = { client: spying, resource: WebApp, object: stale, finalizer, signal };
    await withFinalizer({ ...options, apply: act, cleanup: act });
    expect(signals).toHaveLength(3);
    expect(signals.every((given) => given === signal)).toBe(true);
  });

  test.each([
    ['404 ends without an error', 404, false],
    ['500 is thrown', 500, true],
  ])('a read after a conflict that fails with %s', async (_name, code, throws) => {
    const failed = new StatusError({ code, reason: code === 404 ? 'NotFound' : 'InternalError' });
    const failing = {
      get: () => Promise.reject(failed),
      patch: () => Promise.reject(new StatusError({ code: 409, reason: 'Conflict' })),
    };
    const act = (): void => undefined;
    const object = await create();
    const end = withFinalizer({
      client: failing,
      resource: WebApp,
      object,
      finalizer,
      apply: act,
      cleanup: act,
    });
    await (throws ? expect(end).rejects.toBe(failed) : expect(end).resolves.toBeUndefined());
  });

  test('does not write to a missing object or to a new object of its name', async () => {
    const gone = await create();
    await client.delete(WebApp, name);
    await run(gone);
    await create();
    await run(gone);
    expect(finalizers()).toEqual([]);
  });

  test('throws for a finalizer without a prefix', async () => {
    const object = await create();
    const nothing = (): void => undefined;
    await expect(
      withFinalizer({
        client,
        resource: WebApp,
        object,
        finalizer: 'mine',
        apply: nothing,
        cleanup: nothing,
      }),
    ).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('adds, applies, cleans up and removes in a controller, also with generationChanged', async () => {
    const manager = createManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
    manager.addController({
      name: 'finalizing',
      for: { resource: WebApp, predicates: [generationChanged] },
      async reconcile(request, { cache, client: writer, signal }) {
        const object = cache.get(WebApp, request);
        if (object === undefined) return undefined;
        return withFinalizer({
          client: writer,
          resource: WebApp,
          object,
          finalizer,
          signal,
          apply: () => void calls.push('apply'),
          cleanup: () => void calls.push('cleanup'),
        });
      },
    });
    await running(manager);
    await create();
    await eventually(() => calls.includes('apply'));
    await client.delete(WebApp, name);
    await eventually(() => stored() === undefined);
    expect(calls.at(-1)).toBe('cleanup');
    await manager.stop();
  });
});
