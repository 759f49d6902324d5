import type { CheckedExpression } from '../checks/checked-expression.ts';
import type { EvaluationError } from '../values/evaluation-error.ts';
import type { Value } from '../values/value.ts';
import { ProgramPlanner } from './program-planner.ts';
import { costLimit, type Run, type Step } from './run.ts';

/** What an evaluation came to. */
export interface Evaluated {
  readonly value: Value;
  /** In kube-apiserver's units, as it counts them. */
  readonly cost: number;
}

/** An expression that is ready to be evaluated. */
export class Program {
  readonly #step: Step;
  readonly #slots: number;

  /** `variables`: the names of what is given to `evaluate`, in that order. */
  constructor(checked: CheckedExpression, variables: readonly string[]) {
    const planner = new ProgramPlanner(checked, variables);
    this.#step = planner.plan(checked.expression);
    this.#slots = planner.slots;
  }

  /** Throws `EvaluationError`, or `CostLimitError` for an expression that goes on for too long. */
  evaluate(values: readonly (Value | EvaluationError)[], limit: number = costLimit): Evaluated {
    const slots = [...values];
    while (slots.length < this.#slots) slots.push(null);
    const run: Run = { slots, cost: 0, costLimit: limit };
    const value = this.#step(run);
    return { value, cost: run.cost };
  }
}
