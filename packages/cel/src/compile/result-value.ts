import { Quantity } from '../functions/quantity-functions.ts';
import { isList, itemsOf } from '../values/list-value.ts';
import { MapValue } from '../values/map-value.ts';
import { ObjectValue } from '../values/object-value.ts';
import { Optional } from '../values/optional.ts';
import { showValue } from '../values/show-value.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import type { Value } from '../values/value.ts';

/**
 * What an expression comes to. An int or uint is a bigint, a double a number, an optional without a value undefined.
 * Timestamps, durations, addresses, quantities and types are the texts that CEL writes for them.
 */
export type CelResult =
  | undefined
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelResult[]
  | { [key: string]: CelResult };

/** A value as JavaScript has it. */
export function resultValue(value: Value): CelResult {
  if (isList(value)) return itemsOf(value).map(resultValue);
  if (!(value instanceof ObjectValue)) return value;
  if (value instanceof MapValue) return objectOf(value);
  if (value instanceof UnsignedInt) return value.value;
  if (value instanceof Optional) return value.hasValue ? resultValue(value.value) : undefined;
  if (value instanceof Quantity) return value.text;
  return showValue(value);
}

function objectOf(map: MapValue): CelResult {
  // Whatever the key is called, `__proto__` too: `fromEntries` makes own properties.
  return Object.fromEntries(
    map.keys().map((key) => [showValue(key), resultValue(map.get(key) ?? null)]),
  );
}
