import type { builtin, ObjectOf } from '@keelson/apimachinery';
import type { PolicyExpressions } from '@keelson/structural-schema';
import { type PolicyTarget, tokenOf } from './policy-options.ts';

type Policy = ObjectOf<typeof builtin.ValidatingAdmissionPolicy>;
type Binding = ObjectOf<typeof builtin.ValidatingAdmissionPolicyBinding>;
type TargetSpec = Omit<NonNullable<Policy['spec']>, 'validations' | 'auditAnnotations'> &
  PolicyExpressions;
type BindingSpec = Pick<NonNullable<Binding['spec']>, 'policyName' | 'paramRef'>;

/** The operations of a policy without `operations`. */
export const defaultOperations = ['CREATE', 'UPDATE'] as const;

/** Returns the type and the name of an object. */
export function headOf(
  kind: string,
  { name }: PolicyTarget,
): { apiVersion: string; kind: string; metadata: { name: string } } {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name } };
}

/** Returns the members of a policy that both kinds have. */
export function targetSpecOf(options: PolicyTarget, operations: readonly string[]): TargetSpec {
  const { failurePolicy = 'Fail', variables, params, matchConditions } = options;
  return {
    failurePolicy,
    ...(params && { paramKind: kindOf(params.resource) }),
    matchConstraints: constraintsOf(options, operations),
    ...(matchConditions && { matchConditions: named(matchConditions) }),
    ...(variables && { variables: named(variables) }),
  };
}

/** Returns the members of a binding that both kinds have. */
export function bindingSpecOf({ name, params }: PolicyTarget): BindingSpec {
  const { notFound = 'Deny', resource: _resource, ...reference } = params ?? {};
  const paramRef = { ...reference, parameterNotFoundAction: notFound };
  return {
    policyName: name,
    ...(params && { paramRef: paramRef as NonNullable<BindingSpec['paramRef']> }),
  };
}

function constraintsOf(
  options: PolicyTarget,
  operations: readonly string[],
): NonNullable<TargetSpec['matchConstraints']> {
  const { subresource, namespaceSelector, objectSelector } = options;
  const { group, version, plural } = tokenOf(options.resource);
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
  } as NonNullable<TargetSpec['matchConstraints']>;
}

function kindOf({ group, version, kind }: NonNullable<PolicyTarget['params']>['resource']): {
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
