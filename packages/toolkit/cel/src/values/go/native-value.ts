import { EvaluationError } from '../evaluation-error.ts';
import { MapValue } from '../map-value.ts';
import { Optional } from '../optional.ts';
import { isFailed, type Outcome } from '../outcome.ts';
import { TypeValue } from '../type-value.ts';
import { LibraryValue } from '../value.ts';
import { SchemaList } from '../list-value.ts';

/**
 * Returns a value as it is after cel-go has converted it to Go and back, which it does with the value of an optional. A
 * type becomes a string, an optional its value, and a value of the resource loses its schema.
 */
export function nativeValue(value: Outcome): Outcome {
  if (isFailed(value)) return unconvertible(`(*errors.errorString)${value.message}`);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Optional) return value.hasValue ? nativeValue(value.outcome) : null;
  if (value instanceof MapValue) return value.withoutSchema();
  if (value instanceof SchemaList) return value.withoutSchema();
  if (!(value instanceof LibraryValue) || value.native === undefined) return value;
  return unconvertible(value.native);
}

function unconvertible(native: string): EvaluationError {
  return new EvaluationError(`unsupported conversion to ref.Val: ${native}`);
}
