import { objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import type { OrderedRules } from '../../schema/validation-rule.ts';

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** Ordered validation rules of the pod failure policy. */
export const jobPolicyOrders: OrderedRules = {
  'batch.v1.PodFailurePolicyRule': (rule, path, fields) => [
    ...oneOf(rule, path, 'action', actions),
    ...fields.validate('onExitCodes', 'onPodConditions'),
    ...validateRequirements(rule, path),
  ],
  'batch.v1.PodFailurePolicyOnExitCodesRequirement': (codes, path) => [
    ...oneOf(codes, path, 'operator', operators),
    ...validateCodes(codes, childPath(path, 'values')),
  ],
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': (pattern, path) => [
    ...checkQualifiedName(textAt(pattern, 'type')).map((detail) =>
      invalid(childPath(path, 'type'), textAt(pattern, 'type'), detail),
    ),
    ...oneOf(pattern, path, 'status', statuses),
  ],
};

function oneOf(
  object: JsonObject,
  path: FieldPath,
  name: string,
  allowed: readonly string[],
): StatusCause[] {
  const [value, field] = [textAt(object, name), childPath(path, name)];
  if (allowed.includes(value)) return [];
  if (value !== '') return [notSupported(field, value, allowed)];
  const list = allowed.map((each) => JSON.stringify(each)).join(' ');
  return [required(field, `valid values: [${list}]`)];
}

/** A rule has a requirement on either exit codes or conditions. */
function validateRequirements(rule: JsonObject, path: FieldPath): StatusCause[] {
  const hasCodes = rule.onExitCodes !== undefined;
  const hasConditions = objectsAt(rule, 'onPodConditions').length > 0;
  if (hasCodes !== hasConditions) return [];
  const problem = hasCodes
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required';
  // kube-apiserver prints no value here.
  return [{ reason: 'FieldValueInvalid', message: `Invalid value: ${problem}`, field: path }];
}

function validateCodes(requirement: JsonObject, path: FieldPath): StatusCause[] {
  const { values, operator } = requirement;
  const codes = Array.isArray(values) ? values.map(Number) : [];
  const isOrdered = codes.every((code, index) => index === 0 || Number(codes[index - 1]) <= code);
  return [
    ...(codes.length === 0
      ? [invalid(path, values ?? null, 'at least one value is required')]
      : []),
    ...codes.flatMap((code, index) => [
      ...(operator === 'In' && code === 0
        ? [invalid(indexPath(path, index), code, 'must not be 0 for the In operator')]
        : []),
      ...(codes.indexOf(code) < index ? [duplicate(indexPath(path, index), code)] : []),
    ]),
    ...(isOrdered ? [] : [invalid(path, codes, 'must be ordered')]),
  ];
}
