import {
  AuthorizerValue,
  type CelType,
  type CompiledProgram,
  compileProgram,
  CostLimitError,
  dynType,
  EvaluationError,
  authorizerType,
  givenValue,
  goTypeName,
  isFailed,
  type MapValue,
  type Outcome,
  resourceCheckType,
  ResourceCheck,
  type Value,
} from '@keelson/cel/internal';
import { celLibrary, patchLibrary } from '../rules/cel-library.ts';
import type { ExpressionInput } from './expression-input.ts';
import { namespaceType, requestType } from './request-type.ts';

/** The variables that an expression may use besides `object`, `oldObject`, `request` and `namespaceObject`. */
export interface ExpressionScope {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** The type of `variables`; absent in match conditions. */
  readonly variables?: CelType;
  /** The type of `object` and `oldObject`, for a check of types before the policy is installed. Default `dyn`. */
  readonly object?: CelType | undefined;
  /** True for mutations, which create `Object` and `JSONPatch` messages. */
  readonly patches?: boolean;
}

/** The result of an evaluation: a value, or the message of the error. */
export interface ExpressionResult {
  readonly value?: Value;
  readonly error?: string;
}

/** The cost that is left for the expressions of one policy or webhook. */
export interface CostBudget {
  left: number;
}

/** The value of `variables`, whose members are computed when an expression reads them. */
export interface LazyVariables extends MapValue {
  /** Returns the cost of the members that were computed since the last call. */
  takeCost(): number;
}

/** The budget for the match conditions of one policy or webhook, in the units of CEL. */
export const MATCH_CONDITIONS_BUDGET = 2_500_000;
/** The budget for the other expressions of a policy. */
export const POLICY_BUDGET = 10_000_000;

/** Thrown when the expressions of a policy together exceed their budget. */
export class BudgetError extends Error {
  constructor() {
    super(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    );
  }
}

/** A compiled expression of a match condition or an admission policy. */
export class AdmissionExpression {
  readonly source: string;
  readonly type: CelType;
  readonly #names: readonly string[];
  readonly #program: CompiledProgram;

  constructor(source: string, names: readonly string[], program: CompiledProgram) {
    this.source = source;
    this.type = program.type;
    this.#names = names;
    this.#program = program;
  }

  /** Evaluates the expression and charges its cost. Throws `BudgetError` if the budget does not cover it. */
  evaluate(
    input: ExpressionInput,
    budget: CostBudget,
    variables?: LazyVariables,
  ): ExpressionResult {
    const { value, cost } = this.outcome(input, variables);
    charge(budget, (variables?.takeCost() ?? 0) + cost);
    if (!isFailed(value)) return { value };
    return { error: `expression '${this.source}' resulted in error: ${value.message}` };
  }

  /** Evaluates the expression within the limit of one evaluation. */
  outcome(
    input: ExpressionInput,
    variables?: Value,
  ): { readonly value: Outcome; readonly cost: number } {
    const { used } = this;
    const values = this.#names.map((name) =>
      used.has(name) ? valueOf(name, input, variables ?? null) : null,
    );
    try {
      return this.#program.program.evaluate(values);
    } catch (error) {
      if (!(error instanceof CostLimitError)) throw error;
      return { value: new EvaluationError(error.message), cost: error.cost };
    }
  }

  get used(): ReadonlySet<string> {
    return this.#program.variables;
  }
}

function charge(budget: CostBudget, cost: number): void {
  if (cost > budget.left) throw new BudgetError();
  budget.left -= cost;
}

/** Compiles an expression. Returns the reason if it is invalid or has another type than one of `types`. */
export function compileAdmissionExpression(
  source: string,
  scope: ExpressionScope,
  types: readonly CelType[],
): AdmissionExpression | string {
  const variables = variablesOf(scope);
  const library = scope.patches === true ? patchLibrary() : celLibrary();
  const program = compileProgram(library, source, variables, (type) => wrongType(type, types));
  if (typeof program === 'string') return program;
  return new AdmissionExpression(source, [...variables.keys()], program);
}

function wrongType(type: CelType, types: readonly CelType[]): string | undefined {
  const got = goTypeName(type);
  const wanted = types.map(goTypeName);
  if (wanted.length === 0 || wanted.includes(got)) return undefined;
  const [only = ''] = wanted;
  return wanted.length === 1
    ? `must evaluate to ${only} but got ${got}`
    : `must evaluate to one of [${wanted.join(' ')}] but got ${got}`;
}

function variablesOf({
  params,
  authorizer,
  variables,
  object = dynType,
}: ExpressionScope): ReadonlyMap<string, CelType> {
  return new Map([
    ['object', object],
    ['oldObject', object],
    ['namespaceObject', namespaceType],
    ['request', requestType],
    ...(params ? ([['params', dynType]] as const) : []),
    ...(authorizer
      ? ([
          ['authorizer', authorizerType],
          ['authorizer.requestResource', resourceCheckType],
        ] as const)
      : []),
    ...(variables === undefined ? [] : ([['variables', variables]] as const)),
  ]);
}

function valueOf(name: string, input: ExpressionInput, variables: Value): Value {
  switch (name) {
    case 'variables':
      return variables;
    case 'authorizer':
      return new AuthorizerValue(input.authorizer);
    case 'authorizer.requestResource':
      return new ResourceCheck(new AuthorizerValue(input.authorizer), input.requestResource);
    default:
      return input.value(name as 'object', (given) =>
        givenValue(dynType, given, name, input.containers),
      );
  }
}
