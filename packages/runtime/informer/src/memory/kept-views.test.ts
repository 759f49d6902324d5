import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { keepViews, type InformerEvent } from '../contract/informer-event.ts';
import type { ObjectView } from '../contract/object-view.ts';
import { Harness, withCode } from '../testing/harness.test-support.ts';
import { a, bytesFrame, type Thing } from '../testing/scripted-source.test-support.ts';

const { ConfigMap } = builtin;

/** A harness whose objects are kept as bytes, with one object. */
function harnessOfBytes(): Harness {
  const harness = new Harness();
  harness.source.toFrame = bytesFrame;
  harness.source.set('a', { spec: { value: 1 } });
  return harness;
}

/** Replaces the object until the bytes of its first version are free. */
async function replaced(harness: Harness): Promise<void> {
  const handle = await harness.synced();
  for (const value of [2, 3]) {
    harness.source.set('a', { spec: { value } });
    await harness.caughtUp(handle);
  }
}

describe('a handler with keepsViews false', () => {
  test('reads the views of an event in its call, also those of a deletion', async () => {
    await using harness = harnessOfBytes();
    const handle = await harness.synced();
    const values: (number | undefined)[] = [];
    handle.addEventHandler(
      (event) => {
        if (event.type === 'updated') values.push(event.previous.value().spec?.value);
        values.push(event.object.value().spec?.value);
      },
      { keepsViews: false },
    );
    await replaced(harness);
    harness.source.remove('a');
    await harness.caughtUp(handle);
    expect(values).toEqual([1, 1, 2, 2, 3, 3]);
  });

  test('receives VIEW_EXPIRED from a view that it kept, never the bytes of another object', async () => {
    await using harness = harnessOfBytes();
    const handle = await harness.synced();
    const kept: ObjectView<Thing>[] = [];
    const { synced } = handle.addEventHandler(({ object }) => kept.push(object), {
      keepsViews: false,
    });
    await synced;
    await replaced(harness);
    const [first] = kept;
    expect(() => first?.value()).toThrow(withCode('VIEW_EXPIRED'));
    expect(() => first?.metadata).toThrow(withCode('VIEW_EXPIRED'));
    expect(first).toMatchObject({ key: 'default/a', kind: 'Thing' });
    expect(kept.at(-1)?.value().spec?.value).toBe(3);
  });

  test.each(['full', 'metadata'] as const)(
    'keeps the %s views of an event for which it calls keepViews',
    async (projection) => {
      await using harness = harnessOfBytes();
      await harness.synced();
      const handle = await harness.synced({ projection });
      const kept: InformerEvent[] = [];
      const keep = (event: InformerEvent): void => {
        keepViews(event);
        kept.push(event);
      };
      handle.addEventHandler(keep, { keepsViews: false });
      await replaced(harness);
      for (const event of kept) {
        expect(event.object.metadata.resourceVersion).toBe(event.object.resourceVersion);
        expect(event.object.value().metadata.name).toBe('a');
      }
      expect(kept).toHaveLength(3);
    },
  );

  test('does not affect the views of another handler, of reads and of indexers', async () => {
    await using harness = harnessOfBytes();
    const handle = await harness.synced();
    const kept: ObjectView<Thing>[] = [];
    handle.addEventHandler(() => undefined, { keepsViews: false });
    handle.addEventHandler(({ object }) => kept.push(object));
    await replaced(harness);
    handle.addIndexer({ name: 'kept', head: (view) => (kept.push(view), []) });
    const read = handle.store.view(a);
    if (read !== undefined) kept.push(read, ...handle.store.views());
    await replaced(harness);
    for (const view of kept) expect(view.metadata.resourceVersion).toBe(view.resourceVersion);
    for (const view of kept) expect(view.value().spec?.value).toBeGreaterThan(0);
  });

  test('is an option that must be a boolean', async () => {
    await using harness = new Harness();
    const handle = harness.acquire();
    expect(() => handle.addEventHandler(() => undefined, { keepsViews: 'no' as never })).toThrow(
      withCode('INVALID_OPTION'),
    );
  });
});

test('keepViews accepts the views of another implementation', () => {
  const object = { key: 'a', kind: ConfigMap.kind } as unknown as ObjectView;
  expect(() =>
    keepViews({ type: 'updated', key: 'a', object, previous: object, receivedAt: 0 }),
  ).not.toThrow();
});
