import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { isIP } from 'node:net';
import type { StatusCause } from '@keelson/apimachinery';
import {
  checkDnsLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
  compareQuantities,
} from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isNumeric,
  type JsonObject,
  keyPath,
  notSupported,
  required,
  validateLabels,
} from '@keelson/structural-schema';
import type { Volumes } from './rules-mount.ts';
import { validateDns } from './rules-dns.ts';
import { validateContainers, validateVariableVolumes } from './rules-pod-containers.ts';
import {
  type FieldValidator,
  type OrderedRules,
  repeatedNames,
  validName,
  type ValidationRules,
} from '../../schema/validation-rule.ts';

const largestInt32 = 2 ** 31 - 1;

/** Ordered validation rules of pods and pod templates. */
export const podOrders: OrderedRules = {
  'core.v1.Pod': (pod, _, fields) => [
    ...fields.validate('spec'),
    ...(fields.isNew ? onlyLater(objectAt(pod, 'spec')) : []),
  ],
  'core.v1.PodTemplateSpec': validateTemplate,
  'core.v1.PodSpec': validatePodSpec,
  'core.v1.TopologySpreadConstraint': (constraint, path, fields) => [
    ...(Number(constraint.maxSkew) > 0
      ? []
      : [
          invalid(childPath(path, 'maxSkew'), constraint.maxSkew ?? 0, 'must be greater than zero'),
        ]),
    ...(textAt(constraint, 'topologyKey') === ''
      ? [required(childPath(path, 'topologyKey'), 'can not be empty')]
      : []),
    ...fields.validate('whenUnsatisfiable'),
    ...fields.others('topologyKey'),
  ],
};

/** Validation rules of the parts of a pod. */
export const podRules: ValidationRules = {
  'core.v1.Toleration': validateToleration,
  'core.v1.PodSecurityContext': validateIds,
  'core.v1.SecurityContext': validateIds,
  'core.v1.HostAlias': validateHostAlias,
  'core.v1.PodOS': (os, path) => {
    const name = textAt(os, 'name');
    return ['', 'linux', 'windows'].includes(name)
      ? []
      : [notSupported(path, name, ['linux', 'windows'])];
  },
  'core.v1.NodeSelector': (selector, path) =>
    objectsAt(selector, 'nodeSelectorTerms').length === 0
      ? [
          required(
            childPath(path, 'nodeSelectorTerms'),
            'must have at least one node selector term',
          ),
        ]
      : [],
  'core.v1.ResourceRequirements': validateResources,
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

/** Validates the labels and annotations of a pod template. */
export function validateTemplateMetadata(template: JsonObject, path: FieldPath): StatusCause[] {
  const metadata = objectAt(template, 'metadata');
  return [
    ...validateLabels(objectAt(metadata, 'labels') as Labels, childPath(path, 'labels')),
    ...Object.keys(objectAt(metadata, 'annotations')).flatMap((key) =>
      checkQualifiedName(key.toLowerCase()).map((detail) =>
        invalid(childPath(path, 'annotations'), key, detail),
      ),
    ),
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

function validatePodSpec(spec: JsonObject, path: FieldPath, fields: FieldValidator): StatusCause[] {
  const volumes = childPath(path, 'volumes');
  const refused = fields.validate('volumes');
  return [
    ...refused,
    ...repeatedNames(objectsAt(spec, 'volumes'), volumes),
    ...validateContainers(spec, path, fields, acceptedVolumes(spec, volumes, refused)),
    ...oneOf(spec, path, 'restartPolicy', restartPolicies),
    ...oneOf(spec, path, 'dnsPolicy', dnsPolicies),
    ...validateLabels(objectAt(spec, 'nodeSelector') as Labels, childPath(path, 'nodeSelector')),
    ...fields.validate('securityContext', 'imagePullSecrets', 'affinity'),
    ...validateDns(spec, path),
    ...fields.validate('dnsConfig', 'readinessGates'),
    ...validateGates(objectsAt(spec, 'schedulingGates'), childPath(path, 'schedulingGates')),
    ...fields.validate('topologySpreadConstraints'),
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
    ...fields.validate('preemptionPolicy', 'os'),
    ...fields.others('restartPolicy', 'dnsPolicy', 'schedulingGates'),
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

function validateIds(context: JsonObject, path: FieldPath): StatusCause[] {
  return ['fsGroup', 'runAsUser', 'runAsGroup']
    .filter((field) => Number(context[field] ?? 0) < 0 || Number(context[field]) > largestInt32)
    .map((field) => {
      const detail = `must be between 0 and ${largestInt32}, inclusive`;
      return invalid(childPath(path, field), context[field], detail);
    });
}

function validateHostAlias(alias: JsonObject, path: FieldPath): StatusCause[] {
  const ip = textAt(alias, 'ip');
  if (isIP(ip) !== 0) return [];
  const detail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  return [invalid(childPath(path, 'ip'), ip, detail)];
}

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateToleration(toleration: JsonObject, path: FieldPath): StatusCause[] {
  const [key, operator] = [textAt(toleration, 'key'), textAt(toleration, 'operator')];
  const [value, effect] = [textAt(toleration, 'value'), textAt(toleration, 'effect')];
  const field = childPath(path, 'operator');
  const any =
    'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  const isTimed = toleration.tolerationSeconds !== undefined && effect !== 'NoExecute';
  return [
    ...validName(checkQualifiedName, key, childPath(path, 'key')),
    ...(key === '' && operator !== 'Exists' ? [invalid(field, operator, any)] : []),
    ...(isTimed
      ? [
          invalid(
            childPath(path, 'effect'),
            effect,
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
          ),
        ]
      : []),
    ...(operator === 'Exists' && value !== ''
      ? [invalid(field, value, "value must be empty when `operator` is 'Exists'")]
      : []),
    ...(operator === '' || operator === 'Equal' ? validName(checkLabelValue, value, field) : []),
    ...(effect === '' || taintEffects.includes(effect)
      ? []
      : [notSupported(childPath(path, 'effect'), effect, taintEffects)]),
  ];
}

function validateResources(resources: JsonObject, path: FieldPath): StatusCause[] {
  const [limits, requests] = [objectAt(resources, 'limits'), objectAt(resources, 'requests')];
  const negative = Object.entries({ limits, requests }).flatMap(([field, list]) =>
    Object.keys(list)
      .filter((name) => textAt(list, name).startsWith('-'))
      .map((name) =>
        invalid(
          keyPath(childPath(path, field), name),
          list[name],
          'must be greater than or equal to 0',
        ),
      ),
  );
  const excessive = Object.keys(requests)
    .filter((name) => limits[name] !== undefined)
    .filter((name) => compareQuantities(textAt(requests, name), textAt(limits, name)) > 0)
    .map((name) => {
      const detail = `must be less than or equal to ${name} limit of ${textAt(limits, name)}`;
      return invalid(childPath(path, 'requests'), requests[name], detail);
    });
  return [...negative, ...excessive];
}
