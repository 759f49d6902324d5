import { describe, expect, test } from '@jest/globals';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { Retention } from '../contract/watch-query.ts';
import { Harness, withCode } from '../testing/harness.test-support.ts';
import { a, bytesFrame, Thing } from '../testing/scripted-source.test-support.ts';

const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }];

describe('the retention of a watch', () => {
  test.each<[Retention | 'none', readonly (Retention | undefined)[]]>([
    ['lazy', []],
    ['lazy', [undefined]],
    ['compressed', ['compressed']],
    ['compressed', ['compressed', undefined]],
    ['lazy', ['compressed', 'lazy']],
    ['object', ['lazy', 'compressed', 'object']],
    ['object', ['object', 'compressed']],
    ['compressed', [undefined, 'metadata', 'compressed']],
  ])('is %s if its handles request %j', async (retain, requested) => {
    await using harness = new Harness();
    await harness.synced(requested[0] === undefined ? {} : { retain: requested[0] });
    for (const other of requested.slice(1)) {
      harness.acquire(other === undefined ? {} : { retain: other });
    }
    expect(harness.cache.inventory()).toMatchObject([{ retain, projection: 'full' }]);
    const planned = harness.cache.plan().map((handle) => handle.retain);
    expect(new Set(planned)).toEqual(new Set(requested.length === 0 ? [undefined] : requested));
  });

  test('is that of the other handles after a release', async () => {
    await using harness = new Harness();
    await harness.synced({ retain: 'compressed' });
    const lazy = harness.acquire({ retain: 'lazy' });
    expect(harness.cache.inventory()).toMatchObject([{ retain: 'lazy' }]);
    lazy.release();
    expect(harness.cache.inventory()).toMatchObject([{ retain: 'compressed' }]);
  });

  test('"metadata" is the projection of the metadata: one watch, which sends no bodies', async () => {
    await using harness = new Harness();
    const handles = [
      harness.acquire({ retain: 'metadata' }),
      harness.acquire({ projection: 'metadata' }),
      harness.acquire({ projection: 'metadata', retain: 'metadata' }),
    ];
    expect(new Set(handles.map(({ identity }) => identity)).size).toBe(1);
    expect(harness.cache.inventory()).toMatchObject([
      { retain: 'metadata', projection: 'metadata', query: { projection: 'metadata' } },
    ]);
  });

  test('"metadata" does not fit the projection "full"', () => {
    const harness = new Harness();
    const acquire = (): unknown => harness.acquire({ retain: 'metadata', projection: 'full' });
    expect(acquire).toThrow(withCode('INVALID_OPTION'));
    expect(acquire).toThrow(/retain/);
  });

  test('"metadata" takes no index over bodies', () => {
    const harness = new Harness();
    const indexers = [{ name: 'node', body: () => [] }];
    const acquire = (): unknown => harness.acquire({ retain: 'metadata', indexers });
    expect(acquire).toThrow(withCode('INVALID_OPTION'));
  });

  test('of the metadata gives handles and objects without a body', async () => {
    await using harness = new Harness();
    const { cache } = harness;
    const whole: WatchHandle<Thing> = cache.acquire({ resource: Thing }, { owner: 'whole' });
    const heads: readonly WatchHandle[] = [
      cache.acquire({ resource: Thing, retain: 'metadata' }, { owner: 'heads' }),
      cache.acquire({ resource: Thing, projection: 'metadata' }, { owner: 'heads' }),
      cache.scope().acquire({ resource: Thing, retain: 'metadata' }, { owner: 'heads' }),
    ];
    for (const handle of heads) {
      // @ts-expect-error an object of the metadata has no body
      expect(handle.store.get(a)?.spec).toBeUndefined();
    }
    expect(whole.store.get(a)?.spec).toBeUndefined();
  });
});

describe('the metadata of a cache with keepManagedFields', () => {
  test('contain managedFields, whichever watch serves them', async () => {
    await using harness = new Harness({ keepManagedFields: true });
    harness.source.toFrame = bytesFrame;
    harness.source.set('a', { metadata: { managedFields } });
    await harness.synced();
    const view = await harness.synced({ retain: 'metadata' });
    expect(harness.cache.inventory()).toHaveLength(1);
    const full = harness.cache.get(Thing, a);
    expect(full?.metadata.managedFields).toEqual(managedFields);
    const expected = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: full?.metadata };
    expect(view.store.get(a)).toEqual(expected);
    expect(view.store.view(a)?.value()).toEqual(expected);
    expect(harness.cache.get(Thing, a, { projection: 'metadata' })).toEqual(expected);
    expect(view.store.view(a)?.metadata.managedFields).toBeUndefined();
  });
});
