import type { Expression } from '../syntax/expression.ts';
import type { CheckedExpression } from '../checks/checked-expression.ts';
import type { Step } from './run.ts';

/** The functions of the program planner that plan a part of an expression. */
export interface Planner {
  readonly checked: CheckedExpression;
  plan(expression: Expression): Step;
  /** Runs `plan` with a variable in scope. */
  withVariable<T>(name: string, plan: (slot: number) => T, growing?: boolean): T;
  /** Returns the slot of the list that a comprehension extends in place, if the expression names it. */
  growingSlot(expression: Expression): number | undefined;
  /** True if the type of an expression is known only at run time. */
  isDynamic(expression: Expression): boolean;
}
