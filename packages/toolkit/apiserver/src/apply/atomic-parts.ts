import { isJsonObject, type JsonValue } from '@keelson/structural-schema';
import type { SchemaType } from '../schema/schema-type.ts';

/**
 * Returns the paths of the atomic lists, maps and structs of a configuration, which a merge would replace as a whole.
 * Source: `findAtomics` in `policy/mutating/patch/smd.go` of kube-apiserver's admission.
 */
export function atomicParts(type: SchemaType, value: JsonValue, path = ''): string[] {
  if (isJsonObject(value) && (type.kind === 'struct' || type.kind === 'map')) {
    const below = Object.keys(value).flatMap((key) => {
      // Only the values of known fields are searched, not those of a map.
      const field = type.kind === 'struct' ? type.fields.get(key) : undefined;
      const inner = value[key];
      if (field === undefined || inner === undefined) return [];
      return atomicParts(field.type, inner, `${path}.${key}`);
    });
    return type.atomic ? [path, ...below] : below;
  }
  if (Array.isArray(value) && type.kind === 'list') {
    const below = value.flatMap((item, index) => atomicParts(type.item, item, `${path}[${index}]`));
    return type.list === 'atomic' ? [path, ...below] : below;
  }
  return [];
}
