import type { CelLibrary } from '../cel/cel-library.ts';
import { estimateCost } from '../cel/cost/cost-estimator.ts';
import type { SizedType } from '../cel/cost/sized-type.ts';
import { Program } from '../cel/evaluation/program.ts';
import { showIssues } from '../cel/syntax/expression-issue.ts';
import { parseExpression } from '../cel/syntax/parse-expression.ts';
import type { CelType } from '../cel/types/cel-type.ts';
import { checkLiterals, patternIssue } from '../cel/types/literal-checks.ts';
import { type CheckedExpression, checkExpression } from '../cel/types/type-checker.ts';

/** An expression that can be evaluated. */
export interface CompiledExpression {
  readonly program: Program;
  /** The most that it may cost. */
  readonly cost: number;
  /** Which of the variables it names. */
  readonly variables: ReadonlySet<string>;
}

/** What an expression is compiled for. */
export interface ExpressionScope {
  readonly variables: ReadonlyMap<string, CelType>;
  /** The type of `self`, whose sizes bound the cost. */
  readonly self: SizedType;
  /** The type that the expression must have, and what is said where it has another. */
  readonly result: CelType;
  readonly resultWords: string;
}

/** The compiled expression, or why it does not compile. */
export function compileExpression(
  library: CelLibrary,
  source: string,
  scope: ExpressionScope,
): CompiledExpression | string {
  const checked = check(library, source, scope);
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

function check(
  { functions, patterns }: CelLibrary,
  source: string,
  { variables }: ExpressionScope,
): CheckedExpression | string {
  const parsed = parseExpression(source);
  const { expression } = parsed;
  if (expression === undefined || parsed.issues.length > 0) {
    return showIssues(source, parsed.issues);
  }
  const checked = checkExpression(expression, { functions, variables });
  const issues = checked.issues.length > 0 ? checked.issues : checkLiterals(checked, patterns);
  return issues.length > 0 ? showIssues(source, issues) : checked;
}
