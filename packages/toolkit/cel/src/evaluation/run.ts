import { CostLimitError } from '../values/evaluation-error.ts';
import type { Outcome } from '../values/outcome.ts';

/** The state of one evaluation. */
export interface Run {
  /** The values of the variables; every comprehension has its own slots. `undefined`: not computed yet. */
  readonly slots: (Outcome | undefined)[];
  cost: number;
  readonly costLimit: number;
}

/** Computes a part of an expression. */
export type Step = (run: Run) => Outcome;

/** Cost limit of one evaluation on kube-apiserver. */
export const COST_LIMIT = 1_000_000;

/** Adds a cost to an evaluation. Throws `CostLimitError` above the limit. */
export function charge(run: Run, cost: number): void {
  run.cost += cost;
  // kube-apiserver counts without a sign: flatten with a negative depth has a negative cost.
  if (run.cost < 0) run.cost += 2 ** 64;
  if (run.cost > run.costLimit) throw new CostLimitError(run.cost);
}
