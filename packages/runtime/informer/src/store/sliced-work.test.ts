import { describe, expect, test } from '@jest/globals';
import { Harness, withCode } from '../testing/harness.test-support.ts';
import { bytesFrame, Thing } from '../testing/scripted-source.test-support.ts';

/** A cache with a clock that the test moves, and a source with the given number of objects. */
class SlowHarness extends Harness {
  readonly time: { now: number };

  constructor(count: number) {
    const time = { now: 0 };
    super({ now: () => time.now });
    this.time = time;
    for (let n = 0; n < count; n++)
      this.source.set(`o${n}`, { metadata: { labels: { n: `${n % 2}` } } });
  }

  override leap(): void {
    this.time.now += 20_000;
  }
}

/** Counts the turns of the event loop until the work ends. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  const count = { turns: 0, isDone: false };
  const turn = (): void => {
    count.turns++;
    if (!count.isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work;
  count.isDone = true;
  return count.turns;
}

describe('work in slices', () => {
  test('a replay to a slow handler lets the event loop turn after each event', async () => {
    await using harness = new SlowHarness(20);
    const handle = await harness.synced();
    let most = 0;
    let inTurn = 0;
    const registration = handle.addEventHandler(() => {
      harness.time.now += 6;
      most = Math.max(most, ++inTurn);
      setImmediate(() => (inTurn = 0));
    });
    await registration.synced;
    expect(most).toBeLessThanOrEqual(2);
  });

  test('SI21 an indexer added late indexes existing objects in slices, and lists find all of them at once', async () => {
    await using harness = new SlowHarness(50);
    const handle = await harness.synced();
    let calls = 0;
    const indexer = {
      name: 'n',
      head: ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> } }) => {
        calls++;
        harness.time.now += 1;
        return [metadata.labels?.['n'] ?? ''];
      },
    };
    const index = handle.addIndexer(indexer);
    expect(calls).toBe(5);
    const list = (): string[] =>
      handle.store
        .views({ index: { name: 'n', value: '1' } })
        .map(({ name }) => name)
        .toSorted();
    const odd = Array.from({ length: 25 }, (_, at) => `o${at * 2 + 1}`).toSorted();
    expect(list()).toEqual(odd);
    harness.source.set('o1', { metadata: { labels: { n: '0' } } });
    harness.source.remove('o3');
    harness.source.set('o50', { metadata: { labels: { n: '1' } } });
    await harness.caughtUp(handle);
    const after = [...odd.slice(0), 'o50']
      .filter((name) => name !== 'o1' && name !== 'o3')
      .toSorted();
    expect(list()).toEqual(after);
    expect(await turnsOf(index.built)).toBeGreaterThan(2);
    const built = calls;
    expect(list()).toEqual(after);
    expect(calls).toBe(built);
  });

  test('an index that is built during a swap has the objects of the new state', async () => {
    await using harness = new SlowHarness(30);
    const handle = await harness.synced();
    const index = handle.addIndexer({
      name: 'uid',
      head: ({ uid }) => {
        harness.time.now += 5;
        return [uid];
      },
    });
    harness.missed(() => {
      harness.source.remove('o0');
      harness.source.set('new');
    });
    await harness.caughtUp(handle);
    await index.built;
    const views = handle.store.views();
    expect(views).toHaveLength(30);
    for (const view of views) {
      expect(handle.store.views({ index: { name: 'uid', value: view.uid } })).toEqual([view]);
    }
  });

  test('an index that is removed while it is built indexes no further objects', async () => {
    await using harness = new SlowHarness(30);
    const handle = await harness.synced();
    let calls = 0;
    const index = handle.addIndexer({
      name: 'n',
      head: () => {
        harness.time.now += 5;
        calls++;
        return [];
      },
    });
    index[Symbol.dispose]();
    await index.built;
    expect(calls).toBe(1);
    expect(() => handle.store.views({ index: { name: 'n', value: '' } })).toThrow(
      withCode('INDEX_UNKNOWN'),
    );
  });

  test('listAsync works in slices and returns the state at the time of its call', async () => {
    await using harness = new SlowHarness(100);
    harness.source.toFrame = bytesFrame;
    const handle = await harness.synced();
    const { store } = handle;
    const options = { namespace: 'default', labelSelector: 'n=1' };
    const expected = store.list(options);
    // Every reading of the clock takes a millisecond.
    let looks = 0;
    Object.defineProperty(harness.time, 'now', { get: () => looks++ });
    const listing = store.listAsync(options);
    harness.source.set('o1', { metadata: { labels: { n: '0' } } });
    expect(await turnsOf(listing)).toBeGreaterThan(10);
    expect(await listing).toEqual(expected);
    const scoped = harness.cache.listAsync(Thing, options);
    expect(await turnsOf(scoped)).toBeGreaterThan(10);
    expect(await scoped).toEqual(store.list(options));
    const abort = new AbortController();
    const aborted = store.listAsync({ signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
  });
});
