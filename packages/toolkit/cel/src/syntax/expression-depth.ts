import { ExpressionSyntaxError, nowhere } from './expression-issue.ts';
import type { Expression } from './expression.ts';

/** Largest nesting depth of an expression: the limit of kube-apiserver, which also keeps recursion safe. */
const MAX_EXPRESSION_DEPTH = 250;

/** Measures the nesting depth of expressions. Chains (`a.b.c`, `1 + 1 + 1`) are parsed in a loop, but nest too. */
export class ExpressionDepth {
  readonly #depths = new Map<Expression, number>();
  #nesting = 0;

  /** Runs `parse` one level deeper: for brackets, arguments and the branches of a condition. */
  nested<T>(parse: () => T): T {
    this.#nesting += 1;
    if (this.#nesting > MAX_EXPRESSION_DEPTH) {
      throw new ExpressionSyntaxError(
        nowhere,
        `expression recursion limit exceeded: ${MAX_EXPRESSION_DEPTH}`,
      );
    }
    const parsed = parse();
    this.#nesting -= 1;
    return parsed;
  }

  /** Records the depth of an expression from its parts. `added`: the depth of the expression itself. */
  around(expression: Expression, parts: readonly Expression[], added: 0 | 1 = 1): Expression {
    const depth = Math.max(0, ...parts.map((part) => this.#depths.get(part) ?? 0)) + added;
    if (depth > MAX_EXPRESSION_DEPTH) {
      throw new ExpressionSyntaxError(nowhere, 'max recursion depth exceeded');
    }
    this.#depths.set(expression, depth);
    return expression;
  }
}
