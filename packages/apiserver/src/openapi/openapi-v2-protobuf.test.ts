import { BinaryReader } from '@bufbuild/protobuf/wire';
import { describe, expect, test } from '@jest/globals';
import { openApiV2Protobuf } from './openapi-v2-protobuf.ts';

/** The texts and messages of a message, by field number, read without a schema. */
function fieldsOf(bytes: Uint8Array): Map<number, Uint8Array[]> {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, Uint8Array[]>();
  while (reader.pos < reader.len) {
    const [number] = reader.tag();
    fields.set(number, [...(fields.get(number) ?? []), reader.bytes()]);
  }
  return fields;
}

function only(bytes: Uint8Array | undefined, ...path: number[]): Uint8Array {
  return path.reduce(
    (inner, field) => fieldsOf(inner).get(field)?.[0] ?? new Uint8Array(),
    bytes ?? new Uint8Array(),
  );
}

const namespace = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  verbs: ['get', 'patch'],
  subresources: [],
};

describe('openApiV2Protobuf', () => {
  test('has the PATCH of an object with its kind and its parameters', async () => {
    const document = await openApiV2Protobuf([namespace], 'v1.2.3');
    expect(String(Buffer.from(only(document, 1)))).toBe('2.0');
    expect(String(Buffer.from(only(document, 2, 2)))).toBe('v1.2.3');
    expect(String(Buffer.from(only(document, 8, 2, 1)))).toBe('/api/v1/namespaces/{name}');
    const patch = only(document, 8, 2, 2, 8);
    expect(JSON.parse(String(Buffer.from(only(patch, 13, 2, 2))))).toEqual({
      group: '',
      kind: 'Namespace',
      version: 'v1',
    });
    const names = fieldsOf(patch)
      .get(8)
      ?.map((parameter) => String(Buffer.from(only(parameter, 1, 2, 3, 4))));
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });
});
