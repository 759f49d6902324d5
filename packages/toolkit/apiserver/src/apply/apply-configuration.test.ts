import { describe, expect, test } from '@jest/globals';
import { type KubernetesObject, StatusError } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { JsonValue } from '@keelson/structural-schema';
import { thrownStatus } from '../kinds/recorded.test-support.ts';
import { customResourceType } from '../schema/structural/structural-schema.ts';
import { applyConfiguration } from './apply-configuration.ts';
import { FieldSet } from './fields/field-set.ts';
import { fieldSetOf } from './fields/field-set-of.ts';
import { decodeManagers } from './fields/managed-fields.ts';
import { withoutManagedFields, recordUpdate } from './record-update.ts';
import { isEmptyValue } from './fields/shape.ts';

// The share of the random runs: a tenth in `npm test`, all in `.ci/run`.
const numRuns = Math.ceil(100 * Number(process.env['KEELSON_RUNS'] ?? 1));
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns });

type Thing = KubernetesObject & { spec?: JsonValue };

const text = { type: 'string' };
const type = customResourceType({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: text,
        b: text,
        deep: { type: 'object', properties: { a: text, b: text } },
        free: { type: 'object', additionalProperties: text },
        whole: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
        list: { type: 'array', items: text },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { type: 'object', required: ['k'], properties: { k: text, x: text, y: text } },
        },
      },
    },
  },
});

const value = fc.constantFrom('1', '2');
const some = { requiredKeys: [] as never[] };
const item = fc.record(
  { k: fc.constantFrom('p', 'q', 'r'), x: value, y: value },
  { requiredKeys: ['k'] },
);
// The generator omits empty objects and lists: they are owned as a whole. recorded-applies.test.ts covers them.
const filled = fc
  .record(
    {
      a: value,
      b: value,
      deep: fc.record({ a: value, b: value }, some),
      // An inherited property name is an ordinary key.
      free: fc.dictionary(fc.constantFrom('m', 'constructor'), value),
      whole: fc.dictionary(fc.constantFrom('m', 'n'), value),
      list: fc.array(value, { maxLength: 2 }),
      tags: fc.uniqueArray(fc.constantFrom('s', 't', 'u')),
      items: fc.uniqueArray(item, { selector: ({ k }) => k }),
    },
    some,
  )
  .map((fields) => Object.entries(fields).filter(([, part]) => !isEmptyValue(part as JsonValue)))
  .map((fields) => (fields.length === 0 ? undefined : Object.fromEntries(fields)));
const spec = filled as fc.Arbitrary<JsonValue | undefined>;

const now = '2026-01-01T00:00:00Z';
const apiVersion = 'example.org/v1';

describe('applyConfiguration', () => {
  test('property: a repeated apply changes nothing, not even the time', () => {
    fc.assert(
      fc.property(spec, spec, (mine, theirs) => {
        const first = apply('a', mine, apply('b', theirs, undefined), true);
        expect(apply('a', mine, first, false, '2026-02-02T00:00:00Z')).toEqual(first);
      }),
    );
  });

  test('property: an empty apply removes every field that only this applier owns', () => {
    fc.assert(
      fc.property(spec, (mine) => {
        const emptied = apply('a', undefined, apply('a', mine, undefined));
        expect(emptied.spec).toBeUndefined();
        expect(emptied.metadata?.managedFields).toEqual([]);
      }),
    );
  });

  test('property: an empty apply removes no field of other appliers', () => {
    fc.assert(
      fc.property(spec, spec, (mine, theirs) => {
        const before = apply('a', mine, undefined);
        const both = unlessConflict(() => apply('b', theirs, before));
        fc.pre(both !== undefined);
        const owned = ownedBy('a', before);
        const after = fieldSetOf(type, withoutManagedFields(apply('b', undefined, both)));
        expect([...owned.difference(after).paths()]).toEqual([]);
      }),
    );
  });

  test('property: every field has an owner, and every owned field exists', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), spec)), (steps) => {
        let live: Thing | undefined;
        for (const [manager, wanted] of steps) live = apply(manager, wanted, live, true);
        fc.pre(live !== undefined);
        const there = fieldSetOf(type, withoutManagedFields(live));
        const owned = ['a', 'b', 'c']
          .map((manager) => ownedBy(manager, live))
          .reduce((all, fields) => all.union(fields), new FieldSet());
        expect([...owned.difference(there).paths()]).toEqual([]);
        const unowned = there.recursiveDifference(owned).paths();
        expect([...unowned].filter(([first]) => first === 'f:spec')).toEqual([]);
      }),
    );
  });

  test('property: an apply without force keeps the values of other owners', () => {
    fc.assert(
      fc.property(spec, spec, (mine, theirs) => {
        const before = apply('a', mine, undefined);
        const after = unlessConflict(() => apply('b', theirs, before));
        fc.pre(after !== undefined);
        expect(ownedBy('a', after).equals(ownedBy('a', before))).toBe(true);
        expect(ownedBy('a', apply('a', mine, after)).equals(ownedBy('a', before))).toBe(true);
      }),
    );
  });

  test('property: a forced apply sets every field to its own value', () => {
    fc.assert(
      fc.property(spec, spec, (mine, theirs) => {
        const after = apply('b', theirs, apply('a', mine, undefined), true);
        expect(apply('b', theirs, after, false, now)).toEqual(after);
      }),
    );
  });

  test('property: after updates the last writer owns each field', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('u', 'v'), spec), { minLength: 1 }),
        (steps) => {
          // An object that has no field with an owner stays without owners, as on kube-apiserver.
          fc.pre(steps.slice(0, -1).every(([, wanted]) => wanted !== undefined));
          let live: Thing | undefined;
          for (const [manager, wanted] of steps) live = update(manager, wanted, live);
          const [u, v] = [ownedBy('u', live, 'Update'), ownedBy('v', live, 'Update')];
          expect([...u.intersection(v).paths()]).toEqual([]);
          const there = fieldSetOf(type, withoutManagedFields(live as Thing));
          const unowned = there.recursiveDifference(u.union(v)).paths();
          expect([...unowned].filter(([first]) => first === 'f:spec')).toEqual([]);
        },
      ),
    );
  });

  test('updates of an object that has no owners leave it without owners, as on kube-apiserver', () => {
    const bare = update('u', undefined, undefined);
    expect(update('u', { a: '1' }, bare).metadata?.managedFields).toEqual([]);
  });

  test('the time of an applier is the time of its last change', () => {
    const first = apply('a', { a: '1' }, undefined, false, '2026-01-01T00:00:01Z');
    const agreed = apply('b', { a: '1' }, first, false, '2026-01-01T00:00:02Z');
    const changed = apply('b', { a: '1', b: '1' }, agreed, false, '2026-01-01T00:00:03Z');
    const left = apply('b', { b: '1' }, changed, false, '2026-01-01T00:00:04Z');
    const times = [first, agreed, changed, left].map(({ metadata }) =>
      (metadata?.managedFields ?? []).map(({ manager, time }) => `${manager} ${time?.slice(-3)}`),
    );
    expect(times).toEqual([
      ['a 01Z'],
      ['b undefined', 'a 01Z'],
      ['a 01Z', 'b 03Z'],
      ['a 01Z', 'b 03Z'],
    ]);
  });

  test('an update through scale records no time, as on a real server', () => {
    const before = update('editor', { a: '1' }, undefined);
    const after = { ...before, spec: { a: '2' } };
    const managedFields = recordUpdate({
      type,
      before,
      after,
      manager: 'scaler',
      subresource: 'scale',
      apiVersion,
      now,
    });
    expect(managedFields.map(({ manager, time }) => [manager, time])).toEqual([
      ['scaler', undefined],
      ['editor', now],
    ]);
  });

  test('an applied keyed list has the applied order, with the items of others in their place', () => {
    const live = apply('a', { items: [{ k: 'p' }, { k: 'q' }, { k: 'r' }] }, undefined);
    const after = apply('b', { items: [{ k: 'r', x: '1' }, { k: 'n' }, { k: 'p', x: '1' }] }, live);
    const items = (after.spec as { items: { k: string }[] }).items.map(({ k }) => k);
    expect(items).toEqual(['q', 'r', 'n', 'p']);
  });

  test('items with the same key are owned together until only one remains', () => {
    const key = 'k:{"k":"p"}';
    const one = update('a', { items: [{ k: 'p', x: '1' }] }, undefined);
    const two = update(
      'b',
      {
        items: [
          { k: 'p', x: '1' },
          { k: 'p', x: '2' },
        ],
      },
      one,
    );
    const other = update(
      'c',
      {
        items: [
          { k: 'p', x: '1' },
          { k: 'p', y: '2' },
        ],
      },
      two,
    );
    const same = update(
      'd',
      {
        items: [
          { k: 'p', x: '1' },
          { k: 'p', y: '2' },
        ],
      },
      other,
    );
    const left = update('e', { items: [{ k: 'p', x: '1' }] }, same);
    const items = (manager: string, object: Thing): string[] =>
      [...ownedBy(manager, object, 'Update').paths()]
        .map((path) => path.slice(2).join(' '))
        .filter((path) => path !== '');
    expect(items('a', one)).toEqual([key, `${key} f:k`, `${key} f:x`]);
    expect(items('b', two)).toEqual([key]);
    expect(items('a', two)).toEqual([]);
    expect(items('c', other)).toEqual([key]);
    expect(items('d', same)).toEqual([]);
    expect(items('e', left)).toEqual([key, `${key} f:k`, `${key} f:x`]);
  });

  test('an applied item replaces all live items with the same key', () => {
    const live = update(
      'a',
      {
        items: [
          { k: 'p', x: '1' },
          { k: 'p', y: '2' },
        ],
      },
      undefined,
    );
    const after = apply('b', { items: [{ k: 'p', y: '1' }] }, live, true);
    expect(after.spec).toEqual({ items: [{ k: 'p', y: '1' }] });
  });

  // Recorded from kube-apiserver 1.36.3.
  test.each([
    [{ foo: 1 }, '.spec.foo: field not declared in schema'],
    [
      { foo: 1, bar: 1 },
      'errors:\n  .spec.foo: field not declared in schema\n  .spec.bar: field not declared in schema',
    ],
    [{ items: [{ k: 'p' }, { k: 'p' }] }, '.spec.items: duplicate entries for key [k="p"]'],
    [{ tags: ['s', 's'] }, '.spec.tags: duplicate entries for key [="s"]'],
    [[], '.spec: expected map, got &{[]}'],
  ] as [JsonValue, string][])('rejects a configuration of the wrong type: %j', (wrong, message) => {
    const status = thrownStatus(() => apply('a', wrong, undefined));
    expect(status?.code).toBe(500);
    expect(status?.message).toBe(
      `failed to create typed patch object (/thing; example.org/v1, Kind=Thing): ${message}`,
    );
  });

  test('rejects a configuration with managed fields', () => {
    const applied = { apiVersion, kind: 'Thing', metadata: { name: 'thing', managedFields: [] } };
    const status = thrownStatus(() =>
      applyConfiguration({
        type,
        live: undefined,
        applied,
        manager: 'a',
        force: false,
        apiVersion,
        now,
      }),
    );
    expect(status).toMatchObject({
      code: 400,
      message: 'metadata.managedFields must be nil',
    });
  });

  test('a conflict names the owner, its version and every field', () => {
    const live = update('editor', { a: '1', deep: { b: '1' } }, undefined);
    const status = thrownStatus(() => apply('robot', { a: '2', deep: { b: '2' } }, live));
    const message = 'conflict with "editor" using example.org/v1';
    expect(status).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Apply failed with 2 conflicts: conflicts with "editor" using example.org/v1:\n- .spec.a\n- .spec.deep.b',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message, field: '.spec.a' },
          { reason: 'FieldManagerConflict', message, field: '.spec.deep.b' },
        ],
      },
    });
  });
});

function apply(
  manager: string,
  wanted: JsonValue | undefined,
  live: Thing | undefined,
  force = false,
  at = now,
): Thing {
  const applied: Thing = { apiVersion, kind: 'Thing', metadata: { name: 'thing' } };
  if (wanted !== undefined) applied.spec = wanted;
  return applyConfiguration({ type, live, applied, manager, force, apiVersion, now: at });
}

function update(manager: string, wanted: JsonValue | undefined, live: Thing | undefined): Thing {
  const metadata = { ...live?.metadata, name: 'thing' };
  delete metadata.managedFields;
  const after: Thing = { apiVersion, kind: 'Thing', metadata };
  if (wanted !== undefined) after.spec = wanted;
  const managedFields = recordUpdate({ type, before: live, after, manager, apiVersion, now });
  return { ...after, metadata: { ...metadata, managedFields } };
}

function ownedBy(manager: string, object: Thing | undefined, operation = 'Apply'): FieldSet {
  const managers = decodeManagers(object?.metadata?.managedFields).values();
  const found = [...managers].find((set) => set.manager === manager && set.operation === operation);
  return found?.fields ?? new FieldSet();
}

function unlessConflict(action: () => Thing): Thing | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof StatusError && error.statusCode === 409) return undefined;
    throw error;
  }
}
