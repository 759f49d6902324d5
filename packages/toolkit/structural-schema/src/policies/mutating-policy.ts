import {
  type CelType,
  jsonPatchMessageType,
  listType,
  ObjectMessage,
  objectMessageType,
  type Value,
} from '@keelson/cel/internal';
import type { JsonObject } from '../json/json-value.ts';
import {
  type AdmissionExpression,
  BudgetError,
  compileAdmissionExpression,
  POLICY_BUDGET,
} from './admission-expression.ts';
import { configurationOf } from './configuration-value.ts';
import type { ExpressionInput } from './expression-input.ts';
import { type ConditionsDecision, MatchConditions } from './match-conditions.ts';
import { MutationError } from './mutation-error.ts';
import { checkTypeNames, operationsOf, type PatchOperation } from './patch-value.ts';
import { type PolicyVariable, PolicyVariables } from './policy-variables.ts';
import { compiledVariables, type PolicyExpressions } from './validating-policy.ts';
import { VariableTypes } from './variable-types.ts';

/** How the result of a mutation changes the object. */
export type PatchType = 'ApplyConfiguration' | 'JSONPatch';

/** One mutation of a policy as the API has it. */
export interface Mutation {
  readonly patchType: PatchType;
  readonly applyConfiguration?: { readonly expression: string };
  readonly jsonPatch?: { readonly expression: string };
}

/** The `spec` of a `MutatingAdmissionPolicy`, without the requests that it applies to. */
export interface MutatingPolicyExpressions extends PolicyExpressions {
  readonly mutations?: readonly Mutation[];
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** The result of a mutation: operations of a JSON patch, or an object to merge. */
export type MutationPatch =
  | { readonly operations: readonly PatchOperation[] }
  /** Its leaves may be a `GoValue`, which cannot be merged. */
  | { readonly configuration: JsonObject };

/** The type that the expression of a mutation must have. */
export function mutationType(patchType: PatchType): CelType {
  return patchType === 'JSONPatch' ? listType(jsonPatchMessageType.type) : rootType;
}

const rootType = objectMessageType('Object').type;

/** Evaluates a `MutatingAdmissionPolicy`. Source: `policy/mutating/compilation.go` of kube-apiserver's admission. */
export class MutatingPolicy {
  readonly mutations: readonly CompiledMutation[];
  readonly #conditions: MatchConditions;

  constructor(spec: MutatingPolicyExpressions) {
    const { matchConditions = [], failurePolicy = 'Fail', mutations = [] } = spec;
    const params = spec.paramKind !== undefined;
    const types = new VariableTypes(params);
    this.#conditions = new MatchConditions(matchConditions, { params, failurePolicy });
    const variables = compiledVariables(spec, types);
    this.mutations = mutations.map((mutation) => new CompiledMutation(mutation, variables, types));
  }

  /** Decides by the match conditions whether the policy applies to a request. */
  decide(input: ExpressionInput): ConditionsDecision {
    return this.#conditions.isEmpty || this.#conditions.decide(input);
  }
}

/** A mutation of a policy, or the reason why it does not compile. */
export class CompiledMutation {
  readonly #patchType: PatchType;
  readonly #expression: AdmissionExpression | string;
  readonly #variables: readonly PolicyVariable[];

  constructor(mutation: Mutation, variables: readonly PolicyVariable[], types: VariableTypes) {
    const { patchType } = mutation;
    this.#patchType = patchType;
    this.#variables = variables;
    this.#expression = compileAdmissionExpression(expressionOf(mutation), types.patchScope(), [
      mutationType(patchType),
    ]);
  }

  /** Evaluates the mutation for an object. Throws `MutationError`. */
  evaluate(input: ExpressionInput): MutationPatch {
    const value = this.#valueOf(input);
    if (this.#patchType === 'JSONPatch') return { operations: operationsOf(value) };
    if (value instanceof ObjectMessage) checkTypeNames(value);
    return { configuration: configurationOf(value, input.containers) };
  }

  #valueOf(input: ExpressionInput): Value {
    if (typeof this.#expression === 'string') throw new MutationError(this.#expression);
    const variables = new PolicyVariables(this.#variables, input);
    try {
      const result = this.#expression.evaluate(input, { left: POLICY_BUDGET }, variables);
      if (result.error !== undefined) throw new MutationError(result.error);
      return result.value ?? null;
    } catch (error) {
      if (error instanceof BudgetError) throw new MutationError(error.message, { cause: error });
      throw error;
    }
  }
}

/** Returns the expression of a mutation; empty if it has none. */
export function expressionOf({ patchType, jsonPatch, applyConfiguration }: Mutation): string {
  return (patchType === 'JSONPatch' ? jsonPatch : applyConfiguration)?.expression ?? '';
}
