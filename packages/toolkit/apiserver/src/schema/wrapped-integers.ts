import { isJsonObject, type JsonValue } from '@keelson/structural-schema';
import type { SchemaType } from './schema-type.ts';

/**
 * Keeps the lower 32 bits of integers in 32-bit fields, in place. Go's converter does this to the results of strategic patches and of
 * applies, whereas its decoder refuses such an integer in a body. Source: `fromUnstructured` in
 * `apimachinery/pkg/runtime/converter.go`.
 */
export function wrapIntegers(type: SchemaType, value: unknown): void {
  if (type.kind === 'struct' && isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const field = type.fields.get(name);
      if (field !== undefined) value[name] = wrapped(field.type, member);
    }
  } else if (type.kind === 'map' && isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) value[name] = wrapped(type.value, member);
  } else if (type.kind === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = wrapped(type.item, item);
  }
}

function wrapped(type: SchemaType, value: JsonValue): JsonValue {
  if (type.kind !== 'scalar') {
    wrapIntegers(type, value);
    return value;
  }
  const isInteger = typeof value === 'bigint' || Number.isInteger(value);
  if (type.scalar !== 'int32' || !isInteger) return value;
  return Number(BigInt.asIntN(32, BigInt(value as bigint | number)));
}
