import type { Expression } from '../syntax/expression.ts';
import type { CheckedExpression } from '../checks/checked-expression.ts';
import type { Step } from './run.ts';

/** What the planning of a part of an expression needs of the planning of the whole. */
export interface Planner {
  readonly checked: CheckedExpression;
  plan(expression: Expression): Step;
  /** Declares a variable for as long as `plan` runs. */
  withVariable<T>(name: string, plan: (slot: number) => T, growing?: boolean): T;
  /** The slot of the list that grows under this name. */
  growingSlot(expression: Expression): number | undefined;
  /** Whether the values of an expression may be of any type. */
  isDynamic(expression: Expression): boolean;
}
