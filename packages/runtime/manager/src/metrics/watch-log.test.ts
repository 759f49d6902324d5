import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import type { InformerObserver, WatchHealth, WatchIdentity } from '@keelson/informer';
import { Registry } from 'prom-client';
import { createManager } from '../manager/controller-manager.ts';
import { FakeCache } from '../testing/fake-cache.test-support.ts';
import { eventually, recordingLogger, WebApp } from '../testing/fixtures.test-support.ts';
import { ManagerError } from '../errors.ts';
import { ManagerMetrics } from './manager-metrics.ts';
import { watchLog } from './watch-log.ts';

const watch: WatchIdentity = {
  id: 'secrets',
  query: {
    resource: builtin.Secret,
    namespace: 'team',
    labelSelector: undefined,
    fieldSelector: undefined,
    projection: 'full',
  },
};

function health(state: WatchHealth['state'], facts: Partial<WatchHealth> = {}): WatchHealth {
  const none = { verb: undefined, lastError: undefined };
  return { state, reason: `it is ${state}`, since: 0, attempts: 0, ...none, ...facts };
}

function recording(): {
  observer: InformerObserver;
  logged: () => unknown[];
  lines: Record<string, unknown>[];
  registry: Registry;
} {
  const { logger, lines } = recordingLogger();
  const registry = new Registry();
  const { watches } = new ManagerMetrics(registry, () => new FakeCache());
  const logged = (): unknown[] =>
    lines.splice(0).map(({ level, message, state }) => [level, message, state]);
  return { observer: watchLog(watches, logger), logged, lines, registry };
}

describe('the log of the watches', () => {
  test('a failing state is logged at its begin and its end, not at every attempt', () => {
    const { observer, logged } = recording();
    for (const state of ['syncing', 'backing-off', 'syncing', 'backing-off'] as const) {
      observer.healthChanged?.(watch, health(state));
    }
    expect(logged()).toEqual([['warn', 'watch is not live', 'backing-off']]);
    observer.healthChanged?.(watch, health('forbidden'));
    expect(logged()).toEqual([['warn', 'watch is not live', 'forbidden']]);
    observer.healthChanged?.(watch, health('live'));
    observer.healthChanged?.(watch, health('live'));
    expect(logged()).toEqual([['info', 'watch is live', undefined]]);
  });

  test('passes the ends of own writes to the metrics', async () => {
    const { observer, registry } = recording();
    observer.watchStarted?.(watch);
    observer.ownWriteEnded?.(watch, 'reached', 125);
    const text = await registry.metrics();
    expect(text).toMatch(/^keelson_own_writes_ended_total\{.*cause="reached".*\} 1$/m);
    expect(text).toMatch(/^keelson_own_write_lag_seconds_count\{.*\} 1$/m);
  });

  test('a skipped object is logged at level debug', () => {
    const { observer, logged } = recording();
    observer.skipped?.(watch, 'malformed', new Error('no name'));
    expect(logged()).toEqual([['debug', 'object skipped', undefined]]);
  });

  test('errors of handlers, indexers and the loop, and a leaked handle, are logged with the watch and their facts', () => {
    const { logger, lines } = recordingLogger();
    const { watches } = new ManagerMetrics(new Registry(), () => new FakeCache());
    const observer = watchLog(watches, logger);
    const error = new Error('broken');
    observer.handlerError?.(watch, 'mine', error);
    observer.indexerError?.(watch, 'byNode', error);
    observer.loopRestarted?.(watch, error);
    observer.handleLeaked?.(watch, 'mine');
    observer.skipped?.(watch, 'no-metadata', error);
    const about = { resource: 'v1/secrets', namespace: 'team' };
    const err = expect.objectContaining({ message: 'broken' }) as unknown;
    const line = (level: string, message: string, facts: object): unknown =>
      expect.objectContaining({ level, message, ...about, ...facts });
    expect(lines).toEqual([
      line('error', 'event handler failed', { owner: 'mine', err }),
      line('error', 'indexer failed', { indexer: 'byNode', err }),
      line('error', 'reflector restarted', { err }),
      line('warn', 'handle was never released', { owner: 'mine' }),
      line('debug', 'object skipped', { cause: 'no-metadata', err }),
    ]);
  });

  test.each([
    ['limited', 'warn', 'memory budget limits a watch'],
    ['lifted', 'info', 'memory budget no longer limits a watch'],
    ['exceeded', 'warn', 'memory budget is exceeded'],
    ['within', 'info', 'memory budget is no longer exceeded'],
  ] as const)('a change of a memory budget is logged: %s', (change, level, message) => {
    const { logger, lines } = recordingLogger();
    const { watches } = new ManagerMetrics(new Registry(), () => new FakeCache());
    const use = { budget: 'all', policy: 'compress', bytes: 100, used: 90 } as const;
    const about = change === 'limited' ? watch : undefined;
    watchLog(watches, logger).memoryBudgetChanged?.({ change, watch: about, ...use });
    const facts = about === undefined ? use : { ...use, resource: 'v1/secrets' };
    expect(lines).toEqual([expect.objectContaining({ level, message, ...facts })]);
  });

  test('every report is passed to the metrics', async () => {
    const registry = new Registry();
    const { watches } = new ManagerMetrics(registry, () => new FakeCache());
    const observer = watchLog(watches, recordingLogger().logger);
    observer.watchStarted?.(watch);
    observer.listing?.(watch, 'initial');
    observer.restarting?.(watch, 'broken');
    observer.event?.(watch, 'updated');
    observer.lingerReused?.(watch);
    const page = await registry.metrics();
    const labels = 'group="",version="v1",resource="secrets"';
    expect(page).toContain(`keelson_lists_total{${labels},cause="initial"} 1`);
    expect(page).toContain(`keelson_watch_restarts_total{${labels},cause="broken"} 1`);
    expect(page).toContain(`keelson_events_total{${labels},type="updated"} 1`);
    expect(page).toContain('keelson_linger_reuses_total 1');
    observer.watchStopped?.(watch);
    expect(await registry.metrics()).not.toContain('resource="secrets"');
  });

  test('a watch that stops while it fails is logged again by its successor', () => {
    const { observer, logged } = recording();
    observer.healthChanged?.(watch, health('stale'));
    observer.watchStopped?.(watch);
    observer.healthChanged?.(watch, health('stale'));
    expect(logged()).toHaveLength(2);
  });

  test('a kind that is not served is a warning', () => {
    const { observer, logged } = recording();
    observer.healthChanged?.(watch, health('parked'));
    expect(logged()).toEqual([['warn', 'watch is not live', 'parked']]);
  });

  test.each([
    [WebApp, 'install the CustomResourceDefinition webapps.apps.example.com with the version v1'],
    [
      builtin.Lease,
      'the cluster does not serve coordination.k8s.io/v1: enable it, or watch another version',
    ],
    [builtin.Secret, 'the cluster does not serve v1: enable it, or watch another version'],
  ])('a kind that is not served has its cure', (resource, cure) => {
    const { observer, lines } = recording();
    observer.healthChanged?.({ ...watch, query: { ...watch.query, resource } }, health('parked'));
    expect(lines).toMatchObject([{ cure }]);
  });

  test('a forbidden watch is logged with verb, resource and error', () => {
    const { logger, lines } = recordingLogger();
    const { watches } = new ManagerMetrics(new Registry(), () => new FakeCache());
    const cause = new Error('behind it');
    const lastError = new ManagerError('NOT_READY', {}, { cause });
    const refused = health('forbidden', { verb: 'list', lastError });
    watchLog(watches, logger).healthChanged?.(watch, refused);
    expect(lines).toEqual([
      expect.objectContaining({
        resource: 'v1/secrets',
        namespace: 'team',
        verb: 'list',
        reason: 'it is forbidden',
        // Without a stack, because the error is a response of the server.
        err: {
          name: 'ManagerError',
          code: 'NOT_READY',
          message: lastError.message,
          cause: 'behind it',
        },
      }),
    ]);
  });

  test('the manager logs the rule that its user lacks to watch a kind', async () => {
    const name = 'system:serviceaccount:x:y';
    await using server = await createApiServer({
      authorizationMode: 'RBAC',
      tokens: new Map([['secret-token', { name, groups: ['system:authenticated'] }]]),
    });
    const { logger, lines } = recordingLogger();
    const cluster = { ...server.cluster, token: 'secret-token' };
    await using manager = createManager({ cluster, logger, stopSignals: [] });
    const query = { resource: builtin.Pod, namespace: 'a' };
    using handle = manager.cache.acquire(query, { owner: 'mine' });
    await eventually(() => lines.length > 1);
    const denied = 'the server does not allow to list v1/pods in namespace a';
    const rule = "{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }";
    expect(lines.map(({ message, reason }) => [message, reason])).toEqual([
      ['watch is not live', denied],
      ['watch is not live', `${denied}; the rules of ${name} lack ${rule}`],
    ]);
    expect(handle.health).toMatchObject({ state: 'forbidden', verb: 'list' });
    expect(JSON.stringify(lines)).not.toContain('secret-token');
  });

  test('the manager that created the cache logs an error of a handler with its owner', async () => {
    await using server = await createApiServer();
    const { logger, lines } = recordingLogger();
    await using manager = createManager({ cluster: server.cluster, logger, stopSignals: [] });
    using handle = manager.cache.acquire({ resource: builtin.Namespace }, { owner: 'mine' });
    handle.addEventHandler(() => {
      throw new Error('broken handler');
    });
    await handle.synced;
    await eventually(() => lines.length > 0);
    expect(lines[0]).toMatchObject({
      level: 'error',
      message: 'event handler failed',
      resource: 'v1/namespaces',
      owner: 'mine',
      err: { message: 'broken handler' },
    });
  });
});
