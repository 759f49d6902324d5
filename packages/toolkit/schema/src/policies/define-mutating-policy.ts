import type { builtin, ObjectOf } from '@keelson/apimachinery';
import {
  type JsonObject,
  MutatingPolicy,
  type MutatingPolicyExpressions,
  type Mutation,
  MutationError,
  type PatchType,
} from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import { checkMutatingPolicy } from './check-policy.ts';
import { bindingSpecOf, defaultOperations, headOf, targetSpecOf } from './policy-objects.ts';
import { type MutatingPolicyOptions, tokenOf } from './policy-options.ts';
import { type PolicyRequest, requestInput } from './policy-request.ts';

/** A MutatingAdmissionPolicy of `admissionregistration.k8s.io/v1`. */
export type MutatingAdmissionPolicy = ObjectOf<typeof builtin.MutatingAdmissionPolicy>;

/** A MutatingAdmissionPolicyBinding of `admissionregistration.k8s.io/v1`. */
export type MutatingAdmissionPolicyBinding = ObjectOf<
  typeof builtin.MutatingAdmissionPolicyBinding
>;

/** The result of one mutation: an object that is merged, or the operations of a JSON patch. */
export type PolicyPatch =
  | { readonly apply: JsonObject }
  | { readonly jsonPatch: readonly { readonly op: string; readonly path: string }[] };

/** The objects of one definition, and its mutations for tests. */
export interface DefinedMutatingPolicy {
  readonly policy: MutatingAdmissionPolicy;
  readonly binding: MutatingAdmissionPolicyBinding;
  /**
   * Evaluates each mutation for the objects of the request, without a server. Returns the patches, none for a request to
   * which the policy does not apply. Selectors are not evaluated, and no patch is applied. Throws `MUTATION_FAILED`.
   */
  readonly patches: (request: PolicyRequest) => readonly PolicyPatch[];
}

/**
 * Makes a MutatingAdmissionPolicy and its binding from mutations in CEL. Throws `INVALID_OPTION` with the name of an invalid
 * option, and `RULE_INVALID` with the path of an expression that does not compile.
 *
 * @example
 * ```ts
 * import { builtin } from '@keelson/manager';
 * import { defineMutatingPolicy } from '@keelson/schema';
 *
 * export const team = defineMutatingPolicy({
 *   name: 'team.example.com',
 *   resource: builtin.ConfigMap,
 *   mutations: [{ cel: 'Object{metadata: Object.metadata{labels: {"team": "web"}}}' }],
 * });
 * ```
 */
export function defineMutatingPolicy(options: MutatingPolicyOptions): DefinedMutatingPolicy {
  const patchTypes = checkMutatingPolicy(options);
  const copy = structuredClone({ ...options, resource: { ...tokenOf(options.resource) } });
  const spec = policySpecOf(copy, patchTypes);
  const compiled = new MutatingPolicy(spec);
  const { operations = defaultOperations } = copy;
  return {
    policy: structuredClone({ ...headOf('MutatingAdmissionPolicy', copy), spec }),
    binding: { ...headOf('MutatingAdmissionPolicyBinding', copy), spec: bindingSpecOf(copy) },
    patches(request) {
      const { operation, values } = requestInput(request, copy, 'patches');
      if (!operations.some((each) => each === operation)) return [];
      const decision = compiled.decide(values);
      if (decision === false) return [];
      if (decision !== true) throw failed(decision.error);
      return compiled.mutations.map((mutation) => patchOf(() => mutation.evaluate(values)));
    },
  };
}

type PolicySpec = NonNullable<MutatingAdmissionPolicy['spec']> & MutatingPolicyExpressions;

function policySpecOf(
  options: MutatingPolicyOptions,
  patchTypes: readonly PatchType[],
): PolicySpec {
  const { operations = defaultOperations, mutations, reinvocationPolicy = 'Never' } = options;
  return {
    ...targetSpecOf(options, operations),
    reinvocationPolicy,
    mutations: mutations.map(({ cel }, index) => mutationOf(cel, patchTypes[index])),
  };
}

function mutationOf(expression: string, patchType: PatchType = 'ApplyConfiguration'): Mutation {
  return patchType === 'JSONPatch'
    ? { patchType, jsonPatch: { expression } }
    : { patchType, applyConfiguration: { expression } };
}

function patchOf(
  evaluate: () => ReturnType<MutatingPolicy['mutations'][number]['evaluate']>,
): PolicyPatch {
  try {
    const patch = evaluate();
    return 'operations' in patch ? { jsonPatch: patch.operations } : { apply: patch.configuration };
  } catch (error) {
    if (error instanceof MutationError) throw failed(error.message);
    throw error;
  }
}

function failed(reason: string): SchemaError {
  return new SchemaError('MUTATION_FAILED', { reason });
}
