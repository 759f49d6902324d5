import { describe, expect, test } from '@jest/globals';
import { defineResource } from '@keelson/apimachinery';
import { durableIntent } from './durable-intent.ts';
import { ExecutionGuard } from './execution-guard.ts';
import { App } from './testing/intent-world.test-support.ts';

/**
 * Values of a wrong type for every option of the calls that take options. The fact `known` of each call's error lists
 * its options, so that an option without a row here fails a test.
 */

const nothing = (): void => undefined;

/** Values that are invalid for every option of the type. Some options have further invalid values. */
const wrong = {
  text: [1, null, {}, Number.NaN],
  count: ['1', null, {}, Number.NaN, 1.5, 0],
  object: ['x', 1, null, [], Number.NaN],
} satisfies Readonly<Record<string, readonly unknown[]>>;

type Rows = Readonly<Record<string, readonly unknown[]>>;

interface Call {
  /** The path of the options in errors. */
  readonly where: string;
  /** Makes the call with these options and its required ones. */
  readonly make: (options: object) => unknown;
  readonly rows: Rows;
  readonly required?: readonly string[];
}

const inner =
  (make: (options: object) => unknown, name: string, needed: object = {}) =>
  (options: object): unknown =>
    make({ [name]: { ...needed, ...options } });
const intent = (options: object): unknown =>
  durableIntent({ resource: App, place: { annotation: 'example.com/a' }, ...options });
const Tenant = defineResource({
  group: 'a',
  version: 'v1',
  kind: 'T',
  plural: 'ts',
  scope: 'Cluster',
});

const calls: readonly Call[] = [
  {
    where: 'durableIntent.',
    make: intent,
    required: ['resource', 'place'],
    rows: {
      resource: [...wrong.object, {}],
      place: [...wrong.object, {}, { annotation: 'a/b', status: 'c' }, { read: nothing }],
      schemaVersion: wrong.count,
      policy: [...wrong.text, 'wait'],
      history: [...wrong.object, {}],
    },
  },
  {
    where: 'durableIntent.place.',
    make: inner(intent, 'place'),
    required: ['annotation', 'configMap', 'status'],
    rows: {
      annotation: [...wrong.text, '', 'unqualified', 'a/', 'A/b', 'a/b/c'],
      status: [...wrong.text, ''],
      configMap: [...wrong.object, { name: 'a' }],
    },
  },
  {
    where: 'durableIntent.place.configMap.',
    make: (configMap) => durableIntent({ resource: Tenant, place: { configMap } }),
    required: ['namespace'],
    rows: { namespace: [...wrong.text, '', 'a.b'] },
  },
  {
    where: 'durableIntent.history.',
    make: (history) =>
      durableIntent({
        resource: Tenant,
        place: { status: 'a' },
        history: { keep: 1, namespace: 'a', ...history },
      }),
    required: ['keep', 'namespace'],
    rows: { keep: wrong.count, namespace: [...wrong.text, '', 'a.b'] },
  },
  {
    where: 'ExecutionGuard.',
    make: (options) => new ExecutionGuard(options),
    rows: { policy: [...wrong.text, 'wait'] },
  },
];

function errorOf(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return error;
  }
  return 'accepted';
}

/** Fails unless the error has the code and its option is the given one, or a member of it. */
function expectRefusal(error: unknown, option: string): void {
  const { code, facts } = error as { code?: string; facts?: { option?: string } };
  const named = facts?.option ?? String(error);
  const isMember = named.startsWith(option) && /^[.[]/.test(named.slice(option.length));
  expect({ code, option: isMember ? option : named }).toEqual({ code: 'INVALID_OPTION', option });
}

describe.each(calls.map((call) => [call.where, call] as const))(
  'the options of %s',
  (_, { where, make, rows, required = [] }) => {
    test('each have a row in this table', () => {
      const error = errorOf(() => make({ unknown: 1 })) as { facts: { known: string } };
      expect(error.facts.known.split(' ').toSorted()).toEqual(Object.keys(rows).toSorted());
    });

    test.each(
      Object.entries(rows).flatMap(([name, values]) => values.map((value) => [name, value])),
    )('MG01 %s of a wrong type throws with its name: %p', (name, value) => {
      expectRefusal(
        errorOf(() => make({ [name as string]: value })),
        `${where}${name as string}`,
      );
    });

    test('are optional if undefined, unless they are required', () => {
      const refused = Object.keys(rows).filter(
        (name) => errorOf(() => make({ [name]: undefined })) !== 'accepted',
      );
      expect(refused.toSorted()).toEqual([...required].toSorted());
    });
  },
);
