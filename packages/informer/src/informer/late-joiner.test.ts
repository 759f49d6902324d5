import { describe, expect, test } from '@jest/globals';
import { Harness, Told } from '../testing/harness.test-support.ts';
import { History } from '../testing/history.test-support.ts';
import { eventually, type Thing } from '../testing/scripted-source.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';

const COUNT = 2_000;

/** Only handlers take time: a replay comes in slices of 16 objects, a relist in one piece. */
class SlowHandlers implements AsyncDisposable {
  readonly harness: Harness = new Harness({ now: () => this.#clock });
  #clock = 1_000_000;

  async synced(): Promise<WatchHandle<Thing>> {
    for (let n = 0; n < COUNT; n++) this.harness.source.set(`o${n}`);
    return this.harness.synced();
  }

  join(handle: WatchHandle<Thing>): Told {
    return new Told(handle, () => (this.#clock += 1_000));
  }

  /** The whole state is read anew, and differences are told. */
  async relist(): Promise<void> {
    const watches = this.harness.source.count('watch');
    // The connection is an old one, so that its end costs no wait.
    this.#clock += 20_000;
    this.harness.source.compact();
    this.harness.source.fail(410, 'Expired');
    await eventually(() => this.harness.source.count('watch') > watches, 'the relist');
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.harness.cache.close();
  }
}

describe('a handler that joins late', () => {
  test('is synced after its whole snapshot, also when a relist comes in between', async () => {
    await using slow = new SlowHandlers();
    const told = slow.join(await slow.synced());
    await eventually(() => told.events.length > 0);
    await slow.relist();
    expect(told.events.length).toBeLessThan(COUNT);
    expect(told.registration.hasSynced).toBe(false);
    await told.registration.synced;
    expect(told.events).toHaveLength(COUNT);
    expect(told.events.every((event) => event.type === 'added' && event.initial)).toBe(true);
  });

  test('is synced after its whole snapshot when relists find other objects', async () => {
    await using slow = new SlowHandlers();
    const handle = await slow.synced();
    const told = slow.join(handle);
    const history = new History();
    handle.addEventHandler(history.handler);
    for (let round = 0; round < 3; round++) {
      slow.harness.source.remove(`o${COUNT - 1 - round}`);
      slow.harness.source.set('new');
      await slow.relist();
      expect(told.registration.hasSynced).toBe(false);
    }
    await told.registration.synced;
    const known = new Set(told.events.map(({ key }) => key));
    for (const { key } of handle.store.views()) expect(known).toContain(key);
    expect(history.complaints).toEqual([]);
  });

  test('is not synced when it is removed before its snapshot ends', async () => {
    await using slow = new SlowHandlers();
    const told = slow.join(await slow.synced());
    await eventually(() => told.events.length > 0);
    told.registration.remove();
    await slow.relist();
    await expect(told.registration.synced).rejects.toMatchObject({ code: 'REGISTRATION_REMOVED' });
    expect(told.registration.hasSynced).toBe(false);
  });
});
