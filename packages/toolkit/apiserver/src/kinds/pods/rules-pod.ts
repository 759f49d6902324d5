import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkQualifiedName, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isNumeric,
  type JsonObject,
  notSupported,
  tooLong,
  validateLabels,
} from '@keelson/structural-schema';
import { legacyAddressDetails } from '../network/network-address.ts';
import type { Volumes } from './rules-mount.ts';
import { validateDns } from './rules-dns.ts';
import { placementOrders, repeatedConstraints } from './rules-placement.ts';
import { validatePodAnnotations } from './rules-pod-annotations.ts';
import {
  trimmedImages,
  validateContainers,
  validateVariableVolumes,
} from './rules-pod-containers.ts';
import { validateOverhead, validateResourceClaims } from './rules-pod-resources.ts';
import { validatePodSecurity } from './rules-security.ts';
import { placedContainers, validateHostProcesses, validateSystemFields } from './rules-windows.ts';
import {
  type FieldValidator,
  type OrderedRules,
  validName,
  type ValidationRules,
} from '../../schema/validation-rule.ts';
import { validateTemplateMetadata } from '../shared/rules-template-metadata.ts';

const largestInt32 = 2 ** 31 - 1;

/** Ordered validation rules of pods and pod templates. */
export const podOrders: OrderedRules = {
  'core.v1.Pod': (pod, _, fields) => [
    ...validatePodAnnotations(pod, 'metadata.annotations'),
    ...fields.validate('spec'),
    ...['containers', 'initContainers'].flatMap((list) =>
      trimmedImages(objectsAt(objectAt(pod, 'spec'), list), `spec.${list}`),
    ),
    ...(fields.isNew ? onlyLater(objectAt(pod, 'spec')) : []),
  ],
  'core.v1.PodTemplateSpec': validateTemplate,
  'core.v1.PodSpec': validatePodSpec,
  'core.v1.HostAlias': validateHostAlias,
  ...placementOrders,
};

/** Validation rules of the parts of a pod. */
export const podRules: ValidationRules = {
  'core.v1.PodReadinessGate': (gate, path) => {
    const type = textAt(gate, 'conditionType');
    const field = childPath(path, 'conditionType');
    return checkQualifiedName(type).map((detail) => invalid(field, type, detail));
  },
  'core.v1.PodOS': (os, path) => {
    const name = textAt(os, 'name');
    return ['', 'linux', 'windows'].includes(name)
      ? []
      : [notSupported(path, name, ['linux', 'windows'])];
  },
};

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

function validateTemplate(
  template: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
): StatusCause[] {
  const ephemeral = objectsAt(objectAt(template, 'spec'), 'ephemeralContainers');
  return [
    ...validateTemplateMetadata(template, path),
    ...validatePodAnnotations(template, childPath(path, 'annotations')),
    ...fields.validate('spec'),
    ...(ephemeral.length === 0
      ? []
      : [
          forbidden(
            childPath(path, 'spec.ephemeralContainers'),
            'ephemeral containers not allowed in pod template',
          ),
        ]),
  ];
}

type Labels = Record<string, string>;

/** Rejects fields that a pod cannot have on create. */
function onlyLater(spec: JsonObject): StatusCause[] {
  const isGated = objectsAt(spec, 'schedulingGates').length > 0;
  return [
    ...(objectsAt(spec, 'ephemeralContainers').length > 0
      ? [forbidden('spec.ephemeralContainers', 'cannot be set on create')]
      : []),
    ...(isGated && textAt(spec, 'nodeName') !== ''
      ? [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
      : []),
  ];
}

/** The valid volumes; mounts can refer only to these. */
function acceptedVolumes(
  spec: JsonObject,
  path: FieldPath,
  refused: readonly StatusCause[],
): Volumes {
  const accepted = objectsAt(spec, 'volumes').filter((_, index) => {
    const place = indexPath(path, index);
    return !refused.some(({ field = '' }) => field.startsWith(place));
  });
  return new Map(accepted.map((volume) => [textAt(volume, 'name'), volume]));
}

/** Adds the repeated names of volumes to the causes of each volume. Only names of valid volumes count. */
function withRepeatedVolumes(
  volumes: readonly JsonObject[],
  path: FieldPath,
  refused: readonly StatusCause[],
): StatusCause[] {
  const taken = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const place = indexPath(path, index);
    const name = textAt(volume, 'name');
    const causes = refused.filter(({ field = '' }) => field.startsWith(place));
    if (taken.has(name)) return [...causes, duplicate(childPath(place, 'name'), name)];
    if (causes.length === 0) taken.add(name);
    return causes;
  });
}

/** The fields that have rules here, besides those that are passed to `fields`. */
const ownRules = [
  'dnsPolicy',
  'resourceClaims',
  'resources',
  'restartPolicy',
  'schedulingGates',
  'securityContext',
];

function validatePodSpec(spec: JsonObject, path: FieldPath, fields: FieldValidator): StatusCause[] {
  const volumes = childPath(path, 'volumes');
  const refused = fields.validate('volumes');
  return [
    ...withRepeatedVolumes(objectsAt(spec, 'volumes'), volumes, refused),
    ...validateResourceClaims(spec, path),
    ...validateContainers(spec, path, fields, acceptedVolumes(spec, volumes, refused)),
    ...oneOf(spec, path, 'restartPolicy', restartPolicies),
    ...oneOf(spec, path, 'dnsPolicy', dnsPolicies),
    ...validateLabels(objectAt(spec, 'nodeSelector') as Labels, childPath(path, 'nodeSelector')),
    ...validatePodSecurity(spec, path),
    ...fields.validate('imagePullSecrets', 'affinity'),
    ...validateDns(spec, path),
    ...fields.validate('dnsConfig', 'readinessGates'),
    ...validateGates(objectsAt(spec, 'schedulingGates'), childPath(path, 'schedulingGates')),
    ...repeatedConstraints(spec, path),
    ...fields.validate('topologySpreadConstraints'),
    ...validateHostProcesses(spec, path),
    ...validateHostUsers(spec, path),
    ...validateHostnameOverride(spec, path),
    ...['serviceAccountName', 'nodeName'].flatMap((field) =>
      validName(checkSubdomain, spec[field], childPath(path, field)),
    ),
    ...validateDeadline(spec, path),
    ...validName(checkDnsLabel, spec.hostname, childPath(path, 'hostname')),
    ...validName(checkDnsLabel, spec.subdomain, childPath(path, 'subdomain')),
    ...fields.validate('tolerations', 'hostAliases'),
    ...['priorityClassName', 'runtimeClassName'].flatMap((field) =>
      validName(checkSubdomain, spec[field], childPath(path, field)),
    ),
    ...fields.validate('preemptionPolicy'),
    ...validateOverhead(spec, path),
    ...fields.validate('os'),
    ...validateSystemFields(spec, path),
    ...fields.others(...ownRules),
    ...validateVariableVolumes(spec, path),
  ];
}

function validateGates(gates: readonly JsonObject[], path: FieldPath): StatusCause[] {
  const names = gates.map((gate) => textAt(gate, 'name'));
  return names.flatMap((name, index) => [
    ...checkQualifiedName(name).map((detail) => invalid(indexPath(path, index), name, detail)),
    ...(names.indexOf(name) < index ? [duplicate(indexPath(path, index), name)] : []),
  ]);
}

/** Rejects an unknown value and lists `allowed` in the order of kube-apiserver. */
function oneOf(
  object: JsonObject,
  path: FieldPath,
  field: string,
  allowed: readonly string[],
): StatusCause[] {
  const value = textAt(object, field);
  return value === '' || allowed.includes(value)
    ? []
    : [notSupported(childPath(path, field), value, allowed)];
}

function validateDeadline(spec: JsonObject, path: FieldPath): StatusCause[] {
  const deadline = spec.activeDeadlineSeconds;
  if (!isNumeric(deadline) || (deadline >= 1 && deadline <= largestInt32)) return [];
  const detail = `must be between 1 and ${largestInt32}, inclusive`;
  return [invalid(childPath(path, 'activeDeadlineSeconds'), deadline, detail)];
}

/** Rejects namespaces of the host, and block devices, in a pod with users of its own. kube-apiserver spells two fields so. */
function validateHostUsers(spec: JsonObject, path: FieldPath): StatusCause[] {
  if (spec.hostUsers !== false) return [];
  const detail = 'when `hostUsers` is false';
  const names = { hostNetwork: 'hostNetwork', hostPID: 'HostPID', hostIPC: 'HostIPC' };
  return [
    ...Object.entries(names)
      .filter(([name]) => spec[name] === true)
      .map(([, shown]) => forbidden(childPath(path, shown), detail)),
    ...placedContainers(spec, path)
      .filter(([container]) => objectsAt(container, 'volumeDevices').length > 0)
      .map(([, place]) => forbidden(childPath(place, 'volumeDevices'), detail)),
  ];
}

/** The longest host name of Linux. */
const MAX_HOST_NAME = 64;

function validateHostnameOverride(spec: JsonObject, path: FieldPath): StatusCause[] {
  const name = spec.hostnameOverride;
  if (typeof name !== 'string') return [];
  const field = childPath(path, 'hostnameOverride');
  return [
    ...['setHostnameAsFQDN', 'hostNetwork']
      .filter((other) => spec[other] === true)
      .map((other) => forbidden(field, `may not be specified when ${other} is true`)),
    ...(name.length > MAX_HOST_NAME ? [tooLong(field, MAX_HOST_NAME)] : []),
    ...checkSubdomain(name).map((detail) => invalid(field, name, detail)),
  ];
}

function validateHostAlias(alias: JsonObject, path: FieldPath): StatusCause[] {
  const ip = textAt(alias, 'ip');
  const names = childPath(path, 'hostnames');
  return [
    ...legacyAddressDetails(ip).map((detail) => invalid(childPath(path, 'ip'), ip, detail)),
    ...textsAt(alias, 'hostnames').flatMap((name, index) =>
      checkSubdomain(name).map((problem) => invalid(indexPath(names, index), name, problem)),
    ),
  ];
}
