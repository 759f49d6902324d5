import type { StatusCause } from '@keelson/apimachinery';
import { jsonEquals, type JsonObject } from '../patch/json-value.ts';
import { objectAt, textAt } from './default-rule.ts';
import { forbidden, invalid, notSupported, required } from './field-error.ts';
import { childPath, type FieldPath } from './field-path.ts';
import { atLeastZero, type ValidationRule, type ValidationRules } from './validation-rule.ts';

/** What makes a workload unacceptable, beyond its pod template. */
export const workloadRules: ValidationRules = {
  'apps.v1.DeploymentSpec': (spec, path) => [
    ...validateSelector(spec, path, 'deployment'),
    ...alwaysRestarts(spec, path),
    ...validateStrategy(spec, path),
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds', 'revisionHistoryLimit'),
  ],
  'apps.v1.ReplicaSetSpec': (spec, path) => [
    ...validateSelector(spec, path, 'replicaset'),
    ...alwaysRestarts(spec, path),
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds'),
  ],
  'apps.v1.StatefulSetSpec': (spec, path) => [
    ...validateSelector(spec, path, 'statefulset'),
    ...alwaysRestarts(spec, path),
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds', 'revisionHistoryLimit'),
  ],
  'apps.v1.DaemonSetSpec': (spec, path) => [
    ...validateSelector(spec, path, 'daemonset'),
    ...alwaysRestarts(spec, path),
    ...atLeastZero(spec, path, 'minReadySeconds', 'revisionHistoryLimit'),
  ],
  'batch.v1.JobSpec': (spec, path) => [
    ...atLeastZero(
      spec,
      path,
      'parallelism',
      'completions',
      'backoffLimit',
      'activeDeadlineSeconds',
      'ttlSecondsAfterFinished',
    ),
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

/** What is told after the pod template or the target. */
export const lastWorkloadRules: ValidationRules = {
  'batch.v1.JobSpec': endsSomeTime,
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
  const wanted = objectAt(objectAt(spec, 'selector'), 'matchLabels');
  const given = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  return Object.keys(wanted).every((key) => given[key] === wanted[key]) ? [] : [mismatch];
}

function alwaysRestarts(spec: JsonObject, path: FieldPath): StatusCause[] {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  if (policy === 'Always' || policy === '') return [];
  return [notSupported(childPath(path, 'template.spec.restartPolicy'), policy, ['Always'])];
}

function endsSomeTime(spec: JsonObject, path: FieldPath): StatusCause[] {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  if (policy === 'OnFailure' || policy === 'Never') return [];
  const field = childPath(path, 'template.spec.restartPolicy');
  return [required(field, 'valid values: "OnFailure", "Never"')];
}

function validateStrategy(spec: JsonObject, path: FieldPath): StatusCause[] {
  const strategy = objectAt(spec, 'strategy');
  const rolling = childPath(path, 'strategy.rollingUpdate');
  if (strategy.type === 'Recreate') {
    if (strategy.rollingUpdate === undefined) return [];
    return [forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (strategy.type !== 'RollingUpdate') {
    const values = ['Recreate', 'RollingUpdate'];
    return [notSupported(childPath(path, 'strategy'), strategy, values)];
  }
  const { maxUnavailable, maxSurge } = objectAt(strategy, 'rollingUpdate');
  if (!isNothing(maxUnavailable) || !isNothing(maxSurge)) return [];
  const field = childPath(rolling, 'maxUnavailable');
  return [invalid(field, maxUnavailable, 'may not be 0 when `maxSurge` is 0')];
}

function isNothing(value: unknown): boolean {
  return jsonEquals(value, 0) || jsonEquals(value, '0%');
}
