import { CostLimitError, EvaluationError } from '../values/evaluation-error.ts';
import type { Value } from '../values/value.ts';

/** One evaluation under way. */
export interface Run {
  /** The values of the variables; every comprehension has its own. An error fails where it is read. */
  readonly slots: (Value | EvaluationError)[];
  cost: number;
  readonly costLimit: number;
}

/** Computes a part of an expression. */
export type Step = (run: Run) => Value;

/** What one evaluation may cost on kube-apiserver. */
export const costLimit = 1_000_000;

/** Charges an evaluation. */
export function charge(run: Run, cost: number): void {
  run.cost += cost;
  if (run.cost > run.costLimit) throw new CostLimitError();
}

/** The value of a step, or its error as a value: what comes later may overrule it. */
export function attempt(step: Step, run: Run): Value | EvaluationError {
  try {
    return step(run);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}
