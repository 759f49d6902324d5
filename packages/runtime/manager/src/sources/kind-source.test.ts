import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { FakeCache } from '../testing/fake-cache.test-support.ts';
import { objectOf, toSelf } from '../testing/fixtures.test-support.ts';
import { KindSource, type WatchProvider } from './kind-source.ts';
import { mapObjects } from './request-mapper.ts';
import { resolvePriorities } from './event-rules/request-priorities.ts';
import { SyncRetries } from './event-rules/sync-retries.ts';
import { UserCode } from '../user-code/user-code.ts';

const { Secret } = builtin;

function sourceOf(): { source: KindSource<{ name: string }>; queued: string[] } {
  const queued: string[] = [];
  const source = new KindSource<{ name: string }>({
    name: 'watch Secret',
    owner: 'test',
    options: { resource: Secret },
    required: true,
    priorities: resolvePriorities(),
    resync: 0,
    mapper: mapObjects(toSelf),
    sink: {
      enqueue: ({ name }) => void queued.push(name),
      keyOf: ({ name }) => name,
      forget() {},
      sourceError() {},
      eventHandled() {},
    },
    userCode: new UserCode(),
    context: { cache: {}, clusters: {} } as never,
    retries: new SyncRetries(),
  });
  return { source, queued };
}

describe('a kind as a source', () => {
  test('RC15 a detached source opens no watch after a late start', () => {
    const cache = new FakeCache();
    const { source } = sourceOf();
    source.detach();
    source.open(cache);
    expect(cache.acquired).toEqual([]);
  });

  test('RC16 an event that arrives after detach is dropped', () => {
    const cache = new FakeCache();
    const { source, queued } = sourceOf();
    source.open(deaf(cache));
    cache.set(Secret, objectOf(Secret, 'before'));
    source.detach();
    cache.set(Secret, objectOf(Secret, 'after'));
    expect(queued).toEqual(['before']);
  });

  test('RC18 a source is settled if its kind is forbidden from the start, or if it is not open', async () => {
    const cache = new FakeCache();
    cache.syncsAtOnce = false;
    const { source } = sourceOf();
    await source.settled();
    source.open(cache);
    cache.setHealth(Secret, 'forbidden', 'no');
    await source.settled();
    expect(source.hasSynced).toBe(false);
  });
});

/** The same cache, but removed handlers still receive events. */
function deaf(cache: FakeCache): WatchProvider {
  return {
    acquire(query, options) {
      const handle = cache.acquire(query, options);
      const listen = handle.addEventHandler.bind(handle);
      handle.addEventHandler = (handler) => ({ ...listen(handler), remove() {} });
      return handle;
    },
  };
}
