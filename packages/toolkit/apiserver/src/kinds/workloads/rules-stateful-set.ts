import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel } from '@keelson/cel/internal';
import type { FieldPath, JsonObject } from '@keelson/structural-schema';
import { childPath, invalid, notSupported, required } from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import {
  atLeastZero,
  type FieldValidator,
  validName,
  without,
} from '../../schema/validation-rule.ts';
import { validateTemplateMetadata } from '../shared/rules-template-metadata.ts';
import {
  alwaysRestarts,
  hasNoDeadline,
  isInvalidSelector,
  validateMatch,
  validateSelector,
} from './rules-template.ts';

/** Validates the spec of a StatefulSet. */
export function validateStatefulSet(
  spec: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
): StatusCause[] {
  const isInvalid = isInvalidSelector(spec);
  return [
    ...validatePodManagement(spec, path),
    ...validateUpdateStrategy(spec, path),
    ...validateRetention(spec, path),
    ...(fields.isNew ? fields.validate('volumeClaimTemplates') : []),
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds'),
    ...atLeastZero(objectAt(spec, 'ordinals'), childPath(path, 'ordinals'), 'start'),
    ...(fields.isNew
      ? validName(checkDnsLabel, spec.serviceName, childPath(path, 'serviceName'))
      : []),
    ...validateSelector(spec, path, 'statefulset'),
    ...(isInvalid
      ? [invalid(childPath(path, 'selector'), spec.selector, '')]
      : [...validateMatch(spec, path), ...validateSetTemplate(spec, path, fields)]),
    ...alwaysRestarts(spec, path),
    ...hasNoDeadline(spec, path, 'StatefulSet'),
  ];
}

/**
 * Validates the template with the values that each pod of the set gets: the volumes of its claims, and no names of the
 * template. kube-apiserver reports the labels and annotations twice.
 */
function validateSetTemplate(
  spec: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
): StatusCause[] {
  const template = objectAt(spec, 'template');
  const pod = without(objectAt(template, 'spec'), 'hostname', 'subdomain');
  const claims = objectsAt(spec, 'volumeClaimTemplates').map((claim) =>
    textAt(objectAt(claim, 'metadata'), 'name'),
  );
  if (claims.length > 0) {
    const own = [...new Set(claims)].map((name) => ({
      name,
      persistentVolumeClaim: { claimName: name },
    }));
    const others = objectsAt(pod, 'volumes').filter(
      (volume) => !claims.includes(textAt(volume, 'name')),
    );
    pod.volumes = [...own, ...others];
  }
  return [
    ...fields.validateAs('template', { ...template, spec: pod }),
    ...validateTemplateMetadata(template, childPath(path, 'template')),
  ];
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
  // kube-apiserver prints its internal structs, whose members have other names.
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
