import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectName } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import type { Controller } from '../controller/controller.ts';
import type { ControllerOptions } from '../controller/controller-options.ts';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import { generationChanged } from '../sources/event-rules/predicate.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import {
  crdOf,
  eventually,
  gate,
  recordingLogger,
  running,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';

const { Secret, Namespace } = builtin;
const app = { namespace: 'default', name: 'app' };
const password = { namespace: 'default', name: 'password' };

type Run = (context: ReconcileContext, request: ObjectName) => Promise<Outcome | void>;

let server: ApiServer;
let client: Client;
let manager: Manager;
let controller: Controller;
let lines: Record<string, unknown>[];
/** What each run found: the value of the Secret, or `none`. */
let seen: string[];
let run: Run;

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  seen = [];
  run = async ({ track }) => note(await track(Secret, password));
});

afterEach(async () => {
  await manager.stop();
  await client.close();
  await server.close();
});

function note(secret: { readonly data?: Readonly<Record<string, string>> } | undefined): void {
  seen.push(secret?.data?.['value'] ?? 'none');
}

async function start(
  options: Partial<ControllerOptions> = {},
  managed: object = {},
): Promise<void> {
  const recording = recordingLogger();
  ({ lines } = recording);
  const { logger } = recording;
  manager = createManager({ cluster: server.cluster, logger, stopSignals: [], ...managed });
  controller = manager.addController({
    name: 'app',
    backoff: { base: '1ms', max: '1ms' },
    ...options,
    reconcile: (request, context) => run(context, request),
  });
  await running(manager);
}

async function runs(count: number): Promise<void> {
  await eventually(
    () => seen.length >= count && controller.running === 0 && controller.length === 0,
  );
}

async function setSecret(value: string, name = password): Promise<void> {
  await client.apply(Secret, { metadata: name, data: { value } });
}

/** The watches that the controller holds, by their states. */
function watchesOf(cache: Manager['cache'] = manager.cache): string[] {
  return cache
    .inventory()
    .flatMap(({ handles, health }) => (handles.length > 0 ? [health.state] : []));
}

/** Waits until the controller watches this many kinds, and no other. */
async function watching(count: number, cache?: Manager['cache']): Promise<void> {
  await eventually(() => watchesOf(cache).join() === Array(count).fill('live').join());
}

describe('track', () => {
  test('reads the object, and runs the request again when it changes, is deleted and appears', async () => {
    await setSecret('aaaa');
    await start();
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    await setSecret('bbbb');
    await runs(2);
    await client.delete(Secret, password);
    await runs(3);
    await setSecret('cccc');
    await runs(4);
    expect(seen).toEqual(['aaaa', 'bbbb', 'none', 'cccc']);
  });

  test('names the kind in the cause of the run', async () => {
    const causes: unknown[] = [];
    run = async (context) => {
      causes.push(context.causes.map(({ source, reason }) => ({ source, reason })));
      note(await context.track(Secret, password));
    };
    await start();
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    await setSecret('aaaa');
    await runs(2);
    expect(causes[1]).toEqual([{ source: 'track Secret', reason: 'added' }]);
  });

  test('does not run the request again for the state that the run has read', async () => {
    await setSecret('aaaa');
    await start();
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    // The watch has delivered the object by the time that it delivers another one.
    run = async ({ track }, { name }) => {
      seen.push(name);
      await track(Secret, { ...password, name });
    };
    controller.enqueue({ ...app, name: 'other' });
    await runs(2);
    await setSecret('aaaa', { ...password, name: 'other' });
    await runs(3);
    expect(seen).toEqual(['aaaa', 'other', 'other']);
  });

  test('does not run the request again for the state of an object that the cache had before the read', async () => {
    const { ConfigMap } = builtin;
    const causes: unknown[] = [];
    const ref = { namespace: 'default', name: 'ref' };
    await client.create(ConfigMap, { metadata: ref });
    await client.create(ConfigMap, { metadata: app });
    run = async (context, { name }) => {
      causes.push(...context.causes.map(({ source, reason }) => `${name} ${source} ${reason}`));
      // Its own object, and another one.
      for (const tracked of [app, ref]) await context.track(ConfigMap, tracked);
      seen.push(name);
    };
    await start({
      for: { resource: ConfigMap, predicates: [(event) => event.object.name === 'app'] },
    });
    await runs(1);
    await client.patch(ConfigMap, ref, { type: 'merge', body: { data: { value: 'b' } } });
    await runs(2);
    expect(causes).toEqual(['app for ConfigMap initial', 'app track ConfigMap updated']);
  });

  test('runs the request again for an event that came during a read that failed', async () => {
    await setSecret('aaaa');
    run = async ({ track }) => {
      await track(Secret, password).then(note, () => seen.push('failed'));
    };
    await start({ reads: [Secret] });
    await controller.synced;
    server.faults.fail({ resource: Secret, verb: 'get', code: 403, times: 1 });
    controller.enqueue(app);
    await runs(2);
    expect(seen).toEqual(['failed', 'aaaa']);
  });

  test('runs the request again for an object that was deleted before the watch began', async () => {
    await setSecret('aaaa');
    await start();
    using hang = server.faults.hang({ resource: Secret, verb: ['list', 'watch'] });
    controller.enqueue(app);
    await runs(1);
    await client.delete(Secret, password);
    hang.end();
    await runs(2);
    expect(seen).toEqual(['aaaa', 'none']);
  });

  test('runs the request again for an object that changed or appeared before the watch began', async () => {
    await start();
    using hang = server.faults.hang({ resource: Secret, verb: ['list', 'watch'] });
    controller.enqueue(app);
    await runs(1);
    await setSecret('aaaa');
    hang.end();
    await runs(2);
    expect(seen).toEqual(['none', 'aaaa']);
  });

  test('ends the watch when the last run did not track an object of the kind', async () => {
    await start();
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    expect(await valueOf(manager, 'keelson_tracked_objects', { controller: 'app' })).toBe(1);
    run = async () => void seen.push('free');
    controller.enqueue(app);
    await runs(2);
    await watching(0);
    expect(await valueOf(manager, 'keelson_tracked_objects', { controller: 'app' })).toBe(0);
    await setSecret('aaaa');
    controller.enqueue({ ...app, name: 'other' });
    await runs(3);
    expect(seen).toEqual(['none', 'free', 'free']);
  });

  test('drops one object and keeps the others of the kind', async () => {
    const names = ['a', 'b'];
    const tracked = [names, ['b']];
    run = async ({ track }) => {
      const all = tracked.length > 1 ? tracked.shift() : tracked[0];
      for (const name of all ?? []) await track(Secret, { ...password, name });
      seen.push((all ?? []).join());
    };
    await start();
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    await setSecret('aaaa', { ...password, name: 'a' });
    await runs(2);
    await setSecret('bbbb', { ...password, name: 'a' });
    await setSecret('aaaa', { ...password, name: 'b' });
    await runs(3);
    expect(seen).toEqual(['a,b', 'b', 'b']);
  });

  test('keeps the objects after a run that failed or requested a retry', async () => {
    const outcomes: Run[] = [
      async ({ track }) => void (await track(Secret, password)),
      async () => {
        throw new Error('failed');
      },
      async () => ({ retry: true }),
    ];
    const opened = gate();
    run = async (context, request) => {
      const next = outcomes.shift();
      seen.push(`run ${outcomes.length}`);
      if (next === undefined) return opened.opened;
      return next(context, request);
    };
    await start();
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    controller.enqueue(app);
    // The fourth run is under way, and the two before it did not complete.
    await eventually(() => seen.length === 4);
    expect(watchesOf()).toEqual(['live']);
    opened.open();
    await watching(0);
  });

  test('shares the watch of a wider query, and sends no request for it', async () => {
    await start({ reads: [Secret] });
    await controller.synced;
    const sent = (): number => server.stats.requests({ resource: Secret, verb: ['list', 'watch'] });
    const before = sent();
    controller.enqueue(app);
    await runs(1);
    await setSecret('aaaa');
    await runs(2);
    expect(seen).toEqual(['none', 'aaaa']);
    expect(sent()).toBe(before);
  });

  test('makes objects of other kinds not readable in the cache', async () => {
    await setSecret('aaaa');
    const codes: unknown[] = [];
    run = async ({ track, cache }) => {
      note(await track(Secret, password));
      try {
        cache.get(Secret, password);
      } catch (error) {
        codes.push((error as { code?: unknown }).code);
      }
    };
    await start();
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    controller.enqueue(app);
    await runs(2);
    expect(codes).toEqual(['NOT_WATCHED', 'NOT_WATCHED']);
  });

  test('explains no events of objects that no run tracks', async () => {
    await setSecret('aaaa', { ...password, name: 'b' });
    await start();
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    await setSecret('aaaa');
    await runs(2);
    expect(controller.explain({ ...app, name: 'b' }).dropped).toEqual([]);
  });

  test('ignores the predicates of the controller', async () => {
    await start({ predicates: [generationChanged] });
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    await setSecret('aaaa');
    await runs(2);
    await client.patch(Secret, password, { type: 'merge', body: { data: { value: 'bbbb' } } });
    await runs(3);
    expect(seen).toEqual(['none', 'aaaa', 'bbbb']);
  });

  test('watches the namespaces of the controller, and refuses objects outside of them', async () => {
    await client.create(Namespace, { metadata: { name: 'far' } });
    const codes: unknown[] = [];
    run = async ({ track }) => {
      note(await track(Secret, password));
      await track(Secret, { namespace: 'far', name: 'x' }).catch((error: { code?: unknown }) =>
        codes.push(error.code),
      );
      await track(Namespace, { name: 'far' });
    };
    await start({ namespaces: ['default'] });
    controller.enqueue(app);
    await runs(1);
    await watching(2);
    expect(codes).toEqual(['TRACK_OUT_OF_SCOPE']);
    expect(server.stats.requests({ resource: Secret, verb: 'list', namespace: 'far' })).toBe(0);
    await setSecret('aaaa');
    await runs(2);
    await client.patch(
      Namespace,
      { name: 'far' },
      { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
    );
    await runs(3);
    expect(seen).toEqual(['none', 'aaaa', 'aaaa']);
  });

  test('refuses more objects than a run may track, and invalid arguments', async () => {
    const codes: unknown[] = [];
    const codeOf = (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => 'done',
        (error: { code?: unknown }) => error.code,
      );
    run = async ({ track }) => {
      const names = Array.from({ length: 501 }, (_, index) => ({
        namespace: 'default',
        name: `s${index}`,
      }));
      const all = await Promise.all(names.map((name) => codeOf(track(Secret, name))));
      codes.push(all.filter((code) => code === 'done').length, all.at(-1));
      codes.push(await codeOf(track(Secret, { name: 'x' })));
      codes.push(await codeOf(track(Namespace, { namespace: 'a', name: 'x' })));
      codes.push(await codeOf(track(undefined as never, { name: 'x' })));
      codes.push(await codeOf(track(Secret, undefined as never)));
      seen.push('run');
    };
    await start();
    controller.enqueue(app);
    await runs(1);
    const invalid = 'INVALID_OPTION';
    expect(codes).toEqual([500, 'TOO_MANY_TRACKED', invalid, invalid, invalid, invalid]);
  });

  test('keeps 1000 objects of failed runs, and warns once beyond them', async () => {
    const all = Array.from({ length: 1003 }, (_, index) => ({ ...password, name: `s${index}` }));
    // The third run tracks the oldest object again, which needs no room.
    const parts = [all.slice(0, 500), all.slice(500, 1000), all.slice(0, 1), all.slice(1000)];
    const warnings: number[] = [];
    run = async ({ track }) => {
      await Promise.all((parts.shift() ?? []).map((name) => track(Secret, name)));
      // Other warnings are those of a busy machine, about a blocked event loop.
      const left = 'objects of failed runs are no longer tracked';
      warnings.push(lines.filter(({ message }) => message === left).length);
      if (warnings.length === 4) {
        seen.push(`${await valueOf(manager, 'keelson_tracked_objects', { controller: 'app' })}`);
      } else throw new Error('failed');
    };
    await start();
    controller.enqueue(app);
    await runs(1);
    expect(seen).toEqual(['1000']);
    expect(warnings).toEqual([0, 0, 0, 1]);
  });

  test('continues after the watch was cut off', async () => {
    await start();
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    server.faults.cutWatches({ resource: Secret, how: 'reset' });
    await setSecret('aaaa');
    await runs(2);
    expect(seen).toEqual(['none', 'aaaa']);
  });

  test('watches a kind as soon as the server serves it', async () => {
    run = async ({ track }) => {
      const found = await track(WebApp, app);
      seen.push(found === undefined ? 'none' : 'found');
    };
    await start();
    controller.enqueue(app);
    await runs(1);
    await client.create(builtin.CustomResourceDefinition, crdOf(WebApp));
    await server.idle();
    await client.create(WebApp, { metadata: app });
    await runs(2);
    expect(seen).toEqual(['none', 'found']);
  });

  test('leaves no watch and no warning after the stop', async () => {
    await start();
    controller.enqueue(app);
    await runs(1);
    await watching(1);
    await controller.stop();
    expect(watchesOf()).toEqual([]);
    await manager.stop();
    expect(lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  test('code that a run left behind reads the object and tracks nothing', async () => {
    const later = gate();
    const read = Promise.withResolvers<unknown>();
    run = async ({ track }) => {
      void later.opened.then(async () => track(Secret, password)).then(read.resolve);
      seen.push('run');
    };
    await setSecret('aaaa');
    await start();
    controller.enqueue(app);
    await runs(1);
    later.open();
    expect(await read.promise).toMatchObject({ data: { value: 'aaaa' } });
    expect(watchesOf()).toEqual([]);
  });
});

describe('track in a further cluster', () => {
  let other: ApiServer;
  let there: Client;

  beforeEach(async () => {
    other = await createApiServer({});
    there = createClient({ cluster: other.cluster });
    run = async ({ clusters }) => note(await clusters.get('far').track(Secret, password));
  });

  afterEach(async () => {
    await manager.stop();
    await there.close();
    await other.close();
  });

  test('watches there, and ends with the cluster', async () => {
    await there.create(Secret, { metadata: password, data: { value: 'aaaa' } });
    await start();
    const cluster = manager.addCluster('far', other.cluster);
    controller.enqueue(app);
    await runs(1);
    await watching(1, cluster.cache);
    await there.patch(Secret, password, { type: 'merge', body: { data: { value: 'bbbb' } } });
    await runs(2);
    expect(seen).toEqual(['aaaa', 'bbbb']);
    expect(watchesOf()).toEqual([]);
    await cluster.remove();
    const again = manager.addCluster('far', other.cluster);
    controller.enqueue(app);
    await runs(3);
    await watching(1, again.cache);
    await there.delete(Secret, password);
    await runs(4);
    expect(seen).toEqual(['aaaa', 'bbbb', 'bbbb', 'none']);
  });
});
