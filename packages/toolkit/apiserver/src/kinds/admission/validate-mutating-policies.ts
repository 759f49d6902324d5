import { goTrim } from '@keelson/cel/internal';
import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  indexPath,
  invalid,
  type JsonObject,
  mutationType,
  notSupported,
  type PatchType,
  required,
  VariableTypes,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { requiredOneOf } from './validate-match.ts';
import {
  validateBindingSpec,
  validateExpression,
  validatePolicySpec,
} from './validate-policies.ts';

// Source: `pkg/apis/admissionregistration/validation/validation.go` of Kubernetes 1.36.

const operations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const patchTypes = ['ApplyConfiguration', 'JSONPatch'];

/** Validates a `MutatingAdmissionPolicy`. */
export function validateMutatingPolicy(object: JsonObject, old?: JsonObject): StatusCause[] {
  const spec = objectAt(object, 'spec');
  const variables = new VariableTypes(spec.paramKind !== undefined);
  const ofConstraints = validateOperations(spec, 'matchConstraints');
  return [
    ...validatePolicySpec(spec, old, variables, ofConstraints),
    ...validateMutations(spec, variables),
    ...requiredOneOf(spec, 'spec', 'reinvocationPolicy', ['IfNeeded', 'Never']),
  ];
}

/** Validates a `MutatingAdmissionPolicyBinding`. */
export function validateMutatingBinding(object: JsonObject): StatusCause[] {
  const spec = objectAt(object, 'spec');
  return [...validateBindingSpec(spec), ...validateOperations(spec, 'matchResources')];
}

/** A delete has no object to change. */
function validateOperations(spec: JsonObject, member: string): StatusCause[] {
  const path = `spec.${member}.resourceRules.operations`;
  return objectsAt(objectAt(spec, member), 'resourceRules')
    .flatMap((rule) => textsAt(rule, 'operations'))
    .filter((operation) => !operations.includes(operation))
    .map((operation) => notSupported(path, operation, operations));
}

function validateMutations(spec: JsonObject, variables: VariableTypes): StatusCause[] {
  const mutations = objectsAt(spec, 'mutations');
  if (mutations.length === 0) {
    return [required('spec.mutations', 'mutations must contain at least one item')];
  }
  return mutations.flatMap((mutation, index) =>
    validateMutation(mutation, indexPath('spec.mutations', index), variables),
  );
}

function validateMutation(
  mutation: JsonObject,
  path: FieldPath,
  variables: VariableTypes,
): StatusCause[] {
  const patchType = textAt(mutation, 'patchType');
  const at = childPath(path, 'patchType');
  if (patchType === '') return [required(at)];
  if (!patchTypes.includes(patchType)) return [notSupported(at, patchType, patchTypes)];
  const [member, other] =
    patchType === 'JSONPatch'
      ? ['jsonPatch', 'applyConfiguration']
      : ['applyConfiguration', 'jsonPatch'];
  const field = childPath(path, member);
  const unwanted = `must not be specified when patchType is ${patchType}`;
  return [
    ...(mutation[member] === undefined
      ? [required(field, `must be specified when patchType is ${patchType}`)]
      : validatePatch(objectAt(mutation, member), field, patchType as PatchType, variables)),
    ...(mutation[other] === undefined
      ? []
      : [invalid(childPath(path, other), `{${other}}`, unwanted)]),
  ];
}

function validatePatch(
  patch: JsonObject,
  path: FieldPath,
  patchType: PatchType,
  variables: VariableTypes,
): StatusCause[] {
  const expression = goTrim(textAt(patch, 'expression'));
  const at = childPath(path, 'expression');
  if (expression === '') return [required(at)];
  return validateExpression(expression, at, {
    scope: variables.patchScope(),
    types: [mutationType(patchType)],
  });
}
