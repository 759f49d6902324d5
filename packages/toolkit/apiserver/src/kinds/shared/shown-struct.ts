import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import type { Field, SchemaType, StructType } from '../../schema/schema-type.ts';
import { byCodeUnit } from '../../storage/sorted-keys.ts';

/**
 * Returns an object as kube-apiserver prints it in a message: its internal structs have all members, with capital
 * names.
 */
export function shownStruct(type: StructType, object: JsonObject): JsonObject {
  const fields = [...type.fields].toSorted(([left], [right]) =>
    byCodeUnit(goName(left), goName(right)),
  );
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const value = object[name];
      return [goName(name), value === undefined ? zeroOf(field) : shown(field.type, value)];
    }),
  );
}

function shown(type: SchemaType, value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return type.kind === 'list' ? value.map((item) => shown(type.item, item)) : value;
  }
  return type.kind === 'struct' && isJsonObject(value) ? shownStruct(type, value) : value;
}

function zeroOf({ type, empty }: Field): JsonValue {
  if (type.kind === 'struct' && empty === 'zero') return shownStruct(type, {});
  if (type.kind !== 'scalar' || empty === 'optional') return null;
  if (type.scalar === 'string') return '';
  return type.scalar === 'boolean' ? false : 0;
}

function goName(name: string): string {
  return name === 'cel' ? 'CEL' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
