import { invalidOption } from '@keelson/apimachinery';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import { structuralSchemaOf, type SchemaInput } from '../standard/schema-input.ts';
import type { KeywordsByPath } from '../standard/keywords-by-path.ts';
import type { KindOptions } from './kind-options.ts';

/** Returns the options with structural schemas, which have the keywords of `keywords`. `where` begins the paths of errors. */
export function structuralOptions(
  given: KindOptions<SchemaInput, SchemaInput>,
  where: string,
): KindOptions {
  const { keywords = {}, spec: givenSpec, status: givenStatus, ...options } = given;
  const spec = structuralSchemaOf(givenSpec, `${where}.spec`, keywords);
  const status = givenStatus && structuralSchemaOf(givenStatus, `${where}.status`, keywords);
  if (Object.keys(keywords).length === 0) return { ...options, spec, ...(status && { status }) };
  const root: StructuralSchema = { properties: { spec, ...(status && { status }) } };
  const { properties = {} } = Object.entries(keywords).reduce(
    (schema, [path, added]) => extended(schema, [path, added], where),
    root,
  );
  return {
    ...options,
    spec: properties['spec'] ?? spec,
    ...(properties['status'] && { status: properties['status'] }),
  };
}

function extended(
  root: StructuralSchema,
  [path, keywords]: [string, KeywordsByPath[string]],
  where: string,
): StructuralSchema {
  const names = `properties.${path}`.split('.');
  return withKeywords(root, names, keywords) ?? refuse(path, where);
}

function refuse(path: string, where: string): never {
  const expected = 'must name a part of the schema, such as spec.properties.ports.items';
  throw invalidOption(`${where}.keywords`, expected, { value: path });
}

/** Returns the schema with the keywords at a path; undefined if it has no such part. */
function withKeywords<T extends object>(
  part: T,
  [name, ...rest]: readonly string[],
  keywords: StructuralSchema,
): T | undefined {
  if (name === undefined) return { ...withoutExcluded(part, keywords), ...keywords };
  const inner = Object.hasOwn(part, name) ? (part as Record<string, unknown>)[name] : undefined;
  if (typeof inner !== 'object' || inner === null) return undefined;
  const changed = withKeywords(inner, rest, keywords);
  return changed && { ...part, [name]: changed };
}

/** An int-or-string has no type. */
function withoutExcluded<T extends object>(part: T, keywords: StructuralSchema): T {
  if (keywords['x-kubernetes-int-or-string'] !== true || !('type' in part)) return part;
  const { type: _, ...rest } = part;
  return rest as T;
}
