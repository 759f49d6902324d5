import { objectAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import type { FieldPath, JsonObject, JsonValue } from '@keelson/structural-schema';
import { childPath, isJsonObject } from '@keelson/structural-schema';
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
import { validateLabelSelector } from '../shared/rules-selector.ts';
import { validateStatefulSet } from './rules-stateful-set.ts';
import {
  alwaysRestarts,
  hasNoDeadline,
  isInvalidSelector,
  mismatch,
  rejectEmptySelector,
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
  'apps.v1.DaemonSetSpec': validateDaemonSet,
  'core.v1.ReplicationControllerSpec': validateReplicationController,
};

/** Validation rules of the status of workloads. */
export const workloadRules: ValidationRules = {
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
  'core.v1.ReplicationControllerStatus': counts(
    [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
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

function validateDaemonSet(
  spec: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
): StatusCause[] {
  const { selector } = spec;
  return [
    ...validateLabelSelector(objectAt(spec, 'selector'), childPath(path, 'selector')),
    ...(isInvalidSelector(spec) ? [] : validateMatch(spec, path)),
    ...(isJsonObject(selector) ? rejectEmptySelector(selector, path, 'daemonset') : []),
    ...fields.validate('template'),
    ...alwaysRestarts(spec, path),
    ...hasNoDeadline(spec, path, 'DaemonSet'),
    ...atLeastZero(spec, path, 'minReadySeconds'),
    ...validateUpdateStrategy(objectAt(spec, 'updateStrategy'), childPath(path, 'updateStrategy')),
    ...atLeastZero(spec, path, 'revisionHistoryLimit'),
  ];
}

function validateUpdateStrategy(strategy: JsonObject, path: FieldPath): StatusCause[] {
  switch (strategy.type) {
    case 'OnDelete':
      return [];
    case 'RollingUpdate':
      return validateDaemonUpdate(
        objectAt(strategy, 'rollingUpdate'),
        childPath(path, 'rollingUpdate'),
      );
    default:
      return [notSupported(path, shownStrategy(strategy), ['RollingUpdate', 'OnDelete'])];
  }
}

/** A DaemonSet replaces pods either after it removes them or before, but not both. */
function validateDaemonUpdate(update: JsonObject, path: FieldPath): StatusCause[] {
  const { maxUnavailable, maxSurge } = update;
  const [field, surge] = [childPath(path, 'maxUnavailable'), childPath(path, 'maxSurge')];
  const [isRemoving, isAdding] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
  return [
    ...countOrPercent(maxUnavailable, field),
    ...countOrPercent(maxSurge, surge),
    ...atMostAll(maxUnavailable, field),
    ...atMostAll(maxSurge, surge),
    ...(isRemoving && isAdding
      ? [invalid(surge, maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : []),
    ...(isRemoving || isAdding ? [] : [required(field, 'cannot be 0 when maxSurge is 0')]),
  ];
}

/** Compares the labels of the template with a selector that is a map of labels, valid or not. */
function validateLabels(spec: JsonObject, path: FieldPath): StatusCause[] {
  const { labels } = objectAt(objectAt(spec, 'template'), 'metadata');
  const found = isJsonObject(labels) ? labels : {};
  const selected = Object.entries(objectAt(spec, 'selector'));
  return selected.every(([key, value]) => found[key] === value) ? [] : [mismatch(labels, path)];
}

function validateReplicationController(
  spec: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
): StatusCause[] {
  const selector = objectAt(spec, 'selector');
  const isEmpty = Object.keys(selector).length === 0;
  const template = childPath(path, 'template');
  return [
    ...atLeastZero(spec, path, 'minReadySeconds'),
    ...(isEmpty ? [required(childPath(path, 'selector'))] : []),
    ...atLeastZero(spec, path, 'replicas'),
    ...(isJsonObject(spec.template)
      ? [
          ...validateLabels(spec, path),
          ...fields.validate('template'),
          ...alwaysRestarts(spec, path),
          ...hasNoDeadline(spec, path, 'ReplicationController'),
        ]
      : [required(template)]),
  ];
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
  const allowed = ['Recreate', 'RollingUpdate'];
  return [notSupported(childPath(path, 'strategy'), shownStrategy(strategy), allowed)];
}

/** The strategy in the form of the internal struct, which kube-apiserver prints: its members have other names. */
function shownStrategy(strategy: JsonObject): JsonObject {
  const { maxUnavailable = 0, maxSurge = 0 } = objectAt(strategy, 'rollingUpdate');
  const limits = { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
  return {
    Type: strategy.type ?? '',
    RollingUpdate: strategy.rollingUpdate === undefined ? null : limits,
  };
}

function validateRollingUpdate(update: JsonObject, path: FieldPath): StatusCause[] {
  const { maxUnavailable, maxSurge } = update;
  const field = childPath(path, 'maxUnavailable');
  return [
    ...countOrPercent(maxUnavailable, field),
    ...countOrPercent(maxSurge, childPath(path, 'maxSurge')),
    ...(amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
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

/** The number of a count or a percentage, 0 for a text that is neither. */
function amountOf(value: JsonValue | undefined): number {
  if (typeof value !== 'string') return Number(value ?? 0);
  return /^[-+]?\d+%?$/.test(value) ? Number(value.replace('%', '')) : 0;
}
