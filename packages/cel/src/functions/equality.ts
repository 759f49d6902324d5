import { Duration } from '../values/duration.ts';
import { LibraryValue } from '../values/value.ts';
import { MapValue } from '../values/map-value.ts';
import { Optional } from '../values/optional.ts';
import { SchemaList } from '../values/list-value.ts';
import { Timestamp } from '../values/timestamp.ts';
import { TypeValue } from '../values/type-value.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import { isList, itemsOf, type ListValue } from '../values/list-value.ts';
import type { Value } from '../values/value.ts';

/**
 * True if two values are equal. Numbers of different types are compared by value, lists and objects by their
 * schema.
 */
export function equalValues(one: Value, other: Value): boolean {
  if (one === other) return true;
  const number = numberOf(one);
  if (number !== undefined) {
    const against = numberOf(other);
    // `==` compares a bigint and a number by value: 1n == 1.
    return against !== undefined && number == against;
  }
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) {
    return false;
  }
  if (isList(one)) return isList(other) && equalLists(one, other);
  if (one instanceof MapValue) return other instanceof MapValue && equalMaps(one, other);
  return equalScalars(one, other);
}

function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof UnsignedInt ? value.value : undefined;
}

function equalScalars(one: object, other: object): boolean {
  if (one instanceof Uint8Array) {
    return other instanceof Uint8Array && Buffer.compare(one, other) === 0;
  }
  if (one instanceof Timestamp) return other instanceof Timestamp && one.nanos === other.nanos;
  if (one instanceof Duration) return other instanceof Duration && one.nanos === other.nanos;
  if (one instanceof TypeValue) return other instanceof TypeValue && one.name === other.name;
  if (one instanceof Optional) return other instanceof Optional && equalOptionals(one, other);
  if (!(one instanceof LibraryValue) || !(other instanceof LibraryValue)) return false;
  return one.type === other.type && one.toString() === other.toString();
}

function equalOptionals(one: Optional, other: Optional): boolean {
  if (!one.hasValue || !other.hasValue) return one.hasValue === other.hasValue;
  return equalValues(one.value, other.value);
}

function equalLists(one: ListValue, other: ListValue): boolean {
  const items = itemsOf(one);
  const others = itemsOf(other);
  if (items.length !== others.length) return false;
  if (!(one instanceof SchemaList)) {
    return items.every((item, index) => equalValues(item, others[index] ?? null));
  }
  const byKey = one.byKey();
  return others.every((item) => {
    const counterpart = byKey.get(one.identity.keyOf(item));
    return counterpart !== undefined && equalValues(counterpart, item);
  });
}

function equalMaps(one: MapValue, other: MapValue): boolean {
  if (one.size !== other.size) return false;
  const known = one.equals(other, equalValues);
  if (known !== undefined) return known;
  return one.keys().every((key) => {
    const value = one.get(key);
    const against = other.get(key);
    return value !== undefined && against !== undefined && equalValues(value, against);
  });
}
