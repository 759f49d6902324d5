import type { CelLibrary } from './cel-library.ts';
import { checkSource } from './check-source.ts';
import { estimateCost } from '../cost/cost-estimator.ts';
import type { SizedType } from '../cost/sized-type.ts';
import { Program } from '../evaluation/program.ts';
import type { CelType } from '../types/cel-type.ts';
import { patternIssue } from '../checks/literal-checks.ts';

export interface CompiledExpression {
  readonly program: Program;
  /** The largest possible cost of one evaluation. */
  readonly cost: number;
  /** The variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
}

/** The variables and the result type that an expression is compiled for. */
export interface ExpressionScope {
  readonly variables: ReadonlyMap<string, CelType>;
  /** The type of `self`, whose sizes limit the estimated cost. */
  readonly self: SizedType;
  /** The type that the expression must have, and the message for another type. */
  readonly result: CelType;
  readonly resultWords: string;
}

/** Returns the compiled expression, or the reason why it does not compile. */
export function compileExpression(
  library: CelLibrary,
  source: string,
  scope: ExpressionScope,
): CompiledExpression | string {
  const checked = checkSource(library, source, scope.variables);
  if (typeof checked === 'string') return `compilation failed: ${checked}`;
  if (checked.typeOf(checked.expression) !== scope.result) return scope.resultWords;
  const problem = patternIssue(checked, library.patterns);
  if (problem !== undefined) return `program instantiation failed: ${problem}`;
  return {
    program: new Program(checked, [...scope.variables.keys()]),
    cost: estimateCost(checked, scope.self).most,
    variables: checked.variables,
  };
}
