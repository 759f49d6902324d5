import { beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { WatchIdentity, WatchInventory } from '@keelson/informer';
import { WebhookError } from '@keelson/webhook';
import { Registry } from 'prom-client';
import { ManagerMetrics } from './manager-metrics.ts';
import { metrics, type MetricKey } from './metrics.ts';

/** A series after the observations of this file: its labels, and its value or the sum of its histogram. */
type Series = readonly [labels: Readonly<Record<string, string>>, value: number];

const controller = { controller: 'web' };
const queue = { name: 'web', controller: 'web' };
const secrets = { group: '', version: 'v1', resource: 'secrets' };
const host = '10.0.0.1:443';

/** Every metric with a series that only its own observation gives this value. The type requires a row for each key. */
const observed: Readonly<Record<MetricKey, Series>> = {
  reconciles: [{ ...controller, result: 'requeue_after' }, 1],
  reconcileErrors: [controller, 2],
  terminalErrors: [controller, 1],
  panics: [controller, 1],
  deadLetters: [controller, 1],
  queueFunctionErrors: [controller, 1],
  timeouts: [controller, 1],
  reconcileTime: [controller, 10],
  maxConcurrent: [controller, 4],
  activeWorkers: [controller, 2],
  queueDepth: [{ ...queue, priority: '-100' }, 3],
  queueAdds: [queue, 1],
  queueRetries: [queue, 1],
  queueDuration: [queue, 0.5],
  workDuration: [queue, 0.75],
  unfinishedWork: [queue, 1.5],
  longestRunning: [queue, 1.25],
  requests: [{ code: '200', method: 'GET', host }, 1],
  requestDuration: [{ verb: 'GET', host }, 2.5],
  requestRetries: [{ code: '429', verb: 'POST', host }, 1],
  apiWarnings: [{}, 1],
  protobufRefusals: [{}, 1],
  watches: [{ ...secrets, state: 'live' }, 1],
  watchesIntended: [secrets, 1],
  watchHandles: [secrets, 3],
  storeObjects: [secrets, 7],
  storeBytes: [secrets, 700],
  pinnedBytes: [{}, 512],
  budgetBytes: [{ budget: 'v1/secrets' }, 2_000],
  budgetUsed: [{ budget: 'v1/secrets' }, 1_500],
  lastEventAge: [secrets, 6],
  watchVersion: [secrets, 9],
  leaderStatus: [{ name: 'lease' }, 1],
  leaderSlowPath: [{ name: 'lease' }, 2],
  clusterLive: [{ cluster: 'far' }, 1],
  shardSlotsOwned: [{ name: 'shards' }, 300],
  shardSlotsWanted: [{ name: 'shards' }, 512],
  shardSlotsUnowned: [{ name: 'shards' }, 7],
  shardSelectedByServer: [{ name: 'shards' }, 1],
  shardLabelsPending: [{ name: 'shards' }, 3],
  shardSlotsMoved: [{ name: 'shards' }, 12],
  shardHandover: [{ name: 'shards' }, 1.5],
  certificateReads: [{}, 1],
  certificateErrors: [{}, 1],
  certificateExpiry: [{ server: 'webhook' }, 1_800_000_000],
  webhookRequests: [{ webhook: '/validate/jobs', code: '200' }, 1],
  webhookLatency: [{ webhook: '/validate/jobs' }, 0.25],
  webhooksInFlight: [{ webhook: '/validate/jobs' }, 2],
  webhookPanics: [{}, 1],
  webhookErrors: [{ webhook: '/validate/jobs', code: 'WEBHOOK_FAILED' }, 1],
  lists: [{ ...secrets, cause: 'expired' }, 1],
  watchRestarts: [{ ...secrets, cause: 'idle' }, 1],
  events: [{ ...secrets, type: 'deleted' }, 1],
  handlerErrors: [controller, 1],
  delayedEvents: [controller, 3],
  managerFights: [{ ...controller, manager: 'hpa', other_manager: 'web' }, 2],
  historyBytes: [controller, 4096],
  initialRequests: [controller, 6],
  trackedObjects: [controller, 5],
  daemons: [controller, 3],
  sourcePending: [{ controller: 'web', source: 'queue' }, 7],
  handlerDuration: [controller, 0.25],
  collectorErrors: [{}, 1],
  invalidResults: [controller, 1],
  logErrors: [{}, 1],
  requestsPurged: [{}, 5],
  ownWrites: [secrets, 4],
  ownWritesEnded: [{ ...secrets, cause: 'reached' }, 2],
  ownWriteLag: [secrets, 0.5],
  lingerReuses: [{}, 1],
  eventLoopDelay: [{ quantile: '1' }, 0],
  eventLoopBlocked: [{ ...controller, role: 'event' }, 0.375],
  apiToReconcile: [controller, 0.125],
};

const watch: WatchIdentity = {
  id: 'secrets',
  query: {
    resource: builtin.Secret,
    namespace: undefined,
    labelSelector: undefined,
    fieldSelector: undefined,
    projection: 'full',
  },
};

function inventoryOf(facts: object): WatchInventory {
  const health = { state: 'live' };
  return { query: watch.query, health, handles: [], objects: 0, bytes: 0, ...facts } as never;
}

const inventory = [
  inventoryOf({
    handles: ['a', 'b', 'c'],
    objects: 4,
    ownWrites: 3,
    bytes: 400,
    lastEventAge: 6000,
    resourceVersion: '10',
  }),
  inventoryOf({
    objects: 3,
    ownWrites: 1,
    bytes: 300,
    lastEventAge: 2000,
    resourceVersion: '9',
    health: { state: 'parked' },
  }),
  inventoryOf({
    query: { ...watch.query, resource: builtin.ConfigMap },
    resourceVersion: 'opaque',
  }),
];

const request = (method: 'GET' | 'POST'): never => ({ method, host }) as never;

function observeController(from: ManagerMetrics): void {
  const observer = from.controller('web');
  observer.attach({
    concurrency: 4,
    running: 2,
    depths: () => new Map([[-100, 3]]),
    pending: () => new Map([['queue', 7]]),
    unfinishedMs: () => 1500,
    longestRunningMs: () => 1250,
    historyBytes: () => 4096,
    daemons: () => 3,
    initialRequests: () => 6,
    tracked: () => 5,
  });
  observer.reconcileStarted(125);
  observer.reconcileStarted(undefined);
  for (const result of ['success', 'error', 'error', 'requeue', 'requeue_after'] as const) {
    observer.reconcileEnded(result, 2000);
  }
  observer.terminalError();
  observer.panic();
  observer.deadLetter();
  observer.queueFunctionFailed();
  observer.invalidResult();
  observer.timedOut();
  observer.sourceError();
  observer.eventHandled(250);
  for (let events = 0; events < 3; events += 1) observer.eventDelayed();
  observer.fieldManagersFight(['hpa', 'web']);
  observer.fieldManagersFight(['hpa', 'web']);
  observer.blocked('event', 375);
  observer.queue.added?.(0);
  observer.queue.retried?.();
  observer.queue.taken?.(0, 500);
  observer.queue.finished?.(750);
  observer.queue.purged?.(5);
}

let registry: Registry;

/** The value of a series, or the sum of a histogram; `undefined` without such a series. */
async function valueOf(key: MetricKey, [labels]: Series): Promise<number | undefined> {
  const { name, type } = metrics[key];
  const { values } = (await registry.getSingleMetric(name)?.get()) ?? { values: [] };
  const suffix = type === 'histogram' ? `${name}_sum` : undefined;
  return (values as readonly { labels: object; value: number; metricName?: string }[]).find(
    (series) =>
      (suffix === undefined || series.metricName === suffix) &&
      JSON.stringify(sorted(series.labels)) === JSON.stringify(sorted(labels)),
  )?.value;
}

function sorted(labels: object): [string, unknown][] {
  return Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b));
}

describe('the metrics of a manager', () => {
  let manager: ManagerMetrics;

  beforeEach(() => {
    registry = new Registry();
    const budget = { budget: 'v1/secrets', policy: 'refuse', bytes: 2_000, used: 1_500 } as const;
    const memory = { pinnedBytes: 512, freeBytes: 0, budgets: [budget] };
    manager = new ManagerMetrics(registry, () => ({
      inventory: () => inventory,
      memory: () => memory,
    }));
    observeController(manager);
    manager.client.requestEnded?.(request('GET'), { code: 200, duration: 2000 });
    manager.client.requestEnded?.(request('GET'), { code: 404, duration: 500 });
    manager.client.warning?.({} as never);
    manager.client.protobufRefused?.({} as never);
    manager.client.requestRetried?.(request('POST'), { code: 429, delay: 1, attempt: 1 });
    manager.watches.watchStarted(watch);
    manager.watches.listing(watch, 'expired');
    manager.watches.restarting(watch, 'idle');
    manager.watches.event(watch, 'deleted');
    manager.watches.ownWriteEnded(watch, 'reached', 125);
    manager.watches.ownWriteEnded(watch, 'reached', 375);
    manager.watches.ownWriteEnded(watch, 'expired', 300_000);
    manager.watches.lingerReused();
    manager.cluster('far', () => ({
      inventory: () => [inventoryOf({ query: { ...watch.query, resource: builtin.ConfigMap } })],
      memory: () => ({ ...memory, budgets: [] }),
    }));
    const shards = manager.sharding('shards', () => ({
      owned: 300,
      wanted: 512,
      unowned: 7,
      selectedByServer: true,
      unlabelled: 3,
    }));
    shards.moved(12);
    shards.handedOver(1500);
    const election = manager.election('lease', () => true);
    election.slowPath();
    election.slowPath();
    manager.logFailed();
    manager.collectorFailed();
    manager.certificateRead();
    manager.certificateFailed();
    manager.certificateOf('webhook', () => 1_800_000_000_000);
    for (let round = 0; round < 3; round += 1) manager.webhooks.began('/validate/jobs');
    manager.webhooks.ended('/validate/jobs', 200, 0.25);
    const cause = new TypeError('x is not a function');
    manager.webhooks.failed('/validate/jobs', new WebhookError('WEBHOOK_FAILED', {}, { cause }));
  });

  test.each(Object.entries(observed) as [MetricKey, Series][])(
    '%s has the value of its observation',
    async (key, series) => {
      expect(await valueOf(key, series)).toBe(series[1]);
    },
  );

  test('each result of a reconcile has its own series', async () => {
    for (const [result, count] of [
      ['success', 1],
      ['error', 2],
      ['requeue', 1],
    ] as const) {
      expect(await valueOf('reconciles', [{ ...controller, result }, count])).toBe(count);
    }
  });

  test('events of every type are counted from 0 since the start of the watch', async () => {
    for (const type of ['added', 'updated']) {
      expect(await valueOf('events', [{ ...secrets, type }, 0])).toBe(0);
    }
  });

  test('R0-32 the version of a resource is the oldest of its watches; one that is not a number has no series', async () => {
    expect(await valueOf('watchVersion', [secrets, 9])).toBe(9);
    const configMaps = { ...secrets, resource: 'configmaps' };
    expect(await valueOf('watchVersion', [configMaps, 0])).toBeUndefined();
  });

  test('a watch without handles is not intended, and states are counted separately', async () => {
    expect(await valueOf('watches', [{ ...secrets, state: 'parked' }, 1])).toBe(1);
  });

  test('the series of a resource stay until its last watch stops, and none are created later', async () => {
    const lists: Series = [{ ...secrets, cause: 'expired' }, 1];
    const second = { ...watch, id: 'more secrets' };
    manager.watches.watchStarted(second);
    manager.watches.watchStopped(watch);
    expect(await valueOf('lists', lists)).toBe(1);
    manager.watches.watchStopped(second);
    manager.watches.watchStopped(second);
    manager.watches.listing(second, 'expired');
    manager.watches.restarting(second, 'idle');
    manager.watches.event(second, 'added');
    expect(await valueOf('lists', lists)).toBeUndefined();
    expect((await registry.getSingleMetric(metrics.watchRestarts.name)?.get())?.values).toEqual([]);
    manager.watches.watchStarted(second);
    manager.watches.listing(second, 'expired');
    expect(await valueOf('lists', lists)).toBe(1);
  });

  test('the delay of the event loop is 0 for every quantile without samples', async () => {
    for (const quantile of ['0.5', '0.99', '1']) {
      expect(await valueOf('eventLoopDelay', [{ quantile }, 0])).toBe(0);
    }
  });

  test('a priority keeps its series at 0, and the reading of a removed controller ends', async () => {
    expect(await valueOf('queueDepth', [{ ...queue, priority: '0' }, 0])).toBe(0);
    manager.controller('web').removed();
    expect(await valueOf('queueDepth', [{ ...queue, priority: '0' }, 0])).toBeUndefined();
    expect(await valueOf('maxConcurrent', [controller, 4])).toBeUndefined();
  });

  test('pairs of field managers after the first 25 share one series', async () => {
    const observer = manager.controller('other');
    for (let index = 0; index < 30; index += 1) {
      observer.fieldManagersFight([`a${index}`, 'b']);
      observer.fieldManagersFight(['hpa', 'web']);
    }
    const { values = [] } =
      (await registry.getSingleMetric(metrics.managerFights.name)?.get()) ?? {};
    const labels = { controller: 'other' };
    expect(values.filter((series) => series.labels['controller'] === 'other')).toHaveLength(26);
    const last = { ...labels, manager: 'a23', other_manager: 'b' };
    expect(await valueOf('managerFights', [last, 1])).toBe(1);
    const other = { ...labels, manager: 'other', other_manager: 'other' };
    expect(await valueOf('managerFights', [other, 6])).toBe(6);
  });

  test('release removes every metric from the registry', () => {
    manager.release();
    expect(registry.getMetricsAsArray()).toEqual([]);
  });
});
