import { ExpressionSyntaxError, nowhere } from './expression-issue.ts';
import type { Expression } from './expression.ts';

/** How deep the parts of an expression may lie in each other: kube-apiserver's bound, and what keeps recursion over them safe. */
const deepest = 250;

/**
 * How deep the parts of an expression are. Chains (`a.b.c`, `1 + 1 + 1`) are parsed in a loop and lie in each other
 * all the same.
 */
export class ExpressionDepth {
  readonly #depths = new Map<Expression, number>();
  #nesting = 0;

  /** Parses what lies in brackets, in arguments, or behind a condition. */
  nested<T>(parse: () => T): T {
    this.#nesting += 1;
    if (this.#nesting > deepest) {
      throw new ExpressionSyntaxError(nowhere, `expression recursion limit exceeded: ${deepest}`);
    }
    const parsed = parse();
    this.#nesting -= 1;
    return parsed;
  }

  /** Takes note of an expression around others, and of whether it adds to their depth. */
  around(expression: Expression, parts: readonly Expression[], added: 0 | 1 = 1): Expression {
    const depth = Math.max(0, ...parts.map((part) => this.#depths.get(part) ?? 0)) + added;
    if (depth > deepest) {
      throw new ExpressionSyntaxError(nowhere, 'max recursion depth exceeded');
    }
    this.#depths.set(expression, depth);
    return expression;
  }
}
