import { EvaluationError } from './evaluation-error.ts';
import type { Value } from './value.ts';

/** The result of a part of an expression. An error is a value, because a later operand may make it irrelevant. */
export type Outcome = Value | EvaluationError;

export function isFailed(outcome: Outcome): outcome is EvaluationError {
  return outcome instanceof EvaluationError;
}

/** Calls a function; returns the `EvaluationError` that it throws. */
export function outcomeOf(compute: () => Outcome): Outcome {
  try {
    return compute();
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

/** Returns the error for an operand of another type; an error stays the same. */
export function noOverload(outcome: Outcome): EvaluationError {
  return isFailed(outcome) ? outcome : new EvaluationError('no such overload');
}

/** Returns the value of an outcome; throws its error. */
export function valueOf(outcome: Outcome): Value {
  if (isFailed(outcome)) throw outcome;
  return outcome;
}
