import { Duration } from '../values/duration.ts';
import { EvaluationError } from '../values/evaluation-error.ts';
import { isList, type ListValue, outcomesOf, SchemaList } from '../values/list-value.ts';
import { MessageValue } from '../values/message-value.ts';
import { MapValue } from '../values/map-value.ts';
import { isFailed, type Outcome } from '../values/outcome.ts';
import { Optional } from '../values/optional.ts';
import { Timestamp } from '../values/timestamp.ts';
import { TypeValue } from '../values/type-value.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import { LibraryValue, type Value } from '../values/value.ts';
import { compareNumbers } from './comparison.ts';

/** True, false, or an error: values of the resource and of Kubernetes' types accept only their own type. */
export type Equality = boolean | EvaluationError;

/** True if two values are equal; an error counts as unequal, as for `in` and `distinct`. */
export function areEqual(one: Value, other: Value): boolean {
  return equalValues(one, other) === true;
}

/**
 * Compares two values as `==` does. Numbers of different types are compared by value, lists and objects by their
 * schema.
 */
export function equalValues(one: Value, other: Value): Equality {
  if (one === null || other === null) return one === other;
  if (isNumber(one)) return isNumber(other) && compareNumbers(one, other) === 0;
  if (typeof one !== 'object') return one === other;
  if (isList(one)) return equalLists(one, other);
  if (one instanceof MapValue) return equalMaps(one, other);
  return equalScalars(one, other);
}

function isNumber(value: Value): value is bigint | number | UnsignedInt {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof UnsignedInt;
}

function equalScalars(one: object, other: Value): Equality {
  if (one instanceof Uint8Array) {
    return other instanceof Uint8Array && Buffer.compare(one, other) === 0;
  }
  if (one instanceof Timestamp) return other instanceof Timestamp && one.nanos === other.nanos;
  if (one instanceof Duration) return other instanceof Duration && one.nanos === other.nanos;
  if (one instanceof TypeValue) return other instanceof TypeValue && one.name === other.name;
  if (one instanceof Optional) return other instanceof Optional && equalOptionals(one, other);
  if (one instanceof MessageValue) return one.equals(other, equalValues);
  if (!(one instanceof LibraryValue)) return false;
  if (!(other instanceof LibraryValue) || one.type !== other.type) return noOverloadError();
  // A computed quantity is a pointer in Go, which no value accepts as an operand.
  if (other.goType.startsWith('*')) return noOverloadError();
  return one.toString() === other.toString();
}

function equalOptionals(one: Optional, other: Optional): Equality {
  if (!one.hasValue || !other.hasValue) return one.hasValue === other.hasValue;
  // Unlike elsewhere, null has no special rule here.
  if (one.outcome === null) return other.outcome === null;
  return equalOutcomes(one.outcome, other.outcome);
}

function equalLists(one: ListValue, other: Value): Equality {
  if (!isList(other)) return one instanceof SchemaList ? noOverloadError() : false;
  const [items, others] = [outcomesOf(one), outcomesOf(other)];
  if (items.length !== others.length) return false;
  if (one instanceof SchemaList) return equalToSchemaList(one, others);
  // As in cel-go, an error of an item does not make lists unequal.
  return items.every((item, index) => equalOutcomes(item, others[index] ?? null) !== false);
}

function equalToSchemaList(one: SchemaList, others: readonly Outcome[]): Equality {
  const items = one.counterparts(others);
  for (const [index, other] of others.entries()) {
    const item = items[index];
    const equal = item === undefined ? false : equalOutcomes(item, other);
    if (equal !== true) return equal;
  }
  return true;
}

function equalMaps(one: MapValue, other: Value): Equality {
  if (!(other instanceof MapValue)) return one.isMade ? false : noOverloadError();
  if (one.size !== other.size) return false;
  const known = one.equals(other, equalOutcomes);
  if (known !== undefined) return known;
  return one.keys().every((key) => {
    const [value, against] = [one.find(key), other.find(key)];
    if (against === undefined) return false;
    return value === undefined || equalOutcomes(value, against) !== false;
  });
}

/** Compares parts of collections. Scalars differ from an error; values that accept only their own type return it. */
export function equalOutcomes(one: Outcome, other: Outcome): Equality {
  if (isFailed(one)) return one;
  if (!isFailed(other)) return equalValues(one, other);
  const isStrict =
    one instanceof SchemaList ||
    one instanceof LibraryValue ||
    (one instanceof MapValue && !one.isMade);
  return isStrict ? other : false;
}

function noOverloadError(): EvaluationError {
  return new EvaluationError('no such overload');
}
