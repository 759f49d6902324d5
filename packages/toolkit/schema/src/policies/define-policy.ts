import type { builtin, ObjectOf } from '@keelson/apimachinery';
import { ValidatingPolicy, type ValidatingPolicyExpressions } from '@keelson/structural-schema';
import { checkPolicy } from './check-policy.ts';
import { bindingSpecOf, defaultOperations, headOf, targetSpecOf } from './policy-objects.ts';
import { type PolicyOptions, tokenOf } from './policy-options.ts';
import { type PolicyRequest, requestInput } from './policy-request.ts';

/** A ValidatingAdmissionPolicy of `admissionregistration.k8s.io/v1`. */
export type ValidatingAdmissionPolicy = ObjectOf<typeof builtin.ValidatingAdmissionPolicy>;

/** A ValidatingAdmissionPolicyBinding of `admissionregistration.k8s.io/v1`. */
export type ValidatingAdmissionPolicyBinding = ObjectOf<
  typeof builtin.ValidatingAdmissionPolicyBinding
>;

/** A rule that a request violates. */
export interface PolicyViolation {
  readonly message: string;
  /** `Forbidden`, `Invalid` or `RequestEntityTooLarge`. */
  readonly reason: string;
}

/** What `definePolicy` makes of one definition. */
export interface DefinedPolicy {
  readonly policy: ValidatingAdmissionPolicy;
  readonly binding: ValidatingAdmissionPolicyBinding;
  /**
   * Evaluates the rules as the API server does, without a server. Returns the violations, none for an operation to which the
   * policy does not apply. Selectors are not evaluated.
   */
  readonly check: (request: PolicyRequest) => readonly PolicyViolation[];
}

/**
 * Makes a ValidatingAdmissionPolicy and its binding from rules in CEL. Throws `INVALID_OPTION` with the name of an invalid
 * option, and `RULE_INVALID` with the path of an expression that does not compile.
 *
 * @example
 * ```ts
 * import { builtin } from '@keelson/manager';
 * import { definePolicy } from '@keelson/schema';
 *
 * export const limit = definePolicy({
 *   name: 'replicas.example.com',
 *   resource: builtin.Deployment,
 *   rules: [{ cel: 'object.spec.replicas <= 10', message: 'at most 10 replicas' }],
 * });
 * ```
 */
export function definePolicy(options: PolicyOptions): DefinedPolicy {
  checkPolicy(options);
  const copy = structuredClone({ ...options, resource: { ...tokenOf(options.resource) } });
  const spec = policySpecOf(copy);
  const rules = new ValidatingPolicy(spec);
  const { operations = defaultOperations } = copy;
  return {
    policy: structuredClone({ ...headOf('ValidatingAdmissionPolicy', copy), spec }),
    binding: {
      ...headOf('ValidatingAdmissionPolicyBinding', copy),
      spec: { ...bindingSpecOf(copy), validationActions: [...(copy.actions ?? ['Deny'])] },
    },
    check(request) {
      const input = requestInput(request, copy, 'check');
      if (!operations.some((each) => each === input.operation)) return [];
      const { denials } = rules.evaluate(input.values);
      return denials.map(({ message, reason = 'Invalid' }) => ({ message, reason }));
    },
  };
}

type PolicySpec = NonNullable<ValidatingAdmissionPolicy['spec']> & ValidatingPolicyExpressions;

function policySpecOf(options: PolicyOptions): PolicySpec {
  const { operations = defaultOperations, rules } = options;
  return {
    ...targetSpecOf(options, operations),
    validations: rules.map(({ cel: expression, ...rest }) => ({ expression, ...rest })),
  };
}
