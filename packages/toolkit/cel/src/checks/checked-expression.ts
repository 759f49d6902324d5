import type { FunctionTable } from '../functions/function-table.ts';
import type { ExpressionIssue } from '../syntax/expression-issue.ts';
import type { Call, Expression } from '../syntax/expression.ts';
import type { CelType } from '../types/cel-type.ts';
import type { MessageTypes } from '../values/messages/message-type.ts';
import type { Overload } from '../types/function-declaration.ts';

/** The variables and functions that an expression may use. */
export interface CheckEnvironment {
  readonly functions: FunctionTable;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly messages: MessageTypes;
}

/** An expression with the types, variables and function overloads that the checker found. */
export interface CheckedExpression {
  readonly expression: Expression;
  readonly issues: readonly ExpressionIssue[];
  /** The declared variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
  typeOf(expression: Expression): CelType;
  /** Returns the overloads that a call may use, depending on the types of its arguments at run time. */
  overloadsOf(call: Call): readonly Overload[];
  /** True for a qualified name, such as the type `google.protobuf.Duration` or the function `sets.contains`. */
  isQualified(expression: Expression): boolean;
}
