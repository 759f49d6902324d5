import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  isJsonObject,
  type JsonObject,
  notSupported,
  required,
  tooMany,
} from '@keelson/structural-schema';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITIONS = 20;

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** Validates the pod failure policy of a Job. */
export function validateFailurePolicy(spec: JsonObject, path: FieldPath): StatusCause[] {
  if (!isJsonObject(spec.podFailurePolicy)) return [];
  const rules = objectsAt(spec.podFailurePolicy, 'rules');
  const field = childPath(path, 'podFailurePolicy.rules');
  return [
    ...atMost(MAX_RULES, rules, field),
    ...rules.flatMap((rule, index) => validateRule(rule, indexPath(field, index), spec)),
  ];
}

function atMost(most: number, list: readonly unknown[], path: FieldPath): StatusCause[] {
  return list.length > most ? [tooMany(path, list.length, most)] : [];
}

function validateRule(rule: JsonObject, path: FieldPath, spec: JsonObject): StatusCause[] {
  const { onExitCodes } = rule;
  const conditions = objectsAt(rule, 'onPodConditions');
  const field = childPath(path, 'onPodConditions');
  return [
    ...oneOf(rule, path, 'action', actions),
    ...(rule.action === 'FailIndex' && spec.backoffLimitPerIndex === undefined
      ? [
          invalid(
            childPath(path, 'action'),
            'FailIndex',
            'requires the backoffLimitPerIndex to be set',
          ),
        ]
      : []),
    ...(isJsonObject(onExitCodes)
      ? validateExitCodes(onExitCodes, childPath(path, 'onExitCodes'), spec)
      : []),
    ...atMost(MAX_CONDITIONS, conditions, field),
    ...conditions.flatMap((pattern, index) => validatePattern(pattern, indexPath(field, index))),
    ...validateRequirements(rule, path),
  ];
}

function validateExitCodes(codes: JsonObject, path: FieldPath, spec: JsonObject): StatusCause[] {
  const { containerName: name } = codes;
  const detail = 'must be one of the container or initContainer names in the pod template';
  const isUnknown = typeof name === 'string' && !containersOf(spec).includes(name);
  return [
    ...oneOf(codes, path, 'operator', operators),
    ...(isUnknown ? [invalid(childPath(path, 'containerName'), name, detail)] : []),
    ...validateCodes(codes, childPath(path, 'values')),
  ];
}

function containersOf(spec: JsonObject): string[] {
  const pod = objectAt(objectAt(spec, 'template'), 'spec');
  return ['containers', 'initContainers'].flatMap((list) =>
    objectsAt(pod, list).map((container) => textAt(container, 'name')),
  );
}

function validatePattern(pattern: JsonObject, path: FieldPath): StatusCause[] {
  const type = textAt(pattern, 'type');
  return [
    ...checkQualifiedName(type).map((detail) => invalid(childPath(path, 'type'), type, detail)),
    ...oneOf(pattern, path, 'status', statuses),
  ];
}

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
    ...atMost(MAX_EXIT_CODES, codes, path),
    ...codes.flatMap((code, index) => [
      ...(operator === 'In' && code === 0
        ? [invalid(indexPath(path, index), code, 'must not be 0 for the In operator')]
        : []),
      ...(codes.indexOf(code) < index ? [duplicate(indexPath(path, index), code)] : []),
    ]),
    ...(isOrdered ? [] : [invalid(path, codes, 'must be ordered')]),
  ];
}
