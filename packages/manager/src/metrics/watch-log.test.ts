import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import type { InformerObserver, WatchHealth, WatchIdentity } from '@keelson/informer';
import { Registry } from 'prom-client';
import { createManager } from '../manager/controller-manager.ts';
import { FakeCache } from '../testing/fake-cache.test-support.ts';
import { eventually, recordingLogger } from '../testing/fixtures.test-support.ts';
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

function recording(): { observer: InformerObserver; logged: () => unknown[] } {
  const { logger, lines } = recordingLogger();
  const { watches } = new ManagerMetrics(new Registry(), () => new FakeCache());
  const logged = (): unknown[] =>
    lines.splice(0).map(({ level, message, state }) => [level, message, state]);
  return { observer: watchLog(watches, logger), logged };
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

  test('a skipped object is logged at level debug', () => {
    const { observer, logged } = recording();
    observer.skipped?.(watch, 'malformed', new Error('no name'));
    expect(logged()).toEqual([['debug', 'object skipped', undefined]]);
  });

  test('a kind that is not served is logged at level info', () => {
    const { observer, logged } = recording();
    observer.healthChanged?.(watch, health('parked'));
    expect(logged()).toEqual([['info', 'watch is not live', 'parked']]);
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
