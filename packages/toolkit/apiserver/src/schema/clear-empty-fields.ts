import { isJsonObject, type JsonValue } from '@keelson/structural-schema';
import type { SchemaType } from './schema-type.ts';

/**
 * Replaces empty lists by null in the fields that are written even without a value, such as the rules of a Role: the protobuf of
 * kube-apiserver's storage cannot distinguish the two. Drops the other empty lists and objects that decoding has kept for
 * the validation.
 */
export function clearEmptyFields(type: SchemaType, value: JsonValue): void {
  if (type.kind === 'list' && Array.isArray(value)) {
    for (const item of value) clearEmptyFields(type.item, item);
  } else if (type.kind === 'map' && type.value.kind !== 'scalar' && isJsonObject(value)) {
    for (const member of Object.values(value)) clearEmptyFields(type.value, member);
  } else if (type.kind === 'struct' && isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (typeof member !== 'object' || member === null) continue;
      const field = type.fields.get(name);
      if (field === undefined) continue;
      if (Object.keys(member).length > 0) clearEmptyFields(field.type, member);
      else if (field.empty === 'null' && Array.isArray(member)) value[name] = null;
      else if (field.empty === 'dropped') delete value[name];
    }
  }
}
