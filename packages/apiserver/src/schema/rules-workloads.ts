import {
  labelRequirementsOf,
  matchesLabels,
  type LabelSelector,
  type StatusCause,
} from '@keelson/apimachinery';
import { jsonEquals, type JsonObject } from '../patch/json-value.ts';
import { objectAt, textAt } from './default-rule.ts';
import { forbidden, invalid, notSupported, required } from './field-error.ts';
import { childPath, type FieldPath } from './field-path.ts';
import { validateLabelSelector } from './rules-selector.ts';
import {
  atLeastZero,
  atMostAll,
  countOrPercent,
  type ValidationRule,
  type ValidationRules,
} from './validation-rule.ts';

/** What makes a workload unacceptable, beyond its pod template. */
export const workloadRules: ValidationRules = {
  'apps.v1.DeploymentSpec': (spec, path) => [
    ...atLeastZero(spec, path, 'replicas'),
    ...validateSelector(spec, path, 'deployment'),
    ...alwaysRestarts(spec, path),
    ...hasNoDeadline(spec, path),
    ...validateStrategy(spec, path),
    ...atLeastZero(spec, path, 'minReadySeconds', 'revisionHistoryLimit'),
    ...validateDeadline(spec, path),
  ],
  'apps.v1.ReplicaSetSpec': (spec, path) => [
    ...validateSelector(spec, path, 'replicaset'),
    ...alwaysRestarts(spec, path),
    ...hasNoDeadline(spec, path),
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds'),
  ],
  'apps.v1.StatefulSetSpec': (spec, path) => [
    ...validatePodManagement(spec, path),
    ...validateUpdateStrategy(spec, path),
    ...validateRetention(spec, path),
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds'),
    ...atLeastZero(objectAt(spec, 'ordinals'), childPath(path, 'ordinals'), 'start'),
    ...validateSelector(spec, path, 'statefulset'),
    ...alwaysRestarts(spec, path),
  ],
  'apps.v1.DaemonSetSpec': (spec, path) => [
    ...validateSelector(spec, path, 'daemonset'),
    ...alwaysRestarts(spec, path),
    ...atLeastZero(spec, path, 'minReadySeconds', 'revisionHistoryLimit'),
  ],
  'core.v1.ReplicationControllerSpec': (spec, path) => [
    ...['selector', 'template']
      .filter((field) => spec[field] === undefined)
      .map((field) => required(childPath(path, field))),
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds'),
  ],
  'apps.v1.ControllerRevision': (revision) =>
    revision.data === undefined || revision.data === null
      ? [required('data', 'data is mandatory')]
      : [],
  'apps.v1.DeploymentStatus': counts('updatedReplicas', 'readyReplicas', 'availableReplicas'),
  'apps.v1.ReplicaSetStatus': counts('fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'),
  'apps.v1.StatefulSetStatus': counts(
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
  ),
};

/** What controllers count in a status: nothing below zero, none of these parts above the whole. */
function counts(...parts: string[]): ValidationRule {
  return (status, path) => {
    const numbers = Object.keys(status).filter((field) => typeof status[field] === 'number');
    const count = (field: string): number => Number(status[field] ?? 0);
    const tooMany = parts.filter((part) => count(part) > count('replicas'));
    const causes = [
      ...atLeastZero(status, path, ...numbers),
      ...tooMany.map((part) =>
        invalid(childPath(path, part), count(part), 'cannot be greater than status.replicas'),
      ),
    ];
    if (count('availableReplicas') <= count('readyReplicas')) return causes;
    const field = childPath(path, 'availableReplicas');
    // Of StatefulSets the server says it in full.
    const detail = `cannot be greater than ${parts.includes('currentReplicas') ? 'status.' : ''}readyReplicas`;
    return [...causes, invalid(field, count('availableReplicas'), detail)];
  };
}

function validateSelector(spec: JsonObject, path: FieldPath, kind: string): StatusCause[] {
  const { selector } = spec;
  const labels = objectAt(objectAt(spec, 'template'), 'metadata').labels;
  const mismatch = invalid(
    childPath(path, 'template.metadata.labels'),
    labels ?? null,
    '`selector` does not match template `labels`',
  );
  if (selector === undefined || selector === null) {
    // Of a DaemonSet the server misses the labels only.
    const missing = kind === 'daemonset' ? [] : [required(childPath(path, 'selector'))];
    return [...missing, mismatch];
  }
  if (Object.keys(selector).length === 0) {
    return [
      invalid(childPath(path, 'selector'), selector, `empty selector is invalid for ${kind}`),
    ];
  }
  const causes = validateLabelSelector(objectAt(spec, 'selector'), childPath(path, 'selector'));
  if (causes.length > 0) {
    return [...causes, invalid(childPath(path, 'selector'), selector, 'invalid label selector')];
  }
  const requirements = labelRequirementsOf(selector as LabelSelector);
  return matchesLabels(requirements, (labels ?? {}) as Record<string, string>) ? [] : [mismatch];
}

function validatePodManagement(spec: JsonObject, path: FieldPath): StatusCause[] {
  const policy = textAt(spec, 'podManagementPolicy');
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  const field = childPath(path, 'podManagementPolicy');
  if (policy === '') return [required(field)];
  return [invalid(field, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateUpdateStrategy(spec: JsonObject, path: FieldPath): StatusCause[] {
  const strategy = objectAt(spec, 'updateStrategy');
  const rolling = objectAt(strategy, 'rollingUpdate');
  const field = childPath(path, 'updateStrategy');
  // The server prints its internal structs, whose members have other names.
  const shown =
    strategy.rollingUpdate === undefined
      ? null
      : { Partition: rolling.partition ?? 0, MaxUnavailable: rolling.maxUnavailable ?? null };
  const rollingPath = childPath(field, 'rollingUpdate');
  switch (strategy.type) {
    case 'OnDelete':
      if (shown === null) return [];
      return [invalid(rollingPath, shown, "only allowed for updateStrategy 'RollingUpdate'")];
    case 'RollingUpdate':
      return atLeastZero(rolling, rollingPath, 'partition');
    default: {
      const value = { Type: strategy.type ?? '', RollingUpdate: shown };
      return [invalid(field, value, "must be 'RollingUpdate' or 'OnDelete'")];
    }
  }
}

function validateRetention(spec: JsonObject, path: FieldPath): StatusCause[] {
  const policy = objectAt(spec, 'persistentVolumeClaimRetentionPolicy');
  const allowed = ['Retain', 'Delete'];
  return ['whenDeleted', 'whenScaled']
    .filter((field) => policy[field] !== undefined && !allowed.includes(textAt(policy, field)))
    .map((field) => {
      const place = childPath(path, `persistentVolumeClaimRetentionPolicy.${field}`);
      return notSupported(place, policy[field], allowed);
    });
}

function alwaysRestarts(spec: JsonObject, path: FieldPath): StatusCause[] {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  if (policy === 'Always' || policy === '') return [];
  return [notSupported(childPath(path, 'template.spec.restartPolicy'), policy, ['Always'])];
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
  // The server prints its internal struct, whose members have other names.
  const shown = { Type: strategy.type ?? '', RollingUpdate: strategy.rollingUpdate ?? null };
  return [notSupported(childPath(path, 'strategy'), shown, ['Recreate', 'RollingUpdate'])];
}

function validateRollingUpdate(update: JsonObject, path: FieldPath): StatusCause[] {
  const { maxUnavailable, maxSurge } = update;
  const field = childPath(path, 'maxUnavailable');
  return [
    ...countOrPercent(maxUnavailable, field),
    ...countOrPercent(maxSurge, childPath(path, 'maxSurge')),
    ...(isNothing(maxUnavailable) && isNothing(maxSurge)
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

/** What only a Job or a bare pod may have. */
function hasNoDeadline(spec: JsonObject, path: FieldPath): StatusCause[] {
  const template = objectAt(objectAt(spec, 'template'), 'spec');
  if (template.activeDeadlineSeconds === undefined) return [];
  const field = childPath(path, 'template.spec.activeDeadlineSeconds');
  return [forbidden(field, 'activeDeadlineSeconds in ReplicaSet is not Supported')];
}

function isNothing(value: unknown): boolean {
  return jsonEquals(value, 0) || jsonEquals(value, '0%');
}
