import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createInformerCache } from '@keelson/informer';
import { ExponentialBackoff, WorkQueue } from '@keelson/workqueue';
import {
  controllerMistakes,
  fixedOptions,
  managerMistakes,
  settingMistakes,
  sourceMistakes,
  watchMistakes,
  type Mistakes,
} from '../common-mistakes.ts';
import { settingsOf } from '../controller/controller-options.ts';
import type { Controller } from '../controller/controller.ts';
import { checkChanges, reconfigured } from '../controller/reconfiguration.ts';
import { createManager } from './controller-manager.ts';
import { managersOfTest, nothing, WebApp } from '../testing/fixtures.test-support.ts';

/**
 * Values of a wrong type for every option of the calls that take options. The fact `known` of each call's error lists
 * its options, so that an option without a row here fails a test.
 */

const managers = managersOfTest();

/** Values that are invalid for every option of the type. Some options have further invalid values. */
const wrong = {
  flag: ['true', 1, null, {}, Number.NaN],
  text: [1, null, {}, Number.NaN],
  count: ['1', null, {}, Number.NaN, 1.5, 0],
  number: ['1', null, {}, Number.NaN],
  duration: ['soon', null, {}, Number.NaN, -1],
  code: ['x', 1, null, {}, Number.NaN],
  object: ['x', 1, null, [], Number.NaN],
  list: ['x', 1, null, {}, Number.NaN],
} satisfies Readonly<Record<string, readonly unknown[]>>;

type Rows = Readonly<Record<string, readonly unknown[]>>;

interface Call {
  /** The path of the options in errors; empty if errors have only the name of the option. */
  readonly where: string;
  /** Makes the call with these options and its required ones. */
  readonly make: (options: object) => unknown;
  readonly rows: Rows;
  readonly required?: readonly string[];
}

const backoff: Rows = { base: wrong.duration, max: wrong.duration };
const defaults: Rows = {
  concurrency: wrong.count,
  timeout: wrong.duration,
  cacheSyncTimeout: wrong.duration,
  priorities: wrong.object,
  debounce: [...wrong.object, {}],
  eventRate: [...wrong.object, true],
  resync: wrong.duration,
  backoff: wrong.object,
  ageAfter: wrong.duration,
  maxReconcileInterval: wrong.duration,
  maxAttempts: ['1', null, {}, Number.NaN, 1.5, -1],
  tokenBucket: [...wrong.object, {}],
  historyBytes: [...wrong.count.slice(0, -1), -1, 1, 4095],
  logLevel: [...wrong.text, 'loud'],
};
const priorities: Rows = {
  initial: wrong.number,
  resync: wrong.number,
  change: wrong.number,
  status: wrong.number,
  deletion: wrong.number,
};
const debounce: Rows = { wait: wrong.duration, maxWait: [...wrong.duration, 0] };
const perSecond = [...wrong.number, 0, -1, 0.0001, 1001, Infinity];
const eventRate: Rows = { burst: wrong.count, perSecond };
const cache: Rows = {
  linger: wrong.duration,
  parsedBytes: wrong.count,
  memoryBudget: [...wrong.object, {}],
  keepManagedFields: wrong.flag,
  freeze: wrong.flag,
  overlay: wrong.flag,
};
const namespaces = [...wrong.list, [], [''], ['a', 1], ['a/b'], ['A']];
const source: Rows = {
  namespaces,
  resource: [...wrong.object, {}],
  namespace: wrong.text,
  labelSelector: [1, null, Number.NaN, []],
  fieldSelector: wrong.text,
  projection: wrong.text,
  transform: [...wrong.object, {}],
  indexers: wrong.list,
  retain: wrong.text,
  pageSize: wrong.count,
  sharing: wrong.text,
  required: wrong.flag,
};
const { resource, labelSelector, fieldSelector, transform, retain, pageSize } = source;
const kind = {
  resource,
  namespaces,
  labelSelector,
  fieldSelector,
  transform,
  retain,
  pageSize,
} as Rows;
const events: Rows = {
  predicates: [...wrong.list, [1]],
  priority: wrong.number,
  priorities: wrong.object,
  debounce: [...wrong.object, {}],
  eventRate: [...wrong.object, true],
  resync: wrong.duration,
  ignoreOwn: wrong.flag,
};
/** Wrong values of `clusters`: neither `'all'` nor a function. */
const wrongClusters = ['some', 1, null, {}, ['all']];
const start = (options: object): unknown => createManager(options);
const add = (options: object): Controller =>
  managers.make().manager.addController({ name: 'a', reconcile: nothing, ...options });
const inner =
  (make: (options: object) => unknown, name: string, needed: object = {}) =>
  (options: object): unknown =>
    make({ [name]: { ...needed, ...options } });
const listed =
  (name: string, needed: object) =>
  (options: object): unknown =>
    add({ for: WebApp, [name]: [{ ...needed, ...options }] });

const pair = { cert: 'tls.crt', key: 'tls.key' };

const iterable: Rows = {
  name: wrong.text,
  requests: ['x', 1, null, {}, Number.NaN],
  priority: wrong.number,
  debounce: [...wrong.object, {}],
  eventRate: [...wrong.object, true],
  phase: wrong.text,
  maxPending: wrong.count,
};

const addCluster = (options: object): unknown =>
  managers.make().manager.addCluster('workload', { server: 'http://127.0.0.1:1' }, options);

const clusters: Rows = {
  cache: wrong.object,
  client: wrong.object,
  namespaces,
  kinds: [...wrong.list, [1]],
};
const connections: Rows = {
  compression: wrong.flag,
  http2: wrong.flag,
  protobuf: wrong.flag,
  retry: [...wrong.object, true],
};

const calls: readonly Call[] = [
  { where: 'addCluster.', make: addCluster, rows: { ...clusters, labels: wrong.object } },
  {
    where: 'addCluster.client.',
    make: inner(addCluster, 'client'),
    rows: connections,
  },
  {
    where: 'createManager.clusters.',
    make: inner(start, 'clusters'),
    rows: clusters,
  },
  { where: 'addCluster.cache.', make: inner(addCluster, 'cache'), rows: cache },
  {
    where: 'createManager.',
    make: start,
    rows: {
      clock: [...wrong.object, {}],
      name: [...wrong.text, ''],
      cluster: wrong.object,
      kubeConfig: wrong.object,
      client: [...wrong.object, {}, { get: nothing }],
      cache: [...wrong.object, { acquire: 5 }, { acquire: nothing }],
      namespaces,
      kinds: [...wrong.list, [1]],
      clusters: wrong.object,
      servers: wrong.object,
      registry: [...wrong.object, {}],
      logger: [...wrong.object, {}],
      gracePeriod: wrong.duration,
      controllers: wrong.object,
      leaderElection: wrong.object,
      sharding: wrong.object,
      eventLoop: wrong.object,
      auditReconciles: wrong.flag,
      tracing: [...wrong.object, true, { begin: 1 }],
      stopSignals: [...wrong.list, [1]],
    },
  },
  {
    where: 'createManager.kinds[0].',
    make: (options) => start({ kinds: [{ resource: builtin.Secret, ...options }] }),
    required: ['resource'],
    rows: kind,
  },
  {
    where: 'createManager.servers.',
    make: inner(start, 'servers'),
    rows: {
      host: [...wrong.text, ''],
      metrics: ['80', null, {}, Number.NaN, []],
      health: ['80', null, {}, Number.NaN, []],
      debug: ['80', null, {}, Number.NaN, []],
      webhook: ['80', null, {}, Number.NaN, [], 80],
    },
  },
  {
    where: 'createManager.servers.webhook.',
    make: (given) => start({ servers: { webhook: { port: 0, tls: pair, ...given } } }),
    required: ['port', 'tls'],
    rows: {
      port: ['80', -1],
      host: [...wrong.text, ''],
      tls: [...wrong.object, 'auto', {}],
      clientCa: [...wrong.text, ''],
      shutdownDelay: wrong.duration,
    },
  },
  {
    where: 'createManager.servers.webhook.tls.',
    make: (given) => {
      const tls = { secret: 'a', service: 'b', ...given };
      return start({ servers: { webhook: { port: 0, tls } } });
    },
    required: ['secret', 'service'],
    rows: {
      secret: [...wrong.text, '', 'A'].filter((value) => value !== undefined),
      service: [...wrong.text, '', 'A'],
      namespace: [...wrong.text, '', 'A'],
      configurations: [...wrong.list, [1], ['A']],
      definitions: [...wrong.list, [1], ['A']],
    },
  },
  {
    where: 'createManager.servers.webhook.tls.',
    make: (given) => start({ servers: { webhook: { port: 0, tls: { ...pair, ...given } } } }),
    required: ['cert', 'key'],
    rows: {
      cert: [...wrong.text, ''],
      key: [...wrong.text, ''],
    },
  },
  {
    where: 'createManager.servers.health.',
    make: (given) => start({ servers: { health: { port: 0, ...given } } }),
    required: ['port'],
    rows: { port: ['80', -1], host: [...wrong.text, ''], tls: [...wrong.object, 'auto', {}] },
  },
  {
    where: 'createManager.servers.health.tls.',
    make: (given) => start({ servers: { health: { port: 0, tls: { ...pair, ...given } } } }),
    required: ['cert', 'key'],
    rows: { cert: [...wrong.text, '', 'a\0'], key: [...wrong.text, '', 'a\0'] },
  },
  {
    where: 'createManager.servers.debug.',
    make: (given) => start({ servers: { debug: { port: 0, ...given } } }),
    required: ['port'],
    rows: {
      port: ['80', -1],
      host: [...wrong.text, '', '0.0.0.0'],
      tls: [...wrong.object, 'auto', {}],
      authentication: wrong.flag,
      token: [...wrong.text, '', 'short', 'with a space in it'],
      actions: wrong.flag,
    },
  },
  {
    where: 'createManager.servers.metrics.',
    make: (given) => start({ servers: { metrics: { port: 0, host: '::1', ...given } } }),
    required: ['port'],
    rows: {
      port: ['80', -1],
      host: [...wrong.text, ''],
      tls: [...wrong.object, 'auto', {}],
      authentication: wrong.flag,
    },
  },
  {
    where: 'createManager.servers.metrics.tls.',
    make: (given) =>
      start({
        servers: { metrics: { port: 0, authentication: true, tls: { ...pair, ...given } } },
      }),
    required: ['cert', 'key'],
    rows: {
      cert: [...wrong.text, ''],
      key: [...wrong.text, ''],
      clientCa: [...wrong.text, ''],
    },
  },
  {
    where: 'createManager.leaderElection.',
    make: inner(start, 'leaderElection', { lease: 'web-app' }),
    required: ['lease'],
    rows: {
      lease: [...wrong.text, '', 'Not A Name'],
      namespace: [...wrong.text, '', 'a.b'],
      identity: [...wrong.text, '', 'x'.repeat(129)],
      leaseDuration: [...wrong.duration, 0, 500, 15_500],
      renewDeadline: [...wrong.duration, '15s'],
      retryPeriod: [...wrong.duration, 0, '9s'],
      releaseOnStop: wrong.flag,
    },
  },
  {
    where: 'createManager.sharding.',
    make: inner(start, 'sharding', { name: 'web-app', by: 'name' }),
    required: ['name', 'by'],
    rows: {
      name: [...wrong.text, '', 'Not A Name'],
      by: [...wrong.text, '', 'label'],
      mode: [...wrong.text, '', 'labels'],
      namespace: [...wrong.text, '', 'a.b'],
      leaseDuration: [...wrong.duration, 0, 500, 15_500],
      renewDeadline: [...wrong.duration, '15s'],
      retryPeriod: [...wrong.duration, 0, '9s'],
    },
  },
  {
    where: 'createManager.eventLoop.',
    make: inner(start, 'eventLoop'),
    rows: { warnAfter: wrong.duration, traceAwaits: wrong.flag },
  },
  { where: 'createManager.cache.', make: inner(start, 'cache'), rows: cache },
  { where: 'createManager.controllers.', make: inner(start, 'controllers'), rows: defaults },
  {
    where: 'createManager.controllers.backoff.',
    make: (given) => start({ controllers: { backoff: given } }),
    rows: backoff,
  },
  {
    where: 'createManager.kubeConfig.',
    make: inner(start, 'kubeConfig'),
    rows: {
      kubeConfig: [1, null, {}, Number.NaN, []],
      file: wrong.text,
      context: wrong.text,
      pluginTimeout: wrong.duration,
      allow: [...wrong.list, ['all']],
    },
  },
  {
    where: 'addController.',
    make: add,
    required: ['name', 'for', 'reconcile'],
    rows: {
      ...defaults,
      name: wrong.text,
      for: [...wrong.object, {}],
      owns: [...wrong.list, [1]],
      watches: [...wrong.list, [1]],
      namespaces,
      predicates: [...wrong.list, [1]],
      reads: [...wrong.list, [1]],
      sources: [...wrong.list, [1]],
      keyOf: wrong.code,
      phase: [...wrong.text, 'caches'],
      singleton: wrong.flag,
      readiness: [...wrong.text, 'live'],
      groupOf: wrong.code,
      weightOf: wrong.code,
      rateLimiter: [...wrong.object, {}, { delay: nothing }],
      errorPolicy: wrong.code,
      onDeadLetter: wrong.code,
      reconcile: wrong.code,
    },
  },
  {
    where: 'reconfigure.',
    make: (changes) => {
      checkChanges(changes, {});
      const options = { name: 'a', for: WebApp, reconcile: nothing };
      return settingsOf(reconfigured(options, changes), {}, 'reconfigure');
    },
    rows: {
      ageAfter: wrong.duration,
      maxReconcileInterval: wrong.duration,
      debounce: [...wrong.object, {}],
      eventRate: [...wrong.object, true],
      resync: wrong.duration,
      concurrency: wrong.count,
      timeout: wrong.duration,
      backoff: wrong.object,
      maxAttempts: defaults['maxAttempts'] ?? [],
      tokenBucket: [...wrong.object, {}],
      rateLimiter: [...wrong.object, {}, { delay: nothing }],
      namespaces,
      for: [...wrong.object, {}],
      owns: [...wrong.list, [1]],
      watches: [...wrong.list, [1]],
      reads: [...wrong.list, [1]],
    },
  },
  { where: 'addController.backoff.', make: inner(add, 'backoff'), rows: backoff },
  {
    where: 'createManager.controllers.debounce.',
    make: (given) => start({ controllers: { debounce: { wait: 1, ...given } } }),
    required: ['wait'],
    rows: debounce,
  },
  {
    where: 'addController.debounce.',
    make: inner(add, 'debounce', { wait: 1 }),
    required: ['wait'],
    rows: debounce,
  },
  {
    where: 'addController.for.debounce.',
    make: (given) => add({ for: { resource: WebApp, debounce: { wait: 1, ...given } } }),
    required: ['wait'],
    rows: debounce,
  },
  {
    where: 'createManager.controllers.eventRate.',
    make: (given) => start({ controllers: { eventRate: given } }),
    rows: eventRate,
  },
  { where: 'addController.eventRate.', make: inner(add, 'eventRate'), rows: eventRate },
  {
    where: 'addController.for.eventRate.',
    make: (given) => add({ for: { resource: WebApp, eventRate: given } }),
    rows: eventRate,
  },
  { where: 'addController.priorities.', make: inner(add, 'priorities'), rows: priorities },
  {
    where: 'addController.for.priorities.',
    make: (given) => add({ for: { resource: WebApp, priorities: given } }),
    rows: priorities,
  },
  {
    where: 'addController.for.',
    make: inner(add, 'for', { resource: WebApp }),
    required: ['resource'],
    rows: { ...source, ...events, clusters: wrongClusters },
  },
  {
    where: 'addController.owns[0].',
    make: listed('owns', { resource: builtin.Secret }),
    required: ['resource'],
    rows: { ...source, ...events, owners: wrong.text, clusters: [...wrongClusters, 'all'] },
  },
  {
    where: 'addController.watches[0].',
    make: listed('watches', { resource: builtin.Secret, map: nothing }),
    required: ['resource', 'map'],
    rows: {
      ...source,
      ...events,
      map: wrong.code,
      index: wrong.object,
      cluster: wrong.text,
      clusters: wrongClusters,
      onWatchRemoved: wrong.code,
    },
  },
  {
    where: 'addController.reads[0].',
    make: listed('reads', { resource: builtin.Secret }),
    required: ['resource'],
    rows: { ...source, cluster: wrong.text, clusters: wrongClusters },
  },
  {
    where: 'addController.sources[0].',
    make: listed('sources', { name: 's', requests: nothing }),
    required: ['name', 'requests'],
    rows: iterable,
  },
  {
    where: 'addSource.',
    make: (options) =>
      add({ for: WebApp }).addSource({ name: 's', requests: nothing, ...options } as never),
    required: ['name', 'requests'],
    rows: iterable,
  },
  {
    where: 'createInformerCache.',
    make: (options) => createInformerCache({ listerWatcher: nothing, ...options } as never),
    required: ['listerWatcher'],
    rows: {
      ...cache,
      listerWatcher: wrong.code,
      observer: [...wrong.object, { event: 1 }],
      clock: [...wrong.object, {}],
      now: wrong.code,
      random: wrong.code,
    },
  },
  {
    where: 'createClient.',
    make: (options) => createClient({ cluster: { server: 'http://a' }, ...options }),
    required: ['cluster'],
    rows: {
      cluster: wrong.object,
      fieldManager: wrong.text,
      userAgent: wrong.text,
      observer: [...wrong.object, { warning: 1 }],
      tracing: [...wrong.object, { begin: 1 }],
      compression: wrong.flag,
      http2: wrong.flag,
      protobuf: wrong.flag,
      retry: wrong.object,
      clock: [...wrong.object, {}],
    },
  },
  {
    where: 'createClient.retry.',
    make: (retry) => createClient({ cluster: { server: 'http://a' }, retry }),
    rows: { attempts: wrong.count, base: wrong.number, max: wrong.number },
  },
  {
    where: '',
    make: (options) => new WorkQueue(options),
    rows: {
      name: wrong.text,
      keyOf: [1, null, {}, Number.NaN],
      clock: [...wrong.object, {}],
      backoff: wrong.object,
      ageAfter: [...wrong.number, -1],
      groups: [...wrong.object, {}],
      onError: wrong.code,
      onLeave: wrong.code,
      rateLimiter: [...wrong.object, {}, { delay: nothing }],
      causes: wrong.object,
      observer: [...wrong.object, { added: 1 }],
    },
  },
  {
    where: 'clock.',
    make: (clock) => new WorkQueue({ clock: { now: () => 0, ...clock } }),
    required: ['now'],
    rows: { now: wrong.code, startTimer: wrong.code },
  },
  {
    where: 'causes.',
    make: (causes) => new WorkQueue({ causes }),
    rows: { sameCause: wrong.code, sourceOf: wrong.code },
  },
  {
    where: 'groups.',
    make: (groups) => new WorkQueue({ groups: { groupOf: () => undefined, ...groups } }),
    required: ['groupOf'],
    rows: { groupOf: wrong.code, weightOf: wrong.code },
  },
  {
    where: 'backoff.',
    make: (options) => new WorkQueue({ backoff: options }),
    rows: { base: wrong.number, max: wrong.number },
  },
];

/** The error that the call throws. */
function errorOf(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return error;
  }
  return 'accepted';
}

/** Fails unless the error has the code and its option is the given one, or a member of it. */
function expectRefusal(error: unknown, option: string): void {
  const { code, facts } = error as { code?: string; facts?: { option?: string } };
  const named = facts?.option ?? String(error);
  const isMember = named.startsWith(option) && /^[.[]/.test(named.slice(option.length));
  expect({ code, option: isMember ? option : named }).toEqual({ code: 'INVALID_OPTION', option });
}

describe.each(calls.map((call) => [call.where || 'new WorkQueue', call] as const))(
  'the options of %s',
  (_, { where, make, rows, required = [] }) => {
    test('each have a row in this table', () => {
      const error = errorOf(() => make({ unknown: 1 })) as { facts: { known: string } };
      expect(error.facts.known.split(' ').toSorted()).toEqual(Object.keys(rows).toSorted());
    });

    test.each(
      Object.entries(rows).flatMap(([name, values]) => values.map((value) => [name, value])),
    )('MG01 %s of a wrong type throws with its name: %p', (name, value) => {
      expectRefusal(
        errorOf(() => make({ [name as string]: value })),
        `${where}${name as string}`,
      );
    });

    test('are optional if undefined, unless they are required', () => {
      const refused = Object.keys(rows).filter(
        (name) => errorOf(() => make({ [name]: undefined })) !== 'accepted',
      );
      expect(refused.toSorted()).toEqual([...required].toSorted());
    });
  },
);

describe('an option of another runtime', () => {
  test.each<[string, string, () => unknown]>([
    ...cures('addController', add, { ...settingMistakes, ...controllerMistakes }),
    ...cures('reconfigure', (changes) => checkChanges(changes, {}), {
      ...settingMistakes,
      ...controllerMistakes,
      ...fixedOptions,
    }),
    ...cures('createManager', start, managerMistakes),
    ...cures('createManager.controllers', inner(start, 'controllers'), settingMistakes),
    ...cures('addController.for', inner(add, 'for', { resource: WebApp }), sourceMistakes),
    ...cures('addController.owns[0]', listed('owns', { resource: builtin.Secret }), sourceMistakes),
    ...cures('addController.watches[0]', listed('watches', { resource: builtin.Secret }), {
      ...sourceMistakes,
      ...watchMistakes,
    }),
  ])('MG01 %s throws with its cure: %s', (option, cure, make) => {
    expect(errorOf(make)).toMatchObject({ code: 'INVALID_OPTION', facts: { option, cure } });
  });

  test('MG01 an option that may be 0 throws with the least value', () => {
    expect(errorOf(() => add({ maxAttempts: Number.NaN }))).toMatchObject({
      facts: { reason: 'must be a whole number from 0' },
    });
    expect(errorOf(() => add({ historyBytes: Number.NaN }))).toMatchObject({
      facts: { reason: 'must be 0, or a whole number of bytes from 4096' },
    });
  });

  test('MG01 a string instead of a kind throws with its cure', () => {
    const reason = 'must be a resource token: builtin.X or defineResource(…)';
    expect(errorOf(() => add({ for: 'CronJob' }))).toMatchObject({ facts: { reason } });
    expect(errorOf(() => add({ for: WebApp, owns: ['CronJob'] }))).toMatchObject({
      facts: { reason },
    });
  });
});

/** A row for each name of the table. */
function cures(
  where: string,
  make: (options: object) => unknown,
  mistakes: Mistakes,
): [string, string, () => unknown][] {
  return Object.entries(mistakes).map(([name, cure]) => [
    `${where}.${name}`,
    cure,
    () => make({ [name]: 1 }),
  ]);
}

describe('options that contradict each other', () => {
  test.each<[string, () => unknown]>([
    [
      'createManager.controllers.backoff.base',
      () => start({ controllers: { backoff: { base: '2s', max: '1s' } } }),
    ],
    ['addController.backoff.base', () => add({ backoff: { base: '2s', max: '1s' } })],
    ['backoff.base', () => new WorkQueue({ backoff: { base: 2, max: 1 } })],
    [
      'createClient.retry.base',
      () => createClient({ cluster: { server: 'http://a' }, retry: { base: 2, max: 1 } }),
    ],
  ])('%s above the longest delay throws', (option, make) => {
    expectRefusal(errorOf(make), option);
  });

  test('a single delay moves the default of the other one', () => {
    for (const given of [{ base: '20m' }, { max: 1 }]) {
      expect(errorOf(() => add({ backoff: given }))).toBe('accepted');
    }
    expect(new ExponentialBackoff({ base: 2_000_000 }).delay('a')).toBe(2_000_000);
    expect(new ExponentialBackoff({ max: 1 }).delay('a')).toBe(1);
  });
});

describe('shutDown', () => {
  test.each(wrong.flag)('drain of a wrong type throws with its name: %p', (drain) => {
    expectRefusal(
      errorOf(() => new WorkQueue().shutDown({ drain } as never)),
      'drain',
    );
  });
});

describe('the arguments of addCluster', () => {
  test.each([...wrong.text, '', '-', 'a//b', 'a/', ':a'])('a wrong name throws: %p', (name) => {
    const { manager } = managers.make();
    const make = (): unknown => manager.addCluster(name as never, { server: 'http://a' });
    expectRefusal(errorOf(make), 'addCluster.name');
  });

  test.each(wrong.object)('a wrong cluster throws: %p', (cluster) => {
    const make = (): unknown => managers.make().manager.addCluster('a', cluster as never);
    if (!Array.isArray(cluster)) expectRefusal(errorOf(make), 'addCluster.cluster');
    else expect(errorOf(make)).toMatchObject({ code: expect.stringMatching(/^INVALID_/) });
  });
});

describe('a cluster without a server', () => {
  test.each([
    ['createManager', (cluster: object) => start({ cluster, stopSignals: [] })],
    ['createClient', (cluster: object) => createClient({ cluster } as never)],
    ['addCluster', (cluster: object) => managers.make().manager.addCluster('a', cluster as never)],
  ])('throws in %s', (_, make) => {
    const refusal = { code: 'INVALID_CLUSTER', facts: { option: 'server' } };
    expect(errorOf(() => make({}))).toMatchObject(refusal);
  });
});
