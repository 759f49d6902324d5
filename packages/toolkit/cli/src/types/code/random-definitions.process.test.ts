import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { compile } from './compile.test-support.ts';
import { definitionWith, objectSchema, versionWith } from './definition.test-support.ts';
import { generateTypes } from './generate-types.ts';

const SCHEMAS = Math.ceil(100 * Number(process.env['KEELSON_RUNS'] ?? 1));

const name = fc.oneof(
  fc.constantFrom('a', 'b', 'aB', 'a-b', 'a_b', 'A', 'items', 'metadata', 'kind', '__proto__'),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

const enumeration = fc.array(
  fc.oneof(name, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
  { minLength: 1, maxLength: 4 },
);

/** Members that any schema may have. */
const common = fc.record(
  {
    nullable: fc.boolean(),
    description: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('*/', '@ts-ignore', '')),
    default: fc.jsonValue({ maxDepth: 1 }),
    'x-kubernetes-preserve-unknown-fields': fc.boolean(),
  },
  { requiredKeys: [] },
);

const { schema } = fc.letrec<{ schema: object; body: object }>((tie) => ({
  schema: fc.tuple(tie('body'), common).map(([body, members]) => ({ ...members, ...body })),
  body: fc.oneof(
    { maxDepth: 5 },
    fc.record({
      type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'object', 'array'),
    }),
    fc.record({ type: fc.constant('string'), enum: enumeration }),
    fc.constant({ 'x-kubernetes-int-or-string': true }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 4 }),
        required: fc.array(name, { maxLength: 3 }),
        'x-kubernetes-embedded-resource': fc.boolean(),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
  ),
}));

describe('the code of random definitions', () => {
  const seed = Number(process.env['KEELSON_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));

  test('compiles, and declares no name twice', async () => {
    const specs = fc.sample(schema, { numRuns: SCHEMAS, seed });
    const definitions = specs.map((spec, index) =>
      definitionWith([versionWith(objectSchema({ spec }))], { plural: `widgets${index}` }),
    );
    const modules = generateTypes(definitions);
    for (const { code } of modules) {
      const names = [...code.matchAll(/^export interface (\w+)/gm)].map(([, declared]) => declared);
      expect({ seed, code, names: [...new Set(names)] }).toEqual({ seed, code, names });
    }
    const messages = await compile(new Map(modules.map(({ path, code }) => [path, code])));
    const [path = ''] = messages.split('(', 1);
    const code = modules.find((module) => module.path === path)?.code;
    expect({ seed, messages, code }).toEqual({ seed, messages: '', code: undefined });
  });
});
