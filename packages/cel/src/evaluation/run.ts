import { CostLimitError, EvaluationError } from '../values/evaluation-error.ts';
import type { Value } from '../values/value.ts';

/** The state of one evaluation. */
export interface Run {
  /**
   * The values of the variables; every comprehension has its own slots. An error in a slot is thrown when it is
   * read.
   */
  readonly slots: (Value | EvaluationError)[];
  cost: number;
  readonly costLimit: number;
}

/** Computes a part of an expression. */
export type Step = (run: Run) => Value;

/** Cost limit of one evaluation on kube-apiserver. */
export const COST_LIMIT = 1_000_000;

/** Adds a cost to an evaluation. Throws `CostLimitError` above the limit. */
export function charge(run: Run, cost: number): void {
  run.cost += cost;
  if (run.cost > run.costLimit) throw new CostLimitError();
}

/** Returns the value of a step, or its error: a later operand may make the error irrelevant. */
export function attempt(step: Step, run: Run): Value | EvaluationError {
  try {
    return step(run);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}
