import { checkLiterals } from '../checks/literal-checks.ts';
import type { CheckedExpression } from '../checks/checked-expression.ts';
import { checkExpression } from '../checks/type-checker.ts';
import { showIssues } from '../syntax/expression-issue.ts';
import { parseExpression } from '../syntax/parse-expression.ts';
import type { CelType } from '../types/cel-type.ts';
import type { CelLibrary } from './cel-library.ts';

/** Parses and checks the source of an expression; returns all errors as one string if it is invalid. */
export function checkSource(
  { functions, patterns, messages, bindings }: CelLibrary,
  source: string,
  variables: ReadonlyMap<string, CelType>,
): CheckedExpression | string {
  const parsed = parseExpression(source, { bindings });
  const { expression } = parsed;
  if (expression === undefined || parsed.issues.length > 0) {
    return showIssues(source, parsed.issues);
  }
  const checked = checkExpression(expression, { functions, variables, messages });
  const issues = checked.issues.length > 0 ? checked.issues : checkLiterals(checked, patterns);
  return issues.length > 0 ? showIssues(source, issues) : checked;
}
