import { expect, test } from '@jest/globals';
import type { ApiResource, InputOf, ObjectOf } from '@keelson/apimachinery';
import * as z from 'zod';
import { defineKind } from '../definition/define-kind.ts';

type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

const names = { group: 'x.example', kind: 'Widget', plural: 'widgets' } as const;
const text = {
  type: 'object',
  required: ['length'],
  properties: { length: { type: 'string' } },
} as const;
const size = {
  type: 'object',
  required: ['size'],
  properties: { size: { type: 'integer' } },
} as const;
const versions = { v1: { spec: size }, v1beta1: { spec: text } } as const;
const from = { v1beta1: () => ({ spec: { size: 1 } }) };
const to = { v1beta1: () => ({ spec: { length: '1' } }) };

/** Never executed: the test is that the compiler accepts or rejects each line. */
function compiles(): void {
  const widgets = defineKind({
    ...names,
    scope: 'Cluster',
    versions: {
      v1: {
        spec: z.object({ size: z.int().default(3) }),
        status: { type: 'object', properties: { ready: { type: 'boolean' } } },
      },
      v1beta1: {
        spec: { type: 'object', required: ['length'], properties: { length: { type: 'string' } } },
      },
    },
    storage: 'v1beta1',
    convert: {
      hub: 'v1',
      from: {
        v1beta1: (old) => ({
          metadata: old.metadata ?? {},
          spec: { size: Number(old.spec.length) },
        }),
      },
      to: { v1beta1: (hub) => ({ spec: { length: hub.spec.size.toFixed(0) } }) },
      keep: { annotation: 'x.example/kept' },
    },
  });
  type V1 = ObjectOf<typeof widgets.resource>;
  type Beta = ObjectOf<typeof widgets.versions.v1beta1.resource>;
  const beta = widgets.convert({}, 'v1beta1');
  const parsed = widgets.versions.v1beta1.parse({});
  const equal: [
    Equal<V1['spec'], { size: number }>,
    Equal<NonNullable<V1['status']>['ready'], boolean | undefined>,
    Equal<InputOf<typeof widgets.resource>['spec']['size'], number | undefined>,
    Equal<Beta['spec'], { length: string }>,
    Equal<(typeof beta)['spec'], { length: string }>,
    Equal<(typeof parsed)['spec'], { length: string }>,
    Equal<typeof widgets.hub, 'v1'>,
    Equal<V1['metadata'], Beta['metadata']>,
  ] = [true, true, true, true, true, true, true, true];
  expect(equal).not.toContain(false);
  const token: ApiResource<V1> = widgets.versions.v1.resource;
  // @ts-expect-error the token of another version
  const wrong: ApiResource<V1> = widgets.versions.v1beta1.resource;
  // @ts-expect-error a version that the kind does not have
  widgets.convert({}, 'v2');
  expect([token, wrong]).toBeDefined();

  const same = defineKind({ ...names, versions, convert: { hub: 'v1', strategy: 'None' } });
  expect(same.convert({}, 'v1').spec.size).toBeDefined();

  // @ts-expect-error a hub that is not declared
  defineKind({ ...names, versions, convert: { hub: 'v2', from, to } });
  // @ts-expect-error a hub that is not declared, without functions
  defineKind({ ...names, versions, convert: { hub: 'v2', strategy: 'None' } });
  // @ts-expect-error no conversion to the hub
  defineKind({ ...names, versions, convert: { hub: 'v1', from: {}, to } });
  // @ts-expect-error no conversion from the hub
  defineKind({ ...names, versions, convert: { hub: 'v1', from, to: {} } });
  // @ts-expect-error only one direction
  defineKind({ ...names, versions, convert: { hub: 'v1', from } });
  // @ts-expect-error the functions of the other hub
  defineKind({ ...names, versions, convert: { hub: 'v1beta1', from, to } });
  // @ts-expect-error a conversion that returns the other version
  defineKind({ ...names, versions, convert: { hub: 'v1', from: to, to } });
  const async = { v1beta1: () => Promise.resolve({ spec: { size: 1 } }) };
  // @ts-expect-error a conversion that returns a promise
  defineKind({ ...names, versions, convert: { hub: 'v1', from: async, to } });
  // @ts-expect-error a storage version that is not declared
  defineKind({ ...names, versions, storage: 'v2', convert: { hub: 'v1', from, to } });
  // @ts-expect-error no conversion
  defineKind({ ...names, versions });
  // @ts-expect-error functions beside a conversion by the server
  defineKind({ ...names, versions, convert: { hub: 'v1', strategy: 'None', from, to } });

  const { v1, v1beta1 } = versions;
  const misspelt = { v1: { ...v1, servd: false }, v1beta1 } as const;
  // @ts-expect-error an option that versions do not have
  defineKind({ ...names, versions: misspelt, convert: { hub: 'v1', from, to } });
  const unserved = { v1, v1beta1, v1alpha1: { ...v1beta1, served: false } } as const;
  // @ts-expect-error a version that is only stored is converted too
  defineKind({ ...names, versions: unserved, convert: { hub: 'v1', from, to } });
  defineKind({
    ...names,
    versions,
    convert: {
      hub: 'v1',
      // @ts-expect-error a conversion of a version that is not declared
      from: { ...from, v2: () => ({ spec: { size: 1 } }) },
      to,
    },
  });
  defineKind({
    ...names,
    versions,
    convert: {
      hub: 'v1',
      // @ts-expect-error a member that the version does not have
      from: { v1beta1: (old) => ({ spec: { size: old.spec.inches } }) },
      to,
    },
  });
}

test('a conversion that does not fit the versions is an error of the compiler', () => {
  expect(compiles).toBeInstanceOf(Function);
});
