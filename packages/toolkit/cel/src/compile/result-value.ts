import { Quantity } from '../functions/kubernetes/quantity-functions.ts';
import { isList, itemsOf } from '../values/list-value.ts';
import { MapValue } from '../values/map-value.ts';
import { ObjectValue } from '../values/value.ts';
import { Optional } from '../values/optional.ts';
import { valueOf } from '../values/outcome.ts';
import { showValue } from '../values/show-value.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import type { Value } from '../values/value.ts';

/**
 * The result of an expression. An int or uint is a bigint, a double a number, an optional without a value
 * `undefined`. Timestamps, durations, addresses, quantities and types are strings in the notation of CEL.
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

/** Converts a CEL value to a JavaScript value. */
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
  // fromEntries creates own properties for every key, also for `__proto__`.
  return Object.fromEntries(
    map.keys().map((key) => [showValue(key), resultValue(valueOf(map.find(key) ?? null))]),
  );
}
