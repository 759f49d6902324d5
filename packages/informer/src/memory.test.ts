import { describe, expect, test } from '@jest/globals';
import { collectGarbage } from './collect-garbage.test-support.ts';
import { Harness } from './harness.test-support.ts';
import { a, bytesFrame, eventually } from './scripted-source.test-support.ts';

describe('memory', () => {
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
    // The loop that reads the open stream may hold its last batch.
    await collectGarbage(() => alive() <= 2);
    expect(alive()).toBeLessThanOrEqual(2);
    expect(buffers).toHaveLength(51);
    expect(kept?.value()).toEqual(harness.source.objects[0]);
  });

  test('what is taken out and given back leaves nothing with a handle that lives on', async () => {
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
    // The last turn of the loop may still stand in its registers.
    await collectGarbage(() => alive() <= 3);
    expect(alive()).toBeLessThanOrEqual(3);
    expect(handle.hasSynced).toBe(true);
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
});

/** A view that was read in every way, of a watch that has been released. */
async function viewOnce(harness: Harness): Promise<WeakRef<object>> {
  const handle = await harness.synced();
  const view = handle.store.view(a);
  expect(view?.metadata.name).toBe('a');
  expect(view?.value()).toEqual(harness.source.objects[0]);
  handle.release();
  return new WeakRef(view ?? {});
}
