import type { EvaluationError } from './evaluation-error.ts';
import type { Outcome } from './outcome.ts';
import { ObjectValue, type Value } from './value.ts';

/** A value that a message literal created. */
export abstract class MessageValue extends ObjectValue {
  /** The Go type of the value in error messages. */
  abstract readonly goType: string;

  /** Returns a field that the checker knows to be one of this type; `undefined` if it is not set. */
  abstract field(name: string): Outcome | undefined;

  /** Returns a member of a value whose type the checker does not know; `undefined` if it is missing. */
  abstract member(key: Value): Outcome | undefined;

  /** Compares with another value as `==` does. */
  abstract equals(
    other: Value,
    equalValues: (one: Value, other: Value) => boolean | EvaluationError,
  ): boolean | EvaluationError;
}
