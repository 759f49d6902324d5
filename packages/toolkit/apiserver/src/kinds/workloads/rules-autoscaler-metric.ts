import { objectAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkPathSegment, nanosOfQuantity } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { validateContainerResourceName } from '../shared/rules-resource-name.ts';
import { validateReference } from '../shared/rules-reference.ts';
import { validName } from '../../schema/validation-rule.ts';

type SourceCheck = (source: JsonObject, path: FieldPath) => StatusCause[];

/** Source checks by member, in the order of kube-apiserver. */
const sourceChecks: Readonly<Record<string, SourceCheck>> = {
  object: validateObjectSource,
  external: validateExternalSource,
  pods: validatePodsSource,
  resource: validateResourceSource,
  containerResource: validateContainerSource,
};

const memberOfType: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

const rawOrUtilization = 'must set either a target raw value or a target utilization';

/** Validates a metric of an autoscaler. Only its first source is validated. */
export function validateMetric(metric: JsonObject, path: FieldPath): StatusCause[] {
  const type = textAt(metric, 'type');
  const present = Object.keys(sourceChecks).filter((name) => metric[name] !== undefined);
  const [first] = present;
  const unknown = notSupported(childPath(path, 'type'), type, Object.keys(memberOfType));
  const expected = Object.hasOwn(memberOfType, type) ? memberOfType[type] : undefined;
  return [
    ...(type === ''
      ? [required(childPath(path, 'type'), 'must specify a metric source type')]
      : []),
    ...(expected === undefined ? [unknown] : []),
    ...(first === undefined
      ? []
      : (sourceChecks[first]?.(objectAt(metric, first), childPath(path, first)) ?? [])),
    ...(expected === undefined ? [unknown] : hasSource(metric, expected, path)),
    ...(present.length < 2
      ? []
      : present
          .filter((name) => name !== expected)
          .map((name) =>
            forbidden(childPath(path, name), 'must populate the given metric source only'),
          )),
  ];
}

function hasSource(metric: JsonObject, member: string, path: FieldPath): StatusCause[] {
  if (metric[member] !== undefined) return [];
  const detail = 'must populate information for the given metric source';
  return [required(childPath(path, member), detail)];
}

function validateObjectSource(source: JsonObject, path: FieldPath): StatusCause[] {
  const target = objectAt(source, 'target');
  return [
    ...validateReference(
      objectAt(source, 'describedObject'),
      childPath(path, 'describedObject'),
      'optional',
    ),
    ...validateIdentifier(source, path),
    ...validateTarget(target, childPath(path, 'target')),
    ...(target.value === undefined && target.averageValue === undefined
      ? [
          required(
            childPath(path, 'target.averageValue'),
            'must set either a target value or averageValue',
          ),
        ]
      : []),
  ];
}

function validateExternalSource(source: JsonObject, path: FieldPath): StatusCause[] {
  const target = objectAt(source, 'target');
  const [hasValue, hasAverage] = [target.value !== undefined, target.averageValue !== undefined];
  const missing = 'must set either a target value for metric or a per-pod target';
  const both = 'may not set both a target value for metric and a per-pod target';
  return [
    ...validateIdentifier(source, path),
    ...validateTarget(target, childPath(path, 'target')),
    ...(hasValue || hasAverage ? [] : [required(childPath(path, 'target.averageValue'), missing)]),
    ...(hasValue && hasAverage ? [forbidden(childPath(path, 'target.value'), both)] : []),
  ];
}

function validatePodsSource(source: JsonObject, path: FieldPath): StatusCause[] {
  const target = objectAt(source, 'target');
  const detail = 'must specify a positive target averageValue';
  return [
    ...validateIdentifier(source, path),
    ...validateTarget(target, childPath(path, 'target')),
    ...(target.averageValue === undefined
      ? [required(childPath(path, 'target.averageValue'), detail)]
      : []),
  ];
}

function validateResourceSource(source: JsonObject, path: FieldPath): StatusCause[] {
  return [
    ...(textAt(source, 'name') === ''
      ? [required(childPath(path, 'name'), 'must specify a resource name')]
      : []),
    ...validateUtilization(objectAt(source, 'target'), childPath(path, 'target')),
  ];
}

function validateContainerSource(source: JsonObject, path: FieldPath): StatusCause[] {
  const [name, field] = [textAt(source, 'name'), childPath(path, 'name')];
  return [
    ...(name === ''
      ? [required(field, 'must specify a resource name')]
      : validateContainerResourceName(name, field)),
    ...(textAt(source, 'container') === ''
      ? [required(childPath(path, 'container'), 'must specify a container')]
      : validName(checkDnsLabel, source.container, childPath(path, 'container'))),
    ...validateUtilization(objectAt(source, 'target'), childPath(path, 'target')),
  ];
}

function validateUtilization(target: JsonObject, path: FieldPath): StatusCause[] {
  const hasUtilization = target.averageUtilization !== undefined;
  const hasAverage = target.averageValue !== undefined;
  const both = 'may not set both a target raw value and a target utilization';
  return [
    ...validateTarget(target, path),
    ...(hasUtilization || hasAverage
      ? []
      : [required(childPath(path, 'averageUtilization'), rawOrUtilization)]),
    ...(hasUtilization && hasAverage ? [forbidden(childPath(path, 'averageValue'), both)] : []),
  ];
}

function validateTarget(target: JsonObject, path: FieldPath): StatusCause[] {
  const type = textAt(target, 'type');
  const field = childPath(path, 'type');
  const isKnown = ['Utilization', 'Value', 'AverageValue'].includes(type);
  const { averageUtilization } = target;
  return [
    ...(type === '' ? [required(field, 'must specify a metric target type')] : []),
    ...(isKnown
      ? []
      : [invalid(field, type, 'must be either Utilization, Value, or AverageValue')]),
    ...['value', 'averageValue'].flatMap((name) =>
      isPositive(target[name])
        ? []
        : [invalid(childPath(path, name), target[name], 'must be positive')],
    ),
    ...(typeof averageUtilization === 'number' && averageUtilization < 1
      ? [
          invalid(
            childPath(path, 'averageUtilization'),
            averageUtilization,
            'must be greater than 0',
          ),
        ]
      : []),
  ];
}

/** True if a quantity is positive; also true for a missing quantity. */
function isPositive(quantity: unknown): boolean {
  if (typeof quantity !== 'string') return true;
  return (nanosOfQuantity(quantity) ?? 0n) > 0n;
}

function validateIdentifier(source: JsonObject, path: FieldPath): StatusCause[] {
  const { name } = objectAt(source, 'metric');
  const field = childPath(path, 'metric.name');
  if (name === undefined || name === '') return [required(field, 'must specify a metric name')];
  return validName(checkPathSegment, name, field);
}
