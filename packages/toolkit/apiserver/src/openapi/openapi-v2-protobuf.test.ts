import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { describe, expect, test } from '@jest/globals';
import { openApiV2Document } from './openapi-document.ts';
import { openApiV2Protobuf } from './openapi-v2-protobuf.ts';

/** Reads the length-delimited fields of a message by field number, without a schema. */
function fieldsOf(bytes: Uint8Array): Map<number, Uint8Array[]> {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, Uint8Array[]>();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type === WireType.LengthDelimited)
      fields.set(number, [...(fields.get(number) ?? []), reader.bytes()]);
    else reader.skip(type);
  }
  return fields;
}

function all(bytes: Uint8Array, ...path: number[]): Uint8Array[] {
  return path.reduce<Uint8Array[]>(
    (found, field) => found.flatMap((inner) => fieldsOf(inner).get(field) ?? []),
    [bytes],
  );
}

function text(bytes: Uint8Array, ...path: number[]): string {
  return Buffer.concat(all(bytes, ...path)).toString();
}

function named(pairs: readonly Uint8Array[], name: string): Uint8Array {
  const pair = pairs.find((one) => text(one, 1) === name);
  if (pair === undefined) throw new Error(`nothing is called ${name}`);
  return all(pair, 2)[0] ?? new Uint8Array();
}

const document = {
  swagger: '2.0',
  info: { title: 'Kubernetes', version: '1.2' },
  paths: {
    '/things/{name}': {
      patch: {
        description: 'change a thing',
        parameters: [
          { in: 'body', name: 'body', required: true, schema: { $ref: '#/definitions/Thing' } },
          { $ref: '#/parameters/force' },
          { in: 'query', name: 'dryRun', type: 'string' },
        ],
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Thing' } } },
        'x-kubernetes-group-version-kind': { kind: 'Thing' },
      },
      parameters: [{ in: 'path', name: 'name', type: 'string', required: true }],
    },
  },
  definitions: {
    Thing: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', format: 'int32', minimum: 1.5 },
        names: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
      'x-kubernetes-group-version-kind': [{ kind: 'Thing' }],
    },
  },
  parameters: { force: { in: 'query', name: 'force', type: 'boolean' } },
  security: [{ BearerToken: [] }],
  securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
};

describe('openApiV2Protobuf', () => {
  test('encodes the schemas of a document with their extensions', async () => {
    const bytes = await openApiV2Protobuf(document);
    const thing = named(all(bytes, 9, 1), 'Thing');
    expect(text(thing, 22, 1)).toBe('object');
    expect(text(thing, 19)).toBe('size');
    expect(JSON.parse(text(named(all(thing, 31), 'x-kubernetes-group-version-kind'), 2))).toEqual([
      { kind: 'Thing' },
    ]);
    const properties = all(thing, 25, 1);
    expect(text(named(properties, 'size'), 2)).toBe('int32');
    expect(all(named(properties, 'names'), 23, 1, 20).map((one) => text(one, 2))).toEqual([
      '"a"',
      '"b"',
    ]);
    expect(text(named(properties, 'labels'), 21, 1, 22, 1)).toBe('string');
  });

  test('encodes operations with every kind of parameter', async () => {
    const bytes = await openApiV2Protobuf(document);
    const item = named(all(bytes, 8, 2), '/things/{name}');
    const [patch = new Uint8Array()] = all(item, 8);
    expect(text(patch, 3)).toBe('change a thing');
    expect(text(patch, 8, 1, 1, 5, 1)).toBe('#/definitions/Thing');
    expect(text(patch, 8, 2, 1)).toBe('#/parameters/force');
    expect(text(patch, 8, 1, 2, 3, 4)).toBe('dryRun');
    expect(text(item, 9, 1, 2, 4, 4)).toBe('name');
    expect(text(named(all(patch, 9, 1), '200'), 1, 2, 1, 1)).toBe('#/definitions/Thing');
  });

  test('encodes security definitions and requirements', async () => {
    const bytes = await openApiV2Protobuf(document);
    expect(text(bytes, 12, 1, 1)).toBe('BearerToken');
    expect(text(named(all(bytes, 13, 1), 'BearerToken'), 2, 2)).toBe('authorization');
  });

  test('encodes every definition of a server', async () => {
    const whole = openApiV2Document({ customs: [], kubernetesVersion: 'v1.2.3' });
    const names = all(await openApiV2Protobuf(whole), 9, 1).map((pair) => text(pair, 1));
    expect(names).toEqual(Object.keys(whole.definitions));
    expect(names.length).toBeGreaterThan(500);
  });
});
