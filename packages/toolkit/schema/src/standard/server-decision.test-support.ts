import { defineKind } from '../definition/define-kind.ts';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import { InvalidObjectError } from '../parse/invalid-object-error.ts';
import type { SchemaInput } from './schema-input.ts';

const names = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;

/** The result for a value that the server refuses. */
export const refused: unique symbol = Symbol('refused');

/**
 * Returns what the server stores for the property `f` of a schema, `refused` for a value that it refuses. The CRD is read
 * as a literal, so that no check of the library runs.
 */
export function storedBy(schema: SchemaInput): (value: unknown) => unknown {
  const { crd } = defineKind({ ...names, spec: schema });
  const spec = crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
  const { parse } = defineKind({ ...names, spec: spec as unknown as StructuralSchema });
  return (value) => {
    try {
      const object = { metadata: { name: 'a' }, spec: { f: value } };
      const { spec: stored } = parse(object, { unknownFields: 'drop' });
      return (stored as { f?: unknown }).f;
    } catch (error) {
      if (error instanceof InvalidObjectError) return refused;
      throw error;
    }
  };
}
