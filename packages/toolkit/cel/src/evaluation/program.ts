import { thrownReason } from '@keelson/apimachinery';
import type { CheckedExpression } from '../checks/checked-expression.ts';
import { CostLimitError, EvaluationError } from '../values/evaluation-error.ts';
import type { Outcome } from '../values/outcome.ts';
import type { PlanLibrary } from './planner.ts';
import { ProgramPlanner } from './program-planner.ts';
import { COST_LIMIT, type Run, type Step } from './run.ts';

/** The result of an evaluation, and its cost. */
export interface Evaluated {
  /** The value, or the error of the evaluation. */
  readonly value: Outcome;
  /** The cost in the units of kube-apiserver. */
  readonly cost: number;
}

/** A planned expression, ready to be evaluated. */
export class Program {
  readonly #step: Step;
  readonly #slots: number;

  /**
   * `variables`: the names of the values that `evaluate` gets, in their order. Throws `ProgramError` if a constant part
   * cannot be evaluated.
   */
  constructor(checked: CheckedExpression, library: PlanLibrary, variables: readonly string[]) {
    const planner = new ProgramPlanner(checked, library, variables);
    this.#step = planner.plan(checked.expression).step;
    this.#slots = planner.slots;
  }

  /** Evaluates the expression. Throws `CostLimitError` if the cost exceeds the limit. */
  evaluate(values: readonly Outcome[], limit: number = COST_LIMIT): Evaluated {
    const slots: (Outcome | undefined)[] = [...values];
    while (slots.length < this.#slots) slots.push(undefined);
    const run: Run = { slots, cost: 0, costLimit: limit };
    return { value: this.#run(run), cost: run.cost };
  }

  /**
   * Some errors cannot be ignored by an operator, so they are thrown. As in cel-go, a bug of a function is an internal
   * error of this evaluation and ends nothing else.
   */
  #run(run: Run): Outcome {
    try {
      return this.#step(run);
    } catch (error) {
      if (error instanceof EvaluationError) return error;
      if (error instanceof CostLimitError) throw error;
      return new EvaluationError(`internal error: ${thrownReason(error)}`, { cause: error });
    }
  }
}
