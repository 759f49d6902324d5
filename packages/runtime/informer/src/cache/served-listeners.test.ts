import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from '@jest/globals';
import { withCode } from '../testing/harness.test-support.ts';
import { Other, Thing } from '../testing/scripted-source.test-support.ts';
import { acquired, cacheOf, threeThings } from '../testing/selecting-source.test-support.ts';
import { ServedListeners } from './served-listeners.ts';

const settled = (): Promise<void> => Promise.resolve();

describe('the listeners of served kinds', () => {
  test('receive each new value once, after the change', async () => {
    const listeners = new ServedListeners();
    let isServed = true;
    const seen: boolean[] = [];
    using listening = listeners.add(
      () => isServed,
      (served) => void seen.push(served),
      () => undefined,
    );
    expect(seen).toEqual([]);
    await settled();
    listeners.changed();
    listeners.changed();
    await settled();
    isServed = false;
    listeners.changed();
    isServed = true;
    listeners.changed();
    await settled();
    expect(seen).toEqual([true]);
    isServed = false;
    listeners.changed();
    await settled();
    expect(seen).toEqual([true, false]);
    listening[Symbol.dispose]();
  });

  test('run in the context of their registration, and may dispose and add listeners', async () => {
    const listeners = new ServedListeners();
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const failed: unknown[] = [];
    const fail = (error: unknown): void => void failed.push(error);
    const always = (): boolean => true;
    const first = context.run('first', () =>
      listeners.add(
        always,
        () => {
          seen.push(context.getStore());
          first[Symbol.dispose]();
          second[Symbol.dispose]();
          listeners.add(always, () => void seen.push('added'), fail);
          throw new Error('thrown');
        },
        fail,
      ),
    );
    const second = listeners.add(always, () => void seen.push('second'), fail);
    listeners.add(always, () => Promise.reject(new Error('rejected')), fail);
    await settled();
    await settled();
    await settled();
    expect(seen).toEqual(['first', 'added']);
    expect(failed).toEqual([new Error('thrown'), new Error('rejected')]);
  });
});

describe('isServed', () => {
  test('is true once a watch of the kind has synced, and throws without one', async () => {
    const cache = cacheOf(threeThings());
    const seen: boolean[] = [];
    cache.onServedChange(Thing, (isServed) => void seen.push(isServed));
    expect(() => cache.isServed(Thing)).toThrow(withCode('NOT_WATCHED'));
    await acquired(cache, { namespace: 'x' });
    expect(cache.isServed(Thing)).toBe(true);
    const scope = cache.scope();
    expect(() => scope.isServed(Thing)).toThrow(withCode('NOT_WATCHED'));
    expect(() => cache.isServed(Other)).toThrow(withCode('NOT_WATCHED'));
    await settled();
    expect(seen).toEqual([true]);
    await cache.close();
    await settled();
    expect(seen).toEqual([true, false]);
    expect(() => cache.isServed(Thing)).toThrow(withCode('CACHE_CLOSED'));
  });

  test('and onServedChange refuse invalid arguments', async () => {
    await using cache = cacheOf(threeThings());
    expect(() => cache.isServed(undefined as never)).toThrow(withCode('INVALID_OPTION'));
    expect(() => cache.onServedChange({} as never, () => undefined)).toThrow(
      withCode('INVALID_OPTION'),
    );
    expect(() => cache.onServedChange(Thing, undefined as never)).toThrow(
      withCode('INVALID_OPTION'),
    );
  });
});

describe('holds', () => {
  test('is true for an object of a watch, by kind, name and uid', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, {});
    const [object] = cache.list(Thing);
    expect(cache.holds(object!)).toBe(true);
    expect(cache.holds({ ...object!, kind: 'Other' })).toBe(false);
    expect(cache.holds({ ...object!, metadata: { ...object!.metadata, uid: 'another' } })).toBe(
      false,
    );
    expect(cache.holds({ metadata: { name: 'a' } })).toBe(false);
    expect(() => cache.holds(undefined as never)).toThrow(withCode('INVALID_OPTION'));
  });
});
