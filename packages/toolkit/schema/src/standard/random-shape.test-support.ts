import * as fc from 'fast-check';

/** The description of a schema that each library can express. */
export type Shape =
  | {
      readonly type: 'string';
      readonly min?: number;
      readonly max?: number;
      readonly pattern?: RegExp;
    }
  | {
      readonly type: 'number';
      readonly isInteger: boolean;
      readonly min?: number;
      readonly above?: number;
      readonly max?: number;
    }
  | { readonly type: 'boolean' }
  | { readonly type: 'enum'; readonly values: readonly string[] }
  | { readonly type: 'numbers'; readonly values: readonly number[] }
  | { readonly type: 'array'; readonly items: Shape; readonly min?: number; readonly max: number }
  | { readonly type: 'map'; readonly values: Shape }
  | { readonly type: 'object'; readonly members: readonly Member[] }
  | {
      readonly type: 'union';
      readonly tags: readonly (string | number)[];
      readonly members: readonly Member[];
    }
  | { readonly type: 'nullable'; readonly inner: Shape };

/** A member of an object. Of a union it belongs to the objects of these tags. */
export interface Member {
  readonly name: string;
  readonly shape: Shape;
  readonly isOptional: boolean;
  /** The index of the tag that has it; undefined for all. */
  readonly tag: number | undefined;
}

const patterns = [
  /^[a-z]+$/,
  /^[^/]+$/,
  /^.+$/u,
  /^\S*$/,
  /^[^ ]{1,3}$/u,
  /a/,
  /^(?!b)[ab]*$/,
  /^\w\d?$/,
  /\s/u,
];
const lower = fc.constantFrom(-1e20, -2, -0.5, 0, 0.5);
const upper = fc.constantFrom(1, 1.5, 3, 1e20);
const numbers = fc.uniqueArray(fc.constantFrom(1, 2, -3, 2.5, 0.5), { minLength: 1, maxLength: 3 });
const names = ['a', 'b', 'some-name', 'c'];

function present<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined });
}

const scalar: fc.Arbitrary<Shape> = fc.oneof(
  fc.record({
    type: fc.constant('string' as const),
    min: present(fc.integer({ min: 0, max: 3 })),
    max: present(fc.integer({ min: 3, max: 5 })),
    pattern: present(fc.constantFrom(...patterns)),
  }) as fc.Arbitrary<Shape>,
  fc.record({
    type: fc.constant('number' as const),
    isInteger: fc.boolean(),
    min: present(lower),
    above: present(lower),
    max: present(upper),
  }) as fc.Arbitrary<Shape>,
  fc.constant<Shape>({ type: 'boolean' }),
  fc
    .uniqueArray(fc.constantFrom('a', 'b', '😀', ''), { minLength: 1, maxLength: 3 })
    .map((values): Shape => ({ type: 'enum', values })),
  numbers.map((values): Shape => ({ type: 'numbers', values })),
);

const { shape: nested } = fc.letrec<{ shape: Shape; members: Member[] }>((tie) => ({
  members: fc
    .uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((name) =>
          fc.record({
            name: fc.constant(name),
            shape: tie('shape'),
            isOptional: fc.boolean(),
            tag: present(fc.constantFrom(0, 1)),
          }),
        ),
      ),
    ) as fc.Arbitrary<Member[]>,
  shape: fc.oneof(
    { maxDepth: 2 },
    { arbitrary: scalar, weight: 4 },
    {
      arbitrary: fc.record({
        type: fc.constant('array' as const),
        items: tie('shape'),
        min: present(fc.constantFrom(0, 1)),
        max: fc.constantFrom(2, 3),
      }) as fc.Arbitrary<Shape>,
      weight: 1,
    },
    { arbitrary: tie('shape').map((values): Shape => ({ type: 'map', values })), weight: 1 },
    { arbitrary: tie('members').map((members): Shape => ({ type: 'object', members })), weight: 2 },
    {
      arbitrary: fc
        .tuple(
          fc.constantFrom<readonly (string | number)[]>(['x', 'y'], [1, 2], [1, 2.5]),
          tie('members'),
        )
        .map(([tags, members]): Shape => ({ type: 'union', tags, members })),
      weight: 2,
    },
    { arbitrary: scalar.map((inner): Shape => ({ type: 'nullable', inner })), weight: 1 },
  ),
}));

/** Shapes of a `spec`. */
export const randomShape: fc.Arbitrary<Shape> = nested.map((shape) => ({
  type: 'object',
  members: [{ name: 'f', shape, isOptional: false, tag: undefined }],
}));

const letters = fc.constantFrom(
  'a',
  'b',
  '1',
  ' ',
  '/',
  '_',
  'é',
  '😀',
  '\n',
  '\u2028',
  '\u00a0',
  '\ufeff',
);
const text = fc.array(letters, { maxLength: 6 }).map((parts) => parts.join(''));
const number = fc.constantFrom(
  -3,
  -2,
  -1,
  -0.5,
  0,
  0.25,
  0.5,
  1,
  1.5,
  2,
  2.5,
  2.9,
  3,
  4,
  2 ** 53,
  1e16,
  -(2 ** 60),
  1e20,
  1e300,
);
const wrong: fc.Arbitrary<unknown> = fc.constantFrom('a', 1, 1.5, true, [], {}, '😀');

/**
 * Values near a shape, without integers beyond 64 bits, which no CRD accepts: most are valid or nearly so. They have no
 * null and no member that the shape does not declare.
 */
export function valueOf(shape: Shape): fc.Arbitrary<unknown> {
  // valibot and ArkType take a list for an object without required members.
  const isObject = ['map', 'object', 'union'].includes(shape.type);
  const other = isObject ? wrong.filter((value) => !Array.isArray(value)) : wrong;
  return fc.oneof({ arbitrary: fitting(shape), weight: 15 }, { arbitrary: other, weight: 1 });
}

function fitting(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'string':
      return text;
    case 'number':
      return shape.isInteger ? number.filter((value) => Math.abs(value) < 2 ** 63) : number;
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.oneof(fc.constantFrom(...shape.values), text);
    case 'numbers':
      return fc.oneof(fc.constantFrom(...shape.values), number);
    case 'array':
      return fc.array(valueOf(shape.items), { maxLength: 4 });
    case 'map':
      return fc.dictionary(fc.constantFrom('a', 'b', 'é'), valueOf(shape.values), {
        noNullPrototype: true,
      });
    case 'object':
      return membersOf(shape.members);
    case 'union':
      return fc.oneof(
        ...shape.tags.map((tag, index) =>
          membersOf(shape.members.filter((member) => (member.tag ?? index) === index)).map(
            (members) => ({ t: tag, ...members }),
          ),
        ),
        fc.constant({}),
        fc.constant({ t: 1.5 }),
      );
    case 'nullable':
      return fc.oneof(fc.constant(null), fitting(shape.inner));
  }
}

function membersOf(members: readonly Member[]): fc.Arbitrary<object> {
  const values = members.map(({ name, shape }) => [name, valueOf(shape)] as const);
  return fc.record(Object.fromEntries(values), { requiredKeys: [], noNullPrototype: true });
}
