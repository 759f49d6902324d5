import { boolType, stringType, goTrim } from '@keelson/cel/internal';
import {
  type AdmissionExpression,
  BudgetError,
  compileAdmissionExpression,
  type CostBudget,
  type ExpressionResult,
  POLICY_BUDGET,
} from './admission-expression.ts';
import type { ExpressionInput } from './expression-input.ts';
import { type PolicyVariable, PolicyVariables } from './policy-variables.ts';
import { VariableTypes } from './variable-types.ts';
import { type MatchCondition, MatchConditions } from './match-conditions.ts';

/** One rule of a policy as the API has it. */
export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** The members of a policy that its expressions depend on, without the rules. */
export interface PolicyExpressions {
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
}

/** The `spec` of a `ValidatingAdmissionPolicy`, without the requests that it applies to. */
export interface ValidatingPolicyExpressions extends PolicyExpressions {
  readonly validations?: readonly Validation[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
}

/** A rule that does not hold, or failed. */
export interface PolicyDenial {
  readonly message: string;
  /** Default `Invalid`. */
  readonly reason?: string;
}

/** The violations of a policy. Those of the audit annotations deny the request whatever the binding says. */
export interface PolicyDenials {
  readonly denials: readonly PolicyDenial[];
  readonly annotationDenials: readonly PolicyDenial[];
}

type Compiled = AdmissionExpression | string;

const noDenials: PolicyDenials = { denials: [], annotationDenials: [] };
const MAX_MESSAGE_BYTES = 5 * 1024;

/** Evaluates a `ValidatingAdmissionPolicy`. Source: `policy/validating/validator.go` of kube-apiserver's admission. */
export class ValidatingPolicy {
  readonly #spec: ValidatingPolicyExpressions;
  readonly #conditions: MatchConditions;
  readonly #variables: readonly PolicyVariable[];
  readonly #validations: readonly Compiled[];
  readonly #messages: readonly (Compiled | undefined)[];
  readonly #annotations: readonly Compiled[];

  constructor(spec: ValidatingPolicyExpressions) {
    const { validations = [], auditAnnotations = [], matchConditions = [], failurePolicy } = spec;
    const params = spec.paramKind !== undefined;
    this.#spec = spec;
    this.#conditions = new MatchConditions(matchConditions, {
      params,
      failurePolicy: failurePolicy ?? 'Fail',
    });
    const types = new VariableTypes(params);
    this.#variables = compiledVariables(spec, types);
    const compiled = (source: string, ...wanted: (typeof boolType)[]): Compiled =>
      compileAdmissionExpression(source, types.scope(), wanted);
    this.#validations = validations.map(({ expression }) => compiled(expression, boolType));
    this.#messages = validations.map(({ messageExpression = '' }) =>
      messageExpression === ''
        ? undefined
        : compileAdmissionExpression(messageExpression, types.scope(false), [stringType]),
    );
    this.#annotations = auditAnnotations.map(({ valueExpression }) => compiled(valueExpression));
  }

  /** Returns the violations of a request. */
  evaluate(input: ExpressionInput): PolicyDenials {
    const decision = this.#conditions.decide(input);
    if (decision === false) return noDenials;
    if (decision !== true) return this.#failed(decision.error);
    try {
      const denials = this.#denials(input);
      return { denials, annotationDenials: this.#annotationDenials(input) };
    } catch (error) {
      if (error instanceof BudgetError) return this.#failed(error.message);
      throw error;
    }
  }

  /** With the failure policy `Ignore` an error is not a violation. */
  #failed(message: string): PolicyDenials {
    return { denials: this.#denialOf(message), annotationDenials: [] };
  }

  #denialOf(message: string): PolicyDenial[] {
    return this.#spec.failurePolicy === 'Ignore' ? [] : [{ message }];
  }

  #denials(input: ExpressionInput): PolicyDenial[] {
    const budget = { left: POLICY_BUDGET };
    const variables = new PolicyVariables(this.#variables, input);
    const results = this.#validations.map((each) => resultOf(each, input, budget, variables));
    const messages = this.#messageResults(input, budget);
    return results.flatMap(({ value, error }, index) => {
      if (error !== undefined) return this.#denialOf(error);
      if (typeof messages === 'string') {
        return this.#denialOf(`failed messageExpression: ${messages}`);
      }
      if (value === true) return [];
      const { message = '', expression = '', reason } = this.#spec.validations?.[index] ?? {};
      const computed = computedMessage(messages[index]?.value);
      const shown = computed || goTrim(message) || `failed expression: ${goTrim(expression)}`;
      return [{ message: shown, ...(reason !== undefined && { reason }) }];
    });
  }

  /** All messages are computed, whether they are needed or not. Returns the reason if the budget does not cover them. */
  #messageResults(
    input: ExpressionInput,
    budget: CostBudget,
  ): readonly (ExpressionResult | undefined)[] | string {
    const variables = new PolicyVariables(this.#variables, input);
    try {
      return this.#messages.map((each) =>
        each === undefined ? undefined : resultOf(each, input, budget, variables),
      );
    } catch (error) {
      if (error instanceof BudgetError) return error.message;
      throw error;
    }
  }

  #annotationDenials(input: ExpressionInput): PolicyDenial[] {
    const budget = { left: POLICY_BUDGET };
    const variables = new PolicyVariables(this.#variables, input);
    return this.#annotations.flatMap((each) => {
      const { error } = resultOf(each, input, budget, variables);
      return error === undefined ? [] : this.#denialOf(error);
    });
  }
}

/** Compiles the variables of a policy in their order and declares them. */
export function compiledVariables(
  { variables = [] }: PolicyExpressions,
  types: VariableTypes,
): PolicyVariable[] {
  return variables.map(({ name, expression }) => {
    const compiled = compileAdmissionExpression(expression, types.scope(), []);
    types.declare(name, expression);
    return { name, expression: compiled };
  });
}

function resultOf(
  expression: Compiled,
  input: ExpressionInput,
  budget: CostBudget,
  variables: PolicyVariables,
): ExpressionResult {
  return typeof expression === 'string'
    ? { error: `compilation error: ${expression}` }
    : expression.evaluate(input, budget, variables);
}

/** A computed message of one line and of limited length; otherwise the fixed message is used. */
function computedMessage(value: unknown): string {
  if (typeof value !== 'string') return '';
  const message = goTrim(value);
  return Buffer.byteLength(message) > MAX_MESSAGE_BYTES || message.includes('\n') ? '' : message;
}
