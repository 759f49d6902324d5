import { describe, expect, test } from '@jest/globals';
import { Harness, RecordingHandler } from '../testing/harness.test-support.ts';
import { History } from '../testing/history.test-support.ts';
import { eventually, type Thing } from '../testing/scripted-source.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';

const COUNT = 2_000;

/**
 * A harness in which only handlers take time: a replay runs in slices of 16 objects, a relist in
 * one slice.
 */
class SlowHandlers implements AsyncDisposable {
  readonly harness: Harness = new Harness({ now: () => this.#clock });
  #clock = 1_000_000;

  async synced(): Promise<WatchHandle<Thing>> {
    for (let n = 0; n < COUNT; n++) this.harness.source.set(`o${n}`);
    return this.harness.synced();
  }

  add(handle: WatchHandle<Thing>): RecordingHandler {
    return new RecordingHandler(handle, () => (this.#clock += 1_000));
  }

  /** Makes the reflector relist, and waits until the differences are delivered. */
  async relist(): Promise<void> {
    const watches = this.harness.source.count('watch');
    // An old connection ends without a backoff.
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

describe('a handler that is added late', () => {
  test('is synced after its whole snapshot, also with a relist in between', async () => {
    await using slow = new SlowHandlers();
    const recorded = slow.add(await slow.synced());
    await eventually(() => recorded.events.length > 0);
    await slow.relist();
    expect(recorded.events.length).toBeLessThan(COUNT);
    expect(recorded.registration.hasSynced).toBe(false);
    await recorded.registration.synced;
    expect(recorded.events).toHaveLength(COUNT);
    expect(recorded.events.every((event) => event.type === 'added' && event.initial)).toBe(true);
  });

  test('is synced after its whole snapshot although relists add and remove objects', async () => {
    await using slow = new SlowHandlers();
    const handle = await slow.synced();
    const recorded = slow.add(handle);
    const history = new History();
    handle.addEventHandler(history.handler);
    for (let round = 0; round < 3; round++) {
      slow.harness.source.remove(`o${COUNT - 1 - round}`);
      slow.harness.source.set('new');
      await slow.relist();
      expect(recorded.registration.hasSynced).toBe(false);
    }
    await recorded.registration.synced;
    const known = new Set(recorded.events.map(({ key }) => key));
    for (const { key } of handle.store.views()) expect(known).toContain(key);
    expect(history.complaints).toEqual([]);
  });

  test('receives the last version of an object that changes before its turn', async () => {
    await using slow = new SlowHandlers();
    const handle = await slow.synced();
    const recorded = slow.add(handle);
    await eventually(() => recorded.events.length > 0);
    const name = `o${COUNT - 1}`;
    slow.harness.source.set(name, { spec: { value: 1 } });
    slow.harness.source.set(name, { spec: { value: 2 } });
    await slow.harness.caughtUp(handle);
    expect(recorded.registration.hasSynced).toBe(false);
    await recorded.registration.synced;
    const received = recorded.events.filter(({ object }) => object.name === name);
    expect(received.map(({ type, object }) => [type, object.value().spec?.value])).toEqual([
      ['added', 2],
    ]);
    expect(recorded.events).toHaveLength(COUNT);
  });

  test('receives each change of an object that its snapshot has delivered', async () => {
    await using slow = new SlowHandlers();
    const handle = await slow.synced();
    const recorded = slow.add(handle);
    await eventually(() => recorded.events.length > 0);
    const name = recorded.events[0]?.object.name ?? '';
    slow.harness.source.set(name, { spec: { value: 1 } });
    slow.harness.source.set(name, { spec: { value: 2 } });
    await slow.harness.caughtUp(handle);
    expect(recorded.registration.hasSynced).toBe(false);
    await recorded.registration.synced;
    const received = recorded.events.filter(({ object }) => object.name === name);
    expect(received.map(({ type }) => type)).toEqual(['added', 'updated', 'updated']);
    expect(recorded.events).toHaveLength(COUNT + 2);
  });

  test('is not synced when it is removed before its snapshot ends', async () => {
    await using slow = new SlowHandlers();
    const recorded = slow.add(await slow.synced());
    await eventually(() => recorded.events.length > 0);
    recorded.registration.remove();
    await slow.relist();
    await expect(recorded.registration.synced).rejects.toMatchObject({
      code: 'REGISTRATION_REMOVED',
    });
    expect(recorded.registration.hasSynced).toBe(false);
  });
});
