import { describe, expect, test } from '@jest/globals';
import { compile } from './compile.test-support.ts';
import {
  definitionOf,
  definitionWith,
  objectSchema,
  versionWith,
} from './definition.test-support.ts';
import { generateTypes } from './generate-types.ts';

const text = { type: 'string' };
const part = objectSchema({ b: text });

/** Names of properties that are keywords, members of every object, or not identifiers. */
const names: readonly string[] = [
  '__proto__ constructor toString hasOwnProperty new get set static readonly class default typeof',
  'a-b a_b a.b aB A-B $ref $ _ 1 1e3 ünï 名前 \u{1f600} it\'s a"b a\\b a\\"b `${a}` */ /** // [key]',
]
  .join(' ')
  .split(' ');
const oddNames = [...names, '', ' ', 'line\nbreak', '\u2028', '\u0000', '\ud800', 'x: 1; y'];

/** Texts that would end a comment, be read by the compiler, or not survive a file. */
const texts: readonly string[] = [
  '*/ export const injected: number = 1; /*',
  '@ts-expect-error',
  '@ts-ignore\n@ts-nocheck',
  'a\r\nb\rc\u2028d\u2029e',
  '\u0000\u001b[31m\ud800',
  '/* /** // */*/ **//',
  '\n\n',
];

const kinds: readonly string[] = ['ApiResource', 'KubernetesObject', 'Object', 'Array', 'String'];

function fromEntries(entries: readonly (readonly [string, object])[]): object {
  // An assignment to __proto__ would set the prototype.
  return Object.fromEntries(entries) as object;
}

function hostileDefinitions(): readonly object[] {
  const spec = objectSchema(fromEntries(oddNames.map((name) => [name, part])));
  const comments = objectSchema(
    fromEntries(
      texts.map((description, index) => [
        `p${index}`,
        { ...text, description, enum: [description, 'a'], default: description },
      ]),
    ),
  );
  const embedded = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    description: texts[0],
  };
  const schema = objectSchema(
    { spec, comments, embedded, resource: part },
    { description: texts[0] },
  );
  const more = { deprecated: true, deprecationWarning: texts[0] };
  const versions = [versionWith(schema, more)];
  return kinds.flatMap((kind, index) => [
    definitionWith(versions, { kind, plural: `namespaced${index}` }),
    definitionWith(versions, { kind, plural: `cluster${index}`, scope: 'Cluster' }),
  ]);
}

/** Compiles the modules with a use of each token. */
function compileAll(definitions: readonly object[]): Promise<string> {
  const modules = generateTypes(definitions);
  return compile(new Map(modules.map(({ path, code }) => [path, code])));
}

describe('the code of hostile definitions', () => {
  test('compiles, whatever the names and the texts', async () => {
    expect(await compileAll(hostileDefinitions())).toBe('');
  });

  test('contains no statement from a text', () => {
    for (const { code } of generateTypes(hostileDefinitions())) {
      expect(code.split('\n').filter((line) => line.startsWith('export const'))).toHaveLength(1);
      expect(code.isWellFormed()).toBe(true);
    }
  });

  test('has a name of its own for each interface', () => {
    const [{ code } = { code: '' }] = generateTypes(hostileDefinitions());
    const declared = [...code.matchAll(/^export interface (\w+)/gm)].map(([, name]) => name);
    expect(declared.length).toBeGreaterThan(oddNames.length);
    expect(new Set(declared).size).toBe(declared.length);
    expect(declared).toEqual(expect.arrayContaining(['ApiResourceSpecAB', 'ApiResourceSpecAB2']));
  });

  test('declares the property __proto__', () => {
    const definition = definitionOf(fromEntries([['__proto__', text]]));
    expect(generateTypes([definition])[0]?.code).toContain('  __proto__?: string;');
  });
});

/** A list of lists, as deep as given. */
function deep(levels: number): object {
  let schema: object = text;
  for (let level = 0; level < levels; level += 1) schema = { type: 'array', items: schema };
  return schema;
}

/** Each level has the next level twice: YAML aliases are references to one object. */
function doubled(levels: number): object {
  let schema: object = text;
  for (let level = 0; level < levels; level += 1) schema = objectSchema({ a: schema, b: schema });
  return schema;
}

describe('the limits of schemas', () => {
  test.each([
    ['levels', 200, deep(300)],
    ['schemas', 100_000, doubled(64)],
  ])('refuse too many %s', (unit, limit, schema) => {
    expect(() => generateTypes([definitionOf({ a: schema })])).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_TOO_LARGE',
        facts: { definition: 'widgets.shop.example', unit, limit },
      }),
    );
  });

  test('refuse a schema that contains itself', () => {
    const cycle: Record<string, unknown> = { type: 'array' };
    cycle['items'] = cycle;
    expect(() => generateTypes([definitionOf({ a: cycle })])).toThrow(
      expect.objectContaining({ code: 'SCHEMA_TOO_LARGE' }),
    );
  });

  test('accept deep and wide schemas, whose names stay short', async () => {
    let schema: object = text;
    for (let level = 0; level < 90; level += 1)
      schema = objectSchema({ longName: schema, b: part });
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, part]));
    const [{ code } = { code: '' }] = generateTypes([definitionOf({ a: schema, ...wide })]);
    const longest = Math.max(
      ...[...code.matchAll(/^export interface (\w+)/gm)].map(([, name = '']) => name.length),
    );
    expect(longest).toBeLessThan(210);
    expect(await compile(new Map([['a.ts', code]]))).toBe('');
  });

  test.each<[string, object, string]>([
    ['type', { type: 'text' }, 'openAPIV3Schema.properties.spec.properties.a.type'],
    ['items', { type: 'array', items: [] }, 'openAPIV3Schema.properties.spec.properties.a.items'],
  ])('name the path of an invalid %s', (_what, schema, path) => {
    expect(() => generateTypes([definitionOf({ a: schema })])).toThrow(
      expect.objectContaining({
        code: 'DEFINITION_INVALID',
        facts: expect.objectContaining({ definition: 'widgets.shop.example', path }),
      }),
    );
  });

  test('name the path of a property without a schema', () => {
    expect(() => generateTypes([definitionOf({ a: 'text' })])).toThrow(
      /path=openAPIV3Schema\.properties\.spec\.properties\.a,/,
    );
  });
});
