import type { CheckedExpression } from '../checks/checked-expression.ts';
import type { PatternCompiler } from '../functions/pattern-functions.ts';
import type { MessageTypes } from '../values/messages/message-type.ts';
import type { Expression } from '../syntax/expression.ts';
import type { FunctionTable } from '../functions/function-table.ts';
import type { Outcome } from '../values/outcome.ts';
import type { Attribute } from './attribute.ts';
import type { Step } from './run.ts';

/** A planned part of an expression. */
export interface Planned {
  readonly step: Step;
  /** The value of a constant, which costs nothing. */
  readonly constant?: Outcome;
  /** The variable or value with the fields and indexes that are read from it, so that more can be added. */
  readonly attribute?: Attribute;
}

/** A part whose value is known before the evaluation. */
export interface Constant extends Planned {
  readonly constant: Outcome;
}

/** The functions that an expression is planned with. */
export interface PlanLibrary {
  readonly functions: FunctionTable;
  readonly patterns: PatternCompiler;
  readonly messages: MessageTypes;
}

/** The functions of the program planner that plan a part of an expression. */
export interface Planner {
  readonly checked: CheckedExpression;
  readonly library: PlanLibrary;
  plan(expression: Expression): Planned;
  /** Runs `plan` with a variable in scope. */
  withVariable<T>(name: string, plan: (slot: number) => T, options?: VariableOptions): T;
  /** Returns the slot of the list or map that a comprehension extends in place, if the expression names it. */
  growingSlot(expression: Expression): number | undefined;
}

/** How a variable of a comprehension gets its value. */
export interface VariableOptions {
  /** Computes the value when the variable is read first. */
  readonly initial?: Step;
  /** True for the result list or map of a comprehension, which is not shared and may be extended in place. */
  readonly growing?: boolean;
}

export function constant(value: Outcome): Constant {
  return { step: () => value, constant: value };
}

export function isConstant(planned: Planned): planned is Constant {
  return planned.constant !== undefined;
}
