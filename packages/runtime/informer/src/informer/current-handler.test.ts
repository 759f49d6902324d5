import { describe, expect, test } from '@jest/globals';
import type { EventHandlerRegistration } from '../contract/informer-event.ts';
import { Harness } from '../testing/harness.test-support.ts';
import { eventually } from '../testing/scripted-source.test-support.ts';

const COUNT = 200;

describe('a handler is current', () => {
  test('after its initial objects, and not while a relist is being delivered', async () => {
    let clock = 1_000_000;
    await using harness = new Harness({ now: () => clock });
    for (let n = 0; n < COUNT; n++) harness.source.set(`o${n}`);
    const handle = await harness.synced();
    /** For each event whether the handler was current, and whether the store had the last state. */
    const seen: { readonly isCurrent: boolean; readonly isLast: boolean }[] = [];
    const registration: EventHandlerRegistration = handle.addEventHandler((event) => {
      clock += 1_000; // Every event takes a slice.
      const last = handle.store.view({ namespace: 'default', name: `o${COUNT - 1}` });
      const isLast = last?.resourceVersion === harness.source.version;
      seen.push({ isCurrent: registration.isCurrent, isLast });
      return event;
    });
    expect(registration.isCurrent).toBe(false);
    await registration.synced;
    expect(registration.isCurrent).toBe(true);
    expect(seen.map(({ isCurrent }) => isCurrent)).toEqual(Array(COUNT).fill(false));
    seen.splice(0);
    clock += 20_000;
    harness.missed(() => {
      for (let n = 0; n < COUNT; n++) harness.source.set(`o${n}`);
    });
    await eventually(() => seen.length === COUNT, 'the differences');
    // The store had all of them from the first event on.
    expect(seen.filter(({ isCurrent, isLast }) => isCurrent || !isLast)).toEqual([]);
    await eventually(() => registration.isCurrent, 'the end of the list');
  });
});
