import { EvaluationError } from '../values/evaluation-error.ts';
import { goTypeOf } from '../values/go/go-type.ts';
import { isList, outcomesOf, SchemaList } from '../values/list-value.ts';
import { MapValue } from '../values/map-value.ts';
import { MessageValue } from '../values/message-value.ts';
import type { Outcome } from '../values/outcome.ts';
import { showValue } from '../values/show-value.ts';
import { typeOfValue } from '../values/type-of-value.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import type { Value } from '../values/value.ts';

/** Returns the value at a key of a map or at an index of a list; `undefined` if it is missing. */
export function memberOf(container: Value, key: Value): Outcome | undefined {
  if (!isKey(key)) return new EvaluationError(`invalid qualifier type: ${goTypeOf(key)}`);
  if (container instanceof MapValue) return container.find(key);
  if (container instanceof MessageValue) return container.member(key);
  if (!isList(container)) return undefined;
  const index = indexOf(key);
  if (index instanceof EvaluationError) return index;
  const item = index < 0n ? undefined : outcomesOf(container)[Number(index)];
  // A list of the resource accepts only an int, although the search for the index accepts every whole number.
  const isInt = typeof key === 'bigint' || !(container instanceof SchemaList);
  if (item === undefined || isInt) return item;
  return new EvaluationError(`unsupported index: ${showValue(key)}`);
}

/** Returns the error for a missing member. */
export function missingMember(container: Value, key: Value): EvaluationError {
  const words = isList(container) ? 'index out of bounds' : 'no such key';
  return new EvaluationError(`${words}: ${showValue(key)}`);
}

/** True for the types that cel-go can search with. */
export function isKey(value: Value): boolean {
  if (value === null) return false;
  return typeof value !== 'object' || value instanceof UnsignedInt;
}

function indexOf(key: Value): bigint | EvaluationError {
  if (typeof key === 'bigint') return key;
  const whole = key instanceof UnsignedInt ? key.value : wholeOf(key);
  if (whole !== undefined && BigInt.asIntN(64, whole) === whole) return whole;
  const unsupported = typeof key === 'number' || key instanceof UnsignedInt;
  const words = unsupported
    ? `unsupported index value ${showValue(key)} in list`
    : `unsupported index type '${typeOfValue(key).name}' in list`;
  return new EvaluationError(words);
}

function wholeOf(key: Value): bigint | undefined {
  // cel-go converts no double as small as the least integer.
  const isWhole = typeof key === 'number' && Number.isInteger(key) && key > -(2 ** 63);
  return isWhole ? BigInt(key) : undefined;
}
