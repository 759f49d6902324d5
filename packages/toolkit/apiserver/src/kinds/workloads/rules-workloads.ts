import { objectAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import type { FieldPath, JsonObject } from '@keelson/structural-schema';
import { childPath, isJsonObject, jsonEquals } from '@keelson/structural-schema';
import { forbidden, invalid, notSupported, required } from '@keelson/structural-schema';
import {
  atLeastZero,
  atMostAll,
  countOrPercent,
  type FieldValidator,
  type OrderedRules,
  type ValidationRule,
  type ValidationRules,
} from '../../schema/validation-rule.ts';
import { validateStatefulSet } from './rules-stateful-set.ts';
import {
  alwaysRestarts,
  hasNoDeadline,
  isInvalidSelector,
  validateMatch,
  validateSelector,
} from './rules-template.ts';

/** Ordered validation rules of workloads and their pod templates. */
export const workloadOrders: OrderedRules = {
  'apps.v1.DeploymentSpec': (spec, path, fields) => [
    ...atLeastZero(spec, path, 'replicas'),
    ...validateSelector(spec, path, 'deployment'),
    ...validateTemplate(spec, path, fields),
    ...validateStrategy(spec, path),
    ...atLeastZero(spec, path, 'minReadySeconds', 'revisionHistoryLimit'),
    ...validateDeadline(spec, path),
  ],
  'apps.v1.ReplicaSetSpec': (spec, path, fields) => [
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds'),
    ...validateSelector(spec, path, 'deployment'),
    ...validateTemplate(spec, path, fields),
  ],
  'apps.v1.StatefulSetSpec': validateStatefulSet,
};

/** Validation rules of other workloads and of their status. */
export const workloadRules: ValidationRules = {
  'apps.v1.DaemonSetSpec': (spec, path) => [
    ...(isInvalidSelector(spec) ? [] : validateMatch(spec, path)),
    ...validateDaemonSetSelector(spec, path),
    ...alwaysRestarts(spec, path),
    ...hasNoDeadline(spec, path, 'DaemonSet'),
    ...atLeastZero(spec, path, 'minReadySeconds', 'revisionHistoryLimit'),
  ],
  'core.v1.ReplicationControllerSpec': (spec, path) => [
    ...['selector', 'template']
      .filter((field) => spec[field] === undefined)
      .map((field) => required(childPath(path, field))),
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds'),
  ],
  'apps.v1.DeploymentStatus': counts(
    [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ],
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  ),
  'apps.v1.ReplicaSetStatus': counts(
    [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
      'terminatingReplicas',
    ],
    ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  ),
  'apps.v1.StatefulSetStatus': counts(
    [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ],
    ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
  ),
};

/** The counter of hash collisions never decreases. */
export function collisionsOnlyGrow(object: JsonObject, old: JsonObject): StatusCause[] {
  const [count, before] = [object, old].map((each) => objectAt(each, 'status').collisionCount);
  if (before === undefined || Number(count ?? 0) >= Number(before)) return [];
  return [invalid('status.collisionCount', count ?? 0, 'cannot be decremented')];
}

/**
 * Validates the counters of a status, in the order of `fields`. No counter is negative, no part exceeds `replicas`,
 * and available replicas do not exceed ready replicas.
 */
function counts(fields: readonly string[], parts: readonly string[]): ValidationRule {
  return (status, path) => {
    const count = (field: string): number => Number(status[field] ?? 0);
    const tooMany = parts.filter((part) => count(part) > count('replicas'));
    const causes = [
      ...atLeastZero(status, path, ...fields),
      ...tooMany.map((part) =>
        invalid(childPath(path, part), count(part), 'cannot be greater than status.replicas'),
      ),
    ];
    if (count('availableReplicas') <= count('readyReplicas')) return causes;
    const field = childPath(path, 'availableReplicas');
    // The message for StatefulSets has the full path.
    const detail = `cannot be greater than ${parts.includes('currentReplicas') ? 'status.' : ''}readyReplicas`;
    return [...causes, invalid(field, count('availableReplicas'), detail)];
  };
}

/** Reports only the selector if it is invalid, since the template then cannot be compared. */
function validateTemplate(
  spec: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
): StatusCause[] {
  if (isInvalidSelector(spec)) {
    return [invalid(childPath(path, 'selector'), spec.selector, 'invalid label selector')];
  }
  return [
    ...validateMatch(spec, path),
    ...fields.validate('template'),
    ...alwaysRestarts(spec, path),
    ...hasNoDeadline(spec, path, 'ReplicaSet'),
  ];
}

function validateDaemonSetSelector(spec: JsonObject, path: FieldPath): StatusCause[] {
  return isJsonObject(spec.selector) ? validateSelector(spec, path, 'daemonset') : [];
}

function validateStrategy(spec: JsonObject, path: FieldPath): StatusCause[] {
  const strategy = objectAt(spec, 'strategy');
  const rolling = childPath(path, 'strategy.rollingUpdate');
  if (strategy.type === 'Recreate') {
    if (strategy.rollingUpdate === undefined) return [];
    return [forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (strategy.type === 'RollingUpdate') {
    return validateRollingUpdate(objectAt(strategy, 'rollingUpdate'), rolling);
  }
  // kube-apiserver prints its internal struct, whose members have other names.
  const { maxUnavailable = 0, maxSurge = 0 } = objectAt(strategy, 'rollingUpdate');
  const limits = { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
  const shown = {
    Type: strategy.type ?? '',
    RollingUpdate: strategy.rollingUpdate === undefined ? null : limits,
  };
  return [notSupported(childPath(path, 'strategy'), shown, ['Recreate', 'RollingUpdate'])];
}

function validateRollingUpdate(update: JsonObject, path: FieldPath): StatusCause[] {
  const { maxUnavailable, maxSurge } = update;
  const field = childPath(path, 'maxUnavailable');
  return [
    ...countOrPercent(maxUnavailable, field),
    ...countOrPercent(maxSurge, childPath(path, 'maxSurge')),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [invalid(field, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...atMostAll(maxUnavailable, field),
  ];
}

function validateDeadline(spec: JsonObject, path: FieldPath): StatusCause[] {
  const deadline = Number(spec.progressDeadlineSeconds ?? 600);
  const ready = Number(spec.minReadySeconds ?? 0);
  const field = childPath(path, 'progressDeadlineSeconds');
  return [
    ...atLeastZero(spec, path, 'progressDeadlineSeconds'),
    ...(deadline <= ready
      ? [invalid(field, deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
}

function isZero(value: unknown): boolean {
  return jsonEquals(value, 0) || jsonEquals(value, '0%');
}
