import { builtin, type Persisted } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import type { EventHandler, InformerCache, InformerEvent, ObjectView } from '@keelson/informer';
import { createLogger, createManager } from '@keelson/manager';
import { createTracing } from '@keelson/manager/tracing';
import type { WatchOptions } from '@keelson/manager/sources';

/**
 * Measures the cost of an event: predicate, mapper, queue, metrics. The cache is a stub that returns the event handler,
 * so that the informer is not measured.
 * Run: node --conditions=@keelson/source packages/runtime/manager/bench/events.ts
 */
const count = 200_000;
// No object has more events than the burst of `eventRate`, so that none is delayed.
const few = 2000;
/** More objects than the default history has room for, so that each event makes it forget a request. */
const many = 10_000;
const rounds = 7;
const { ConfigMap } = builtin;

const views = Array.from({ length: many }, (_, index) => [viewOf(index, '1'), viewOf(index, '2')]);

function viewOf(index: number, resourceVersion: string): ObjectView {
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const metadata = {
    namespace: 'n',
    name: `o${index}`,
    uid: `u${index}`,
    resourceVersion,
    creationTimestamp,
  };
  const { namespace, name, uid } = metadata;
  const { apiVersion, kind } = { apiVersion: 'v1', kind: 'ConfigMap' };
  const value = (): Persisted => ({ apiVersion, kind, metadata });
  const key = `${namespace}/${name}`;
  return { key, namespace, name, uid, resourceVersion, apiVersion, kind, metadata, value };
}

/** An update of one of the first objects. */
function eventAt(index: number, objects: number): InformerEvent {
  const [previous, object] = views[index % objects] as [ObjectView, ObjectView];
  return { type: 'updated', key: object.key, object, previous, receivedAt: performance.now() };
}

/** A cache with one synced watch, and the handler that the controller registered. */
function stubCache(): { cache: InformerCache; emit: EventHandler } {
  const handlers: EventHandler[] = [];
  const synced = Promise.resolve();
  const handle = {
    synced,
    hasSynced: true,
    health: { state: 'live', reason: 'synced', since: 0, attempts: 0 },
    store: { has: () => true },
    addEventHandler(handler: EventHandler) {
      handlers.push(handler);
      return { synced, hasSynced: true, remove() {} };
    },
    onHealthChange: () => ({ [Symbol.dispose]() {} }),
    release() {},
  };
  const cache = {
    acquire: () => handle,
    scope: () => cache,
    inventory: () => [],
    memory: () => ({ pinnedBytes: 0 }),
    get: () => undefined,
    list: () => [],
    views: () => [],
    served() {},
    written() {},
    deleted() {},
    waitForSync: () => synced,
    close: () => synced,
  };
  const emit: EventHandler = (event) => handlers[0]?.(event);
  return { cache: cache as unknown as InformerCache, emit };
}

/** What keeps the events of a controller. */
interface Observers {
  /** Default: `few`. */
  readonly objects?: number;
  readonly hasHistory?: boolean;
  readonly isTraced?: boolean;
}

/**
 * Measures a watch of the controller's options, or one that is added at run time, with the default history for
 * `explain` or without one, and with a tracing that remembers what queued each request.
 */
async function measure(
  isDynamic: boolean,
  { objects = few, hasHistory = true, isTraced = false }: Observers = {},
): Promise<number> {
  const { cache, emit } = stubCache();
  const manager = createManager({
    client: createClient({ cluster: { server: 'http://127.0.0.1:1' } }),
    cache,
    logger: createLogger({ level: 'silent' }),
    stopSignals: [],
    gracePeriod: 0,
    ...(isTraced && { tracing: createTracing() }),
  });
  let [filtered, mapped] = [0, 0];
  const watch: WatchOptions = {
    resource: ConfigMap,
    predicates: [() => (filtered += 1) > 0],
    map({ namespace, name }) {
      mapped += 1;
      return { namespace, name };
    },
  };
  const watches = isDynamic ? [] : [watch];
  const controller = manager.addController({
    name: 'events',
    watches,
    ...(!hasHistory && { historyBytes: 0 }),
    async reconcile() {},
  });
  const end = manager.start();
  await manager.started;
  if (isDynamic) controller.watch(watch);
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) emit(eventAt(index, objects));
  const { user, system } = process.cpuUsage(before);
  // An update maps the object and its previous state.
  if (filtered !== count || mapped !== 2 * count) throw new Error(`${filtered}, ${mapped} calls`);
  await manager.stop();
  await end;
  return (user + system) / count;
}

const samples = {
  'manager.event': [] as number[],
  'manager.event.dynamic': [] as number[],
  'manager.event.withoutHistory': [] as number[],
  'manager.event.traced': [] as number[],
  'manager.event.10000': [] as number[],
  'manager.event.10000.withoutHistory': [] as number[],
};
// The cases take turns, so that other work on the machine affects both.
for (let round = 0; round < rounds; round += 1) {
  samples['manager.event'].push(await measure(false));
  samples['manager.event.dynamic'].push(await measure(true));
  samples['manager.event.withoutHistory'].push(await measure(false, { hasHistory: false }));
  samples['manager.event.traced'].push(await measure(false, { isTraced: true }));
  samples['manager.event.10000'].push(await measure(false, { objects: many }));
  samples['manager.event.10000.withoutHistory'].push(
    await measure(false, { objects: many, hasHistory: false }),
  );
}
for (const [name, values] of Object.entries(samples)) {
  values.sort((a, b) => a - b);
  const keelson = { median: values[Math.floor(rounds / 2)], min: values[0], max: values.at(-1) };
  console.log(JSON.stringify({ case: name, unit: 'µs CPU', keelson }));
}
