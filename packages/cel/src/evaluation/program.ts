import type { CheckedExpression } from '../checks/checked-expression.ts';
import type { EvaluationError } from '../values/evaluation-error.ts';
import type { Value } from '../values/value.ts';
import { ProgramPlanner } from './program-planner.ts';
import { COST_LIMIT, type Run, type Step } from './run.ts';

/** The result of an evaluation, and its cost. */
export interface Evaluated {
  readonly value: Value;
  /** The cost in the units of kube-apiserver. */
  readonly cost: number;
}

/** A planned expression, ready to be evaluated. */
export class Program {
  readonly #step: Step;
  readonly #slots: number;

  /** `variables`: the names of the values that `evaluate` gets, in their order. */
  constructor(checked: CheckedExpression, variables: readonly string[]) {
    const planner = new ProgramPlanner(checked, variables);
    this.#step = planner.plan(checked.expression);
    this.#slots = planner.slots;
  }

  /** Evaluates the expression. Throws `EvaluationError`, or `CostLimitError` if the cost exceeds the limit. */
  evaluate(values: readonly (Value | EvaluationError)[], limit: number = COST_LIMIT): Evaluated {
    const slots = [...values];
    while (slots.length < this.#slots) slots.push(null);
    const run: Run = { slots, cost: 0, costLimit: limit };
    const value = this.#step(run);
    return { value, cost: run.cost };
  }
}
