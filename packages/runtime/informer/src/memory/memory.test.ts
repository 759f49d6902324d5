import { describe, expect, test } from '@jest/globals';
import { collectGarbage } from '../testing/collect-garbage.test-support.ts';
import { Harness } from '../testing/harness.test-support.ts';
import type { ListerWatcher } from '../contract/lister-watcher.ts';
import type { ObjectView } from '../contract/object-view.ts';
import { Memory } from './memory.ts';
import { a, bytesFrame, eventually, type Thing } from '../testing/scripted-source.test-support.ts';

describe('memory', () => {
  test('freezes an object of any depth', () => {
    const depth = 100_000;
    const data: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    const creationTimestamp = '2026-01-01T00:00:00Z';
    const metadata = { name: 'deep', uid: 'u', resourceVersion: '1', creationTimestamp };
    const object = { metadata, data };
    const memory = new Memory({ parsedBytes: 1, freeze: true });
    expect(memory.shared(object)).toBe(object);
    let levels = 0;
    for (let at = data; at !== undefined; at = (at as readonly unknown[])[0]) {
      if (Object.isFrozen(at)) levels += 1;
    }
    expect(levels).toBe(depth);
  });

  test('freezes every level of an object that is frozen itself or refers to itself', () => {
    const inner = { list: [{ value: 1 }], bytes: new Uint8Array(2) };
    const data: Record<string, unknown> = { inner };
    data['self'] = data;
    Object.freeze(data);
    const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
    new Memory({ parsedBytes: 1, freeze: true }).shared({ metadata, data } as never);
    for (const part of [metadata, inner, inner.list, inner.list[0]]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  test.each<[boolean | undefined, (boolean | undefined)[], boolean[], number]>([
    [undefined, [undefined, true], [false, true, true], 2],
    [undefined, [false], [false, false], 1],
    [false, [true], [false], 0],
    [true, [false], [true], 0],
  ])('with freeze %s and a source of %j reads are frozen: %j', (freeze, says, frozen, asked) => {
    const memory = new Memory({ parsedBytes: 1, freeze });
    let calls = 0;
    const isDevelopment = (): boolean | undefined => says[calls++];
    const source = { isDevelopment } as ListerWatcher;
    expect(memory.servedBy(source)).toBe(source);
    const reads = frozen.map(() =>
      Object.isFrozen(memory.shared({ metadata: { name: 'a' } } as never)),
    );
    expect(reads).toEqual(frozen);
    expect(calls).toBe(asked);
  });

  test('RF37 one kept item does not keep the bytes of a whole list alive', async () => {
    await using harness = new Harness();
    const buffers: WeakRef<object>[] = [];
    harness.source.toFrame = (type, object) => {
      const frame = bytesFrame(type, object);
      buffers.push(new WeakRef(frame.buffer));
      return frame;
    };
    for (let n = 0; n < 50; n++) harness.source.set(`o${n}`);
    const handle = await harness.synced();
    const kept = handle.store.views()[0];
    const alive = (): number => buffers.filter((buffer) => buffer.deref() !== undefined).length;
    // The loop that reads the open stream may keep its last batch.
    await collectGarbage(() => alive() <= 2);
    expect(alive()).toBeLessThanOrEqual(2);
    expect(buffers).toHaveLength(51);
    expect(kept?.value()).toEqual(harness.source.objects[0]);
  });

  test('handlers and iterators that were removed leave no memory with a handle that stays', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const lost: WeakRef<object>[] = [];
    for (let n = 0; n < 10; n++) {
      const handler = (): unknown => n;
      const registration = handle.addEventHandler(handler);
      const stream = handle.events();
      await registration.synced;
      registration.remove();
      await stream.return?.();
      lost.push(new WeakRef(handler), new WeakRef(registration), new WeakRef(stream));
    }
    const alive = (): number => lost.filter((one) => one.deref() !== undefined).length;
    // Registers of the last turn of the event loop may still refer to objects.
    await collectGarbage(() => alive() <= 3);
    expect(alive()).toBeLessThanOrEqual(3);
    expect(handle.hasSynced).toBe(true);
  });

  test('views of old versions keep their own bytes alive, and no other objects', async () => {
    await using harness = new Harness();
    harness.source.toFrame = bytesFrame;
    const handle = await harness.synced();
    const value = 'x'.repeat(1_000);
    const views: ObjectView<Thing>[] = [];
    let most = 0;
    const update = async (kept: number): Promise<void> => {
      for (let n = 0; n < 300; n++)
        harness.source.set(`o${n}`, { spec: { node: `${kept} ${value}` } });
      await harness.caughtUp(handle);
      const view = handle.store.view({ namespace: 'default', name: 'o7' });
      if (view !== undefined) views.push(view);
      most = Math.max(most, harness.cache.memory().pinnedBytes);
    };
    for (let kept = 0; kept < 50; kept++) await update(kept);
    await update(50);
    const { cache } = harness;
    expect(most).toBeGreaterThan(250_000);
    await collectGarbage(() => cache.memory().pinnedBytes < 100_000);
    expect(cache.memory().pinnedBytes).toBeGreaterThan(40_000);
    expect(cache.memory().pinnedBytes).toBeLessThan(100_000);
    for (const [kept, view] of views.entries()) {
      expect(view.value().spec?.node).toBe(`${kept} ${value}`);
      expect(view.metadata.name).toBe('o7');
    }
  });

  test('a view of a removed store keeps its own bytes alive, and no other objects', async () => {
    await using harness = new Harness({ linger: 0 });
    harness.source.toFrame = bytesFrame;
    const node = 'x'.repeat(1_000);
    for (let n = 0; n < 500; n++) harness.source.set(`o${n}`, { spec: { node } });
    const { view, others } = await viewsOf(harness);
    await eventually(() => harness.source.openRequests === 0);
    const alive = (): number => others.filter((other) => other.deref() !== undefined).length;
    await collectGarbage(() => alive() === 0 && harness.cache.memory().pinnedBytes < 10_000);
    expect(alive()).toBe(0);
    expect(harness.cache.memory().pinnedBytes).toBeLessThan(10_000);
    expect(view?.value().spec?.node).toBe(node);
  });

  test('RC03 nothing of a released watch stays in memory', async () => {
    await using harness = new Harness({ linger: 0 });
    harness.source.toFrame = bytesFrame;
    harness.source.set('a');
    const view = await viewOnce(harness);
    await eventually(() => harness.source.openRequests === 0);
    await collectGarbage(() => view.deref() === undefined);
    expect(view.deref()).toBeUndefined();
  });

  test('an ended watch is freed while another watch of its kind continues', async () => {
    await using harness = new Harness({ linger: 0 });
    await harness.synced();
    const transform = await transformOnce(harness);
    await eventually(() => harness.source.openRequests === 1);
    await collectGarbage(() => transform.deref() === undefined);
    expect(transform.deref()).toBeUndefined();
  });

  test('a garbage-collected handle that was not released is reported to the observer', async () => {
    await using harness = new Harness();
    await harness.synced();
    await collectGarbage(() => harness.observer.of('leaked').length > 0);
    expect(harness.observer.of('leaked')).toEqual(['leaked test']);
  });
});

/** Returns a weak reference to the transform of a released watch. */
async function transformOnce(harness: Harness): Promise<WeakRef<object>> {
  const transform = { name: 'same', apply: (thing: Thing) => thing };
  const handle = await harness.synced({ transform });
  handle.release();
  return new WeakRef(transform);
}

/** Returns a weak reference to a fully read view of a released watch. */
async function viewOnce(harness: Harness): Promise<WeakRef<object>> {
  const handle = await harness.synced();
  const view = handle.store.view(a);
  expect(view?.metadata.name).toBe('a');
  expect(view?.value()).toEqual(harness.source.objects[0]);
  handle.release();
  return new WeakRef(view ?? {});
}

/** Returns one view of a released watch, and weak references to all others. */
async function viewsOf(
  harness: Harness,
): Promise<{ view: ObjectView<Thing> | undefined; others: WeakRef<ObjectView<Thing>>[] }> {
  const handle = await harness.synced();
  const [view, ...others] = handle.store.views();
  handle.release();
  return { view, others: others.map((other) => new WeakRef(other)) };
}
