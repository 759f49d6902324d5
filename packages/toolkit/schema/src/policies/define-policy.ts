import type { builtin, ObjectOf } from '@keelson/apimachinery';
import { ValidatingPolicy, type ValidatingPolicyExpressions } from '@keelson/structural-schema';
import { checkPolicy } from './check-policy.ts';
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
 */
export function definePolicy(options: PolicyOptions): DefinedPolicy {
  checkPolicy(options);
  const copy = structuredClone({ ...options, resource: { ...tokenOf(options.resource) } });
  const spec = policySpecOf(copy);
  const rules = new ValidatingPolicy(spec);
  const operations: readonly string[] = copy.operations ?? defaultOperations;
  return {
    policy: structuredClone({ ...headOf('ValidatingAdmissionPolicy', copy), spec }),
    binding: bindingOf(copy),
    check(request) {
      const input = requestInput(request, copy);
      if (!operations.includes(input.operation)) return [];
      const { denials } = rules.evaluate(input.values);
      return denials.map(({ message, reason = 'Invalid' }) => ({ message, reason }));
    },
  };
}

const defaultOperations = ['CREATE', 'UPDATE'] as const;

type PolicySpec = NonNullable<ValidatingAdmissionPolicy['spec']> & ValidatingPolicyExpressions;

function headOf(kind: string, { name }: PolicyOptions): ValidatingAdmissionPolicy {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name } };
}

function policySpecOf(options: PolicyOptions): PolicySpec {
  const { rules, failurePolicy = 'Fail', variables, params, matchConditions } = options;
  return {
    failurePolicy,
    ...(params && { paramKind: kindOf(params.resource) }),
    matchConstraints: constraintsOf(options),
    ...(matchConditions && { matchConditions: named(matchConditions) }),
    ...(variables && { variables: named(variables) }),
    validations: rules.map(({ cel: expression, ...rest }) => ({ expression, ...rest })),
  };
}

function constraintsOf(options: PolicyOptions): NonNullable<PolicySpec['matchConstraints']> {
  const { operations = defaultOperations, subresource, namespaceSelector } = options;
  const { group, version, plural } = tokenOf(options.resource);
  const { objectSelector } = options;
  const resources =
    subresource === undefined
      ? [plural]
      : subresource === '*'
        ? [plural, `${plural}/*`]
        : [`${plural}/${subresource}`];
  return {
    resourceRules: [
      { apiGroups: [group], apiVersions: [version], operations: [...operations], resources },
    ],
    ...(namespaceSelector && { namespaceSelector }),
    ...(objectSelector && { objectSelector }),
  } as NonNullable<PolicySpec['matchConstraints']>;
}

function bindingOf(options: PolicyOptions): ValidatingAdmissionPolicyBinding {
  const { name, params, actions = ['Deny'] } = options;
  const { notFound = 'Deny', resource: _resource, ...reference } = params ?? {};
  const paramRef = { ...reference, parameterNotFoundAction: notFound };
  return {
    ...headOf('ValidatingAdmissionPolicyBinding', options),
    spec: {
      policyName: name,
      validationActions: [...actions],
      ...(params && { paramRef: paramRef as BindingReference }),
    },
  };
}

type BindingReference = NonNullable<
  NonNullable<ValidatingAdmissionPolicyBinding['spec']>['paramRef']
>;

function kindOf({ group, version, kind }: NonNullable<PolicyOptions['params']>['resource']): {
  apiVersion: string;
  kind: string;
} {
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind };
}

function named(
  expressions: Readonly<Record<string, string>>,
): { name: string; expression: string }[] {
  return Object.entries(expressions).map(([name, expression]) => ({ name, expression }));
}
