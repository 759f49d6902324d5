import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { compareQuantities } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { validateMetric } from './rules-autoscaler-metric.ts';
import { validateReference } from '../shared/rules-reference.ts';
import { atLeastZero } from '../../schema/validation-rule.ts';

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;
const selectPolicies = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];

/** Validates a HorizontalPodAutoscaler except its metadata. */
export function validateAutoscaler(autoscaler: JsonObject, old?: JsonObject): StatusCause[] {
  const spec = objectAt(autoscaler, 'spec');
  const before = old === undefined ? undefined : objectAt(old, 'spec');
  return [
    ...validateBounds(spec, before),
    ...validateTarget(spec, before),
    ...validateMetrics(spec),
    ...validateBehavior(objectAt(spec, 'behavior')),
  ];
}

/** Validates the status of a HorizontalPodAutoscaler. */
export function validateAutoscalerStatus(autoscaler: JsonObject): StatusCause[] {
  const status = objectAt(autoscaler, 'status');
  return atLeastZero(status, 'status', 'currentReplicas', 'desiredReplicas');
}

function validateBounds(spec: JsonObject, before: JsonObject | undefined): StatusCause[] {
  const least = Number(spec.minReplicas ?? 1);
  const most = Number(spec.maxReplicas ?? 0);
  const lowest = before?.minReplicas === 0 ? 0 : 1;
  const causes: StatusCause[] = [];
  if (least < lowest) {
    const detail = `must be greater than or equal to ${lowest}`;
    causes.push(invalid('spec.minReplicas', least, detail));
  }
  if (most === 0) causes.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  if (most < 0) {
    causes.push(invalid('spec.maxReplicas', most, 'must be greater than or equal to 1'));
  }
  if (most < least) {
    const detail = 'must be greater than or equal to `minReplicas`';
    causes.push(invalid('spec.maxReplicas', most, detail));
  }
  return causes;
}

/** Skips the check of the target's group if an update keeps version and kind of the target. */
function validateTarget(spec: JsonObject, before: JsonObject | undefined): StatusCause[] {
  const target = objectAt(spec, 'scaleTargetRef');
  const previous = objectAt(before ?? {}, 'scaleTargetRef');
  const isKept =
    before !== undefined &&
    previous.apiVersion === target.apiVersion &&
    previous.kind === target.kind;
  const group = target.kind === 'ReplicationController' ? 'optional' : 'required';
  return validateReference(target, 'spec.scaleTargetRef', isKept ? 'unchecked' : group);
}

function validateMetrics(spec: JsonObject): StatusCause[] {
  const metrics = objectsAt(spec, 'metrics');
  const detail =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  const canStart = metrics.some(({ type }) => type === 'Object' || type === 'External');
  return [
    ...metrics.flatMap((metric, index) => validateMetric(metric, indexPath('spec.metrics', index))),
    ...(spec.minReplicas === 0 && !canStart ? [forbidden('spec.metrics', detail)] : []),
  ];
}

function validateBehavior(behavior: JsonObject): StatusCause[] {
  return ['scaleUp', 'scaleDown']
    .filter((direction) => behavior[direction] !== undefined)
    .flatMap((direction) =>
      validateScalingRules(objectAt(behavior, direction), childPath('spec.behavior', direction)),
    );
}

function validateScalingRules(rules: JsonObject, path: FieldPath): StatusCause[] {
  const window = Number(rules.stabilizationWindowSeconds ?? 0);
  const windowPath = childPath(path, 'stabilizationWindowSeconds');
  const select = textAt(rules, 'selectPolicy', 'Max');
  const policies = objectsAt(rules, 'policies');
  const policiesPath = childPath(path, 'policies');
  return [
    ...(window < 0 ? [invalid(windowPath, window, 'must be greater than or equal to zero')] : []),
    ...(window > MAX_WINDOW_SECONDS
      ? [invalid(windowPath, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`)]
      : []),
    ...(selectPolicies.includes(select)
      ? []
      : [notSupported(childPath(path, 'selectPolicy'), select, selectPolicies)]),
    ...(policies.length === 0 ? [required(policiesPath, 'must specify at least one Policy')] : []),
    ...policies.flatMap((policy, index) => validatePolicy(policy, indexPath(policiesPath, index))),
    ...validateTolerance(rules.tolerance, childPath(path, 'tolerance')),
  ];
}

function validateTolerance(tolerance: unknown, path: FieldPath): StatusCause[] {
  if (typeof tolerance !== 'string' || compareQuantities(tolerance, '0') >= 0) return [];
  return [invalid(path, tolerance, 'must be greater than or equal to 0')];
}

function validatePolicy(policy: JsonObject, path: FieldPath): StatusCause[] {
  const type = textAt(policy, 'type');
  const period = Number(policy.periodSeconds ?? 0);
  const field = childPath(path, 'periodSeconds');
  return [
    ...(policyTypes.includes(type)
      ? []
      : [notSupported(childPath(path, 'type'), type, policyTypes)]),
    ...(Number(policy.value ?? 0) <= 0
      ? [invalid(childPath(path, 'value'), policy.value ?? 0, 'must be greater than zero')]
      : []),
    ...(period <= 0 ? [invalid(field, period, 'must be greater than zero')] : []),
    ...(period > MAX_PERIOD_SECONDS
      ? [invalid(field, period, `must be less than or equal to ${MAX_PERIOD_SECONDS}`)]
      : []),
  ];
}
