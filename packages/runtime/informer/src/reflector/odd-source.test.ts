import { describe, expect, test } from '@jest/globals';
import { StatusError } from '@keelson/apimachinery';
import type { FrameBatch } from '@keelson/wire';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import type { ListerWatcher } from '../contract/lister-watcher.ts';
import { namesIn, ObserverLog } from '../testing/harness.test-support.ts';
import { objectFrame, Thing } from '../testing/scripted-source.test-support.ts';

/** Far more than one turn of the event loop should see. */
const MANY_BATCHES = 100_000;
const list: FrameBatch = { frames: [], receivedAt: 0, listMetadata: { resourceVersion: '5' } };
const empty: FrameBatch = { frames: [], receivedAt: 0 };

/** Yields empty batches without a wait until the event loop has turned, and returns their number. */
async function* emptyBatches(): AsyncGenerator<FrameBatch, number> {
  const loop = { hasTurned: false };
  setImmediate(() => (loop.hasTurned = true));
  let count = 0;
  while (!loop.hasTurned && count < MANY_BATCHES) {
    count++;
    yield empty;
  }
  return count;
}

/** A source without WatchList. */
class OddSource implements ListerWatcher {
  readonly listed: readonly FrameBatch[];
  readonly counts: number[] = [];

  constructor(listed: readonly FrameBatch[]) {
    this.listed = listed;
  }

  async *list(): AsyncGenerator<FrameBatch> {
    this.counts.push(yield* emptyBatches());
    yield* this.listed;
  }

  async *watch({ sendInitialEvents, signal }: Parameters<ListerWatcher['watch']>[0]) {
    if (sendInitialEvents === true) throw new StatusError({ code: 422, reason: 'Invalid' });
    this.counts.push(yield* emptyBatches());
    if (!signal.aborted) await new Promise((end) => signal.addEventListener('abort', end));
  }
}

function cacheOf(source: OddSource, observer: ObserverLog): InformerCache {
  return createInformerCache({ listerWatcher: () => source, linger: 0, observer });
}

describe('a source that users supply', () => {
  test('may yield empty batches without a wait, and does not block the event loop', async () => {
    const source = new OddSource([list]);
    await using cache = cacheOf(source, new ObserverLog());
    const handle = cache.acquire({ resource: Thing }, { owner: 'test' });
    await handle.synced;
    while (source.counts.length < 2) await new Promise((resolve) => setImmediate(resolve));
    for (const count of source.counts) expect(count).toBeLessThan(MANY_BATCHES);
  });

  test.each([null, 7, 'text', []])(
    'may yield an object with the metadata %j, which is skipped and counted',
    async (metadata) => {
      const whole = {
        metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1' },
      };
      const frames = [objectFrame('ADDED', { metadata }), objectFrame('ADDED', whole)];
      const observer = new ObserverLog();
      await using cache = cacheOf(new OddSource([{ ...list, frames }]), observer);
      const handle = cache.acquire({ resource: Thing }, { owner: 'test' });
      await handle.synced;
      expect(namesIn(handle)).toEqual(['a']);
      expect(observer.of('skipped')).toEqual(['skipped no-metadata']);
      expect(observer.errors.map((error) => (error as { code?: string }).code)).not.toContain(
        undefined,
      );
    },
  );
});
