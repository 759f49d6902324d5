import type { ExpressionIssue } from '../syntax/expression-issue.ts';
import type { Call, Expression } from '../syntax/expression.ts';
import type { CelType } from '../types/cel-type.ts';
import type { Overload } from '../types/function-declaration.ts';

/** What the checker found out of an expression. */
export interface CheckedExpression {
  readonly expression: Expression;
  readonly issues: readonly ExpressionIssue[];
  /** The variables of the environment that it names. */
  readonly variables: ReadonlySet<string>;
  typeOf(expression: Expression): CelType;
  /** The forms of a function that a call may turn out to be. */
  overloadsOf(call: Call): readonly Overload[];
  /** A chain of names that names one thing: the type `google.protobuf.Duration`, the function `sets.contains`. */
  isQualified(expression: Expression): boolean;
}
