import { boolType } from '@keelson/cel/internal';
import {
  type AdmissionExpression,
  BudgetError,
  compileAdmissionExpression,
  MATCH_CONDITIONS_BUDGET,
} from './admission-expression.ts';
import type { ExpressionInput } from './expression-input.ts';

/** A match condition as the API has it. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** The decision of match conditions: a message if they failed and the request must be refused. */
export type ConditionsDecision = boolean | { readonly error: string };

/** The match conditions of a webhook or policy. Source: `matchconditions/matcher.go` of kube-apiserver's admission. */
export class MatchConditions {
  readonly #expressions: readonly (AdmissionExpression | string)[];
  readonly #ignoresErrors: boolean;

  constructor(
    conditions: readonly MatchCondition[],
    options: { readonly params: boolean; readonly failurePolicy: 'Fail' | 'Ignore' },
  ) {
    const scope = { params: options.params, authorizer: true };
    this.#expressions = conditions.map(({ expression }) =>
      compileAdmissionExpression(expression, scope, [boolType]),
    );
    this.#ignoresErrors = options.failurePolicy === 'Ignore';
  }

  get isEmpty(): boolean {
    return this.#expressions.length === 0;
  }

  /** One false condition decides, whatever the others are. An error refuses the request, or skips with `Ignore`. */
  decide(input: ExpressionInput): ConditionsDecision {
    const errors: string[] = [];
    const budget = { left: MATCH_CONDITIONS_BUDGET };
    try {
      for (const expression of this.#expressions) {
        if (typeof expression === 'string') {
          errors.push(`compilation error: ${expression}`);
          continue;
        }
        const { value, error } = expression.evaluate(input, budget);
        if (value === false) return false;
        if (error !== undefined) errors.push(error);
      }
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      return this.#failed([error.message]);
    }
    return errors.length === 0 || this.#failed(errors);
  }

  #failed(errors: readonly string[]): ConditionsDecision {
    if (this.#ignoresErrors) return false;
    const distinct = [...new Set(errors)];
    return { error: distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]` };
  }
}
