import { describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import * as fc from 'fast-check';
import { SchemaError } from '../errors.ts';
import { defineKind } from '../definition/define-kind.ts';
import type { DefinedKind } from '../kind/single-kind.ts';
import { libraries, type Library } from './library-schemas.test-support.ts';
import { randomShape, valueOf, type Shape } from './random-shape.test-support.ts';

const RUNS = Math.ceil(25 * Number(process.env['KEELSON_RUNS'] ?? 1));
const VALUES = 12;

type Kind = DefinedKind<never>;

/** Returns the kind of a schema; undefined if it is refused. */
function kindOf(schema: unknown, index: number): Kind | undefined {
  const plural = `w${index}s`;
  const names = { group: 'shop.example', version: 'v1', kind: `W${index}`, plural };
  try {
    return defineKind({ ...names, spec: schema as never }) as unknown as Kind;
  } catch (error) {
    if (error instanceof SchemaError) return undefined;
    throw error;
  }
}

async function post(url: string, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.body?.cancel();
  return response.status;
}

interface Sample {
  readonly shape: Shape;
  readonly values: readonly unknown[];
}

const samples: fc.Arbitrary<Sample> = randomShape.chain((shape) =>
  fc.record({
    shape: fc.constant(shape),
    values: fc.array(valueOf(shape), { minLength: VALUES, maxLength: VALUES }),
  }),
);

describe.each(libraries)('the schemas of $name', (library: Library) => {
  test('decide as the library, or are refused', async () => {
    await using server: ApiServer = await createApiServer();
    const api = `${server.url}/apis`;
    let index = 0;
    let accepted = 0;
    const property = fc.asyncProperty(samples, async ({ shape, values }) => {
      index += 1;
      const { schema, accepts } = library.of(shape);
      const kind = kindOf(schema, index);
      if (kind === undefined) return;
      accepted += 1;
      const { name = '' } = kind.crd.metadata ?? {};
      const definitions = `${api}/apiextensions.k8s.io/v1/customresourcedefinitions`;
      expect(await post(definitions, kind.crd)).toBe(201);
      await server.idle();
      const [plural] = name.split('.');
      const objects = `${api}/shop.example/v1/namespaces/default/${plural}?dryRun=All`;
      for (const spec of values) {
        const object = {
          apiVersion: 'shop.example/v1',
          kind: kind.resource.kind,
          metadata: { name: 'a' },
          spec,
        };
        const decisions = {
          spec,
          library: accepts(spec),
          parse: isParsed(kind, object),
          server: (await post(objects, object)) === 201,
        };
        const { library: expected } = decisions;
        expect(decisions).toEqual({ spec, library: expected, parse: expected, server: expected });
      }
      await fetch(`${definitions}/${name}`, { method: 'DELETE' });
      await server.idle();
    });
    await fc.assert(property, { numRuns: RUNS });
    // A sample of the runs may have fewer.
    expect(accepted).toBeGreaterThan(RUNS < 25 ? 0 : RUNS / 3);
  });
});

function isParsed({ parse }: Kind, object: object): boolean {
  try {
    parse(object);
    return true;
  } catch {
    return false;
  }
}
