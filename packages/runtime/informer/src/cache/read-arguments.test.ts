import { describe, expect, test } from '@jest/globals';
import { defineIndex } from '../contract/indexer.ts';
import { Harness } from '../testing/harness.test-support.ts';
import { a, Thing } from '../testing/scripted-source.test-support.ts';
import type { InformerCache } from './informer-cache.ts';

const byApp = defineIndex(Thing, 'app', { head: () => [] });
const owner = { apiVersion: 'v1', kind: 'Owner', metadata: { name: 'o', uid: 'u' } };
const always = (): boolean => true;

/** Valid arguments of each method of a cache that takes a kind, and their names. */
const methods = {
  get: { resource: Thing, name: a, options: {} },
  list: { resource: Thing, options: {} },
  listAsync: { resource: Thing, options: {} },
  by: { index: byApp, value: 'x', options: {} },
  namesBy: { index: byApp, value: 'x', options: {} },
  indexValues: { index: byApp, options: {} },
  owned: { resource: Thing, owner, options: {} },
  waitFor: { resource: Thing, name: a, predicate: always, options: {} },
  served: { resource: Thing },
  written: { resource: Thing, object: owner },
  deleted: { resource: Thing, object: { name: 'a', uid: 'u' } },
} as const satisfies Partial<Readonly<Record<keyof InformerCache, object>>>;

type Method = keyof typeof methods;

/** Values of a wrong type for each argument. `undefined` is a valid value of options. */
const wrong = {
  resource: [undefined, null, 'things', 5, {}, { plural: 5 }],
  name: [
    undefined,
    null,
    'a',
    5,
    {},
    { name: 5 },
    { name: 'a', namespace: 5 },
    { name: 'a', namespace: null },
  ],
  index: [undefined, null, 'app', {}, { name: 'app' }, { ...byApp, resource: null }],
  value: [undefined, null, 5, {}],
  owner: [undefined, null, 'o', 5],
  object: [undefined, null, 'o', 5],
  predicate: [undefined, null, 'p', {}],
  options: [
    null,
    5,
    'x',
    [],
    { unknown: 1 },
    { projection: 'half' },
    { overlay: 'no' },
    { transform: 5 },
  ],
} as const;

const cases = (Object.keys(methods) as Method[]).flatMap((method) =>
  Object.keys(methods[method]).flatMap((argument) =>
    wrong[argument as keyof typeof wrong].map((value) => ({ method, argument, value })),
  ),
);

/** Returns the error of a call, thrown or as a rejection. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('a wrong argument of a cache', () => {
  test.each(cases)(
    'is named: $argument of $method is $value',
    async ({ method, argument, value }) => {
      await using harness = new Harness();
      await harness.synced({ indexers: [byApp] });
      const given = Object.values({ ...methods[method], [argument]: value });
      for (const cache of [harness.cache, harness.cache.scope()]) {
        const reader = cache as unknown as Readonly<Record<Method, (...all: unknown[]) => unknown>>;
        if (!(method in reader)) continue;
        const error = await errorOf(() => reader[method](...given));
        expect(error).toMatchObject({ code: 'INVALID_OPTION' });
        const { option } = (error as { facts: { option: string } }).facts;
        const name = argument === 'options' ? method : argument;
        expect(option).toContain(name);
      }
    },
  );

  test('does not occur with valid arguments', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    await harness.synced({ indexers: [byApp] });
    const reader = harness.cache as unknown as Readonly<
      Record<Method, (...all: unknown[]) => unknown>
    >;
    for (const method of Object.keys(methods) as Method[]) {
      expect(
        await errorOf(() => reader[method](...Object.values(methods[method]))),
      ).toBeUndefined();
    }
  });
});
